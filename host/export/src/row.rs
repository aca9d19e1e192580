//! Rows in one form of a file.

use std::io::{self, Write};

use magpie_values::Timestamp;

/// A value of a row. Texts are as sites sent them, and may be no UTF-8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a [u8]),
}

pub(crate) trait Rows {
    fn row(&mut self, values: &[Value<'_>]) -> Result<(), RowError>;
    fn finish(self: Box<Self>) -> Result<(), RowError>;
}

/// Reason why a row could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RowError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0}")]
    Refused(String),
}

/// A time as text.
pub(crate) fn write_time(milliseconds: i64, into: &mut impl Write) -> io::Result<()> {
    write!(into, "{}", Timestamp::from_millis(milliseconds).display_millis())
}
