//! HTTP responses as stored in archives.

use magpie_http::{HttpLimits, HttpProblem, HttpResponse};

const LIMITS: HttpLimits = HttpLimits {
    head_bytes: 4 * 1024,
    head_fields: 20,
    body_bytes: 64 * 1024,
    ratio: 300,
};

/// Checks that parsed responses stay within the limits, and that bodies survive the round trip
/// through codings.
pub fn check(data: &[u8]) {
    if let Ok(response) = HttpResponse::parse(data, &LIMITS) {
        assert!(response.body.len() <= LIMITS.body_bytes);
        assert!(response.headers.len() <= LIMITS.head_fields);
        let cut = matches!(
            response.problem,
            Some(HttpProblem::BodyTooLarge { .. } | HttpProblem::Bomb { .. })
        );
        assert!(!cut || response.problem.is_some_and(|problem| problem.spoils_body()));
    }
    if data.len() > LIMITS.body_bytes / 2 || data.is_empty() {
        return;
    }
    let chunked = [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec(),
        chunks(data),
    ]
    .concat();
    assert_body(&chunked, data);
    let zipped = [
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec(),
        crate::gzip(data),
    ]
    .concat();
    assert_body(&zipped, data);
    let both = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
    assert_body(&[both.to_vec(), chunks(&crate::gzip(data))].concat(), data);
}

fn assert_body(message: &[u8], body: &[u8]) {
    let response = HttpResponse::parse(message, &LIMITS).expect("it has a head");
    if !matches!(response.problem, Some(HttpProblem::Bomb { .. })) {
        assert_eq!(response.problem, None);
        assert_eq!(response.body, body);
    }
}

/// Splits a body into chunks whose lengths depend on its bytes.
fn chunks(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = body;
    while let Some(first) = rest.first() {
        let (chunk, after) = rest.split_at(rest.len().min(usize::from(*first) + 1));
        out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
        rest = after;
    }
    out.extend_from_slice(b"0\r\n\r\n");
    out
}
