//! Titles of books and other works: subtitle, series, volume, edition, format.

use crate::text::{fold, tidy, truncate, words};

crate::word_lists! { "words.txt";
    FORMATS: Words = "format";
    EDITIONS: Words = "edition";
    REVISED: Words = "revised";
    POSITIONS: Words = "position";
    PARTS: Groups = "volume" "part" "book";
    NUMBERS: Words = "number";
    pub(super) ARTICLES: Words = "article";
}

/// The longest title that is read.
const LONGEST: usize = 600;

/// A title in its parts. Parts that are not there are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Title {
    /// The title itself: `The Two Towers`. A trailing article is moved back to the front.
    pub main: String,
    /// Text after a colon or a dash.
    pub subtitle: String,
    /// The series named in brackets: `The Lord of the Rings`.
    pub series: String,
    /// The number in the series, or of the volume.
    pub volume: Option<u32>,
    /// The edition, as written: `2nd ed.`, `Revised edition`.
    pub edition: String,
    /// The binding or medium, as written: `Hardcover`, `Audio CD`.
    pub format: String,
}

impl Title {
    /// Takes a title apart.
    ///
    /// ```
    /// use magpie_values::title::Title;
    ///
    /// let text = "The Two Towers: A Novel (The Lord of the Rings, Book 2) [Hardcover]";
    /// let title = Title::parse(text);
    /// assert_eq!(title.main, "The Two Towers");
    /// assert_eq!(title.subtitle, "A Novel");
    /// assert_eq!(title.series, "The Lord of the Rings");
    /// assert_eq!(title.volume, Some(2));
    /// assert_eq!(title.format, "Hardcover");
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = tidy(truncate(text, LONGEST));
        let mut title = Self::default();
        let outside = title.take_brackets(&text);
        let outside = title.take_tail(&outside);
        title.split(&outside);
        // A title that consists only of such parts is its own main title.
        if title.main.is_empty() {
            title.main = text;
        }
        title
    }

    /// Title and subtitle, joined by a colon.
    #[must_use]
    pub fn with_subtitle(&self) -> String {
        if self.subtitle.is_empty() {
            self.main.clone()
        } else {
            format!("{}: {}", self.main, self.subtitle)
        }
    }

    /// Takes brackets whose content is understood, and leaves the others where they are.
    fn take_brackets(&mut self, text: &str) -> String {
        let mut outside = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(open) = rest.find(['(', '[']) {
            let close = if rest[open..].starts_with('(') { ')' } else { ']' };
            let Some(length) = rest[open..].find(close) else {
                break;
            };
            let inside = &rest[open + 1..open + length];
            // Brackets at the beginning are part of the title: `(Un)happy`.
            let begins_text = outside.trim().is_empty() && rest[..open].trim().is_empty();
            outside.push_str(&rest[..open]);
            if begins_text || !self.understand(inside) {
                outside.push_str(&rest[open..=open + length]);
            }
            rest = &rest[open + length + 1..];
        }
        outside.push_str(rest);
        tidy(&outside)
    }

    /// Returns true if the content of a bracket is a format, an edition, or a position in a series.
    fn understand(&mut self, inside: &str) -> bool {
        let inside = inside.trim();
        if is_format(inside) {
            inside.clone_into(&mut self.format);
        } else if is_edition(inside) {
            inside.clone_into(&mut self.edition);
        } else if let Some((series, volume)) = series_and_volume(inside) {
            series.clone_into(&mut self.series);
            self.volume = Some(volume);
        } else if fold(inside).ends_with("series") {
            inside.clone_into(&mut self.series);
        } else {
            return false;
        }
        true
    }

    /// Takes edition, format and volume from the end: `…, 2nd ed.`, `… - Paperback`, `…, Vol. 3`.
    fn take_tail(&mut self, text: &str) -> String {
        /// Maximum number of such tails that are removed.
        const MAX_TAILS: usize = 4;
        let mut text = text.trim_end_matches([' ', ',', '-', '–', ':']);
        for _ in 0..MAX_TAILS {
            let Some((head, tail)) = last_part(text) else {
                break;
            };
            // A second format or edition is part of the title.
            if is_format(tail) && self.format.is_empty() {
                tail.clone_into(&mut self.format);
            } else if is_edition(tail) && self.edition.is_empty() {
                tail.clone_into(&mut self.edition);
            } else if let (None, Some(("", volume))) = (self.volume, series_and_volume(tail)) {
                self.volume = Some(volume);
            } else {
                break;
            }
            text = head;
        }
        text.to_owned()
    }

    fn split(&mut self, text: &str) {
        let cut = [": ", " – ", " — ", " - ", "; ", " : "]
            .iter()
            .filter_map(|mark| text.find(mark).map(|at| (at, mark.len())))
            .min();
        let (main, subtitle) = match cut {
            Some((at, length)) if at > 0 => (&text[..at], &text[at + length..]),
            _ => (text, ""),
        };
        self.main = article_in_front(main.trim());
        subtitle.trim().clone_into(&mut self.subtitle);
    }
}

