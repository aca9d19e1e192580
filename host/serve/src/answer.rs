//! Answers of handlers.

use askama::Template;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::Error;

/// Answers with a page.
pub(crate) fn html(page: &impl Template) -> Result<Response, Error> {
    let text = page.render().map_err(|_| Error::Defect)?;
    Ok(([(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response())
}

/// Answers with one JSON document, as the command line prints it.
pub(crate) fn json(value: &Value) -> Response {
    let mut text = value.to_string();
    text.push('\n');
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}
