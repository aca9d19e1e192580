//! Rows in one form of a file.

use std::io::{self, Write};

use magpie_values::Timestamp;
use rusqlite::types::ValueRef;

pub(super) trait Rows {
    fn row(&mut self, values: &[ValueRef<'_>]) -> Result<(), RowError>;
    fn finish(self: Box<Self>) -> Result<(), RowError>;
}

/// Reason why a row could not be written.
#[derive(Debug, thiserror::Error)]
pub(super) enum RowError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0}")]
    Refused(String),
}

/// A time as text.
pub(super) fn write_time(milliseconds: i64, into: &mut impl Write) -> io::Result<()> {
    write!(into, "{}", Timestamp::from_millis(milliseconds).display_millis())
}
