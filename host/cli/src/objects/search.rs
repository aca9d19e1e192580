//! Selection of objects, shared by the list and the export.

use std::collections::BTreeMap;

use magpie_engine::sites::named;
use magpie_engine::warehouse::{BadCondition, Condition, Search, moment};
use magpie_model::Attribute;
use magpie_store::{Learned as _, ObjectFilter, Reader, WarehouseRow};
use magpie_values::Timestamp;

use super::args::FilterArgs;
use super::schema;
use magpie_terminal::format::many;
use magpie_terminal::process::now;
use magpie_terminal::{Failure, Printer};

/// Returns the search that the arguments ask for.
pub(super) fn search(arguments: &FilterArgs, verticals: &[WarehouseRow]) -> Result<Search, Failure> {
    let schemas: BTreeMap<_, _> = verticals
        .iter()
        .map(|row| (row.vertical.clone(), schema(row)))
        .collect();
    let now = now();
    Ok(Search {
        filter: ObjectFilter {
            vertical: arguments.vertical.clone(),
            new_since: new_since(arguments, now)?,
            expired_at: arguments.expired.then_some(now),
            current_at: arguments.current.then_some(now),
            ..ObjectFilter::default()
        },
        conditions: conditions(arguments, &schemas)?,
        schemas,
        site: arguments.site.clone(),
    })
}

fn conditions(
    arguments: &FilterArgs,
    schemas: &BTreeMap<String, Vec<Attribute>>,
) -> Result<Vec<Condition>, Failure> {
    let bad = |problem: BadCondition| Failure::usage(problem.to_string());
    let mut conditions = Vec::new();
    for written in &arguments.conditions {
        let condition = Condition::parse(written).map_err(bad)?;
        // Of several verticals, those that have no such attribute have no such objects.
        let mut checks = schemas.values().map(|schema| condition.check(schema));
        let first = checks.next().unwrap_or(Ok(()));
        if first.is_err() && !checks.any(|check| check.is_ok()) {
            first.map_err(bad)?;
        }
        conditions.push(condition);
    }
    Ok(conditions)
}

fn new_since(arguments: &FilterArgs, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
    let Some(written) = &arguments.new_since else {
        return Ok(None);
    };
    let since = moment(written, now).ok_or_else(|| {
        Failure::usage(format!(
            "invalid value `{written}` for `--new-since`: expected a date such as 2026-05-03, or an age such as 36h, 7d or 2w"
        ))
    })?;
    Ok(Some(since))
}

/// A site that has nothing at all may be written wrongly.
pub(super) fn tell_unknown_site(
    reader: &Reader,
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

/// Tells how many records were found since the last clustering, as the list lacks them.
pub(super) fn tell_waiting(
    reader: &Reader,
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
