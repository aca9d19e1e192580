//! SHA-256 digests of components, as registries and `sha256sum` compute them.

use std::fmt;

use magpie_model::short_digest;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A SHA-256 digest. Its text is `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Sha256([u8; Sha256::BYTES]);

impl Sha256 {
    const BYTES: usize = 32;
    const PREFIX: &str = "sha256:";

    pub fn of(content: &[u8]) -> Sha256 {
        let mut bytes = [0; Sha256::BYTES];
        bytes.copy_from_slice(digest(&SHA256, content).as_ref());
        Sha256(bytes)
    }

    /// Parses a digest. Other algorithms and upper case are refused, as a digest has one text.
    pub fn parse(text: &str) -> Option<Sha256> {
        let digits = text.strip_prefix(Sha256::PREFIX)?.as_bytes();
        if digits.len() != 2 * Sha256::BYTES {
            return None;
        }
        let mut bytes = [0; Sha256::BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = (value(pair[0])? << 4) | value(pair[1])?;
        }
        Some(Sha256(bytes))
    }

    /// Returns the beginning of its text, enough to distinguish components.
    pub fn short(&self) -> String {
        short_digest(&self.to_string()).to_owned()
    }
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(Sha256::PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for Sha256 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Sha256, D::Error> {
        let text = String::deserialize(deserializer)?;
        Sha256::parse(&text)
            .ok_or_else(|| serde::de::Error::custom("a digest is `sha256:` and 64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_has_one_text() {
        let text = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Sha256::of(b"abc").to_string(), text);
        assert_eq!(Sha256::parse(text), Some(Sha256::of(b"abc")));
        assert_eq!(Sha256::of(b"abc").short(), "sha256:ba7816bf8f01");
        assert_eq!(short_digest("ba78"), "ba78");
        for wrong in [
            "",
            "sha256:",
            &text[7..],
            &text[..text.len() - 1],
            &format!("{text}0"),
            &text.to_uppercase(),
            &text.replace("sha256", "sha512"),
            &text.replace("ba", "é"),
        ] {
            assert_eq!(Sha256::parse(wrong), None, "{wrong}");
        }
    }
}
