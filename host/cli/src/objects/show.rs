//! `magpie objects show`.

use magpie_engine::open_reader;

use magpie_report::sentences::reading::origin;
use magpie_report::views::object::{Source, WholeObjectView, past_values, said};
use magpie_rows::{ObjectRow, ObjectState};

use super::args::ShowArgs;
use super::named::{Named, named_object};
use magpie_terminal::format::many;
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, settings};

pub(crate) fn run(arguments: &ShowArgs, printer: &mut Printer) -> Result<(), Failure> {
    let named = Named::parse(&arguments.id)?;
    let folder = settings::required_workspace(&arguments.workspace)?;
    let reader = open_reader(&folder)?;
    let (object, members) = named_object(&*reader, named)?;
    if object.state == Some(ObjectState::Forgotten) {
        return Err(Failure::input(format!(
            "object {} was removed by `magpie forget`",
            object.id
        )));
    }
    let sources = Source::read(&*reader, members)?;
    let merged: Vec<i64> = reader
        .merged_into(object.id)?
        .into_iter()
        .map(|id| id.0)
        .collect();
    if arguments.json {
        return printer.json(&WholeObjectView::new(&object, &sources, &merged));
    }
    let asked = match named {
        Named::Object(id) if id != object.id.0 => Some(id),
        _ => None,
    };
    head(&object, &merged, asked, printer)?;
    attributes(&object, &sources, printer)?;
    records(&sources, printer)?;
    history(&sources, printer)
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
    table.row(("vertical", object.vertical.clone()));
    table.row((
        "seen",
        format!("from {} to {}", object.first_seen, object.last_seen),
    ));
    if object.current == 0 {
        table.row(("gone", "none of its pages has it any more"));
    }
    if let Some(expires) = object.expires_at {
        table.row(("expires", expires.to_string()));
    }
    printer.table(&table)
}

fn attributes(object: &ObjectRow, sources: &[Source], printer: &mut Printer) -> Result<(), Failure> {
    let record = &object.record;
    let said = said(sources);
    printer.line("")?;
    let mut table = Table::indented(2).cut(1);
    for name in record.attributes() {
        let mut shown = record.all(name).collect::<Vec<_>>().join(", ");
        if record.is_assumed(name) {
            shown += " (year assumed)";
        }
        let value = record.written(name).collect::<Vec<_>>().join(", ");
        let by_value = said.get(name);
        let own = by_value.and_then(|by_value| by_value.get(&value));
        let by = own.map_or_else(String::new, |own| {
            let learned = own.iter().find_map(|source| source.member.sources.get(name));
            match learned.filter(|source| *source != "page") {
                Some(source) => format!("{}, from {}", named(own), origin(Some(source))),
                None => named(own),
            }
        });
        table.row((name, shown, Cell::toned(Tone::Quiet, by)));
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
                table.row((
                    "",
                    Cell::toned(Tone::Odd, format!("but {other}")),
                    Cell::toned(Tone::Quiet, named(&standing)),
                ));
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
    printer.section("Records")?;
    let mut table = Table::indented(2).cut(4);
    for source in sources {
        let member = &source.member;
        let state = match member.current {
            true => Cell::toned(Tone::Good, "current"),
            false => Cell::toned(Tone::Quiet, "gone"),
        };
        table.row((
            format!("r{}", member.id),
            state,
            format!("{} to {}", member.first_seen, member.last_seen),
            many(source.sightings.len() as u64, "time"),
            member.url.as_str(),
        ));
    }
    printer.table(&table)
}

/// Values that changed on a page.
fn history(sources: &[Source], printer: &mut Printer) -> Result<(), Failure> {
    let changes = past_values(sources);
    if changes.is_empty() {
        return Ok(());
    }
    printer.section("What changed")?;
    let mut table = Table::indented(2).cut(3);
    for change in changes {
        table.row((
            change.attribute,
            format!("{} to {}", change.from, change.to),
            format!("r{}", change.record),
            change.value,
        ));
    }
    printer.table(&table)
}
