//! Positions of tags, attributes and raw text, by the tokeniser of the HTML standard.
//!
//! All results are positions in the source. Nothing is copied, and nothing is read twice.

use memchr::{memchr, memchr2, memmem};

/// A part of the source. Pages are far below four gigabytes; see `ScanLimits::max_bytes`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Span {
    pub(super) fn new(start: usize, end: usize) -> Span {
        let narrow = |at| u32::try_from(at).unwrap_or(u32::MAX);
        Span {
            start: narrow(start),
            end: narrow(end),
        }
    }

    pub(super) fn of(self, bytes: &[u8]) -> &[u8] {
        bytes
            .get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }

    pub(super) fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }
}

/// The kind of markup at a `<`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Markup {
    /// A start tag; its name.
    Start(Span),
    /// An end tag; its name.
    End(Span),
    /// A comment, a doctype, something bogus: ends before this place.
    Skip(usize),
    /// `<![CDATA[`: text up to here inside SVG and MathML.
    Cdata(Span),
    /// No markup: the sign itself.
    Text,
}

/// Reads the markup at `open`, which is a `<`.
pub(super) fn markup_at(bytes: &[u8], open: usize, in_foreign: bool) -> Markup {
    match bytes.get(open + 1) {
        Some(byte) if byte.is_ascii_alphabetic() => Markup::Start(name_at(bytes, open + 1)),
        Some(b'/') => match bytes.get(open + 2) {
            Some(byte) if byte.is_ascii_alphabetic() => Markup::End(name_at(bytes, open + 2)),
            // An end tag without a name is a comment up to the next `>`, by the standard.
            Some(_) => Markup::Skip(after(bytes, open + 2, b'>')),
            None => Markup::Text,
        },
        Some(b'!') => declaration_at(bytes, open, in_foreign),
        Some(b'?') => Markup::Skip(after(bytes, open + 1, b'>')),
        _ => Markup::Text,
    }
}

fn declaration_at(bytes: &[u8], open: usize, in_foreign: bool) -> Markup {
    let rest = &bytes[open + 2..];
    if rest.starts_with(b"--") {
        return Markup::Skip(open + 4 + comment_length(&rest[2..]));
    }
    // In HTML the same bytes begin a comment.
    if in_foreign && rest.starts_with(b"[CDATA[") {
        let start = open + "<![CDATA[".len();
        let end = memmem::find(&bytes[start..], b"]]>").map_or(bytes.len(), |end| start + end);
        return Markup::Cdata(Span::new(start, end));
    }
    Markup::Skip(after(bytes, open + 2, b'>'))
}

/// The length of a comment after its `<!--`, with its end. One that never ends takes the rest.
fn comment_length(text: &[u8]) -> usize {
    for short in [&b">"[..], b"->"] {
        if text.starts_with(short) {
            return short.len();
        }
    }
    let mut at = 0;
    while let Some(found) = memmem::find(&text[at..], b"--") {
        let end = at + found + 2;
        match (text.get(end), text.get(end + 1)) {
            (Some(b'>'), _) => return end + 1,
            (Some(b'!'), Some(b'>')) => return end + 2,
            // The second dash may be the first of the end.
            _ => at = end - 1,
        }
    }
    text.len()
}

fn after(bytes: &[u8], from: usize, end: u8) -> usize {
    memchr(end, &bytes[from..]).map_or(bytes.len(), |found| from + found + 1)
}

