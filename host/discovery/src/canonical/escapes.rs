//! Percent-encoding: the one spelling among those that mean the same.

use super::Change;

/// Classes of bytes for canonicalisation.
const PLAIN: u8 = 0;
const PERCENT: u8 = 1;
/// A byte that a URL may not contain by RFC 3986. Browsers send some of them raw; servers that
/// accept them treat them like the escape.
const UNSAFE: u8 = 2;
/// `;` or `(`, behind which a path may hold a session.
const SESSION_HINT: u8 = 4;
/// A dot, which may be a segment of its own.
const DOT: u8 = 8;
/// The sign that ends what a server sees.
const FRAGMENT: u8 = 16;

const CLASSES: [u8; 256] = {
    let mut classes = [PLAIN; 256];
    let mut byte = 0;
    while byte < 256 {
        let value = byte as u8;
        if value <= b' '
            || value >= 0x7f
            || matches!(
                value,
                b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | b'[' | b']'
            )
        {
            classes[byte] = UNSAFE;
        }
        byte += 1;
    }
    classes[b'%' as usize] = PERCENT;
    classes[b';' as usize] = SESSION_HINT;
    classes[b'(' as usize] = SESSION_HINT;
    classes[b'.' as usize] = DOT;
    classes[b'#' as usize] = FRAGMENT;
    classes
};

const UPPER_HEX: &[u8; 16] = b"0123456789ABCDEF";

/// The work that a part of a URL needs.
#[derive(Clone, Copy)]
pub(super) struct Needs(u8);

impl Needs {
    pub(super) fn of(part: &str) -> Needs {
        let mut found = 0;
        for byte in part.bytes() {
            found |= CLASSES[usize::from(byte)];
        }
        Needs(found)
    }

    /// Returns true if some byte may have to be written differently.
    pub(super) fn respelling(self) -> bool {
        self.0 & (PERCENT | UNSAFE) != 0
    }

    /// Returns true if at most dots need work: every other character is literal anywhere in a path.
    pub(super) fn at_most_dots(self) -> bool {
        self.0 & !DOT == PLAIN
    }

    /// Returns true if there is a dot.
    pub(super) fn dots(self) -> bool {
        self.0 & DOT != 0
    }

    /// Returns true if a path may contain a session.
    pub(super) fn session_check(self) -> bool {
        self.0 & SESSION_HINT != 0
    }
}

/// Kinds of respelling that happened.
#[derive(Clone, Copy, Default)]
pub(super) struct Respelled {
    escaped: bool,
    unescaped: bool,
    hex_case: bool,
    stray_percent: bool,
}

impl Respelled {
    pub(super) fn any(self) -> bool {
        self.escaped || self.unescaped || self.hex_case || self.stray_percent
    }

    pub(super) fn list(self, changes: &mut Vec<Change>) {
        let kinds = [
            (self.escaped, Change::Escaped),
            (self.unescaped, Change::Unescaped),
            (self.hex_case, Change::HexCase),
            (self.stray_percent, Change::StrayPercent),
        ];
        changes.extend(
            kinds
                .into_iter()
                .filter(|(happened, _)| *happened)
                .map(|(_, change)| change),
        );
    }
}

/// Appends a part in its canonical spelling.
pub(super) fn respell(part: &str, out: &mut String, respelled: &mut Respelled) {
    let bytes = part.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        match CLASSES[usize::from(byte)] {
            PERCENT => at += respell_escape(&bytes[at..], out, respelled),
            UNSAFE => {
                push_escape(byte, out);
                respelled.escaped = true;
                at += 1;
            }
            _ => {
                out.push(char::from(byte));
                at += 1;
            }
        }
    }
}

/// Appends the escape at the start of `bytes` and returns its length. A percent sign that starts no
/// escape is escaped itself: otherwise it could join with decoded characters after it.
fn respell_escape(bytes: &[u8], out: &mut String, respelled: &mut Respelled) -> usize {
    let digits = (bytes.get(1).copied(), bytes.get(2).copied());
    let (Some(high), Some(low)) = (digits.0.and_then(hex_value), digits.1.and_then(hex_value)) else {
        push_escape(b'%', out);
        respelled.stray_percent = true;
        return 1;
    };
    let value = high << 4 | low;
    // The unreserved characters of RFC 3986, whose escapes mean the same as the characters
    // themselves.
    if value.is_ascii_alphanumeric() || matches!(value, b'-' | b'.' | b'_' | b'~') {
        out.push(char::from(value));
        respelled.unescaped = true;
    } else {
        push_escape(value, out);
        respelled.hex_case |= bytes[1].is_ascii_lowercase() || bytes[2].is_ascii_lowercase();
    }
    "%41".len()
}

fn push_escape(byte: u8, out: &mut String) {
    out.push('%');
    out.push(char::from(UPPER_HEX[usize::from(byte >> 4)]));
    out.push(char::from(UPPER_HEX[usize::from(byte & 15)]));
}

pub(crate) fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}
