//! The log of changes, as a table and as data.

use axum::extract::State;
use axum::response::Response;
use magpie_report::views::change::{ChangeView, moment};
use magpie_rows::{ChangeFilter, ChangeKind, Cursor};

use super::Vertical;
use super::object::{details, kind_cell};
use crate::answer::List;
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Choice, Form, FormField, Table};
use crate::frame::Page;
use crate::href::Href;
use crate::{App, Error, html};

/// Changes of a page, and of data at most.
const CHANGES: usize = 200;
const MAX_CHANGES: usize = 10_000;

/// The time that is shown if none is named.
const USUAL: &str = "7d";

/// The times that are offered.
const TIMES: [(&str, &str); 6] = [
    ("today", "today"),
    ("24h", "last 24 hours"),
    ("monday", "since Monday"),
    ("7d", "last 7 days"),
    ("30d", "last 30 days"),
    ("365d", "last year"),
];

pub(super) async fn show(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let now = app.now();
    let since = asked.get("since").unwrap_or(USUAL).to_owned();
    let begin = moment(&since, now).ok_or_else(|| {
        Error::BadRequest(format!(
            "invalid value `{since}` for `since`: expected a date such as 2026-05-03, a day such as \
             monday, or an age such as 36h, 7d or 2w"
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
    let after = asked.get("after").map(str::parse::<Cursor>).transpose();
    let after = after.map_err(|error| Error::BadRequest(error.to_string()))?;
    let (page, verticals) = app
        .read(move |reader| {
            let from = match after {
                Some(after) => after,
                None => reader.changes_since(begin)?,
            };
            let verticals = Vertical::all(reader)?;
            Ok((reader.changes(Some(&from), &filter, limit)?, verticals))
        })
        .await?;
    let next = (!page.is_last).then(|| asked.but(&[("after", Some(&page.next.to_string()))]));
    if !asked.format.is_page() {
        let mut list = List::new("changes", page.changes.iter().map(ChangeView::from));
        list.next_url = next.map(|href| href.address.replacen("/changes", "/changes.json", 1));
        return list.answer(&asked);
    }
    let now_kind = asked.get("kind");
    let all = (None, "all");
    let kinds = ChangeKind::ALL
        .iter()
        .map(|kind| (Some(kind.as_str()), kind.as_str()));
    let kinds = std::iter::once(all).chain(kinds).map(|(kind, name)| Choice {
        href: asked.but(&[("kind", kind), ("after", None)]),
        name: name.to_owned(),
        count: None,
        is_now: kind == now_kind,
    });
    let times = TIMES.iter().map(|(time, name)| Choice {
        href: asked.but(&[("since", Some(time)), ("after", None)]),
        name: (*name).to_owned(),
        count: None,
        is_now: *time == since,
    });
    let mut blocks = vec![
        Block::Text(vec![Cell::Choices(times.collect())]),
        Block::Form(Form {
            action: Href::to(&["changes"]),
            is_post: false,
            fields: [
                Some(FormField::Line {
                    name: "since",
                    label: "Since a date or for a time".to_owned(),
                    value: since.clone(),
                    hint: "2026-05-03, monday or 7d".to_owned(),
                }),
                now_kind.map(|kind| FormField::Hidden {
                    name: "kind",
                    value: kind.to_owned(),
                }),
            ]
            .into_iter()
            .flatten()
            .collect(),
            button: "Show".to_owned(),
        }),
        Block::Text(vec![Cell::Choices(kinds.collect())]),
    ];
    let columns = ["When", "What", "Object", "Details"];
    let caption = format!(
        "Changes since {}, the oldest first",
        magpie_report::format::moment(&begin)
    );
    let mut table = Table::new(caption, &columns).or("Nothing changed in this time.");
    for change in &page.changes {
        let label = match change.label.as_str() {
            "" => format!("object {}", change.object),
            label => label.to_owned(),
        };
        let vertical = verticals.iter().find(|vertical| vertical.name == change.vertical);
        table.row([
            Cell::Time(change.at),
            kind_cell(change.kind),
            Cell::link(Href::to(&["object", &change.object.0.to_string()]), label),
            details(change, vertical),
        ]);
    }
    blocks.push(Block::Table(table));
    if let Some(next) = next {
        blocks.push(Block::Text(vec![Cell::Choices(vec![Choice {
            href: next,
            name: "Later changes".to_owned(),
            count: None,
            is_now: false,
        }])]));
    }
    html(&Page {
        frame: asked.list_frame("Changes", "/changes"),
        blocks,
    })
}
