//! Errors in the form that was asked for: as a page, or as JSON.

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::json;

use crate::error::{Problem, Sentence};
use crate::format::{Format, Named};
use crate::frame;

/// The media type of errors for programs (RFC 9457).
const PROBLEM: &str = "application/problem+json";

/// Writes errors in the form that was asked for. Errors of the framework, such as a path without a
/// route, pass here as well.
pub(crate) async fn present(request: Request, next: Next) -> Response {
    let form = asked_form(&request);
    let response = next.run(request).await;
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    if response.headers().contains_key(header::CONTENT_TYPE)
        && response.extensions().get::<Sentence>().is_none()
    {
        let is_plain = response.headers()[header::CONTENT_TYPE]
            .as_bytes()
            .starts_with(b"text/plain");
        if !is_plain {
            return response;
        }
    }
    let sentence = response.extensions().get::<Sentence>();
    let sentence = sentence.map_or_else(|| usual(status), |sentence| sentence.0.clone());
    let (mut head, _) = response.into_parts();
    if status == StatusCode::SERVICE_UNAVAILABLE {
        // Idle readers who were turned away must not keep others from being heard.
        head.headers
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.remove(header::CONTENT_TYPE);
    let body = match form {
        Format::Html => {
            head.headers.insert(
                header::CONTENT_TYPE,
                HeaderValue::from_static("text/html; charset=utf-8"),
            );
            frame::problem_page(status, &sentence)
        }
        _ => {
            head.headers
                .insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM));
            let title = status.canonical_reason().unwrap_or("Error");
            json!(Problem {
                r#type: "about:blank".to_owned(),
                title: title.to_owned(),
                status: status.as_u16(),
                detail: sentence,
            })
            .to_string()
        }
    };
    Response::from_parts(head, body.into())
}

fn asked_form(request: &Request) -> Format {
    let path = request.uri().path();
    if path.starts_with("/api/") || path == "/mcp" {
        return Format::Json;
    }
    let last = path.rsplit('/').next().unwrap_or_default();
    Named::parse(last).format
}

/// The sentence of an error that the framework found.
fn usual(status: StatusCode) -> String {
    match status {
        StatusCode::NOT_FOUND => "there is no page of this address".to_owned(),
        StatusCode::METHOD_NOT_ALLOWED => "this address can't be asked with this method".to_owned(),
        StatusCode::PAYLOAD_TOO_LARGE => "what was sent is too large".to_owned(),
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
            "the address or the form has a value that can't be read".to_owned()
        }
        status => status
            .canonical_reason()
            .unwrap_or("the request failed")
            .to_lowercase(),
    }
}
