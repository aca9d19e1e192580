//! Words and shingles of visible text.

use std::collections::{BTreeMap, BTreeSet};

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

/// Returns the hashes of all runs of three words, sorted and distinct.
///
/// Digits are folded to 0. A run of words of the query becomes one mask, so pages that repeat
/// different queries are equal. A text of one or two words is one shingle.
pub fn shingles(text: &str, query: &str) -> Vec<u64> {
    let query: BTreeSet<String> = words(query).into_iter().collect();
    let mut kept: Vec<String> = Vec::new();
    for word in words(text) {
        if !query.contains(&word) {
            kept.push(fold_digits(&word));
        } else if kept.last().is_none_or(|last| last != MASK) {
            kept.push(MASK.to_owned());
        }
    }
    let width = WIDTH.min(kept.len().max(1));
    let hash = |run: &[String]| xxh3_64(run.join(" ").as_bytes());
    sets::sorted(kept.windows(width).map(hash).collect())
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

/// Document frequencies of words.
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

    /// Number of documents.
    pub fn documents(&self) -> u32 {
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
        let page =
            |query: &str, count: u32| shingles(&format!("{count} results for {query} on this site"), query);
        assert_eq!(page("red shoes", 0), page("xkqv", 217));
        assert_ne!(
            page("red shoes", 0),
            shingles("0 results for red shoes on this site", "")
        );
    }

    /// `a b c d` has the shingles abc, bcd; `a b c e` has abc, bce: one of three is common.
    #[test]
    fn jaccard_by_hand() {
        let similarity = sets::jaccard(&shingles("a b c d", ""), &shingles("a b c e", ""));
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
