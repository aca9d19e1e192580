//! `magpie objects show`.

use magpie_store::Catalogue;
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use magpie_store::{MemberRow, ObjectRow, Reader, SightingRow};
use magpie_values::Timestamp;
use serde_json::{Value, json};

use super::args::ShowArgs;
use super::list::as_json;
use super::{Named, named_object, parsed};
use magpie_terminal::format::many;
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, settings};

/// A record of an object, with every time it was found.
struct Source {
    member: MemberRow,
    sightings: Vec<SightingRow>,
}

pub(crate) fn run(arguments: &ShowArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let named = Named::parse(&arguments.id)?;
    let folder = settings::required_workspace(&arguments.workspace)?;
    let reader = Reader::open(&folder)?;
    let (object, members) = named_object(&reader, named)?;
    let mut sources = Vec::new();
    for member in members {
        sources.push(Source {
            sightings: reader.sightings(member.id)?,
            member,
        });
    }
    let merged: Vec<i64> = reader
        .merged_into(object.id)?
        .into_iter()
        .map(|id| id.0)
        .collect();
    if arguments.json {
        printer.json(&whole(&object, &sources, &merged))?;
        return Ok(ExitCode::SUCCESS);
    }
    let asked = match named {
        Named::Object(id) if id != object.id.0 => Some(id),
        _ => None,
    };
    head(&object, &merged, asked, printer)?;
    attributes(&object, &sources, printer)?;
    records(&sources, printer)?;
    history(&sources, printer)?;
    Ok(ExitCode::SUCCESS)
}

fn head(
    object: &ObjectRow,
    merged: &[i64],
    asked: Option<i64>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let label = printer.paint(Tone::Strong, &object.label);
    printer.line(&format!("{label}  {} {}", object.record.object_type, object.id))?;
    if let Some(asked) = asked {
        printer.line(&format!("  {asked} turned out to be this one"))?;
    } else if !merged.is_empty() {
        let merged: Vec<_> = merged.iter().map(ToString::to_string).collect();
        printer.line(&format!("  once also {}", merged.join(", ")))?;
    }
    let mut table = Table::indented(2);
    table.row(["vertical".to_owned(), object.vertical.clone()]);
    table.row([
        "seen".to_owned(),
        format!("from {} to {}", object.first_seen, object.last_seen),
    ]);
    if object.current == 0 {
        table.row(["gone".to_owned(), "none of its pages has it any more".to_owned()]);
    }
    if let Some(expires) = object.expires_at {
        table.row(["expires".to_owned(), expires.to_string()]);
    }
    printer.table(&table)
}

/// The values of each record, by attribute: which value is said by which records.
fn said(sources: &[Source]) -> BTreeMap<String, BTreeMap<String, Vec<&Source>>> {
    let mut said: BTreeMap<String, BTreeMap<String, Vec<&Source>>> = BTreeMap::new();
    for source in sources {
        let names: BTreeSet<&str> = source.member.record.attributes().collect();
        for name in names {
            let values: Vec<&str> = source.member.record.all(name).collect();
            let by_value = said.entry(name.to_owned()).or_default();
            by_value.entry(values.join(", ")).or_default().push(source);
        }
    }
    said
}

fn attributes(object: &ObjectRow, sources: &[Source], printer: &mut Printer) -> Result<(), Failure> {
    let record = &object.record;
    let said = said(sources);
    printer.line("")?;
    let mut table = Table::indented(2).cut(1);
    for name in record.attributes() {
        let value = record.all(name).collect::<Vec<_>>().join(", ");
        let by_value = said.get(name);
        let own = by_value.and_then(|by_value| by_value.get(&value));
        table.row([
            Cell::from(name),
            Cell::from(value.clone()),
            Cell::toned(Tone::Quiet, own.map_or_else(String::new, |own| named(own))),
        ]);
        for (other, by) in by_value
            .into_iter()
            .flatten()
            .filter(|(other, _)| **other != value)
        {
            let standing: Vec<&Source> = by
                .iter()
                .copied()
                .filter(|source| source.member.current)
                .collect();
            if !standing.is_empty() {
                table.row([
                    Cell::from(""),
                    Cell::toned(Tone::Odd, format!("but {other}")),
                    Cell::toned(Tone::Quiet, named(&standing)),
                ]);
            }
        }
    }
    printer.table(&table)
}

/// Number of records that are named beside a value.
const NAMED: usize = 4;

