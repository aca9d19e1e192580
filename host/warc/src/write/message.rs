//! HTTP heads as an archive keeps them.

use std::borrow::Cow;

use memchr::memchr;

/// Returns the head of a response for the archive. Its transfer coding is decoded, so the field is
/// renamed as other archives do; readers would otherwise expect chunks.
pub(crate) fn archived_head(head: &[u8]) -> Cow<'_, [u8]> {
    let Some(at) = find_field(head, b"transfer-encoding") else {
        return with_end(Cow::Borrowed(head));
    };
    let mut renamed = Vec::with_capacity(head.len() + ORIGINAL.len());
    let mut rest = head;
    let mut start = Some(at);
    while let Some(at) = start {
        renamed.extend_from_slice(&rest[..at]);
        renamed.extend_from_slice(ORIGINAL);
        rest = &rest[at..];
        // The line's own name must not be found again.
        let line = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        renamed.extend_from_slice(&rest[..line]);
        rest = &rest[line..];
        // A response may repeat the field.
        start = find_field_from_line(rest, b"transfer-encoding");
    }
    renamed.extend_from_slice(rest);
    with_end(Cow::Owned(renamed))
}

/// Prefix for the name of a field that no longer applies.
const ORIGINAL: &[u8] = b"X-Archive-Orig-";

/// Returns true if the head says that the body is compressed, so that compressing it again is
/// useless.
pub(crate) fn is_compressed(head: &[u8]) -> bool {
    if let Some(value) = field(head, b"content-encoding") {
        let value = value.trim_ascii();
        return !value.is_empty() && !value.eq_ignore_ascii_case(b"identity");
    }
    field(head, b"content-type").is_some_and(|value| {
        let kind = value.trim_ascii().to_ascii_lowercase();
        let packed: [&[u8]; 8] = [
            b"image/jpeg",
            b"image/png",
            b"image/webp",
            b"video/",
            b"audio/",
            b"font/woff",
            b"application/zip",
            b"application/gzip",
        ];
        packed.iter().any(|prefix| kind.starts_with(prefix))
    })
}

fn field<'a>(head: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let line = &head[find_field(head, name)? + name.len() + 1..];
    Some(&line[..memchr(b'\n', line).unwrap_or(line.len())])
}

/// Returns the position of the line of a field; its name is in lower case.
fn find_field(head: &[u8], name: &[u8]) -> Option<usize> {
    let first = memchr(b'\n', head)? + 1;
    find_field_from_line(&head[first..], name).map(|at| first + at)
}

fn find_field_from_line(lines: &[u8], name: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < lines.len() {
        let line = &lines[at..];
        let named = line.len() > name.len()
            && line[name.len()] == b':'
            && line[..name.len()].eq_ignore_ascii_case(name);
        if named {
            return Some(at);
        }
        at += memchr(b'\n', line)? + 1;
    }
    None
}

/// Ends a head with an empty line. A head that was cut at a limit would otherwise run into the
/// body.
fn with_end(head: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    // Some servers mix the two line ends, and what ends a head for a reader must end it here.
    if head.ends_with(b"\n\r\n") || head.ends_with(b"\n\n") || head.is_empty() {
        return head;
    }
    let mut owned = head.into_owned();
    if !owned.ends_with(b"\n") {
        owned.extend_from_slice(b"\r\n");
    }
    owned.extend_from_slice(b"\r\n");
    Cow::Owned(owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(head: &str, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&archived_head(head.as_bytes())), expected);
    }

    #[test]
    fn transfer_codings_are_renamed() {
        check(
            "HTTP/1.1 200 OK\r\nA: b\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA: b\r\n\r\n",
        );
        check(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nTransfer-Encoding: gzip\r\nB: c\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX-Archive-Orig-transfer-encoding: chunked\r\nX-Archive-Orig-Transfer-Encoding: gzip\r\nB: c\r\n\r\n",
        );
        check(
            "HTTP/1.1 200 Transfer-Encoding: x\r\n\r\n",
            "HTTP/1.1 200 Transfer-Encoding: x\r\n\r\n",
        );
    }

    #[test]
    fn heads_without_end_get_one() {
        check("HTTP/1.1 200 OK\r\nA: b", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
        check("HTTP/1.1 200 OK\r\nA: b\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
        check("", "");
    }

    #[test]
    fn an_empty_line_of_either_kind_is_an_end() {
        for head in [
            "HTTP/1.1 200 OK\nA: b\n\r\n",
            "HTTP/1.1 200 OK\r\nA: b\r\n\n",
            "HTTP/1.1 200 OK\nA: b\n\n",
        ] {
            check(head, head);
        }
    }

    #[test]
    fn compressed_bodies_are_known_by_the_head() {
        let packed = |head: &str| is_compressed(head.as_bytes());
        assert!(packed("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n"));
        assert!(packed("HTTP/1.1 200 OK\r\ncontent-type: Image/PNG\r\n\r\n"));
        assert!(!packed(
            "HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\nContent-Type: image/png\r\n\r\n"
        ));
        assert!(!packed("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"));
        assert!(!packed("HTTP/1.1 200 OK\r\nX-Content-Encoding: gzip\r\n\r\n"));
        assert!(!packed(""));
    }
}
