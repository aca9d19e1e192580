//! The first line of a record of an ARC file: `URL IP-address Archive-date Content-type
//! Archive-length`, and in version 2 five more fields before the length.

use std::net::IpAddr;

use magpie_http::Headers;
use magpie_values::Timestamp;

use crate::RecordKind;

/// The content of an ARC line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ArcLine {
    pub(crate) target: String,
    pub(crate) date: Option<Timestamp>,
    pub(crate) headers: Headers,
    /// As written; some writers put `-1` where they did not know.
    pub(crate) length: String,
}

impl ArcLine {
    /// Parses a line. URLs with blanks occur, so fields are counted from the right. The length is
    /// not checked here: a line of the right form begins a record even if its length is invalid.
    pub(crate) fn parse(line: &[u8]) -> Option<ArcLine> {
        let line = str::from_utf8(line).ok()?.trim_end();
        let scheme = line.get(..line.find(':')?)?;
        let named = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        if scheme.is_empty() || !scheme.bytes().all(named) {
            return None;
        }
        // A line of version 2 fails the first attempt, because its date is elsewhere.
        Self::with_fields_after_date(line, 2).or_else(|| Self::with_fields_after_date(line, 7))
    }

    /// Parses a line with `count` fields between the date and the end: type and length, or with the
    /// five of version 2.
    fn with_fields_after_date(line: &str, count: usize) -> Option<ArcLine> {
        let mut parts = line.rsplitn(count + 3, ' ');
        let length = parts.next()?;
        let content_type = parts.by_ref().nth(count - 2)?;
        let (date, address, target) = (parts.next()?, parts.next()?, parts.next()?);
        let dated = date.len() >= DATE_DIGITS && date.bytes().all(|byte| byte.is_ascii_digit());
        // Some writers put `null` for the date. A line with an address and a length is valid
        // nevertheless.
        if !dated && (address.parse::<IpAddr>().is_err() || length.parse::<u64>().is_err()) {
            return None;
        }
        let date = Timestamp::parse_digits(date);
        let mut headers = Headers::default();
        headers.push("WARC-Target-URI".to_owned(), target.to_owned());
        headers.push("WARC-IP-Address".to_owned(), address.to_owned());
        if let Some(date) = date {
            headers.push("WARC-Date".to_owned(), date.to_string());
        }
        headers.push("Content-Type".to_owned(), content_type.to_owned());
        headers.push("Content-Length".to_owned(), length.to_owned());
        Some(ArcLine {
            target: target.to_owned(),
            date,
            headers,
            length: length.to_owned(),
        })
    }

    /// ARC has no types: the target and the beginning of the block tell.
    pub(crate) fn kind(&self, block: &[u8]) -> RecordKind {
        if self.target.starts_with("filedesc:") {
            RecordKind::Info
        } else if block.starts_with(b"HTTP/") {
            RecordKind::Response
        } else {
            RecordKind::Resource
        }
    }
}

/// Year to second. Longer dates occur, shorter ones are of no use.
const DATE_DIGITS: usize = 14;

#[cfg(test)]
mod tests {
    use super::*;

    fn target_and_length(line: &str) -> Option<(String, String)> {
        ArcLine::parse(line.as_bytes()).map(|line| (line.target, line.length))
    }

    fn some(target: &str, length: &str) -> Option<(String, String)> {
        Some((target.to_owned(), length.to_owned()))
    }

    #[test]
    fn both_versions_are_read() {
        let first = "http://a.test/x 127.0.0.1 20140102000000 text/html 12";
        assert_eq!(target_and_length(first), some("http://a.test/x", "12"));
        let second = "http://a.test/x 127.0.0.1 20140102000000 text/html 200 - - 0 file.arc 12";
        assert_eq!(target_and_length(second), some("http://a.test/x", "12"));
    }

    #[test]
    fn a_url_may_hold_blanks_and_a_length_nonsense() {
        let line = "http://a.test/x y z 127.0.0.1 20140102000000 text/html abc";
        assert_eq!(target_and_length(line), some("http://a.test/x y z", "abc"));
    }

    #[test]
    fn a_line_without_date_is_known_by_address_and_length() {
        let line = "http://a.test/x 127.0.0.1 null text/html 12";
        assert_eq!(target_and_length(line), some("http://a.test/x", "12"));
        assert_eq!(ArcLine::parse(line.as_bytes()).unwrap().date, None);
    }

    #[test]
    fn other_lines_are_no_records() {
        for line in [
            "",
            "URL IP-address Archive-date Content-type Archive-length",
            "a: b c d e f g h",
        ] {
            assert_eq!(target_and_length(line), None, "{line}");
        }
        assert_eq!(
            target_and_length("http://a.test/x somewhere 2014 text/html 12"),
            None
        );
    }
}
