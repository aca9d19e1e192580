//! Combines the events of a page's lists with those of its plain lines.

use std::collections::HashSet;

use magpie_sdk::date::{DateTime, Time};
use magpie_sdk::text;

use crate::draft::Draft;
use crate::when::Clock;

/// Number of days after which an event is dropped if the page has newer ones.
const ARCHIVED: i64 = 365;

/// Returns true if the records are so complete that lines add nothing.
pub(crate) fn is_full(listed: &[Draft]) -> bool {
    /// Minimum number of events of a programme.
    const PROGRAMME: usize = 4;
    let says_all = |draft: &&Draft| {
        draft.start().is_some_and(|start| start.time().is_some()) && draft.event.venue.is_some()
    };
    listed.len() >= PROGRAMME && listed.iter().filter(says_all).count() * 10 >= listed.len() * 9
}

/// Returns the events of a page: those of its lists, and those of its lines on other days.
pub(crate) fn of(clock: &Clock<'_>, listed: Vec<Draft>, lines: Vec<Draft>) -> Vec<Draft> {
    let days = |drafts: &[Draft]| -> HashSet<String> {
        drafts
            .iter()
            .filter_map(|draft| Some(draft.start()?.date().to_string()))
            .collect()
    };
    let (listed_days, line_days) = (days(&listed), days(&lines));
    // Lines with most days of the list and many more days are a better reading of the same events.
    let shared = listed_days.intersection(&line_days).count();
    let (first, second) = if line_days.len() > 2 * listed_days.len() && shared * 2 >= listed_days.len() {
        (lines, listed)
    } else {
        (listed, lines)
    };
    let known = days(&first);
    let nodes = |draft: &Draft| draft.when.as_ref().map_or(0, |when| when.node);
    let (begin, end) = (first.iter().map(nodes).min(), first.iter().map(nodes).max());
    // Lines between the records of a list are parts of them.
    let others: Vec<Draft> = second
        .into_iter()
        .filter(|draft| {
            let inside = begin.is_some_and(|begin| nodes(draft) >= begin)
                && end.is_some_and(|end| nodes(draft) <= end);
            !inside
                && draft
                    .start()
                    .is_none_or(|start| !known.contains(&start.date().to_string()))
        })
        .collect();
    let mut all = first;
    // A single date next to a list is mostly that of something else.
    if all.is_empty() || others.len() > 1 {
        all.extend(others);
    }
    all.sort_by_key(|draft| draft.nodes.iter().map(|(_, node)| *node).min());
    without_archive(clock, once(all))
}

/// Keeps one of several events with the same name and day, preferably one with a time. Papers are
/// listed one by one.
pub(crate) fn once(drafts: Vec<Draft>) -> Vec<Draft> {
    let key = |draft: &Draft| Some((text::bare(&draft.event.name), draft.start()?.date().to_string()));
    let timed = |draft: &Draft| draft.start().is_some_and(|start| start.time().is_some());
    let with_hours: HashSet<_> = drafts
        .iter()
        .filter(|draft| timed(draft))
        .filter_map(key)
        .collect();
    let mut known = HashSet::new();
    drafts
        .into_iter()
        .filter(|draft| {
            let key = key(draft);
            let is_less = !timed(draft) && key.as_ref().is_some_and(|key| with_hours.contains(key));
            !is_less && known.insert((key, draft.start().and_then(DateTime::time)))
        })
        .collect()
}

