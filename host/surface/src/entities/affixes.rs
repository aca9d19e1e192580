//! Words that people add to names in queries, such as "reviews" or "buy".

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::text;

/// Minimum number of different names with which an affix occurs.
const MIN_NAMES: usize = 3;

/// Maximum number of words of an affix.
const MAX_AFFIX_WORDS: usize = 3;

/// Maximum number of words of a query that are read.
const MAX_QUERY_WORDS: usize = 32;

/// Affixes of queries, learned from a log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Affixes {
    prefixes: BTreeSet<Vec<String>>,
    suffixes: BTreeSet<Vec<String>>,
}

impl Affixes {
    /// Learns the frequent residues of queries after removing known names.
    ///
    /// In each query the longest known name is removed. A residue is an affix if it occurs with at
    /// least three different names, and in the share `min_share` of the queries that have a name.
    pub fn learn<'a>(
        queries: impl IntoIterator<Item = &'a str>,
        names: impl IntoIterator<Item = &'a str>,
        min_share: f64,
    ) -> Affixes {
        let names: BTreeSet<Vec<String>> = names
            .into_iter()
            .map(words_of)
            .filter(|name| !name.is_empty())
            .collect();
        let longest = names.iter().map(Vec::len).max().unwrap_or(0);
        let mut found: [BTreeMap<Vec<String>, BTreeSet<Vec<String>>>; 2] = Default::default();
        let mut with_name = 0_u32;
        for query in queries {
            let words = words_of(query);
            let Some((start, end)) = longest_name(&words, &names, longest) else {
                continue;
            };
            with_name += 1;
            for (side, residue) in [(0, &words[..start]), (1, &words[end..])] {
                if (1..=MAX_AFFIX_WORDS).contains(&residue.len()) {
                    let of = found[side].entry(residue.to_vec()).or_default();
                    of.insert(words[start..end].to_vec());
                }
            }
        }
        let min_names = MIN_NAMES.max((min_share * f64::from(with_name)).ceil() as usize);
        let frequent = |found: BTreeMap<Vec<String>, BTreeSet<Vec<String>>>| {
            let frequent = found.into_iter().filter(|(_, names)| names.len() >= min_names);
            frequent.map(|(affix, _)| affix).collect()
        };
        let [prefixes, suffixes] = found;
        Affixes {
            prefixes: frequent(prefixes),
            suffixes: frequent(suffixes),
        }
    }

    /// Removes affixes from a query, but for the last words.
    pub fn strip(&self, query: &str) -> String {
        let mut words = words_of(query);
        loop {
            let before = words.len();
            let prefix = self
                .prefixes
                .iter()
                .filter(|affix| words.starts_with(affix))
                .map(Vec::len)
                .max();
            // A query of affixes alone would leave nothing to search for.
            if let Some(len) = prefix.filter(|len| *len < words.len()) {
                words.drain(..len);
            }
            let suffix = self
                .suffixes
                .iter()
                .filter(|affix| words.ends_with(affix))
                .map(Vec::len)
                .max();
            if let Some(len) = suffix.filter(|len| *len < words.len()) {
                words.truncate(words.len() - len);
            }
            if words.len() == before {
                return words.join(" ");
            }
        }
    }

    /// Returns the affixes that are removed at the beginning and at the end.
    pub fn all(&self) -> impl Iterator<Item = String> {
        self.prefixes
            .iter()
            .chain(&self.suffixes)
            .map(|affix| affix.join(" "))
    }
}

fn words_of(query: &str) -> Vec<String> {
    let mut words = text::words(query);
    words.truncate(MAX_QUERY_WORDS);
    words
}

fn longest_name(words: &[String], names: &BTreeSet<Vec<String>>, longest: usize) -> Option<(usize, usize)> {
    (1..=longest.min(words.len())).rev().find_map(|len| {
        let starts = 0..=words.len() - len;
        starts
            .map(|start| (start, start + len))
            .find(|(start, end)| names.contains(&words[*start..*end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_residues_are_affixes() {
        let names = ["Canon EOS", "Canon", "Nikon", "Leica Q", "Sony"];
        let log = [
            "canon eos reviews",
            "nikon reviews",
            "buy leica q",
            "buy nikon reviews",
            "leica q reviews",
            "buy sony",
            "sony battery",
            "unknown reviews",
        ];
        let affixes = Affixes::learn(log, names, 0.01);
        assert_eq!(affixes.all().collect::<Vec<_>>(), ["buy", "reviews"]);
        assert_eq!(affixes.strip("Buy Olympus reviews"), "olympus");
        assert_eq!(affixes.strip("sony battery"), "sony battery");
        assert_eq!(affixes.strip("reviews"), "reviews");
        assert_eq!(affixes.strip("buy buy buy"), "buy");
        assert_eq!(Affixes::default().strip("A b"), "a b");
        assert_eq!(Affixes::learn([], [], 0.1), Affixes::default());
    }
}
