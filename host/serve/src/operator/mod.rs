//! Pages for the operator: what runs, what was done, and why.

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use crate::frame::{Area, Frame};
use crate::{App, Error, html};

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/", get(home))
        .route("/-/healthy", get(healthy))
        .route("/-/ready", get(ready))
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    frame: Frame,
    pages: u64,
    records: u64,
}

async fn home(State(app): State<App>) -> Result<Response, Error> {
    let status = app.read(|reader| Ok(reader.status()?)).await?;
    html(&HomePage {
        frame: Frame::new("Overview", Area::Home),
        pages: status.pages,
        records: status.records,
    })
}

/// Says that the server answers.
async fn healthy() -> Response {
    (
        [(header::CONTENT_TYPE, "text/plain; charset=utf-8")],
        "the server answers\n",
    )
        .into_response()
}

/// Says that the workspace can be read.
async fn ready(State(app): State<App>) -> Result<Response, Error> {
    app.read(|reader| Ok(reader.status()?)).await?;
    let head = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((head, "the workspace can be read\n").into_response())
}
