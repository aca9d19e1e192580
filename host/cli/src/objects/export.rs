//! `magpie export objects`.

use magpie_engine::open_reader;

use magpie_rows::{ObjectId, ReadStore, Selection, Table};
use magpie_terminal::{Failure, Printer, settings};

use super::args::ExportObjectsArgs;
use super::named::clustered;
use super::search::{Search, searches, tell_unknown_site, tell_waiting};
use crate::export::write;

pub(crate) fn run(arguments: &ExportObjectsArgs, printer: &mut Printer) -> Result<(), Failure> {
    let reader = open_reader(&settings::required_workspace(&arguments.file.workspace)?)?;
    let verticals = clustered(&*reader, arguments.filter.vertical.as_deref())?;
    let searches = searches(&arguments.filter, &verticals)?;
    let objects = matching(&*reader, &searches)?;
    let selection = Selection {
        vertical: arguments.filter.vertical.as_deref(),
        objects: objects.as_deref(),
        ..Selection::all(Table::Objects)
    };
    let exported = write(&*reader, selection, &arguments.file, printer)?;
    if exported.rows == 0 {
        tell_unknown_site(&*reader, &arguments.filter, printer)?;
    }
    tell_waiting(&*reader, &verticals, printer)
}

/// Returns the objects that searches find, or `None` for searches without conditions. All objects
/// are written without being collected first.
fn matching(reader: &dyn ReadStore, searches: &[Search]) -> Result<Option<Vec<ObjectId>>, Failure> {
    if searches.iter().all(|search| search.query.is_empty()) {
        return Ok(None);
    }
    let mut objects = Vec::new();
    for search in searches {
        objects.extend(reader.find_all(&search.vertical, &search.query)?);
    }
    objects.sort_unstable();
    Ok(Some(objects))
}
