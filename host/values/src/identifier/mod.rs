//! Identifiers: numbers and codes that name one thing, with their check digits.

mod book;
mod find;
mod other;
mod trade;

use std::fmt;
use std::str::FromStr;

pub use book::{isbn10, isbn13, issn};
pub use find::{Found, find_all};
pub use other::{asin, doi, model_key, part_number};
pub use trade::{GtinKind, gtin, gtin_kind, is_gtin};

use crate::text::{fold, tidy};

/// Kind of identifier that a text is said to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// A book's edition. Normal form: 13 digits, whatever was written.
    Isbn,
    /// A periodical. Normal form: `1234-567X`.
    Issn,
    /// Printed music. Normal form: 13 digits.
    Ismn,
    /// A trade item: EAN, UPC, JAN. Normal form: 14 digits.
    Gtin,
    /// A maker's part or model number. Normal form: upper case, single separators.
    Mpn,
    /// A shop's own number. Normal form: as written, tidied.
    Sku,
    /// Amazon's number. Normal form: ten capitals and digits.
    Asin,
    /// A published document. Normal form: lower case, without the resolver's address.
    Doi,
    /// A custom scheme. Normal form: as written, tidied.
    Other,
}

/// Reason why a text is not the identifier that it is said to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Problem {
    /// The text is empty, or nothing but white space.
    Empty,
    /// It has too few or too many characters.
    Length,
    /// It has a character that such identifiers have not.
    Character,
    /// It is not built as such identifiers are.
    Shape,
    /// The check digit is wrong: most likely a slip of typing.
    CheckDigit,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "there is no identifier",
            Self::Length => "the identifier has the wrong length",
            Self::Character => "the identifier has an invalid character",
            Self::Shape => "the identifier does not have the form of its scheme",
            Self::CheckDigit => "the check digit is wrong",
        })
    }
}

impl std::error::Error for Problem {}

/// Maximum number of bytes that are read. No identifier is nearly as long.
const LONGEST: usize = 512;

/// The normal form of an identifier. Labels (`ISBN:`), separators and resolver addresses are
/// removed.
pub fn normalise(scheme: Scheme, text: &str) -> Result<String, Problem> {
    let text = tidy(crate::text::truncate(text, LONGEST));
    let text = without_label(&text);
    if text.is_empty() {
        return Err(Problem::Empty);
    }
    match scheme {
        Scheme::Isbn => isbn13(text),
        Scheme::Issn => issn(text),
        Scheme::Ismn => trade::ismn(text),
        Scheme::Gtin => gtin(text),
        Scheme::Asin => asin(text),
        Scheme::Doi => doi(text),
        Scheme::Mpn => part_number(text),
        Scheme::Sku | Scheme::Other => kept_as_written(text),
    }
}

/// Returns true if two identifiers denote the same object. Part numbers are compared without their
/// separators, shops' own numbers without case. Identifiers that are invalid by their scheme never
/// match.
#[must_use]
pub fn same(scheme: Scheme, left: &str, right: &str) -> bool {
    let key = |text: &str| key(scheme, text);
    key(left).is_some_and(|left| Some(left) == key(right))
}

/// Key by which identifiers of the scheme are compared and indexed.
#[must_use]
pub fn key(scheme: Scheme, text: &str) -> Option<String> {
    let normal = normalise(scheme, text).ok()?;
    match scheme {
        Scheme::Mpn => Some(model_key(&normal)).filter(|key| !key.is_empty()),
        Scheme::Sku | Scheme::Other => Some(fold(&normal)),
        _ => Some(normal),
    }
}

