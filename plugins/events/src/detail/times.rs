//! Reads start and end of the event of a page, from labels or near the heading.

use magpie_sdk::date::{self, Date, DateTime, Time};
use magpie_sdk::extract::Line;
use magpie_sdk::text;

use super::Reader;
use crate::row::{Role, role_of_class};
use crate::when::{self, Clock, Hours, Moment, When, is_of_posting};
use crate::words;
use crate::words::languages as lists;

const DAY: i64 = 86_400;

/// Maximum duration that a label may state, in seconds.
const MAX_DURATION: i64 = DAY;

/// Maximum number of lines to search for the days of a programme, which are at its beginning.
const MAX_LINES: usize = 100;

/// Maximum number of days of a programme.
const MAX_DAYS: usize = 14;

impl Reader<'_, '_> {
    /// Returns start and end of the event: as labelled, as in structured data, or as written near
    /// the heading.
    pub(super) fn when(&self) -> Option<When> {
        let labelled = self.labelled_when().or_else(|| self.on_weekday());
        let mut when = labelled
            .or_else(|| self.unless_told(self.near_when()))?
            .in_whole_days();
        when.end = when
            .end
            .or_else(|| self.stated_end(when.start))
            .or_else(|| self.end_by_length(when.start));
        Some(when)
    }

