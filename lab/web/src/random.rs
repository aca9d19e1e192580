//! Stateless randomness: every decision is a pure function of the seed, its purpose and the ids it
//! concerns.
//!
//! Each page can therefore be computed alone, in any order, on any machine. With a stateful
//! generator every page would depend on all pages made before it. The code uses only integers and
//! the four basic operations on floats, which IEEE 754 defines to the bit. The logarithm of the
//! system may differ between machines, so this module has its own.

/// Increment of a Weyl sequence: 2^64 divided by the golden ratio; odd.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Mixes 64 bits so that every input bit affects every output bit (the finaliser of splitmix64).
#[inline]
pub(crate) const fn scramble(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Key of one decision: seed, purpose and ids hashed to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(u64);

impl Key {
    /// Returns the root of all decisions under a seed.
    pub(crate) const fn root(seed: u64) -> Self {
        Self(scramble(seed ^ GOLDEN))
    }

    #[inline]
    pub(crate) const fn of(self, purpose: &str, id: u64) -> Self {
        let bytes = purpose.as_bytes();
        let mut hash = self.0;
        let mut index = 0;
        while index < bytes.len() {
            hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0000_0100_0000_01B3);
            index += 1;
        }
        Self(scramble(scramble(hash).wrapping_add(id.wrapping_mul(GOLDEN))))
    }

    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// Returns an integer below `limit`, which must not be 0.
    #[inline]
    pub(crate) const fn below(self, limit: u64) -> u64 {
        ((self.0 as u128 * limit as u128) >> 64) as u64
    }

    /// Returns true with a probability of `share` in 1,000.
    #[inline]
    pub(crate) const fn per_mille(self, share: u64) -> bool {
        self.below(1000) < share
    }

    #[inline]
    pub(crate) fn likely(self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns a number in the interval [0, 1).
    #[inline]
    pub(crate) fn unit(self) -> f64 {
        // 53 bits fit a double exactly.
        (self.0 >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Picks one of the choices uniformly.
    #[inline]
    pub(crate) fn pick<T: Copy>(self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// Picks one of the choices with a probability proportional to its weight.
    pub(crate) fn weighted<T: Copy>(self, choices: &[(u32, T)]) -> T {
        let total: u64 = choices.iter().map(|(weight, _)| u64::from(*weight)).sum();
        let mut left = self.below(total.max(1));
        for (weight, choice) in choices {
            if left < u64::from(*weight) {
                return *choice;
            }
            left -= u64::from(*weight);
        }
        choices[choices.len() - 1].1
    }

    /// Starts a sequence of decisions under this key.
    pub(crate) const fn sequence(self) -> RandomSequence {
        RandomSequence { state: self.0 }
    }
}

/// A short sequence of decisions that belong together, such as the characters of a word.
#[derive(Clone, Debug)]
pub(crate) struct RandomSequence {
    state: u64,
}

impl RandomSequence {
    #[inline]
    pub(crate) fn next(&mut self) -> Key {
        self.state = self.state.wrapping_add(GOLDEN);
        Key(scramble(self.state))
    }

    /// Draws an integer below `limit`.
    #[inline]
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next().below(limit)
    }

    /// Draws an integer from `low` to `high`, both included.
    #[inline]
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// Returns true with a probability of `share` in 1,000.
    #[inline]
    pub(crate) fn per_mille(&mut self, share: u64) -> bool {
        self.next().per_mille(share)
    }

    /// Picks one of the choices uniformly.
    #[inline]
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        self.next().pick(choices)
    }
}

/// Returns the natural logarithm of a positive number, from its binary exponent and a series.
pub(crate) fn ln(x: f64) -> f64 {
    use std::f64::consts::LN_2;
    let (mut mantissa, mut exponent) = (x.max(f64::MIN_POSITIVE), 0);
    while mantissa > 1.5 {
        mantissa *= 0.5;
        exponent += 1;
    }
    while mantissa < 0.75 {
        mantissa *= 2.0;
        exponent -= 1;
    }
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    let (mut power, mut sum) = (ratio, 0.0);
    for step in 0..16 {
        sum += power / f64::from(2 * step + 1);
        power *= square;
    }
    2.0 * sum + f64::from(exponent) * LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ln_agrees_with_the_system_to_ten_digits() {
        for x in [0.01, 0.5, 1.0, 3.0, 1e6] {
            assert!((ln(x) - x.ln()).abs() < 1e-10, "{x}");
        }
    }

    #[test]
    fn below_is_uniform() {
        let mut counts = [0u32; 7];
        for id in 0..70_000 {
            counts[Key::root(3).of("even", id).below(7) as usize] += 1;
        }
        // Expected: 10,000 each, with a standard deviation of about 93.
        assert!(
            counts.iter().all(|count| (9_600..10_400).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn purposes_and_ids_give_different_keys() {
        let root = Key::root(1);
        assert_ne!(root.of("a", 1), root.of("b", 1));
        assert_ne!(root.of("a", 1), root.of("a", 2));
        assert_ne!(root.of("a", 1), Key::root(2).of("a", 1));
    }
}
