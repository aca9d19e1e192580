//! Ranges outside the public internet: IANA's special-purpose registries (RFC 6890 and its
//! successors) and the metadata addresses of clouds.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::AddressRange;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedRange {
    pub range: AddressRange,
    pub name: &'static str,
}

const fn v4(octets: [u8; 4], bits: u8, name: &'static str) -> NamedRange {
    NamedRange {
        range: AddressRange::v4(octets, bits),
        name,
    }
}

const fn v6(segments: [u16; 8], bits: u8, name: &'static str) -> NamedRange {
    NamedRange {
        range: AddressRange::v6(segments, bits),
        name,
    }
}

const METADATA: &str = "a cloud's metadata service";
const DOCUMENTATION: &str = "examples in documents";

/// The first that contains an address names it, so the narrow ones come first.
pub(super) const RANGES: &[NamedRange] = &[
    // Amazon, Google, Microsoft and most others; containers at Amazon; Alibaba; Oracle; the second
    // one of Microsoft, which is among public addresses.
    v4([169, 254, 169, 254], 32, METADATA),
    v4([169, 254, 170, 2], 32, METADATA),
    v4([100, 100, 100, 200], 32, METADATA),
    v4([192, 0, 0, 192], 32, METADATA),
    v4([168, 63, 129, 16], 32, METADATA),
    v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128, METADATA),
    v4([0, 0, 0, 0], 8, "no particular host; this machine"),
    v4([10, 0, 0, 0], 8, "private networks"),
    v4(
        [100, 64, 0, 0],
        10,
        "networks behind a carrier's address translation",
    ),
    v4([127, 0, 0, 0], 8, "loopback: this machine"),
    v4([169, 254, 0, 0], 16, "link-local: this network"),
    v4([172, 16, 0, 0], 12, "private networks"),
    v4([192, 0, 0, 0], 24, "protocol assignments"),
    v4([192, 0, 2, 0], 24, DOCUMENTATION),
    v4([192, 88, 99, 0], 24, "relays of IPv6 over IPv4"),
    v4([192, 168, 0, 0], 16, "private networks"),
    v4([198, 18, 0, 0], 15, "benchmarks of networks"),
    v4([198, 51, 100, 0], 24, DOCUMENTATION),
    v4([203, 0, 113, 0], 24, DOCUMENTATION),
    v4([224, 0, 0, 0], 4, "multicast"),
    v4([255, 255, 255, 255], 32, "broadcast"),
    v4([240, 0, 0, 0], 4, "reserved"),
    v6([0, 0, 0, 0, 0, 0, 0, 0], 128, "no particular host; this machine"),
    v6([0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback: this machine"),
    v6(
        [0x64, 0xff9b, 1, 0, 0, 0, 0, 0],
        48,
        "a network's own translation to IPv4",
    ),
    v6(
        [0x100, 0, 0, 0, 0, 0, 0, 0],
        64,
        "addresses that discard everything",
    ),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, DOCUMENTATION),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, DOCUMENTATION),
    // Benchmarks, cryptographic identifiers and the like. Teredo, which is in this range, is
    // handled before.
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "protocol assignments"),
    v6(
        [0xfc00, 0, 0, 0, 0, 0, 0, 0],
        7,
        "private networks (unique local addresses)",
    ),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, "link-local: this network"),
    v6(
        [0xfec0, 0, 0, 0, 0, 0, 0, 0],
        10,
        "private networks (site-local addresses)",
    ),
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast"),
    // All public addresses are in 2000::/3. These are the parts around it, each as one range that
    // can be allowed.
    v6([0x0000, 0, 0, 0, 0, 0, 0, 0], 3, "reserved"),
    v6([0x4000, 0, 0, 0, 0, 0, 0, 0], 2, "reserved"),
    v6([0x8000, 0, 0, 0, 0, 0, 0, 0], 1, "reserved"),
];

/// The first range that contains an address.
pub(super) fn named_range(address: IpAddr) -> Option<NamedRange> {
    RANGES.iter().find(|named| named.range.contains(address)).copied()
}

/// Returns the IPv4 addresses embedded in an IPv6 address: mapped, translated (NAT64), tunnelled
/// (6to4, Teredo, ISATAP), or in the old "compatible" form.
pub(super) fn embedded_v4(address: Ipv6Addr) -> impl Iterator<Item = Ipv4Addr> {
    let join = |high: u16, low: u16| Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)));
    let found = match address.segments() {
        // Unspecified and loopback have names of their own.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => [None, None],
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => [join(high, low), None],
        [0x2002, high, low, ..] => [join(high, low), None],
        // RFC 4380, 4: the server, flags and port, and the client's address with its bits turned.
        [0x2001, 0, server_high, server_low, _, _, high, low] => {
            [join(!high, !low), join(server_high, server_low)]
        }
        // RFC 5214, 6.1, below any public prefix.
        [0x2000..0x4000, _, _, _, 0 | 0x200, 0x5efe, high, low] => [join(high, low), None],
        _ => [None, None],
    };
    found.into_iter().flatten()
}
