//! Exported tables.

use std::fs::File;
use std::path::Path;

use crate::error::StoreError;
use crate::ids::{ObjectId, RunId};

pub trait Exports {
    /// Writes selected rows to a file, from one state of the store. `name` is for errors.
    fn export(
        &self,
        selection: Selection<'_>,
        format: ExportFormat,
        into: File,
        name: &Path,
    ) -> Result<Exported, StoreError>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// One row per fetch.
    Pages,
    /// One row per link of each page.
    Links,
    /// One row per record found on a page.
    Records,
    /// One row per object.
    Objects,
}

impl Table {
    pub const ALL: [Table; 4] = [Table::Pages, Table::Links, Table::Records, Table::Objects];

    pub fn name(self) -> &'static str {
        match self {
            Table::Pages => "pages",
            Table::Links => "links",
            Table::Records => "records",
            Table::Objects => "objects",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// A JSON object on each line; fields without value are left out.
    Jsonl,
    /// RFC 4180 with a line of names; fields without value are empty.
    Csv,
    /// Parquet, compressed with Snappy.
    Parquet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    pub rows: u64,
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    pub table: Table,
    /// Only those of this run; objects that were seen in it.
    pub run: Option<RunId>,
    /// Only those of this vertical; pages and links are of none.
    pub vertical: Option<&'a str>,
    /// Only the objects with these numbers.
    pub objects: Option<&'a [ObjectId]>,
}

impl Selection<'_> {
    pub fn all(table: Table) -> Self {
        Self {
            table,
            run: None,
            vertical: None,
            objects: None,
        }
    }
}
