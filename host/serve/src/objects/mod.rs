//! Pages for readers of the data: search, objects, archived pages, changes.
//!
//! Views come from the semantic kinds of attributes: a date makes a calendar, money a history of
//! prices, coordinates a map. No vertical is known here.

mod archived;
mod calendar;
mod changes;
mod linked;
mod list;
mod map;
mod object;
mod prices;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;

use crate::api::VerticalSchema as Vertical;
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Table};
use crate::frame::Page;
use crate::href::Href;
use crate::{App, Error, html};

pub(crate) use list::newest;

pub(crate) fn routes() -> Router<App> {
    let changes = || get(changes::show);
    Router::new()
        .route("/objects", get(verticals))
        .route("/object/{id}", get(object::show))
        .route("/object/{id}/value/{attribute}", get(object::value))
        .route("/page/{id}", get(archived::show))
        .route("/page/{id}/raw", get(archived::raw))
        .route("/changes", changes())
        .route("/changes.json", changes())
        .route("/changes.jsonl", changes())
        .route("/changes.csv", changes())
        .route("/{vertical}", get(list::show))
}

/// Leads to the objects of the only vertical, or lists the verticals.
async fn verticals(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let rows = app
        .read(|reader| {
            let rows = reader.warehouse_verticals()?;
            let counted = rows.into_iter().map(|row| {
                let objects = reader.warehouse_objects(&row)?;
                Ok::<_, Error>((row.vertical, objects))
            });
            counted.collect::<Result<Vec<_>, _>>()
        })
        .await?;
    let with_query = |name: &str| match asked.get("q") {
        Some(query) => Href::to(&[name]).with("q", query),
        None => Href::to(&[name]),
    };
    if let [(only, _)] = rows.as_slice() {
        return Ok(Redirect::to(&with_query(only).address).into_response());
    }
    let mut table = Table::new("Verticals with objects", &["Vertical", "#Objects"])
        .or("No vertical has objects yet: `magpie learn` finds them.");
    for (name, objects) in rows {
        table.row([Cell::link(with_query(&name), name.clone()), Cell::number(objects)]);
    }
    html(&Page {
        frame: asked.frame("Objects", "/objects"),
        blocks: vec![Block::Table(table)],
    })
}

fn escape(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            character => out.push(character),
        }
    }
}

/// Reads the number of an object from a path.
fn number(text: &str) -> Result<i64, Error> {
    let number = text.parse().ok().filter(|number: &i64| *number > 0);
    number.ok_or_else(|| Error::NotFound(format!("`{text}` is not the number of an object")))
}

/// The path parameter of handlers with one.
type Id = Path<String>;
