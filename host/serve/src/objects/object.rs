//! One object: its values with their sources, its history, and each value in the archived page.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use magpie_model::Kind;
use magpie_report::views::object::{Source, whole_json};
use magpie_store::{
    Change, ChangeKind, History as _, MemberRow, ObjectDetail, ObjectId, ObjectState, Search as _,
    ValueSources,
};
use serde_json::Value;
use url::Url;

use super::list::value_cell;
use super::{Id, Vertical, archived, linked, number, prices};
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Page, Table, Tone};
use crate::format::Named;
use crate::href::Href;
use crate::{App, Error, Format, feeds, html, json};

/// Sources of a value that are named.
const MAX_SOURCES: usize = 5;

/// Changes that the time line shows, the newest.
const MAX_CHANGES: usize = 200;

/// The address of an object.
fn href(id: ObjectId) -> Href {
    Href::to(&["object", &id.0.to_string()])
}

pub(super) async fn show(
    State(app): State<App>,
    Path(text): Id,
    headers: HeaderMap,
    asked: Asked,
) -> Result<Response, Error> {
    let Named { name, format } = Named::parse(&text);
    if format == Format::Ics {
        return feeds::of_object(&app, &headers, &name).await;
    }
    let id = ObjectId(number(&name)?);
    let (detail, changes, vertical, whole) = app
        .read(move |reader| {
            let detail = reader
                .object_detail(id)?
                .ok_or_else(|| Error::NotFound(format!("there is no object {id}")))?;
            let changes = reader.object_changes(id)?;
            let vertical = Vertical::read(reader, &detail.object.vertical)?;
            let whole = match format {
                Format::Json => {
                    let sources = Source::read(reader, detail.members.clone())?;
                    let merged: Vec<i64> = detail.merged.iter().map(|id| id.0).collect();
                    Some(whole_json(&detail.object, &sources, &merged))
                }
                _ => None,
            };
            Ok((detail, changes, vertical, whole))
        })
        .await?;
    if let Some(into) = detail.merged_into {
        let ending = match format {
            Format::Json => ".json",
            Format::JsonLd => ".jsonld",
            _ => "",
        };
        let address = format!("{}{ending}", href(into).address);
        return Ok(Redirect::permanent(&address).into_response()).map(moved);
    }
    let response = match format {
        Format::Html => html(&page(&detail, &changes, &vertical, &asked, app.now()))?,
        Format::Json => json(&whole.unwrap_or(Value::Null)),
        Format::JsonLd => {
            let text = linked::data(&detail, &vertical.attributes).to_string();
            ([(header::CONTENT_TYPE, "application/ld+json")], text).into_response()
        }
        Format::JsonLines | Format::Csv | Format::Atom | Format::Rss | Format::JsonFeed | Format::Ics => {
            return Err(Error::NotFound(
                "an object has the forms .json, .jsonld and .ics".to_owned(),
            ));
        }
    };
    // What was known of an object that is gone is told all the same.
    Ok(match detail.state {
        ObjectState::Gone => (axum::http::StatusCode::GONE, response).into_response(),
        ObjectState::Current | ObjectState::Expired | ObjectState::Merged => response,
    })
}

/// Answers that an object is part of another for ever.
fn moved(mut response: Response) -> Response {
    *response.status_mut() = axum::http::StatusCode::MOVED_PERMANENTLY;
    response
}

fn state_cell(state: ObjectState) -> Cell {
    match state {
        ObjectState::Current => Cell::state(Tone::Good, "current"),
        ObjectState::Gone => Cell::state(Tone::Odd, "gone: no page shows it any more"),
        ObjectState::Expired => Cell::state(Tone::Quiet, "over: its last date has passed"),
        ObjectState::Merged => Cell::state(Tone::Quiet, "merged into another object"),
    }
}

