//! Header fields of all answers, and their compression.

use std::io::Write as _;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::App;

/// The policy of our pages: nothing from elsewhere, and no script but our own file.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Header fields of all answers, unless the handler has set them.
const FIELDS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // With "no-referrer" browsers would not say that a form comes from our own page.
    (header::REFERRER_POLICY, "same-origin"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (header::CACHE_CONTROL, "no-store"),
];

/// Shorter bodies are sent as they are.
const MIN_COMPRESSED: u64 = 1_024;

/// Longer bodies are sent as they are, since they are held in memory to be compressed.
const MAX_COMPRESSED: u64 = 8 << 20;

/// Adds the header fields, and compresses the body if the browser can read that.
pub(crate) async fn write(State(app): State<App>, request: Request, next: Next) -> Response {
    let accepts_gzip = request
        .headers()
        .get(header::ACCEPT_ENCODING)
        .and_then(|field| field.to_str().ok())
        .is_some_and(|field| field.split(',').any(is_gzip));
    let response = next.run(request).await;
    let response = match accepts_gzip {
        true => compressed(response).await,
        false => response,
    };
    let mut response = app.flight().carry(response).await;
    for (name, value) in FIELDS {
        let headers = response.headers_mut();
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

fn is_gzip(coding: &str) -> bool {
    let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
    name.trim().eq_ignore_ascii_case("gzip")
        && !matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
}

async fn compressed(response: Response) -> Response {
    let length = response.body().size_hint().exact();
    let is_worth_it = length.is_some_and(|length| (MIN_COMPRESSED..=MAX_COMPRESSED).contains(&length));
    if !is_worth_it || response.headers().contains_key(header::CONTENT_ENCODING) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, MAX_COMPRESSED as usize).await else {
        return Response::from_parts(head, Body::empty());
    };
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let packed = encoder.write_all(&bytes).and_then(|()| encoder.finish());
    let Ok(packed) = packed else {
        return Response::from_parts(head, Body::from(bytes));
    };
    head.headers
        .insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    head.headers
        .append(header::VARY, HeaderValue::from_static("accept-encoding"));
    head.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(head, Body::from(packed))
}
