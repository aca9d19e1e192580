//! A server of the Model Context Protocol: tools that read the workspace, and objects as resources.
//!
//! The protocol is spoken by [`protocol`] itself. A server of tools and resources needs eight
//! methods of it; the official crate brings 30 crates for the rest.

mod protocol;
mod resources;
mod stdio;
mod tools;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;

use crate::{App, Error};
use protocol::{Headers, answer};
pub use stdio::run_stdio;
use tools::WorkspaceTools;

pub(crate) fn routes() -> Router<App> {
    Router::new().route("/mcp", post(message))
}

/// Answers a message. There are no sessions and no streams: each answer is one JSON document.
async fn message(State(app): State<App>, headers: HeaderMap, body: Bytes) -> Result<Response, Error> {
    let field = |name: &str| Some(headers.get(name)?.to_str().ok()?.to_owned());
    let repeated = Headers {
        version: field("mcp-protocol-version"),
        method: field("mcp-method"),
        name: field("mcp-name"),
    };
    let place = app.place().clone();
    let answer = app
        .read_dear(move |reader| {
            let tools = WorkspaceTools {
                reader,
                place: &place,
            };
            Ok(answer(&body, Some(&repeated), &tools))
        })
        .await?;
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    Ok(match answer.message {
        None => status.into_response(),
        Some(message) => (
            status,
            [(header::CONTENT_TYPE, "application/json")],
            message.to_string(),
        )
            .into_response(),
    })
}
