//! One JSON object per line.

use std::io::Write;

use rusqlite::types::ValueRef;

use crate::export::columns::Column;
use crate::export::kind::ColumnKind;
use crate::export::row::{RowError, Rows, write_time};
use crate::writer::links::push_string;

pub(super) struct JsonLines<'a, W> {
    into: W,
    columns: &'a [Column],
    text: String,
}

impl<'a, W: Write> JsonLines<'a, W> {
    pub(super) fn new(into: W, columns: &'a [Column]) -> JsonLines<'a, W> {
        JsonLines {
            into,
            columns,
            text: String::new(),
        }
    }

    fn string(&mut self, text: &[u8]) -> std::io::Result<()> {
        self.text.clear();
        push_string(&String::from_utf8_lossy(text), &mut self.text);
        self.into.write_all(self.text.as_bytes())
    }
}

impl<W: Write> Rows for JsonLines<'_, W> {
    fn row(&mut self, values: &[ValueRef<'_>]) -> Result<(), RowError> {
        let mut before = "{";
        for (column, value) in self.columns.iter().zip(values) {
            if matches!(value, ValueRef::Null) {
                continue;
            }
            write!(self.into, "{before}\"{}\":", column.name)?;
            before = ",";
            match (value, column.kind) {
                (ValueRef::Integer(number), ColumnKind::Time) => {
                    self.into.write_all(b"\"")?;
                    write_time(*number, &mut self.into)?;
                    self.into.write_all(b"\"")?;
                }
                (ValueRef::Integer(number), _) => write!(self.into, "{number}")?,
                // JSON has no infinity, and SQLite stores no NaN.
                (ValueRef::Real(number), _) if number.is_finite() => write!(self.into, "{number}")?,
                (ValueRef::Real(_) | ValueRef::Null, _) => self.into.write_all(b"null")?,
                (ValueRef::Text(text), ColumnKind::Json) if is_one_line_of_json(text) => {
                    self.into.write_all(text)?;
                }
                (ValueRef::Text(text) | ValueRef::Blob(text), _) => self.string(text)?,
            }
        }
        let end: &[u8] = if before == "{" { b"{}\n" } else { b"}\n" };
        self.into.write_all(end)?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), RowError> {
        Ok(self.into.flush()?)
    }
}

/// Returns true if a text can be embedded in a line as it is. Texts that other programs wrote into
/// the column may not be.
fn is_one_line_of_json(text: &[u8]) -> bool {
    !text.contains(&b'\n') && serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}
