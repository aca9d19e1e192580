//! Reading when an event is: dates of pages are many, and only some say when something takes place.

use std::ops::Range;

use magpie_sdk::date::{self, Date, DateContext, DateTime, Precision, Time, Value};
use magpie_sdk::extract::Layout;
use magpie_sdk::text;

use crate::words;

/// How much text before a date is asked what the date is about.
const LEAD: usize = 40;

/// Years in which pages announce events. Others are phone numbers, prices and history.
const YEARS: Range<i32> = 1980..2100;

/// When an event is, and the node where that stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct When {
    /// When it begins.
    pub(crate) start: DateTime,
    /// When it ends.
    pub(crate) end: Option<DateTime>,
    /// Where that was read.
    pub(crate) node: u32,
}

/// When something in a text is, and where in the text that stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moment {
    /// When it begins.
    pub(crate) start: DateTime,
    /// When it ends.
    pub(crate) end: Option<DateTime>,
    /// The place of the date in the text, in bytes.
    pub(crate) span: Range<usize>,
}

/// A time of day, perhaps with its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hours {
    start: Time,
    end: Option<Time>,
}

/// What a page's dates are read by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock<'p> {
    context: DateContext<'p>,
    today: Option<Date>,
}

impl<'p> Clock<'p> {
    /// The day and the language of a page, and the year that its title names.
    pub(crate) fn of(layout: &Layout<'p>) -> Self {
        let page = layout.page();
        let context = page.date_context();
        let clock = Self {
            context,
            today: context.today,
        };
        clock.in_year_of(&page.title().unwrap_or_default())
    }

    /// The same below a heading: when it names a year, dates without one are of that year.
    pub(crate) fn in_year_of(self, heading: &str) -> Self {
        let Some(year) = only_year(heading) else {
            return self;
        };
        // From its middle, every day of a year is nearer than the same day of another.
        let middle = Date::new(year, 7, 2);
        Self {
            context: DateContext {
                today: middle,
                ..self.context
            },
            ..self
        }
    }

    /// The day on which the page was fetched.
    pub(crate) fn today(&self) -> Option<Date> {
        self.today
    }

    /// All dates and times in a text.
    pub(crate) fn scan(&self, text: &str) -> Vec<date::Found> {
        // Most texts of a page have no figure at all, and only words like `tomorrow` do without.
        if !text.contains(char::is_numeric) {
            return Vec::new();
        }
        let mut found = date::find_all(text, &self.context);
        found.retain(|found| {
            found
                .value
                .start()
                .is_none_or(|start| YEARS.contains(&start.date().year()))
        });
        found
    }

    /// When the event that a text describes takes place.
    pub(crate) fn read(&self, text: &str) -> Option<Moment> {
        let found = self.scan(text);
        let (place, start, end) = found.iter().enumerate().find_map(|(place, found)| {
            let start = found
                .value
                .start()
                .filter(|start| start.precision() >= Precision::Day)?;
            let fits = !words::leads_aside(before(text, found.start));
            fits.then_some((place, start, found.value.end()))
        })?;
        let span = found[place].start..found[place].end;
        let hours = hours_of(text, &found);
        let (start, end) = with_hours(start, end, &text[span.clone()], hours);
        let end = end.or_else(|| later_end(text, &found[place + 1..], start));
        Some(Moment { start, end, span })
    }

    /// The time of day in a text that says no day.
    pub(crate) fn hours(&self, text: &str) -> Option<Hours> {
        hours_of(text, &self.scan(text))
    }

    /// When something is whose day and hours were read apart.
    pub(crate) fn join(day: DateTime, hours: Option<Hours>) -> (DateTime, Option<DateTime>) {
        with_hours(day, None, "", hours)
    }

    /// How many days a text names.
    pub(crate) fn days_in(&self, text: &str) -> usize {
        let mut days: Vec<Date> = self
            .scan(text)
            .iter()
            .filter_map(|found| found.value.start())
            .filter(|start| start.precision() >= Precision::Day)
            .map(DateTime::date)
            .collect();
        days.sort_unstable();
        days.dedup();
        days.len()
    }

