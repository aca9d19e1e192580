//! Random numbers that follow from a seed.

use serde::{Deserialize, Serialize};

/// A small generator (splitmix64), the same on every machine and in every version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Returns a number below a limit; 0 if the limit is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.number()) * limit as u128) >> 64) as usize
    }

    /// Draws distinct numbers below a limit, in random order.
    pub(crate) fn sample(&mut self, count: usize, limit: usize) -> Vec<u32> {
        let count = count.min(limit);
        let mut numbers: Vec<u32> = (0..limit as u32).collect();
        for place in 0..count {
            let other = place + self.below(limit - place);
            numbers.swap(place, other);
        }
        numbers.truncate(count);
        numbers
    }
}

/// Spreads the bits of a number (the finaliser of splitmix64).
pub(crate) fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
