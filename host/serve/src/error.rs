//! Errors of requests, and how they are shown.

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use magpie_rows::StoreError;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::format::{Format, Named};
use crate::frame;

/// The media type of errors for programs (RFC 9457).
const PROBLEM: &str = "application/problem+json";

/// A problem with a request (RFC 9457).
#[derive(Serialize, JsonSchema)]
pub(crate) struct Problem {
    /// Kind of problem.
    r#type: String,
    /// Name of the status.
    title: String,
    /// Status of the response.
    status: u16,
    /// Problem, cause and remedy.
    detail: String,
}

/// Reason why a request was not answered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// There is nothing of that name.
    #[error("{0}")]
    NotFound(String),
    /// The request makes no sense.
    #[error("{0}")]
    BadRequest(String),
    /// The request is not allowed.
    #[error("{0}")]
    Forbidden(String),
    /// The reader must say who they are.
    #[error("{0}")]
    Unauthorized(String),
    /// The request was understood, and something else makes it impossible now.
    #[error("{0}")]
    Conflict(String),
    /// Too many read at once.
    #[error("the server is busy: too many requests read at the same time. Try again in a moment")]
    Busy,
    /// Reading took too long.
    #[error(
        "the query is too dear: it took longer than a request may. Ask for less, with a site, a date or a rarer word"
    )]
    TooDear,
    /// The workspace can't be read.
    #[error("{0}")]
    Unavailable(String),
    /// A defect of the program.
    #[error("the server failed at this request; this is a defect of Magpie")]
    Defect,
}

impl Error {
    /// The status code.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Error::NotFound(_) => StatusCode::NOT_FOUND,
            Error::BadRequest(_) => StatusCode::BAD_REQUEST,
            Error::Forbidden(_) => StatusCode::FORBIDDEN,
            Error::Unauthorized(_) => StatusCode::UNAUTHORIZED,
            Error::Conflict(_) => StatusCode::CONFLICT,
            Error::Busy | Error::TooDear | Error::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Error::Defect => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        match error {
            StoreError::TooSlow { .. } => return Error::TooDear,
            StoreError::Cursor(error) => return Error::BadRequest(error.to_string()),
            _ => {}
        }
        let mut sentence = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(deeper) = cause {
            sentence.push_str(&format!(": {deeper}"));
            cause = deeper.source();
        }
        let remedy = match &error {
            StoreError::NotThere { .. } | StoreError::Empty { .. } => {
                "It was moved or deleted while it was served"
            }
            StoreError::OlderSchema { .. } => "A writing command such as `magpie watch` does that",
            StoreError::NewerSchema { .. } => "Stop this server and start it with the newer build",
            _ => "Try again in a moment",
        };
        Error::Unavailable(format!("{sentence}. {remedy}."))
    }
}

/// The sentence of an error on its way through the response.
#[derive(Clone)]
struct Sentence(String);

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(Sentence(self.to_string()));
        response
    }
}

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