fn page(
    detail: &ObjectDetail,
    changes: &[Change],
    vertical: &Vertical,
    asked: &Asked,
    now: magpie_values::Timestamp,
) -> Page {
    let object = &detail.object;
    let id = object.id.0.to_string();
    let mut blocks = vec![Block::Figures(vec![
        Cell::link(Href::to(&[&vertical.name]), vertical.name.clone()).figure("Vertical"),
        Cell::from(object.record.object_type.clone()).figure("Type"),
        state_cell(detail.state).figure("State"),
        Cell::number(detail.members.len() as u64).figure("Records"),
        Cell::Time(object.first_seen).figure("First seen"),
        Cell::Time(object.last_seen).figure("Last seen"),
    ])];
    blocks.push(Block::Table(values(detail, vertical)));
    for attribute in vertical
        .attributes
        .iter()
        .filter(|attribute| attribute.kind == Kind::Money)
    {
        blocks.extend(prices::history(attribute, &detail.members, now));
    }
    blocks.push(Block::heading("Time line"));
    blocks.push(Block::Table(time_line(changes, vertical)));
    blocks.push(Block::heading("Sources"));
    blocks.push(Block::Table(sources(&detail.members)));
    if let [one, other, ..] = detail.members.as_slice() {
        blocks.push(Block::Command {
            about: "Why they are one object".to_owned(),
            line: format!("magpie objects explain r{} r{}", one.id, other.id),
        });
        if asked.can_act {
            blocks.extend(crate::control::split(one.id, other.id));
        } else {
            blocks.push(Block::Command {
                about: "To say that two are not one".to_owned(),
                line: format!("magpie objects split r{} r{}", one.id, other.id),
            });
        }
    }
    if !detail.merged.is_empty() {
        let merged: Vec<String> = detail.merged.iter().map(ToString::to_string).collect();
        blocks.push(Block::text(format!("Once also object {}.", merged.join(", "))));
    }
    blocks.push(Block::command(format!("magpie objects show {id}")));
    let title = match object.label.as_str() {
        "" => format!("Object {id}"),
        label => label.to_owned(),
    };
    let mut frame = asked
        .frame(title, "/objects")
        .with_json(Href::to(&["object", &format!("{id}.json")]))
        .with_form("JSON-LD", Href::to(&["object", &format!("{id}.jsonld")]))
        .with_form("Calendar (ICS)", Href::to(&["object", &format!("{id}.ics")]));
    frame.linked_data = Some(linked::in_page(&linked::data(detail, &vertical.attributes)));
    Page { frame, blocks }
}

/// A source by its host, as a link to the page.
fn source_cell(member: &MemberRow) -> Cell {
    let url = Url::parse(&member.url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or(&member.url);
    match Href::outside(&member.url) {
        Some(href) => Cell::link(href, host),
        None => Cell::from(host),
    }
}

fn values(detail: &ObjectDetail, vertical: &Vertical) -> Table {
    let columns = ["Attribute", "Value", "Said by", "Others say", "Evidence"];
    let mut table =
        Table::new("Values and the sources that say them", &columns).or("Nothing is known of the object.");
    for value in &detail.values {
        let kind = vertical
            .attribute(&value.attribute)
            .map_or(&Kind::Text, |attribute| &attribute.kind);
        let mut shown = Vec::new();
        for (at, text) in value.values.iter().enumerate() {
            if at > 0 {
                shown.push(Cell::from(", "));
            }
            shown.push(value_cell(kind, text));
        }
        let id = detail.object.id.0.to_string();
        let has_page = value.sources.iter().any(|source| !source.values.is_empty());
        table.row([
            Cell::from(vertical.label(&value.attribute)),
            Cell::Many(shown),
            agreeing(detail, value),
            disagreeing(detail, value),
            match has_page {
                true => Cell::link(
                    Href::to(&["object", &id, "value", &value.attribute]),
                    format!(
                        "show {} in the page",
                        vertical.label(&value.attribute).to_lowercase()
                    ),
                ),
                false => Cell::none(),
            },
        ]);
    }
    table
}

fn agreeing(detail: &ObjectDetail, value: &ValueSources) -> Cell {
    let mut hosts: Vec<(String, Cell)> = Vec::new();
    for source in value.sources.iter().filter(|source| source.agrees) {
        let Some(member) = detail.members.get(source.member) else {
            continue;
        };
        let host = Url::parse(&member.url)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned));
        let host = host.unwrap_or_else(|| member.url.clone());
        if !hosts.iter().any(|(known, _)| *known == host) {
            hosts.push((host, source_cell(member)));
        }
    }
    let more = hosts.len().saturating_sub(MAX_SOURCES);
    let mut cells = Vec::new();
    for (at, (_, cell)) in hosts.into_iter().take(MAX_SOURCES).enumerate() {
        if at > 0 {
            cells.push(Cell::from(", "));
        }
        cells.push(cell);
    }
    if more > 0 {
        cells.push(Cell::from(format!(" and {more} more")));
    }
    match cells.is_empty() {
        true => Cell::none(),
        false => Cell::Many(cells),
    }
}

fn disagreeing(detail: &ObjectDetail, value: &ValueSources) -> Cell {
    let mut cells = Vec::new();
    let others = value.sources.iter().filter(|source| !source.agrees);
    for source in others.take(MAX_SOURCES) {
        let Some(member) = detail.members.get(source.member) else {
            continue;
        };
        if !cells.is_empty() {
            cells.push(Cell::from("; "));
        }
        let said = match source.values.is_empty() {
            true => "nothing".to_owned(),
            false => source.values.join(", "),
        };
        cells.push(Cell::state(Tone::Odd, said));
        cells.push(Cell::from(" ("));
        cells.push(source_cell(member));
        cells.push(Cell::from(if member.current { ")" } else { ", no longer)" }));
    }
    match cells.is_empty() {
        true => Cell::none(),
        false => Cell::Many(cells),
    }
}

