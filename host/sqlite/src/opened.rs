//! A workspace as it was opened: the reading traits are implemented once for both ways.

use std::path::Path;

use magpie_rows::{Crew, ReadStore, StoreError};
use rusqlite::Connection;

use crate::workspace::connect::DATABASE;

/// A workspace in SQLite, opened for reading ([`Reader`](crate::Reader)) or for writing
/// ([`Workspace`](crate::Workspace)).
#[derive(Clone)]
pub struct Opened<A>(pub(crate) A);

/// A way of opening that has a connection for reading.
pub trait Looks {
    fn look<T>(&self, with: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError>;

    fn folder(&self) -> &Path;

    /// Fails if the workspace was moved, replaced or migrated after it was opened.
    fn check_current(&self) -> Result<(), StoreError>;
}

impl<A: Looks> Opened<A> {
    pub(crate) fn look<T>(
        &self,
        with: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.0.look(with)
    }
}

impl<A: Looks> ReadStore for Opened<A> {
    fn check(&self) -> Result<(), StoreError> {
        let found = self.look(|connection| {
            connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
        })?;
        match found.as_str() {
            "ok" => Ok(()),
            _ => Err(StoreError::Corrupt {
                file: self.0.folder().join(DATABASE),
                detail: found,
            }),
        }
    }

    fn check_current(&self) -> Result<(), StoreError> {
        self.0.check_current()
    }

    fn crew(&self) -> Option<&dyn Crew> {
        None
    }
}
