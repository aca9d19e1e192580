//! Columns whose values have a type of their own.

use magpie_model::Record;
use magpie_values::Timestamp;
use rusqlite::Row;

/// Reads a moment that is kept in milliseconds since 1970.
pub(crate) fn millis(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    row.get(column).map(Timestamp::from_millis)
}

/// Reads a moment that is kept in milliseconds since 1970, or null.
pub(crate) fn optional_millis(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let milliseconds: Option<i64> = row.get(column)?;
    Ok(milliseconds.map(Timestamp::from_millis))
}

/// Reads a column that keeps a record. Returns `None` if its text is no record.
pub(crate) fn record(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Record>> {
    let text = row.get_ref(column)?.as_str()?;
    Ok(Record::from_text(text))
}
