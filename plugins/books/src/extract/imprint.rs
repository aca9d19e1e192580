//! Reads imprints: lines with publisher, year, binding and number of pages, without labels.

use magpie_sdk::date::{self, DateContext};
use magpie_sdk::extract::Block;
use magpie_sdk::identifier::{self, Scheme};
use magpie_sdk::{language, money, text};

use super::detail;
use crate::words::PAGE_UNITS;
use crate::work;

/// Maximum length of an imprint in bytes. Longer lines are sentences.
const MAX_LINE: usize = 180;

/// Maximum number of lines between a heading and its imprint.
const REACH: usize = 30;

/// Maximum number of parts of an imprint.
const MAX_PARTS: usize = 9;

/// Years that may be those of a publication.
const YEARS: std::ops::RangeInclusive<u32> = 1450..=2100;

/// Separators of the parts, the most specific first. A comma also occurs within names and places.
const SEPARATORS: [&str; 9] = [" | ", " / ", " · ", " • ", "|", "/", "; ", " – ", ", "];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Imprint {
    pub(super) publisher: Option<String>,
    pub(super) published: Option<String>,
    pub(super) format: Option<String>,
    pub(super) pages: Option<u32>,
    pub(super) language: Option<String>,
    pub(super) node: u32,
}

/// Returns the first imprint below the heading.
pub(super) fn find(block: &Block<'_, '_>) -> Option<Imprint> {
    let context = block.layout().page().date_context();
    let heading = block.heading().node;
    let lines = block.lines().filter(|(distance, line)| {
        *distance <= REACH && line.first_node() > heading && line.text.len() <= MAX_LINE
    });
    lines
        .filter_map(|(_, line)| {
            let imprint = read(&line.text, &context)?;
            Some(Imprint {
                node: line.first_node(),
                ..imprint
            })
        })
        .next()
}

/// Parses a line. It is an imprint if it has at least two of year, binding, pages and ISBN, and at
/// most two unknown parts.
fn read(line: &str, context: &DateContext<'_>) -> Option<Imprint> {
    let separator = SEPARATORS.iter().find(|mark| line.contains(**mark))?;
    let parts: Vec<&str> = line
        .split(separator)
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    if !(2..=MAX_PARTS).contains(&parts.len()) {
        return None;
    }
    let mut imprint = Imprint::default();
    let mut others: Vec<&str> = Vec::new();
    let (mut kinds, mut numbered) = (0, false);
    for part in parts {
        let part = part.trim_matches(['(', ')', '.', ' ']);
        if let Some(published) = dated(part, context).filter(|_| imprint.published.is_none()) {
            imprint.published = Some(published);
            kinds += 1;
        } else if let Some(pages) = pages(part).filter(|_| imprint.pages.is_none()) {
            imprint.pages = Some(pages);
            kinds += 1;
        } else if is_binding(part) && imprint.format.is_none() {
            imprint.format = Some(part.to_owned());
            kinds += 1;
        } else if !numbered && is_number(part) {
            numbered = true;
            kinds += 1;
        } else if money::parse(part, &money::MoneyContext::default())
            .is_some_and(|money| money.currency().is_some())
        {
            // Ignores the price, which is read elsewhere.
        } else if imprint.language.is_none() && is_language(part) {
            imprint.language = Some(part.to_owned());
        } else {
            others.push(part);
        }
    }
    if kinds < 2 || others.len() > 2 {
        return None;
    }
    imprint.publisher = others.iter().find_map(|other| publisher(other));
    Some(imprint)
}

/// Returns the part if it is a year or a date.
fn dated(part: &str, context: &DateContext<'_>) -> Option<String> {
    let is_year = part.len() == 4 && part.parse().is_ok_and(|year| YEARS.contains(&year));
    let is_date = || {
        part.len() <= 30 && part.contains(|one: char| one.is_ascii_digit()) && {
            let year = part
                .split(|one: char| !one.is_ascii_digit())
                .any(|figures| figures.len() == 4 && figures.parse().is_ok_and(|year| YEARS.contains(&year)));
            year && date::parse(part, context).is_some()
        }
    };
    (is_year || is_date()).then(|| part.to_owned())
}

/// Parses a number next to a word for pages: `320 p.`, `xii, 352 Seiten`.
fn pages(part: &str) -> Option<u32> {
    let words = text::tokens(part);
    let counts = words
        .iter()
        .any(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let named = words.iter().any(|word| PAGE_UNITS.contains(&word.as_str()));
    (words.len() <= 4 && counts && named).then(|| detail::page_count(part))?
}

fn is_binding(part: &str) -> bool {
    text::words(part).count() <= 4 && work::medium(part).is_some()
}

fn is_number(part: &str) -> bool {
    let number = part.rsplit([':', ' ']).next().unwrap_or(part);
    [part, number]
        .iter()
        .any(|text| identifier::normalise(Scheme::Isbn, text).is_ok())
}

/// Returns true for the name of a language. Codes of two letters are ambiguous and not accepted.
fn is_language(part: &str) -> bool {
    part.chars().count() > 3 && !part.contains(' ') && language::normalise(part).is_ok()
}

/// Returns the name of a publisher, without a city: `Bantam` in `New York: Bantam`. A name has at
/// most six words.
fn publisher(other: &str) -> Option<String> {
    let name = other.rsplit(": ").next().unwrap_or(other).trim();
    let words = name.split_whitespace().count();
    let fits = (1..=6).contains(&words)
        && name.len() <= 60
        && name
            .starts_with(|first: char| first.is_uppercase() || first.is_ascii_digit() || !first.is_ascii())
        && name.contains(char::is_alphabetic);
    fits.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use magpie_sdk::date::DateContext;

    use super::read;

    #[test]
    fn imprints_of_many_hands_are_read() {
        for (line, publisher, published, format, pages) in [
            (
                "Tern Press / 2008 / Paperback",
                Some("Tern Press"),
                Some("2008"),
                Some("Paperback"),
                None,
            ),
            (
                "Paperback | 2011 | 320 pages",
                None,
                Some("2011"),
                Some("Paperback"),
                Some(320),
            ),
            (
                "Oslo: Fjord Forlag, 2019, 212 s.",
                Some("Fjord Forlag"),
                Some("2019"),
                None,
                Some(212),
            ),
            (
                "Hardcover · 184 Seiten · Hanser",
                Some("Hanser"),
                None,
                Some("Hardcover"),
                Some(184),
            ),
            (
                "ISBN 978-0-306-40615-7; Tern Press; 2008",
                Some("Tern Press"),
                Some("2008"),
                None,
                None,
            ),
        ] {
            let imprint = read(line, &DateContext::default()).unwrap_or_else(|| panic!("{line} is read"));
            assert_eq!(imprint.publisher.as_deref(), publisher, "{line}");
            assert_eq!(imprint.published.as_deref(), published, "{line}");
            assert_eq!(imprint.format.as_deref(), format, "{line}");
            assert_eq!(imprint.pages, pages, "{line}");
        }
    }

    #[test]
    fn other_lines_are_no_imprints() {
        for line in [
            "Posted by Ann Lee, 2019",
            "Home / Books / Fiction",
            "Paperback / Hardcover / Audio CD",
            "In 2008, she moved to Berlin, wrote three books, and fell silent for years",
            "Tern Press",
        ] {
            assert_eq!(read(line, &DateContext::default()), None, "{line}");
        }
    }
}
