//! Ranges of addresses.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// All addresses that begin with the same bits, written `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AddressRange {
    first: IpAddr,
    bits: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRange {
    /// No address.
    #[error("invalid address range {text:?}: expected an address, or a range such as 10.0.0.0/8 or fd00::/8")]
    Unreadable { text: String },
    /// The address has bits beyond those that count. It is likely a slip.
    #[error("`{text}` is one address inside the range {range}; write {range} for the whole range")]
    BitsBeyond { text: String, range: AddressRange },
}

impl AddressRange {
    pub(super) const fn v4(octets: [u8; 4], bits: u8) -> AddressRange {
        let [a, b, c, d] = octets;
        AddressRange {
            first: IpAddr::V4(Ipv4Addr::new(a, b, c, d)),
            bits,
        }
    }

    pub(super) const fn v6(segments: [u16; 8], bits: u8) -> AddressRange {
        let [a, b, c, d, e, f, g, h] = segments;
        AddressRange {
            first: IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, h)),
            bits,
        }
    }

    /// Returns true if an address is in the range. IPv4 and IPv6 addresses are never in each
    /// other's ranges, except that an IPv4 address written as IPv6 (`::ffff:10.0.0.1`) counts as
    /// the IPv4 address.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(first), IpAddr::V4(address)) => self.contains_v4(first, address),
            (IpAddr::V6(first), IpAddr::V6(address)) => masked_v6(address, self.bits) == first.to_bits(),
            (IpAddr::V4(first), IpAddr::V6(address)) => address
                .to_ipv4_mapped()
                .is_some_and(|address| self.contains_v4(first, address)),
            (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }

    fn contains_v4(&self, first: Ipv4Addr, address: Ipv4Addr) -> bool {
        masked_v4(address, self.bits) == first.to_bits()
    }
}

fn masked_v4(address: Ipv4Addr, bits: u8) -> u32 {
    address.to_bits() & u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0)
}

fn masked_v6(address: Ipv6Addr, bits: u8) -> u128 {
    address.to_bits() & u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0)
}

impl FromStr for AddressRange {
    type Err = BadRange;

    fn from_str(text: &str) -> Result<AddressRange, BadRange> {
        let unreadable = || BadRange::Unreadable {
            text: text.to_owned(),
        };
        let (address, bits) = match text.trim().split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| unreadable())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            Some(bits) if bits.bytes().all(|byte| byte.is_ascii_digit()) => {
                bits.parse().map_err(|_| unreadable())?
            }
            Some(_) => return Err(unreadable()),
            None => most,
        };
        if bits > most {
            return Err(unreadable());
        }
        let first = match address {
            IpAddr::V4(address) => IpAddr::V4(Ipv4Addr::from_bits(masked_v4(address, bits))),
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(masked_v6(address, bits))),
        };
        let range = AddressRange { first, bits };
        if first != address {
            return Err(BadRange::BitsBeyond {
                text: text.trim().to_owned(),
                range,
            });
        }
        Ok(range)
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.first, self.bits)
    }
}