    pub(super) fn labelled_when(&self) -> Option<When> {
        // A label of the start, such as `Begins`, mostly has the hour only and sometimes date and
        // hour.
        let mut when = self
            .labelled_pairs(&lists::LABEL_WHEN)
            .chain(self.labelled_pairs(&lists::LABEL_TIME))
            .find_map(|pair| self.as_stated(self.clock.read(&pair.value), pair.node, true))?;
        if when.start.time().is_none() {
            let hours = self
                .pair(&lists::LABEL_TIME)
                .and_then(|pair| self.clock.hours(&pair.value))
                .or_else(|| self.hours_behind(when.node));
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

    /// Combines the visible date of an element with the machine-readable ones in it. If they are
    /// different days, the visible one counts.
    fn as_stated(&self, shown: Option<Moment>, node: u32, is_labelled: bool) -> Option<When> {
        let nodes = self.layout.outline().node(node)?.range();
        // Without a label, the second date may belong to anything else.
        let stated = self.stated.when(self.clock, &nodes).map(|stated| When {
            end: stated.end.filter(|_| is_labelled),
            ..stated
        });
        let shown = shown.map(|moment| When {
            start: moment.start,
            end: moment.end,
            node,
        });
        match (stated, shown) {
            (Some(stated), Some(shown)) if stated.start.days_until(shown.start).abs() <= 1 => {
                let when = agreed(&stated, shown, is_labelled);
                Some(When { node, ..when })
            }
            (Some(stated), None) => Some(When { node, ..stated }),
            (_, shown) => shown,
        }
    }

    fn stated_end(&self, start: DateTime) -> Option<DateTime> {
        let pair = self.pair(&lists::LABEL_END)?;
        self.clock.stated_end(start, &pair.value)
    }

    /// Computes the end from a labelled duration: `Duration: 45 min`.
    fn end_by_length(&self, start: DateTime) -> Option<DateTime> {
        let begins = start.time()?;
        let stated = &self.pair(&lists::LABEL_LENGTH)?.value;
        // More about the event may follow the duration.
        let stated = stated.split(". ").next().unwrap_or(stated);
        let length = date::parse_duration(stated)?.seconds();
        let length = i64::try_from(length)
            .ok()
            .filter(|length| (1..=MAX_DURATION).contains(length))?;
        // An event may end after midnight, on the next day.
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

    /// Returns the day of a programme that a label names by its weekday: `Day: Sunday`, below `31
    /// January & 1 February`.
    fn on_weekday(&self) -> Option<When> {
        let (pair, weekday) = self.labelled_pairs(&lists::LABEL_WHEN).find_map(|pair| {
            let mut words = text::words(&pair.value);
            let weekday = words::weekday(&text::fold_word(words.next()?))?;
            words.next().is_none().then_some((pair, weekday))
        })?;
        let lines = self.layout.lines().iter().take(MAX_LINES);
        let day = lines
            .flat_map(|line| self.clock.moments(&line.text))
            .flat_map(|moment| days_of(&moment))
            .find(|day| day.weekday() == weekday)?;
        let hours = self
            .pair(&lists::LABEL_TIME)
            .and_then(|pair| self.clock.hours(&pair.value));
        let (start, end) = Clock::join(DateTime::of_day(day), hours);
        start.time()?;
        Some(When {
            start,
            end,
            node: pair.node,
        })
    }

    /// Returns the hours in a short line behind that of a labelled day.
    fn hours_behind(&self, node: u32) -> Option<Hours> {
        /// Maximum number of lines between the day and its hours.
        const BEHIND: usize = 2;
        /// Maximum number of words of such a line.
        const MAX_WORDS: usize = 8;
        let lines = self.layout.lines();
        let holds = |line: &Line| line.node >= node || line.pieces.iter().any(|piece| piece.node >= node);
        let at = lines.iter().position(holds)?;
        lines[at..]
            .iter()
            .take(BEHIND + 1)
            .filter(|line| text::words(&line.text).count() <= MAX_WORDS)
            .find_map(|line| self.clock.hours(&line.text))
    }

    /// Returns a date near the heading, or instead of none and of one that a sentence tells the
    /// only date of the content whose class says that it is one: `<li class="display-date">`.
    fn unless_told(&self, near: Option<When>) -> Option<When> {
        /// Maximum length of a text that is a date and little else, in bytes.
        const MAX_DATE: usize = 60;
        let text_around = |when: &When| {
            let node = self.layout.outline().node(when.node)?;
            let element = if node.is_text() { node.parent()? } else { node };
            Some(self.layout.text(element.id()))
        };
        let is_told = |when: &When| text_around(when).is_none_or(|text| text.len() > MAX_DATE);
        if near.as_ref().is_some_and(|when| !is_told(when)) {
            return near;
        }
        let heading = self.heading.as_ref()?.node;
        let is_date = |class: &str| role_of_class(class) == Some(Role::When) && !is_of_posting(class);
        let classed = self.layout.per_class(is_date);
        let nodes = self.layout.outline().nodes();
        let nodes = nodes.filter(|node| node.id() > heading && node.id() < self.end);
        let dated = nodes
            .filter(|node| classed.get(node.id()) == Some(&true) && node.text().len() <= MAX_DATE)
            .filter(|node| !self.frame.is_beside(node.id()))
            .filter_map(|node| {
                let moment = self.clock.read(&self.layout.text(node.id()))?;
                self.as_stated(Some(moment), node.id(), false)
            });
        let mut dated: Vec<When> = dated.collect();
        dated.dedup_by_key(|when| when.start);
        let [when] = &mut dated[..] else { return near };
        if when.start.time().is_none() && when.end.is_none() {
            (when.start, when.end) = Clock::join(when.start, self.hours_behind(when.node));
        }
        Some(when.clone())
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
            // One more for the line feed with which the lines were joined.
            place += line.text.len() + 1;
            (moment.span.start < place).then(|| line.node_at(moment.span.start - start))
        })?;
        let element = self.layout.outline().node(node)?.parent()?.id();
        let when = self.as_stated(Some(moment), element, false)?;
        Some(When { node, ..when })
    }
}

/// Combines a machine-readable date with the visible one. Errors in visible labels are noticed, so
/// labelled hours count if both have the same day.
pub(super) fn agreed(stated: &When, shown: When, is_labelled: bool) -> When {
    let same = stated.start.same_day(shown.start);
    let labelled = is_labelled && shown.start.time().is_some();
    let agree = stated.start.time() == shown.start.time();
    if same && labelled && !agree && stated.start.offset().is_none() {
        return shown;
    }
    let start = when::reconcile(stated.start, Some(shown.start));
    let end = stated
        .end
        .filter(|end| *end > start)
        .or(shown.end.filter(|end| same && *end > start));
    When {
        start,
        end,
        node: stated.node,
    }
}

/// Returns the days from the first to the last of a moment.
fn days_of(moment: &Moment) -> Vec<Date> {
    let first = moment.start.date();
    let last = moment.end.map_or(first, DateTime::date);
    let days = (0_i64..).map_while(|ahead| first.add_days(ahead));
    days.take_while(|day| *day <= last).take(MAX_DAYS).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::page;
    use magpie_sdk::Vertical;

    /// Returns start and end of the only event on an English page with these rows of labels and
    /// values.
    fn when(rows: &[(&str, &str)]) -> (String, Option<String>) {
        let row = |(label, value): &(&str, &str)| format!("<dt>{label}</dt><dd>{value}</dd>");
        let rows: String = rows.iter().map(row).collect();
        let html = format!(
            "<html lang=\"en\"><h1>Harrow Quartet</h1><dl>{rows}<dt>Venue</dt><dd>The Old Mill</dd></dl></html>"
        );
        let page = page(&html);
        let found = crate::Events::extract(&page).expect("it is read");
        let [event] = &found[..] else {
            panic!("{} events of {html}", found.len());
        };
        let text = |moment: &Option<_>| moment.as_ref().map(ToString::to_string);
        let (start, end) = (text(&event.record.start), text(&event.record.end));
        (start.unwrap_or_default(), end)
    }

    #[test]
    fn what_is_stated_for_machines_shows_how_to_read_the_page() {
        for (rows, start, end) in [
            // English without a country is read as American.
            (&[("When", "12/03/2027, 16:30")][..], "2027-12-03T16:30", None),
            (
                &[(
                    "When",
                    "<time datetime='2027-03-12T16:30'>12/03/2027, 16:30</time>",
                )],
                "2027-03-12T16:30",
                None,
            ),
            // The order also holds for dates without a machine-readable value.
            (
                &[
                    ("Tickets from", "<time datetime='2027-02-09'>09/02/2027</time>"),
                    ("When", "12/03/2027, 16:30"),
                    ("Until", "12/03/2027, 18:00"),
                ],
                "2027-03-12T16:30",
                Some("2027-03-12T18:00"),
            ),
            // An unambiguous date decides: a page that writes 13/03 also writes 12/03 in this
            // order.
            (
                &[
                    ("Tickets from", "13/03/2026"),
                    ("When", "<time datetime='2027-12-03'>12/03/2027, 16:30</time>"),
                ],
                "2027-03-12T16:30",
                None,
            ),
            (
                &[(
                    "When",
                    "<time datetime='2027-06-05T20:00:00+02:00'>Midsummer's eve</time>",
                )],
                "2027-06-05T20:00+02:00",
                None,
            ),
            (
                &[(
                    "When",
                    "<time datetime='2027-06-05T18:00:00Z'>Saturday 5 June 2027, 20:00</time>",
                )],
                "2027-06-05T20:00+02:00",
                None,
            ),
            (
                &[(
                    "When",
                    "<time datetime='2027-06-05T20:00'>5 June</time> to <time datetime='2027-06-07T18:00'>7 June 2027</time>",
                )],
                "2027-06-05T20:00",
                Some("2027-06-07T18:00"),
            ),
            (
                &[("Begins", "5 June 2027, 20:00"), ("Ends", "5 June 2027, 22:00")],
                "2027-06-05T20:00",
                Some("2027-06-05T22:00"),
            ),
            (
                &[("Begins", "20:00"), ("Date", "5 June 2027")],
                "2027-06-05T20:00",
                None,
            ),
            // Errors in visible dates are noticed, those in machine-readable ones are not.
            (
                &[(
                    "When",
                    "<time datetime='2027-01-01T00:00'>Saturday 5 June 2027, 20:00</time>",
                )],
                "2027-06-05T20:00",
                None,
            ),
        ] {
            let expected = (start.to_owned(), end.map(str::to_owned));
            assert_eq!(when(rows), expected, "{rows:?}");
        }
    }
}
