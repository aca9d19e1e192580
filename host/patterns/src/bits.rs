//! Sets of small integers.

/// A bit set. Three million bits fit the processor's cache.
pub(crate) struct BitSet(Vec<u64>);

impl BitSet {
    /// Creates an empty set for numbers below `count`.
    pub(crate) fn new(count: usize) -> BitSet {
        BitSet(vec![0; count.div_ceil(64)])
    }

    pub(crate) fn has(&self, number: u32) -> bool {
        self.0[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// Adds a number. Returns true if it is new.
    pub(crate) fn add(&mut self, number: u32) -> bool {
        let (bits, bit) = (&mut self.0[number as usize / 64], 1 << (number % 64));
        let is_new = *bits & bit == 0;
        *bits |= bit;
        is_new
    }

    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }
}