impl Scheme {
    /// Usual name of the scheme in lower case; `identifier` for a custom scheme.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Isbn => "isbn",
            Self::Issn => "issn",
            Self::Ismn => "ismn",
            Self::Gtin => "gtin",
            Self::Mpn => "mpn",
            Self::Sku => "sku",
            Self::Asin => "asin",
            Self::Doi => "doi",
            Self::Other => "identifier",
        }
    }

    /// The scheme that is called so. Any name it does not know is [`Scheme::Other`].
    #[must_use]
    pub fn parse(name: &str) -> Self {
        match fold(name).replace(['-', '_', ' '], "").as_str() {
            "isbn" | "isbn10" | "isbn13" => Self::Isbn,
            "issn" | "eissn" => Self::Issn,
            "ismn" => Self::Ismn,
            "gtin" | "gtin8" | "gtin12" | "gtin13" | "gtin14" | "ean" | "ean8" | "ean13" | "upc" | "upca"
            | "jan" => Self::Gtin,
            "mpn" | "partnumber" | "model" | "modelnumber" => Self::Mpn,
            "sku" | "articlenumber" => Self::Sku,
            "asin" => Self::Asin,
            "doi" => Self::Doi,
            _ => Self::Other,
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Scheme {
    type Err = std::convert::Infallible;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(Self::parse(name))
    }
}

/// Labels in front of identifiers, longest first where one begins another.
const LABELS: &[&str] = &[
    "isbn-13", "isbn-10", "isbn13", "isbn10", "isbn", "e-issn", "eissn", "issn", "ismn", "gtin-14",
    "gtin-13", "gtin-12", "gtin-8", "gtin14", "gtin13", "gtin12", "gtin8", "gtin", "ean-13", "ean-8",
    "ean13", "ean8", "ean", "upc-a", "upca", "upc", "jan", "asin", "doi", "mpn", "sku",
];

/// The text without its labels and without brackets around it. Some pages write the label twice,
/// and what is left must not be read differently a second time.
fn without_label(text: &str) -> &str {
    let mut bare = without_brackets(text);
    while let Some(rest) = LABELS.iter().find_map(|label| label_stripped(bare, label)) {
        bare = without_brackets(rest);
    }
    bare
}

fn without_brackets(text: &str) -> &str {
    text.trim_matches(|character: char| {
        character.is_whitespace() || matches!(character, '(' | ')' | '[' | ']')
    })
}

fn label_stripped<'text>(text: &'text str, label: &str) -> Option<&'text str> {
    let head = text.get(..label.len())?;
    if !head.eq_ignore_ascii_case(label) {
        return None;
    }
    let rest = &text[label.len()..];
    // `ISBN9780306406157` is common; `sku12` or `JANE-5` may be a number that begins like a label.
    let separated = rest.starts_with(|character: char| !character.is_alphanumeric() && character != '-');
    let all_digits = rest.starts_with(|character: char| character.is_ascii_digit())
        && rest.len() >= 8
        && label != "sku"
        && label != "mpn";
    let dashed = rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(' '));
    let separators = |character: char| {
        character.is_whitespace() || matches!(character, ':' | '#' | '：' | '.' | '-' | '–')
    };
    (separated || all_digits || dashed).then(|| rest.trim_start_matches(separators))
}

fn kept_as_written(text: &str) -> Result<String, Problem> {
    /// Longer texts are descriptions that were taken for a number.
    const LONGEST: usize = 128;
    let tidied = tidy(text);
    match tidied.len() {
        0 => Err(Problem::Empty),
        1..=LONGEST => Ok(tidied),
        _ => Err(Problem::Length),
    }
}

/// The digits of a number written with separators; a final `X` is allowed if so said.
fn digits_of(text: &str, final_x: bool) -> Result<Vec<u8>, Problem> {
    /// No number here has more than 14 digits; what is much longer is not worth reading.
    const MAX_DIGITS: usize = 20;
    let mut digits = Vec::with_capacity(14);
    let mut ended = false;
    for character in text.chars() {
        let character = crate::text::fold_char(character).unwrap_or(' ');
        match character {
            '0'..='9' if !ended => digits.push(character as u8 - b'0'),
            // Only the last place of an ISSN or an ISBN of ten digits is an `X`, so seven digits
            // come before.
            'x' if final_x && !ended && digits.len() + 1 >= 8 => {
                digits.push(10);
                ended = true;
            }
            ' ' | '-' | '.' => {}
            _ => return Err(Problem::Character),
        }
        if digits.len() > MAX_DIGITS {
            return Err(Problem::Length);
        }
    }
    if digits.is_empty() {
        Err(Problem::Length)
    } else {
        Ok(digits)
    }
}

fn to_text(digits: &[u8]) -> String {
    digits
        .iter()
        .map(|digit| {
            if *digit == 10 {
                'X'
            } else {
                char::from(b'0' + digit)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
