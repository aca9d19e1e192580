//! Positions in lists as opaque text that other programs keep and hand back.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use xxhash_rust::xxh3::xxh3_64;

/// Maximum length of a cursor as text. The key of a position may be a label.
const MAX_TEXT: usize = 2_000;

/// Bytes of the checksum at the end.
const CHECK_BYTES: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCursor {
    /// It is not the text of a cursor.
    #[error("the cursor is damaged: pass it as it was received, or begin without one")]
    Damaged,
    /// It is a cursor of another workspace, query or order.
    #[error("the cursor belongs to another workspace, query or order: begin without one")]
    Elsewhere,
}

/// A position in a list, which only the store that made it can read: in the log of changes, in
/// hits, in the URLs of the frontier. A store with several shards keeps the positions of all in it.
///
/// As text it is hexadecimal digits: a letter for the kind and version of the content, the content,
/// and a checksum. A store that changes the form of a content takes another letter, so an old
/// cursor is refused and never misread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(Vec<u8>);

impl Cursor {
    pub fn new(kind: u8, content: &[u8]) -> Cursor {
        let mut bytes = Vec::with_capacity(content.len() + 1);
        bytes.push(kind);
        bytes.extend(content);
        Cursor(bytes)
    }

    /// Returns the content of a cursor of a kind.
    pub fn content(&self, kind: u8) -> Result<&[u8], BadCursor> {
        match self.0.split_first() {
            Some((own, content)) if *own == kind => Ok(content),
            _ => Err(BadCursor::Damaged),
        }
    }
}

impl Display for Cursor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let check = xxh3_64(&self.0).to_be_bytes();
        for byte in self.0.iter().chain(&check[..CHECK_BYTES]) {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl FromStr for Cursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Cursor, BadCursor> {
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
            true => Ok(Cursor(bytes)),
            false => Err(BadCursor::Damaged),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_as_they_were_written() {
        let cursor = Cursor::new(b'c', &[0, 255, 7]);
        assert_eq!(cursor.to_string().parse(), Ok(cursor.clone()));
        assert_eq!(cursor.content(b'c'), Ok([0, 255, 7].as_slice()));
        assert_eq!(cursor.content(b's'), Err(BadCursor::Damaged));
    }

    #[test]
    fn any_changed_digit_is_noticed() {
        let text = Cursor::new(b'c', &[7, 0, 3]).to_string();
        for at in 0..text.len() {
            let digit = if &text[at..=at] == "0" { "1" } else { "0" };
            let changed = format!("{}{digit}{}", &text[..at], &text[at + 1..]);
            assert_eq!(changed.parse::<Cursor>(), Err(BadCursor::Damaged), "{changed}");
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
            assert_eq!(text.parse::<Cursor>(), Err(BadCursor::Damaged));
        }
    }
}
