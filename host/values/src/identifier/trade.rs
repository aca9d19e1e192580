//! GTIN, the number under the bars: EAN, UPC and JAN are lengths of it.

use super::{Problem, digits_of, to_text};

/// Kind of a GTIN, by its length and prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GtinKind {
    /// Eight digits.
    Gtin8,
    /// Twelve digits: UPC-A.
    Gtin12,
    /// Thirteen digits: EAN-13.
    Gtin13,
    /// Fourteen digits: a case of items.
    Gtin14,
    /// Thirteen digits that begin with 978 or 979: a book.
    Isbn13,
    /// Thirteen digits that begin with 9790: printed music.
    Ismn,
    /// Thirteen digits that begin with 977: a periodical.
    Issn13,
}

/// The number as 14 digits, zeros in front, if it has 8, 12, 13 or 14 digits and the right check
/// digit.
pub fn gtin(text: &str) -> Result<String, Problem> {
    let digits = checked(text)?;
    Ok(format!("{:0>14}", to_text(&digits)))
}

/// Returns true if the text is a valid GTIN.
#[must_use]
pub fn is_gtin(text: &str) -> bool {
    checked(text).is_ok()
}

/// Returns the kind of GTIN. Leading zeros that only pad are ignored.
pub fn gtin_kind(text: &str) -> Result<GtinKind, Problem> {
    let digits = checked(text)?;
    Ok(match digits.as_slice() {
        // Printed music before books, whose prefix it shares.
        [9, 7, 9, 0, ..] if digits.len() == 13 => GtinKind::Ismn,
        [9, 7, 8 | 9, ..] if digits.len() == 13 => GtinKind::Isbn13,
        [9, 7, 7, ..] if digits.len() == 13 => GtinKind::Issn13,
        _ => match digits.len() {
            8 => GtinKind::Gtin8,
            12 => GtinKind::Gtin12,
            13 => GtinKind::Gtin13,
            _ => GtinKind::Gtin14,
        },
    })
}

/// The number of printed music as 13 digits; the older form begins with `M` for `9790`.
pub(super) fn ismn(text: &str) -> Result<String, Problem> {
    let number = match text.strip_prefix(['M', 'm']) {
        Some(rest) => format!("9790{rest}"),
        None => text.to_owned(),
    };
    let digits = digits_of(&number, false)?;
    if digits.len() != 13 {
        return Err(Problem::Length);
    }
    if !digits.starts_with(&[9, 7, 9, 0]) {
        return Err(Problem::Shape);
    }
    if has_right_check_digit(&digits) {
        Ok(to_text(&digits))
    } else {
        Err(Problem::CheckDigit)
    }
}

/// Weights 3 and 1 in turn from the right, the check digit weighs 1; the sum ends in 0.
pub(super) fn has_right_check_digit(digits: &[u8]) -> bool {
    let weighted = digits.iter().rev().enumerate();
    let sum: u32 = weighted
        .map(|(place, digit)| u32::from(*digit) * if place % 2 == 0 { 1 } else { 3 })
        .sum();
    sum % 10 == 0
}

fn checked(text: &str) -> Result<Vec<u8>, Problem> {
    let digits = digits_of(text, false)?;
    if !matches!(digits.len(), 8 | 12 | 13 | 14) {
        return Err(Problem::Length);
    }
    // All zeros pass the check and stand in many shops' data for "none".
    if digits.iter().all(|digit| *digit == 0) {
        return Err(Problem::Shape);
    }
    if has_right_check_digit(&digits) {
        Ok(digits)
    } else {
        Err(Problem::CheckDigit)
    }
}
