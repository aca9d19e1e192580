//! The page that shows the calls of the API.

use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::Response;

use super::Params;
use super::openapi::CALLS;
use crate::frame::Frame;
use crate::href::Href;
use crate::{App, Error, html};

#[derive(Template)]
#[template(path = "api.html")]
struct ApiPage {
    frame: Frame,
    calls: Vec<ShownCall>,
}

struct ShownCall {
    path: &'static str,
    summary: &'static str,
    line: String,
}

pub(super) async fn show(
    State(app): State<App>,
    headers: HeaderMap,
    params: Params,
) -> Result<Response, Error> {
    params.finish()?;
    // The name was checked before the request was routed.
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default();
    let id = app.read(|reader| Ok(reader.last_object()?)).await?;
    let shown = CALLS.iter().map(|call| {
        let path = call.path.replace("{id}", &id.to_string());
        ShownCall {
            path: call.path,
            summary: call.summary,
            line: format!("curl 'http://{host}{path}{}'", call.example),
        }
    });
    html(&ApiPage {
        frame: Frame::new("API", "/api").with_json(Href::to(&["api", "v1", "openapi.json"])),
        calls: shown.collect(),
    })
}
