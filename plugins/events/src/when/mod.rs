//! Reads dates of events. Pages have many dates, and only some are those of events.

mod common;
mod half_day;
mod hours;
mod monthly;
mod order;
mod posted;
mod stated;

use std::ops::Range;

use magpie_sdk::date::{self, Date, DateContext, DateTime, Precision, Time};
use magpie_sdk::extract::Layout;
use magpie_sdk::text;

use crate::words;
use hours::{ending, hours_in, hours_of, later_end, with_hours};
use order::order;

pub(crate) use monthly::{Monthly, nth};
pub(crate) use posted::{Posted, folders, is_of_posting, is_talk};
pub(crate) use stated::{Stated, reconcile, to_minute, together, without_midnight};

/// Length of the text before a date that is searched for words about it.
const LEAD: usize = 40;

/// Years of events that pages announce. Other numbers are phone numbers, prices and history.
const YEARS: Range<i32> = 1980..2100;

/// Start and end of an event, with the node from which they were read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct When {
    pub(crate) start: DateTime,
    pub(crate) end: Option<DateTime>,
    pub(crate) node: u32,
}

impl When {
    /// Removes the hours if software wrote them for whole days: from 00:00 to 23:59.
    pub(crate) fn in_whole_days(self) -> Self {
        let is_at = |moment: DateTime, hour, minute| {
            moment
                .time()
                .is_some_and(|time| (time.hour(), time.minute()) == (hour, minute))
        };
        let Some(end) = self
            .end
            .filter(|end| is_at(self.start, 0, 0) && is_at(*end, 23, 59))
        else {
            return self;
        };
        let start = DateTime::of_day(self.start.date());
        let end = DateTime::of_day(end.date());
        Self {
            start,
            end: (end > start).then_some(end),
            ..self
        }
    }
}

/// Returns true if software wrote the moment: `21:33` is the time of a post or the clock of a page.
/// People announce events to five minutes.
pub(crate) fn is_stamp(moment: DateTime) -> bool {
    moment
        .time()
        .is_some_and(|time| time.minute() % 5 != 0 && time.minute() != 59)
}

/// Start and end in a text, with their position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moment {
    pub(crate) start: DateTime,
    pub(crate) end: Option<DateTime>,
    /// Position of the date in the text, in bytes.
    pub(crate) span: Range<usize>,
}

/// Numbers of days that a text names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DaysNamed {
    /// Number of all days. A range counts once.
    pub(crate) all: usize,
    /// Number of days with hours.
    pub(crate) timed: usize,
}

impl DaysNamed {
    fn of(found: &[date::Found]) -> Self {
        let starts = || found.iter().filter_map(|found| found.value.start());
        let different = |days: &mut Vec<Date>| {
            days.sort_unstable();
            days.dedup();
            days.len()
        };
        let days = starts().filter(|start| start.precision() >= Precision::Day);
        let timed = starts().filter(|start| start.time().is_some());
        Self {
            all: different(&mut days.map(DateTime::date).collect()),
            timed: different(&mut timed.map(DateTime::date).collect()),
        }
    }
}

/// A time of day, with an optional end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hours {
    start: Time,
    end: Option<Time>,
}

/// Context in which the dates of a page are parsed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock<'p> {
    context: DateContext<'p>,
    /// Day of the page itself.
    own_day: Option<Date>,
    /// Uses a 12-hour clock.
    is_half_day: bool,
}

impl<'p> Clock<'p> {
    /// Reads day, language and year of a page. Dates without a year are of the year that the page
    /// states, or near its own day, or near the dates with a year that it prints. Otherwise they
    /// keep none: the day of the fetch is not used.
    pub(crate) fn new(layout: &Layout<'p>, stated: &Stated, posted: &Posted) -> Self {
        let context = DateContext {
            order: order(layout, stated),
            ..layout.page().date_context()
        };
        let printed = || match context.year {
            None if !posted.is_article => printed_day(layout, &context),
            _ => None,
        };
        Self {
            context: DateContext {
                today: posted.day.or_else(printed),
                ..context
            },
            own_day: posted.day,
            is_half_day: half_day::is_usual(context.language),
        }
    }

    /// Returns the clock for lines below a heading. If the heading names a year, dates without one
    /// are in that year.
    pub(crate) fn in_year_of(self, heading: &str) -> Self {
        only_year(heading).map_or(self, |year| self.in_year(year))
    }

