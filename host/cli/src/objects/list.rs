//! `magpie objects`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use magpie_engine::warehouse::Search;
use magpie_model::Attribute;
use magpie_store::{ObjectOrder, ObjectRow, Objects as _, Reader, WarehouseRow};
use magpie_values::Timestamp;
use serde_json::{Value, json};

use super::args::ListArgs;
use super::clustered;
use super::search::{search, tell_unknown_site, tell_waiting};
use magpie_terminal::format::{many, shortened, thousands};
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, settings};

use crate::plugin::found;

/// Columns of a label that a terminal shows, and of each attribute. Into a pipe all of it goes.
const LABEL: usize = 60;
const ATTRIBUTE: usize = 28;

pub(crate) fn run(arguments: &ListArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.workspace)?;
    let reader = Reader::open(&folder)?;
    let verticals = clustered(&reader, arguments.filter.vertical.as_deref())?;
    let listing = Listing::of(arguments, &verticals)?;
    let (things, matching) = listing.run(&reader)?;
    if arguments.json {
        things
            .iter()
            .try_for_each(|thing| printer.json(&as_json(thing)))?;
    } else {
        let columns = listing.columns(&things)?;
        let mut table = Table::default().right(&[0, 2 + columns.len()]);
        let before = ["id", "thing"].into_iter();
        let after = ["records", "first seen", "last seen", "expires"];
        let attributes = columns.iter().map(String::as_str);
        table.row(before.chain(attributes).chain(after).map(heading));
        let is_cut = printer.is_on_terminal();
        for thing in &things {
            table.row(row(thing, &columns, is_cut));
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
            tell_unknown_site(&reader, &arguments.filter, printer)?;
        }
    }
    tell_waiting(&reader, &verticals, printer)?;
    Ok(found(!things.is_empty()))
}

fn heading(text: &str) -> Cell {
    Cell::toned(Tone::Quiet, text)
}

/// A request for objects, and their order.
struct Listing<'a> {
    arguments: &'a ListArgs,
    search: Search,
    /// The attribute that decides the order.
    by: Option<String>,
}

impl<'a> Listing<'a> {
    fn of(arguments: &'a ListArgs, verticals: &[WarehouseRow]) -> Result<Self, Failure> {
        let mut search = search(&arguments.filter, verticals)?;
        let (order, by) = order(&arguments.sort, &search.schemas)?;
        search.filter.order = order;
        search.filter.backwards = arguments.reverse && by.is_none();
        Ok(Self {
            arguments,
            search,
            by,
        })
    }

    /// The attributes that have a column: those that are asked for, or those that identify and say
    /// more than the labels, and the one that makes the order.
    fn columns(&self, things: &[ObjectRow]) -> Result<Vec<String>, Failure> {
        let known = || self.search.schemas.values().flatten();
        for wanted in &self.arguments.columns {
            if !known().any(|attribute| attribute.name == *wanted) {
                let names: Vec<&str> = known().map(|attribute| attribute.name.as_str()).collect();
                return Err(
                    Failure::usage(format!("there is no attribute `{wanted}` for a column"))
                        .hint(format!("there are {}", names.join(", "))),
                );
            }
        }
        if !self.arguments.columns.is_empty() {
            return Ok(self.arguments.columns.clone());
        }
        let says_more = |name: &str| {
            let mut things = things.iter();
            things.any(|thing| {
                let value = thing.record.get(name);
                value.is_some_and(|value| !thing.label.contains(value))
            })
        };
        let mut columns: Vec<String> = Vec::new();
        for attribute in known() {
            let is_telling = attribute.identifies && says_more(&attribute.name);
            let is_order = self.by.as_ref() == Some(&attribute.name);
            if (is_telling || is_order) && !columns.contains(&attribute.name) {
                columns.push(attribute.name.clone());
            }
        }
        Ok(columns)
    }

    /// The things to be shown, and how many there are like them.
    fn run(&self, reader: &Reader) -> Result<(Vec<ObjectRow>, u64), Failure> {
        let most = match self.arguments.limit {
            0 => usize::MAX,
            limit => limit,
        };
        let (mut things, mut keys, mut matching) = (Vec::new(), Vec::new(), 0);
        self.search.each(reader, &mut |thing| {
            matching += 1;
            match &self.by {
                // The rows themselves are read when it is known which are shown.
                Some(attribute) => {
                    let key = sort_key(&thing, attribute, self.search.schema(&thing));
                    keys.push((key, thing.id));
                }
                None if things.len() < most => things.push(thing),
                None => {}
            }
        })?;
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
}

/// The order in the database, or the attribute that makes it.
fn order(
    by: &str,
    schemas: &BTreeMap<String, Vec<Attribute>>,
) -> Result<(ObjectOrder, Option<String>), Failure> {
    let order = match by {
        "id" => ObjectOrder::Number,
        "label" => ObjectOrder::Label,
        "records" => ObjectOrder::Members,
        "first-seen" => ObjectOrder::FirstSeen,
        "last-seen" => ObjectOrder::LastSeen,
        "expires" => ObjectOrder::Expires,
        attribute => {
            let mut names = schemas
                .values()
                .flatten()
                .map(|attribute| attribute.name.as_str());
            if names.any(|name| name == attribute) {
                return Ok((ObjectOrder::Number, Some(attribute.to_owned())));
            }
            return Err(Failure::usage(format!("things can't be sorted by `{attribute}`"))
                .hint("sort by id, label, records, first-seen, last-seen, expires, or an attribute of the vertical"));
        }
    };
    Ok((order, None))
}

/// Returns the sort key of an object: a number if the attribute is numeric, else text.
fn sort_key(thing: &ObjectRow, attribute: &str, schema: &[Attribute]) -> Option<(f64, String)> {
    let value = thing.record.get(attribute)?;
    let kind = &schema.iter().find(|known| known.name == attribute)?.kind;
    let number = magpie_engine::warehouse::magnitude(kind, value).unwrap_or(0.0);
    Some((number, value.to_lowercase()))
}

fn row(thing: &ObjectRow, columns: &[String], is_cut: bool) -> Vec<Cell> {
    let records = match thing.current {
        0 => Cell::toned(Tone::Quiet, "gone"),
        current => Cell::from(thousands(current)),
    };
    // Texts with line breaks stay in one line.
    let shown = |text: &str, most: usize| shortened(text, if is_cut { most } else { usize::MAX });
    let mut cells = vec![
        Cell::from(thing.id.to_string()),
        Cell::toned(Tone::Strong, shown(&thing.label, LABEL)),
    ];
    for column in columns {
        let values: Vec<&str> = thing.record.all(column).collect();
        cells.push(Cell::from(shown(&values.join("; "), ATTRIBUTE)));
    }
    cells.extend([
        records,
        Cell::from(day(thing.first_seen)),
        Cell::from(day(thing.last_seen)),
        Cell::from(thing.expires_at.map_or(String::new(), |at| day(at))),
    ]);
    cells
}

fn day(moment: Timestamp) -> String {
    let moment = moment.to_string();
    moment.split('T').next().unwrap_or_default().to_owned()
}

pub(super) fn as_json(thing: &ObjectRow) -> Value {
    json!({
        "thing": thing.id.0,
        "vertical": thing.vertical,
        "type": thing.record.object_type,
        "label": thing.label,
        "attributes": thing.record.to_json().get("attributes"),
        "records": thing.members,
        "current": thing.current,
        "first_seen": thing.first_seen.to_string(),
        "last_seen": thing.last_seen.to_string(),
        "expires_at": thing.expires_at.map(|at| at.to_string()),
    })
}
