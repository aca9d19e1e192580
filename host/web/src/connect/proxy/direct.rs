//! Hosts that are reached without the proxy.

use std::net::IpAddr;

use url::Host;

use crate::AddressRange;

/// One entry of a list of hosts that are reached directly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DirectHosts {
    All,
    /// A domain and its subdomains, in lower case, without a leading dot.
    Domain(String),
    Addresses(AddressRange),
}

impl DirectHosts {
    /// Parses an entry: `*`, a name, an address, or a range of addresses.
    pub(crate) fn parse(text: &str) -> DirectHosts {
        let text = text.trim();
        if text == "*" {
            return DirectHosts::All;
        }
        let unbracketed = text.trim_start_matches('[').trim_end_matches(']');
        if let Ok(range) = unbracketed.parse() {
            return DirectHosts::Addresses(range);
        }
        // A port is ignored: a host is either behind the proxy or not. An address of IPv6 was tried
        // first, since its colons are no port.
        let name = text.rsplit_once(':').map_or(text, |(name, _)| name);
        let unbracketed = name.trim_start_matches('[').trim_end_matches(']');
        if let Ok(range) = unbracketed.parse() {
            return DirectHosts::Addresses(range);
        }
        let name = name.trim_start_matches("*.").trim_matches('.');
        DirectHosts::Domain(name.to_ascii_lowercase())
    }

    pub(crate) fn contains(&self, host: &Host<&str>) -> bool {
        match (self, host) {
            (DirectHosts::All, _) => true,
            (DirectHosts::Domain(domain), Host::Domain(host)) => {
                let host = host.trim_end_matches('.');
                !domain.is_empty()
                    && host
                        .strip_suffix(domain.as_str())
                        // `example.org` is no part of `notexample.org`.
                        .is_some_and(|before| before.is_empty() || before.ends_with('.'))
            }
            (DirectHosts::Addresses(range), Host::Ipv4(address)) => range.contains(IpAddr::V4(*address)),
            (DirectHosts::Addresses(range), Host::Ipv6(address)) => range.contains(IpAddr::V6(*address)),
            (DirectHosts::Domain(_), _) | (DirectHosts::Addresses(_), Host::Domain(_)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    #[test]
    fn entries_have_the_forms_of_no_proxy() {
        let cases = [
            ("example.org", "http://example.org/", true),
            ("example.org", "https://www.EXAMPLE.org:8443/", true),
            (".example.org", "http://www.example.org/", true),
            ("*.example.org", "http://www.example.org/", true),
            ("example.org:8080", "http://example.org/", true),
            ("example.org", "http://notexample.org/", false),
            ("example.org", "http://example.org.evil.test/", false),
            ("", "http://example.org/", false),
            (".", "http://example.org/", false),
            ("*", "http://[::1]/", true),
            ("localhost", "http://localhost/", true),
            ("localhost", "http://127.0.0.1/", false),
            ("127.0.0.1", "http://127.0.0.1:9/", true),
            ("127.0.0.1:9", "http://127.0.0.1:9/", true),
            ("10.0.0.0/8", "http://10.200.3.4/", true),
            ("10.0.0.0/8", "http://11.0.0.1/", false),
            ("::1", "http://[::1]/", true),
            ("[::1]:80", "http://[::1]/", true),
            ("fd00::/8", "http://[fd12::1]/", true),
        ];
        for (entry, url, expected) in cases {
            let url = Url::parse(url).unwrap();
            let is_direct = DirectHosts::parse(entry).contains(&url.host().unwrap());
            assert_eq!(is_direct, expected, "{entry:?} {url}");
        }
    }
}
