//! Combines machine-readable dates with the visible ones next to them.

use std::ops::Range;

use magpie_sdk::date::{DateTime, Time};
use magpie_sdk::extract::Layout;

use super::{Clock, When};
use crate::words;

/// Maximum number of days between the first and the last date of an event. Dates further apart are
/// unrelated.
const MAX_SPAN: i64 = 400;

/// Machine-readable dates of elements: `<time datetime>`, and `content` of a date's element.
#[derive(Debug)]
pub(crate) struct Stated {
    /// Texts by their nodes, in document order.
    texts: Vec<(u32, String)>,
}

impl Stated {
    pub(crate) fn of(layout: &Layout<'_>) -> Self {
        let page = layout.page();
        let timed = page.having("datetime").into_iter();
        let named = page.having("content").into_iter().filter(|(element, _)| {
            let name = element.attr("itemprop");
            name.is_some_and(|name| words::is_date_name(&name))
        });
        let texts = timed.chain(named).map(|(element, text)| (element.node(), text));
        let mut texts: Vec<(u32, String)> = texts.collect();
        // The two attributes come one after the other, and `within` searches by node.
        texts.sort_by_key(|(node, _)| *node);
        Self { texts }
    }

    /// Returns all texts with their nodes.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (u32, &str)> {
        self.texts.iter().map(|(node, text)| (*node, text.as_str()))
    }

    fn within(&self, nodes: &Range<u32>) -> &[(u32, String)] {
        let place = |end: u32| self.texts.partition_point(|(node, _)| *node < end);
        self.texts
            .get(place(nodes.start)..place(nodes.end))
            .unwrap_or(&[])
    }

    /// Returns true if a node of the range has a machine-readable date.
    pub(crate) fn is_any_within(&self, nodes: &Range<u32>) -> bool {
        !self.within(nodes).is_empty()
    }

    /// Returns the first date in a range of nodes, with the second one as its end.
    pub(crate) fn when(&self, clock: &Clock<'_>, nodes: &Range<u32>) -> Option<When> {
        let mut within = self.within(nodes).iter();
        let (node, start, end) = within.find_map(|(node, text)| {
            let (start, end) = clock.read_stated(text)?;
            Some((*node, start, end))
        })?;
        let mut others = within.filter_map(|(_, text)| clock.read_stated(text));
        let end = end
            .or_else(|| others.next().map(|(end, _)| end))
            .filter(|end| *end > start && start.days_until(*end) < MAX_SPAN);
        Some(When { start, end, node })
    }
}

/// Combines a machine-readable and a visible date, either of which may be missing.
pub(crate) fn together(stated: Option<When>, shown: Option<When>) -> Option<When> {
    let Some(stated) = stated else {
        return shown;
    };
    let start = reconcile(stated.start, shown.as_ref().map(|shown| shown.start));
    let end = stated.end.map(to_minute).or_else(|| {
        let same_day = shown.filter(|shown| shown.start.same_day(start));
        same_day.and_then(|shown| shown.end)
    });
    Some(When {
        start,
        end,
        node: stated.node,
    })
}

/// Combines a machine-readable date with the visible text. The text is more reliable: many pages
/// declare their local time as UTC, and as many convert it correctly.
pub(crate) fn reconcile(stated: DateTime, shown: Option<DateTime>) -> DateTime {
    let stated = without_midnight(to_minute(stated));
    let Some(shown) = shown.filter(|shown| stated.days_until(*shown).abs() <= 1) else {
        return stated;
    };
    match (stated.time(), shown.time()) {
        (None, Some(_)) if stated.same_day(shown) => shown,
        (Some(_), Some(_)) if stated.offset() == Some(0) => as_shown(stated, shown),
        // Software also writes noon in UTC if only the day is known.
        (Some(time), None) if stated.offset() == Some(0) && time.to_seconds() == 12 * 3600 => shown,
        _ => stated,
    }
}

/// Returns a moment in UTC as the visible local time, with the offset between the two.
fn as_shown(stated: DateTime, shown: DateTime) -> DateTime {
    /// Minutes of which offsets of time zones are multiples.
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

/// Removes midnight, which software writes if only the day is known.
pub(crate) fn without_midnight(moment: DateTime) -> DateTime {
    if moment.time().is_some_and(|time| time.to_seconds() == 0) {
        DateTime::of_day(moment.date())
    } else {
        moment
    }
}

/// Removes seconds, which only software writes.
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

#[cfg(test)]
mod tests {
    use super::reconcile;
    use magpie_sdk::date::parse_iso;

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
        check("2026-05-03T12:00:00Z", "2026-05-03", "2026-05-03");
    }
}
