//! Lenient parser of JSON as published on web pages.
//!
//! Most JSON-LD is valid. Invalid JSON-LD usually has one of a few faults that search engines
//! tolerate: comments around it, a comma too many, line breaks or quotation marks inside strings,
//! several objects in a row, everything escaped as if it were HTML text. This parser tolerates them
//! too. The first attempt is always the strict one.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

use serde_json::{Map, Number, Value};

/// Reading recurses, so that nesting is bounded.
const MAX_DEPTH: usize = 64;

/// The values of a script; more than one when objects stand in a row.
pub(super) fn read(text: &str) -> Result<Vec<Value>, String> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\0');
    if text.is_empty() {
        return Ok(Vec::new());
    }
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(vec![value]);
    }
    let unescaped = unescape(text);
    Reader {
        input: unescaped.chars().peekable(),
        depth: 0,
    }
    .values()
}

/// Undoes HTML's escapes when even the quotation marks of the names are escaped.
fn unescape(text: &str) -> Cow<'_, str> {
    let inner = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '['));
    if !["&quot;", "&#34;", "&#x22;", "&#39;"]
        .iter()
        .any(|quote| inner.starts_with(quote))
    {
        return Cow::Borrowed(text);
    }
    // The ampersand comes last. Otherwise `&amp;quot;` would be unescaped twice.
    let names = [
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&#x22;", "\""),
        ("&#39;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", "\u{a0}"),
        ("&amp;", "&"),
    ];
    Cow::Owned(names.iter().fold(text.to_owned(), |text, (name, character)| {
        text.replace(name, character)
    }))
}

struct Reader<'a> {
    input: Peekable<Chars<'a>>,
    depth: usize,
}

type Result<T, E = String> = std::result::Result<T, E>;