/// Splits off what follows the last comma, dash, colon or bar.
fn last_part(text: &str) -> Option<(&str, &str)> {
    let cut = [", ", " - ", " – ", " — ", ": ", " | ", " / "]
        .iter()
        .filter_map(|mark| text.rfind(mark).map(|at| (at, mark.len())))
        .max();
    let (at, length) = cut.filter(|(at, _)| *at > 0)?;
    Some((text[..at].trim_end(), text[at + length..].trim()))
}

/// `Tempest, The` becomes `The Tempest`.
fn article_in_front(title: &str) -> String {
    match title.rsplit_once(", ") {
        Some((rest, article))
            // A small letter after a comma continues a sentence.
            if ARTICLES.contains(&fold(article).as_str()) && article.starts_with(char::is_uppercase) =>
        {
            format!("{article} {rest}")
        }
        _ => title.to_owned(),
    }
}

fn is_format(text: &str) -> bool {
    FORMATS.contains(&fold(text).as_str())
}

/// `2nd ed.`, `Second Edition`, `Revised and updated edition`, `3. Auflage`, `nouvelle édition`,
/// `Deluxe Edition`.
fn is_edition(text: &str) -> bool {
    /// Editions are named in a few words; longer texts only mention one.
    const MAX_WORDS: usize = 6;
    let words = crate::text::tokens(text);
    let named = words.iter().any(|word| EDITIONS.contains(&word.as_str()));
    let revised = words.len() <= 2 && words.first().is_some_and(|word| REVISED.contains(&word.as_str()));
    (named || revised) && (2..=MAX_WORDS).contains(&words.len()) || revised && words.len() == 1
}

/// `The Lord of the Rings, Book 2`, `Discworld #4`, `Vol. 3`, `Band 12`, `Part II`.
fn series_and_volume(text: &str) -> Option<(&str, u32)> {
    let (head, number) = match text.rsplit_once('#') {
        Some((head, number)) => (head, number),
        None => text.rsplit_once([' ', '.']).unwrap_or(("", text)),
    };
    let volume = volume_number(number.trim())?;
    // The sign alone marks a position, without a word for it.
    if text.contains('#') {
        return Some((trimmed(head), volume));
    }
    let head = head.trim_end_matches(['.', ' ']);
    let (series, word) = head.rsplit_once([' ', ',', ':']).unwrap_or(("", head));
    POSITIONS
        .contains(&fold(word).trim_end_matches('.'))
        .then(|| (trimmed(series), volume))
}

/// The numbered parts that a title names anywhere, each by its folded word: `Volume 6, Part III -
/// Diseases` has volume 6 and part 3. Roman numbers count in capitals.
pub(super) fn numbered_parts(title: &str) -> Vec<(String, u32)> {
    let words: Vec<&str> = words(title).collect();
    let pairs = words.windows(2).filter_map(|pair| {
        let word = fold(pair[0]);
        let part = PARTS.iter().find(|words| words.contains(&word.as_str()))?[0];
        // `I` and `v` are words as well as numbers.
        let is_shouted = pair[1].chars().all(|one| one.is_uppercase() || one.is_numeric());
        let number = volume_number(pair[1]).filter(|_| is_shouted)?;
        Some((part.to_owned(), number))
    });
    pairs.collect()
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', ',', ':', ';', '-', '–'])
}

fn volume_number(text: &str) -> Option<u32> {
    const MAX_DIGITS: usize = 4;
    const ROMAN: &[&str] = &[
        "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv",
    ];
    if text.len() <= MAX_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let folded = fold(text);
    let position = |list: &[&str]| {
        list.iter()
            .position(|known| *known == folded)
            .map(|at| at as u32 + 1)
    };
    position(ROMAN).or_else(|| position(NUMBERS))
}
