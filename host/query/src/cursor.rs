//! Cursors: positions as opaque text that other programs keep and hand back. Only stores look into
//! them.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use xxhash_rust::xxh3::xxh3_64;

/// Maximum length of a cursor as text. The key of a position may be a label.
const MAX_TEXT: usize = 2_000;

/// Bytes of the checksum at the end.
const CHECK_BYTES: usize = 4;

/// Reason why a cursor is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCursor {
    /// It is not the text of a cursor.
    #[error("the cursor is damaged: pass it as it was received, or begin without one")]
    Damaged,
    /// It is a cursor of another workspace, query or order.
    #[error("the cursor belongs to another workspace, query or order: begin without one")]
    Elsewhere,
}

/// A position in the log of changes of one workspace, as opaque text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeCursor {
    pub workspace: u64,
    /// The number of the last change before the position.
    pub seq: i64,
}

/// A position in the hits of one query in one order, as opaque text.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchCursor {
    /// Hash of the vertical, the query and the order.
    pub search: u64,
    /// The sort key of the last hit before the position.
    pub key: SortValue,
    /// The number of that hit.
    pub object: i64,
}

/// A value by which hits are sorted.
#[derive(Clone, Debug, PartialEq)]
pub enum SortValue {
    /// The object has none.
    Missing,
    Number(f64),
    Text(String),
}

impl Display for ChangeCursor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut bytes = vec![b'c'];
        bytes.extend(self.workspace.to_be_bytes());
        bytes.extend(self.seq.to_be_bytes());
        write_text(&bytes, f)
    }
}

impl FromStr for ChangeCursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<ChangeCursor, BadCursor> {
        let bytes = read_text(text)?;
        let mut bytes = bytes.as_slice();
        if take(&mut bytes)? != *b"c" {
            return Err(BadCursor::Damaged);
        }
        let workspace = u64::from_be_bytes(take(&mut bytes)?);
        let seq = i64::from_be_bytes(take(&mut bytes)?);
        match bytes.is_empty() && seq >= 0 {
            true => Ok(ChangeCursor { workspace, seq }),
            false => Err(BadCursor::Damaged),
        }
    }
}

impl Display for SearchCursor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut bytes = vec![b's'];
        bytes.extend(self.search.to_be_bytes());
        bytes.extend(self.object.to_be_bytes());
        match &self.key {
            SortValue::Missing => bytes.push(0),
            SortValue::Number(number) => {
                bytes.push(1);
                bytes.extend(number.to_be_bytes());
            }
            SortValue::Text(text) => {
                bytes.push(2);
                bytes.extend(text.as_bytes());
            }
        }
        write_text(&bytes, f)
    }
}

impl FromStr for SearchCursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<SearchCursor, BadCursor> {
        let bytes = read_text(text)?;
        let mut bytes = bytes.as_slice();
        if take(&mut bytes)? != *b"s" {
            return Err(BadCursor::Damaged);
        }
        let search = u64::from_be_bytes(take(&mut bytes)?);
        let object = i64::from_be_bytes(take(&mut bytes)?);
        let key = match take(&mut bytes)? {
            [0] if bytes.is_empty() => SortValue::Missing,
            [1] => {
                let number = f64::from_be_bytes(take(&mut bytes)?);
                if number.is_nan() || !bytes.is_empty() {
                    return Err(BadCursor::Damaged);
                }
                SortValue::Number(number)
            }
            [2] => SortValue::Text(str::from_utf8(bytes).map_err(|_| BadCursor::Damaged)?.to_owned()),
            _ => return Err(BadCursor::Damaged),
        };
        Ok(SearchCursor { search, key, object })
    }
}

/// Writes bytes and their checksum in hexadecimal digits.
fn write_text(bytes: &[u8], f: &mut Formatter<'_>) -> fmt::Result {
    let check = xxh3_64(bytes).to_be_bytes();
    for byte in bytes.iter().chain(&check[..CHECK_BYTES]) {
        write!(f, "{byte:02x}")?;
    }
    Ok(())
}

/// Reads what [`write_text`] wrote.
fn read_text(text: &str) -> Result<Vec<u8>, BadCursor> {
    let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if text.len() > MAX_TEXT || !text.len().is_multiple_of(2) || !is_hex {
        return Err(BadCursor::Damaged);
    }
    let pairs = (0..text.len()).step_by(2);
    let bytes = pairs.map(|at| u8::from_str_radix(&text[at..at + 2], 16));
    let mut bytes: Vec<u8> = bytes.collect::<Result<_, _>>().map_err(|_| BadCursor::Damaged)?;
    let end = bytes.len().checked_sub(CHECK_BYTES).ok_or(BadCursor::Damaged)?;
    let check = bytes.split_off(end);
    match xxh3_64(&bytes).to_be_bytes().starts_with(&check) {
        true => Ok(bytes),
        false => Err(BadCursor::Damaged),
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], BadCursor> {
    let (head, rest) = bytes.split_first_chunk::<N>().ok_or(BadCursor::Damaged)?;
    *bytes = rest;
    Ok(*head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_as_they_were_written() {
        let change = ChangeCursor {
            workspace: 7,
            seq: 1_000_000,
        };
        assert_eq!(change.to_string().parse(), Ok(change));
        for key in [
            SortValue::Missing,
            SortValue::Number(-12.5),
            SortValue::Text("ü\u{0}".to_owned()),
        ] {
            let cursor = SearchCursor {
                search: u64::MAX,
                key,
                object: 17,
            };
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
    }

    #[test]
    fn any_changed_digit_is_noticed() {
        let text = ChangeCursor { workspace: 7, seq: 3 }.to_string();
        for at in 0..text.len() {
            let digit = if &text[at..=at] == "0" { "1" } else { "0" };
            let changed = format!("{}{digit}{}", &text[..at], &text[at + 1..]);
            assert_eq!(
                changed.parse::<ChangeCursor>(),
                Err(BadCursor::Damaged),
                "{changed}"
            );
        }
        for text in [
            "",
            "zz",
            "é",
            "0",
            &text[2..],
            &text.to_uppercase(),
            &"00".repeat(5_000),
        ] {
            assert_eq!(text.parse::<ChangeCursor>(), Err(BadCursor::Damaged));
            assert_eq!(text.parse::<SearchCursor>(), Err(BadCursor::Damaged));
        }
    }
}
