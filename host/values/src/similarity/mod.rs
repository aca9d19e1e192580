//! Similarity of two strings. Every measure returns a number from 0 to 1, 1 for equal strings, and
//! is symmetric unless it says otherwise.
//!
//! Measures over words take the text as it is and fold it themselves ([`crate::text::tokens`]);
//! measures over characters take the characters as they are.

mod edit;
mod sets;
mod soft;

pub use edit::{damerau_similarity, jaro, jaro_winkler, levenshtein};
pub use sets::{dice, jaccard, numbers_agree, overlap, token_set};
pub use soft::{soft_tokens, tokens_match};

use crate::text::{fold_word, truncate, words};

/// The most characters that measures with quadratic cost look at. Names and titles are far shorter;
/// what is longer is compared by its beginning.
pub(crate) const MAX_CHARACTERS: usize = 256;

/// The most words that measures over words look at.
const MAX_WORDS: usize = 64;

/// A measure for titles and names in general: the better of the soft match and the token set, both
/// of which forgive word order, and a little less for a mere subset.
#[must_use]
pub fn words_alike(left: &str, right: &str) -> f64 {
    soft_tokens(left, right).max(token_set(left, right) * 0.95)
}

/// The folded words that measures over words look at.
fn compared_words(text: &str) -> Vec<String> {
    let short = |word| truncate(word, 4 * MAX_CHARACTERS);
    words(text)
        .take(MAX_WORDS)
        .map(|word| fold_word(short(word)))
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests;
