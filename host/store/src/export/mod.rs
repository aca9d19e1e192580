//! Tables as files for other programs.
//!
//! Rows are streamed: an export takes the memory of one row, or for Parquet of one row group. A
//! file is written under a temporary name beside its path and renamed when complete, so readers
//! never see half of one. Pipes and terminals are written to directly.

mod attribute;
mod columns;
mod csv;
mod jsonl;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "parquet_absent.rs"]
mod parquet;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::types::ValueRef;

use crate::{ObjectId, Reader, RunId, StoreError};
use magpie_values::Timestamp;

pub(crate) use columns::Names;
pub use columns::{Column, ColumnKind, Table, columns, columns_page};
use columns::{columns_of, query};

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// A JSON object on each line; fields without value are left out.
    Jsonl,
    /// RFC 4180 with a line of names; fields without value are empty.
    Csv,
    /// Parquet, compressed with Snappy.
    Parquet,
}

/// The outcome of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Rows.
    pub rows: u64,
    /// The bytes of the file.
    pub bytes: u64,
}

/// One form of writing rows.
trait Rows {
    fn row(&mut self, values: &[ValueRef<'_>]) -> Result<(), RowError>;
    fn finish(self: Box<Self>) -> Result<(), RowError>;
}

/// Reason why a row could not be written.
#[derive(Debug, thiserror::Error)]
enum RowError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0}")]
    Refused(String),
}

/// Selected rows of a table.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// The table.
    pub table: Table,
    /// Only those of this run; objects that were seen in it.
    pub run: Option<RunId>,
    /// Only those of this vertical; pages and links are of none.
    pub vertical: Option<&'a str>,
    /// Only the objects with these numbers.
    pub objects: Option<&'a [ObjectId]>,
}

impl Selection<'_> {
    /// All rows of a table.
    pub fn all(table: Table) -> Self {
        Self {
            table,
            run: None,
            vertical: None,
            objects: None,
        }
    }
}

/// Age from which an unlocked temporary file is removed.
const STALE: Duration = Duration::from_secs(60);

/// Writes a table to a file: the rows of one run, or all. An existing file is replaced when the new
/// one is complete.
pub fn export(
    reader: &Reader,
    table: Table,
    run: Option<RunId>,
    format: ExportFormat,
    path: &Path,
) -> Result<Exported, StoreError> {
    let selection = Selection {
        run,
        ..Selection::all(table)
    };
    export_selection(reader, selection, format, path)
}

/// The same of chosen rows.
pub fn export_selection(
    reader: &Reader,
    selection: Selection<'_>,
    format: ExportFormat,
    path: &Path,
) -> Result<Exported, StoreError> {
    let failed = |error| StoreError::file("can't write", path, error);
    put_file(path, failed, |file, name| {
        export_stream(reader, selection, format, file, name)
    })
}

/// Writes a file, which is then there whole or as it was. A link leads to the file that is meant; a
/// pipe or a device is written to and stays one. `failed` makes an error of the system's.
pub fn put_file<T, E>(
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    write: impl FnOnce(File, &Path) -> Result<T, E>,
) -> Result<T, E> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return write(File::options().write(true).open(path).map_err(&failed)?, path);
    }
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let part = part_of(path);
    remove_stale_parts(path);
    let result = File::create(&part).map_err(&failed).and_then(|file| {
        // Held until the file is complete: an unlocked temporary file was left by a process that
        // died. On file systems without locks, temporary files never count as stale.
        let _ = file.try_lock();
        let kept = file.try_clone().map_err(&failed)?;
        let written = write(file, &part)?;
        kept.sync_all()
            .and_then(|()| fs::rename(&part, path))
            .map_err(&failed)?;
        Ok(written)
    });
    if result.is_err() {
        // Half a file is left under a temporary name.
        let _ = fs::remove_file(&part);
    }
    result
}

/// The name a file has until it is whole.
fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

/// Removes what processes that died have left of writing this file. One that has just begun may
/// not have locked its part yet, so what is younger than a minute stays.
fn remove_stale_parts(path: &Path) {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return;
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_part = |other: &str| {
        let number = other.strip_prefix(&*name).and_then(|rest| rest.strip_prefix('.'));
        let number = number.and_then(|rest| rest.strip_suffix(".part"));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    for entry in entries.flatten() {
        if !is_part(&entry.file_name().to_string_lossy()) {
            continue;
        }
        let age = entry.metadata().and_then(|metadata| metadata.modified());
        let age = age.ok().and_then(|modified| modified.elapsed().ok());
        if age.is_some_and(|age| age >= STALE)
            && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes chosen rows to what is open already: the standard output, a pipe. `name` is for errors.
pub fn export_stream(
    reader: &Reader,
    selection: Selection<'_>,
    format: ExportFormat,
    into: File,
    name: &Path,
) -> Result<Exported, StoreError> {
    let columns = reader.look(|connection| columns_of(connection, selection, format))?;
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
    let count = stream(reader, selection, &columns, &mut |values| {
        rows.row(values).map_err(failed)
    })?;
    rows.finish().map_err(failed)?;
    Ok(Exported {
        rows: count,
        bytes: written.load(Ordering::Relaxed),
    })
}

/// Counts what is written.
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
fn stream(
    reader: &Reader,
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

/// A time as text.
fn write_time(milliseconds: i64, into: &mut impl Write) -> io::Result<()> {
    write!(into, "{}", Timestamp::from_millis(milliseconds).display_millis())
}
