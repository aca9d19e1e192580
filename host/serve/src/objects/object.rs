//! One object: its values with their sources, its history, and each value in the archived page.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use magpie_model::Kind;
use magpie_report::format::counted;
use magpie_report::sentences::reading::origin;
use magpie_report::views::object::{Source, WholeObjectView};
use magpie_rows::{Change, ChangeKind, MemberRow, ObjectDetail, ObjectId, ObjectState, ValueSources};
use magpie_values::kind::Shape;
use url::Url;

use super::list::value_cell;
use super::{Id, Vertical, archived, linked, map, number, prices};
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Form, FormField, Picture, Table, Tone};
use crate::format::Named;
use crate::frame::Page;
use crate::href::Href;
use crate::{App, Error, Format, feeds, html, json, pictures, words};

/// Sources of a value that are named.
const MAX_SOURCES: usize = 5;

/// Changes that the time line shows, the newest.
const MAX_CHANGES: usize = 200;

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
    let settings = Arc::clone(app.settings());
    let (detail, changes, vertical, whole, picture) = app
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
                    Some(WholeObjectView::new(&detail.object, &sources, &merged))
                }
                _ => None,
            };
            let object = std::slice::from_ref(&detail.object);
            let picture = pictures::of_objects(reader, &settings, &vertical, object)?.pop();
            Ok((detail, changes, vertical, whole, picture.flatten()))
        })
        .await?;
    if let Some(into) = detail.merged_into {
        let ending = match format {
            Format::Json => ".json",
            Format::JsonLd => ".jsonld",
            _ => "",
        };
        let address = format!("{}{ending}", href(into).address);
        return Ok(moved(Redirect::permanent(&address).into_response()));
    }
    let response = match format {
        Format::Html => html(&page(&detail, &changes, &vertical, picture, &asked, app.now()))?,
        Format::Json => json(&whole),
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
    // An object that is gone is still shown.
    Ok(match detail.state {
        ObjectState::Gone | ObjectState::Forgotten => {
            (axum::http::StatusCode::GONE, response).into_response()
        }
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
        ObjectState::Forgotten => Cell::state(Tone::Quiet, "removed by `magpie forget`"),
    }
}

fn page(
    detail: &ObjectDetail,
    changes: &[Change],
    vertical: &Vertical,
    picture: Option<Picture>,
    asked: &Asked,
    now: magpie_values::Timestamp,
) -> Page {
    let object = &detail.object;
    let id = object.id.0.to_string();
    let mut blocks = vec![Block::Facts(vec![
        state_cell(detail.state).figure("State"),
        Cell::link(Href::to(&[&vertical.name]), words::title(&vertical.name)).figure("Vertical"),
        Cell::from(object.record.object_type.clone()).figure("Type"),
        Cell::Time(object.first_seen).figure("First seen"),
        Cell::Time(object.last_seen).figure("Last seen"),
    ])];
    blocks.extend(picture.map(|picture| Block::Picture {
        picture,
        about: format!("Picture of {}", object.label),
    }));
    blocks.push(Block::Table(values(detail, vertical)));
    for attribute in vertical
        .attributes
        .iter()
        .filter(|attribute| attribute.kind == Kind::Money)
    {
        blocks.extend(prices::history(
            vertical,
            attribute,
            &detail.object,
            &detail.members,
            now,
        ));
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
        blocks.push(Block::Form(Form {
            action: Href::to(&["-", "split"]),
            is_post: false,
            fields: vec![
                FormField::Hidden {
                    name: "object",
                    value: id.clone(),
                },
                FormField::Line {
                    name: "one",
                    label: "Compare record".to_owned(),
                    value: format!("r{}", one.id),
                    hint: "r17".to_owned(),
                },
                FormField::Line {
                    name: "other",
                    label: "with record".to_owned(),
                    value: format!("r{}", other.id),
                    hint: "r23".to_owned(),
                },
            ],
            button: "Compare, and split if they are two".to_owned(),
        }));
    }
    if !detail.merged.is_empty() {
        let merged: Vec<String> = detail.merged.iter().map(ToString::to_string).collect();
        blocks.push(Block::text(format!("Once also object {}.", merged.join(", "))));
    }
    blocks.push(Block::command(format!("magpie objects show {id}")));
    let short = words::short_label(&object.label, &object.record, &vertical.attributes);
    let title = match short.as_str() {
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

fn host_of(member: &MemberRow) -> String {
    let url = Url::parse(&member.url).ok();
    let host = url.as_ref().and_then(Url::host_str);
    host.unwrap_or(&member.url).to_owned()
}

/// A source by its host, as a link to the page.
fn source_cell(member: &MemberRow) -> Cell {
    let host = host_of(member);
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
        let attribute = vertical.attribute(&value.attribute);
        let kind = attribute.map_or(&Kind::Text, |attribute| &attribute.kind);
        let mut shown = Vec::new();
        for (at, text) in value.values.iter().enumerate() {
            if at > 0 {
                shown.push(Cell::from(", "));
            }
            let on_map = attribute
                .filter(|_| kind.shape() == Shape::Point)
                .and_then(|attribute| map::around(vertical, attribute, text));
            shown.push(match on_map {
                Some(href) => Cell::link(href, text),
                None => value_cell(kind, text),
            });
        }
        if detail.object.record.is_assumed(&value.attribute) {
            shown.push(Cell::from(" (year assumed)"));
        }
        let id = detail.object.id.0.to_string();
        let label = vertical.label(&value.attribute);
        let has_page = value.sources.iter().any(|source| !source.values.is_empty());
        table.row([
            Cell::from(label),
            Cell::Many(shown),
            agreeing(detail, value),
            match kind {
                // Each page of an object has an address of its own.
                Kind::Url => others(value),
                _ => disagreeing(detail, value, kind),
            },
            match has_page {
                true => Cell::About {
                    href: Href::to(&["object", &id, "value", &value.attribute]),
                    text: "in the page".to_owned(),
                    about: format!("that says the {}", label.to_lowercase()),
                },
                false => Cell::none(),
            },
        ]);
    }
    table
}

/// The number of other values.
fn others(value: &ValueSources) -> Cell {
    let others = value.sources.iter().filter(|source| !source.agrees);
    let mut others: Vec<&Vec<String>> = others.map(|source| &source.values).collect();
    others.sort();
    others.dedup();
    match others.len() as u64 {
        0 => Cell::none(),
        count => Cell::from(counted(count, "other address", "other addresses")),
    }
}

fn agreeing(detail: &ObjectDetail, value: &ValueSources) -> Cell {
    let mut hosts: Vec<(String, Cell)> = Vec::new();
    for source in value.sources.iter().filter(|source| source.agrees) {
        let Some(member) = detail.members.get(source.member) else {
            continue;
        };
        let host = host_of(member);
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

fn disagreeing(detail: &ObjectDetail, value: &ValueSources, kind: &Kind) -> Cell {
    // Sources with the same values are listed together.
    let mut said: Vec<(&Vec<String>, BTreeMap<String, Cell>)> = Vec::new();
    for source in value.sources.iter().filter(|source| !source.agrees) {
        let Some(member) = detail.members.get(source.member) else {
            continue;
        };
        let at = said.iter().position(|(values, _)| **values == source.values);
        let at = at.unwrap_or_else(|| {
            said.push((&source.values, BTreeMap::new()));
            said.len() - 1
        });
        let hosts = &mut said[at].1;
        if hosts.len() < MAX_SOURCES {
            hosts
                .entry(host_of(member))
                .or_insert_with(|| source_cell(member));
        }
    }
    let more = said.len().saturating_sub(MAX_SOURCES);
    let mut cells = Vec::new();
    for (values, hosts) in said.into_iter().take(MAX_SOURCES) {
        if !cells.is_empty() {
            cells.push(Cell::from("; "));
        }
        match values.as_slice() {
            [] => cells.push(Cell::state(Tone::Odd, "nothing")),
            [one] => cells.extend([Cell::state(Tone::Odd, ""), value_cell(kind, one)]),
            values => cells.push(Cell::state(Tone::Odd, values.join(", "))),
        }
        for (at, host) in hosts.into_values().enumerate() {
            cells.push(Cell::from(if at == 0 { " (" } else { ", " }));
            cells.push(host);
        }
        cells.push(Cell::from(")"));
    }
    if more > 0 {
        cells.push(Cell::from(format!("; and {more} more")));
    }
    match cells.is_empty() {
        true => Cell::none(),
        false => Cell::Many(cells),
    }
}

fn time_line(changes: &[Change], vertical: &Vertical) -> Table {
    let mut table =
        Table::new("Changes, the newest first", &["When", "What", "Details"]).or("No change is logged.");
    for change in changes.iter().rev().take(MAX_CHANGES) {
        let what = match (change.kind, change.into) {
            (ChangeKind::Merged, Some(into)) => Cell::Many(vec![
                Cell::from("merged into "),
                Cell::link(href(into), into.to_string()),
            ]),
            (kind, _) => kind_cell(kind),
        };
        table.row([Cell::Time(change.at), what, details(change, Some(vertical))]);
    }
    if changes.len() > MAX_CHANGES {
        let more = changes.len() - MAX_CHANGES;
        table.leaves_out(format!("{more} older changes are left out."));
    }
    table
}

/// The values that a change changed. Those of a new object are shown elsewhere.
pub(super) fn details(change: &Change, vertical: Option<&Vertical>) -> Cell {
    if change.attributes.is_empty() || change.kind == ChangeKind::New {
        return Cell::none();
    }
    let shown = |attribute: &str, values: &[String]| {
        let found = vertical.and_then(|vertical| vertical.attribute(attribute));
        let is_day = found.is_some_and(|attribute| attribute.kind == Kind::DateTime);
        let words = values.iter().map(|value| match words::day(value) {
            Cell::Day { words, .. } if is_day => words,
            _ => value.clone(),
        });
        words.collect::<Vec<_>>().join(", ")
    };
    let cells = change.attributes.iter().map(|attribute| Cell::Change {
        label: vertical
            .map_or(attribute.attribute.as_str(), |vertical| {
                vertical.label(&attribute.attribute)
            })
            .to_owned(),
        old: shown(&attribute.attribute, &attribute.old),
        new: shown(&attribute.attribute, &attribute.new),
    });
    Cell::Many(cells.collect())
}

/// The kind of a change with its sign.
pub(super) fn kind_cell(kind: ChangeKind) -> Cell {
    let tone = match kind {
        ChangeKind::New | ChangeKind::Back => Tone::Good,
        ChangeKind::Changed => Tone::Odd,
        ChangeKind::Gone | ChangeKind::Forgotten => Tone::Bad,
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
    let member_of = |source: &magpie_rows::Source| detail.members.get(source.member);
    let chosen = value.sources.iter().find(|source| {
        let member = member_of(source).map(|member| member.id);
        member.is_some() && (member == wanted || (wanted.is_none() && member == value.origin))
    });
    let chosen = chosen.or_else(|| value.sources.iter().find(|source| !source.values.is_empty()));
    let label = vertical.label(&attribute);
    let kind = vertical
        .attribute(&attribute)
        .map_or(&Kind::Text, |attribute| &attribute.kind);
    let mut table = Table::new(
        format!("Sources of the {}", label.to_lowercase()),
        &["Record", "Says", "Read from", "Page", "Seen", "Shown"],
    );
    for source in &value.sources {
        let Some(member) = member_of(source) else { continue };
        let record = member.id.to_string();
        let says = match source.values.is_empty() {
            true => Cell::none(),
            false => Cell::Many(vec![
                Cell::state(if source.agrees { Tone::Good } else { Tone::Odd }, ""),
                match source.values.as_slice() {
                    [one] => value_cell(kind, one),
                    values => Cell::from(values.join(", ")),
                },
            ]),
        };
        let is_shown = chosen.is_some_and(|chosen| chosen.member == source.member);
        table.row([
            Cell::Code(format!("r{record}")),
            says,
            Cell::from(match source.values.is_empty() {
                true => String::new(),
                false => origin(member.sources.get(&attribute).map(String::as_str)),
            }),
            Cell::outside(&member.url),
            Cell::Time(member.last_seen),
            match is_shown {
                true => Cell::Strong("shown".to_owned()),
                false => Cell::link(asked.but(&[("record", Some(&record))]), format!("show r{record}")),
            },
        ]);
    }
    let mut chosen_value = vec![
        Cell::link(href(detail.object.id), detail.object.label.clone()),
        Cell::from(": "),
    ];
    chosen_value.push(match value.values.as_slice() {
        [one] => value_cell(kind, one),
        values => Cell::from(values.join(", ")),
    });
    let mut blocks = vec![Block::Verdict {
        tone: match value.sources.iter().any(|source| !source.agrees) {
            true => Tone::Odd,
            false => Tone::Good,
        },
        cells: chosen_value,
    }];
    let mut marked = Vec::new();
    if let Some((source, member)) = chosen.and_then(|source| Some((source, member_of(source)?))) {
        marked.push(Block::heading("The value in the archived page"));
        marked.extend(archived::marked(&app, member.page, &source.nodes).await?);
    }
    // With few sources the page is in sight below them, and with many above.
    match table.rows.len() > MAX_SOURCES {
        true => blocks.extend(marked.into_iter().chain([Block::Table(table)])),
        false => blocks.extend([Block::Table(table)].into_iter().chain(marked)),
    }
    let frame = asked.frame(format!("{label} of object {id}"), "/objects");
    html(&Page { frame, blocks })
}
