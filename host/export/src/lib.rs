//! Exported tables: their columns, and files in JSONL, CSV and Parquet.
//!
//! A store reads the rows and gives them to a [`TableWriter`] one by one. It takes the memory of
//! one row, or for Parquet of one row group.

mod attribute;
mod columns;
mod csv;
mod jsonl;
mod kind;
mod row;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use magpie_rows::{ExportFormat, Exported, StoreError};

pub use crate::columns::{Attributes, Column, Names, columns, columns_of, columns_page};
pub use crate::csv::is_formula;
pub use crate::kind::ColumnKind;
pub use crate::row::Value;
use crate::row::{RowError, Rows};

#[cfg(feature = "parquet")]
mod parquet;

#[cfg(not(feature = "parquet"))]
#[path = "parquet_absent.rs"]
mod parquet;

/// Writes a table to a file.
pub struct TableWriter<'a> {
    rows: Box<dyn Rows + 'a>,
    name: &'a Path,
    count: u64,
    written: Arc<AtomicU64>,
}

impl<'a> TableWriter<'a> {
    /// Begins a file. `name` is for errors.
    pub fn new(
        columns: &'a [Column],
        format: ExportFormat,
        into: File,
        name: &'a Path,
    ) -> Result<TableWriter<'a>, StoreError> {
        let written = Arc::new(AtomicU64::new(0));
        let into = Counted {
            into,
            written: Arc::clone(&written),
        };
        let into = BufWriter::with_capacity(BUFFER, into);
        let failed = |error| failed(name, error);
        let rows: Box<dyn Rows + '_> = match format {
            ExportFormat::Jsonl => Box::new(jsonl::JsonLines::new(into, columns)),
            ExportFormat::Csv => Box::new(csv::Csv::new(into, columns).map_err(failed)?),
            ExportFormat::Parquet => parquet::rows(into, columns).map_err(failed)?,
        };
        Ok(TableWriter {
            rows,
            name,
            count: 0,
            written,
        })
    }

    /// Writes a row: a value for each column.
    pub fn row(&mut self, values: &[Value<'_>]) -> Result<(), StoreError> {
        self.count += 1;
        self.rows.row(values).map_err(|error| failed(self.name, error))
    }

    /// Ends the file.
    pub fn finish(self) -> Result<Exported, StoreError> {
        self.rows.finish().map_err(|error| failed(self.name, error))?;
        Ok(Exported {
            rows: self.count,
            bytes: self.written.load(Ordering::Relaxed),
        })
    }
}

fn failed(name: &Path, error: RowError) -> StoreError {
    match error {
        RowError::Io(error) => StoreError::file("can't write", name, error),
        RowError::Refused(detail) => StoreError::Export { detail },
    }
}

struct Counted {
    into: File,
    written: Arc<AtomicU64>,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.into.write(bytes)?;
        self.written.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.into.flush()
    }
}

const BUFFER: usize = 256 * 1024;
