//! Comma-separated values by RFC 4180.

use std::io::Write;

use rusqlite::types::ValueRef;

use super::{Column, ColumnKind, RowError, Rows, write_time};

pub(super) struct Csv<'a, W> {
    into: W,
    columns: &'a [Column],
}

impl<'a, W: Write> Csv<'a, W> {
    pub(super) fn new(mut into: W, columns: &'a [Column]) -> Result<Csv<'a, W>, RowError> {
        let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        write!(into, "{}\r\n", names.join(","))?;
        Ok(Csv { into, columns })
    }

    fn text(&mut self, text: &[u8]) -> std::io::Result<()> {
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

impl<W: Write> Rows for Csv<'_, W> {
    fn row(&mut self, values: &[ValueRef<'_>]) -> Result<(), RowError> {
        for (index, (column, value)) in self.columns.iter().zip(values).enumerate() {
            if index > 0 {
                self.into.write_all(b",")?;
            }
            match (value, column.kind) {
                (ValueRef::Null, _) => {}
                (ValueRef::Integer(number), ColumnKind::Time) => write_time(*number, &mut self.into)?,
                (ValueRef::Integer(number), _) => write!(self.into, "{number}")?,
                (ValueRef::Real(number), _) => write!(self.into, "{number}")?,
                (ValueRef::Text(text) | ValueRef::Blob(text), _) => self.text(text)?,
            }
        }
        self.into.write_all(b"\r\n")?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), RowError> {
        Ok(self.into.flush()?)
    }
}
