//! Lines of access logs.

use std::fs;
use std::path::Path;

use crate::kind::Kind;

/// Path of requests that mark the end of the log. They are not part of it.
pub(crate) const MARK: &str = "/end-of-log-";

/// A request in an access log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedRequest {
    /// Method, such as `GET`.
    pub method: String,
    /// Path and query.
    pub target: String,
    pub status: u16,
}

/// Reads all requests of a log, marks included.
pub(crate) fn read(kind: Kind, path: &Path) -> Vec<LoggedRequest> {
    let bytes = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    // A last line without its end is still being written.
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    complete
        .lines()
        .filter_map(|line| kind.parse_line(line))
        .collect()
}

/// Parses a line with `"GET /path HTTP/1.1" 200`, as uvicorn, Django and Roundup write it.
pub(crate) fn parse_common(line: &str) -> Option<LoggedRequest> {
    let (_, request) = line.split_once('"')?;
    let (request, response) = request.rsplit_once("\" ")?;
    let (method, target) = request.split_once(' ')?;
    let (target, _) = target.rsplit_once(" HTTP/")?;
    logged(method, target, response.split(' ').next()?)
}

/// Parses a line with `[200]: GET /path`, as the server of PHP writes it.
pub(crate) fn parse_php(line: &str) -> Option<LoggedRequest> {
    let (before, request) = line.split_once("]: ")?;
    let (_, status) = before.rsplit_once('[')?;
    let mut words = request.split(' ');
    logged(words.next()?, words.next()?, status)
}

fn logged(method: &str, target: &str, status: &str) -> Option<LoggedRequest> {
    Some(LoggedRequest {
        method: method.to_owned(),
        target: target.to_owned(),
        status: status.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, target: &str, status: u16) -> Option<LoggedRequest> {
        logged(method, target, &status.to_string())
    }

    #[test]
    fn lines_of_all_servers_are_parsed() {
        for (kind, line, expected) in [
            (
                Kind::Datasette,
                r#"INFO:     127.0.0.1:45464 - "GET /books/books?_search=Snow HTTP/1.1" 200 OK"#,
                request("GET", "/books/books?_search=Snow", 200),
            ),
            (
                Kind::Oscar,
                r#"[26/Nov/2026 10:59:48] "POST /basket/add/17/ HTTP/1.1" 403 1367"#,
                request("POST", "/basket/add/17/", 403),
            ),
            (
                Kind::Roundup,
                r#"127.0.0.1 - - [26/Nov/2026 16:59:48] "GET /tracker/?q="x" HTTP/1.1" 200 - qDEKVuZT"#,
                request("GET", "/tracker/?q=\"x\"", 200),
            ),
            (
                Kind::MediaWiki,
                "[Thu Nov 26 16:59:49 2026] 127.0.0.1:37054 [404]: HEAD /x.txt - No such file or directory",
                request("HEAD", "/x.txt", 404),
            ),
            (
                Kind::MediaWiki,
                "[Thu Nov 26 16:59:49 2026] 127.0.0.1:37054 Accepted",
                None,
            ),
            (Kind::Datasette, "INFO:     Started server process [15837]", None),
        ] {
            assert_eq!(kind.parse_line(line), expected, "{line}");
        }
    }
}
