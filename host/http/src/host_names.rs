//! The names by which a server may be asked: the check of the `Host` field of requests.

use std::net::{IpAddr, SocketAddr};

/// A name with the port that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    host: String,
    port: u16,
}

#[derive(Clone, Debug)]
pub struct HostNames(Vec<Name>);

/// The port that browsers leave out.
const USUAL_PORT: u16 = 80;

/// The longest name of the domain name system.
const MAX_NAME: usize = 253;

impl HostNames {
    /// Returns the names of a server at these addresses: the addresses themselves, `localhost`
    /// where it is one of them, and further ones with or without a port.
    pub fn new(addresses: &[SocketAddr], further: &[String]) -> HostNames {
        let mut names = Vec::new();
        for address in addresses {
            let (ip, port) = (address.ip(), address.port());
            let own = match ip {
                IpAddr::V4(ip) => ip.to_string(),
                IpAddr::V6(ip) => format!("[{ip}]"),
            };
            names.push(Name { host: own, port });
            if ip.is_loopback() || ip.is_unspecified() {
                for host in ["localhost", "127.0.0.1", "[::1]"] {
                    let host = host.to_owned();
                    names.push(Name { host, port });
                }
            }
            for text in further {
                match split_host(text) {
                    Some((host, Some(port))) => names.push(Name { host, port }),
                    Some((host, None)) => {
                        // A proxy in front of the server has the port of its scheme.
                        for port in [port, USUAL_PORT] {
                            names.push(Name {
                                host: host.clone(),
                                port,
                            });
                        }
                    }
                    None => {}
                }
            }
        }
        HostNames(names)
    }

    /// Returns `true` if a `Host` field names this server. The name must be equal, not begin with
    /// or contain one of the server's: a page at `127.0.0.1.evil.example` must not read it.
    pub fn contain(&self, field: &str) -> bool {
        let Some((host, port)) = split_host(field) else {
            return false;
        };
        let asked = Name {
            host,
            port: port.unwrap_or(USUAL_PORT),
        };
        self.0.contains(&asked)
    }
}

/// Splits the value of a `Host` field into the name in lower case and the port (RFC 9110, 7.2).
///
/// Names consist of letters, digits, hyphens, underscores and dots, which is less than the standard
/// allows and all that servers have. Addresses of version 6 are in brackets.
pub fn split_host(text: &str) -> Option<(String, Option<u16>)> {
    let (host, rest) = match text.starts_with('[') {
        true => text.split_at(text.find(']')? + 1),
        false => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let is_name = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            !host.is_empty() && host.len() <= MAX_NAME && host.bytes().all(is_of_name)
        }
    };
    if !is_name {
        return None;
    }
    let port = match rest.strip_prefix(':') {
        None if rest.is_empty() => None,
        None => return None,
        // A sign is no part of a port, though Rust reads it.
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some(port.parse().ok()?),
        Some(_) => return None,
    };
    Some((host.to_ascii_lowercase(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_names_are_ours() {
        let address = "127.0.0.1:8747".parse().unwrap();
        let names = HostNames::new(&[address], &["magpie.example".to_owned(), "box:99".to_owned()]);
        for own in [
            "127.0.0.1:8747",
            "localhost:8747",
            "LOCALHOST:8747",
            "[::1]:8747",
            "magpie.example",
            "magpie.example:8747",
            "box:99",
        ] {
            assert!(names.contain(own), "{own}");
        }
        for strange in [
            "",
            "localhost",
            "localhost:8748",
            "127.0.0.1.evil.example:8747",
            "evil.example:8747",
            "127.0.0.1:8747.evil.example",
            "evil@127.0.0.1:8747",
            "127.0.0.1:8747@evil.example",
            "localhost.:8747",
            "box",
            "box:8747",
            "127.0.0.1:",
            "0177.0.0.1:8747",
            "localhost:8747/x",
            "localhost:+8747",
            "localhost:8747 ",
            "[::1",
            "[::1]8747",
            "[127.0.0.1]:8747",
            "localhost\0:8747",
        ] {
            assert!(!names.contain(strange), "{strange}");
        }
    }
}