fn name_at(bytes: &[u8], start: usize) -> Span {
    let ends = |byte: &u8| is_space(*byte) || matches!(byte, b'/' | b'>');
    let length = bytes[start..]
        .iter()
        .position(ends)
        .unwrap_or(bytes.len() - start);
    Span::new(start, start + length)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

/// Reads the attributes of a tag after its name, and passes each to `keep`. Returns the end of the
/// tag and whether it closes itself, or `None` if the source ends first, in which case there is no
/// tag.
pub(super) fn attributes(
    bytes: &[u8],
    mut at: usize,
    mut keep: impl FnMut(&[u8], Span),
) -> Option<(usize, bool)> {
    let mut is_closing = false;
    loop {
        let byte = *bytes.get(at)?;
        if byte == b'>' {
            return Some((at + 1, is_closing));
        }
        is_closing = byte == b'/';
        if is_closing || is_space(byte) {
            at += 1;
            continue;
        }
        let start = at;
        // An equals sign at the start is part of the name.
        at += 1;
        while !matches!(
            *bytes.get(at)?,
            b'=' | b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r' | b'\x0c'
        ) {
            at += 1;
        }
        let name = &bytes[start..at];
        let mut value_at = at;
        while is_space(*bytes.get(value_at)?) {
            value_at += 1;
        }
        if bytes[value_at] != b'=' {
            keep(name, Span::new(at, at));
            at = value_at;
            continue;
        }
        let (value, end) = value_from(bytes, value_at + 1)?;
        keep(name, value);
        at = end;
    }
}

/// Returns the end of a tag whose attributes do not matter. Like `attributes`, but faster for the
/// usual form: a space, a name, and a quoted value.
pub(super) fn tag_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(end) = plain_attribute(bytes, at) {
        at = end;
    }
    match bytes.get(at)? {
        b'>' => Some(at + 1),
        _ => attributes(bytes, at, |_, _| {}).map(|(end, _)| end),
    }
}

/// Returns the end of an attribute in the usual form, or `None` if it needs a closer look.
fn plain_attribute(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?.strip_prefix(b" ")?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'@');
    let name = rest
        .iter()
        .position(|byte| !is_part(byte))
        .filter(|name| *name > 0)?;
    let value = rest[name..].strip_prefix(b"=\"")?;
    let length = memchr(b'"', value)?;
    Some(at + " =\"\"".len() + name + length)
}

/// The value behind an equals sign and where it ends.
fn value_from(bytes: &[u8], mut at: usize) -> Option<(Span, usize)> {
    while is_space(*bytes.get(at)?) {
        at += 1;
    }
    match bytes[at] {
        quote @ (b'"' | b'\'') => {
            let end = at + 1 + memchr(quote, &bytes[at + 1..])?;
            Some((Span::new(at + 1, end), end + 1))
        }
        _ => {
            let start = at;
            while *bytes.get(at)? != b'>' && !is_space(bytes[at]) {
                at += 1;
            }
            Some((Span::new(start, at), at))
        }
    }
}

/// Returns the raw text of an element after its start tag. It ends before the end tag, or with the
/// source.
pub(super) fn raw_text(bytes: &[u8], from: usize, name: &[u8]) -> Span {
    let mut at = from;
    while let Some(found) = memmem::find(&bytes[at..], b"</") {
        let open = at + found;
        if is_tag_named(&bytes[open + 2..], name) {
            return Span::new(from, open);
        }
        at = open + 2;
    }
    Span::new(from, bytes.len())
}

/// As `raw_text`, for scripts: inside `<!--` a script may hold another script with its end tag.
pub(super) fn script_text(bytes: &[u8], from: usize) -> Span {
    let (mut is_escaped, mut is_double) = (false, false);
    let mut at = from;
    loop {
        let rest = &bytes[at..];
        let found = if is_escaped {
            memchr2(b'<', b'>', rest)
        } else {
            memchr(b'<', rest)
        };
        let Some(found) = found else {
            return Span::new(from, bytes.len());
        };
        let place = at + found;
        at = place + 1;
        let after = &bytes[at..];
        if bytes[place] == b'>' {
            if bytes[from..place].ends_with(b"--") {
                (is_escaped, is_double) = (false, false);
            }
        } else if after.starts_with(b"!--") {
            is_escaped = true;
            // `<!-->` and `<!--->` end at once: the dashes are there, the sign comes next.
        } else if after.first() == Some(&b'/') && is_tag_named(&after[1..], b"script") {
            if !is_double {
                return Span::new(from, place);
            }
            is_double = false;
        } else if is_escaped && is_tag_named(after, b"script") {
            is_double = true;
        }
    }
}

fn is_tag_named(rest: &[u8], name: &[u8]) -> bool {
    rest.len() > name.len()
        && rest[..name.len()].eq_ignore_ascii_case(name)
        && (is_space(rest[name.len()]) || matches!(rest[name.len()], b'/' | b'>'))
}

