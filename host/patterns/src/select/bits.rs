//! Sets of small numbers.

/// A bit for each number: all of three million stay in the processor's cache.
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// A set of none of so many.
    pub(super) fn new(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)])
    }

    pub(super) fn has(&self, number: u32) -> bool {
        self.0[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// Adds a number. Whether it was not there.
    pub(super) fn add(&mut self, number: u32) -> bool {
        let (bits, bit) = (&mut self.0[number as usize / 64], 1 << (number % 64));
        let is_new = *bits & bit == 0;
        *bits |= bit;
        is_new
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }
}
