//! The page with the last lines of the audit.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use crate::answer::List;
use crate::asked::Asked;
use crate::audit::{FILE, MAX_SHOWN, OLDER};
use crate::blocks::{Block, Cell, Table, Tone};
use crate::frame::Page;
use crate::{App, Error, html};

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/audit", get(show))
        .route("/audit.json", get(show))
        .route("/audit.jsonl", get(show))
        .route("/audit.csv", get(show))
}

async fn show(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    if !asked.is_operator() {
        let sentence = "the audit is for operators, and your account may only read";
        return Err(Error::Forbidden(sentence.to_owned()));
    }
    let lines = tokio::task::spawn_blocking(move || app.gate().audit.last()).await;
    let lines = lines.map_err(|_| Error::Defect)?;
    let lines = lines.map_err(|error| Error::Unavailable(format!("can't read {FILE}: {error}")))?;
    if !asked.format.is_page() {
        return List::new("audit", lines).answer(&asked);
    }
    let heads = ["Time", "Account", "By", "Address", "Act", "About", "Outcome"];
    let mut table = Table::new("Acts and logins, the newest first", &heads)
        .or("Nobody has acted or logged in by a server on this machine.");
    table.leaves_out(format!(
        "At most {MAX_SHOWN} lines are shown. {FILE} and {OLDER} in the folder of the workspace have more."
    ));
    for line in lines {
        let about = line.about.iter().map(|(name, value)| format!("{name} {value}"));
        table.row([
            Cell::from(line.at),
            Cell::from(line.account.unwrap_or_else(|| "–".to_owned())),
            Cell::from(line.via.to_string()),
            Cell::from(line.address.to_string()),
            Cell::from(line.act),
            Cell::from(about.collect::<Vec<_>>().join(", ")),
            match line.refused {
                None => Cell::state(Tone::Good, "done"),
                Some(reason) => Cell::state(Tone::Bad, reason),
            },
        ]);
    }
    html(&Page {
        frame: asked.list_frame("Audit", "/audit"),
        blocks: vec![Block::Table(table)],
    })
}
