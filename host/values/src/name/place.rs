//! Names of venues and other places.

use super::lists::VENUE_WORDS;
use crate::similarity::{soft_tokens, token_set};
use crate::text::{fold_word, truncate, words};

/// Similarity of two names of venues or places, from 0 to 1. Generic words (`the`, `hall`,
/// `theatre` and their translations) weigh little.
#[must_use]
pub fn place_similarity(left: &str, right: &str) -> f64 {
    const GENERIC_PENALTY: f64 = 0.92;
    /// Names of venues are short; what is longer is a description.
    const LONGEST: usize = 400;
    let (left, right) = (truncate(left, LONGEST), truncate(right, LONGEST));
    let whole = soft_tokens(left, right).max(token_set(left, right) * 0.9);
    let (left, right) = (distinctive(left), distinctive(right));
    if left.is_empty() || right.is_empty() {
        return whole;
    }
    whole.max(soft_tokens(&left, &right) * GENERIC_PENALTY)
}

fn distinctive(name: &str) -> String {
    let kept: Vec<String> = words(name)
        .map(fold_word)
        .filter(|word| !VENUE_WORDS.contains(&word.as_str()))
        .collect();
    kept.join(" ")
}
