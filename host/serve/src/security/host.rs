//! The names by which a server may be asked.

use std::net::SocketAddr;

use axum::http::uri::Authority;

/// A name with the port that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    host: String,
    port: u16,
}

/// The names of a server.
#[derive(Clone, Debug)]
pub(crate) struct Names(Vec<Name>);

/// The port that browsers leave out.
const USUAL_PORT: u16 = 80;

impl Names {
    /// The names of a server at these addresses: the addresses themselves, `localhost` where it is
    /// one of them, and further ones with or without a port.
    pub(crate) fn new(addresses: &[SocketAddr], further: &[String]) -> Names {
        let mut names = Vec::new();
        for address in addresses {
            let (ip, port) = (address.ip(), address.port());
            let own = match ip {
                std::net::IpAddr::V4(ip) => ip.to_string(),
                std::net::IpAddr::V6(ip) => format!("[{ip}]"),
            };
            names.push(Name { host: own, port });
            if ip.is_loopback() || ip.is_unspecified() {
                for host in ["localhost", "127.0.0.1", "[::1]"] {
                    let host = host.to_owned();
                    names.push(Name { host, port });
                }
            }
            for text in further {
                match parse(text) {
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
        Names(names)
    }

    /// Returns `true` if a `Host` field names this server. The name must be equal, not begin with
    /// or contain one of ours.
    pub(crate) fn contain(&self, field: &str) -> bool {
        let Some((host, port)) = parse(field) else {
            return false;
        };
        let asked = Name {
            host,
            port: port.unwrap_or(USUAL_PORT),
        };
        self.0.contains(&asked)
    }
}

/// Splits a name and its port.
fn parse(text: &str) -> Option<(String, Option<u16>)> {
    if text.contains('@') {
        return None;
    }
    let authority: Authority = text.parse().ok()?;
    let port = match authority.port() {
        Some(port) => Some(port.as_str().parse().ok()?),
        None if text.ends_with(':') => return None,
        None => None,
    };
    Some((authority.host().to_ascii_lowercase(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_names_are_ours() {
        let address = "127.0.0.1:8747".parse().unwrap();
        let names = Names::new(&[address], &["magpie.example".to_owned(), "box:99".to_owned()]);
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
        ] {
            assert!(!names.contain(strange), "{strange}");
        }
    }
}
