//! Header fields as WARC records and HTTP messages have them.

/// Fields in the order they were written. Names are compared without regard to case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// The first value of a field.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Every value of a field, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there is no field.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a field at the end.
    pub fn push(&mut self, name: String, value: String) {
        self.0.push((name, value));
    }

    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }

    /// Adds one line of a header block, without its line end. A line that starts with a blank
    /// continues the field before it (the folding of old HTTP and of WARC). A line without a colon
    /// is no field and is dropped.
    pub fn push_line(&mut self, line: &[u8]) {
        if line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            if let Some((_, value)) = self.0.last_mut() {
                value.push(' ');
                value.push_str(text(line).trim());
            }
            return;
        }
        let Some(colon) = memchr::memchr(b':', line) else {
            return;
        };
        let name = text(&line[..colon]);
        let name = name.trim();
        if !name.is_empty() {
            self.0
                .push((name.to_owned(), text(&line[colon + 1..]).trim().to_owned()));
        }
    }
}

impl FromIterator<(String, String)> for Headers {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        Headers(pairs.into_iter().collect())
    }
}

/// Decodes header bytes: as UTF-8 if valid, else as Latin-1, which old HTTP used and which loses
/// nothing.
pub fn text(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// A line without the line end it was read with.
pub fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(lines: &[&[u8]]) -> Vec<(String, String)> {
        let mut headers = Headers::default();
        for line in lines {
            headers.push_line(without_line_end(line));
        }
        headers.into_pairs()
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn folded_lines_continue_the_field() {
        assert_eq!(
            fields(&[b"A: one\r\n", b"  two\r\n", b"B:x\n"]),
            [pair("A", "one two"), pair("B", "x")]
        );
    }

    #[test]
    fn lines_that_are_no_fields_are_left_out() {
        assert_eq!(
            fields(&[b" lost\r\n", b"no colon\r\n", b": no name\r\n", b"A:\r\n"]),
            [pair("A", "")]
        );
    }

    #[test]
    fn latin_1_is_read_where_utf_8_is_not() {
        assert_eq!(
            fields(&[b"A: caf\xe9", "B: café".as_bytes()]),
            [pair("A", "café"), pair("B", "café")]
        );
    }

    #[test]
    fn names_are_found_in_any_case() {
        let headers: Headers = [pair("Set-Cookie", "a"), pair("set-cookie", "b")]
            .into_iter()
            .collect();
        assert_eq!(headers.all("SET-COOKIE").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(headers.get("set-Cookie"), Some("a"));
    }
}
