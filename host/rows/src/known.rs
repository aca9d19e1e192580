//! The exact set of the fingerprints a site knows.

use std::hash::{BuildHasher, RandomState};

/// A set of 64-bit fingerprints in one table of 8-byte slots: 9 to 14 bytes per fingerprint. A
/// lookup of the 50 links of a page takes about a microsecond.
///
/// A hash table of the standard library takes a byte more per slot and doubles; here the table
/// grows by half, since a million URLs must not cost 32 MB for a moment. A Bloom filter would be
/// smaller and would silently lose pages.
#[derive(Clone, Debug)]
pub struct KnownSet {
    /// Fingerprints, mixed; zero is a free slot. Probing goes upwards and around.
    slots: Vec<u64>,
    len: usize,
    /// Zero can't lie in a slot.
    has_zero: bool,
    /// Makes slots unpredictable to sites: chosen fingerprints with equal upper bits would make
    /// every lookup walk past all of them.
    key: u64,
}

/// Slots of the smallest table.
const SMALLEST: usize = 16;

/// The table is at most seven eighths full: an unsuccessful lookup then passes about 30 slots at
/// worst and 5 on average, all in a few cache lines.
const FULL_NUMERATOR: usize = 7;

const FULL_DENOMINATOR: usize = 8;

impl Default for KnownSet {
    fn default() -> Self {
        KnownSet::new()
    }
}

impl KnownSet {
    /// An empty set, which takes no memory of its own.
    pub fn new() -> KnownSet {
        KnownSet {
            slots: Vec::new(),
            len: 0,
            has_zero: false,
            key: RandomState::new().hash_one(0u64) | 1,
        }
    }

    /// Returns an empty set with room for `count` fingerprints.
    pub fn with_capacity(count: usize) -> KnownSet {
        let mut set = KnownSet::new();
        if count > 0 {
            set.resize(slots_for(count));
        }
        set
    }

    pub fn len(&self) -> usize {
        self.len + usize::from(self.has_zero)
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if a fingerprint is in the set.
    pub fn contains(&self, fingerprint: u64) -> bool {
        let mixed = self.mix(fingerprint);
        if mixed == 0 {
            return self.has_zero;
        }
        !self.slots.is_empty() && self.slots[self.slot(mixed)] == mixed
    }

    /// The positions of the fingerprints that are not in the set.
    pub fn unknown(&self, fingerprints: &[u64]) -> Vec<usize> {
        if self.slots.is_empty() {
            return (0..fingerprints.len())
                .filter(|position| !self.contains(fingerprints[*position]))
                .collect();
        }
        // The slots of all are read before any is decided on: a large table is in slow memory,
        // which serves several reads at once if they are independent.
        let mixed = fingerprints.iter().map(|fingerprint| self.mix(*fingerprint));
        let first: Vec<bool> = mixed
            .map(|mixed| self.slots[self.place(mixed)] == mixed && mixed != 0)
            .collect();
        let positions = first.into_iter().enumerate();
        positions
            .filter(|(position, is_there)| !is_there && !self.contains(fingerprints[*position]))
            .map(|(position, _)| position)
            .collect()
    }

    /// Adds a fingerprint. Whether it was new.
    pub fn insert(&mut self, fingerprint: u64) -> bool {
        let mixed = self.mix(fingerprint);
        if mixed == 0 {
            return !std::mem::replace(&mut self.has_zero, true);
        }
        if self.len * FULL_DENOMINATOR >= self.slots.len() * FULL_NUMERATOR {
            self.resize(slots_for(self.len + 1).max(self.slots.len() + self.slots.len() / 2));
        }
        let slot = self.slot(mixed);
        if self.slots[slot] == mixed {
            return false;
        }
        self.slots[slot] = mixed;
        self.len += 1;
        true
    }

    /// The bytes it takes.
    pub fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<u64>()
    }

    /// A bijection, so that the mixed value represents the fingerprint.
    fn mix(&self, fingerprint: u64) -> u64 {
        let mut mixed = (fingerprint ^ self.key.rotate_left(32)).wrapping_mul(self.key);
        mixed ^= mixed >> 32;
        mixed.wrapping_mul(ODD)
    }

    /// The slot where a value lies, unless others were in the way. The table is not empty.
    fn place(&self, mixed: u64) -> usize {
        // The upper half of a product spreads values over a table of any size without a division.
        ((u128::from(mixed) * self.slots.len() as u128) >> 64) as usize
    }

    /// Returns the slot of a value, or the free slot where it would be. The table is not empty and
    /// has a free slot.
    fn slot(&self, mixed: u64) -> usize {
        let mut slot = self.place(mixed);
        loop {
            let found = self.slots[slot];
            if found == mixed || found == 0 {
                return slot;
            }
            slot += 1;
            if slot == self.slots.len() {
                slot = 0;
            }
        }
    }

    fn resize(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![0; slots]);
        for mixed in old.into_iter().filter(|&mixed| mixed != 0) {
            let slot = self.slot(mixed);
            self.slots[slot] = mixed;
        }
    }
}

/// The multiplier of the golden ratio; any odd number with well spread bits would do.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the slots of a table for `count` fingerprints, of which at least one stays free.
fn slots_for(count: usize) -> usize {
    (count * FULL_DENOMINATOR / FULL_NUMERATOR + 2).max(SMALLEST)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_is_a_set(values in proptest::collection::vec(prop_oneof![0u64..40, any::<u64>()], 0..500)) {
            let mut known = KnownSet::new();
            let mut model = HashSet::new();
            for value in values {
                prop_assert_eq!(known.contains(value), model.contains(&value));
                prop_assert_eq!(known.insert(value), model.insert(value));
                prop_assert_eq!(known.len(), model.len());
                prop_assert_eq!(known.unknown(&[7, value, 0]), [7, value, 0].into_iter().enumerate()
                    .filter(|(_, asked)| !model.contains(asked)).map(|(position, _)| position).collect::<Vec<_>>());
            }
            prop_assert!(model.iter().all(|&value| known.contains(value)));
        }
    }

    #[test]
    fn a_million_take_at_most_sixteen_bytes_each() {
        let mut known = KnownSet::new();
        for value in 0..1_000_000u64 {
            known.insert(value.wrapping_mul(ODD));
            let most = 16 * known.len() + SMALLEST * 8;
            assert!(
                known.memory() <= most,
                "{} bytes for {}",
                known.memory(),
                known.len()
            );
        }
        assert_eq!(known.len(), 1_000_000);
        assert!(KnownSet::with_capacity(1_000_000).memory() < 10_000_000);
    }
}