    /// The hours that a page states once for all that it lists: `All meetings begin at 10 am.`
    pub(crate) fn common_hours(&self, layout: &Layout<'_>) -> Option<Hours> {
        /// Bytes of such a line.
        const MOST_LINE: usize = 400;
        let lines = layout
            .lines()
            .iter()
            .filter(|line| line.text.len() <= MOST_LINE && line.text.contains(char::is_numeric))
            .filter(|line| words::leads_all(&line.text));
        let mut known = None;
        for line in lines {
            let found = self.scan(&line.text);
            let [date::Found { value, .. }] = found[..] else {
                continue;
            };
            let hours = match value {
                Value::Time(start) => Hours { start, end: None },
                Value::TimeRange(start, end) => Hours {
                    start,
                    end: Some(end),
                },
                _ => continue,
            };
            // Two such times may be of two series, and nothing says which.
            if *known.get_or_insert(hours) != hours {
                return None;
            }
        }
        known
    }

    /// When something ends of which only the hour is said.
    pub(crate) fn until(start: DateTime, hours: Option<Hours>) -> Option<DateTime> {
        start.time()?;
        ending(start, hours?.start)
    }

    /// A text that is said to be a date.
    pub(crate) fn read_stated(&self, text: &str) -> Option<(DateTime, Option<DateTime>)> {
        let (start, end) = date::read_range(text, &self.context).ok()?;
        let fits = start.precision() >= Precision::Day && YEARS.contains(&start.date().year());
        fits.then(|| (to_minute(start), end.map(to_minute)))
    }

    /// The end that goes with a start, by a text that may say its hour alone.
    pub(crate) fn stated_end(&self, start: DateTime, text: &str) -> Option<DateTime> {
        let dated = date::parse_iso(text)
            .map(to_minute)
            .or_else(|| self.read(text).map(|moment| moment.start));
        let end = dated.or_else(|| Self::until(start, self.hours(text)));
        end.filter(|end| *end > start)
    }

    /// The day that a short line is about: `Friday, 3 May`, and little else.
    pub(crate) fn heading_day(&self, line: &str) -> Option<DateTime> {
        let found = self.scan(line);
        let dated = found.iter().find(|found| {
            found
                .value
                .start()
                .is_some_and(|start| start.precision() >= Precision::Day)
        })?;
        let letters = |text: &str| text.chars().filter(|letter| letter.is_alphanumeric()).count();
        let covered = letters(&line[dated.start..dated.end]) * 2 >= letters(line);
        let day = dated
            .value
            .start()
            .filter(|_| covered && dated.value.end().is_none())?;
        (!words::leads_aside(before(line, dated.start))).then_some(day)
    }
}

/// What a machine-readable date and the text beside it say together. The text is what people go by:
/// many pages call their local time UTC, and as many convert it rightly.
pub(crate) fn reconcile(stated: DateTime, shown: Option<DateTime>) -> DateTime {
    let stated = without_midnight(to_minute(stated));
    let Some(shown) = shown.filter(|shown| stated.days_until(*shown).abs() <= 1) else {
        return stated;
    };
    match (stated.time(), shown.time()) {
        (None, Some(_)) if stated.same_day(shown) => shown,
        (Some(_), Some(_)) if stated.offset() == Some(0) => as_shown(stated, shown),
        _ => stated,
    }
}

/// A moment in UTC as the clock on the page shows it, with the offset that follows from the two.
fn as_shown(stated: DateTime, shown: DateTime) -> DateTime {
    /// Zones are a multiple of this many minutes away from UTC.
    const ZONE_STEP: i64 = 15;
    let ahead = (shown.to_unix(0) - stated.to_unix(0)) / 60;
    let is_zone = ahead != 0 && ahead % ZONE_STEP == 0 && ahead.abs() <= 14 * 60;
    let wall = shown
        .time()
        .map_or(shown, |time| DateTime::of_time(shown.date(), time));
    if is_zone {
        i16::try_from(ahead)
            .ok()
            .and_then(|ahead| wall.with_offset(ahead))
            .unwrap_or(wall)
    } else {
        wall
    }
}

