//! Selection of objects, shared by the list, the export and the changes.

use magpie_engine::site::named;
use magpie_model::Attribute;
use magpie_query::{Context, Query, QueryError};
use magpie_rows::{ReadStore, WarehouseRow};

use super::args::FilterArgs;
use super::named::schema;
use magpie_terminal::format::many;
use magpie_terminal::process::now;
use magpie_terminal::{Failure, Printer};

pub(super) struct Search {
    pub(super) vertical: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) query: Query,
}

/// Returns the searches that the arguments ask for, one of each vertical. A vertical without an
/// attribute of the query has no such objects; it is an error only if no vertical has it.
pub(super) fn searches(arguments: &FilterArgs, verticals: &[WarehouseRow]) -> Result<Vec<Search>, Failure> {
    let mut parts = arguments.conditions.clone();
    parts.extend(arguments.site.as_ref().map(|site| format!("site:\"{site}\"")));
    if let Some(since) = &arguments.new_since {
        parts.push(new_since(since)?);
    }
    parts.extend(arguments.expired.then(|| "is:expired".to_owned()));
    parts.extend(arguments.current.then(|| "is:current".to_owned()));
    parsed(&parts.join(" "), verticals)
}

/// Reads a query for each vertical that has its attributes.
pub(super) fn parsed(text: &str, verticals: &[WarehouseRow]) -> Result<Vec<Search>, Failure> {
    let mut searches = Vec::new();
    let mut first: Option<QueryError> = None;
    for row in verticals {
        let attributes = schema(row);
        let context = Context {
            attributes: &attributes,
            now: now(),
        };
        match Query::parse(text, &context) {
            Ok(query) => searches.push(Search {
                vertical: row.vertical.clone(),
                attributes,
                query,
            }),
            Err(error) => {
                first.get_or_insert(error);
            }
        }
    }
    match first {
        Some(error) if searches.is_empty() => Err(Failure::usage(error.to_string())),
        _ => Ok(searches),
    }
}

fn new_since(written: &str) -> Result<String, Failure> {
    let term = format!("first-seen>=\"{written}\"");
    let context = Context {
        attributes: &[],
        now: now(),
    };
    match written.contains('"') || Query::parse(&term, &context).is_err() {
        true => Err(Failure::usage(format!(
            "invalid value `{written}` for `--new-since`: expected a date such as 2026-05-03, or an age such as 36h, 7d or 2w"
        ))),
        false => Ok(term),
    }
}

/// A site that has nothing at all may be written wrongly.
pub(super) fn tell_unknown_site(
    reader: &dyn ReadStore,
    arguments: &FilterArgs,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let Some(site) = &arguments.site else {
        return Ok(());
    };
    let mut learned = Vec::new();
    for vertical in reader.learned_verticals()? {
        learned.extend(reader.learned_sites(&vertical)?);
    }
    if !learned.is_empty() && named(&learned, Some(site)).is_empty() {
        printer.hint(&format!(
            "no site `{site}` is known; `magpie sites` lists the sites"
        ));
    }
    Ok(())
}

/// Reports the number of records found since the last clustering, which the list lacks.
pub(super) fn tell_waiting(
    reader: &dyn ReadStore,
    verticals: &[WarehouseRow],
    printer: &mut Printer,
) -> Result<(), Failure> {
    let mut waiting = 0;
    for row in verticals {
        waiting += reader.records_waiting(&row.vertical)?;
    }
    if waiting > 0 {
        printer.hint(&format!(
            "{} are not clustered; run `magpie objects cluster`",
            many(waiting, "record")
        ));
    }
    Ok(())
}
