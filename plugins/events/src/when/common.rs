//! Reads hours that a page states once for all its events.

use magpie_sdk::date;
use magpie_sdk::extract::Layout;

use super::hours::hours_in;
use super::{Clock, Hours};
use crate::row::{Role, role_of_label};
use crate::words;

impl Clock<'_> {
    /// Returns the hours of all events of a page: `All meetings begin at 10 am.` Without such a
    /// line, a less certain one counts if it is the only one, and then a line with nothing but the
    /// hours.
    pub(crate) fn common_hours(&self, layout: &Layout<'_>) -> Option<Hours> {
        self.hours_of(sentences(layout).filter(|text| words::leads_all(text)))
            .or_else(|| self.hours_of(short_lines(layout).filter(|text| words::may_lead_all(text))))
            .unwrap_or_else(|| self.lone_hours(layout))
    }

    /// Returns the hours in the texts. The inner option is `None` if they differ.
    fn hours_of<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Option<Option<Hours>> {
        let mut known = None;
        for hours in texts.filter_map(|text| self.only_hours(text)) {
            if *known.get_or_insert(hours) != hours {
                return Some(None);
            }
        }
        known.map(Some)
    }

    /// Returns the hours in lines of their own below a line about meetings or times, if all are
    /// equal.
    fn lone_hours(&self, layout: &Layout<'_>) -> Option<Hours> {
        /// Maximum number of lines between the two, such as the place.
        const BETWEEN: usize = 5;
        let mut meeting = None;
        let below = layout.lines().iter().enumerate().filter(|(place, line)| {
            // Hours below those of an office are no longer those of meetings.
            if words::keeps_hours(&line.text) {
                meeting = None;
            } else if words::meets(&line.text) || is_label(&line.text) {
                meeting = Some(*place);
            }
            meeting.is_some_and(|meeting| place - meeting <= BETWEEN)
        });
        let mut known = None;
        for hours in below.filter_map(|(_, line)| self.nothing_but_hours(&line.text)) {
            if *known.get_or_insert(hours) != hours {
                return None;
            }
        }
        known
    }

    fn nothing_but_hours(&self, line: &str) -> Option<Hours> {
        /// Maximum length of such a line, in bytes.
        const MAX_LINE: usize = 40;
        if line.len() > MAX_LINE {
            return None;
        }
        let found = self.scan(line);
        let [date::Found { start, end, value }] = found[..] else {
            return None;
        };
        let beside = [&line[..start], &line[end..]];
        let is_alone = !beside.iter().any(|text| text.contains(char::is_alphanumeric));
        hours_in(value).filter(|_| is_alone && value.start().is_none())
    }
}

/// Returns true if a line is the label of hours: `Time & place`.
fn is_label(line: &str) -> bool {
    role_of_label(line.trim_end_matches([':', ' '])) == Some(Role::When)
}

/// Maximum length of a line with the hours of all events, in bytes. Longer lines are split into
/// sentences.
const MAX_TEXT: usize = 600;

/// Returns the lines of a page, and the sentences of long ones, that have a digit.
fn sentences<'l>(layout: &'l Layout<'_>) -> impl Iterator<Item = &'l str> {
    let long = layout
        .lines()
        .iter()
        .map(|line| line.text.as_str())
        .filter(|line| line.len() > MAX_TEXT);
    let sentences = long.flat_map(|line| line.split(". ")).filter(|text| fits(text));
    short_lines(layout).chain(sentences)
}

fn short_lines<'l>(layout: &'l Layout<'_>) -> impl Iterator<Item = &'l str> {
    let lines = layout.lines().iter().map(|line| line.text.as_str());
    lines.filter(|line| fits(line))
}

fn fits(text: &str) -> bool {
    text.len() <= MAX_TEXT && text.contains(|letter: char| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use crate::testing::clock;
    use crate::when::Clock;
    use magpie_sdk::Page;
    use magpie_sdk::date::parse_iso;
    use magpie_sdk::extract::Layout;

    fn check(html: &str, expected: Option<&str>) {
        let page = Page::from_html("https://example.org/", html);
        let layout = Layout::new(&page);
        let hours = clock(&layout).common_hours(&layout);
        let start = parse_iso("2026-05-03").map(|day| Clock::join(day, hours).0.to_string());
        let expected = expected.map_or("2026-05-03".to_owned(), |hours| format!("2026-05-03T{hours}"));
        assert_eq!(start, Some(expected), "{html}");
    }

    #[test]
    fn hours_of_all_events_stand_in_one_line() {
        check("<p>All meetings begin at 10 am.</p><p>May 3", Some("10:00"));
        check(
            "<p>Meetings are held at 6 p.m.</p><p>Meetings are held at 7 p.m.",
            None,
        );
        let long = format!(
            "<p>{}. Meetings begin at 10 am. {}",
            "Word ".repeat(100),
            "More ".repeat(100)
        );
        check(&long, Some("10:00"));
        check("<p>The office is open from 9 am", None);
    }

    #[test]
    fn hours_stand_alone_below_a_line_about_meetings() {
        check(
            "<p>Regular Meetings</p><p>Town Hall</p><p>6:30 PM</p>",
            Some("18:30"),
        );
        check("<p>Regular Meetings</p><p>6:30 PM</p><p>7:30 PM</p>", None);
        check("<p>Regular Meetings</p><p>Office hours</p><p>8:30 AM</p>", None);
        check("<p>Town Hall</p><p>6:30 PM</p>", None);
    }
}
