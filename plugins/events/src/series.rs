//! Reads meetings that a page announces by a rule only: `2nd Tuesday of the month, 6 p.m.`

use std::collections::HashSet;

use magpie_sdk::date::{Date, DateTime};
use magpie_sdk::extract::{Layout, Line};
use magpie_sdk::text;

use crate::draft::{Draft, Source};
use crate::headings::heading_level;
use crate::name;
use crate::row::role_of_label;
use crate::signs::Signs;
use crate::titles::{Title, Titles};
use crate::tree::Frame;
use crate::when::{Clock, Hours, Monthly, When};
use crate::{who, words};

/// Maximum length of a line with a rule, in bytes.
const MAX_LINE: usize = 600;

/// Maximum number of events to compute.
const MAX_EVENTS: usize = 300;

/// Returns the coming events of all series with hours on a page about meetings.
pub(crate) fn events(
    layout: &Layout<'_>,
    frame: &Frame,
    clock: &Clock<'_>,
    signs: &Signs,
    titles: &Titles<'_, '_>,
) -> Vec<Draft> {
    let lines: Vec<&Line> = layout
        .lines()
        .iter()
        .filter(|line| !frame.holds(line.node))
        .collect();
    let mut headings: Vec<(u8, &str, u32)> = Vec::new();
    let mut found = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        if let Some(level) = heading_level(layout, line) {
            headings.retain(|(other, ..)| *other < level);
            headings.push((level, &line.text, line.node));
        }
        if line.text.len() > MAX_LINE || found.len() >= MAX_EVENTS {
            continue;
        }
        let Some(monthly) = Monthly::read(&line.text) else {
            continue;
        };
        let above: Vec<(&str, u32)> = headings
            .iter()
            .rev()
            .map(|(_, text, node)| (*text, *node))
            .collect();
        let speaks = |text: &str| words::meets(text) || words::meets_in(text) || words::announces(text);
        let is_meeting = speaks(&line.text) || above.iter().any(|(text, _)| speaks(text));
        if signs.page < 0.0 || !(is_meeting || signs.page > 1.0) {
            continue;
        }
        let title = own_title(clock, &lines[..place], line).or_else(|| titles.below(&above));
        let Some((title, hours)) = title.zip(hours(clock, &lines[place..])) else {
            continue;
        };
        let year = std::iter::once(line.text.as_str())
            .chain(above.iter().map(|(text, _)| *text))
            .find_map(Clock::only_year)
            .or(clock.year());
        let Some((first, last)) = span(clock.own_day(), year) else {
            continue;
        };
        let days = monthly.days(first, last);
        found.extend(days.into_iter().map(|day| draft(line, &title, day, hours)));
    }
    found.truncate(MAX_EVENTS);
    once(found)
}

/// Returns the first and last day of the computed events: the year that the page names, or else the
/// rest of the year of its own day, but at least half a year. A rule without either has no days.
fn span(own_day: Option<Date>, year: Option<i32>) -> Option<(Date, Date)> {
    const HALF_A_YEAR: i64 = 183;
    let end_of = |year: i32| Date::new(year, 12, 31);
    match (year, own_day) {
        (Some(year), _) => Some((Date::new(year, 1, 1)?, end_of(year)?)),
        (None, Some(day)) => Some((day, end_of(day.year())?.max(day.add_days(HALF_A_YEAR)?))),
        (None, None) => None,
    }
}

/// Returns the body in the line itself, or the title above the label `When:`.
fn own_title(clock: &Clock<'_>, before: &[&Line], line: &Line) -> Option<Title> {
    if let Some(body) = who::body_in(&line.text) {
        return Some((body.to_owned(), line.node));
    }
    let [.., named, label] = before else { return None };
    let is_label = label.text.ends_with(':') && role_of_label(label.text.trim_end_matches(':')).is_some();
    let name = name::read(&named.text, clock).text;
    (is_label && name::is_telling(&name) && name.len() <= name::MAX_NAME / 2).then_some((name, named.node))
}

