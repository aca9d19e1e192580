//! The calendar of a month.

use std::collections::BTreeMap;

use magpie_model::Attribute;
use magpie_query::{Context, Query};
use magpie_rows::ReadStore;
use magpie_rows::{ObjectRow, SearchOptions, SearchOrder, SortKey};
use magpie_values::date::{self, Date};

use super::Vertical;
use crate::Error;
use crate::asked::Asked;
use crate::href::Href;
use crate::words::{self, short_label};

/// Objects of a month that are shown.
const MAX_OBJECTS: usize = 500;

/// Objects of a day that are shown.
const MAX_OF_DAY: usize = 6;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(super) struct Day {
    pub(super) number: u8,
    pub(super) weekday: &'static str,
    pub(super) iso: String,
    pub(super) is_today: bool,
    pub(super) objects: Vec<(Href, String)>,
    /// The link to all of the day, and its text, if some are left out.
    pub(super) more: Option<(Href, String)>,
}

/// A month with its objects.
pub(super) struct Month {
    pub(super) title: String,
    pub(super) before: Href,
    pub(super) after: Href,
    /// Weeks from Monday on; days of other months are none.
    pub(super) weeks: Vec<Vec<Option<Day>>>,
    pub(super) note: Option<String>,
    /// The link to a month with objects, and its text, if this one has none.
    pub(super) next: Option<(Href, String)>,
}

/// Reads the objects of a query in the month that is asked for, or in the present one.
pub(super) fn read(
    reader: &dyn ReadStore,
    vertical: &Vertical,
    day: &Attribute,
    query: &Query,
    asked: &Asked,
) -> Result<Month, Error> {
    let today = date_of(&query.now().to_string());
    let first = asked
        .get("month")
        .and_then(|month| date_of(&format!("{month}-01")))
        .or(today)
        .and_then(|date| Date::new(date.year(), date.month(), 1))
        .ok_or_else(|| Error::BadRequest("expected a month such as 2026-12".to_owned()))?;
    let days = date::days_in_month(first.year(), first.month());
    let last = Date::new(first.year(), first.month(), days).unwrap_or(first);
    let context = Context {
        attributes: &vertical.attributes,
        now: query.now(),
    };
    let text = format!("{query} {0}>={first} {0}<={last}", day.name);
    let narrowed =
        Query::parse(text.trim(), &context).map_err(|error| Error::BadRequest(error.to_string()))?;
    let options = SearchOptions {
        order: SearchOrder {
            by: SortKey::Attribute(day.name.clone()),
            is_reversed: false,
        },
        limit: MAX_OBJECTS,
        ..SearchOptions::default()
    };
    let page = reader.search(&vertical.name, &narrowed, &options)?;
    let mut by_day: BTreeMap<u8, Vec<(Href, String)>> = BTreeMap::new();
    for hit in &page.hits {
        for value in hit.record.all(&day.name) {
            let Some(date) = date_of(value) else { continue };
            if (date.year(), date.month()) == (first.year(), first.month()) {
                let href = Href::to(&["object", &hit.id.0.to_string()]);
                by_day
                    .entry(date.day())
                    .or_default()
                    .push((href, named(hit, value, &vertical.attributes)));
            }
        }
    }
    // Days of the week count from Monday; 1970 began with a Thursday.
    let offset = (first.to_days() + 3).rem_euclid(7) as usize;
    let mut cells: Vec<Option<Day>> = (0..offset).map(|_| None).collect();
    for number in 1..=days {
        let mut objects = by_day.remove(&number).unwrap_or_default();
        let date = Date::new(first.year(), first.month(), number);
        let iso = date.map(|date| date.to_string()).unwrap_or_default();
        let left_out = objects.len().saturating_sub(MAX_OF_DAY);
        let more = (left_out > 0).then(|| {
            let text = format!("{query} {}:{iso}", day.name);
            let href = asked.but(&[
                ("q", Some(text.trim())),
                ("view", None),
                ("month", None),
                ("after", None),
            ]);
            (href, format!("{left_out} more"))
        });
        objects.truncate(MAX_OF_DAY);
        cells.push(Some(Day {
            number,
            weekday: date.map_or("", words::weekday),
            iso,
            is_today: date.is_some() && date == today,
            objects,
            more,
        }));
    }
    while !cells.len().is_multiple_of(7) {
        cells.push(None);
    }
    let mut weeks = Vec::new();
    let mut cells = cells.into_iter().peekable();
    while cells.peek().is_some() {
        weeks.push(cells.by_ref().take(7).collect());
    }
    let link = |date: Option<Date>| {
        let date = date.unwrap_or(first);
        let month = format!("{:04}-{:02}", date.year(), date.month());
        asked.but(&[("month", Some(&month)), ("after", None)])
    };
    let next = match page.hits.is_empty() {
        true => next_month(reader, vertical, day, query, last)?,
        false => None,
    };
    Ok(Month {
        next: next.map(|date| (link(Some(date)), format!("The next are in {}.", title(date)))),
        title: title(first),
        before: link(first.add_days(-1)),
        after: link(last.add_days(1)),
        weeks,
        note: match (page.hits.is_empty(), page.next) {
            (true, _) => Some("No object that matches is in this month.".to_owned()),
            (false, Some(_)) => Some(format!(
                "Only the first {MAX_OBJECTS} objects of the month are shown."
            )),
            (false, None) => None,
        },
    })
}

fn title(month: Date) -> String {
    format!("{} {}", MONTHS[usize::from(month.month() - 1) % 12], month.year())
}

/// Returns the day of the first object after a month.
fn next_month(
    reader: &dyn ReadStore,
    vertical: &Vertical,
    day: &Attribute,
    query: &Query,
    last: Date,
) -> Result<Option<Date>, Error> {
    let context = Context {
        attributes: &vertical.attributes,
        now: query.now(),
    };
    let text = format!("{query} {}>{last}", day.name);
    let later = Query::parse(text.trim(), &context).map_err(|error| Error::BadRequest(error.to_string()))?;
    let options = SearchOptions {
        order: SearchOrder {
            by: SortKey::Attribute(day.name.clone()),
            is_reversed: false,
        },
        limit: 1,
        ..SearchOptions::default()
    };
    let page = reader.search(&vertical.name, &later, &options)?;
    let days = page.hits.iter().flat_map(|hit| hit.record.all(&day.name));
    Ok(days.filter_map(date_of).filter(|date| *date > last).min())
}

/// The time of an object and its name.
fn named(hit: &ObjectRow, value: &str, attributes: &[Attribute]) -> String {
    let label = short_label(&hit.label, &hit.record, attributes);
    match date::parse_iso(value).and_then(|value| value.time()) {
        Some(time) => format!("{:02}:{:02} {label}", time.hour(), time.minute()),
        None => label,
    }
}

/// The day of a date or time, if its year is known.
fn date_of(value: &str) -> Option<Date> {
    let value = date::parse_iso(value).filter(|value| value.has_year())?;
    Some(value.date())
}
