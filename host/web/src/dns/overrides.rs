//! Addresses that were set by hand.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

/// An address for a host and port, written `host:port:address` as in curl:
/// `example.org:443:127.0.0.1`. A port of `*` means every port. The address may have another port:
/// `example.org:80:127.0.0.1:8080`, `example.org:443:[::1]:8443`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    host: String,
    port: Option<u16>,
    address: IpAddr,
    target_port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid value `{text}`: expected host:port:address, such as example.org:443:127.0.0.1")]
pub struct BadOverride {
    text: String,
}

impl FromStr for Override {
    type Err = BadOverride;

    fn from_str(text: &str) -> Result<Override, BadOverride> {
        parse(text.trim()).ok_or_else(|| BadOverride {
            text: text.to_owned(),
        })
    }
}

fn parse(text: &str) -> Option<Override> {
    let (host, rest) = text.split_once(':')?;
    let (port, target) = rest.split_once(':')?;
    let port = match port {
        "*" => None,
        port => Some(port.parse().ok()?),
    };
    let (address, target_port) = match target.parse::<SocketAddr>() {
        Ok(target) => (target.ip(), Some(target.port())),
        Err(_) => (
            target
                .trim_start_matches('[')
                .trim_end_matches(']')
                .parse()
                .ok()?,
            None,
        ),
    };
    // As it comes out of a URL.
    let host = url::Host::parse(host).ok()?.to_string();
    Some(Override {
        host,
        port,
        address,
        target_port,
    })
}

/// Returns the addresses that were set for a host and port.
pub(super) fn matching(overrides: &[Override], host: &str, port: u16) -> impl Iterator<Item = SocketAddr> {
    overrides
        .iter()
        .filter(move |known| known.host == host && known.port.is_none_or(|known| known == port))
        .map(move |known| SocketAddr::new(known.address, known.target_port.unwrap_or(port)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, host: &str, port: u16, expected: &[&str]) {
        let overrides = [text.parse().unwrap()];
        let found: Vec<String> = matching(&overrides, host, port)
            .map(|found| found.to_string())
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn overrides_are_read_as_curl_reads_them() {
        check(
            "example.org:443:127.0.0.1",
            "example.org",
            443,
            &["127.0.0.1:443"],
        );
        check("example.org:443:127.0.0.1", "example.org", 80, &[]);
        check("Example.ORG:*:::1", "example.org", 80, &["[::1]:80"]);
        check("example.org:80:[::1]", "example.org", 80, &["[::1]:80"]);
        check(
            "example.org:80:127.0.0.1:8080",
            "example.org",
            80,
            &["127.0.0.1:8080"],
        );
        check(
            "bücher.example:443:[::1]:8443",
            "xn--bcher-kva.example",
            443,
            &["[::1]:8443"],
        );
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "",
            "example.org",
            "example.org:80",
            "example.org:80:",
            "a:x:1.2.3.4",
            "a:80:b",
        ] {
            assert!(text.parse::<Override>().is_err(), "{text}");
        }
    }
}
