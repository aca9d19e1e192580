//! What changed: the log of changes, as a table and as data.

use axum::extract::State;
use axum::response::Response;
use magpie_report::views::change::{change_json, moment};
use magpie_store::{Change, ChangeCursor, ChangeFilter, ChangeKind, History as _};

use super::object::kind_cell;
use crate::answer::List;
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Form, FormField, Page, Table};
use crate::href::Href;
use crate::{App, Error, html};

/// Changes of a page, and of data at most.
const CHANGES: usize = 200;
const MAX_CHANGES: usize = 10_000;

/// The time that is shown if none is named.
const USUAL: &str = "7d";

pub(super) async fn show(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let now = app.now();
    let since = asked.get("since").unwrap_or(USUAL).to_owned();
    let begin = moment(&since, now).ok_or_else(|| {
        Error::BadRequest(format!(
            "invalid value `{since}` for `since`: expected a date such as 2026-05-03, or an age such as 36h, 7d or 2w"
        ))
    })?;
    let kinds = match asked.get("kind") {
        None => Vec::new(),
        Some(word) => vec![word.parse::<ChangeKind>().map_err(|_| {
            let words = ChangeKind::WORDS.join(", ");
            Error::BadRequest(format!(
                "invalid value `{word}` for `kind`: expected one of {words}"
            ))
        })?],
    };
    let filter = ChangeFilter {
        vertical: asked.get("vertical").map(str::to_owned),
        kinds,
        query: None,
    };
    let usual = if asked.format.is_page() {
        CHANGES
    } else {
        MAX_CHANGES
    };
    let limit = asked.number("limit", usual, MAX_CHANGES);
    let after = asked.get("after").map(str::parse::<ChangeCursor>).transpose();
    let after = after.map_err(|error| Error::BadRequest(error.to_string()))?;
    let page = app
        .read(move |reader| {
            let from = match after {
                Some(after) => after,
                None => reader.changes_since(begin)?,
            };
            Ok(reader.changes(Some(&from), &filter, limit)?)
        })
        .await?;
    let next = (!page.is_last).then(|| asked.but(&[("after", Some(&page.next.to_string()))]));
    if !asked.format.is_page() {
        let mut list = List::new("changes", page.changes.iter().map(change_json).collect());
        list.for_spreadsheet = asked.get("for") == Some("spreadsheet");
        list.next_url = next.map(|href| href.address.replacen("/changes", "/changes.json", 1));
        return list.answer(asked.format);
    }
    let kinds = ChangeKind::ALL.iter().flat_map(|kind| {
        let href = asked.but(&[("kind", Some(kind.as_str())), ("after", None)]);
        [Cell::from(" · "), Cell::link(href, kind.as_str())]
    });
    let all = Cell::link(asked.but(&[("kind", None), ("after", None)]), "all");
    let mut blocks = vec![
        Block::Form(Form {
            action: Href::to(&["changes"]),
            is_post: false,
            fields: vec![FormField::Line {
                name: "since",
                label: "Since a date or for a time".to_owned(),
                value: since.clone(),
                hint: "2026-05-03 or 7d".to_owned(),
            }],
            button: "Show".to_owned(),
        }),
        Block::Text(std::iter::once(all).chain(kinds).collect()),
    ];
    let columns = ["When", "What", "Object", "Attribute", "Before", "After"];
    let mut table = Table::new(format!("Changes since {begin}, the oldest first"), &columns)
        .or("Nothing changed in this time.");
    for change in &page.changes {
        rows(change, &mut table);
    }
    blocks.push(Block::Table(table));
    if let Some(next) = next {
        blocks.push(Block::Text(vec![Cell::link(next, "More")]));
    }
    html(&Page {
        frame: asked.list_frame("Changes", "/changes"),
        blocks,
    })
}

fn rows(change: &Change, table: &mut Table) {
    let label = match change.label.as_str() {
        "" => format!("object {}", change.object),
        label => label.to_owned(),
    };
    let first = || {
        [
            Cell::Time(change.at),
            kind_cell(change.kind),
            Cell::link(Href::to(&["object", &change.object.0.to_string()]), label.clone()),
        ]
    };
    let said = |values: &[String]| match values {
        [] => Cell::none(),
        values => Cell::from(values.join(", ")),
    };
    if change.kind != ChangeKind::Changed || change.attributes.is_empty() {
        table.row(
            first()
                .into_iter()
                .chain([Cell::none(), Cell::none(), Cell::none()]),
        );
        return;
    }
    for attribute in &change.attributes {
        let rest = [
            Cell::Code(attribute.attribute.clone()),
            said(&attribute.old),
            said(&attribute.new),
        ];
        table.row(first().into_iter().chain(rest));
    }
}
