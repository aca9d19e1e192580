//! What must hold of everything that strangers may write, one module a target.
//!
//! A module's `check` takes any bytes, feeds them to a reader and asserts what is promised of it: bounds, agreement
//! with a simpler way to the same answer, and that what is written can be read back. `fuzz_targets` hands the bytes
//! of a fuzzer to it, `tests/seeds.rs` those of the seeds.

use std::borrow::Cow;

pub mod canonical;
pub mod charset;
pub mod dom;
pub mod links;
pub mod navigation;
pub mod patterns;
pub mod response;
pub mod robots;
pub mod robots_tags;
pub mod selectors;
pub mod sitemap;
pub mod structured;
pub mod values;
pub mod warc_read;
pub mod warc_write;

/// Parts the input of a target from the next one, on a line of its own: something that a person can type in a seed.
const SEPARATOR: &[u8] = b"\n====\n";

/// The parts of an input. The last one takes the rest; those that are not there are empty.
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

/// Bytes as text, whatever they are.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The bytes as a gzip member.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .expect("a vector takes everything")
}

/// Where a gzip member begins.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
