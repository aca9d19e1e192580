//! The query string of a URL as segments.

/// Maximum number of segments of a URL.
pub const MAX_SEGMENTS: usize = 200;

/// Maximum number of bytes of a name or value, decoded. Longer ones are cut.
const MAX_LEN: usize = 400;

/// An argument of a URL with its value, decoded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment {
    pub name: String,
    /// Its value; empty without `=`.
    pub value: String,
}

/// Splits the query string of a URL at `&` and `;`. Empty segments are dropped.
pub fn segments(url: &str) -> Vec<Segment> {
    let parts = query_of(url).split(['&', ';']).filter(|part| !part.is_empty());
    let segment = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        Segment {
            name: decoded(name),
            value: decoded(value),
        }
    };
    parts.take(MAX_SEGMENTS).map(segment).collect()
}

/// Returns a URL with one argument set to a value, or without it. The order of the others is kept.
pub fn with_segment(url: &str, name: &str, value: Option<&str>) -> String {
    let parts = query_of(url).split(['&', ';']).filter(|part| !part.is_empty());
    let is_other = |part: &&str| decoded(part.split_once('=').map_or(*part, |(name, _)| name)) != name;
    let mut kept: Vec<String> = parts
        .take(MAX_SEGMENTS)
        .filter(is_other)
        .map(str::to_owned)
        .collect();
    kept.extend(value.map(|value| format!("{}={}", encoded(name), encoded(value))));
    match kept.is_empty() {
        true => base_of(url).to_owned(),
        false => format!("{}?{}", base_of(url), kept.join("&")),
    }
}

/// Returns the part of a URL before its query string.
pub(super) fn base_of(url: &str) -> &str {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    &url[..end]
}

fn query_of(url: &str) -> &str {
    let url = url.split_once('#').map_or(url, |(url, _)| url);
    url.split_once('?').map_or("", |(_, query)| query)
}

/// Decodes `%XX` and `+`. Bytes that are no UTF-8 are replaced.
fn decoded(part: &str) -> String {
    let bytes = part.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len().min(MAX_LEN));
    let mut at = 0;
    while at < bytes.len() && plain.len() < MAX_LEN {
        let hex = bytes
            .get(at + 1..at + 3)
            .and_then(|hex| std::str::from_utf8(hex).ok());
        let escape = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (bytes[at], escape) {
            (b'%', Some(byte)) => {
                plain.push(byte);
                at += 2;
            }
            (b'+', _) => plain.push(b' '),
            (byte, _) => plain.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&plain).into_owned()
}

fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'@' | b',' | b':' => {
                encoded.push(char::from(byte));
            }
            b' ' => encoded.push('+'),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(url: &str) -> Vec<(String, String)> {
        segments(url)
            .into_iter()
            .map(|segment| (segment.name, segment.value))
            .collect()
    }

    #[test]
    fn segments_are_split_and_decoded() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            pairs("http://a.test/s?q=red+shoes&x;b=%C3%A4;&&=1#f?no=1"),
            [
                pair("q", "red shoes"),
                pair("x", ""),
                pair("b", "ä"),
                pair("", "1")
            ]
        );
        assert_eq!(pairs("http://a.test/s"), []);
        assert_eq!(pairs("?a=%zz%4"), [pair("a", "%zz%4")]);
        assert_eq!(
            segments(&format!("?{}", "a=1&".repeat(10_000))).len(),
            MAX_SEGMENTS
        );
        assert_eq!(
            segments(&format!("?a={}", "x".repeat(1 << 20)))[0].value.len(),
            MAX_LEN
        );
    }

    #[test]
    fn a_segment_is_set_and_dropped() {
        let url = "http://a.test/s?q=x&page=2&page=3#top";
        assert_eq!(with_segment(url, "page", None), "http://a.test/s?q=x");
        assert_eq!(
            with_segment(url, "q", Some("a b&c")),
            "http://a.test/s?page=2&page=3&q=a+b%26c"
        );
        assert_eq!(with_segment("http://a.test/s?q=x", "q", None), "http://a.test/s");
    }
}
