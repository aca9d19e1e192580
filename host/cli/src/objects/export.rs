//! `magpie export objects`.

use std::process::ExitCode;

use magpie_engine::warehouse::Search;
use magpie_store::{ObjectId, Reader, Selection, Table};
use magpie_terminal::{Failure, Printer, settings};

use super::args::ExportObjectsArgs;
use super::clustered;
use super::search::{search, tell_unknown_site, tell_waiting};
use crate::export::write;

pub(crate) fn run(arguments: &ExportObjectsArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let reader = Reader::open(&settings::required_workspace(&arguments.file.workspace)?)?;
    let verticals = clustered(&reader, arguments.filter.vertical.as_deref())?;
    let search = search(&arguments.filter, &verticals)?;
    let objects = matching(&reader, &search)?;
    let selection = Selection {
        vertical: arguments.filter.vertical.as_deref(),
        objects: objects.as_deref(),
        ..Selection::all(Table::Objects)
    };
    let exported = write(&reader, selection, &arguments.file, printer)?;
    if exported.rows == 0 {
        tell_unknown_site(&reader, &arguments.filter, printer)?;
    }
    tell_waiting(&reader, &verticals, printer)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the objects that a search finds, or `None` for a search without conditions. All objects
/// are written without being collected first.
fn matching(reader: &Reader, search: &Search) -> Result<Option<Vec<ObjectId>>, Failure> {
    if search.is_for_all() {
        return Ok(None);
    }
    let mut objects = Vec::new();
    search.each(reader, &mut |object| objects.push(object.id))?;
    Ok(Some(objects))
}
