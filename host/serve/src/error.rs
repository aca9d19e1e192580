//! Errors of requests.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use magpie_rows::StoreError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ledger::LedgerError;

/// Seconds after which a client may ask a busy server again.
const RETRY_AFTER: u64 = 5;

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
    /// Too many logins failed. Has the number of seconds until the next attempt.
    #[error("too many logins failed: try again in {0} seconds")]
    TooMany(u64),
    #[error("what was sent took too long to arrive")]
    TooSlow,
    #[error("what was sent is too large")]
    TooLarge,
    /// A client has too many requests at the same time.
    #[error("too many requests of your address are under way: wait for their answers")]
    Crowded,
    #[error("the server is busy: too many requests are under way. Try again in some seconds")]
    Busy,
    #[error(
        "the query is too dear: it took longer than a request may. Ask for less, with a site, a date or a rarer word"
    )]
    TooDear,
    #[error("the server is busy: too many large answers are on their way. Try again in some seconds")]
    Full,
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
            Error::TooMany(_) | Error::Crowded => StatusCode::TOO_MANY_REQUESTS,
            Error::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Error::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Error::Busy | Error::TooDear | Error::Full | Error::Unavailable(_) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
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

impl From<LedgerError> for Error {
    fn from(error: LedgerError) -> Error {
        let sentence = error.to_string();
        match error {
            LedgerError::Name(_) | LedgerError::Password => Error::BadRequest(sentence),
            LedgerError::Unknown { .. } => Error::NotFound(sentence),
            LedgerError::Taken { .. } | LedgerError::TooMany => Error::Conflict(sentence),
            LedgerError::Damaged { .. }
            | LedgerError::TooLong(_)
            | LedgerError::NoRandomness
            | LedgerError::File { .. } => Error::Unavailable(sentence),
        }
    }
}

/// The sentence of an error on its way through the response.
#[derive(Clone)]
pub(crate) struct Sentence(pub(crate) String);

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        let field = match self {
            Error::Unauthorized(_) => Some((header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
            Error::TooMany(seconds) => Some((header::RETRY_AFTER, seconds.into())),
            Error::Busy | Error::TooDear | Error::Full | Error::Crowded => {
                Some((header::RETRY_AFTER, RETRY_AFTER.into()))
            }
            _ => None,
        };
        response.headers_mut().extend(field);
        response.extensions_mut().insert(Sentence(self.to_string()));
        response
    }
}
