//! The page of webhooks and alerts.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use super::{WebhookLine, WebhookState};
use crate::answer::List;
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Table, Tone};
use crate::frame::Page;
use crate::{App, Error, html};

pub(crate) fn routes() -> Router<App> {
    let page = || get(show);
    Router::new()
        .route("/webhooks", page())
        .route("/webhooks.json", page())
        .route("/webhooks.jsonl", page())
        .route("/webhooks.csv", page())
}

async fn show(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let (rows, alerts) = app
        .read(|reader| Ok((reader.webhooks()?, reader.lasting_alerts()?)))
        .await?;
    let webhooks = app.settings().webhooks();
    let row_of = |name: &str| rows.iter().find(|row| row.name == name);
    if !asked.format.is_page() {
        let all = webhooks
            .iter()
            .map(|webhook| WebhookLine::new(webhook, row_of(&webhook.name)));
        return List::new("webhooks", all).answer(&asked);
    }
    let heads = ["Webhook", "State", "#Events", "Last delivery", "Last problem"];
    let mut table = Table::new("Webhooks", &heads)
        .or("No webhook is set. `[[webhook]]` in magpie.toml sets one, and `magpie watch` delivers to it.");
    for webhook in webhooks {
        let row = row_of(&webhook.name);
        let (tone, state) = match WebhookState::of(row) {
            WebhookState::New => (Tone::Quiet, "starts with the next watch"),
            WebhookState::Following => (Tone::Good, "following"),
            WebhookState::Retrying => (Tone::Odd, "retrying"),
            WebhookState::Parked => (Tone::Bad, "parked"),
        };
        let delivered_at = row.and_then(|row| row.delivered_at);
        table.row([
            Cell::from(webhook.name.clone()),
            Cell::state(tone, state),
            Cell::number(row.map_or(0, |row| row.events)),
            Cell::time(delivered_at),
            Cell::from(row.and_then(|row| row.last_error.clone()).unwrap_or_default()),
        ]);
    }
    let mut lasting = Table::new("Alerts that last", &["Since", "Alert", "About", "Vertical"])
        .or("Nothing needs attention, as far as the last watch saw.");
    for row in alerts {
        lasting.row([
            Cell::time(Some(row.at)),
            Cell::state(Tone::Odd, row.alert.kind.as_str()),
            Cell::from(row.alert.subject),
            Cell::from(row.vertical),
        ]);
    }
    let mut blocks = vec![Block::Table(table), Block::Table(lasting)];
    if rows.iter().any(|row| row.parked_at.is_some()) {
        blocks.push(Block::Command {
            about: "Try a parked webhook again, while no watch runs".to_owned(),
            line: "magpie webhooks --resume NAME".to_owned(),
        });
    }
    html(&Page {
        frame: asked.list_frame("Webhooks", "/webhooks"),
        blocks,
    })
}
