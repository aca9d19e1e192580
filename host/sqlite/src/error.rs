//! Errors of SQLite as errors of the store.

use std::path::Path;

use magpie_rows::StoreError;
use rusqlite::ErrorCode;

/// Converts an error of SQLite; a full disk and a damaged file are errors of their own.
pub(crate) fn database_error(file: &Path, source: rusqlite::Error) -> StoreError {
    let file = file.to_owned();
    // All statements fit the newest schema, so it is the database that does not. The text of the
    // statement would not help a person.
    let unfit = match &source {
        rusqlite::Error::SqlInputError { msg, .. } => Some(msg),
        rusqlite::Error::SqliteFailure(error, Some(msg)) if error.code == ErrorCode::Unknown => Some(msg),
        _ => None,
    };
    if let Some(msg) = unfit {
        let detail = format!("its tables do not fit its schema version ({msg})");
        return StoreError::Corrupt { file, detail };
    }
    match source.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::DiskFull { file },
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Corrupt {
            file,
            detail: source.to_string(),
        },
        Some(ErrorCode::NotADatabase) => StoreError::NotAWorkspace { path: file },
        _ => StoreError::Database {
            file,
            source: Box::new(source),
        },
    }
}
