//! Words and shingles of visible text.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::sets;

/// Maximum number of words of a page that are read.
pub const MAX_WORDS: usize = 20_000;

/// Maximum number of characters of a word. Longer runs are data.
pub const MAX_WORD_LEN: usize = 40;

/// Words of a shingle.
const WIDTH: usize = 3;

/// The word that replaces a query.
const MASK: &str = "\u{1}";

/// Splits a text into lower-case words. Characters of scripts without spaces are words.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for character in text.chars() {
        let is_wide =
            matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
        let is_letter = character.is_alphanumeric();
        if (is_wide || !is_letter) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if words.len() >= MAX_WORDS {
            return words;
        }
        if is_wide {
            words.push(character.to_string());
        } else if is_letter && word.len() < MAX_WORD_LEN {
            word.extend(character.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The shingles of a text: hashes of all runs of three words.
///
/// Digits are folded to 0. A run of words of the query becomes one mask, so pages that repeat
/// different queries are equal. A text of one or two words is one shingle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shingles {
    /// Hashes with the query masked, sorted and distinct.
    masked: Vec<u64>,
    /// Hashes of the runs with a mask, without and with it, sorted: the template of the site may
    /// have a word of the query.
    unmasked: Vec<(u64, u64)>,
}

impl Shingles {
    /// Reads the text of a page that answers a query.
    pub fn new(text: &str, query: &str) -> Shingles {
        let query: BTreeSet<String> = words(query).into_iter().collect();
        let all = words(text);
        let plain: Vec<String> = all.iter().map(|word| fold_digits(word)).collect();
        // The words to hash, and the place of each in the text.
        let mut kept: Vec<(&str, usize)> = Vec::new();
        for (place, word) in all.iter().enumerate() {
            if !query.contains(word) {
                kept.push((&plain[place], place));
            // Successive words of the query become one mask, so the number of its words makes no
            // difference.
            } else if kept.last().is_none_or(|(last, _)| *last != MASK) {
                kept.push((MASK, place));
            }
        }
        let mut shingles = Shingles::default();
        for run in kept.windows(WIDTH.min(kept.len().max(1))) {
            let masked = hash(run.iter().map(|(word, _)| *word));
            shingles.masked.push(masked);
            if run.iter().any(|(word, _)| *word == MASK) {
                let start = run.first().map_or(0, |(_, place)| *place);
                let words = plain[start..].iter().take(run.len()).map(String::as_str);
                shingles.unmasked.push((hash(words), masked));
            }
        }
        shingles.masked = sets::sorted(shingles.masked);
        shingles.unmasked.sort_unstable();
        shingles.unmasked.dedup();
        shingles
    }

    /// Returns the hashes with the query masked, sorted and distinct.
    pub fn masked(&self) -> &[u64] {
        &self.masked
    }

    /// Returns true if the text has a shingle, with or without the mask.
    pub fn has(&self, shingle: u64) -> bool {
        let place = self.unmasked.partition_point(|(plain, _)| *plain < shingle);
        let is_plain = self
            .unmasked
            .get(place)
            .is_some_and(|(plain, _)| *plain == shingle);
        is_plain || self.masked.binary_search(&shingle).is_ok()
    }

    /// Returns the masked hashes without those of a template, which is sorted.
    pub fn without(&self, template: &[u64]) -> Vec<u64> {
        let in_template = |plain: u64| template.binary_search(&plain).is_ok();
        let covered = self.unmasked.iter().filter(|(plain, _)| in_template(*plain));
        let covered = sets::sorted(covered.map(|(_, masked)| *masked).collect());
        sets::difference(&sets::difference(&self.masked, template), &covered)
    }
}

fn hash<'a>(words: impl Iterator<Item = &'a str>) -> u64 {
    let mut bytes = Vec::new();
    for word in words {
        bytes.extend(word.as_bytes());
        bytes.push(b' ');
    }
    xxh3_64(&bytes)
}

