//! `magpie objects`.

use magpie_engine::open_reader;
use std::process::ExitCode;

use magpie_report::views::object::ObjectView;
use magpie_rows::{Count, ObjectRow, ReadStore, SearchOptions, SearchOrder, SortKey, WarehouseRow};
use magpie_values::Timestamp;

use super::args::ListArgs;
use super::named::clustered;
use super::search::{Search, searches, tell_unknown_site, tell_waiting};
use magpie_terminal::format::{many, shortened, thousands};
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, settings};

use magpie_terminal::process::found;

/// Columns of a label that a terminal shows, and of each attribute. Into a pipe all of it goes.
const LABEL: usize = 60;
const ATTRIBUTE: usize = 28;

pub(crate) fn run(arguments: &ListArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.workspace)?;
    let reader = open_reader(&folder)?;
    let verticals = clustered(&*reader, arguments.filter.vertical.as_deref())?;
    let listing = Listing::of(arguments, &verticals)?;
    let (objects, matching) = listing.run(&*reader)?;
    if arguments.json {
        objects
            .iter()
            .try_for_each(|object| printer.json(&ObjectView::from(object)))?;
    } else {
        let columns = listing.columns(&objects)?;
        let mut table = Table::default().right(&[0, 2 + columns.len()]);
        let before = ["id", "object"].into_iter();
        let after = ["records", "first seen", "last seen", "expires"];
        let attributes = columns.iter().map(String::as_str);
        table.row(
            before
                .chain(attributes)
                .chain(after)
                .map(heading)
                .collect::<Vec<_>>(),
        );
        let is_cut = printer.is_on_terminal();
        for object in &objects {
            table.row(row(object, &columns, is_cut));
        }
        if !objects.is_empty() {
            printer.table(&table)?;
        }
        if matching.number > objects.len() as u64 {
            let more = if matching.is_lower_bound { "more than " } else { "" };
            printer.tell(&format!(
                "{} of {more}{}; `--limit 0` shows all",
                thousands(objects.len() as u64),
                many(matching.number, "object")
            ));
        }
        if objects.is_empty() {
            printer.tell("no object matches");
            for search in &listing.searches {
                if let Some(offered) = reader.did_you_mean(&search.vertical, &search.query)? {
                    printer.hint(&format!("did you mean `{offered}`?"));
                }
            }
            tell_unknown_site(&*reader, &arguments.filter, printer)?;
        }
    }
    tell_waiting(&*reader, &verticals, printer)?;
    Ok(found(!objects.is_empty()))
}

fn heading(text: &str) -> Cell {
    Cell::toned(Tone::Quiet, text)
}

/// A request for objects, and their order.
struct Listing<'a> {
    arguments: &'a ListArgs,
    searches: Vec<Search>,
    order: SearchOrder,
}

impl<'a> Listing<'a> {
    fn of(arguments: &'a ListArgs, verticals: &[WarehouseRow]) -> Result<Self, Failure> {
        let searches = searches(&arguments.filter, verticals)?;
        let usual = if arguments.filter.current { "soonest" } else { "id" };
        let by = arguments.sort.as_deref().unwrap_or(usual);
        let order = order(by, arguments.reverse, &searches)?;
        Ok(Self {
            arguments,
            searches,
            order,
        })
    }

    /// The attributes that have a column: those that are asked for, or those that identify and add
    /// to the labels, and the one that makes the order.
    fn columns(&self, objects: &[ObjectRow]) -> Result<Vec<String>, Failure> {
        let known = || self.searches.iter().flat_map(|search| &search.attributes);
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
            let is_order = self.order.by == SortKey::Attribute(attribute.name.clone());
            if (is_telling || is_order) && !columns.contains(&attribute.name) {
                columns.push(attribute.name.clone());
            }
        }
        Ok(columns)
    }

    /// The objects to be shown, and how many there are like them. Those of several verticals come
    /// one vertical after the other.
    fn run(&self, reader: &dyn ReadStore) -> Result<(Vec<ObjectRow>, Total), Failure> {
        let most = match self.arguments.limit {
            0 => usize::MAX,
            limit => limit,
        };
        let (mut objects, mut total) = (Vec::new(), Total::default());
        for search in &self.searches {
            // A vertical without the attribute comes in the order of numbers.
            let order = match &self.order.by {
                SortKey::Attribute(name) if !search.attributes.iter().any(|own| own.name == *name) => {
                    SearchOrder {
                        by: SortKey::Newest,
                        is_reversed: !self.arguments.reverse,
                    }
                }
                _ => self.order.clone(),
            };
            let options = SearchOptions {
                order,
                limit: most - objects.len(),
                ..SearchOptions::default()
            };
            let page = reader.search(&search.vertical, &search.query, &options)?;
            total.add(page.total);
            objects.extend(page.hits);
        }
        // A count that is only a lower bound may be below the number of listed rows.
        total.number = total.number.max(objects.len() as u64);
        Ok((objects, total))
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Total {
    number: u64,
    is_lower_bound: bool,
}

impl Total {
    fn add(&mut self, count: Count) {
        let (number, is_lower_bound) = match count {
            Count::Exact(number) => (number, false),
            Count::MoreThan(number) => (number, true),
        };
        self.number += number;
        self.is_lower_bound |= is_lower_bound;
    }
}

/// Returns the order that is asked for: numbers and times ascend unless it is reversed.
fn order(by: &str, is_reversed: bool, searches: &[Search]) -> Result<SearchOrder, Failure> {
    let (by, is_natural) = match by {
        "id" => (SortKey::Newest, false),
        "label" => (SortKey::Label, true),
        "records" => (SortKey::Records, false),
        "first-seen" => (SortKey::FirstSeen, false),
        "last-seen" => (SortKey::LastSeen, false),
        "changed" => (SortKey::Changed, false),
        "expires" => (SortKey::Expires, true),
        "soonest" => (SortKey::Soonest, true),
        "relevance" => (SortKey::Relevance, true),
        attribute => {
            let mut attributes = searches.iter().flat_map(|search| &search.attributes);
            if !attributes.any(|own| own.name == attribute) {
                return Err(Failure::usage(format!(
                    "invalid value `{attribute}` for `--sort`: expected id, label, records, first-seen, last-seen, \
                     changed, expires, soonest, relevance or an attribute of the vertical"
                )));
            }
            (SortKey::Attribute(attribute.to_owned()), true)
        }
    };
    Ok(SearchOrder {
        by,
        is_reversed: is_natural == is_reversed,
    })
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
