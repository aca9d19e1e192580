//! Years of dates that pages write without one.

use magpie_model::{Kind, Record, VerticalInfo};
use magpie_rows::MemberState;
use magpie_values::date::{Date, DateTime, Prefer, parse_iso};
use serde_json::Value;

/// Days ahead for which a year is assumed. A day that comes later was most likely this year and has
/// passed: it keeps its month and day.
const MAX_AHEAD: i64 = 300;

/// Factor of the confidence of an object with an assumed year.
const ASSUMED: f64 = 0.9;

/// Completes the dates of a merged record that lack their year. Another of its records may state
/// it. Otherwise the year is assumed: the day is the next one after the first sight of the record
/// that has it, so that later readings give the same. An assumed date has the written one in `raw`.
pub(super) fn complete(
    record: &mut Record,
    origins: &Value,
    records: &[(i64, Record)],
    states: &[MemberState],
    info: &VerticalInfo,
) {
    let is_date = |name: &str| {
        let attribute = info.attribute(name);
        attribute.is_some_and(|attribute| attribute.kind == Kind::DateTime)
    };
    let first_seen = |member: i64| {
        let state = states.iter().find(|state| state.id == member)?;
        Date::from_days(state.first_seen.as_days())
    };
    let mut first: Option<Date> = None;
    let mut is_assumed = false;
    for value in record.values.iter_mut().filter(|value| is_date(&value.attribute)) {
        let Some(written) = parse_iso(&value.value) else {
            continue;
        };
        if written.has_year() {
            first = first.or(Some(written.date()));
            continue;
        }
        let stated = stated(written, &value.attribute, records);
        let seen = || {
            let member = origins[&value.attribute].as_i64()?;
            // An end comes after its start.
            let near = first.or_else(|| first_seen(member))?;
            next(written, near)
        };
        let Some(completed) = stated.or_else(seen) else {
            continue;
        };
        first = first.or(Some(completed.date()));
        let written = std::mem::replace(&mut value.value, completed.to_string());
        if stated.is_none() {
            value.raw = Some(written);
            is_assumed = true;
        }
    }
    if is_assumed {
        record.confidence *= ASSUMED;
    }
}

/// Returns the value of an attribute as another record states it with its year.
fn stated(written: DateTime, attribute: &str, records: &[(i64, Record)]) -> Option<DateTime> {
    let dated = records.iter().flat_map(|(_, record)| record.all(attribute));
    dated.filter_map(parse_iso).find_map(|dated| {
        let agrees = dated.has_year() && dated.date().agrees_with(written.date());
        let day = || written.completed(dated.date(), Prefer::Nearest);
        agrees.then(day).flatten()
    })
}

/// Returns the next day with a date, if it is not far ahead. A weekday decides by itself.
fn next(written: DateTime, near: Date) -> Option<DateTime> {
    let next = written.completed(near, Prefer::Future)?;
    let is_sure = written.date().stated_weekday().is_some();
    (is_sure || near.days_until(next.date()) <= MAX_AHEAD).then_some(next)
}
