//! The addresses that may be connected to.
//!
//! A page may name any host, and any name may resolve to any address: to the crawler's own machine,
//! to a printer, to the metadata service of a cloud machine. So the address is judged, not the
//! name, right before each connection and on every hop.

mod cidr;
mod ranges;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};

pub use cidr::{AddressRange, BadRange};
pub use ranges::NamedRange;

use ranges::{embedded_v4, named_range};

/// Addresses that may be connected to: those of the public internet, and those that were allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressPolicy {
    allowed: Vec<AddressRange>,
}

/// An address that is refused, and what would allow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub address: IpAddr,
    /// The IPv4 address that it leads to, if that is the reason.
    pub embedded: Option<Ipv4Addr>,
    pub range: NamedRange,
}

impl AddressPolicy {
    /// Returns a policy that allows the public internet and these ranges.
    pub fn allowing(allowed: impl IntoIterator<Item = AddressRange>) -> AddressPolicy {
        AddressPolicy {
            allowed: allowed.into_iter().collect(),
        }
    }

    /// Returns an error if an address may not be connected to.
    pub fn judge(&self, address: IpAddr) -> Result<(), Refusal> {
        if self.allows(address) {
            return Ok(());
        }
        if let IpAddr::V6(outer) = address {
            let mut inner = embedded_v4(outer).peekable();
            if inner.peek().is_some() {
                // The embedded addresses decide alone, since packets end there. The outer one is in
                // a range of translations or tunnels, or below any public prefix.
                return inner.try_for_each(|inner| self.judge_embedded(address, inner));
            }
        }
        match named_range(address) {
            Some(range) => Err(Refusal {
                address,
                embedded: None,
                range,
            }),
            None => Ok(()),
        }
    }

    fn judge_embedded(&self, address: IpAddr, inner: Ipv4Addr) -> Result<(), Refusal> {
        match named_range(IpAddr::V4(inner)) {
            Some(range) if !self.allows(IpAddr::V4(inner)) => Err(Refusal {
                address,
                embedded: Some(inner),
                range,
            }),
            _ => Ok(()),
        }
    }

    fn allows(&self, address: IpAddr) -> bool {
        self.allowed.iter().any(|range| range.contains(address))
    }
}

impl Refusal {
    /// Returns the option that allows it.
    pub fn hint(&self) -> String {
        format!("--set network.allow_addresses={}", self.range.range)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.address)?;
        if let Some(inner) = self.embedded {
            write!(formatter, ", which leads to {inner},")?;
        }
        write!(
            formatter,
            " is in {} ({}), outside the public internet; {} would allow it",
            self.range.range,
            self.range.name,
            self.hint()
        )
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests;
