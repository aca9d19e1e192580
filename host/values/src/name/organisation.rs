//! Names of organisations: what is left when legal forms and words of the trade are taken away.

use super::lists::{LEGAL_FORMS, SMALL_WORDS, TRADE_WORDS};
use crate::similarity::{soft_tokens, token_set};
use crate::text::{fold, fold_word, words};

/// The name without legal forms at its end (`Acme Widgets GmbH & Co. KG` gives `Acme Widgets`) and
/// without text in brackets. Never empty unless the name is.
#[must_use]
pub fn organisation_core(name: &str) -> String {
    /// The longest names have some hundred letters.
    const LONGEST: usize = 400;
    let name = crate::text::tidy(crate::text::truncate(name, LONGEST));
    let outside = name.split(['(', '[']).next().unwrap_or_default().trim();
    // A name that is all in brackets is kept rather than lost.
    let outside = if outside.is_empty() {
        name.as_str()
    } else {
        outside
    };
    let mut kept: Vec<&str> = outside.split(' ').collect();
    // A firm may be called by a word for its legal form alone.
    while kept.len() > 1 && kept.last().is_some_and(|word| is_legal_form(word)) {
        kept.pop();
    }
    kept.join(" ").trim_end_matches([',', '&', ' ', '-']).to_owned()
}

fn is_legal_form(word: &str) -> bool {
    let plain: String = fold(word)
        .chars()
        .filter(|character| character.is_alphanumeric())
        .collect();
    plain.is_empty() || LEGAL_FORMS.contains(&plain.as_str())
}

/// Similarity of two names of organisations, from 0 to 1: compared without legal forms. A
/// difference in generic words (`Press`, `Verlag`, `Group`) costs little. An acronym of the other
/// name counts as a partial match.
#[must_use]
pub fn organisation_similarity(left: &str, right: &str) -> f64 {
    const TRADE_PENALTY: f64 = 0.95;
    const ACRONYM: f64 = 0.8;
    let (left, right) = (organisation_core(left), organisation_core(right));
    let whole = soft_tokens(&left, &right);
    let (left_core, right_core) = (without_trade_words(&left), without_trade_words(&right));
    let core = if left_core.is_empty() || right_core.is_empty() {
        0.0
    } else {
        soft_tokens(&left_core, &right_core).max(token_set(&left_core, &right_core) * 0.85) * TRADE_PENALTY
    };
    let acronym = if is_acronym(&left, &right) || is_acronym(&right, &left) {
        ACRONYM
    } else {
        0.0
    };
    whole.max(core).max(acronym)
}

fn without_trade_words(name: &str) -> String {
    let kept: Vec<String> = words(name)
        .map(fold_word)
        .filter(|word| !TRADE_WORDS.contains(&word.as_str()))
        .collect();
    kept.join(" ")
}

/// Returns true if the short name consists of the first letters of the long one's words.
fn is_acronym(short: &str, long: &str) -> bool {
    const SHORTEST: usize = 3;
    let short: String = fold(short)
        .chars()
        .filter(|character| character.is_alphanumeric())
        .collect();
    let initials = |with_small_words: bool| -> String {
        let small = |word: &&str| with_small_words || !SMALL_WORDS.contains(&fold_word(word).as_str());
        words(long)
            .filter(small)
            .filter_map(|word| fold_word(word).chars().next())
            .collect()
    };
    // Two letters are the initials of too many names.
    short.chars().count() >= SHORTEST && (initials(false) == short || initials(true) == short)
}
