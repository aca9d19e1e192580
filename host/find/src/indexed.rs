//! The entries that an object has, and their difference from those that it is to have.

use std::collections::BTreeSet;

use crate::entries::Entries;
use crate::packed::{Packed, PackedNumber};

/// The parts of an object's entries that a store keeps to replace them later.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Indexed {
    /// A hash of the words.
    pub text: i64,
    /// The terms, 8 bytes each.
    pub terms: Vec<u8>,
    /// The attributes that have a value, facet values and numbers.
    pub packed: Vec<u8>,
}

/// Entries to delete and to insert.
#[derive(Debug, Default)]
pub struct EntryDiff {
    pub old_terms: Vec<i64>,
    pub new_terms: Vec<i64>,
    pub old_numbers: Vec<PackedNumber>,
    pub new_numbers: Vec<PackedNumber>,
}

impl Indexed {
    /// Returns what is kept of entries. Facet values are attributes' numbers and values' IDs.
    pub fn new(entries: &Entries, facets: impl IntoIterator<Item = (u64, u64)>) -> Indexed {
        let mut unique = Vec::new();
        for facet in facets {
            if !unique.contains(&facet) {
                unique.push(facet);
            }
        }
        Indexed {
            text: entries.text_hash(),
            terms: entries.terms.iter().flat_map(|term| term.to_le_bytes()).collect(),
            packed: entries.packed(&unique),
        }
    }

    /// Returns the difference between entries, either of which may be missing.
    pub fn diff(old: Option<&Indexed>, new: Option<&Indexed>) -> EntryDiff {
        let [old_terms, new_terms] = [old, new].map(|side| side.map_or_else(BTreeSet::new, Indexed::terms));
        let [old_numbers, new_numbers] = [old, new].map(|side| -> Vec<PackedNumber> {
            side.map_or_else(Vec::new, |side| Packed(&side.packed).numbers().collect())
        });
        let are_numbers_same = old_numbers == new_numbers;
        let changed = |numbers: Vec<PackedNumber>| match are_numbers_same {
            true => Vec::new(),
            false => numbers,
        };
        EntryDiff {
            old_terms: old_terms.difference(&new_terms).copied().collect(),
            new_terms: new_terms.difference(&old_terms).copied().collect(),
            old_numbers: changed(old_numbers),
            new_numbers: changed(new_numbers),
        }
    }

    fn terms(&self) -> BTreeSet<i64> {
        let (chunks, _) = self.terms.as_chunks::<8>();
        chunks.iter().map(|term| i64::from_le_bytes(*term)).collect()
    }
}