#[cfg(test)]
mod tests {
    use super::{Markup, Span, attributes, markup_at, raw_text, script_text, tag_end};

    fn skipped(html: &str) -> &str {
        match markup_at(html.as_bytes(), 0, false) {
            Markup::Skip(end) => &html[end..],
            other => panic!("{html}: {other:?}"),
        }
    }

    #[test]
    fn comments_end_as_in_browsers() {
        assert_eq!(skipped("<!-- a > b -->c"), "c");
        assert_eq!(skipped("<!-->c"), "c");
        assert_eq!(skipped("<!--->c"), "c");
        assert_eq!(skipped("<!-- a --!>c"), "c");
        assert_eq!(skipped("<!-- a --->c"), "c");
        assert_eq!(skipped("<!-- never"), "");
        assert_eq!(skipped("<!doctype html>c"), "c");
        assert_eq!(skipped("<![CDATA[a>c"), "c");
        assert_eq!(skipped("<?php echo 1 ?>c"), "c");
        assert_eq!(skipped("</ a>c"), "c");
    }

    fn read(tag: &str) -> (Vec<(String, String)>, Option<bool>) {
        let mut found = Vec::new();
        let end = attributes(tag.as_bytes(), 0, |name, value: Span| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            found.push((text(name), text(value.of(tag.as_bytes()))));
        });
        (found, end.map(|(_, closing)| closing))
    }

    #[test]
    fn attributes_in_all_their_forms() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let (found, end) = read(" a=1 b = 'two' c=\"3>\" d e/f=/g/ =h>");
        assert_eq!(end, Some(false));
        let expected = [
            pair("a", "1"),
            pair("b", "two"),
            pair("c", "3>"),
            pair("d", ""),
            pair("e", ""),
            pair("f", "/g/"),
            pair("=h", ""),
        ];
        assert_eq!(found, expected);
        assert_eq!(read(" a/>").1, Some(true));
        assert_eq!(read(" a=>").1, Some(false));
        assert_eq!(read(" a=\"never>").1, None);
        assert_eq!(read(" a").1, None);
    }

    #[test]
    fn leaps_end_where_steps_end() {
        let tags = [
            ">",
            " a>",
            " a=1>",
            " a='>' b=\">\">",
            " a = '>'>",
            " a=b='>'>",
            " a=?b=\">\">",
            " ='>'>",
            "a='>'>",
            " a'>'>",
            " a=''b='>'>",
            " a='>",
            " a=\">'\">",
            "/a='>'>",
            " a='1'/>",
            " é='>'>",
            "",
            " a",
            " a=",
            " a=''",
            " a==\">\">",
            " a= b=\">\">",
            " a=\n\tb='>'>",
            " a = b c='>'>",
            " @click='a > b' :class=\"{'x': y > 2}\" data-x>",
        ];
        for tag in tags {
            let steps = attributes(tag.as_bytes(), 0, |_, _| {}).map(|(end, _)| end);
            assert_eq!(tag_end(tag.as_bytes(), 0), steps, "{tag}");
        }
    }

    #[test]
    fn raw_text_ends_at_its_own_end_tag() {
        let text = |html: &str, name: &str| {
            let span = raw_text(html.as_bytes(), 0, name.as_bytes());
            html[span.start as usize..span.end as usize].to_owned()
        };
        assert_eq!(text("a</b></TITLE >x", "title"), "a</b>");
        assert_eq!(text("a</titles></title", "title"), "a</titles></title");
    }

    #[test]
    fn scripts_inside_escaped_scripts() {
        let text = |html: &str| {
            let span = script_text(html.as_bytes(), 0);
            html[span.start as usize..span.end as usize].to_owned()
        };
        assert_eq!(text("a</script>x"), "a");
        assert_eq!(text("<!-- </script>x"), "<!-- ");
        assert_eq!(
            text("<!-- <script> </script> --></script>x"),
            "<!-- <script> </script> -->"
        );
        assert_eq!(text("<!--><script></script>x"), "<!--><script>");
        assert_eq!(text("<script></script>x"), "<script>");
    }
}