    /// Returns true if a year is close to what is known of the dates of the page.
    pub(crate) fn may_be_in(&self, year: i32) -> bool {
        const MAX_YEARS_APART: i32 = 2;
        let known = self.context.year.or(self.context.today.map(Date::year));
        known.is_none_or(|known| (known - year).abs() <= MAX_YEARS_APART)
    }

    /// Resolves dates without a year near a day.
    pub(crate) fn near(self, day: Date) -> Self {
        Self {
            context: DateContext {
                today: Some(day),
                year: None,
                ..self.context
            },
            ..self
        }
    }

    /// Resolves dates without a year in a year.
    pub(crate) fn in_year(self, year: i32) -> Self {
        Self {
            context: DateContext {
                year: Some(year),
                ..self.context
            },
            ..self
        }
    }

    /// Returns the year in a text with exactly one.
    pub(crate) fn only_year(text: &str) -> Option<i32> {
        only_year(text)
    }

    /// Returns the day of the page itself.
    pub(crate) fn own_day(&self) -> Option<Date> {
        self.own_day
    }

    /// Returns the year of dates without one, if the page or a heading states it.
    pub(crate) fn year(&self) -> Option<i32> {
        self.context.year
    }

    /// Returns true if the page may announce a moment: its own day is not after it.
    pub(crate) fn may_announce(&self, start: DateTime) -> bool {
        self.own_day.is_none_or(|day| day.days_until(start.date()) >= 0)
    }

    /// Returns the share of moments that the page announces. If its own day is not known, days
    /// without a year are announced, and of the others, which archives have as well, half.
    pub(crate) fn share_to_come(&self, starts: impl Iterator<Item = Option<DateTime>>) -> f64 {
        let worth = |start: DateTime| match self.own_day {
            _ if !self.may_announce(start) => 0.0,
            // The page of a day in a calendar has it in its address, events or none.
            Some(day) if day == start.date() => 0.0,
            None if start.has_year() => 0.5,
            _ => 1.0,
        };
        let worths: Vec<f64> = starts.map(|start| start.map_or(0.0, worth)).collect();
        worths.iter().sum::<f64>() / worths.len().max(1) as f64
    }

    /// Returns all dates and times in a text.
    pub(crate) fn scan(&self, text: &str) -> Vec<date::Found> {
        // Most texts have no digit, and without one there are only words like `tomorrow`.
        if !text::has_figure(text) {
            return Vec::new();
        }
        let mut found = date::find_all(text, &self.context);
        if self.is_half_day {
            half_day::to_afternoon(text, &mut found);
        }
        found.retain(|found| found.value.start().is_none_or(is_of_an_event));
        found
    }

    /// Returns start and end of the event that a text describes.
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

    /// Returns all days of events in a text, each with its hours.
    pub(crate) fn moments(&self, text: &str) -> Vec<Moment> {
        let found = self.scan(text).into_iter().filter_map(|found| {
            let day = (found.value.start()).filter(|start| start.precision() >= Precision::Day)?;
            let span = found.start..found.end;
            (!words::leads_aside(before(text, found.start))).then(|| Moment {
                start: to_minute(day),
                end: found.value.end().map(to_minute),
                span,
            })
        });
        found.collect()
    }

    /// Returns the hours in a text, if it names them once: `We meet on Thursdays at 7 pm.`
    pub(crate) fn only_hours(&self, text: &str) -> Option<Hours> {
        let mut known: Option<Hours> = None;
        for found in self.scan(text) {
            let Some(hours) = hours_in(found.value) else {
                continue;
            };
            match &mut known {
                Some(known) if known.end.is_none() && words::leads_to_end(before(text, found.start)) => {
                    known.end = Some(hours.start);
                }
                // Two times may belong to two series.
                Some(known) if *known != hours => return None,
                _ => known = Some(hours),
            }
        }
        known
    }

    /// Returns the time of day in a text without a day.
    pub(crate) fn hours(&self, text: &str) -> Option<Hours> {
        hours_of(text, &self.scan(text))
    }

    /// Combines a day with hours that were read separately.
    pub(crate) fn join(day: DateTime, hours: Option<Hours>) -> (DateTime, Option<DateTime>) {
        with_hours(day, None, "", hours)
    }

