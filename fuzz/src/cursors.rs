//! Cursors: one per line.

use magpie_rows::Cursor;

/// Checks that a cursor that is read prints as it was written, so no two texts are one position.
pub fn check(data: &[u8]) {
    for line in crate::text(data).lines() {
        if let Ok(cursor) = line.parse::<Cursor>() {
            assert_eq!(cursor.to_string(), line);
        }
    }
}
