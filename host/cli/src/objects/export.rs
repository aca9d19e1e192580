//! `magpie objects export`.

use std::path::Path;
use std::process::ExitCode;

use magpie_engine::warehouse::Search;
use magpie_store::{ObjectId, Reader, Selection, Table};
use serde_json::json;

use super::args::ExportArgs;
use super::clustered;
use super::search::{search, tell_unknown_site, tell_waiting};
use magpie_terminal::{Failure, Printer, settings};

use crate::export::{format, run_of, told, write};
use magpie_terminal::output_file::{STDOUT, place};

pub(crate) fn run(arguments: &ExportArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.workspace)?;
    let reader = Reader::open(&folder)?;
    let verticals = clustered(&reader, arguments.filter.vertical.as_deref())?;
    let search = search(&arguments.filter, &verticals)?;
    let run = run_of(&reader, arguments.run)?;
    let (format, ending) = format(arguments.out.as_deref(), arguments.format)?;
    let path = place(arguments.out.as_deref(), &format!("things.{ending}"))?;
    if arguments.json && path == Path::new(STDOUT) {
        return Err(
            Failure::usage("`--json` and `--out -` both want the standard output")
                .hint("leave one of them out"),
        );
    }
    let (things, attributes) = (chosen(&reader, &search)?, search.attributes());
    let selection = Selection {
        run,
        vertical: arguments.filter.vertical.as_deref(),
        things: things.as_deref(),
        attributes: &attributes,
        ..Selection::all(Table::Clusters)
    };
    let exported = write(&reader, selection, format, &path)?;
    if arguments.json {
        printer.json(&json!({"things": exported.rows, "file": path, "bytes": exported.bytes}))?;
    } else {
        printer.tell(&told(&exported, "thing", &path));
    }
    if exported.rows == 0 {
        tell_unknown_site(&reader, &arguments.filter, printer)?;
    }
    tell_waiting(&reader, &verticals, printer)?;
    Ok(ExitCode::SUCCESS)
}

/// The things that are meant, unless all are: those are written without being gathered first.
fn chosen(reader: &Reader, search: &Search) -> Result<Option<Vec<ObjectId>>, Failure> {
    if search.is_for_all() {
        return Ok(None);
    }
    let mut things = Vec::new();
    search.each(reader, &mut |thing| things.push(thing.id))?;
    Ok(Some(things))
}