/// Midnight is what machines write when only the day is known.
pub(crate) fn without_midnight(moment: DateTime) -> DateTime {
    if moment.time().is_some_and(|time| time.to_seconds() == 0) {
        DateTime::of_day(moment.date())
    } else {
        moment
    }
}

/// A moment without seconds: nothing begins at a second, machines only write them.
pub(crate) fn to_minute(moment: DateTime) -> DateTime {
    let Some(time) = moment.time().filter(|time| time.second().is_some()) else {
        return moment;
    };
    let Some(time) = Time::new(time.hour(), time.minute(), None) else {
        return moment;
    };
    let minute = DateTime::of_time(moment.date(), time);
    moment
        .offset()
        .and_then(|offset| minute.with_offset(offset))
        .unwrap_or(minute)
}

/// The year in a text, when it names just one.
fn only_year(text: &str) -> Option<i32> {
    let year = |word: &str| {
        word.parse::<i32>()
            .ok()
            .filter(|year| word.len() == 4 && (1990..2100).contains(year))
    };
    let mut years = text::words(text).filter_map(year);
    let first = years.next()?;
    years.all(|other| other == first).then_some(first)
}

/// The text before a place, of the same line, as far as it may say what follows.
fn before(text: &str, place: usize) -> &str {
    let mut start = place.saturating_sub(LEAD);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let lead = &text[start..place];
    lead.rsplit(['\n', ';', '|']).next().unwrap_or(lead)
}

/// The hours at which it begins, of all times in a text: not those at which the doors open, unless
/// nothing else is said.
fn hours_of(text: &str, found: &[date::Found]) -> Option<Hours> {
    let mut doors = None;
    let mut last_end = 0;
    for found in found {
        let lead_start = last_end.max(found.start.saturating_sub(LEAD));
        let lead = text.get(lead_start..found.start).unwrap_or_default();
        let inside = text.get(found.start..found.end).unwrap_or_default();
        last_end = found.end;
        let Some(hours) = hours_in(found.value) else {
            continue;
        };
        if words::leads_to_doors(lead) || words::leads_to_doors(inside) {
            doors = doors.or(Some(hours));
        } else if !words::leads_aside(lead.rsplit('\n').next().unwrap_or(lead)) {
            return Some(hours);
        }
    }
    doors
}

fn hours_in(value: Value) -> Option<Hours> {
    let (start, end) = match value {
        Value::Time(start) => (start, None),
        Value::TimeRange(start, end) => (start, Some(end)),
        Value::DateTime(moment) => (moment.time()?, None),
        Value::Range(start, end) => (start.time()?, end.time().filter(|_| start.same_day(end))),
    };
    Some(Hours { start, end })
}

/// Gives a day its hours; where the day came with a time, only when that was the doors'.
fn with_hours(
    start: DateTime,
    end: Option<DateTime>,
    written: &str,
    hours: Option<Hours>,
) -> (DateTime, Option<DateTime>) {
    let (start, end) = (to_minute(start), end.map(to_minute));
    let open = start.time().is_none() || words::leads_to_doors(written);
    let Some(hours) = hours.filter(|_| open) else {
        return (start, end);
    };
    let begins = to_minute(DateTime::of_time(start.date(), hours.start));
    // The hours of a festival are those of each day, and its last day is still its end.
    if end.is_some() && start.time().is_none() {
        return (begins, end);
    }
    (begins, hours.end.and_then(|end| ending(begins, end)).or(end))
}

/// The end of hours on the day of their start, or in the night after it.
fn ending(start: DateTime, end: Time) -> Option<DateTime> {
    let same_day = start.time().is_some_and(|begins| begins <= end);
    let date = if same_day {
        start.date()
    } else {
        start.date().add_days(1)?
    };
    Some(to_minute(DateTime::of_time(date, end)))
}

