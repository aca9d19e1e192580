//! A workspace as it was opened: the reading traits are implemented once for both ways.

use magpie_rows::StoreError;
use rusqlite::Connection;

/// A workspace in SQLite, opened for reading ([`Reader`](crate::Reader)) or for writing
/// ([`Workspace`](crate::Workspace)).
#[derive(Clone)]
pub struct Opened<A>(pub(crate) A);

/// A way of opening that has a connection for reading.
pub trait Looks {
    /// Runs a query.
    fn look<T>(&self, with: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError>;
}

impl<A: Looks> Opened<A> {
    /// Runs a query.
    pub(crate) fn look<T>(
        &self,
        with: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.0.look(with)
    }
}