/// Replaces each run of digits by one 0.
fn fold_digits(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    for character in word.chars() {
        if !character.is_numeric() {
            folded.push(character);
        } else if !folded.ends_with('0') {
            folded.push('0');
        }
    }
    folded
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frequencies {
    documents: u32,
    words: BTreeMap<String, u32>,
}

impl Frequencies {
    /// Counts the words of a document, each once.
    pub fn add<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) {
        self.documents += 1;
        let words: BTreeSet<&str> = words.into_iter().collect();
        for word in words {
            match self.words.get_mut(word) {
                Some(count) => *count += 1,
                None => {
                    self.words.insert(word.to_owned(), 1);
                }
            }
        }
    }

    /// Returns the number of documents that were added.
    pub(crate) fn documents(&self) -> u32 {
        self.documents
    }

    /// Number of documents with a word.
    pub fn of(&self, word: &str) -> u32 {
        self.words.get(word).copied().unwrap_or(0)
    }

    /// Returns `(1 + ln tf) · ln(1 + N / df)` for a word that a document has `count` times. A word
    /// that no document has counts as if one had it.
    pub fn weight(&self, word: &str, count: u32) -> f64 {
        if count == 0 {
            return 0.0;
        }
        let documents = f64::from(self.documents.max(1));
        (1.0 + f64::from(count).ln()) * (documents / f64::from(self.of(word).max(1))).ln_1p()
    }

    /// Returns the words of a document by falling weight; equal ones in the order of the alphabet.
    pub fn top(&self, words: &[String]) -> Vec<(String, f64)> {
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for word in words {
            *counts.entry(word).or_default() += 1;
        }
        let weigh = |(word, count): (&str, u32)| (word.to_owned(), self.weight(word, count));
        let mut weighed: Vec<(String, f64)> = counts.into_iter().map(weigh).collect();
        // The sort is stable: equal weights keep the order of the alphabet.
        weighed.sort_by(|one, other| other.1.total_cmp(&one.1));
        weighed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_and_bounded() {
        assert_eq!(words("Föhn-Wind, 12 mal!"), ["föhn", "wind", "12", "mal"]);
        assert_eq!(words("本 です"), ["本", "で", "す"]);
        assert_eq!(words(&"x".repeat(500)), ["x".repeat(MAX_WORD_LEN)]);
        assert_eq!(words(&"a ".repeat(50_000)).len(), MAX_WORDS);
        assert!(words("  --- ").is_empty());
    }

    #[test]
    fn queries_are_masked_and_digits_folded() {
        let page = |query: &str, count: u32| {
            let text = format!("{count} results for {query} on this site");
            Shingles::new(&text, query).masked().to_vec()
        };
        assert_eq!(page("red shoes", 0), page("xkqv", 217));
        let plain = Shingles::new("0 results for red shoes on this site", "");
        assert_ne!(page("red shoes", 0), plain.masked());
    }

    /// The template has the word of the query.
    #[test]
    fn words_of_the_template_are_subtracted_with_a_mask() {
        let template = Shingles::new("search our shop for books", "");
        let page = Shingles::new("search our shop for books", "shop");
        assert_ne!(page.masked(), template.masked());
        assert!(template.masked().iter().all(|shingle| page.has(*shingle)));
        assert!(page.without(template.masked()).is_empty());
    }

    /// `a b c d` has the shingles abc, bcd; `a b c e` has abc, bce: one of three is common.
    #[test]
    fn jaccard_by_hand() {
        let shingles = |text: &str| Shingles::new(text, "").masked().to_vec();
        let similarity = sets::jaccard(&shingles("a b c d"), &shingles("a b c e"));
        assert!((similarity - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(sets::jaccard(&[], &[]), 1.0);
        assert_eq!(sets::jaccard(&[1], &[]), 0.0);
        assert_eq!(sets::jaccard(&[1, 2, 3, 4], &[3, 4, 5]), 0.4);
    }

    /// Three documents; `the` is in all, `crow` in one.
    #[test]
    fn weights_by_hand() {
        let mut frequencies = Frequencies::default();
        for document in ["the crow", "the jay", "the jay"] {
            frequencies.add(document.split(' '));
        }
        // (1 + ln 1) · ln(1 + 3/3) = ln 2; (1 + ln 2) · ln(1 + 3/1) = 1.6931 · 1.3863 = 2.3472.
        assert!((frequencies.weight("the", 1) - std::f64::consts::LN_2).abs() < 1e-12);
        assert!((frequencies.weight("crow", 2) - 2.347_200).abs() < 1e-4);
        assert!((frequencies.weight("jay", 1) - 0.916_291).abs() < 1e-6);
        assert_eq!(frequencies.weight("the", 0), 0.0);
        let document = words("the crow and the jay");
        let top: Vec<String> = frequencies
            .top(&document)
            .into_iter()
            .map(|(word, _)| word)
            .collect();
        assert_eq!(top[..2], ["and", "crow"]);
    }
}
