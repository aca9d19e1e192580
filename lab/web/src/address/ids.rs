//! Identifiers of objects in URLs. Every scheme can be parsed back without a table.

use crate::random::Key;

/// Size in bits of the numbers that schemes permute.
const BITS: u32 = 40;
const MASK: u64 = (1 << BITS) - 1;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IdScheme {
    /// Consecutive numbers with a start and a step.
    Serial { start: u64, step: u64 },
    /// Numbers in no visible order.
    Scattered(Scramble),
    /// A prefix and eight digits in base 36: `K4…`
    Code { scramble: Scramble, prefix: [u8; 2] },
    /// `1f0c…` with four hyphens.
    Uuid(Scramble),
    /// Twelve hexadecimal digits.
    Hash(Scramble),
}

/// A permutation of 40-bit numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scramble {
    factor: u64,
    inverse: u64,
    offset: u64,
}

impl Scramble {
    fn new(key: Key) -> Self {
        let factor = (key.of("factor", 0).bits() & MASK) | 1;
        // Each step of Newton's iteration doubles the number of correct bits.
        let inverse = (0..6).fold(factor, |x, _| {
            x.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(x)))
        }) & MASK;
        Self {
            factor,
            inverse,
            offset: key.of("offset", 0).bits() & MASK,
        }
    }

    fn mix(&self, number: u64) -> u64 {
        let mixed = number.wrapping_mul(self.factor).wrapping_add(self.offset) & MASK;
        mixed ^ (mixed >> (BITS / 2))
    }

    fn unmix(&self, mixed: u64) -> u64 {
        let mixed = mixed ^ (mixed >> (BITS / 2));
        mixed.wrapping_sub(self.offset).wrapping_mul(self.inverse) & MASK
    }
}

impl IdScheme {
    pub(crate) fn new(key: Key) -> Self {
        let scramble = Scramble::new(key.of("scramble", 0));
        match key
            .of("kind", 0)
            .weighted(&[(45, 0), (15, 1), (14, 2), (12, 3), (14, 4)])
        {
            0 => Self::Serial {
                start: [1, 100, 1_000, 20_000, 300_000][key.of("start", 0).below(5) as usize],
                step: key.of("step", 0).weighted(&[(7, 1), (1, 3), (1, 10), (1, 7)]),
            },
            1 => Self::Scattered(scramble),
            2 => {
                let letter = |id| b'A' + key.of("letter", id).below(26) as u8;
                Self::Code {
                    scramble,
                    prefix: [letter(0), b'0' + key.of("digit", 0).below(10) as u8],
                }
            }
            3 => Self::Uuid(scramble),
            _ => Self::Hash(scramble),
        }
    }

    pub(crate) fn push(&self, out: &mut String, number: u64) {
        match self {
            Self::Serial { start, step } => push_decimal(out, start + number * step),
            Self::Scattered(scramble) => push_decimal(out, scramble.mix(number)),
            Self::Code { scramble, prefix } => {
                out.extend(prefix.iter().map(|byte| *byte as char));
                let mut rest = scramble.mix(number);
                let mut digits = [b'0'; 8];
                for digit in digits.iter_mut().rev() {
                    *digit = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(rest % 36) as usize];
                    rest /= 36;
                }
                out.extend(digits.iter().map(|byte| *byte as char));
            }
            Self::Uuid(scramble) => push_uuid(out, scramble.mix(number)),
            Self::Hash(scramble) => {
                let mixed = scramble.mix(number);
                push_hex(out, mixed, 10);
                push_hex(out, crate::random::scramble(mixed), 2);
            }
        }
    }

    pub(crate) fn read(&self, id: &str) -> Option<u64> {
        let number = match self {
            Self::Serial { start, step } => {
                let distance = id.parse::<u64>().ok()?.checked_sub(*start)?;
                (distance % step == 0).then_some(distance / step)?
            }
            Self::Scattered(scramble) => scramble.unmix(id.parse().ok()?),
            Self::Code { scramble, .. } => scramble.unmix(u64::from_str_radix(id.get(2..)?, 36).ok()? & MASK),
            Self::Uuid(scramble) => {
                scramble.unmix(u64::from_str_radix(&id.get(..13)?.replace('-', ""), 16).ok()? >> 8)
            }
            Self::Hash(scramble) => scramble.unmix(u64::from_str_radix(id.get(..10)?, 16).ok()?),
        };
        // Only ids that are written the same way belong to the scheme.
        let mut again = String::with_capacity(36);
        self.push(&mut again, number & 0xFFFF_FFFF);
        again.eq_ignore_ascii_case(id).then_some(number)
    }
}

fn push_decimal(out: &mut String, number: u64) {
    let mut digits = [0u8; 20];
    let (mut index, mut rest) = (20, number);
    loop {
        index -= 1;
        digits[index] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend(digits[index..].iter().map(|digit| *digit as char));
}

fn push_hex(out: &mut String, number: u64, digits: u32) {
    for index in (0..digits).rev() {
        out.push(b"0123456789abcdef"[((number >> (4 * index)) & 15) as usize] as char);
    }
}

fn push_uuid(out: &mut String, mixed: u64) {
    let rest = crate::random::scramble(mixed);
    push_hex(out, mixed >> 8, 8);
    out.push('-');
    push_hex(out, ((mixed & 0xFF) << 8) | (rest & 0xFF), 4);
    out.push_str("-4");
    push_hex(out, rest >> 8, 3);
    out.push_str("-a");
    push_hex(out, rest >> 20, 3);
    out.push('-');
    push_hex(out, crate::random::scramble(rest), 12);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_parse_only_their_own_ids() {
        for seed in 0..60 {
            let scheme = IdScheme::new(Key::root(seed));
            let mut seen = std::collections::BTreeSet::new();
            for number in (0..500).chain([70_000, 4_000_000]) {
                let mut id = String::new();
                scheme.push(&mut id, number);
                assert_eq!(scheme.read(&id), Some(number), "{scheme:?} {id}");
                assert_eq!(scheme.read(&id.to_ascii_uppercase()), Some(number));
                assert!(seen.insert(id));
            }
            for wrong in ["", "-", "zzz", "ä-1", "18446744073709551616", "00000000-"] {
                assert_eq!(scheme.read(wrong), None, "{scheme:?}");
            }
        }
    }
}
