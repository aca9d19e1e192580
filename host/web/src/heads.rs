//! Heads of messages as text.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

/// The heads of an exchange, as seen on the wire, or for HTTP/2 the parts needed to write them.
#[derive(Debug)]
pub(crate) enum Heads {
    /// Bytes of HTTP/1.
    Seen { request: Bytes, response: Bytes },
    /// HTTP/2.
    Framed {
        target: String,
        host: String,
        request: Arc<HeaderMap>,
        /// The body of a POST.
        form: Option<String>,
    },
}

/// Parts of the names of fields whose values stay out of archives: `Authorization`, `Cookie`, and
/// what settings add, such as `X-Api-Key`, `Api-Token` or `X-Client-Secret`. Too many are better
/// than one too few: no reader of an archive needs what a request was allowed by.
const SECRET: [&[u8]; 11] = [
    b"auth",
    b"cookie",
    b"credential",
    b"jwt",
    b"key",
    b"pass",
    b"pwd",
    b"secret",
    b"session",
    b"signature",
    b"token",
];

/// Returns `true` if the name of a field suggests that its value is secret.
fn is_secret(name: &[u8]) -> bool {
    let mut parts = SECRET.iter();
    parts.any(|part| {
        name.windows(part.len())
            .any(|window| window.eq_ignore_ascii_case(part))
    })
}

impl Heads {
    pub(crate) fn request(&self) -> Cow<'_, [u8]> {
        match self {
            Heads::Seen { request, .. } => without_secrets(request),
            Heads::Framed {
                target,
                host,
                request,
                form,
            } => {
                let method = if form.is_some() { "POST" } else { "GET" };
                let mut head = format!("{method} {target} HTTP/1.1\r\nhost: {host}\r\n").into_bytes();
                write_fields(&mut head, request);
                head.extend_from_slice(form.as_deref().unwrap_or_default().as_bytes());
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

/// Returns a request without the values of secret fields. The head is our own, so its line ends are
/// known.
fn without_secrets(request: &[u8]) -> Cow<'_, [u8]> {
    let end = memchr::memmem::find(request, b"\r\n\r\n").map_or(request.len(), |end| end + 4);
    let (head, body) = request.split_at(end);
    // The line of the request has a target instead of a name, which may have a colon.
    let is_secret = |line: &[u8]| {
        let colon = memchr::memchr(b':', line).unwrap_or(0);
        !line[..colon].contains(&b' ') && is_secret(&line[..colon])
    };
    let lines = || head.split_inclusive(|byte| *byte == b'\n');
    if !lines().any(is_secret) {
        return Cow::Borrowed(request);
    }
    let mut shown = Vec::with_capacity(request.len());
    for line in lines() {
        if is_secret(line) {
            let colon = memchr::memchr(b':', line).unwrap_or(line.len());
            shown.extend_from_slice(&line[..colon]);
            shown.extend_from_slice(b": ***\r\n");
        } else {
            shown.extend_from_slice(line);
        }
    }
    shown.extend_from_slice(body);
    Cow::Owned(shown)
}

/// Decodes header bytes: as UTF-8 if valid, else as Latin-1, which old HTTP used and which loses
/// nothing.
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
        let shown = |head: &'static str| {
            let request = Bytes::from_static(head.as_bytes());
            let response = Bytes::new();
            String::from_utf8(Heads::Seen { request, response }.request().into_owned()).unwrap()
        };
        for name in [
            "X-Api-Key",
            "x-auth",
            "Api-Token",
            "X-Client-Secret",
            "X-Passphrase",
        ] {
            let head = format!("GET /key:token HTTP/1.1\r\n{name}: hidden\r\nAccept: a\r\n\r\n");
            let expected = head.replace("hidden", "***");
            assert_eq!(shown(head.leak()), expected);
        }
        let plain = "GET /a HTTP/1.1\r\nX-Language: de\r\nIf-None-Match: \"token\"\r\n\r\n";
        assert_eq!(shown(plain), plain);
    }

    #[test]
    fn http_2_is_written_as_http_1() {
        let mut request = HeaderMap::new();
        request.insert("accept", "a".parse().unwrap());
        let heads = Heads::Framed {
            target: "/b?c".to_owned(),
            host: "example.org".to_owned(),
            request: Arc::new(request),
            form: None,
        };
        assert_eq!(
            heads.request().as_ref(),
            b"GET /b?c HTTP/1.1\r\nhost: example.org\r\naccept: a\r\n\r\n"
        );
        let mut request = HeaderMap::new();
        request.insert("cookie", "a=b".parse().unwrap());
        let posted = Heads::Framed {
            target: "/b".to_owned(),
            host: "example.org".to_owned(),
            request: Arc::new(request),
            form: Some("token=c&q=d".to_owned()),
        };
        assert_eq!(
            posted.request().as_ref(),
            b"POST /b HTTP/1.1\r\nhost: example.org\r\ncookie: ***\r\n\r\ntoken=c&q=d"
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
