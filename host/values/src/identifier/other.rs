//! Identifiers without check digits: DOI, ASIN, part numbers.

use super::Problem;
use crate::text::{fold, tidy};

/// Amazon's number: ten capitals and digits, `B0` and eight more, or a book's ISBN-10.
pub fn asin(text: &str) -> Result<String, Problem> {
    let upper = text.trim().to_ascii_uppercase();
    if upper.len() != 10 {
        return Err(Problem::Length);
    }
    if !upper.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(Problem::Character);
    }
    let is_book = || super::isbn10(&upper).is_ok();
    if upper.starts_with('B') || is_book() {
        Ok(upper)
    } else {
        Err(Problem::Shape)
    }
}

/// A document's number: `10.`, a registrant, a slash, a suffix. In lower case, since case means
/// nothing in it.
pub fn doi(text: &str) -> Result<String, Problem> {
    let lower = text.trim().to_lowercase();
    let start = lower.find("10.").ok_or(Problem::Shape)?;
    // `10.` also begins dates, prices and versions.
    if !matches!(&lower[..start], "" | "doi:" | "doi: ") && !lower[..start].ends_with("doi.org/") {
        return Err(Problem::Shape);
    }
    let number = lower[start..].trim_end_matches(['.', ',', ';', ')', ']', '"', '\'']);
    // The period of `10.` is trimmed, too, if nothing comes behind it.
    let rest = number.strip_prefix("10.").ok_or(Problem::Shape)?;
    let (registrant, suffix) = rest.split_once('/').ok_or(Problem::Shape)?;
    let registered = registrant.len() >= 4
        && registrant
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !registered || suffix.is_empty() {
        return Err(Problem::Shape);
    }
    if suffix.contains(char::is_whitespace) {
        Err(Problem::Character)
    } else {
        Ok(number.to_owned())
    }
}

/// A maker's number for keeping: upper case, single spaces. It must have a letter or digit.
pub fn part_number(text: &str) -> Result<String, Problem> {
    /// The longest part numbers seen have about 40 characters; longer texts are descriptions.
    const LONGEST: usize = 64;
    let tidied = tidy(text).to_uppercase();
    if tidied.len() > LONGEST {
        return Err(Problem::Length);
    }
    if tidied.contains(char::is_alphanumeric) {
        Ok(tidied)
    } else {
        Err(Problem::Empty)
    }
}

/// Key by which part and model numbers are compared: letters and digits alone, without case, since
/// `WH-1000XM4/B` is also written `wh1000xm4 b`.
#[must_use]
pub fn model_key(text: &str) -> String {
    fold(text)
        .chars()
        .filter(|character| character.is_alphanumeric())
        .collect()
}
