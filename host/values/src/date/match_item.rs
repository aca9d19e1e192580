//! Whole items: a date with its time, a range of either, a time alone.

use super::civil::Date;
use super::match_date::DatePart;
use super::match_near::Attached;
use super::match_time::{Strength, TimePart};
use super::matcher::Matcher;
use super::resolve::in_likely_year;
use super::token::{Gap, Kind};
use super::value::{DateTime, Time};
use super::words::{ANY_LANGUAGE, Role, Roles};

/// Meaning of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    DateTime(DateTime),
    Range(DateTime, DateTime),
    Time(Time),
    TimeRange(Time, Time),
}

impl Matcher<'_> {
    /// The item that begins at the token, where one may, and the index behind it.
    pub(super) fn item_at(&self, index: usize) -> Option<(Item, usize)> {
        let date = self
            .date_at(index)
            .filter(|date| date.day > 0 || !self.impossible_day_before(index));
        if let Some(found) = date.and_then(|date| self.dated_item(date)) {
            return Some(found);
        }
        self.timed_item(index)
    }

    /// Returns true if an item can begin here. Rejects most tokens.
    pub(super) fn may_begin(&self, index: usize) -> bool {
        let token = self.tokens.at(index);
        match token.kind {
            Kind::Number(_) => !self.is_inside_number(index),
            Kind::Word => {
                const BEGINNING: Roles = Roles::of(&[
                    Role::Month,
                    Role::WeakMonth,
                    Role::Weekday,
                    Role::WeakWeekday,
                    Role::HourPrefix,
                    Role::Noon,
                    Role::MonthPrefix,
                    Role::Article,
                ])
                .or_beyond_ascii();
                // A word joined to figures is a unit: `5mar`.
                let joined_to_figure =
                    || token.gap == Gap::Joined && index > 0 && self.tokens.number(index - 1).is_some();
                token.word.has_one(BEGINNING) && !joined_to_figure()
            }
            _ => false,
        }
    }

    /// `32 May 2026` is no month of May.
    fn impossible_day_before(&self, index: usize) -> bool {
        let number = index.checked_sub(1).and_then(|before| self.tokens.number(before));
        number.is_some_and(|(_, digits)| digits <= 2) && self.tokens.at(index).gap == Gap::Space
    }

    /// Returns true if the text before the number makes it a part of a price, a phone number, a
    /// version or a code.
    fn is_inside_number(&self, index: usize) -> bool {
        if index == 0 || !self.tokens.joined(index) {
            return false;
        }
        match self.tokens.at(index - 1).kind {
            Kind::Number(_) => true,
            Kind::Word => !self.is_east_asian(index - 1),
            Kind::Mark(
                '$' | '€' | '£' | '¥' | '#' | '+' | '=' | '*' | '_' | '%' | '@' | '\\' | '^' | '&' | '?',
            ) => true,
            Kind::Mark('.' | ',' | '/' | '-' | ':') => {
                // Digits before the mark make a chain: `1.2.3`, `555-1234`. After a word a colon is
                // a label.
                let joined = index >= 2 && self.tokens.joined(index - 1);
                joined && !(self.tokens.mark(index - 1) == ':' && self.tokens.is_word(index - 2))
            }
            _ => false,
        }
    }

    fn dated_item(&self, date: DatePart) -> Option<(Item, usize)> {
        if let Some(inside) = date.time {
            return Some((Item::DateTime(self.moment(&date, Some(&inside))?), date.next));
        }
        if let Some(last_day) = date.last_day {
            return self.several_days_item(date, last_day);
        }
        if let Some(found) = self.date_range(&date) {
            return Some(found);
        }
        let attached = self
            .attached_time(date.next)
            .filter(|attached| self.belongs(&date, attached));
        let Some(Attached { time, .. }) = attached else {
            let stands = !date.weak || self.lenient;
            return stands
                .then(|| self.moment(&date, None))
                .flatten()
                .map(|moment| (Item::DateTime(moment), date.next));
        };
        self.with_end(&date, time)
    }

    /// A weak date needs a time right behind it.
    fn belongs(&self, date: &DatePart, attached: &Attached) -> bool {
        date.day > 0 && (!date.weak || attached.direct && attached.time.strength >= Strength::Clear)
    }

    fn several_days_item(&self, date: DatePart, last_day: u8) -> Option<(Item, usize)> {
        if date.weak && !self.lenient {
            return None;
        }
        let attached = self.attached_time(date.next).filter(|attached| attached.direct);
        let start = self.moment(&date, attached.as_ref().map(|attached| &attached.time))?;
        let last = start.date().with_day(last_day)?;
        let (end, next) = match &attached {
            None => (DateTime::of_day(last), date.next),
            Some(Attached { time, .. }) => match self.end_time(time) {
                Some(end) => (self.on_day(last, &end)?, end.next),
                None => (DateTime::of_day(last), time.next),
            },
        };
        Some((Item::Range(start, end), next))
    }

    /// `20.11. - 25.11.2026`, `Nov 30, 2025 – Jan 2, 2026`, `May – June 2026`.
    fn date_range(&self, first: &DatePart) -> Option<(Item, usize)> {
        let at = self.range_mark(first.next, first.languages)?;
        // A dash alone in its line is a rule or a bullet.
        if self.tokens.at(at).gap == Gap::Break && self.tokens.at(first.next).gap == Gap::Break {
            return None;
        }
        let last = self
            .date_at(at)
            .filter(|last| last.last_day.is_none() && last.time.is_none())?;
        if first.weak && last.weak && !self.lenient {
            return None;
        }
        // `May – 5 June` would be a range from a month to a day.
        if (first.day == 0) != (last.day == 0) {
            return None;
        }
        let (first, last) = self.completed(*first, last)?;
        let time = self
            .attached_time(last.next)
            .filter(|attached| attached.direct && first.day > 0);
        match time {
            // `3 May – 5 May, 10:00–18:00`: the hours hold for every day.
            Some(Attached { time, .. }) => {
                let start = self.moment(&first, Some(&time))?;
                match self.end_time(&time) {
                    Some(end) => self.range_item(start, self.moment(&last, Some(&end))?, end.next),
                    None => self.range_item(start, self.moment(&last, None)?, time.next),
                }
            }
            None => self.range_item(self.moment(&first, None)?, self.moment(&last, None)?, last.next),
        }
    }

    /// Lends each end the year that only the other has; the first may lie in the year before.
    fn completed(&self, first: DatePart, last: DatePart) -> Option<(DatePart, DatePart)> {
        let in_order = (first.month, first.day) <= (last.month, last.day);
        Some(match (first.year, last.year) {
            (None, Some(year)) => (
                DatePart {
                    year: Some(if in_order { year } else { year - 1 }),
                    ..first
                },
                last,
            ),
            (Some(year), None) => (
                first,
                DatePart {
                    year: Some(if in_order { year } else { year + 1 }),
                    ..last
                },
            ),
            (None, None) => {
                let start = self.day_of(&first)?;
                if !start.has_year() {
                    return Some((first, last));
                }
                let year = start.year() + i32::from(!in_order);
                (
                    DatePart {
                        year: Some(start.year()),
                        ..first
                    },
                    DatePart {
                        year: Some(year),
                        ..last
                    },
                )
            }
            _ => (first, last),
        })
    }

    fn range_item(&self, start: DateTime, end: DateTime, next: usize) -> Option<(Item, usize)> {
        // A range that runs backwards was misread, unless it runs over the end of a year that is
        // not stated.
        let over_new_year = !start.has_year() && !end.has_year();
        (start <= end || over_new_year).then_some((Item::Range(start, end), next))
    }

    /// A date with a time, and the end if there is one: another time, or another date and time.
    fn with_end(&self, date: &DatePart, time: TimePart) -> Option<(Item, usize)> {
        let start = self.moment(date, Some(&time))?;
        if let Some((last, end)) = self.end_moment(&time) {
            let (first, last) = self.completed(*date, last)?;
            let start = self.moment(&first, Some(&time))?;
            if let Some(found) = self
                .moment(&last, Some(&end))
                .and_then(|moment| self.range_item(start, moment, end.next))
            {
                return Some(found);
            }
        }
        match self.end_time(&time) {
            Some(end) => {
                let start = self.moment(date, Some(&self.with_half_of_day(time, &end)))?;
                self.range_item(start, self.end_of(start, &end)?, end.next)
            }
            None => Some((Item::DateTime(start), time.next)),
        }
    }

    /// The end on the same day, or on the next when it is before the start.
    fn end_of(&self, start: DateTime, end: &TimePart) -> Option<DateTime> {
        let moment = self.on_day(start.date(), end)?;
        let offset = end.offset.or(start.offset());
        let moment = offset.map_or(Some(moment), |minutes| moment.with_offset(minutes))?;
        // An event that ends before it starts ends in the night.
        if moment < start {
            self.on_day(start.date().add_days(1)?, end)
        } else {
            Some(moment)
        }
    }

    /// `… – 5 May 2026, 22:00`
    fn end_moment(&self, first: &TimePart) -> Option<(DatePart, TimePart)> {
        let at = self.range_mark(first.next, ANY_LANGUAGE)?;
        let last = self
            .date_at(at)
            .filter(|last| !last.weak && last.day > 0 && last.last_day.is_none())?;
        let time = self.attached_time(last.next).filter(|attached| attached.direct)?;
        Some((last, time.time))
    }

    /// The time behind a range's mark.
    pub(super) fn end_time(&self, first: &TimePart) -> Option<TimePart> {
        let at = self.range_mark(first.next, ANY_LANGUAGE)?;
        if self.tokens.at(at).gap == Gap::Break && self.tokens.at(first.next).gap == Gap::Break {
            return None;
        }
        let end = self.time_at(at)?;
        let clear = end.strength >= Strength::Clear
            || end.strength == Strength::Likely
                && (first.strength == end.strength || self.are_hours(first, &end));
        // `19:00 - 20 November`: the number belongs to the next date.
        let date_instead = self.month_at(end.next).is_some() && end.strength < Strength::Clear;
        (clear && !date_instead).then_some(end)
    }

    /// `kl. 18.00–21.00`: both have points, and the second is no price.
    fn are_hours(&self, first: &TimePart, end: &TimePart) -> bool {
        /// Hour until which what begins in the evening ends.
        const MORNING: u8 = 6;
        let has_point = |time: &TimePart| time.next >= 2 && self.tokens.mark(time.next - 2) == '.';
        let is_later = first.minutes_of_day() < end.minutes_of_day() || end.full_hour() <= MORNING;
        has_point(first) && has_point(end) && is_later
    }

    /// `7 - 10 pm`: the first hour is after noon too, unless that would put it behind the end.
    pub(super) fn with_half_of_day(&self, first: TimePart, end: &TimePart) -> TimePart {
        let afternoon = match (first.afternoon, end.afternoon) {
            (None, Some(afternoon)) if first.hour <= 12 => {
                let same = TimePart {
                    afternoon: Some(afternoon),
                    ..first
                };
                Some(if same.minutes_of_day() <= end.minutes_of_day() {
                    afternoon
                } else {
                    !afternoon
                })
            }
            (own, _) => own,
        };
        TimePart { afternoon, ..first }
    }

    /// An item that begins with a time: alone, a range, or before its date.
    fn timed_item(&self, index: usize) -> Option<(Item, usize)> {
        let time = match self.time_at(index) {
            Some(time) if time.strength >= Strength::Clear => time,
            _ => self.hours_at(index)?,
        };
        let end = self.end_time(&time);
        let time = end.as_ref().map_or(time, |end| self.with_half_of_day(time, end));
        let next = end.as_ref().map_or(time.next, |end| end.next);
        if let Some(date) = self.date_behind_time(next) {
            let start = self.moment(&date, Some(&time))?;
            return match end {
                Some(end) => self.range_item(start, self.end_of(start, &end)?, date.next),
                None => Some((Item::DateTime(start), date.next)),
            };
        }
        // Alone, words for noon are the name of a meal as often as a time.
        if !self.lenient && self.tokens.has(index, Role::Noon) {
            return None;
        }
        let first = self.clock(&time)?;
        match end {
            Some(end) => Some((Item::TimeRange(first, self.clock(&end)?), next)),
            None => Some((Item::Time(first), next)),
        }
    }

    fn day_of(&self, date: &DatePart) -> Option<Date> {
        match date.year {
            Some(year) => Date::new(year, date.month, date.day),
            None => self
                .under_heading(date)
                .or_else(|| in_likely_year(date.month, date.day, date.weekday, self.context)),
        }
    }

    /// The day in the year of the heading above, unless its weekday says otherwise.
    fn under_heading(&self, date: &DatePart) -> Option<Date> {
        let day = Date::new(self.heading?, date.month, date.day)?;
        date.weekday
            .is_none_or(|weekday| weekday == day.weekday())
            .then_some(day)
    }

    /// Moment that the date and the time give.
    pub(super) fn moment(&self, date: &DatePart, time: Option<&TimePart>) -> Option<DateTime> {
        if date.day == 0 {
            return DateTime::of_month(date.year?, date.month);
        }
        let day = self.day_of(date)?;
        match time {
            Some(time) => self.on_day(day, time),
            None => Some(DateTime::of_day(day)),
        }
    }

    /// The time on the day; 24:00 is the beginning of the next, and 24:30 is in it.
    fn on_day(&self, day: Date, time: &TimePart) -> Option<DateTime> {
        let day = if time.full_hour() == 24 {
            day.add_days(1)?
        } else {
            day
        };
        let moment = DateTime::of_time(day, self.clock(time)?);
        time.offset
            .map_or(Some(moment), |minutes| moment.with_offset(minutes))
    }

    pub(super) fn clock(&self, time: &TimePart) -> Option<Time> {
        Time::new(time.full_hour() % 24, time.minute, time.second)
    }
}
