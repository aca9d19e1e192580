//! Heads of messages as text.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

/// The heads of an exchange: what was seen on the wire, or for HTTP/2 what is needed to write the same.
#[derive(Debug)]
pub(crate) enum Heads {
    /// Bytes of HTTP/1.
    Seen { request: Bytes, response: Bytes },
    /// HTTP/2.
    Framed {
        target: String,
        host: String,
        request: Arc<HeaderMap>,
    },
}

/// Fields whose values stay out of archives.
const SECRET: [&str; 3] = ["authorization", "cookie", "proxy-authorization"];

impl Heads {
    pub(crate) fn request(&self) -> Cow<'_, [u8]> {
        match self {
            Heads::Seen { request, .. } => without_secrets(request),
            Heads::Framed {
                target,
                host,
                request,
            } => {
                let mut head = format!("GET {target} HTTP/1.1\r\nhost: {host}\r\n").into_bytes();
                write_fields(&mut head, request);
                Cow::Owned(without_secrets(&head).into_owned())
            }
        }
    }

    pub(crate) fn response<'a>(&'a self, status: u16, headers: &HeaderMap) -> Cow<'a, [u8]> {
        match self {
            Heads::Seen { response, .. } => Cow::Borrowed(response),
            Heads::Framed { .. } => {
                let reason = StatusCode::from_u16(status)
                    .ok()
                    .and_then(|status| status.canonical_reason());
                let mut head = format!("HTTP/1.1 {status} {}\r\n", reason.unwrap_or_default()).into_bytes();
                write_fields(&mut head, headers);
                Cow::Owned(head)
            }
        }
    }
}

fn write_fields(head: &mut Vec<u8>, headers: &HeaderMap) {
    for (name, value) in headers {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
}

/// A request's head with the values of secret fields left out. The head is our own, so its lines end as they should.
fn without_secrets(head: &[u8]) -> Cow<'_, [u8]> {
    let is_secret = |line: &[u8]| {
        SECRET.iter().any(|name| {
            line.len() > name.len()
                && line[name.len()] == b':'
                && line[..name.len()].eq_ignore_ascii_case(name.as_bytes())
        })
    };
    let lines = || head.split_inclusive(|byte| *byte == b'\n');
    if !lines().any(is_secret) {
        return Cow::Borrowed(head);
    }
    let mut shown = Vec::with_capacity(head.len());
    for line in lines() {
        if is_secret(line) {
            let colon = memchr::memchr(b':', line).unwrap_or(line.len());
            shown.extend_from_slice(&line[..colon]);
            shown.extend_from_slice(b": ***\r\n");
        } else {
            shown.extend_from_slice(line);
        }
    }
    Cow::Owned(shown)
}

/// Header bytes as text: UTF-8 where it is, else Latin-1, which old HTTP meant and which loses nothing.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_stay_out_of_archives() {
        let heads = Heads::Seen {
            request: Bytes::from_static(
                b"GET / HTTP/1.1\r\nHost: a\r\nAUTHORIZATION: Basic x\r\nproxy-authorization:y\r\n\r\n",
            ),
            response: Bytes::new(),
        };
        assert_eq!(
            heads.request().as_ref(),
            b"GET / HTTP/1.1\r\nHost: a\r\nAUTHORIZATION: ***\r\nproxy-authorization: ***\r\n\r\n"
        );
    }

    #[test]
    fn http_2_is_written_as_http_1() {
        let mut request = HeaderMap::new();
        request.insert("accept", "a".parse().unwrap());
        let heads = Heads::Framed {
            target: "/b?c".to_owned(),
            host: "example.org".to_owned(),
            request: Arc::new(request),
        };
        assert_eq!(
            heads.request().as_ref(),
            b"GET /b?c HTTP/1.1\r\nhost: example.org\r\naccept: a\r\n\r\n"
        );
        let mut response = HeaderMap::new();
        response.append("set-cookie", "a".parse().unwrap());
        response.append("set-cookie", "b".parse().unwrap());
        assert_eq!(
            heads.response(404, &response).as_ref(),
            b"HTTP/1.1 404 Not Found\r\nset-cookie: a\r\nset-cookie: b\r\n\r\n"
        );
    }
}
