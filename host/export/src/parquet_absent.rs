//! Replaces the Parquet writer if the feature `parquet` is off.

use std::io::Write;

use crate::columns::Column;
use crate::row::{RowError, Rows};

pub(crate) fn rows(_into: impl Write, _columns: &[Column]) -> Result<Box<dyn Rows>, RowError> {
    Err(RowError::Refused(
        "this build can't write Parquet: it was built without the feature `parquet`".to_owned(),
    ))
}
