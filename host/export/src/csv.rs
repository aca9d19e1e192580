//! Comma-separated values (RFC 4180).
//!
//! The texts are untrusted. A text that begins with `=`, `+`, `-` or `@` is prefixed with an
//! apostrophe, unless it is a number. Control characters other than tabs and line ends are removed,
//! since a terminal obeys them.

use std::borrow::Cow;
use std::io::Write;

use crate::columns::Column;
use crate::kind::ColumnKind;
use crate::row::{RowError, Rows, Value, write_time};

pub(crate) struct Csv<'a, W> {
    into: W,
    columns: &'a [Column],
}

impl<'a, W: Write> Csv<'a, W> {
    pub(crate) fn new(mut into: W, columns: &'a [Column]) -> Result<Csv<'a, W>, RowError> {
        let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        write!(into, "{}\r\n", names.join(","))?;
        Ok(Csv { into, columns })
    }

    fn text(&mut self, text: &[u8]) -> std::io::Result<()> {
        let text = &*printable(text);
        // A spreadsheet would run the text of a stranger as a formula.
        if is_formula(text) {
            return self.quoted(&[b"'", text].concat());
        }
        self.quoted(text)
    }

    fn quoted(&mut self, text: &[u8]) -> std::io::Result<()> {
        let quoted = text
            .iter()
            .any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n'));
        if !quoted {
            return self.into.write_all(text);
        }
        self.into.write_all(b"\"")?;
        for (index, part) in text.split(|byte| *byte == b'"').enumerate() {
            if index > 0 {
                self.into.write_all(b"\"\"")?;
            }
            self.into.write_all(part)?;
        }
        self.into.write_all(b"\"")
    }
}

/// Returns true for a text that a spreadsheet treats as a formula.
pub fn is_formula(text: &[u8]) -> bool {
    let is_number = || {
        let has_digit = text
            .get(1)
            .is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.');
        has_digit && str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok())
    };
    match text.first() {
        Some(b'=' | b'@' | b'\t' | b'\r') => true,
        Some(b'+' | b'-') => !is_number(),
        _ => false,
    }
}

/// Removes control characters other than tabs and line ends.
fn printable(text: &[u8]) -> Cow<'_, [u8]> {
    let is_odd = |character: char| character.is_control() && !matches!(character, '\t' | '\r' | '\n');
    match str::from_utf8(text) {
        Ok(text) if text.contains(is_odd) => Cow::Owned(text.replace(is_odd, "").into_bytes()),
        _ => Cow::Borrowed(text),
    }
}

impl<W: Write> Rows for Csv<'_, W> {
    fn row(&mut self, values: &[Value<'_>]) -> Result<(), RowError> {
        for (index, (column, value)) in self.columns.iter().zip(values).enumerate() {
            if index > 0 {
                self.into.write_all(b",")?;
            }
            match (value, column.kind) {
                (Value::Null, _) => {}
                (Value::Integer(number), ColumnKind::Time) => write_time(*number, &mut self.into)?,
                (Value::Integer(number), _) => write!(self.into, "{number}")?,
                (Value::Real(number), _) => write!(self.into, "{number}")?,
                (Value::Text(text), _) => self.text(text)?,
            }
        }
        self.into.write_all(b"\r\n")?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), RowError> {
        Ok(self.into.flush()?)
    }
}
