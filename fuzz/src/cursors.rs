//! Cursors of changes and of searches: one per line.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use magpie_query::{ChangeCursor, SearchCursor};

/// Checks that a cursor that is read prints as it was written, so no two texts are one position.
pub fn check(data: &[u8]) {
    for line in crate::text(data).lines() {
        prints_alike::<ChangeCursor>(line);
        prints_alike::<SearchCursor>(line);
    }
}

fn prints_alike<C: FromStr + Display + Debug + PartialEq>(text: &str) {
    if let Ok(cursor) = text.parse::<C>() {
        assert_eq!(cursor.to_string(), text);
    }
}