/// An end that is stated apart: `Ends: 4 May 2026`.
fn later_end(text: &str, found: &[date::Found], start: DateTime) -> Option<DateTime> {
    let next = found.first()?;
    let lead = before(text, next.start);
    let ends = text::words(lead)
        .last()
        .is_some_and(|word| words::END.contains(&text::fold_word(word).as_str()));
    match next.value {
        Value::DateTime(end) if ends && end.date() >= start.date() => Some(to_minute(end)),
        Value::Time(end) if ends => ending(start, end).filter(|_| start.time().is_some()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, reconcile};
    use magpie_sdk::date::{Date, DateContext, parse_iso};

    fn clock() -> Clock<'static> {
        let today = Date::new(2026, 4, 1);
        Clock {
            context: DateContext {
                today,
                ..DateContext::default()
            },
            today,
        }
    }

    fn check(text: &str, start: &str, end: Option<&str>) {
        let moment = clock().read(text).unwrap_or_else(|| panic!("nothing in {text}"));
        assert_eq!(moment.start.to_string(), start, "{text}");
        assert_eq!(moment.end.map(|end| end.to_string()).as_deref(), end, "{text}");
    }

    #[test]
    fn a_day_and_its_hours_are_one_moment() {
        check("Sunday, 3 May 2026, 19:30", "2026-05-03T19:30", None);
        check(
            "3 May 2026\nOld Mill\n19:30 - 22:00",
            "2026-05-03T19:30",
            Some("2026-05-03T22:00"),
        );
        check("So 3. Mai 2026, 20 Uhr", "2026-05-03T20:00", None);
        check("7pm, 3 May", "2026-05-03T19:00", None);
        check("May 3 - 5, 2026", "2026-05-03", Some("2026-05-05"));
        check(
            "22:00 - 02:00, 3 May 2026",
            "2026-05-03T22:00",
            Some("2026-05-04T02:00"),
        );
    }

    #[test]
    fn dates_in_blocks_are_read() {
        check("03\nMay\n2026\nNight Music", "2026-05-03", None);
        check("3 May\nNight Music\n20:00", "2026-05-03T20:00", None);
    }

    #[test]
    fn doors_are_no_beginning() {
        check("3 May 2026, doors 19:00, show 20:00", "2026-05-03T20:00", None);
        check("3 May 2026\nDoors: 19:00", "2026-05-03T19:00", None);
        check(
            "3. Mai 2026 Einlass 19 Uhr, Beginn 20 Uhr",
            "2026-05-03T20:00",
            None,
        );
    }

    #[test]
    fn other_dates_are_passed_over() {
        check(
            "Posted on 1 March 2026\n3 May 2026, 19:30",
            "2026-05-03T19:30",
            None,
        );
        assert!(clock().read("Last updated: 1 March 2026").is_none());
        assert!(clock().read("Copyright 2026").is_none());
    }

    #[test]
    fn the_clock_on_the_page_decides_over_universal_time() {
        let check = |stated: &str, shown: &str, expected: &str| {
            let stated = parse_iso(stated).unwrap_or_else(|| panic!("{stated}"));
            assert_eq!(reconcile(stated, parse_iso(shown)).to_string(), expected);
        };
        check(
            "2026-05-03T17:30:00Z",
            "2026-05-03T19:30",
            "2026-05-03T19:30+02:00",
        );
        check("2026-05-03T19:30:00Z", "2026-05-03T19:30", "2026-05-03T19:30");
        check("2026-05-03", "2026-05-03T19:30", "2026-05-03T19:30");
        check(
            "2026-05-03T19:30+02:00",
            "2026-06-01T20:00",
            "2026-05-03T19:30+02:00",
        );
        check("2026-05-03T00:00:00", "2026-05-03", "2026-05-03");
    }

    #[test]
    fn a_heading_gives_its_year() {
        let clock = clock().in_year_of("Meetings 2019");
        let moment = clock
            .read("October 7, 10 am")
            .map(|moment| moment.start.to_string());
        assert_eq!(moment.as_deref(), Some("2019-10-07T10:00"));
    }
}
