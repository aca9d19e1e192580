//! Reads start and end of the event of a record.

use std::ops::Range;

use super::RowReader;
use super::parts::{Part, node_at, placed};
use super::role::Role;
use crate::when::{self, Clock, When};

/// Maximum length of a text whose date is that of the event, in bytes. Longer texts mention other
/// days.
const MAX_DATED: usize = 200;

impl RowReader<'_, '_> {
    /// Returns start and end, from machine-readable and visible dates.
    pub(super) fn when(&self, clock: &Clock<'_>, parts: &[Part], nodes: &Range<u32>) -> Option<When> {
        let dated: Vec<&Part> = parts
            .iter()
            .filter(|part| part.role == Some(Role::When))
            .collect();
        let open: Vec<&Part> = parts
            .iter()
            .filter(|part| part.text.len() <= MAX_DATED)
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
        // The hours may be in another part than the day, so all parts are read together before a
        // day without hours counts.
        let shown = read(&dated)
            .filter(|when| when.start.time().is_some())
            .or_else(|| read(&open))
            .or_else(|| read(&dated));
        when::together(self.stated.when(clock, nodes), shown)
    }
}
