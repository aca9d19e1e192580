//! The link that begins a session.

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use serde::Deserialize;

use super::gate::Visitor;
use super::session::set_cookie;
use crate::{App, Error};

pub(crate) fn routes() -> Router<App> {
    Router::new().route("/-/enter", get(enter))
}

#[derive(Deserialize)]
struct Entrance {
    token: String,
}

async fn enter(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    Query(entrance): Query<Entrance>,
) -> Result<Response, Error> {
    let gate = app.gate();
    if !gate.is_own_name(&headers) {
        return Err(Error::Forbidden(
            "open the link as it was printed: its name keeps the session from other programs of this machine"
                .to_owned(),
        ));
    }
    let session = gate.has_link().then(|| gate.sessions.enter(&entrance.token));
    let Some(session) = session.flatten() else {
        return Err(Error::Forbidden(
            "this link was used before, or belongs to an earlier start: start the server again for a new one"
                .to_owned(),
        ));
    };
    let cookie = set_cookie(Some(&session), visitor.is_https);
    let head = [(header::SET_COOKIE, cookie), (header::LOCATION, "/".to_owned())];
    Ok((StatusCode::SEE_OTHER, head).into_response())
}
