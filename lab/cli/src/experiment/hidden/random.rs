//! Random choices that follow from a seed.

/// A small generator (splitmix64), the same on every machine.
pub(in crate::experiment) struct Random(u64);

impl Random {
    pub(in crate::experiment) fn new(seed: u64, purpose: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ purpose)
    }

    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number in the open interval (0, 1).
    pub(in crate::experiment) fn share(&mut self) -> f64 {
        ((self.number() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Returns a number below a limit; 0 if the limit is 0.
    pub(in crate::experiment) fn below(&mut self, limit: usize) -> usize {
        (self.share() * limit as f64) as usize
    }

    /// Returns one element.
    pub(in crate::experiment) fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }
}
