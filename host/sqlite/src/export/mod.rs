//! Tables as files for other programs.
//!
//! Rows are streamed: an export takes the memory of one row, or for Parquet of one row group. A
//! file is written under a temporary name beside its path and renamed when complete, so readers
//! never see half of one. Pipes and terminals are written to directly.

pub(crate) mod attribute;
pub(crate) mod columns;
mod csv;
mod jsonl;
pub(crate) mod kind;
mod row;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use magpie_rows::{ExportFormat, Exported, Exports, Selection, StoreError};
use rusqlite::types::ValueRef;

use crate::export::columns::{Column, columns_of, query};
use crate::export::row::{RowError, Rows};
use crate::opened::{Looks, Opened};

#[cfg(feature = "parquet")]
pub(crate) mod parquet;

#[cfg(not(feature = "parquet"))]
#[path = "parquet_absent.rs"]
mod parquet;

impl<A: Looks> Exports for Opened<A> {
    fn export(
        &self,
        selection: Selection<'_>,
        format: ExportFormat,
        into: File,
        name: &Path,
    ) -> Result<Exported, StoreError> {
        let columns = self.look(|connection| columns_of(connection, selection, format))?;
        let failed = |error: RowError| match error {
            RowError::Io(error) => StoreError::file("can't write", name, error),
            RowError::Refused(detail) => StoreError::Export { detail },
        };
        let written = Arc::new(AtomicU64::new(0));
        let into = Counted {
            into,
            written: Arc::clone(&written),
        };
        let into = BufWriter::with_capacity(BUFFER, into);
        let mut rows: Box<dyn Rows + '_> = match format {
            ExportFormat::Jsonl => Box::new(jsonl::JsonLines::new(into, &columns)),
            ExportFormat::Csv => Box::new(csv::Csv::new(into, &columns).map_err(failed)?),
            ExportFormat::Parquet => parquet::rows(into, &columns).map_err(failed)?,
        };
        let count = stream(self, selection, &columns, &mut |values| {
            rows.row(values).map_err(failed)
        })?;
        rows.finish().map_err(failed)?;
        Ok(Exported {
            rows: count,
            bytes: written.load(Ordering::Relaxed),
        })
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

/// Gives every row of a table, from one state of the database.
fn stream<A: Looks>(
    reader: &Opened<A>,
    selection: Selection<'_>,
    columns: &[Column],
    each: &mut dyn FnMut(&[ValueRef<'_>]) -> Result<(), StoreError>,
) -> Result<u64, StoreError> {
    let objects = selection.objects.map(|objects| {
        let numbers: serde_json::Value = objects.iter().map(|object| object.0).collect();
        numbers.to_string()
    });
    let mut refused = None;
    let rows = reader.look(|connection| {
        let mut statement = connection.prepare(&query(selection.table, columns))?;
        let mut rows = statement.query((selection.run.map(|run| run.0), selection.vertical, &objects))?;
        let mut seen = 0;
        while let Some(row) = rows.next()? {
            let values: Vec<ValueRef<'_>> = (0..columns.len())
                .map(|column| row.get_ref(column))
                .collect::<Result<_, _>>()?;
            if let Err(error) = each(&values) {
                refused = Some(error);
                break;
            }
            seen += 1;
        }
        Ok(seen)
    })?;
    refused.map_or(Ok(rows), Err)
}
