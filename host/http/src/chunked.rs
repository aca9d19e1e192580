//! The chunked transfer coding (RFC 9112, 7.1).

use super::HttpProblem;
use crate::headers::without_line_end;

/// Maximum length of a chunk's size line, with its rarely used extensions. A longer line is no size
/// line.
const LONGEST_SIZE_LINE: usize = 4096;

/// Joins the chunks of a body, up to a limit. Trailer fields are passed over.
pub(super) fn decode(body: &[u8], limit: usize) -> (Vec<u8>, Option<HttpProblem>) {
    if body.is_empty() {
        return (Vec::new(), None);
    }
    if size_line(body).is_none() {
        return (body.to_vec(), Some(HttpProblem::NotChunked));
    }
    let mut joined = Vec::new();
    let mut rest = body;
    loop {
        let Some((size, after)) = size_line(rest) else {
            return (joined, Some(HttpProblem::BrokenChunks));
        };
        if size == 0 {
            return (joined, None);
        }
        let chunk = &after[..size.min(after.len())];
        if joined.len() + chunk.len() > limit {
            joined.extend_from_slice(&chunk[..limit - joined.len()]);
            return (joined, Some(HttpProblem::BodyTooLarge { limit }));
        }
        joined.extend_from_slice(chunk);
        rest = &after[chunk.len()..];
        rest = rest
            .strip_prefix(b"\r\n")
            .or_else(|| rest.strip_prefix(b"\n"))
            .unwrap_or(rest);
    }
}

/// The size in a size line, and what comes after the line.
fn size_line(body: &[u8]) -> Option<(usize, &[u8])> {
    let end = memchr::memchr(b'\n', &body[..body.len().min(LONGEST_SIZE_LINE)])?;
    let line = without_line_end(&body[..=end]);
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii();
    let size = usize::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    // `from_str_radix` takes a plus sign, the coding does not.
    digits
        .first()?
        .is_ascii_hexdigit()
        .then_some((size, &body[end + 1..]))
}
