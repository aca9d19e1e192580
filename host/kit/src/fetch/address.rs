//! Which addresses lie in somebody's own network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is not one of the public internet: this machine, the local network, or reserved for neither.
pub(super) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let carrier = first == 100 && second & 0xc0 == 64;
    let protocol_assignments = (first, second, third) == (192, 0, 0);
    let benchmarks = first == 198 && second & 0xfe == 18;
    first == 0
        || first >= 224
        || carrier
        || protocol_assignments
        || benchmarks
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = embedded_v4(address) {
        return is_private_v4(inner);
    }
    // All public addresses are in 2000::/3, which leaves out loopback, local and multicast ones.
    let segments = address.segments();
    let documentation = segments[0] == 0x2001 && segments[1] == 0xdb8;
    segments[0] & 0xe000 != 0x2000 || documentation
}

/// The IPv4 address that an IPv6 address leads to: mapped, translated (NAT64) or tunnelled (6to4).
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let join = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(join(high, low)),
        [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(addresses: &[&str], private: bool) {
        for address in addresses {
            assert_eq!(is_private(address.parse().unwrap()), private, "{address}");
        }
    }

    #[test]
    fn local_addresses_are_private() {
        check(
            &[
                "127.0.0.1",
                "10.1.2.3",
                "172.31.0.1",
                "192.168.0.1",
                "169.254.169.254",
                "0.0.0.0",
            ],
            true,
        );
        check(
            &[
                "100.64.0.1",
                "192.0.0.8",
                "198.19.0.1",
                "224.0.0.1",
                "255.255.255.255",
                "203.0.113.1",
            ],
            true,
        );
        check(
            &["::1", "::", "fe80::1", "fd00::1", "ff02::1", "2001:db8::1"],
            true,
        );
    }

    #[test]
    fn addresses_inside_addresses_are_judged() {
        check(&["::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"], true);
        check(&["::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::"], false);
    }

    #[test]
    fn others_are_public() {
        check(
            &[
                "8.8.8.8",
                "100.128.0.1",
                "172.32.0.1",
                "198.20.0.1",
                "2606:4700::1111",
            ],
            false,
        );
    }
}
