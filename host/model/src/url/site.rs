//! The host of a page, which is one server to be polite to, and its site, which is one publisher.

use std::fmt;
use std::net::Ipv4Addr;

use magpie_values::domain;
use url::Url;

use super::CanonicalUrl;
use super::canonical::split_port;

/// One server: the host, and the port if it is not the default of the scheme: `www.shop.example`,
/// `127.0.0.1:8080`.
///
/// `http` and `https` of one host are one server, because delays protect machines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostKey(Box<str>);

/// One publisher: the registrable domain by the public suffix list (`shop.example` for
/// `www.shop.example`, `someone.github.io` for a page there), regardless of the port.
///
/// IP addresses and hosts with a single label have no such domain and are sites by themselves, one
/// per port: `localhost:8080` and `localhost:9000` are two programs on one machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteKey(Box<str>);

impl HostKey {
    /// The host of a URL.
    pub fn of(url: &CanonicalUrl) -> HostKey {
        HostKey(url.authority().into())
    }

    /// The host of a URL that need not be canonical; none when it has none.
    pub fn of_url(url: &Url) -> Option<HostKey> {
        Some(HostKey(authority(url)?.into()))
    }

    /// Takes back what [`HostKey::as_str`] gave.
    pub fn trusted(key: &str) -> HostKey {
        HostKey(key.into())
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The site this host belongs to.
    pub fn site(&self) -> SiteKey {
        SiteKey(site_of(&self.0).into())
    }
}

impl SiteKey {
    /// The site of a URL.
    pub fn of(url: &CanonicalUrl) -> SiteKey {
        SiteKey(site_of(url.authority()).into())
    }

    /// The site of a URL that need not be canonical; none when it has no host.
    pub fn of_url(url: &Url) -> Option<SiteKey> {
        Some(SiteKey(site_of(&authority(url)?).into()))
    }

    /// Returns true if a URL belongs to this site, without creating a key for it.
    pub fn holds(&self, url: &CanonicalUrl) -> bool {
        site_of(url.authority()) == &*self.0
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn authority(url: &Url) -> Option<String> {
    let host = url.host_str().filter(|host| !host.is_empty())?;
    // `example.org.` is the same host, written as an absolute name.
    let host = host.strip_suffix('.').unwrap_or(host);
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

fn site_of(authority: &str) -> &str {
    let host = split_port(authority).0;
    let is_address = host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok();
    // Numbers separated by dots would otherwise look like a domain and its subdomains.
    if is_address {
        return authority;
    }
    match domain::registrable(host) {
        Some(domain) => domain,
        // A public suffix by itself, such as `github.io`, is a site; a single label is a machine.
        None if host.contains('.') => host,
        None => authority,
    }
}

impl fmt::Display for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for SiteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{CanonicalUrl, HostKey, SiteKey};

    fn check(url: &str, host: &str, site: &str) {
        let canonical = CanonicalUrl::trusted(url).expect("canonical");
        assert_eq!(HostKey::of(&canonical).as_str(), host);
        assert_eq!(SiteKey::of(&canonical).as_str(), site);
        assert_eq!(HostKey::of(&canonical).site().as_str(), site);
        assert!(SiteKey::of(&canonical).holds(&canonical));
        let parsed = url::Url::parse(url).expect("a URL");
        assert_eq!(HostKey::of_url(&parsed).expect("has a host").as_str(), host);
        assert_eq!(SiteKey::of_url(&parsed).expect("has a host").as_str(), site);
    }

    #[test]
    fn a_site_is_the_registrable_domain() {
        check("https://www.shop.example/", "www.shop.example", "shop.example");
        check("https://a.b.shop.co.uk/x", "a.b.shop.co.uk", "shop.co.uk");
        check(
            "https://someone.github.io/",
            "someone.github.io",
            "someone.github.io",
        );
        check("https://github.io/", "github.io", "github.io");
        check("http://shop.example:8080/", "shop.example:8080", "shop.example");
    }

    #[test]
    fn addresses_and_single_labels_are_sites_of_their_own() {
        check("http://192.0.2.7/", "192.0.2.7", "192.0.2.7");
        check("http://192.0.2.7:81/", "192.0.2.7:81", "192.0.2.7:81");
        check("http://[2001:db8::1]:81/", "[2001:db8::1]:81", "[2001:db8::1]:81");
        check("http://localhost:8080/", "localhost:8080", "localhost:8080");
    }
}
