//! Features of a record that are compared: work, edition and medium.

use magpie_sdk::name::PersonName;
use magpie_sdk::text;
use magpie_sdk::title::Title;

use crate::Book;
use crate::words::{self, EDITION_WORDS, ORDINALS};

/// Words of bindings and formats by medium.
const MEDIA: &[(Medium, &[&str])] = &[
    (Medium::Sound, words::SOUND),
    (Medium::Screen, words::SCREEN),
    (Medium::Board, words::BOARD),
    (Medium::Paper, words::PAPER),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Medium {
    Board,
    Paper,
    Sound,
    Screen,
}

/// Features by which a record is compared.
pub(crate) struct Work {
    /// Title and subtitle.
    pub(crate) name: String,
    pub(crate) title: Title,
    pub(crate) authors: Vec<PersonName>,
    pub(crate) edition: Option<u32>,
    pub(crate) medium: Option<Medium>,
}

impl Work {
    pub(crate) fn of(book: &Book) -> Self {
        let name = match &book.subtitle {
            Some(subtitle) => format!("{}: {subtitle}", book.title),
            None => book.title.clone(),
        };
        let name = series_behind(name);
        let title = Title::parse(&name);
        let said = [
            book.edition.as_deref().unwrap_or_default(),
            &title.edition,
            &book.title,
        ];
        let edition = said
            .into_iter()
            .enumerate()
            .find_map(|(place, text)| match place {
                // A number without a word such as `edition` counts only in the attribute for
                // editions.
                0 => edition_number(text).or_else(|| number(&text::tokens(text), 0)),
                _ => edition_number(text),
            });
        let format = book.format.as_deref().unwrap_or(&title.format);
        Self {
            medium: medium(format).or_else(|| published_medium(book)),
            name,
            authors: book
                .authors
                .iter()
                .filter_map(|name| PersonName::parse(name))
                .collect(),
            edition,
            title,
        }
    }
}

/// Returns the number of an edition in a text: `Third (3rd) Edition`, `2e`, `5. Auflage`.
pub(crate) fn edition_number(written: &str) -> Option<u32> {
    let words = text::tokens(written);
    let glued = words
        .last()
        .and_then(|word| word.strip_suffix('e')?.parse::<u32>().ok());
    let said = words
        .iter()
        .enumerate()
        .filter(|(_, word)| EDITION_WORDS.contains(&word.as_str()));
    let before = said
        .filter(|(place, _)| *place > 0)
        .find_map(|(place, _)| number(&words, place - 1));
    // A larger number before the word is a year, as in `2019 edition`.
    before.or(glued).filter(|number| (1..100).contains(number))
}

fn number(words: &[String], place: usize) -> Option<u32> {
    let word = words.get(place)?;
    let digits = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let ending = &word[digits.len()..];
    let ordinal = || {
        ORDINALS
            .iter()
            .position(|known| known == word)
            .map(|at| at as u32 + 1)
    };
    let figures = matches!(ending, "" | "st" | "nd" | "rd" | "th" | "e" | "a" | "o")
        .then(|| digits.parse::<u32>().ok())
        .flatten();
    figures.or_else(ordinal)
}

/// Moves a leading series behind the title: `Ledger Cycle #2: Winter Ledgers` becomes `Winter
/// Ledgers (Ledger Cycle #2)`.
fn series_behind(name: String) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match name.split_once(':') {
        Some((series, title))
            if series
                .rsplit_once('#')
                .is_some_and(|(_, number)| is_number(number.trim())) =>
        {
            format!("{} ({})", title.trim(), series.trim())
        }
        _ => name,
    }
}

/// Returns the medium that the name of the publisher states: `Harbour Audio`.
fn published_medium(book: &Book) -> Option<Medium> {
    medium(book.publisher.as_deref()?).filter(|medium| matches!(medium, Medium::Sound | Medium::Screen))
}

pub(crate) fn medium(format: &str) -> Option<Medium> {
    let folded = text::fold(format);
    MEDIA
        .iter()
        .find(|(_, words)| words.iter().any(|word| folded.contains(word)))
        .map(|(medium, _)| *medium)
}

#[cfg(test)]
mod tests {
    use super::{Medium, edition_number, medium};

    #[test]
    fn editions_are_counted_in_many_ways() {
        let cases = [
            ("2nd edition", Some(2)),
            ("Essentials of Anatomy Fifth (5th) Edition", Some(5)),
            ("Color Atlas of Physiology, 6e", Some(6)),
            ("3. Auflage", Some(3)),
            ("Revised edition", None),
            ("Catch 22", None),
        ];
        for (text, expected) in cases {
            assert_eq!(edition_number(text), expected, "{text}");
        }
    }

    #[test]
    fn media_are_known_by_their_names() {
        assert_eq!(medium("Mass Market Paperback"), Some(Medium::Paper));
        assert_eq!(medium("Gebundene Ausgabe"), Some(Medium::Board));
        assert_eq!(medium("Audio CD"), Some(Medium::Sound));
        assert_eq!(medium("Kindle Edition"), Some(Medium::Screen));
        assert_eq!(medium(""), None);
    }
}
