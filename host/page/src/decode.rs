//! From bytes to text: which encoding a page is in, decided as browsers decide it.

mod meta;

use bytestring::ByteString;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use crate::Problem;
use crate::page::PageSource;

/// Bytes that the detector looks at: more do not make it wiser.
const DETECTED_BYTES: usize = 256 * 1024;

/// The text of a page.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) text: ByteString,
    pub(crate) encoding: &'static str,
    pub(crate) problems: Vec<Problem>,
}

/// Kind of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// HTML, or XML that is read as if it were.
    Markup,
    /// Text without markup, as JSON.
    Text,
    /// Pictures and the like.
    Binary,
}

/// The media type without parameters, in lower case.
pub(crate) fn media_type(content_type: &str) -> String {
    let essence = content_type.split([';', ',']).next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Returns the kind of a body by its content type, or by its first bytes if the type is
/// inconclusive.
pub(crate) fn kind(content_type: &str, body: &[u8]) -> Kind {
    match content_type {
        "text/html" | "text/xml" | "application/xml" => Kind::Markup,
        "" | "application/octet-stream" | "unknown/unknown" | "application/unknown" | "*/*" => sniff(body),
        _ if content_type.ends_with("+xml") => Kind::Markup,
        _ if content_type.starts_with("text/") || content_type.ends_with("json") => Kind::Text,
        "application/javascript" | "application/x-ndjson" | "application/yaml" => Kind::Text,
        _ => Kind::Binary,
    }
}

/// As browsers do for unknown types: markup starts with a tag, and text has no control characters.
fn sniff(body: &[u8]) -> Kind {
    let head = &body[..body.len().min(1024)];
    // Bytes after a UTF-16 mark include zeros, which the next check would take for a binary file.
    if Encoding::for_bom(head).is_some() {
        return Kind::Markup;
    }
    if head
        .iter()
        .any(|&byte| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f))
    {
        return Kind::Binary;
    }
    match head.trim_ascii_start().first() {
        Some(b'<') => Kind::Markup,
        _ => Kind::Text,
    }
}

/// Decodes a body. A byte order mark decides, else the header, else the declaration in the page,
/// else a guess.
pub(crate) fn decode(source: &PageSource, max_bytes: usize) -> Decoded {
    let mut problems = Vec::new();
    let body = &source.body[..source.body.len().min(max_bytes)];
    if body.len() < source.body.len() {
        problems.push(Problem::Truncated {
            read: body.len(),
            of: source.body.len(),
        });
    }
    // The mark wins over the header, because servers send one charset for all files while the mark
    // is part of this one.
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return finish(&body[mark..], encoding, None, problems);
    }
    let header = source
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let from_header = header.and_then(|(_, value)| meta::charset_parameter(value));
    let claims = [from_header, meta::prescan(body)];
    for claim in claims.into_iter().flatten() {
        match Encoding::for_label(claim.as_bytes()) {
            // The first claim that names a known encoding is final. An unknown name is reported,
            // and the next claim gets its turn.
            Some(encoding) => return as_claimed(source, body, encoding, claim, problems),
            None => problems.push(Problem::BadCharset {
                claimed: claim,
                used: guess(source, body).name(),
            }),
        }
    }
    let guess = guess(source, body);
    match own_text(source, body, guess) {
        Some(text) => Decoded {
            text,
            encoding: guess.name(),
            problems,
        },
        None => finish(body, guess, None, problems),
    }
}

fn as_claimed(
    source: &PageSource,
    body: &[u8],
    encoding: &'static Encoding,
    claim: String,
    mut problems: Vec<Problem>,
) -> Decoded {
    // Most pages are valid UTF-8, and their text then shares the memory of the body instead of
    // being copied.
    if let Some(text) = own_text(source, body, encoding) {
        return Decoded {
            text,
            encoding: encoding.name(),
            problems,
        };
    }
    // Servers add `charset=utf-8` to old pages in other encodings, so the claim yields if no part
    // of the body supports it.
    if encoding == UTF_8 && is_surely_not_utf8(body) {
        let guess = guess(source, body);
        problems.push(Problem::BadCharset {
            claimed: claim,
            used: guess.name(),
        });
        return finish(body, guess, None, problems);
    }
    finish(body, encoding, Some(claim), problems)
}

fn finish(
    body: &[u8],
    encoding: &'static Encoding,
    claim: Option<String>,
    mut problems: Vec<Problem>,
) -> Decoded {
    let (text, malformed) = encoding.decode_without_bom_handling(body);
    if let Some(claimed) = claim.filter(|_| malformed) {
        problems.push(Problem::BadCharset {
            claimed,
            used: encoding.name(),
        });
    }
    Decoded {
        text: text.into_owned().into(),
        encoding: encoding.name(),
        problems,
    }
}

/// A body that is its own text, as it is in UTF-8 unless something is broken.
fn own_text(source: &PageSource, body: &[u8], encoding: &'static Encoding) -> Option<ByteString> {
    match encoding == UTF_8 {
        true => ByteString::try_from(source.body.slice_ref(body)).ok(),
        false => None,
    }
}

/// Returns true if no byte of a body beyond ASCII is UTF-8. Browsers would show it garbled; one
/// stray byte in a page that is UTF-8 otherwise must not change how the rest is read.
fn is_surely_not_utf8(body: &[u8]) -> bool {
    let mut broken = false;
    for chunk in body.utf8_chunks() {
        if !chunk.valid().is_ascii() {
            return false;
        }
        broken |= !chunk.invalid().is_empty();
    }
    broken
}

/// The most likely encoding of a page that does not say.
fn guess(source: &PageSource, body: &[u8]) -> &'static Encoding {
    let cut = body.len() > DETECTED_BYTES;
    // Validity is checked over the whole body, because it is cheap and conclusive. Only the guess
    // among the other encodings is limited to a sample.
    let sample = &body[..body.len().min(DETECTED_BYTES)];
    match std::str::from_utf8(body) {
        Ok(_) => return UTF_8,
        // The limit may have cut the last character.
        Err(error) if error.error_len().is_none() && body.len() < source.body.len() => return UTF_8,
        Err(_) => {}
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    detector.feed(sample, !cut);
    let domain = source.url.domain().and_then(|domain| domain.rsplit('.').next());
    // The detector panics if a domain has capitals or is not ASCII.
    let domain =
        domain.filter(|domain| !domain.is_empty() && domain.bytes().all(|byte| byte.is_ascii_lowercase()));
    detector.guess(domain.map(str::as_bytes), chardetng::Utf8Detection::Allow)
}

/// The encoding to use for one that a page claims in ASCII: the page can't be in UTF-16 then.
fn readable(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}
