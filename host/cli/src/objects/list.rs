//! `magpie objects`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use magpie_engine::warehouse::Search;
use magpie_model::Attribute;
use magpie_report::views::object::object_json;
use magpie_store::{ObjectOrder, ObjectRow, Objects as _, Reader, WarehouseRow};
use magpie_values::Timestamp;

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
    let (objects, matching) = listing.run(&reader)?;
    if arguments.json {
        objects
            .iter()
            .try_for_each(|object| printer.json(&object_json(object)))?;
    } else {
        let columns = listing.columns(&objects)?;
        let mut table = Table::default().right(&[0, 2 + columns.len()]);
        let before = ["id", "object"].into_iter();
        let after = ["records", "first seen", "last seen", "expires"];
        let attributes = columns.iter().map(String::as_str);
        table.row(before.chain(attributes).chain(after).map(heading));
        let is_cut = printer.is_on_terminal();
        for object in &objects {
            table.row(row(object, &columns, is_cut));
        }
        if !objects.is_empty() {
            printer.table(&table)?;
        }
        if matching > objects.len() as u64 {
            printer.tell(&format!(
                "{} of {}; `--limit 0` shows all",
                thousands(objects.len() as u64),
                many(matching, "object")
            ));
        }
        if objects.is_empty() {
            printer.tell("no object matches");
            tell_unknown_site(&reader, &arguments.filter, printer)?;
        }
    }
    tell_waiting(&reader, &verticals, printer)?;
    Ok(found(!objects.is_empty()))
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
    fn columns(&self, objects: &[ObjectRow]) -> Result<Vec<String>, Failure> {
        let known = || self.search.schemas.values().flatten();
        for wanted in &self.arguments.columns {
            if !known().any(|attribute| attribute.name == *wanted) {
                let names: Vec<&str> = known().map(|attribute| attribute.name.as_str()).collect();
                return Err(Failure::usage(format!(
                    "invalid value `{wanted}` for `--columns`: expected an attribute: {}",
                    names.join(", ")
                )));
            }
        }
        if !self.arguments.columns.is_empty() {
            return Ok(self.arguments.columns.clone());
        }
        let says_more = |name: &str| {
            let mut objects = objects.iter();
            objects.any(|object| {
                let value = object.record.get(name);
                value.is_some_and(|value| !object.label.contains(value))
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

    /// The objects to be shown, and how many there are like them.
    fn run(&self, reader: &Reader) -> Result<(Vec<ObjectRow>, u64), Failure> {
        let most = match self.arguments.limit {
            0 => usize::MAX,
            limit => limit,
        };
        let (mut objects, mut keys, mut matching) = (Vec::new(), Vec::new(), 0);
        self.search.each(reader, &mut |object| {
            matching += 1;
            match &self.by {
                // The rows themselves are read when it is known which are shown.
                Some(attribute) => {
                    let key = sort_key(&object, attribute, self.search.schema(&object));
                    keys.push((key, object.id));
                }
                None if objects.len() < most => objects.push(object),
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
            objects.extend(reader.object(id)?);
        }
        Ok((objects, matching))
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
            return Err(Failure::usage(format!(
                "invalid value `{attribute}` for `--sort`: expected id, label, records, first-seen, last-seen, \
                 expires or an attribute of the vertical"
            )));
        }
    };
    Ok((order, None))
}

/// Returns the sort key of an object: a number if the attribute is numeric, else text.
fn sort_key(object: &ObjectRow, attribute: &str, schema: &[Attribute]) -> Option<(f64, String)> {
    let value = object.record.get(attribute)?;
    let kind = &schema.iter().find(|known| known.name == attribute)?.kind;
    let number = magpie_engine::warehouse::magnitude(kind, value).unwrap_or(0.0);
    Some((number, value.to_lowercase()))
}

fn row(object: &ObjectRow, columns: &[String], is_cut: bool) -> Vec<Cell> {
    let records = match object.current {
        0 => Cell::toned(Tone::Quiet, "gone"),
        current => Cell::from(thousands(current)),
    };
    // Texts with line breaks stay in one line.
    let shown = |text: &str, most: usize| shortened(text, if is_cut { most } else { usize::MAX });
    let mut cells = vec![
        Cell::from(object.id.to_string()),
        Cell::toned(Tone::Strong, shown(&object.label, LABEL)),
    ];
    for column in columns {
        let values: Vec<&str> = object.record.all(column).collect();
        cells.push(Cell::from(shown(&values.join("; "), ATTRIBUTE)));
    }
    cells.extend([
        records,
        Cell::from(day(object.first_seen)),
        Cell::from(day(object.last_seen)),
        Cell::from(object.expires_at.map_or(String::new(), day)),
    ]);
    cells
}

fn day(moment: Timestamp) -> String {
    let moment = moment.to_string();
    moment.split('T').next().unwrap_or_default().to_owned()
}
