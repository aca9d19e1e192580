//! The text of records.

use std::fmt::Write;

use ring::digest::{Context, SHA256};
use xxhash_rust::xxh3::xxh3_128_with_seed;

use magpie_values::Timestamp;

/// A record's header, written field by field.
pub(crate) struct RecordHead(String);

impl RecordHead {
    pub(crate) fn new(kind: &str, id: &str, date: Timestamp) -> RecordHead {
        let mut head = String::with_capacity(640);
        let date = date.display_millis();
        let _infallible = write!(
            head,
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{id}>\r\nWARC-Date: {date}\r\n"
        );
        RecordHead(head)
    }

    /// Adds a field. A line end in the value would begin another field and becomes a blank.
    pub(crate) fn field(&mut self, name: &str, value: impl std::fmt::Display) {
        let start = self.0.len();
        let _infallible = write!(self.0, "{name}: {value}");
        if self.0.as_bytes()[start..]
            .iter()
            .any(|byte| matches!(byte, b'\r' | b'\n'))
        {
            let clean = self.0[start..].replace(['\r', '\n'], " ");
            self.0.truncate(start);
            self.0.push_str(&clean);
        }
        self.0.push_str("\r\n");
    }

    /// Ends the header and puts the record together.
    pub(crate) fn finish(mut self, block: &[&[u8]], into: &mut Vec<u8>) {
        let length: usize = block.iter().map(|part| part.len()).sum();
        self.field("Content-Length", length);
        into.clear();
        into.reserve(self.0.len() + length + 6);
        into.extend_from_slice(self.0.as_bytes());
        into.extend_from_slice(b"\r\n");
        for part in block {
            into.extend_from_slice(part);
        }
        into.extend_from_slice(b"\r\n\r\n");
    }
}

/// Returns the id of a record: the same for the same position of the same file of the same
/// workspace, and unique otherwise. A version 8 UUID, which is for custom schemes.
pub(crate) fn record_id(seed: u64, file: &str, offset: u64, part: &str) -> String {
    let mut named = Vec::with_capacity(file.len() + part.len() + 9);
    named.extend_from_slice(file.as_bytes());
    named.push(0);
    named.extend_from_slice(&offset.to_le_bytes());
    named.extend_from_slice(part.as_bytes());
    let mut bytes = xxh3_128_with_seed(&named, seed).to_be_bytes();
    // The version and the variant of RFC 9562.
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex(&bytes);
    format!(
        "urn:uuid:{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

/// The digest of the parts one after another, as records write it.
pub(crate) fn block_digest(parts: &[&[u8]]) -> String {
    let mut hasher = Context::new(&SHA256);
    for part in parts {
        hasher.update(part);
    }
    digest_text(hasher.finish().as_ref())
}

/// Formats a digest. Hexadecimal, as current crawlers write SHA-256; base 32 would need padding.
pub(crate) fn digest_text(digest: &[u8]) -> String {
    format!("sha256:{}", hex(digest))
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut hex = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        hex.push(char::from(DIGITS[usize::from(byte >> 4)]));
        hex.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_can_not_begin_fields() {
        let mut head = RecordHead::new("response", "urn:uuid:x", Timestamp::default());
        head.field("WARC-Target-URI", "http://a.test/\r\nEvil: yes");
        let mut record = Vec::new();
        head.finish(&[b"x"], &mut record);
        let text = String::from_utf8(record).unwrap();
        assert!(
            text.contains("WARC-Target-URI: http://a.test/  Evil: yes\r\n"),
            "{text}"
        );
        assert!(text.ends_with("Content-Length: 1\r\n\r\nx\r\n\r\n"), "{text}");
    }

    #[test]
    fn names_differ_by_place() {
        let one = record_id(1, "a.warc.gz", 0, "response");
        assert_eq!(one, record_id(1, "a.warc.gz", 0, "response"));
        for other in [
            record_id(2, "a.warc.gz", 0, "response"),
            record_id(1, "b.warc.gz", 0, "response"),
            record_id(1, "a.warc.gz", 1, "response"),
            record_id(1, "a.warc.gz", 0, "request"),
        ] {
            assert_ne!(one, other);
        }
        assert_eq!(one.len(), "urn:uuid:".len() + 36);
    }
}
