//! When the event of a page is: by labels, by what stands near the heading, and until when.

use magpie_sdk::date::{self, Date, DateTime, Time};
use magpie_sdk::extract::Line;
use magpie_sdk::text;

use super::Reader;
use crate::when::{Clock, Hours, Moment, When};
use crate::words;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Seconds of the longest event that is said to last so long.
const LONGEST: i64 = DAY;

/// Lines in which the days of a programme are looked for; they stand in its head.
const MOST_LINES: usize = 100;

/// Days of a programme.
const MOST_DAYS: usize = 14;

impl Reader<'_, '_> {
    /// When it is: as labelled, as stated for machines, or as it stands near the heading; and until when.
    pub(super) fn when(&self) -> Option<When> {
        let labelled = self.labelled_when().or_else(|| self.on_weekday());
        let mut when = labelled.or_else(|| self.near_when())?;
        when.end = when
            .end
            .or_else(|| self.stated_end(when.start))
            .or_else(|| self.end_by_length(when.start));
        Some(when)
    }

    pub(super) fn labelled_when(&self) -> Option<When> {
        let (pair, start, end) = self.labelled_pairs(&words::WHEN).find_map(|pair| {
            let moment = self.clock.read(&pair.value)?;
            Some((pair, moment.start, moment.end))
        })?;
        let mut when = When {
            start,
            end,
            node: pair.node,
        };
        if when.start.time().is_none() {
            let hours = self
                .pair(&words::TIME)
                .and_then(|pair| self.clock.hours(&pair.value))
                .or_else(|| self.hours_behind(pair.node));
            let (start, end) = Clock::join(when.start, hours);
            when = When {
                start,
                end: when.end.or(end),
                node: when.node,
            };
        }
        when.end = when.end.or_else(|| self.stated_end(when.start));
        Some(when)
    }

    fn stated_end(&self, start: DateTime) -> Option<DateTime> {
        let pair = self.pair(&words::END)?;
        self.clock.stated_end(start, &pair.value)
    }

    /// The end of what has a length: `Duration: 45 min`.
    fn end_by_length(&self, start: DateTime) -> Option<DateTime> {
        let begins = start.time()?;
        let stated = &self.pair(&words::LENGTH)?.value;
        let stated = stated.split(". ").next().unwrap_or(stated);
        let length = date::parse_duration(stated)?.seconds();
        let length = i64::try_from(length)
            .ok()
            .filter(|length| (1..=LONGEST).contains(length))?;
        let end = begins.to_seconds() + length;
        let day = start.date().add_days(end / DAY)?;
        let end = u32::try_from(end % DAY).ok()?;
        let time = Time::new(
            u8::try_from(end / 3600).ok()?,
            u8::try_from(end / 60 % 60).ok()?,
            None,
        )?;
        let end = DateTime::of_time(day, time);
        start.offset().map_or(Some(end), |offset| end.with_offset(offset))
    }

    /// The day of a programme that a label names by its weekday: `Day: Sunday`, below `31 January & 1 February`.
    fn on_weekday(&self) -> Option<When> {
        let (pair, weekday) = self.labelled_pairs(&words::WHEN).find_map(|pair| {
            let mut words = text::words(&pair.value);
            let weekday = words::weekday(&text::fold_word(words.next()?))?;
            words.next().is_none().then_some((pair, weekday))
        })?;
        let lines = self.layout.lines().iter().take(MOST_LINES);
        let day = lines
            .flat_map(|line| self.clock.moments(&line.text))
            .flat_map(|moment| days_of(&moment))
            .find(|day| day.weekday() == weekday)?;
        let hours = self
            .pair(&words::TIME)
            .and_then(|pair| self.clock.hours(&pair.value));
        let (start, end) = Clock::join(DateTime::of_day(day), hours);
        start.time()?;
        Some(When {
            start,
            end,
            node: pair.node,
        })
    }

    /// The hours in a short line behind the one of a labelled day.
    fn hours_behind(&self, node: u32) -> Option<Hours> {
        /// Lines behind the day in which its hours stand.
        const BEHIND: usize = 2;
        /// Words of such a line.
        const FEW: usize = 8;
        let lines = self.layout.lines();
        let holds = |line: &Line| line.node >= node || line.pieces.iter().any(|piece| piece.node >= node);
        let at = lines.iter().position(holds)?;
        lines[at..]
            .iter()
            .take(BEHIND + 1)
            .filter(|line| text::words(&line.text).count() <= FEW)
            .find_map(|line| self.clock.hours(&line.text))
    }

    fn near_when(&self) -> Option<When> {
        let near = self.near();
        let text = near
            .iter()
            .map(|line| line.text.as_str())
            .collect::<Vec<_>>()
            .join("\n");
        let moment = self.clock.read(&text)?;
        let mut place = 0;
        let node = near.iter().find_map(|line| {
            let start = place;
            place += line.text.len() + 1;
            (moment.span.start < place).then(|| line.node_at(moment.span.start - start))
        });
        Some(When {
            start: moment.start,
            end: moment.end,
            node: node.unwrap_or_default(),
        })
    }
}

/// The days from the first to the last of a moment.
fn days_of(moment: &Moment) -> Vec<Date> {
    let first = moment.start.date();
    let last = moment.end.map_or(first, DateTime::date);
    let days = (0_i64..).map_while(|ahead| first.add_days(ahead));
    days.take_while(|day| *day <= last).take(MOST_DAYS).collect()
}
