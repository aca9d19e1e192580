//! `magpie objects`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::process::ExitCode;

use magpie_engine::warehouse::{Condition, matches_site, moment};
use magpie_model::{Attribute, Record};
use magpie_store::{ClusterFilter, ClusterOrder, ClusterRow, Reader, StoreError, Timestamp, WarehouseRow};
use serde_json::{Value, json};

use super::args::ListArgs;
use super::{clustered, parsed, schema};
use crate::crawl::now;
use crate::explain::moment as shown_moment;
use crate::failure::Failure;
use crate::plugin::found;
use crate::printer::{Printer, Tone};
use crate::settings;
use crate::show::{many, thousands};
use crate::sites;
use crate::table::{Cell, Table, shortened};

/// Attributes beside the label.
const DETAILS: usize = 2;

/// How much of a label is shown, and of each of these.
const LABEL: usize = 60;
const DETAIL: usize = 28;

pub(crate) fn run(arguments: &ListArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.workspace)?;
    let reader = Reader::open(&folder)?;
    let verticals = clustered(&reader, arguments.vertical.as_deref())?;
    let search = Search::of(arguments, &verticals)?;
    let (things, matching) = search.run(&reader)?;
    if arguments.json {
        things
            .iter()
            .try_for_each(|thing| printer.json(&as_json(thing)))?;
    } else {
        let mut table = Table::default().right(&[0, 2]);
        table.row(
            [
                "id",
                "thing",
                "records",
                "",
                "",
                "first seen",
                "last seen",
                "expires",
            ]
            .map(heading),
        );
        for thing in &things {
            table.row(row(thing, search.schema(thing)));
        }
        if !things.is_empty() {
            printer.table(&table)?;
        }
        if matching > things.len() as u64 {
            printer.tell(&format!(
                "{} of {}; `--limit 0` shows all",
                thousands(things.len() as u64),
                many(matching, "thing")
            ));
        }
        if things.is_empty() {
            printer.tell("no thing is like that");
            tell_unknown_site(&reader, arguments, printer)?;
        }
    }
    tell_waiting(&reader, &verticals, printer)?;
    Ok(found(!things.is_empty()))
}

fn heading(text: &str) -> Cell {
    Cell::toned(Tone::Quiet, text)
}

/// A site that has nothing at all may be written wrongly.
fn tell_unknown_site(reader: &Reader, arguments: &ListArgs, printer: &mut Printer) -> Result<(), Failure> {
    let Some(site) = &arguments.site else {
        return Ok(());
    };
    let mut learned = Vec::new();
    for vertical in reader.learned_verticals()? {
        learned.extend(reader.learned_sites(&vertical)?);
    }
    if !learned.is_empty() && sites::named(&learned, Some(site)).is_empty() {
        printer.hint(&format!(
            "nothing was learned of a site `{site}`; `magpie sites` lists those that are known"
        ));
    }
    Ok(())
}

/// What was found since the last clustering is not in the list.
fn tell_waiting(reader: &Reader, verticals: &[WarehouseRow], printer: &mut Printer) -> Result<(), Failure> {
    let mut waiting = 0;
    for row in verticals {
        waiting += reader.objects_waiting(&row.vertical, row.page)?;
    }
    if waiting > 0 {
        printer.hint(&format!(
            "{} found since are not among them yet: `magpie objects cluster`",
            many(waiting, "object")
        ));
    }
    Ok(())
}

/// What is asked for.
struct Search<'a> {
    arguments: &'a ListArgs,
    filter: ClusterFilter,
    conditions: Vec<Condition>,
    schemas: BTreeMap<String, Vec<Attribute>>,
    /// The attribute that decides the order.
    by: Option<String>,
}

impl<'a> Search<'a> {
    fn of(arguments: &'a ListArgs, verticals: &[WarehouseRow]) -> Result<Self, Failure> {
        let schemas: BTreeMap<_, _> = verticals
            .iter()
            .map(|row| (row.vertical.clone(), schema(row)))
            .collect();
        let mut conditions = Vec::new();
        for written in &arguments.conditions {
            let bad = |problem: magpie_engine::warehouse::BadCondition| Failure::usage(problem.to_string());
            let condition = Condition::parse(written).map_err(bad)?;
            // Of several verticals, those that have no such attribute have no such things.
            let mut checks = schemas.values().map(|schema| condition.check(schema));
            let first = checks.next().unwrap_or(Ok(()));
            if first.is_err() && !checks.any(|check| check.is_ok()) {
                first.map_err(bad)?;
            }
            conditions.push(condition);
        }
        let now = now();
        let new_since = match &arguments.new_since {
            None => None,
            Some(written) => Some(moment(written, now).ok_or_else(|| {
                Failure::usage(format!("`{written}` is no date"))
                    .hint("write --new-since as 2026-05-03, or as so long ago: 36h, 7d, 2w")
            })?),
        };
        let (order, by) = order(&arguments.sort, &schemas)?;
        Ok(Self {
            filter: ClusterFilter {
                vertical: arguments.vertical.clone(),
                new_since,
                expired_at: arguments.expired.then_some(now / 1_000),
                current_at: arguments.current.then_some(now / 1_000),
                order,
                backwards: arguments.reverse && by.is_none(),
            },
            arguments,
            conditions,
            schemas,
            by,
        })
    }

    fn schema(&self, thing: &ClusterRow) -> &[Attribute] {
        self.schemas.get(&thing.vertical).map_or(&[], Vec::as_slice)
    }

