//! Random numbers that follow from a seed, the same on every machine.

/// Increment of a Weyl sequence: 2^64 divided by the golden ratio; odd.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A small generator (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    /// Starts a sequence of its own for each seed and purpose.
    pub(crate) fn new(seed: u64, purpose: u64) -> Random {
        Random(seed.wrapping_mul(GOLDEN) ^ purpose)
    }

    fn bits(&mut self) -> u64 {
        let mixed = mix(self.0);
        self.0 = self.0.wrapping_add(GOLDEN);
        mixed
    }

    /// Returns a number in the open interval (0, 1).
    pub(crate) fn share(&mut self) -> f64 {
        share(self.bits())
    }

    /// Returns a number below a limit; 0 if the limit is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.share() * limit as f64) as usize
    }

    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }

    /// Returns a number of the normal distribution with mean 0 and deviation 1.
    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.share().ln()).sqrt() * (std::f64::consts::TAU * self.share()).cos()
    }
}

/// Mixes the bits of a number (the step of SplitMix64).
pub(crate) fn mix(number: u64) -> u64 {
    let bits = number.wrapping_add(GOLDEN);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Mixes a number into a hash.
pub(crate) fn fold(hash: u64, number: u64) -> u64 {
    mix(hash ^ number)
}

/// Mixes a text into a hash. Includes the length, so that consecutive texts cannot be confused.
pub(crate) fn fold_text(hash: u64, text: &str) -> u64 {
    let folded = text.as_bytes().chunks(8).fold(hash, |hash, chunk| {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        fold(hash, u64::from_le_bytes(bytes))
    });
    fold(folded, text.len() as u64)
}

/// Converts a hash to a number in the open interval (0, 1).
pub(crate) fn share(hash: u64) -> f64 {
    ((hash >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::{fold, fold_text, share};

    #[test]
    fn shares_are_uniform() {
        let mut tenths = [0_u32; 10];
        for number in 0..100_000 {
            tenths[(share(fold(5, number)) * 10.0) as usize] += 1;
        }
        // Expected: 10,000 each, with a standard deviation of about 95.
        assert!(
            tenths.iter().all(|count| (9_500..10_500).contains(count)),
            "{tenths:?}"
        );
    }

    #[test]
    fn consecutive_texts_are_distinguished() {
        let both = |one, other| fold_text(fold_text(0, one), other);
        assert_ne!(both("ab", "c"), both("a", "bc"));
        assert_ne!(fold_text(0, ""), fold_text(0, "\0"));
    }
}
