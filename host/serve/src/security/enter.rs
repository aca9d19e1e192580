//! The link that begins a session.

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;

use super::session::COOKIE;
use crate::{App, Error};

pub(crate) fn routes() -> Router<App> {
    Router::new().route("/-/enter", get(enter))
}

#[derive(Deserialize)]
struct Entrance {
    token: String,
}

async fn enter(State(app): State<App>, Query(entrance): Query<Entrance>) -> Result<Response, Error> {
    let Some(session) = app.gate().enter(&entrance.token) else {
        return Err(Error::Forbidden(
            "this link was used before, or belongs to an earlier start: start the server again for a new one"
                .to_owned(),
        ));
    };
    let cookie = format!("{COOKIE}={session}; HttpOnly; SameSite=Strict; Path=/");
    // A page of its own, not a redirect: the browser sends a strict cookie only with requests that
    // our own pages begin.
    let head = [(header::SET_COOKIE, cookie), (header::LOCATION, "/".to_owned())];
    Ok((StatusCode::SEE_OTHER, head).into_response())
}
