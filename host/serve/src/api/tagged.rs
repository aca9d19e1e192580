//! Answers that a reader may keep, and asks for again only if they have changed.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use magpie_report::format::json_for_terminal;

/// Bytes of a hash that suffice to distinguish two bodies.
const TAG_BYTES: usize = 16;

/// Answers with a body and its entity tag, or with 304 if the reader has this body.
pub(crate) fn tagged(request: &HeaderMap, media_type: &'static str, body: String) -> Response {
    let body = match media_type.contains("json") {
        true => json_for_terminal(body),
        false => body,
    };
    let hash = blake3::hash(body.as_bytes());
    let tag: String = hash.as_bytes()[..TAG_BYTES]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    // The same body may be sent compressed, so the tag is weak (RFC 9110, 8.8.1).
    let tag = format!("W/\"{tag}\"");
    let is_known = request
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|field| field.to_str().ok())
        .flat_map(|field| field.split(','))
        .any(|known| matches!(known.trim(), known if known == "*" || known == tag || known == &tag[2..]));
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, media_type)], body).into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, no-cache"),
    );
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}
