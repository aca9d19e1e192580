//! Dates and labels in the words of readers.

use magpie_model::{Attribute, Kind, Record};
use magpie_report::format::month;
use magpie_values::date::{self, Date, DateTime, Precision};

use crate::blocks::{Cell, Tile};

const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// The day of the week, as in `Sat`.
pub(crate) fn weekday(date: Date) -> &'static str {
    WEEKDAYS[usize::from(date.weekday().number().clamp(1, 7)) - 1]
}

/// A date or time of a page, as in `Sat 12 Dec 2026, 19:30`, or `12 Dec` if its year is not known.
/// Other texts stay as they are.
pub(crate) fn day(value: &str) -> Cell {
    match date::parse_iso(value) {
        Some(parsed) => Cell::Day {
            iso: value.to_owned(),
            words: in_words(parsed),
        },
        None => Cell::from(value),
    }
}

fn in_words(value: DateTime) -> String {
    let date = value.date();
    let mut words = match value.precision() {
        Precision::Year => return date.year().to_string(),
        Precision::Month => return format!("{} {}", month(date), date.year()),
        _ if value.has_year() => {
            format!("{} {} {} {}", weekday(date), date.day(), month(date), date.year())
        }
        _ => {
            let weekday = date.stated_weekday().map_or("", |_| weekday(date));
            format!("{weekday} {} {}", date.day(), month(date))
                .trim_start()
                .to_owned()
        }
    };
    if let Some(time) = value.time() {
        words.push_str(&format!(", {:02}:{:02}", time.hour(), time.minute()));
    }
    match value.offset() {
        Some(0) => words.push_str(" UTC"),
        Some(minutes) => {
            let sign = if minutes < 0 { '−' } else { '+' };
            let minutes = minutes.unsigned_abs();
            words.push_str(&format!(" UTC{sign}{}", minutes / 60));
            if !minutes.is_multiple_of(60) {
                words.push_str(&format!(":{:02}", minutes % 60));
            }
        }
        None => {}
    }
    words
}

/// The day of a date or time as a leaf of a calendar.
pub(crate) fn tile(value: &str) -> Option<Tile> {
    let date = date::parse_iso(value)?;
    if matches!(date.precision(), Precision::Year | Precision::Month) {
        return None;
    }
    let date = date.date();
    Some(Tile {
        iso: date.to_string(),
        weekday: date.stated_weekday().map_or("", |_| weekday(date)),
        number: date.day(),
        month: match date.has_year() {
            true => format!("{} {}", month(date), date.year()),
            false => month(date).to_owned(),
        },
    })
}

/// Returns the label of an object without the parts that repeat its values (dates and places at
/// its end) and without quotation marks around it.
pub(crate) fn short_label(label: &str, record: &Record, attributes: &[Attribute]) -> String {
    let mut short = label.trim();
    while let Some(before) = without_last(short, record, attributes) {
        short = before;
    }
    let inner = short
        .strip_prefix('“')
        .and_then(|rest| rest.strip_suffix('”'))
        .filter(|inner| !inner.is_empty() && !inner.contains(['“', '”']));
    inner.unwrap_or(short).to_owned()
}

/// Returns a label without the value at its end, if it ends with one.
fn without_last<'a>(label: &'a str, record: &Record, attributes: &[Attribute]) -> Option<&'a str> {
    let before = |kind: &Kind, value: &str| {
        let before = match kind {
            // Labels have dates with or without their time.
            Kind::DateTime => {
                let (before, last) = label.rsplit_once(", ")?;
                let is_said = last.len() >= 10 && value.replace('T', " ").starts_with(last);
                is_said.then_some(before)?
            }
            _ => {
                let (before, last) = label.split_at_checked(label.len().checked_sub(value.len())?)?;
                let is_said = !value.is_empty() && last.eq_ignore_ascii_case(value);
                before.strip_suffix(", ").filter(|_| is_said)?
            }
        };
        (!before.is_empty()).then_some(before)
    };
    attributes.iter().find_map(|attribute| {
        let mut values = record.all(&attribute.name);
        values.find_map(|value| before(&attribute.kind, value))
    })
}

/// A name with a capital, as a title has it.
pub(crate) fn title(name: &str) -> String {
    let mut characters = name.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(value: &str) -> String {
        match day(value) {
            Cell::Day { words, .. } | Cell::Text(words) => words,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn dates_are_written_as_precisely_as_they_are_known() {
        assert_eq!(words("2026-12-12T19:30"), "Sat 12 Dec 2026, 19:30");
        assert_eq!(words("2026-12-12T19:30:00Z"), "Sat 12 Dec 2026, 19:30 UTC");
        assert_eq!(words("2026-12-12T19:30+05:30"), "Sat 12 Dec 2026, 19:30 UTC+5:30");
        assert_eq!(words("2026-12-12"), "Sat 12 Dec 2026");
        assert_eq!(words("2026-12"), "Dec 2026");
        assert_eq!(words("--12-12"), "12 Dec");
        assert_eq!(words("--12-12T19:30[Sat]"), "Sat 12 Dec, 19:30");
        assert_eq!(words("soon"), "soon");
    }

    #[test]
    fn labels_lose_what_is_said_beside_them() {
        let attributes: Vec<Attribute> = [("start", Kind::DateTime), ("venue", Kind::Place)]
            .into_iter()
            .map(|(name, kind)| Attribute {
                name: name.to_owned(),
                label: name.to_owned(),
                kind,
                required: false,
                repeated: false,
                identifies: true,
                query: false,
                expires: false,
                weight: 1.0,
                schema_org: None,
            })
            .collect();
        let values = [
            ("start", "2027-04-06T18:00"),
            ("venue", "Sala Robles"),
            ("venue", "Old Mill, Hall 2"),
        ];
        let record = Record {
            values: values
                .map(|(attribute, value)| magpie_model::RecordValue {
                    attribute: attribute.to_owned(),
                    value: value.to_owned(),
                    raw: None,
                    node: None,
                    repeated: false,
                })
                .to_vec(),
            ..Record::default()
        };
        let check = |label: &str, short: &str| assert_eq!(short_label(label, &record, &attributes), short);
        check("Trio, Live, 2027-04-06 18:00, SALA ROBLES", "Trio, Live");
        check("Trio, 2027-04-06, Old Mill, hall 2", "Trio");
        check("“Una noche”, 2027-04-06", "Una noche");
        check("“One” and “Two”, 2027-04-06", "“One” and “Two”");
        check("Trio, 2027-05-01", "Trio, 2027-05-01");
        check(", 2027-04-06", ", 2027-04-06");
    }
}