/// Returns the hours in the line, or in one of two short lines below it.
fn hours(clock: &Clock<'_>, from: &[&Line]) -> Option<Hours> {
    /// Maximum number of words of such a line.
    const MAX_WORDS: usize = 8;
    let below = from.iter().skip(1).take(2);
    clock.only_hours(&from.first()?.text).or_else(|| {
        below
            .take_while(|line| text::words(&line.text).count() <= MAX_WORDS)
            .find_map(|line| clock.hours(&line.text))
    })
}

fn draft(line: &Line, (name, node): &Title, day: Date, hours: Hours) -> Draft {
    let mut draft = Draft::of(Source::Series);
    draft.event.name.clone_from(name);
    draft.at("name", *node);
    let (start, end) = Clock::join(DateTime::of_day(day), Some(hours));
    draft.set_when(When {
        start,
        end,
        node: line.node,
    });
    draft
}

/// Removes events that another line of the page announces too.
fn once(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut known = HashSet::new();
    let key = |draft: &Draft| {
        (
            draft.event.name.clone(),
            draft.start().map(|start| start.to_string()),
        )
    };
    drafts
        .into_iter()
        .filter(|draft| known.insert(key(draft)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{events, span};
    use crate::signs::Signs;
    use crate::testing::{clock, page};
    use crate::titles::Titles;
    use crate::tree::Frame;
    use magpie_sdk::date::Date;
    use magpie_sdk::extract::Layout;

    /// Returns names, starts and ends of the events on a page that was fetched on 1 April 2026.
    fn found(html: &str) -> Vec<String> {
        let page = page(html);
        let layout = Layout::new(&page);
        let (frame, clock, signs) = (Frame::of(&layout), clock(&layout), Signs::of(&layout));
        let titles = Titles::new(&layout, &frame, clock);
        let line = |draft: &crate::draft::Draft| {
            let start = draft.start().map(|start| start.to_string());
            format!("{} {}", draft.event.name, start.unwrap_or_default())
        };
        let events = events(&layout, &frame, &clock, &signs, &titles);
        events.iter().map(line).collect()
    }

    #[test]
    fn coming_meetings_of_a_series_are_counted_out() {
        let html = "<h1>Parks Board</h1><p>The Parks Board meets on the second Tuesday of March, May \
            and July at 6 p.m. in the Town Hall.</p>";
        assert_eq!(
            found(html),
            ["Parks Board 2026-05-12T18:00", "Parks Board 2026-07-14T18:00"]
        );
        let stated =
            "<h1>Meetings in 2026</h1><h2>Parks Board</h2><p>1st Monday of January and June</p><p>7 pm</p>";
        assert_eq!(
            found(stated),
            ["Parks Board 2026-01-05T19:00", "Parks Board 2026-06-01T19:00"]
        );
        // A repeated rule counts once. One without hours does not count.
        let twice = format!("{html}{html}");
        assert_eq!(found(&twice).len(), 2);
        assert!(found(&html.replace("at 6 p.m.", "")).is_empty());
        assert!(found("<p>Rubbish is collected on the first Monday of May at 6 a.m.").is_empty());
    }

    #[test]
    fn plans_are_counted_to_the_end_of_their_year() {
        let spring = Date::new(2026, 4, 1);
        let autumn = Date::new(2026, 11, 1);
        let days = |(first, last): (Date, Date)| format!("{first} {last}");
        for (own_day, year, expected) in [
            (spring, None, Some("2026-04-01 2026-12-31")),
            (spring, Some(2027), Some("2027-01-01 2027-12-31")),
            (None, Some(2025), Some("2025-01-01 2025-12-31")),
            (autumn, None, Some("2026-11-01 2027-05-03")),
            (None, None, None),
        ] {
            assert_eq!(span(own_day, year).map(days).as_deref(), expected);
        }
    }
}
