//! `magpie objects changes`.

use magpie_engine::open_reader;
use std::process::ExitCode;

use magpie_report::views::change::{ChangeView, ChangesEnd, moment};
use magpie_rows::{BadCursor, Change, ChangeFilter, ChangeKind, Cursor, ReadStore};

use super::args::ChangesArgs;
use super::named::clustered;
use super::search::parsed;
use magpie_terminal::format::shortened;
use magpie_terminal::process::{found, now};
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, settings};

/// Changes that are read at a time.
const CHUNK: usize = 1_000;

/// Characters of a label, and of the values before and after, on a terminal.
const LABEL: usize = 40;
const VALUES: usize = 60;

pub(crate) fn run(arguments: &ChangesArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let reader = open_reader(&settings::required_workspace(&arguments.workspace)?)?;
    let filter = filter(&*reader, arguments)?;
    let mut cursor = match &arguments.since {
        Some(written) => Some(since(&*reader, written)?),
        None => None,
    };
    let mut left = match arguments.limit {
        0 => usize::MAX,
        limit => limit,
    };
    let mut table = Table::default().cut(4);
    let mut rows = 0_u64;
    let is_last = loop {
        let page = reader.changes(cursor.as_ref(), &filter, left.min(CHUNK))?;
        for change in &page.changes {
            match arguments.json {
                true => printer.json(&ChangeView::from(change))?,
                false => table.row(row(change, printer.is_on_terminal())),
            }
        }
        rows += page.changes.len() as u64;
        left -= page.changes.len();
        cursor = Some(page.next);
        if page.is_last || left == 0 {
            break page.is_last;
        }
    };
    let cursor = cursor.map(|cursor| cursor.to_string()).unwrap_or_default();
    if arguments.json {
        printer.json(&ChangesEnd { cursor, is_last })?;
    } else {
        if rows > 0 {
            printer.table(&table)?;
        } else {
            printer.tell("nothing changed");
        }
        printer.tell(&format!("go on with `--since {cursor}`"));
    }
    Ok(found(rows > 0))
}

fn filter(reader: &dyn ReadStore, arguments: &ChangesArgs) -> Result<ChangeFilter, Failure> {
    let kinds = arguments
        .kind
        .iter()
        .filter_map(|kind| kind.parse::<ChangeKind>().ok());
    let mut filter = ChangeFilter {
        vertical: arguments.vertical.clone(),
        kinds: kinds.collect(),
        query: None,
    };
    let verticals = clustered(reader, arguments.vertical.as_deref())?;
    if arguments.conditions.is_empty() {
        return Ok(filter);
    }
    let mut searches = parsed(&arguments.conditions.join(" "), &verticals)?;
    if searches.len() > 1 {
        return Err(Failure::usage("`--where` asks about the objects of one vertical")
            .hint("name the vertical with `--vertical NAME`"));
    }
    if let Some(search) = searches.pop() {
        (filter.vertical, filter.query) = (Some(search.vertical), Some(search.query));
    }
    Ok(filter)
}

/// Reads a cursor, or a time.
fn since(reader: &dyn ReadStore, written: &str) -> Result<Cursor, Failure> {
    match written.parse::<Cursor>() {
        Ok(cursor) => return Ok(cursor),
        Err(BadCursor::Elsewhere | BadCursor::Damaged) => {}
    }
    let time = moment(written, now());
    let time = time.ok_or_else(|| {
        Failure::usage(format!(
            "invalid value `{written}` for `--since`: expected a cursor from an earlier call, a date such as 2026-05-03, \
             or an age such as 36h, 7d or 2w"
        ))
    })?;
    Ok(reader.changes_since(time)?)
}

fn row(change: &Change, is_cut: bool) -> Vec<Cell> {
    let shown = |text: &str, most: usize| shortened(text, if is_cut { most } else { usize::MAX });
    let tone = match change.kind {
        ChangeKind::New | ChangeKind::Back => Tone::Good,
        ChangeKind::Changed => Tone::Strong,
        ChangeKind::Gone | ChangeKind::Merged | ChangeKind::Expired | ChangeKind::Forgotten => Tone::Quiet,
    };
    vec![
        Cell::toned(Tone::Quiet, change.at.to_string()),
        Cell::toned(tone, change.kind.as_str()),
        Cell::from(change.object.to_string()),
        Cell::from(shown(&change.label, LABEL)),
        Cell::from(shown(&values(change), VALUES)),
    ]
}

/// Describes the values before and after.
fn values(change: &Change) -> String {
    if let Some(into) = change.into {
        return format!("into {into}");
    }
    if change.kind == ChangeKind::New {
        return String::new();
    }
    let of = |values: &[String]| match values {
        [] => "nothing".to_owned(),
        values => values.join(", "),
    };
    let changes = change.attributes.iter();
    let changes =
        changes.map(|change| format!("{}: {} -> {}", change.attribute, of(&change.old), of(&change.new)));
    changes.collect::<Vec<_>>().join("; ")
}
