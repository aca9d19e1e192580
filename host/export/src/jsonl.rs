//! One JSON object per line.

use std::io::Write;

use crate::columns::Column;
use crate::kind::ColumnKind;
use crate::row::{RowError, Rows, Value, write_time};

pub(crate) struct JsonLines<'a, W> {
    into: W,
    columns: &'a [Column],
}

impl<'a, W: Write> JsonLines<'a, W> {
    pub(crate) fn new(into: W, columns: &'a [Column]) -> JsonLines<'a, W> {
        JsonLines { into, columns }
    }
}

impl<W: Write> Rows for JsonLines<'_, W> {
    fn row(&mut self, values: &[Value<'_>]) -> Result<(), RowError> {
        let mut before = "{";
        for (column, value) in self.columns.iter().zip(values) {
            if matches!(value, Value::Null) {
                continue;
            }
            write!(self.into, "{before}\"{}\":", column.name)?;
            before = ",";
            match (value, column.kind) {
                (Value::Integer(number), ColumnKind::Time) => {
                    self.into.write_all(b"\"")?;
                    write_time(*number, &mut self.into)?;
                    self.into.write_all(b"\"")?;
                }
                (Value::Integer(number), _) => write!(self.into, "{number}")?,
                // JSON has no infinity.
                (Value::Real(number), _) if number.is_finite() => write!(self.into, "{number}")?,
                (Value::Real(_) | Value::Null, _) => self.into.write_all(b"null")?,
                (Value::Text(text), ColumnKind::Json) if is_one_line_of_json(text) => {
                    self.into.write_all(text)?;
                }
                (Value::Text(text), _) => {
                    serde_json::to_writer(&mut self.into, &String::from_utf8_lossy(text))
                        .map_err(std::io::Error::from)?;
                }
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
