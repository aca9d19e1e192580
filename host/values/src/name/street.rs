//! Streets: which part of an address is one, and when two are the same.

use super::address::LONGEST;
use super::lists::{ABBREVIATIONS, STREET_ENDINGS, STREET_WORDS};
use super::postcode::find_postcode;
use crate::similarity::{numbers_agree, soft_tokens};
use crate::text::{tokens, truncate};

/// A street for comparing: folded, with words for streets and directions in one spelling.
#[must_use]
pub fn street_key(street: &str) -> String {
    let mut key: Vec<String> = Vec::new();
    for word in tokens(truncate(street, LONGEST)) {
        let word = expanded(&word);
        key.push(word);
    }
    key.join(" ")
}

fn expanded(word: &str) -> String {
    let mut pairs = ABBREVIATIONS.iter().filter_map(|pair| pair.split_once('='));
    if let Some((_, long)) = pairs.find(|(short, _)| *short == word) {
        return long.to_owned();
    }
    // German joins the word to the name: Hauptstr., Hauptstraße.
    match word.strip_suffix("str") {
        Some(name) if name.chars().count() >= 3 => format!("{name}strasse"),
        _ => word.to_owned(),
    }
}

pub(super) fn is_street(part: &str) -> bool {
    let words: Vec<String> = tokens(part).iter().map(|word| expanded(word)).collect();
    let numbered = words
        .iter()
        .any(|word| word.starts_with(|first: char| first.is_ascii_digit()) && word.len() <= 5);
    let joined_ending = |word: &String| {
        STREET_ENDINGS
            .iter()
            .any(|ending| word.len() > ending.len() + 2 && word.ends_with(ending))
    };
    let named = words
        .iter()
        .any(|word| STREET_WORDS.contains(&word.as_str()) || joined_ending(word));
    let number_first =
        words.len() >= 2 && words[0].starts_with(|first: char| first.is_ascii_digit()) && words[0].len() <= 5;
    numbered && (named || number_first && find_postcode(part).is_none())
}

/// `Gendarmenmarkt 2`: no word for a street, but a house number at its end, right before the
/// postcode.
pub(super) fn street_before_postcode(parts: &[String]) -> Option<usize> {
    let at = parts
        .iter()
        .rposition(|part| find_postcode(part).is_some())?
        .checked_sub(1)?;
    let (name, number) = parts[at].rsplit_once(' ')?;
    let house = number.len() <= 5 && number.starts_with(|first: char| first.is_ascii_digit());
    (house && name.contains(char::is_alphabetic)).then_some(at)
}

pub(super) fn street_similarity(left: &str, right: &str) -> f64 {
    const OTHER_NUMBER: f64 = 0.4;
    let (left, right) = (street_key(left), street_key(right));
    let score = soft_tokens(&left, &right);
    match numbers_agree(&left, &right) {
        Some(agreement) if agreement < 0.5 && both_numbered(&left, &right) => score * OTHER_NUMBER,
        _ => score,
    }
}

fn both_numbered(left: &str, right: &str) -> bool {
    let numbered = |text: &str| text.contains(|character: char| character.is_ascii_digit());
    numbered(left) && numbered(right)
}