impl Reader<'_> {
    fn values(mut self) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        loop {
            self.skip_filling();
            match self.input.peek() {
                None => break,
                Some(',' | ';') => {
                    self.input.next();
                }
                Some('{' | '[') => values.push(self.value()?),
                Some(other) => return Err(format!("expected an object, found {other:?}")),
            }
        }
        if values.is_empty() {
            Err("there is no object in it".to_owned())
        } else {
            Ok(values)
        }
    }

    /// Skips white space, comments, and wrappers of scripts for old browsers: `<!--`, `-->`,
    /// `<![CDATA[`, `]]>`.
    fn skip_filling(&mut self) {
        loop {
            self.skip_space();
            let mut ahead = self.input.clone();
            let (first, second) = (ahead.next(), ahead.next());
            match (first, second) {
                (Some('/'), Some('*')) => self.skip_comment(),
                // Only the slashes: they often precede a CDATA mark, with the object on the same
                // line.
                (Some('/'), Some('/')) => self.skip_line_comment(),
                (Some('<'), Some('!')) if self.skip_literal("<!--") => self.skip_html_comment(),
                (Some('<'), Some('!')) if self.skip_literal("<![CDATA[") => {}
                (Some('-'), Some('-')) if self.skip_literal("-->") => {}
                // Inside an object these would be the ends of two lists.
                (Some(']'), Some(']')) if self.depth == 0 && self.skip_literal("]]>") => {}
                _ => return,
            }
        }
    }

    fn skip_space(&mut self) {
        while self
            .input
            .next_if(|&c| c.is_whitespace() || c.is_control() || c == '\u{feff}')
            .is_some()
        {}
    }

    fn skip_comment(&mut self) {
        let mut last = ' ';
        self.input.next();
        self.input.next();
        for character in self.input.by_ref() {
            if last == '*' && character == '/' {
                return;
            }
            last = character;
        }
    }

    /// A comment before the object ends with its mark; one around the object ends where it starts.
    fn skip_html_comment(&mut self) {
        self.skip_space();
        if matches!(self.input.peek(), Some('{' | '[')) {
            return;
        }
        let mut dashes = 0;
        for character in self.input.by_ref() {
            match character {
                '-' => dashes += 1,
                '>' if dashes >= 2 => return,
                _ => dashes = 0,
            }
        }
    }

    fn skip_line_comment(&mut self) {
        self.input.next();
        self.input.next();
        self.skip_blanks();
        if matches!(self.input.peek(), Some('<' | ']' | '-')) {
            return;
        }
        while self.input.next_if(|&c| c != '\n').is_some() {}
    }

    fn skip_blanks(&mut self) {
        while self.input.next_if(|&c| c == ' ' || c == '\t').is_some() {}
    }

    fn skip_literal(&mut self, literal: &str) -> bool {
        let mut ahead = self.input.clone();
        if literal.chars().all(|expected| ahead.next() == Some(expected)) {
            self.input = ahead;
            return true;
        }
        false
    }

    fn value(&mut self) -> Result<Value> {
        self.skip_filling();
        match self.input.peek().copied() {
            Some('{') => self.nested(Self::object),
            Some('[') => self.nested(Self::array),
            Some(quote @ ('"' | '\'')) => self.string(quote).map(Value::String),
            Some(_) => Ok(self.word()),
            None => Err("it ends too early".to_owned()),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value>) -> Result<Value> {
        if self.depth == MAX_DEPTH {
            return Err(format!("it nests deeper than {MAX_DEPTH}"));
        }
        self.depth += 1;
        self.input.next();
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Value> {
        let mut object = Map::new();
        loop {
            self.skip_filling();
            match self.input.peek().copied() {
                Some('}') => {
                    self.input.next();
                    return Ok(Value::Object(object));
                }
                Some(',' | ';') => {
                    self.input.next();
                }
                Some(start) => {
                    let name = self.name(start)?;
                    self.skip_filling();
                    if self.input.next_if_eq(&':').is_none() {
                        return Err(format!("a colon is missing after {:?}", clip(&name)));
                    }
                    let value = self.value()?;
                    object.insert(name, value);
                }
                None => return Err("it ends too early".to_owned()),
            }
        }
    }

    fn name(&mut self, start: char) -> Result<String> {
        if matches!(start, '"' | '\'') {
            return self.string(start);
        }
        let mut name = String::new();
        while let Some(c) = self
            .input
            .next_if(|&c| c.is_alphanumeric() || matches!(c, '_' | '@' | '$' | '-'))
        {
            name.push(c);
        }
        if name.is_empty() {
            Err(format!("expected a name, found {start:?}"))
        } else {
            Ok(name)
        }
    }

    fn array(&mut self) -> Result<Value> {
        let mut array = Vec::new();
        loop {
            self.skip_filling();
            match self.input.peek().copied() {
                Some(']') => {
                    self.input.next();
                    return Ok(Value::Array(array));
                }
                Some(',' | ';') => {
                    self.input.next();
                }
                // Guessing where the list was meant to end would mix up the values of two objects.
                Some('}' | ':') => return Err("a list is not closed".to_owned()),
                Some(_) => array.push(self.value()?),
                None => return Err("it ends too early".to_owned()),
            }
        }
    }

    fn string(&mut self, quote: char) -> Result<String> {
        self.input.next();
        let mut text = String::new();
        loop {
            match self.input.next() {
                None => return Err(format!("the string {:?} is not closed", clip(&text))),
                Some('\\') => self.escape(&mut text),
                Some(c) if c == quote && self.string_ends() => return Ok(text),
                Some(c) => text.push(c),
            }
        }
    }

    /// Returns true if the quotation mark just read ends the string. Only known tokens follow an
    /// end; anything else shows that the mark was part of the text.
    fn string_ends(&self) -> bool {
        let mut ahead = self.input.clone();
        let mut line_ended = false;
        loop {
            match ahead.next() {
                Some(c) if c.is_whitespace() => line_ended |= c == '\n',
                // A quotation mark on the next line begins the next name: only the comma is
                // missing.
                Some('"' | '\'') => return line_ended,
                Some(c) => return matches!(c, ',' | ':' | '}' | ']' | ';' | '/'),
                None => return true,
            }
        }
    }

    fn escape(&mut self, text: &mut String) {
        match self.input.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b' | 'f') => text.push(' '),
            Some('u') => text.push(self.unicode()),
            Some(other) => text.push(other),
            None => {}
        }
    }

    fn unicode(&mut self) -> char {
        let unit = self.hexadecimal();
        if let (Some(high @ 0xd800..=0xdbff), true) = (unit, self.skip_literal("\\u")) {
            let low = self.hexadecimal().filter(|low| (0xdc00..=0xdfff).contains(low));
            let code = low.map(|low| 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
            return code
                .and_then(char::from_u32)
                .unwrap_or(char::REPLACEMENT_CHARACTER);
        }
        unit.and_then(char::from_u32)
            .unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn hexadecimal(&mut self) -> Option<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.input.next_if(char::is_ascii_hexdigit)?;
            code = code * 16 + digit.to_digit(16)?;
        }
        Some(code)
    }

    /// A number, `true`, `false`, `null`, or text without quotation marks.
    fn word(&mut self) -> Value {
        let mut word = String::new();
        let first = self.input.next();
        word.extend(first);
        while let Some(c) = self
            .input
            .next_if(|&c| !matches!(c, ',' | '}' | ']' | '{' | '[' | '"' | '\n' | ':'))
        {
            word.push(c);
        }
        match word.trim() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" | "undefined" | "NaN" => Value::Null,
            number
                if number
                    .bytes()
                    .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E')) =>
            {
                let value = number.parse().ok().and_then(Number::from_f64);
                value.map_or_else(|| Value::String(number.to_owned()), Value::Number)
            }
            text => Value::String(text.to_owned()),
        }
    }
}

fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn common_faults_are_read_past() {
        let cases = [
            (r#"{"a": 1}"#, vec![json!({"a": 1})]),
            ("<!-- {\"a\": true} -->", vec![json!({"a": true})]),
            ("//<![CDATA[\n{\"a\": \"b\"}\n//]]>", vec![json!({"a": "b"})]),
            (
                "/* <![CDATA[ */ {\"a\": \"b\"} /* ]]> */",
                vec![json!({"a": "b"})],
            ),
            ("\u{feff}{\"a\": [1.5, 2.5,],}", vec![json!({"a": [1.5, 2.5]})]),
            (
                "{\"a\": \"one\n two\tthree\"}",
                vec![json!({"a": "one\n two\tthree"})],
            ),
            (
                "<!-- a note --> {\"a\": \"<!-- b -->\n\"}",
                vec![json!({"a": "<!-- b -->\n"})],
            ),
            ("{\"a\": \"b\"};", vec![json!({"a": "b"})]),
            (
                "{\"a\": \"b\"}\n{\"c\": \"d\"}",
                vec![json!({"a": "b"}), json!({"c": "d"})],
            ),
            (
                "{\"a\": \"b\"},{\"c\": \"d\"}",
                vec![json!({"a": "b"}), json!({"c": "d"})],
            ),
            (
                "{&quot;a&quot;: &quot;b &amp; c&quot;}",
                vec![json!({"a": "b & c"})],
            ),
            (
                "{\"a\": \"the \"best\" show\", \"b\": \"c\",}",
                vec![json!({"a": "the \"best\" show", "b": "c"})],
            ),
            ("{\"a\": \"b\"\n \"c\": \"d\"}", vec![json!({"a": "b", "c": "d"})]),
            (
                "{a: 'b', 'c': null, d: tall}",
                vec![json!({"a": "b", "c": null, "d": "tall"})],
            ),
            (
                "{\"a\": \"\\x \\ud83d\\ude00 \\q\",}",
                vec![json!({"a": "x \u{1f600} q"})],
            ),
            ("{\"a\": 007,}", vec![json!({"a": 7.0})]),
            ("{\"a\": // note\n \"b\" /* more */ }", vec![json!({"a": "b"})]),
            ("", vec![]),
            (" \n ", vec![]),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_beyond_repair_is_an_error() {
        for text in [
            "{\"a\": ",
            "{\"a\" \"b\"}",
            "nothing",
            "{\"a\": \"b",
            "[1, 2",
            "[}",
            "<b>",
        ] {
            assert!(read(text).is_err(), "{text}: {:?}", read(text));
        }
        assert!(read(&"[".repeat(100_000)).is_err());
        assert!(read(&"{\"a\":".repeat(100_000)).is_err());
    }
}
