//! Errors of requests.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use magpie_rows::StoreError;
use schemars::JsonSchema;
use serde::Serialize;

/// A problem with a request (RFC 9457).
#[derive(Serialize, JsonSchema)]
pub(crate) struct Problem {
    /// Kind of problem.
    pub(crate) r#type: String,
    /// Name of the status.
    pub(crate) title: String,
    /// Status of the response.
    pub(crate) status: u16,
    /// Problem, cause and remedy.
    pub(crate) detail: String,
}

/// Reason why a request was not answered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{0}")]
    NotFound(String),
    #[error("{0}")]
    BadRequest(String),
    /// The request is not allowed.
    #[error("{0}")]
    Forbidden(String),
    /// The reader has not identified themselves.
    #[error("{0}")]
    Unauthorized(String),
    /// The request was understood, and something else makes it impossible now.
    #[error("{0}")]
    Conflict(String),
    #[error("the server is busy: too many requests read at the same time. Try again in a moment")]
    Busy,
    #[error(
        "the query is too dear: it took longer than a request may. Ask for less, with a site, a date or a rarer word"
    )]
    TooDear,
    #[error("{0}")]
    Unavailable(String),
    #[error("the server failed at this request; this is a defect of Magpie")]
    Defect,
}

impl Error {
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
pub(crate) struct Sentence(pub(crate) String);

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(Sentence(self.to_string()));
        response
    }
}