    /// Returns the number of days that a text names.
    pub(crate) fn days_in(&self, text: &str) -> usize {
        DaysNamed::of(&self.scan(text)).all
    }

    /// Returns the hours in a text and the number of its days, with one scan.
    pub(crate) fn hours_and_days(&self, text: &str) -> (Option<Hours>, DaysNamed) {
        let found = self.scan(text);
        (hours_of(text, &found), DaysNamed::of(&found))
    }

    /// Returns true if both resolve dates without a year to the same year.
    pub(crate) fn reads_as(&self, other: &Self) -> bool {
        (self.context.year, self.context.today) == (other.context.year, other.context.today)
    }

    /// Returns the end, if only its hour is known.
    pub(crate) fn until(start: DateTime, hours: Option<Hours>) -> Option<DateTime> {
        start.time()?;
        ending(start, hours?.start)
    }

    /// Parses a text that is labelled as a date.
    pub(crate) fn read_stated(&self, text: &str) -> Option<(DateTime, Option<DateTime>)> {
        let (start, end) = date::read_range(text, &self.context).ok()?;
        let fits = start.precision() >= Precision::Day && is_of_an_event(start);
        fits.then(|| (to_minute(start), end.map(to_minute)))
    }

    /// Parses the end of a start, from a text that may only have its hour.
    pub(crate) fn stated_end(&self, start: DateTime, text: &str) -> Option<DateTime> {
        let dated = date::parse_iso(text)
            .map(to_minute)
            .or_else(|| self.read(text).map(|moment| moment.start));
        let end = dated.or_else(|| Self::until(start, self.hours(text)));
        end.filter(|end| *end > start)
    }

    /// Returns the day of a short line with little else: `Friday, 3 May`.
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

/// Returns true if the year is one that pages announce, or not stated.
fn is_of_an_event(start: DateTime) -> bool {
    !start.has_year() || YEARS.contains(&start.date().year())
}

/// Returns the first of the days that a page prints with their year, if all of them are close
/// together. Further days without a year are near them.
fn printed_day(layout: &Layout<'_>, context: &DateContext<'_>) -> Option<Date> {
    /// Maximum number of bytes of a page to search.
    const MAX_TEXT: usize = 64 * 1024;
    /// Maximum number of days between the first and the last day. Archives span more.
    const MAX_APART: i64 = 370;
    let text = text::truncate(layout.outline().root().text(), MAX_TEXT);
    let found = date::find_all(text, context);
    let starts = found.iter().filter_map(|found| found.value.start());
    let mut days = starts
        .filter(|start| start.precision() >= Precision::Day && start.has_year() && is_of_an_event(*start))
        .map(DateTime::date);
    let (first, last) = (days.clone().min()?, days.clone().max()?);
    (first.days_until(last) <= MAX_APART).then(|| days.next())?
}

pub(crate) fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// Returns the year in a text with exactly one.
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

/// Returns the text of the same line before a position, limited to what may describe the date.
fn before(text: &str, place: usize) -> &str {
    let mut start = place.saturating_sub(LEAD);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let lead = &text[start..place];
    lead.rsplit(['\n', ';', '|']).next().unwrap_or(lead)
}

#[cfg(test)]
mod tests {
    use super::Clock;
    use magpie_sdk::date::{Date, DateContext, parse_iso};

    fn clock() -> Clock<'static> {
        let own_day = Date::new(2026, 4, 1);
        Clock {
            context: DateContext {
                today: own_day,
                ..DateContext::default()
            },
            own_day,
            is_half_day: true,
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
    fn hours_of_all_events_are_said_once() {
        let read = |text| {
            let hours = clock().only_hours(text)?;
            let (start, end) = Clock::join(parse_iso("2026-05-03")?, Some(hours));
            Some((start.to_string(), end.map(|end| end.to_string())))
        };
        let begins = |start: &str, end: Option<&str>| Some((start.to_owned(), end.map(str::to_owned)));
        assert_eq!(
            read("We meet at 7 pm in the hall"),
            begins("2026-05-03T19:00", None)
        );
        assert_eq!(
            read("Meetings begin at 9:00 a.m. and conclude by 11:30 a.m."),
            begins("2026-05-03T09:00", Some("2026-05-03T11:30"))
        );
        assert_eq!(read("The board at 7 pm, the panel at 8 pm"), None);
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
