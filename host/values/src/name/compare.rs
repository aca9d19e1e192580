//! Comparing the parts of two people's names.

use super::PersonName;
use crate::similarity::jaro_winkler;
use crate::text::{fold, fold_word};

/// Family name and given names, in this order.
pub(super) fn similarity_in_order(one: &PersonName, other: &PersonName) -> f64 {
    /// Below this, two family names are different ones.
    const SAME_FAMILY: f64 = 0.88;
    const FAMILY_WEIGHT: f64 = 0.6;
    /// Weight of the given names if one side has none.
    const MISSING: f64 = 0.6;
    let plain = |text: &str| -> String {
        fold(text)
            .chars()
            .filter(|character| character.is_alphanumeric())
            .collect()
    };
    let family = jaro_winkler(&plain(&one.family), &plain(&other.family));
    // Another family name is another person, whatever the given names say.
    if family < SAME_FAMILY {
        return family * 0.4;
    }
    let given = if one.given.is_empty() || other.given.is_empty() {
        if one.given == other.given { 1.0 } else { MISSING }
    } else {
        given_similarity(&one.given, &other.given)
    };
    // Relatives share the family name, so contradicting given names outweigh it.
    if given < 0.5 {
        return 0.4 * family;
    }
    FAMILY_WEIGHT * family + (1.0 - FAMILY_WEIGHT) * given
}

/// Similarity of given names in order: equal, an initial of the other, or a misspelling of it.
/// Further names that only one side has cost little.
fn given_similarity(one: &str, other: &str) -> f64 {
    const INITIAL: f64 = 0.85;
    const LEFT_OVER: f64 = 0.05;
    let (one, other) = (given_words(one), given_words(other));
    let pairs = one.len().min(other.len());
    if pairs == 0 {
        return 1.0;
    }
    let mut total = 0.0;
    for (left, right) in one.iter().zip(&other) {
        let short = left.chars().count() == 1 || right.chars().count() == 1;
        let score = if left == right {
            1.0
        } else if short && left.chars().next() == right.chars().next() {
            INITIAL
        } else if !short && (left.starts_with(right.as_str()) || right.starts_with(left.as_str())) {
            0.8
        } else {
            let alike = jaro_winkler(left, right);
            if alike >= 0.85 { alike } else { 0.0 }
        };
        // One contradiction is enough: `Ann` and `Ben` of one family are two people.
        if score == 0.0 {
            return 0.0;
        }
        total += score;
    }
    let left_over = one.len().abs_diff(other.len()) as f64;
    (total / pairs as f64 - LEFT_OVER * left_over).max(0.5)
}

/// `J.R.R.` and `JRR` are three initials.
fn given_words(given: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in given.split([' ', '.', '-']).filter(|part| !part.is_empty()) {
        let initials = part.len() <= 3 && part.chars().all(char::is_uppercase) && part.is_ascii();
        if initials {
            words.extend(
                part.chars()
                    .map(|character| character.to_ascii_lowercase().to_string()),
            );
        } else {
            words.push(fold_word(part));
        }
    }
    words
}
