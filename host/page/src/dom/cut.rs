//! Finds tags with far too many attributes before the tokeniser sees them.
//!
//! The tokeniser compares every attribute with all earlier ones of its tag, which takes hours for a
//! tag with a million of them, and it can't be stopped inside a tag. So the source is scanned once
//! for such tags, and the part of the tag after the limit is cut out. The scanner follows the rules
//! for tags, quotes and comments, and roughly those for elements whose content is text. Where it is
//! wrong it sees a tag that does not exist (a `<` in a script, followed by thousands of words
//! without a `>`). A higher limit applies to those.

use std::ops::Range;

/// Factor by which the limit is higher where a tag may be a false one.
const FACTOR_IN_TEXT: usize = 16;

/// Elements whose content is text, so that tags inside are none.
const TEXT_ELEMENTS: [&str; 8] = [
    "script", "style", "textarea", "title", "iframe", "noembed", "noframes", "xmp",
];

/// The ranges of the source to leave out so that no tag has (many) more attributes than the limit.
pub(crate) fn cuts(html: &str, max_attributes: usize) -> Vec<Range<usize>> {
    let mut scanner = Scanner {
        bytes: html.as_bytes(),
        at: 0,
        looked_until: 0,
        max_attributes,
        cuts: Vec::new(),
    };
    scanner.run();
    scanner.cuts
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Up to here tags inside text have been looked through, so that overlapping ones cost nothing.
    looked_until: usize,
    max_attributes: usize,
    cuts: Vec<Range<usize>>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        let mut text_element: Option<&'static str> = None;
        while self.find(b'<') {
            let next = self.bytes.get(self.at + 1).copied().unwrap_or(b' ');
            // Inside a text element only tags matter: there a `<!` or `<?` is text for the
            // tokeniser, too.
            match (next, text_element) {
                (b'!', None) => self.skip_declaration(),
                (b'?', None) => self.skip_past(b'>'),
                (b'/', _) if self.letter_at(self.at + 2) => {
                    self.at += 2;
                    let name = self.name();
                    if text_element.is_some_and(|open| name.eq_ignore_ascii_case(open.as_bytes())) {
                        text_element = None;
                    }
                    // An end tag may carry attributes as well, and the tokeniser compares them
                    // before it drops them.
                    self.tag(self.limit(text_element));
                }
                (b'/', None) => self.skip_past(b'>'),
                (letter, _) if letter.is_ascii_alphabetic() => {
                    self.at += 1;
                    let name = self.name();
                    if text_element.is_none() {
                        text_element = TEXT_ELEMENTS
                            .into_iter()
                            .find(|text| name.eq_ignore_ascii_case(text.as_bytes()));
                        self.tag(self.max_attributes);
                    } else {
                        self.tag_in_text(self.limit(text_element));
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    fn limit(&self, text_element: Option<&str>) -> usize {
        match text_element {
            Some(_) => self.max_attributes.saturating_mul(FACTOR_IN_TEXT),
            None => self.max_attributes,
        }
    }

    /// Moves to the next such byte; false at the end.
    fn find(&mut self, byte: u8) -> bool {
        match memchr::memchr(byte, &self.bytes[self.at..]) {
            Some(distance) => {
                self.at += distance;
                true
            }
            None => {
                self.at = self.bytes.len();
                false
            }
        }
    }

    fn skip_past(&mut self, byte: u8) {
        if self.find(byte) {
            self.at += 1;
        }
    }

    fn letter_at(&self, at: usize) -> bool {
        self.bytes.get(at).is_some_and(u8::is_ascii_alphabetic)
    }

    fn name(&mut self) -> &[u8] {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|&byte| !ends_name(byte)) {
            self.at += 1;
        }
        &self.bytes[start..self.at]
    }

    /// `<!-- ... -->` with its odd short forms, or `<!doctype ...>`.
    fn skip_declaration(&mut self) {
        if !self.bytes[self.at..].starts_with(b"<!--") {
            return self.skip_past(b'>');
        }
        self.at += 4;
        for short in [&b">"[..], b"->"] {
            if self.bytes[self.at..].starts_with(short) {
                self.at += short.len();
                return;
            }
        }
        // A dash at a time: the closing may overlap with other dashes, as in `--->`.
        while self.find(b'-') {
            let rest = &self.bytes[self.at..];
            if let Some(end) = [&b"-->"[..], b"--!>"]
                .into_iter()
                .find(|end| rest.starts_with(end))
            {
                self.at += end.len();
                return;
            }
            self.at += 1;
        }
    }

    /// Handles an apparent tag inside a text element. It is scanned for the limit, then again from
    /// its second byte, because the end tag that counts may be inside.
    fn tag_in_text(&mut self, limit: usize) {
        if self.at < self.looked_until {
            return;
        }
        let start = self.at;
        let known = self.cuts.len();
        self.tag(limit);
        self.looked_until = self.at;
        if self.cuts.len() == known {
            self.at = start;
        }
    }

    /// Advances to the end of a tag after its name, and cuts the tag if it has too many attributes.
    fn tag(&mut self, limit: usize) {
        let mut attributes = 0;
        let mut cut_from = None;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'>' => break,
                b'/' | b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' => self.at += 1,
                _ => {
                    attributes += 1;
                    if attributes == limit + 1 {
                        cut_from = Some(self.at);
                    }
                    self.attribute();
                }
            }
        }
        if let Some(start) = cut_from {
            self.cuts.push(start..self.at);
        }
    }

    fn attribute(&mut self) {
        // A leading `=` belongs to the name.
        self.at += 1;
        while self
            .bytes
            .get(self.at)
            .is_some_and(|&byte| !ends_name(byte) && byte != b'=')
        {
            self.at += 1;
        }
        let name_end = self.at;
        self.skip_space();
        if self.bytes.get(self.at) != Some(&b'=') {
            self.at = name_end;
            return;
        }
        self.at += 1;
        self.skip_space();
        match self.bytes.get(self.at) {
            Some(&quote @ (b'"' | b'\'')) => {
                self.at += 1;
                self.skip_past(quote);
            }
            _ => {
                while self
                    .bytes
                    .get(self.at)
                    .is_some_and(|&byte| byte != b'>' && !is_space(byte))
                {
                    self.at += 1;
                }
            }
        }
    }

    fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(|&byte| is_space(byte)) {
            self.at += 1;
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

fn ends_name(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'/' | b'>')
}
