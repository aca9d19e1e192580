//! Texts as words.

use xxhash_rust::xxh3::xxh3_64;

/// Words of a text that are looked at: a book has a hundred thousand, pages have some thousand.
const MAX_WORDS: usize = 100_000;

/// Bytes of a word that are looked at. Longer runs of letters are data.
const MAX_WORD_LEN: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Its hash; capital letters of ASCII count as small ones.
    pub(super) hash: u64,
    pub(super) has_figures: bool,
}

/// Classes of bytes for splitting words.
const SEPARATOR: u8 = 0;
const LETTER: u8 = 1;
const FIGURE: u8 = 2;
/// The first byte of a character from U+3000 on, as those of Chinese, Japanese and Korean, which
/// are written without spaces: each is a word.
const WIDE: u8 = 4;

const CLASSES: [u8; 256] = {
    let mut classes = [SEPARATOR; 256];
    let mut byte = 0;
    while byte < 256 {
        let value = byte as u8;
        classes[byte] = match value {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => FIGURE,
            0xe3..=0xf4 => WIDE,
            // Accented letters and all other scripts. Dashes and quotes beyond ASCII join them,
            // which is harmless, as it happens in both texts.
            0x80.. => LETTER,
            _ => SEPARATOR,
        };
        byte += 1;
    }
    classes
};

/// The words of a text, byte by byte, because every page's text comes by here.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let next = move || {
        while at < bytes.len() && CLASSES[usize::from(bytes[at])] == SEPARATOR {
            at += 1;
        }
        let start = at;
        let first = CLASSES[usize::from(*bytes.get(at)?)];
        if first == WIDE {
            at = text.ceil_char_boundary(at + 1);
            return Some(word(&bytes[start..at], 0));
        }
        let mut classes = 0;
        while at < bytes.len() {
            let class = CLASSES[usize::from(bytes[at])];
            if class == SEPARATOR || class == WIDE {
                break;
            }
            classes |= class;
            at += 1;
        }
        Some(word(&bytes[start..at], classes))
    };
    std::iter::from_fn(next).take(MAX_WORDS)
}

fn word(bytes: &[u8], classes: u8) -> Word {
    let bytes = &bytes[..bytes.len().min(MAX_WORD_LEN)];
    let hash = match <[u8; 8]>::try_from(bytes) {
        // Most words fit into eight bytes, and a number is hashed faster than a text.
        _ if bytes.len() < 8 => {
            let mut start = [0; 8];
            start[..bytes.len()].copy_from_slice(bytes);
            mix(lower(u64::from_le_bytes(start)))
        }
        Ok(whole) => mix(lower(u64::from_le_bytes(whole))),
        Err(_) => {
            let mut lower = [0; MAX_WORD_LEN];
            let lower = &mut lower[..bytes.len()];
            lower.copy_from_slice(bytes);
            lower.make_ascii_lowercase();
            xxh3_64(lower)
        }
    };
    Word {
        hash,
        has_figures: classes & FIGURE != 0,
    }
}

/// Converts eight ASCII letters and digits to lower case. Sets the bit that distinguishes upper
/// from lower case in bytes that are ASCII letters; digits have it set, and other bytes are
/// unchanged.
fn lower(bytes: u64) -> u64 {
    let ascii = !bytes & 0x8080_8080_8080_8080;
    let letters = ascii >> 1 & bytes;
    bytes | (letters >> 1 & 0x2020_2020_2020_2020)
}

/// Spreads the bits of a number.
pub(super) fn mix(mut number: u64) -> u64 {
    number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

#[cfg(test)]
mod tests {
    use super::words;

    fn hashes(text: &str) -> Vec<u64> {
        words(text).map(|word| word.hash).collect()
    }

    #[test]
    fn words_of_a_text() {
        let figures: Vec<bool> = words("Two words, 3 of_4\nfive5 ")
            .map(|word| word.has_figures)
            .collect();
        assert_eq!(figures, [false, false, true, false, true, true]);
        assert_eq!(hashes("ABC Abcdefgh Abcdefghi"), hashes("abc abcdefgh abcdefghi"));
        assert_ne!(hashes("abc"), hashes("abd"));
        assert_ne!(hashes("éa"), hashes("èa"));
        assert_eq!(hashes("日本語です。").len(), 6, "each is a token of its own");
        assert_eq!(hashes("naïve 日本 café").len(), 4);
        assert_eq!(hashes(&"x".repeat(1_000_000)).len(), 1);
        assert!(hashes(" .,;- ").is_empty());
    }
}
