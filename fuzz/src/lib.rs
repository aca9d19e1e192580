//! Invariants of all code that reads untrusted input, one module per target.
//!
//! A module's `check` takes any bytes, passes them to a reader and asserts its guarantees: bounds,
//! agreement with a simpler computation of the same result, and round trips. `fuzz_targets` calls
//! it with the bytes of a fuzzer, `tests/seeds.rs` with those of the seeds.

use std::borrow::Cow;

pub mod browser;
pub mod canonical;
pub mod charset;
pub mod cursors;
pub mod dom;
pub mod form_bodies;
pub mod forms;
pub mod hosts;
pub mod links;
pub mod navigation;
pub mod patterns;
pub mod posts;
pub mod queries;
pub mod reading;
pub mod response;
pub mod robots;
pub mod robots_tags;
pub mod selectors;
pub mod sitemap;
pub mod structured;
pub mod templates;
pub mod values;
pub mod verticals;
pub mod warc_read;
pub mod warc_write;

/// Separates the parts of an input; a line that a person can type in a seed.
const SEPARATOR: &[u8] = b"\n====\n";

/// Splits an input into parts. The last one takes the rest; missing ones are empty.
fn parts<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut rest = data;
    let mut number = 0;
    [(); N].map(|()| {
        number += 1;
        let separator = rest
            .windows(SEPARATOR.len())
            .position(|window| window == SEPARATOR);
        let Some(at) = separator.filter(|_| number < N) else {
            return std::mem::take(&mut rest);
        };
        let part = &rest[..at];
        rest = &rest[at + SEPARATOR.len()..];
        part
    })
}

/// Converts bytes to text, replacing invalid UTF-8.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Compresses bytes to a gzip member.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .expect("a vector takes everything")
}

/// First bytes of a gzip member.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
