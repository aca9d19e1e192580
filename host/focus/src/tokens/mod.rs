//! Words of sample pages, their weights, and queries from the words in the middle.
//!
//! Words that are on many pages of the web bring pages of any kind, rare ones hardly any. The words
//! between the two describe the kind of the samples.

mod middle_out;
mod stop_words;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use middle_out::MiddleOut;

/// Characters of a word. Longer runs are no words.
const WORD_CHARS: std::ops::RangeInclusive<usize> = 2..=40;

/// Words of one sample that are read.
const MAX_WORDS: usize = 50_000;

/// Words that are kept, those with the largest weights.
const MAX_TOKENS: usize = 200;

#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    pub text: &'a str,
    /// Its language as a tag such as `de` or `pt-BR`; empty if it is not known.
    pub language: &'a str,
}

/// A word with its weights, each from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Token {
    /// The word, in lower case.
    pub word: String,
    /// Its weight in the samples: TF-IDF as a share of the largest. Words that a person gave have
    /// 1.
    pub tf_idf: f64,
    /// Its hits at a search engine as a share of the largest number of hits.
    pub search: f64,
}

impl Token {
    /// Returns the harmonic mean of the two weights.
    pub fn weight(&self) -> f64 {
        harmonic_mean(self.tf_idf, self.search)
    }
}

/// Returns the harmonic mean of two weights; 0 if one of them is.
pub fn harmonic_mean(one: f64, other: f64) -> f64 {
    match one > 0.0 && other > 0.0 {
        true => 2.0 * one * other / (one + other),
        false => 0.0,
    }
}

/// Returns the words of a text, in lower case. Numbers are none.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let runs = text.split(|letter: char| !letter.is_alphanumeric());
    runs.filter(|run| WORD_CHARS.contains(&run.chars().count()))
        .filter(|run| !run.chars().all(|letter| letter.is_numeric()))
        .map(str::to_lowercase)
        .take(MAX_WORDS)
}

/// Returns the words of samples with the largest TF-IDF, without stop words of their languages. The
/// search weights are not known yet: all are 0.
///
/// The frequency of a word is the mean over the samples of its share of the words; samples in which
/// it is are counted for the second factor, `ln(1 + samples / samples with the word)`.
pub fn weigh(samples: &[Sample<'_>]) -> Vec<Token> {
    let mut shares: BTreeMap<String, (f64, BTreeSet<usize>)> = BTreeMap::new();
    for (number, sample) in samples.iter().enumerate() {
        let words: Vec<String> = words(sample.text)
            .filter(|word| !stop_words::is_stop_word(word, sample.language))
            .collect();
        // A long sample must not outweigh the short ones.
        let share = 1.0 / words.len().max(1) as f64;
        for word in words {
            let (sum, within) = shares.entry(word).or_default();
            *sum += share;
            within.insert(number);
        }
    }
    let count = samples.len().max(1) as f64;
    let weight = |(sum, within): &(f64, BTreeSet<usize>)| sum / count * (count / within.len() as f64).ln_1p();
    let mut weighed: Vec<(f64, String)> = shares
        .into_iter()
        .map(|(word, found)| (weight(&found), word))
        .collect();
    weighed.sort_by(|(one, first), (other, second)| other.total_cmp(one).then_with(|| first.cmp(second)));
    weighed.truncate(MAX_TOKENS);
    let largest = weighed.first().map_or(1.0, |(weight, _)| *weight);
    let token = |(weight, word)| Token {
        word,
        tf_idf: weight / largest,
        search: 0.0,
    };
    weighed.into_iter().map(token).collect()
}

/// Returns words that a person gave as tokens of weight 1, each once.
pub fn given<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<Token> {
    let mut seen = BTreeSet::new();
    let words = words.into_iter().map(|word| word.trim().to_lowercase());
    let new = words.filter(|word| !word.is_empty() && seen.insert(word.clone()));
    new.take(MAX_TOKENS)
        .map(|word| Token {
            word,
            tf_idf: 1.0,
            search: 0.0,
        })
        .collect()
}

/// Sets the search weights from the numbers of hits, in the order of the tokens.
pub fn set_hits(tokens: &mut [Token], hits: &[u64]) {
    let largest = hits.iter().copied().max().unwrap_or(0).max(1) as f64;
    for (token, hits) in tokens.iter_mut().zip(hits) {
        token.search = *hits as f64 / largest;
    }
}
