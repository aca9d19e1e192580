//! The page that shows the calls of the API.

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::Response;

use super::Params;
use super::openapi::{CALLS, Call};
use crate::blocks::{Block, Cell};
use crate::frame::{Frame, Page};
use crate::href::Href;
use crate::{App, Error, html};

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
    let line = |call: &Call| {
        let path = call.path.replace("{id}", &id.to_string());
        format!("curl 'http://{host}{path}{}'", call.example)
    };
    let document = Href::to(&["api", "v1", "openapi.json"]);
    let mut blocks = vec![Block::Text(vec![
        "All calls are described for programs in ".into(),
        Cell::link(document.clone(), "an OpenAPI document"),
        ". Lists have pages: ask for ".into(),
        Cell::Code("next_url".to_owned()),
        " until it is null.".into(),
    ])];
    for call in &CALLS {
        blocks.extend([
            Block::heading(call.path),
            Block::text(format!("{}.", call.summary)),
            Block::Verbatim(line(call)),
        ]);
    }
    blocks.extend([
        Block::heading("Follow changes"),
        Block::Text(vec![
            "Keep ".into(),
            Cell::Code("cursor".to_owned()),
            " of the last answer and ask for what came after it, with ".into(),
            Cell::Code("wait".to_owned()),
            " to hear of news at once, or as a stream without end:".into(),
        ]),
        Block::Verbatim(format!(
            "{} -H 'Accept: text/event-stream' --no-buffer",
            line(&CALLS[4])
        )),
    ]);
    html(&Page {
        frame: Frame::new("API", "/api").with_json(document),
        blocks,
    })
}
