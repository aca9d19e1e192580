//! The numbers and facets of an object in few bytes.
//!
//! The layout: the bytes of a bit set of the attributes that have a value, after their number; the
//! number of facet values, each an attribute and a value; numbers to the end. Integers are varints.

use magpie_values::money::Currency;

/// A number of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedNumber {
    /// The number of the attribute within the vertical.
    pub attribute: u64,
    pub low: f64,
    pub high: f64,
    pub currency: Option<Currency>,
}

/// Flags of a number.
const IS_RANGE: u8 = 1;
const HAS_CURRENCY: u8 = 2;

pub(crate) fn pack(present: &[u64], facets: &[(u64, u64)], numbers: &[PackedNumber]) -> Vec<u8> {
    let mut bits: Vec<u8> = Vec::new();
    for attribute in present {
        let at = (attribute / 8) as usize;
        if bits.len() <= at {
            bits.resize(at + 1, 0);
        }
        bits[at] |= 1 << (attribute % 8);
    }
    let mut packed = Vec::with_capacity(bits.len() + 4 * facets.len() + 12 * numbers.len() + 2);
    put(&mut packed, bits.len() as u64);
    packed.extend(bits);
    put(&mut packed, facets.len() as u64);
    for (attribute, value) in facets {
        put(&mut packed, *attribute);
        put(&mut packed, *value);
    }
    for number in numbers {
        put(&mut packed, number.attribute);
        // The upper end is left out if it repeats the lower one.
        let is_range = number.high > number.low;
        let flags = (u8::from(is_range) * IS_RANGE) | (u8::from(number.currency.is_some()) * HAS_CURRENCY);
        packed.push(flags);
        packed.extend(number.low.to_le_bytes());
        if is_range {
            packed.extend(number.high.to_le_bytes());
        }
        if let Some(currency) = number.currency {
            packed.extend(currency.code().as_bytes());
        }
    }
    packed
}

/// The packed values of an object. Damaged bytes read as if they ended before.
#[derive(Clone, Copy, Debug)]
pub struct Packed<'a>(pub &'a [u8]);

impl<'a> Packed<'a> {
    /// Returns true if an attribute has a value.
    pub(crate) fn has(self, attribute: u64) -> bool {
        let (bits, _) = self.parts();
        let byte = bits.get((attribute / 8) as usize);
        byte.is_some_and(|byte| byte & (1 << (attribute % 8)) != 0)
    }

    /// Passes each facet value: the attribute and the value.
    pub(crate) fn facets(self, mut each: impl FnMut(u64, u64)) {
        let (_, mut rest) = self.parts();
        // A damaged count may be of any size, so the walk ends with the bytes.
        for _ in 0..take(&mut rest).unwrap_or(0) {
            let (Some(attribute), Some(value)) = (take(&mut rest), take(&mut rest)) else {
                return;
            };
            each(attribute, value);
        }
    }

    pub fn numbers(self) -> impl Iterator<Item = PackedNumber> + 'a {
        let (_, mut rest) = self.parts();
        for _ in 0..2 * take(&mut rest).unwrap_or(0) {
            if take(&mut rest).is_none() {
                break;
            }
        }
        std::iter::from_fn(move || number(&mut rest))
    }

    /// Returns the bit set and the bytes after it.
    fn parts(self) -> (&'a [u8], &'a [u8]) {
        let mut rest = self.0;
        let length = take(&mut rest).unwrap_or(0);
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(rest.len());
        rest.split_at(length)
    }
}

fn number(rest: &mut &[u8]) -> Option<PackedNumber> {
    let attribute = take(rest)?;
    let [flags] = array(rest)?;
    let low = f64::from_le_bytes(array(rest)?);
    let high = match flags & IS_RANGE {
        0 => low,
        _ => f64::from_le_bytes(array(rest)?),
    };
    let currency = match flags & HAS_CURRENCY {
        0 => None,
        _ => {
            let code: [u8; 3] = array(rest)?;
            str::from_utf8(&code).ok().and_then(Currency::from_code)
        }
    };
    Some(PackedNumber {
        attribute,
        low,
        high,
        currency,
    })
}

fn array<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk::<N>()?;
    *rest = tail;
    Some(*head)
}

fn put(packed: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        packed.push(value as u8 | 0x80);
        value >>= 7;
    }
    packed.push(value as u8);
}

fn take(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    // Damaged bytes must end a number, too: ten bytes hold any 64 bits.
    for shift in (0..64).step_by(7) {
        let (byte, tail) = rest.split_first()?;
        *rest = tail;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_were_packed() {
        let number = |attribute, low, high, currency: Option<&str>| PackedNumber {
            attribute,
            low,
            high,
            currency: currency.and_then(Currency::from_code),
        };
        let numbers = [
            number(3, 12.5, 20.0, Some("EUR")),
            number(200, -1.0, -1.0, None),
            number(3, 7.0, 7.0, Some("USD")),
        ];
        let facets = [(1, 1), (1, 300), (199, u64::MAX)];
        let bytes = pack(&[0, 3, 200], &facets, &numbers);
        let packed = Packed(&bytes);
        let present: Vec<u64> = (0..300).filter(|attribute| packed.has(*attribute)).collect();
        assert_eq!(present, [0, 3, 200]);
        let mut found = Vec::new();
        packed.facets(|attribute, value| found.push((attribute, value)));
        assert_eq!(found, facets);
        assert_eq!(packed.numbers().collect::<Vec<_>>(), numbers);
        // Damaged rows read as far as they can be read.
        for end in 0..bytes.len() {
            let packed = Packed(&bytes[..end]);
            packed.facets(|_, _| ());
            assert!(packed.numbers().count() < numbers.len() && !packed.has(299));
        }
    }
}