fn time_line(changes: &[Change], vertical: &Vertical) -> Table {
    let mut table = Table::new(
        "Changes, the newest first",
        &["When", "What", "Attribute", "Before", "After"],
    )
    .or("No change is logged.");
    for change in changes.iter().rev().take(MAX_CHANGES) {
        let what = || match (change.kind, change.into) {
            (ChangeKind::Merged, Some(into)) => Cell::Many(vec![
                Cell::from("merged into "),
                Cell::link(href(into), into.to_string()),
            ]),
            (kind, _) => kind_cell(kind),
        };
        // The values of a new object are in the table above.
        if change.attributes.is_empty() || change.kind == ChangeKind::New {
            table.row([
                Cell::Time(change.at),
                what(),
                Cell::none(),
                Cell::none(),
                Cell::none(),
            ]);
            continue;
        }
        for attribute in &change.attributes {
            table.row([
                Cell::Time(change.at),
                what(),
                Cell::from(vertical.label(&attribute.attribute)),
                listed(&attribute.old),
                listed(&attribute.new),
            ]);
        }
    }
    table
}

fn listed(values: &[String]) -> Cell {
    match values {
        [] => Cell::none(),
        values => Cell::from(values.join(", ")),
    }
}

/// The kind of a change with its sign.
pub(super) fn kind_cell(kind: ChangeKind) -> Cell {
    let tone = match kind {
        ChangeKind::New | ChangeKind::Back => Tone::Good,
        ChangeKind::Changed => Tone::Odd,
        ChangeKind::Gone => Tone::Bad,
        ChangeKind::Merged | ChangeKind::Expired => Tone::Quiet,
    };
    Cell::state(tone, kind.as_str())
}

fn sources(members: &[MemberRow]) -> Table {
    let columns = [
        "Record",
        "Page",
        "State",
        "First seen",
        "Last seen",
        "Archived copy",
    ];
    let mut table = Table::new("Records that were merged into this object", &columns)
        .or("The object has no records any more.");
    for member in members {
        let page = member.page.0.to_string();
        table.row([
            Cell::Code(format!("r{}", member.id)),
            Cell::outside(&member.url),
            match member.current {
                true => Cell::state(Tone::Good, "current"),
                false => Cell::state(Tone::Odd, "gone"),
            },
            Cell::Time(member.first_seen),
            Cell::Time(member.last_seen),
            Cell::link(Href::to(&["page", &page]), format!("copy {page}")),
        ]);
    }
    table
}

/// A value of an object, marked in the archived page that it comes from.
pub(super) async fn value(
    State(app): State<App>,
    Path((text, attribute)): Path<(String, String)>,
    asked: Asked,
) -> Result<Response, Error> {
    let id = ObjectId(number(&text)?);
    let wanted = asked.get("record").and_then(|record| record.parse::<i64>().ok());
    let (detail, vertical) = app
        .read(move |reader| {
            let detail = reader
                .object_detail(id)?
                .ok_or_else(|| Error::NotFound(format!("there is no object {id}")))?;
            let vertical = Vertical::read(reader, &detail.object.vertical)?;
            Ok((detail, vertical))
        })
        .await?;
    let missing = || Error::NotFound(format!("object {id} has no value of `{attribute}`"));
    let value = detail.values.iter().find(|value| value.attribute == attribute);
    let value = value.ok_or_else(missing)?;
    let member_of = |source: &magpie_store::Source| detail.members.get(source.member);
    let chosen = value.sources.iter().find(|source| {
        let member = member_of(source).map(|member| member.id);
        member.is_some() && (member == wanted || (wanted.is_none() && member == value.origin))
    });
    let chosen = chosen.or_else(|| value.sources.iter().find(|source| !source.values.is_empty()));
    let label = vertical.label(&attribute);
    let mut table = Table::new(
        format!("Sources of the {}", label.to_lowercase()),
        &["Record", "Says", "Page", "Seen", "Shown"],
    );
    for source in &value.sources {
        let Some(member) = member_of(source) else { continue };
        let record = member.id.to_string();
        let says = match source.values.is_empty() {
            true => Cell::none(),
            false => Cell::state(
                if source.agrees { Tone::Good } else { Tone::Odd },
                source.values.join(", "),
            ),
        };
        let is_shown = chosen.is_some_and(|chosen| chosen.member == source.member);
        table.row([
            Cell::Code(format!("r{record}")),
            says,
            Cell::outside(&member.url),
            Cell::Time(member.last_seen),
            match is_shown {
                true => Cell::from("below"),
                false => Cell::link(asked.but(&[("record", Some(&record))]), format!("show r{record}")),
            },
        ]);
    }
    let mut blocks = vec![
        Block::Text(vec![
            Cell::from("Of "),
            Cell::link(href(detail.object.id), detail.object.label.clone()),
            Cell::from(": "),
            Cell::Strong(value.values.join(", ")),
        ]),
        Block::Table(table),
    ];
    if let Some((source, member)) = chosen.and_then(|source| Some((source, member_of(source)?))) {
        blocks.push(Block::heading("The value in the archived page"));
        blocks.extend(archived::marked(&app, member.page, &source.nodes).await?);
    }
    let frame = asked.frame(format!("{label} of object {id}"), "/objects");
    html(&Page { frame, blocks })
}
