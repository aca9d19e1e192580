//! Encoding that a page declares, found before the page is decoded.

use super::readable;
use encoding_rs::Encoding;

/// Bytes that are searched. The standard says 1024; browsers continue through the head, because
/// many pages put scripts first.
const PRESCANNED_BYTES: usize = 16 * 1024;

/// The charset of a `Content-Type` header.
pub(super) fn charset_parameter(content_type: &str) -> Option<String> {
    let (_, parameters) = content_type.split_once(';')?;
    parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
    })
}

/// Label of the encoding that a page declares, by the standard's prescan: from the XML declaration
/// or the first `meta` element that names one. A UTF-16 label is replaced by UTF-8 here.
pub(super) fn prescan(body: &[u8]) -> Option<String> {
    let head = &body[..body.len().min(PRESCANNED_BYTES)];
    match head {
        // An XML declaration in UTF-16 without a byte order mark.
        [b'<', 0, b'?', 0, b'x', 0, ..] => return Some("utf-16le".to_owned()),
        [0, b'<', 0, b'?', 0, b'x', ..] => return Some("utf-16be".to_owned()),
        _ => {}
    }
    let mut scan = Scan { bytes: head, at: 0 };
    scan.find_meta().or_else(|| xml_declaration(head))
}

fn as_label(text: &[u8]) -> Option<String> {
    Encoding::for_label(text).map(|encoding| readable(encoding).name().to_owned())
}

/// `<?xml version="1.0" encoding="...">`
fn xml_declaration(head: &[u8]) -> Option<String> {
    let declaration = head.strip_prefix(b"<?xml")?;
    let end = declaration.iter().position(|&byte| byte == b'>')?;
    let declaration = &declaration[..end];
    let at = find(declaration, b"encoding")?;
    let rest = declaration[at + b"encoding".len()..]
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let (&quote, value) = rest
        .split_first()
        .filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    let end = value.iter().position(|&byte| byte == quote)?;
    as_label(&value[..end])
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window.eq_ignore_ascii_case(needle))
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn find_meta(&mut self) -> Option<String> {
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if rest.starts_with(b"<!--") {
                // The dashes of the opening may also be those of the closing.
                self.at += 2 + find(&rest[2..], b"-->")? + 3;
            } else if rest.len() > 5
                && rest[..5].eq_ignore_ascii_case(b"<meta")
                && (is_space(rest[5]) || rest[5] == b'/')
            {
                self.at += 5;
                if let Some(label) = self.meta() {
                    return Some(label);
                }
            // Within quotes a `<meta` is text. Reading the attributes of other tags, too, skips it.
            } else if is_tag_start(rest) {
                while self
                    .bytes
                    .get(self.at)
                    .is_some_and(|&byte| !is_space(byte) && byte != b'>')
                {
                    self.at += 1;
                }
                while self.attribute().is_some() {}
            // The closing `>` stays, because the last branch skips it.
            } else if matches!(rest, [b'<', b'!' | b'/' | b'?', ..]) {
                self.at += rest.iter().position(|&byte| byte == b'>')?;
            } else {
                self.at += 1;
            }
        }
        None
    }

    /// Reads the attributes of a `meta` element.
    fn meta(&mut self) -> Option<String> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let (mut got_pragma, mut need_pragma, mut label) = (false, None, None);
        while let Some((name, value)) = self.attribute() {
            // The standard keeps the first of two attributes with the same name.
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => got_pragma = value.eq_ignore_ascii_case(b"content-type"),
                b"content" if label.is_none() => {
                    if let Some(found) = charset_in_content(&value).and_then(as_label) {
                        label = Some(found);
                        need_pragma = Some(true);
                    }
                }
                // A `charset` needs no `http-equiv` beside it, but a `content` does: without one it
                // may belong to any other `meta`.
                b"charset" => {
                    label = as_label(&value);
                    need_pragma = Some(false);
                }
                _ => continue,
            }
            seen.push(name);
        }
        match need_pragma {
            Some(true) if !got_pragma => None,
            Some(_) => label,
            None => None,
        }
    }

    /// The standard's "get an attribute": name and value in lower case, none at the end of the tag.
    fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        self.skip(|byte| is_space(byte) || byte == b'/');
        if *self.bytes.get(self.at)? == b'>' {
            return None;
        }
        let mut name = Vec::new();
        loop {
            match self.bytes.get(self.at).copied()? {
                // An equals sign in first place is part of the name, as in the standard.
                b'=' if !name.is_empty() => break,
                byte if is_space(byte) => break,
                b'/' | b'>' => return Some((name, Vec::new())),
                byte => name.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        self.skip(is_space);
        if *self.bytes.get(self.at)? != b'=' {
            return Some((name, Vec::new()));
        }
        self.at += 1;
        self.skip(is_space);
        let value = match *self.bytes.get(self.at)? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                let value = self.take_until(|byte| byte == quote)?;
                self.at += 1;
                value
            }
            _ => self.take_until(|byte| is_space(byte) || byte == b'>')?,
        };
        Some((name, value))
    }

    fn skip(&mut self, skipped: impl Fn(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|&byte| skipped(byte)) {
            self.at += 1;
        }
    }

    fn take_until(&mut self, stop: impl Fn(u8) -> bool) -> Option<Vec<u8>> {
        let start = self.at;
        self.skip(|byte| !stop(byte));
        // A value without its end was cut off by the limit of the prescan, so it is not trusted.
        self.bytes.get(self.at)?;
        Some(self.bytes[start..self.at].to_ascii_lowercase())
    }
}

/// The standard's "extracting a character encoding from a meta element".
fn charset_in_content(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        rest = &rest[find(rest, b"charset")? + b"charset".len()..];
        let after = rest.trim_ascii_start();
        if let Some(value) = after.strip_prefix(b"=") {
            let value = value.trim_ascii_start();
            return match value.split_first()? {
                (&quote @ (b'"' | b'\''), quoted) => {
                    let end = quoted.iter().position(|&byte| byte == quote)?;
                    Some(&quoted[..end])
                }
                _ => {
                    let end = value.iter().position(|&byte| is_space(byte) || byte == b';');
                    Some(&value[..end.unwrap_or(value.len())])
                }
            };
        }
    }
}

fn is_tag_start(rest: &[u8]) -> bool {
    match rest {
        [b'<', b'/', letter, ..] | [b'<', letter, ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}
