//! From bytes to text, and places in it.

use super::{MAX_FILE_BYTES, SeedsError, SeedsProblem};

/// The text of a file, without its byte order mark.
pub(super) fn decoded(bytes: &[u8]) -> Result<&str, SeedsError> {
    if bytes.len() > MAX_FILE_BYTES {
        let bytes = bytes.len();
        return Err(SeedsError::new(SeedsProblem::TooLarge { bytes }));
    }
    // Checked before UTF-8, so that the error names the encoding and not a byte.
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(SeedsError::new(SeedsProblem::Utf16));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let before = std::str::from_utf8(before).unwrap_or_default();
        SeedsError::at(Place::default().after(before).of(), SeedsProblem::NotUtf8)
    })
}

/// A place in a text, which only moves forward, so that a file's lines are counted once.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    lines: usize,
    characters: usize,
}

impl Place {
    /// The place behind a text.
    pub(super) fn after(self, text: &str) -> Self {
        match text.rfind('\n') {
            Some(last) => Self {
                lines: self.lines + text.bytes().filter(|byte| *byte == b'\n').count(),
                characters: text[last + 1..].chars().count(),
            },
            None => Self {
                lines: self.lines,
                characters: self.characters + text.chars().count(),
            },
        }
    }

    /// Line and column, both from 1.
    pub(super) fn of(self) -> (usize, usize) {
        (self.lines + 1, self.characters + 1)
    }
}
