//! The page of the keys of feeds, which makes and revokes them in the process that writes.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use magpie_model::json::Time;
use magpie_rows::ReadStore;
use schemars::JsonSchema;
use serde::Serialize;

use super::keys::{FeedKey, feed_keys, make_feed_key, revoke_feed_key};
use crate::answer::List;
use crate::asked::{Asked, Posted};
use crate::blocks::{Block, Cell, Form, FormField, Table};
use crate::frame::Page;
use crate::href::Href;
use crate::ledger::LedgerError;
use crate::{App, Error, html};

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/feeds", get(show).post(change))
        .route("/feeds.json", get(show))
        .route("/feeds.jsonl", get(show))
        .route("/feeds.csv", get(show))
}

/// A key for feeds. The key itself is not kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "FeedKey")]
pub struct FeedKeyLine {
    /// Name of the key.
    key: String,
    /// Time when it was made.
    made_at: Time,
}

impl From<&FeedKey> for FeedKeyLine {
    fn from(key: &FeedKey) -> FeedKeyLine {
        FeedKeyLine {
            key: key.name.clone(),
            made_at: key.made_at.into(),
        }
    }
}

async fn blocking<T: Send + 'static>(
    with: impl FnOnce() -> Result<T, LedgerError> + Send + 'static,
) -> Result<T, Error> {
    let outcome = tokio::task::spawn_blocking(with).await;
    outcome.map_err(|_| Error::Defect)?.map_err(Error::from)
}

fn verticals(reader: &dyn ReadStore) -> Result<Vec<String>, Error> {
    let rows = reader.warehouse_verticals()?;
    Ok(rows.into_iter().map(|row| row.vertical).collect())
}

async fn show(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let folder = app.folder().to_owned();
    let keys = blocking(move || feed_keys(&folder)).await?;
    if !asked.format.is_page() {
        return List::new("keys", keys.iter().map(FeedKeyLine::from)).answer(&asked);
    }
    let verticals = app.read(verticals).await?;
    let mut feeds = Table::new("Feeds of all objects", &["Vertical", "Feeds"])
        .or("No vertical has objects yet: `magpie learn` finds them.");
    for vertical in verticals {
        let mut links = Vec::new();
        for (name, ending) in super::FORMS {
            if !links.is_empty() {
                links.push(Cell::from(", "));
            }
            links.push(Cell::link(Href::to(&[&format!("{vertical}{ending}")]), name));
        }
        feeds.row([Cell::from(vertical), Cell::Many(links)]);
    }
    let mut table = Table::new("Keys", &["Key", "Made"]).or(match app.gate().is_closed() {
        true => "There is no key: feeds open only with a session or the token.",
        false => "There is no key. At this address feeds open without one.",
    });
    for key in &keys {
        table.row([Cell::from(key.name.clone()), Cell::Time(key.made_at)]);
    }
    let mut blocks = vec![
        Block::text(
            "Every search has feeds of its own, and a calendar: they are named at the foot of its page. A program \
             that can't say who it is subscribes with a key, which opens feeds and nothing else.",
        ),
        Block::Table(feeds),
        Block::Table(table),
    ];
    if asked.can_act() {
        let name = |label: &str, hint: &str| FormField::Line {
            name: "name",
            label: label.to_owned(),
            value: String::new(),
            hint: hint.to_owned(),
        };
        blocks.push(form(
            "make",
            name("Name of a new key", "kitchen-calendar"),
            "Make a key",
        ));
        for key in &keys {
            let hidden = FormField::Hidden {
                name: "name",
                value: key.name.clone(),
            };
            blocks.push(form("revoke", hidden, &format!("Revoke {}", key.name)));
        }
    }
    blocks.push(Block::command("magpie feeds --make kitchen-calendar"));
    blocks.push(Block::command("magpie feeds --revoke kitchen-calendar"));
    html(&Page {
        frame: asked.list_frame("Feeds", "/feeds"),
        blocks,
    })
}

fn form(act: &str, field: FormField, button: &str) -> Block {
    Block::Form(Form {
        action: Href::to(&["feeds"]),
        is_post: true,
        fields: vec![
            FormField::Hidden {
                name: "act",
                value: act.to_owned(),
            },
            field,
        ],
        button: button.to_owned(),
    })
}

/// Makes or revokes a key. A new one is shown on the page that answers, once.
async fn change(State(app): State<App>, asked: Asked, Posted(fields): Posted) -> Result<Response, Error> {
    let missing = || Error::BadRequest("the form has no name".to_owned());
    let name = fields.get("name").ok_or_else(missing)?.to_owned();
    let (folder, now) = (app.folder().to_owned(), app.now());
    match fields.get("act") {
        Some("revoke") => {
            blocking(move || revoke_feed_key(&folder, &name, now)).await?;
            Ok(Redirect::to("/feeds").into_response())
        }
        Some("make") => {
            let shown = name.clone();
            let key = blocking(move || make_feed_key(&folder, &name, now)).await?;
            let verticals = app.read(verticals).await?;
            let mut table = Table::new("Addresses to subscribe to", &["Form", "Address"])
                .or("No vertical has objects yet.");
            for vertical in verticals {
                for (form, ending) in super::FORMS {
                    let href = Href::to(&[&format!("{vertical}{ending}")]).with("key", &key);
                    table.row([Cell::from(form), Cell::Code(href.address)]);
                }
            }
            html(&Page {
                frame: asked.frame(format!("The key {shown}"), "/feeds"),
                blocks: vec![
                    Block::text(
                        "This key is shown once. Add `&q=` and a query to an address for the feed of a search.",
                    ),
                    Block::Verbatim(key),
                    Block::Table(table),
                    Block::Text(vec![Cell::link(Href::to(&["feeds"]), "Back to the feeds")]),
                ],
            })
        }
        _ => Err(Error::BadRequest(
            "the form does not say whether to `make` or to `revoke` a key".to_owned(),
        )),
    }
}
