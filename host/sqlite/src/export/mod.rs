//! Reading the rows of exported tables.
//!
//! A file is written under a temporary name beside its path and renamed when complete, so readers
//! never see half of one. Pipes and terminals are written to directly.

mod columns;

use std::fs::File;
use std::path::Path;

use magpie_export::{Column, TableWriter, Value, columns_of};
use magpie_rows::{ExportFormat, Exported, Exports, Selection, StoreError};
use rusqlite::types::ValueRef;

use crate::export::columns::{attributes, query};
use crate::opened::{Looks, Opened};

impl<A: Looks> Exports for Opened<A> {
    fn export(
        &self,
        selection: Selection<'_>,
        format: ExportFormat,
        into: File,
        name: &Path,
    ) -> Result<Exported, StoreError> {
        let columns = columns_of(selection.table, format, || {
            self.look(|connection| attributes(connection, selection))
        })?;
        let mut writer = TableWriter::new(&columns, format, into, name)?;
        stream(self, selection, &columns, &mut |values| writer.row(values))?;
        writer.finish()
    }
}

fn value(value: ValueRef<'_>) -> Value<'_> {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) | ValueRef::Blob(text) => Value::Text(text),
    }
}

/// Gives every row of a table, from one state of the database.
fn stream<A: Looks>(
    reader: &Opened<A>,
    selection: Selection<'_>,
    columns: &[Column],
    each: &mut dyn FnMut(&[Value<'_>]) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let objects = selection.objects.map(|objects| {
        let numbers: serde_json::Value = objects.iter().map(|object| object.0).collect();
        numbers.to_string()
    });
    let mut refused = None;
    reader.look(|connection| {
        let mut statement = connection.prepare(&query(selection.table, columns))?;
        let mut rows = statement.query((selection.run.map(|run| run.0), selection.vertical, &objects))?;
        while let Some(row) = rows.next()? {
            let values: Vec<Value<'_>> = (0..columns.len())
                .map(|column| row.get_ref(column).map(value))
                .collect::<Result<_, _>>()?;
            if let Err(error) = each(&values) {
                refused = Some(error);
                break;
            }
        }
        Ok(())
    })?;
    refused.map_or(Ok(()), Err)
}