    /// The things to be shown, and how many there are like them.
    fn run(&self, reader: &Reader) -> Result<(Vec<ClusterRow>, u64), Failure> {
        let most = match self.arguments.limit {
            0 => usize::MAX,
            limit => limit,
        };
        let (mut things, mut keys, mut matching) = (Vec::new(), Vec::new(), 0);
        let mut failure: Option<StoreError> = None;
        reader.clusters(&self.filter, &mut |thing| {
            match self.wants(reader, &thing) {
                Ok(false) => return ControlFlow::Continue(()),
                Ok(true) => {}
                Err(error) => {
                    failure = Some(error);
                    return ControlFlow::Break(());
                }
            }
            matching += 1;
            match &self.by {
                // The rows themselves are read when it is known which are shown.
                Some(attribute) => keys.push((sort_key(&thing, attribute, self.schema(&thing)), thing.id)),
                None if things.len() < most => things.push(thing),
                None => {}
            }
            ControlFlow::Continue(())
        })?;
        if let Some(error) = failure {
            return Err(error.into());
        }
        keys.sort_by(|one, other| {
            // Those without a value come last either way.
            let missing = one.0.is_none().cmp(&other.0.is_none());
            let order = one.0.partial_cmp(&other.0).unwrap_or(std::cmp::Ordering::Equal);
            let order = if self.arguments.reverse {
                order.reverse()
            } else {
                order
            };
            missing.then(order).then(one.1.cmp(&other.1))
        });
        for (_, id) in keys.into_iter().take(most) {
            things.extend(reader.cluster(id)?);
        }
        Ok((things, matching))
    }

    fn wants(&self, reader: &Reader, thing: &ClusterRow) -> Result<bool, StoreError> {
        if !self.conditions.is_empty() {
            let Some(record) = Record::from_json(&parsed(&thing.record)) else {
                return Ok(false);
            };
            let schema = self.schema(thing);
            if !self
                .conditions
                .iter()
                .all(|condition| condition.holds(schema, &record))
            {
                return Ok(false);
            }
        }
        let Some(site) = &self.arguments.site else {
            return Ok(true);
        };
        let members = reader.members_of(thing.id)?;
        Ok(members.iter().any(|member| matches_site(&member.url, site)))
    }
}

/// The order in the database, or the attribute that makes it.
fn order(
    by: &str,
    schemas: &BTreeMap<String, Vec<Attribute>>,
) -> Result<(ClusterOrder, Option<String>), Failure> {
    let order = match by {
        "id" => ClusterOrder::Number,
        "label" => ClusterOrder::Label,
        "records" => ClusterOrder::Members,
        "first-seen" => ClusterOrder::FirstSeen,
        "last-seen" => ClusterOrder::LastSeen,
        "expires" => ClusterOrder::Expires,
        attribute => {
            let mut names = schemas
                .values()
                .flatten()
                .map(|attribute| attribute.name.as_str());
            if names.any(|name| name == attribute) {
                return Ok((ClusterOrder::Number, Some(attribute.to_owned())));
            }
            return Err(Failure::usage(format!("things can't be sorted by `{attribute}`"))
                .hint("sort by id, label, records, first-seen, last-seen, expires, or an attribute of the vertical"));
        }
    };
    Ok((order, None))
}

/// What a thing is sorted by: a number where the attribute is one, else text.
fn sort_key(thing: &ClusterRow, attribute: &str, schema: &[Attribute]) -> Option<(f64, String)> {
    let record = Record::from_json(&parsed(&thing.record))?;
    let value = record.get(attribute)?;
    let kind = &schema.iter().find(|known| known.name == attribute)?.kind;
    let number = magpie_engine::warehouse::magnitude(kind, value).unwrap_or(0.0);
    Some((number, value.to_lowercase()))
}

fn row(thing: &ClusterRow, schema: &[Attribute]) -> Vec<Cell> {
    let mut details = details(thing, schema).into_iter();
    let records = match thing.current {
        0 => Cell::toned(Tone::Quiet, "gone"),
        current => Cell::from(thousands(current)),
    };
    let mut detail = || Cell::from(details.next().unwrap_or_default());
    let (first, second) = (detail(), detail());
    vec![
        Cell::from(thing.id.to_string()),
        Cell::toned(Tone::Strong, shortened(&thing.label, LABEL)),
        records,
        first,
        second,
        Cell::from(day(thing.first_seen)),
        Cell::from(day(thing.last_seen)),
        Cell::from(
            thing
                .expires_at
                .map_or(String::new(), |at| day(at.saturating_mul(1_000))),
        ),
    ]
}

/// What tells things of one name apart, unless the label says it.
fn details(thing: &ClusterRow, schema: &[Attribute]) -> Vec<String> {
    let Some(record) = Record::from_json(&parsed(&thing.record)) else {
        return Vec::new();
    };
    let telling = schema.iter().filter(|attribute| attribute.identifies);
    let values = telling.filter_map(|attribute| record.get(&attribute.name));
    let values = values.filter(|value| !thing.label.contains(*value));
    values
        .take(DETAILS)
        .map(|value| shortened(value, DETAIL))
        .collect()
}

fn day(milliseconds: i64) -> String {
    let moment = Timestamp(milliseconds.div_euclid(1_000)).to_string();
    moment.split('T').next().unwrap_or_default().to_owned()
}

pub(super) fn as_json(thing: &ClusterRow) -> Value {
    let record = parsed(&thing.record);
    json!({
        "thing": thing.id.0,
        "vertical": thing.vertical,
        "type": thing.object_type,
        "label": thing.label,
        "attributes": record.get("attributes"),
        "records": thing.members,
        "current": thing.current,
        "first_seen": shown_moment(thing.first_seen),
        "last_seen": shown_moment(thing.last_seen),
        "expires_at": thing.expires_at.map(|at| shown_moment(at.saturating_mul(1_000))),
    })
}