fn named(sources: &[&Source]) -> String {
    let mut names: Vec<_> = sources
        .iter()
        .take(NAMED)
        .map(|source| format!("r{}", source.member.id))
        .collect();
    if sources.len() > NAMED {
        names.push(format!("and {} more", sources.len() - NAMED));
    }
    names.join(" ")
}

fn records(sources: &[Source], printer: &mut Printer) -> Result<(), Failure> {
    printer.line("")?;
    printer.line(&printer.paint(Tone::Strong, "Records"))?;
    let mut table = Table::indented(2).cut(4);
    for source in sources {
        let member = &source.member;
        let state = match member.current {
            true => Cell::toned(Tone::Good, "current"),
            false => Cell::toned(Tone::Quiet, "gone"),
        };
        table.row([
            Cell::from(format!("r{}", member.id)),
            state,
            Cell::from(format!("{} to {}", member.first_seen, member.last_seen)),
            Cell::from(many(source.sightings.len() as u64, "time")),
            Cell::from(member.url.as_str()),
        ]);
    }
    printer.table(&table)
}

/// Values that changed on a page.
fn history(sources: &[Source], printer: &mut Printer) -> Result<(), Failure> {
    let changes = changes(sources);
    if changes.is_empty() {
        return Ok(());
    }
    printer.line("")?;
    printer.line(&printer.paint(Tone::Strong, "What changed"))?;
    let mut table = Table::indented(2).cut(3);
    for change in changes {
        table.row([
            change.attribute,
            format!("{} to {}", change.from, change.to),
            format!("r{}", change.record),
            change.value,
        ]);
    }
    printer.table(&table)
}

/// The value that a page gave an attribute for some time.
struct Change {
    attribute: String,
    value: String,
    record: i64,
    from: Timestamp,
    to: Timestamp,
}

/// Returns the attributes that differ among the records of a page, in the order of time.
fn changes(sources: &[Source]) -> Vec<Change> {
    let mut pages: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources {
        pages.entry(&source.member.url).or_default().push(source);
    }
    let mut changes = Vec::new();
    for mut here in pages.into_values().filter(|here| here.len() > 1) {
        here.sort_by_key(|source| (source.member.first_seen, source.member.id));
        let names: BTreeSet<&str> = here
            .iter()
            .flat_map(|source| source.member.record.attributes())
            .collect();
        for name in names {
            let value = |source: &Source| source.member.record.all(name).collect::<Vec<_>>().join(", ");
            let different: BTreeSet<String> = here.iter().map(|source| value(source)).collect();
            if different.len() < 2 {
                continue;
            }
            changes.extend(here.iter().map(|source| {
                Change {
                    attribute: name.to_owned(),
                    value: Some(value(source))
                        .filter(|value| !value.is_empty())
                        .unwrap_or_else(|| "nothing".to_owned()),
                    record: source.member.id,
                    from: source.member.first_seen,
                    to: source.member.last_seen,
                }
            }));
        }
    }
    changes.sort_by(|one, other| (&one.attribute, one.from).cmp(&(&other.attribute, other.from)));
    changes
}

fn whole(object: &ObjectRow, sources: &[Source], merged: &[i64]) -> Value {
    let mut whole = as_json(object);
    let records = sources.iter().map(|source| {
        json!({
            "record": source.member.id,
            "url": source.member.url,
            "current": source.member.current,
            "first_seen": source.member.first_seen.to_string(),
            "last_seen": source.member.last_seen.to_string(),
            "confidence": source.member.record.confidence,
            "attributes": source.member.record.to_json().get("attributes"),
            "sightings": source.sightings.iter().map(|sighting| json!({
                "record": sighting.record, "page": sighting.page.0, "fetched_at": sighting.fetched_at.to_string(),
            })).collect::<Vec<_>>(),
        })
    });
    let changes = changes(sources);
    let changes = changes.iter().map(|change| {
        json!({
            "attribute": change.attribute, "value": change.value, "record": change.record,
            "from": change.from.to_string(), "to": change.to.to_string(),
        })
    });
    if let Value::Object(whole) = &mut whole {
        whole.insert("origins".to_owned(), parsed(&object.origins));
        whole.insert("once_also".to_owned(), json!(merged));
        whole.insert("members".to_owned(), records.collect());
        whole.insert("changes".to_owned(), changes.collect());
    }
    whole
}
