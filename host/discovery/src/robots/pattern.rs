//! Patterns of robots.txt: `/fish*.php$`, compared with paths byte by byte.
//!
//! RFC 9309 (section 2.2.2) asks that both sides be compared in one spelling: bytes beyond ASCII
//! and reserved characters percent-encoded, escapes of unreserved characters decoded. `*` and `$`
//! are special, `%2A` and `%24` are the characters.

/// A pattern in its normal spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// The parts between the wildcards; at least one. Matching takes each in turn from the left.
    parts: Vec<Box<[u8]>>,
    is_anchored: bool,
    /// Octets as the file has them, which decides among rules.
    length: usize,
    written: Box<str>,
}

impl Pattern {
    pub(super) fn new(written: &[u8]) -> Pattern {
        let body = written.strip_suffix(b"$").unwrap_or(written);
        let stars = memchr::memchr_iter(b'*', body).count();
        let mut parts: Vec<Box<[u8]>> = Vec::new();
        for (number, part) in body.split(|byte| *byte == b'*').enumerate() {
            // Runs of wildcards are one.
            if number == 0 || number == stars || !part.is_empty() {
                parts.push(normalise(part).into());
            }
        }
        let is_anchored = body.len() < written.len();
        let length = parts.iter().map(|part| part.len()).sum::<usize>() + stars + usize::from(is_anchored);
        Pattern {
            parts,
            is_anchored,
            length,
            written: String::from_utf8_lossy(written).into(),
        }
    }

    pub(super) fn written(&self) -> &str {
        &self.written
    }

    /// Length of the pattern, which is its specificity.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Returns true if a path in its normal spelling matches. The first position of each part is as
    /// good as any later one, so there is no backtracking, and each part is searched for once.
    pub(super) fn matches(&self, path: &[u8]) -> bool {
        let Some((first, others)) = self.parts.split_first() else {
            return true;
        };
        let Some(mut rest) = path.strip_prefix(&**first) else {
            return false;
        };
        let Some((last, middle)) = others.split_last() else {
            return !self.is_anchored || rest.is_empty();
        };
        for part in middle {
            match memchr::memmem::find(rest, part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        match self.is_anchored {
            // Only the end can match here. The parts before it took the first place they found,
            // which leaves the most room.
            true => rest.ends_with(last),
            false => memchr::memmem::find(rest, last).is_some(),
        }
    }
}

/// Normalises the spelling of a path, or of a part of a pattern. Idempotent.
pub(super) fn normalise(text: &[u8]) -> Vec<u8> {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = Vec::with_capacity(text.len());
    let push_escape = |byte: u8, out: &mut Vec<u8>| {
        out.extend([b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
    };
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let digit = |offset: usize| {
            text.get(at + offset)
                .copied()
                .and_then(crate::canonical::hex_value)
        };
        match (byte, digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                let value = high << 4 | low;
                let is_unreserved =
                    value.is_ascii_alphanumeric() || matches!(value, b'-' | b'.' | b'_' | b'~');
                if is_unreserved {
                    out.push(value);
                } else {
                    push_escape(value, &mut out);
                }
                at += "%41".len();
                continue;
            }
            (b'%', ..) => push_escape(byte, &mut out),
            (b' '..=b'~', ..) if !must_escape(byte) => out.push(byte),
            _ => push_escape(byte, &mut out),
        }
        at += 1;
    }
    out
}

/// Returns true for characters that URLs escape and robots.txt often does not, and for those that
/// are special in patterns.
fn must_escape(byte: u8) -> bool {
    matches!(
        byte,
        b'*' | b'$' | b' ' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | b'[' | b']'
    )
}

#[cfg(test)]
mod tests {
    use super::{Pattern, normalise};

    fn matches(pattern: &str, path: &str) -> bool {
        Pattern::new(pattern.as_bytes()).matches(&normalise(path.as_bytes()))
    }

    #[test]
    fn wildcards_and_anchors() {
        assert!(matches("/fish", "/fish.html"));
        assert!(matches("/fish*", "/fish"));
        assert!(matches("/*.php", "/a.php?x"));
        assert!(matches("/*.php$", "/a.php/b.php"));
        assert!(!matches("/*.php$", "/a.php?x"));
        assert!(matches("/a*b*c$", "/abbcc"));
        assert!(!matches("/a*b*c$", "/acb"));
        assert!(matches("/**/x", "/a/x"));
        assert!(matches("*", "/"));
        assert!(matches("/$", "/"));
        assert!(!matches("/$", "/a"));
        assert!(matches("/a*$", "/abc"));
        assert!(matches("/a$b", "/a$b"));
        assert!(!matches("/ab*ba$", "/aba"), "parts do not share characters");
    }

    #[test]
    fn spellings_that_mean_the_same() {
        assert!(matches("/a%3cd.html", "/a%3Cd.html"));
        assert!(matches("/a%3cd", "/a<d"));
        assert!(matches("/%7Ejoe", "/~joe"));
        assert!(matches("/ツ", "/%E3%83%84"));
        assert!(matches("/100%", "/100%25"));
        assert!(!matches("/a%2Fb", "/a/b"));
        assert!(matches("/a%2Ab", "/a%2ab"));
        assert!(matches("/a%2Ab$", "/a*b"));
        assert!(matches("/a%24", "/a$"));
        assert!(!matches("/a%2Ab", "/axb"), "an escaped star is no wildcard");
    }

    #[test]
    fn two_hundred_wildcards_take_no_time() {
        let pattern = format!("/{}$", "*a".repeat(200));
        let path = format!("/{}b", "a".repeat(16_384));
        let start = std::time::Instant::now();
        assert!(!matches(&pattern, &path));
        assert!(start.elapsed().as_millis() < 200);
    }
}
