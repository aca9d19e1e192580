//! When the event of a record is.

use std::ops::Range;

use super::RowReader;
use super::parts::{Part, node_at, placed};
use super::role::Role;
use crate::when::{self, Clock, When};

/// Bytes of a text whose date is the event's; longer ones tell of other days too.
const MOST_DATED: usize = 200;

impl RowReader<'_, '_> {
    /// When it is, by what it states for machines and what it shows.
    pub(super) fn when(&self, clock: &Clock<'_>, parts: &[Part], nodes: &Range<u32>) -> Option<When> {
        let dated: Vec<&Part> = parts
            .iter()
            .filter(|part| part.role == Some(Role::When))
            .collect();
        let open: Vec<&Part> = parts
            .iter()
            .filter(|part| part.text.len() <= MOST_DATED)
            .filter(|part| matches!(part.role, None | Some(Role::When | Role::Name)))
            .collect();
        let read = |parts: &[&Part]| {
            ["\n", " "].iter().find_map(|separator| {
                let (text, places) = placed(parts, separator);
                let moment = clock.read(&text)?;
                let node = node_at(&places, moment.span.start);
                Some(When {
                    start: moment.start,
                    end: moment.end,
                    node,
                })
            })
        };
        let shown = read(&dated)
            .filter(|when| when.start.time().is_some())
            .or_else(|| read(&open))
            .or_else(|| read(&dated));
        let stated = self.stated(clock, nodes);
        match (stated, shown) {
            (Some(stated), shown) => {
                let start = when::reconcile(stated.start, shown.as_ref().map(|shown| shown.start));
                let end = stated.end.map(when::to_minute).or_else(|| {
                    shown
                        .filter(|shown| shown.start.same_day(start))
                        .and_then(|shown| shown.end)
                });
                Some(When {
                    start,
                    end,
                    node: stated.node,
                })
            }
            (None, shown) => shown,
        }
    }

    /// The first date that a record states for machines, and the end when there is a second one.
    fn stated(&self, clock: &Clock<'_>, nodes: &Range<u32>) -> Option<When> {
        let first = self.stated.partition_point(|(node, _)| *node < nodes.start);
        let mut within = self.stated[first..]
            .iter()
            .take_while(|(node, _)| *node < nodes.end);
        let (node, start, end) = within.find_map(|(node, text)| {
            let (start, end) = clock.read_stated(text)?;
            Some((*node, start, end))
        })?;
        let next = within
            .filter_map(|(_, text)| clock.read_stated(text))
            .map(|(end, _)| end)
            .next();
        let end = end
            .or(next)
            .filter(|end| *end > start && start.days_until(*end) < 400);
        Some(When { start, end, node })
    }
}
