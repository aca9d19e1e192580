//! Words and numbers of product names, normalised.

use std::collections::BTreeSet;

use magpie_sdk::text;

use crate::model::{PART_DIGITS, SHORT_MODEL};

/// Roman numerals that are read as numbers, folded. A single letter is a word or a size.
const ROMAN: &[&str] = &["ii", "iii", "iv", "vi", "vii", "viii", "ix", "xi", "xii", "xiii"];
const VALUES: &[&str] = &["2", "3", "4", "6", "7", "8", "9", "11", "12", "13"];

/// Returns the words of a name, folded. A number with a decimal point is one word (`7.2`), without
/// trailing zeros (`7.0` becomes `7`). Groups of thousands are joined (`600 000`).
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    // Is true if the previous group had digits only, at most three.
    let mut thousands = false;
    for group in name.split_whitespace() {
        let bare = group
            .trim_matches(|one: char| !one.is_alphanumeric())
            .replace(',', "");
        let is_figures = bare.bytes().all(|byte| byte.is_ascii_digit()) && !bare.is_empty();
        if thousands && is_figures && bare.len() == 3 {
            if let Some(last) = words.last_mut() {
                last.push_str(&bare);
                continue;
            }
        }
        thousands = is_figures && bare.len() <= 3;
        match version(&bare) {
            Some(version) => words.push(version),
            None if is_figures => words.push(bare),
            None => words.extend(text::tokens(group)),
        }
    }
    words
}

/// Returns the numbers among words (versions, years, `P2`), without model and part numbers.
pub(crate) fn numbers(words: &[String]) -> BTreeSet<String> {
    let mut numbers: BTreeSet<String> = words.iter().filter_map(|word| number(word)).collect();
    // The first word of a name is not a Roman numeral.
    numbers.extend(words.iter().skip(1).filter_map(|word| roman(word)));
    numbers
}

/// Replaces Roman numerals by digits.
pub(crate) fn plain_words(words: Vec<String>) -> Vec<String> {
    let plain = |(place, word): (usize, String)| roman(&word).filter(|_| place > 0).unwrap_or(word);
    words.into_iter().enumerate().map(plain).collect()
}

fn roman(word: &str) -> Option<String> {
    let (_, value) = ROMAN.iter().zip(VALUES).find(|(roman, _)| *roman == &word)?;
    Some((*value).to_owned())
}

/// Parses a version: `7.2`, `v7.2` and `v.7.2` become `7.2`; `7.0` and `v7` become `7`.
fn version(group: &str) -> Option<String> {
    let folded = group.to_ascii_lowercase();
    let figures = folded
        .strip_prefix('v')
        .unwrap_or(&folded)
        .trim_start_matches('.');
    let (whole, rest) = match figures.split_once('.') {
        Some(parts) => parts,
        None if figures.len() < folded.len() => (figures, "0"),
        None => return None,
    };
    let is_figures = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_figures(whole) || !rest.split('.').all(is_figures) {
        return None;
    }
    let rest = rest.trim_end_matches('0').trim_end_matches('.');
    let whole = plain(whole);
    Some(if rest.is_empty() {
        whole
    } else {
        format!("{whole}.{rest}")
    })
}

fn number(word: &str) -> Option<String> {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_figures = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if digits == 0 || !(is_figures && digits < PART_DIGITS || word.len() <= SHORT_MODEL) {
        return None;
    }
    Some(plain(word.strip_prefix('v').unwrap_or(word)))
}

fn plain(figures: &str) -> String {
    let bare = figures.trim_start_matches('0');
    if bare.is_empty() {
        "0".to_owned()
    } else {
        bare.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{numbers, plain_words, words};

    #[test]
    fn figures_are_one_word() {
        assert_eq!(
            words("Atlas 7.0 Pro (v. 2.1.0)"),
            ["atlas", "7", "pro", "v", "2.1"]
        );
        assert_eq!(words("Clips 600 000 images"), ["clips", "600000", "images"]);
        assert_eq!(words("Clips 600,000 images"), ["clips", "600000", "images"]);
        assert_eq!(words("Kit 12 4000"), ["kit", "12", "4000"]);
    }

    #[test]
    fn versions_are_numbers_however_they_are_written() {
        let of = |name: &str| numbers(&words(name)).into_iter().collect::<Vec<_>>();
        assert_eq!(of("Quest II"), of("Quest v2.0"));
        assert_eq!(of("Quest 07"), ["7"]);
        assert_eq!(plain_words(words("Quest IV")), ["quest", "4"]);
        assert_eq!(plain_words(words("VI Editor")), ["vi", "editor"]);
        assert!(of("Part 123456").is_empty());
    }
}
