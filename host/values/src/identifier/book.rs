//! ISBN and ISSN.

use super::trade::has_right_check_digit;
use super::{Problem, digits_of, to_text};

/// The 13 digits of a book's number, from its ten- or thirteen-digit form.
pub fn isbn13(text: &str) -> Result<String, Problem> {
    let digits = digits_of(text, true)?;
    match digits.len() {
        10 => {
            check_ten(&digits)?;
            Ok(to_text(&thirteen_from_ten(&digits)))
        }
        13 => {
            check_thirteen(&digits)?;
            Ok(to_text(&digits))
        }
        _ => Err(Problem::Length),
    }
}

/// The ten-character form, if the number has one: those that begin with 979 have not.
pub fn isbn10(text: &str) -> Result<String, Problem> {
    let digits = digits_of(text, true)?;
    match digits.len() {
        10 => {
            check_ten(&digits)?;
            Ok(to_text(&digits))
        }
        13 => {
            check_thirteen(&digits)?;
            if !digits.starts_with(&[9, 7, 8]) {
                return Err(Problem::Shape);
            }
            let mut ten = digits[3..12].to_vec();
            ten.push(check_digit_of_ten(&ten));
            Ok(to_text(&ten))
        }
        _ => Err(Problem::Length),
    }
}

/// The number of a periodical as `1234-567X`. Also from the thirteen digits under the bars.
pub fn issn(text: &str) -> Result<String, Problem> {
    let digits = digits_of(text, true)?;
    let eight = match digits.len() {
        8 => digits,
        13 if digits.starts_with(&[9, 7, 7]) => {
            if !has_right_check_digit(&digits) {
                return Err(Problem::CheckDigit);
            }
            let mut eight = digits[3..10].to_vec();
            eight.push(issn_check_digit(&eight));
            eight
        }
        _ => return Err(Problem::Length),
    };
    if eight[7] != issn_check_digit(&eight[..7]) {
        return Err(Problem::CheckDigit);
    }
    let text = to_text(&eight);
    Ok(format!("{}-{}", &text[..4], &text[4..]))
}

fn check_ten(digits: &[u8]) -> Result<(), Problem> {
    if digits[9] == check_digit_of_ten(&digits[..9]) {
        Ok(())
    } else {
        Err(Problem::CheckDigit)
    }
}

fn check_thirteen(digits: &[u8]) -> Result<(), Problem> {
    if digits.contains(&10) {
        return Err(Problem::Character);
    }
    // 979-0 is printed music, not books.
    if !digits.starts_with(&[9, 7, 8]) && !digits.starts_with(&[9, 7, 9]) || digits[..4] == [9, 7, 9, 0] {
        return Err(Problem::Shape);
    }
    if has_right_check_digit(digits) {
        Ok(())
    } else {
        Err(Problem::CheckDigit)
    }
}

fn thirteen_from_ten(ten: &[u8]) -> Vec<u8> {
    let mut digits = vec![9, 7, 8];
    digits.extend_from_slice(&ten[..9]);
    digits.push(0);
    let check = (0..10).find(|check| {
        digits[12] = *check;
        has_right_check_digit(&digits)
    });
    digits[12] = check.unwrap_or(0);
    digits
}

/// Weights 10 down to 2, modulo 11; ten is written X.
fn check_digit_of_ten(nine: &[u8]) -> u8 {
    modulo_eleven(nine, 10)
}

/// Weights 8 down to 2, modulo 11.
fn issn_check_digit(seven: &[u8]) -> u8 {
    modulo_eleven(seven, 8)
}

fn modulo_eleven(digits: &[u8], first_weight: u32) -> u8 {
    let weighted = digits.iter().zip((2..=first_weight).rev());
    let sum: u32 = weighted.map(|(digit, weight)| u32::from(*digit) * weight).sum();
    ((11 - sum % 11) % 11) as u8
}
