//! Columns whose values have a type of their own.

use std::str::FromStr;

use magpie_model::{Record, UnknownWord};
use magpie_values::Timestamp;
use rusqlite::Row;
use rusqlite::types::{Type, ValueRef};

/// The outcome of an extraction without a problem.
pub(crate) const DONE: &str = "done";

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

/// Reads a column that keeps a word.
pub(crate) fn word<T: FromStr<Err = UnknownWord>>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let word = row.get_ref(column)?.as_str()?;
    word.parse()
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

/// Reads a column that keeps a word, or null.
pub(crate) fn optional_word<T: FromStr<Err = UnknownWord>>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<T>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        _ => word(row, column).map(Some),
    }
}

/// Returns numbers as a parameter for `json_each`.
pub(crate) fn json_array(numbers: &[i64]) -> String {
    format!("{numbers:?}")
}

pub(crate) fn url_print(url: &str) -> i64 {
    xxhash_rust::xxh3::xxh3_64(url.as_bytes()).cast_signed()
}