/// Moves events in the small hours at the end of a day's programme to the next day, to which they
/// belong: `22:00`, `24:00`, `02:00`.
pub(crate) fn move_past_midnight(drafts: &mut [Draft]) {
    /// Hour from which on a programme may go on past midnight.
    const EVENING: u8 = 20;
    /// Hour until which it does.
    const MORNING: u8 = 6;
    let mut order: Vec<usize> = (0..drafts.len()).collect();
    order.sort_by_key(|place| drafts[*place].node_of("start"));
    let mut before: Option<DateTime> = None;
    let mut is_past = false;
    for place in order {
        let Some(start) = drafts[place].start() else {
            continue;
        };
        let hour = |moment: DateTime| moment.time().map(Time::hour);
        let follows = before.is_some_and(|before| before.date() == start.date());
        let is_late = before.and_then(hour).is_some_and(|hour| hour >= EVENING);
        let is_early = hour(start).is_some_and(|hour| hour < MORNING);
        is_past = follows && is_early && (is_past || is_late);
        before = Some(start);
        if is_past {
            drafts[place].move_to_next_day();
        }
    }
}

/// Removes events that were over when the page was published, unless it has no others.
fn without_archive(clock: &Clock<'_>, drafts: Vec<Draft>) -> Vec<Draft> {
    let Some(day) = clock.own_day() else {
        return drafts;
    };
    let is_kept = |draft: &Draft| {
        draft
            .start()
            .is_none_or(|start| start.days_until(DateTime::of_day(day)) <= ARCHIVED)
    };
    if drafts.iter().any(is_kept) {
        drafts.into_iter().filter(is_kept).collect()
    } else {
        drafts
    }
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::draft::Draft;
    use crate::testing::{clock, page};
    use crate::when::When;
    use magpie_sdk::date::parse_iso;
    use magpie_sdk::extract::Layout;

    fn draft(name: &str, start: &str, node: u32) -> Draft {
        let mut draft = Draft::default();
        draft.event.name = name.to_owned();
        let start = parse_iso(start).unwrap_or_else(|| panic!("{start}"));
        draft.set_when(When {
            start,
            end: None,
            node,
        });
        draft
    }

    fn check(listed: &[(&str, &str, u32)], lines: &[(&str, &str, u32)], expected: &[(&str, &str)]) {
        // Fetched on 2026-04-01.
        let page = page("<p>x");
        let layout = Layout::new(&page);
        let drafts = |all: &[(&str, &str, u32)]| {
            all.iter()
                .map(|(name, start, node)| draft(name, start, *node))
                .collect()
        };
        let found: Vec<(String, String)> = of(&clock(&layout), drafts(listed), drafts(lines))
            .into_iter()
            .map(|draft| {
                (
                    draft.event.name.clone(),
                    draft.start().map(|start| start.to_string()).unwrap_or_default(),
                )
            })
            .collect();
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(name, start)| (name.as_str(), start.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_add_what_stands_outside_of_the_listing() {
        let listed = [
            ("A", "2026-05-01T19:00", 10),
            ("B", "2026-05-02T19:00", 20),
            ("C", "2026-05-03T19:00", 30),
        ];
        let all = [
            ("A", "2026-05-01T19:00"),
            ("B", "2026-05-02T19:00"),
            ("C", "2026-05-03T19:00"),
        ];
        // A single date may belong to anything, and lines between records are parts of them.
        check(&listed, &[("x", "2026-06-01", 40)], &all);
        check(&listed, &[("x", "2026-06-01", 12), ("y", "2026-06-02", 22)], &all);
        check(
            &listed[..1],
            &[("x", "2026-06-01", 40), ("y", "2026-06-02", 50)],
            &[
                ("A", "2026-05-01T19:00"),
                ("x", "2026-06-01"),
                ("y", "2026-06-02"),
            ],
        );
    }

    #[test]
    fn papers_of_one_meeting_are_one_and_archives_are_left_out() {
        check(
            &[],
            &[
                ("Board", "2019-03-01", 5),
                ("Board", "2026-05-01", 10),
                ("Board", "2026-05-01T19:00", 20),
                ("Board", "2026-05-01T19:00", 30),
            ],
            &[("Board", "2026-05-01T19:00")],
        );
        check(&[], &[("Board", "2019-03-01", 5)], &[("Board", "2019-03-01")]);
    }
}
