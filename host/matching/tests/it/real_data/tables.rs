//! Readers for the tables of the sets.

use std::path::Path;

/// The rows of a table with quotes as in RFC 4180, its head first.
pub(crate) fn rows(path: &Path, separator: char) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new();
    reader.delimiter(u8::try_from(separator).expect("ASCII"));
    let reader = reader.has_headers(false).flexible(true).from_path(path);
    let reader = reader.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cells = |row: Result<csv::StringRecord, csv::Error>| -> Vec<String> {
        let row = row.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        row.iter().map(str::to_owned).collect()
    };
    reader.into_records().map(cells).collect()
}
