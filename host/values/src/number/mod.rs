//! Numbers as people write them: separators of both kinds, percentages, counts, ratings.

mod decimal;
mod figures;
mod rating;

use std::fmt;

pub use decimal::Decimal;
pub use figures::{FigureStyle, Figures};
pub(crate) use figures::{plain_digits, read_figures};
pub use rating::{Rating, parse_rating};

use crate::text::{fold, truncate};

/// Reason why a text is not a number, or not a rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Problem {
    /// Nothing in it is a number.
    NoNumber,
    /// A rating is beyond its own scale.
    OutOfScale,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NoNumber => "there is no number in it",
            Self::OutOfScale => "the rating exceeds its scale",
        })
    }
}

impl std::error::Error for Problem {}

/// Maximum number of bytes that are read. A number is near the beginning of its text.
const LONGEST: usize = 256;

/// Reads the first number in a text: `1,234.5`, `1.234,5`, `−3`, `about 12 000`.
///
/// ```
/// use magpie_values::number::parse;
///
/// assert_eq!(parse("1.234,5 km").unwrap().to_string(), "1234.5");
/// ```
pub fn parse(text: &str) -> Result<Decimal, Problem> {
    let text = plain_digits(truncate(text, LONGEST));
    first_number(&text)
        .map(|(value, _)| value)
        .ok_or(Problem::NoNumber)
}

/// Reads a percentage as its number: `12.5 %` gives 12.5.
pub fn parse_percentage(text: &str) -> Result<Decimal, Problem> {
    let text = plain_digits(truncate(text, LONGEST));
    let (value, end) = first_number(&text).ok_or(Problem::NoNumber)?;
    let behind = text[end..].trim_start();
    let percent = behind.starts_with(['%', '٪', '％'])
        || fold(behind).starts_with("percent")
        || fold(behind).starts_with("prozent");
    if percent {
        Ok(value)
    } else {
        Err(Problem::NoNumber)
    }
}

/// Reads a count: `12,345 reviews`, `1.2k`, `3 Mio.`, `(178)`. Fractions that are left are cut off.
///
/// ```
/// use magpie_values::number::parse_count;
///
/// assert_eq!(parse_count("1.2k ratings"), Ok(1200));
/// ```
pub fn parse_count(text: &str) -> Result<u64, Problem> {
    let text = plain_digits(truncate(text, LONGEST));
    let (value, end) = first_number(&text).ok_or(Problem::NoNumber)?;
    let places = magnitude(&text[end..]);
    // `1.234k` is 1234: before a magnitude the separator is the decimal one.
    let value = if places > 0 {
        fraction_before_magnitude(&text, value)
    } else {
        value
    };
    let value = value.shifted(places as i8).ok_or(Problem::NoNumber)?;
    let (mantissa, scale) = value.parts();
    let whole = mantissa / 10i128.pow(u32::from(scale));
    u64::try_from(whole).map_err(|_| Problem::NoNumber)
}

fn fraction_before_magnitude(text: &str, otherwise: Decimal) -> Decimal {
    let start = text
        .find(|character: char| character.is_ascii_digit())
        .unwrap_or(0);
    let style = FigureStyle {
        thousandths: true,
        ..FigureStyle::default()
    };
    read_figures(text, start, style).map_or(otherwise, |figures| figures.value)
}

/// Power of ten that a word after the number denotes.
fn magnitude(behind: &str) -> u8 {
    const MAGNITUDES: &[(&str, u8)] = &[
        ("k", 3),
        ("tsd", 3),
        ("tis", 3),
        ("тыс", 3),
        ("тис", 3),
        ("mil", 3),
        ("thousand", 3),
        ("천", 3),
        ("万", 4),
        ("萬", 4),
        ("만", 4),
        ("m", 6),
        ("mn", 6),
        ("mio", 6),
        ("million", 6),
        ("millionen", 6),
        ("millions", 6),
        ("млн", 6),
        ("mln", 6),
        ("b", 9),
        ("bn", 9),
        ("mrd", 9),
        ("billion", 9),
        ("млрд", 9),
        ("億", 8),
        ("亿", 8),
        ("억", 8),
    ];
    let folded = fold(behind);
    let word: String = folded
        .chars()
        .take_while(|character| character.is_alphabetic())
        .collect();
    let known = MAGNITUDES
        .iter()
        .find(|(name, _)| *name == word || !name.is_ascii() && word.starts_with(name));
    known.map_or(0, |(_, places)| *places)
}

/// The first number with its sign, and the index behind it.
fn first_number(text: &str) -> Option<(Decimal, usize)> {
    let mut at = 0;
    while let Some(found) = text[at..].find(|character: char| character.is_ascii_digit()) {
        let digits = at + found;
        let pointed =
            text[..digits].ends_with(['.', ',']) && !text[..digits - 1].ends_with(char::is_alphanumeric);
        let start = if pointed { digits - 1 } else { digits };
        if let Some(figures) = read_figures(text, start, FigureStyle::default()) {
            let value = if is_negative(&text[..start]) {
                figures.value.negated()
            } else {
                figures.value
            };
            return Some((value, figures.end));
        }
        // Figures that are no number are passed over as a whole: no `2.3` out of `1.2.3`.
        at = digits
            + text[digits..]
                .bytes()
                .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
                .count();
    }
    None
}

/// A minus joined to the number, with no word or digit joined to the minus.
fn is_negative(before: &str) -> bool {
    before
        .strip_suffix(['-', '−'])
        .is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests;
