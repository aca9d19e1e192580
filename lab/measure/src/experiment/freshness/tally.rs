//! Measurements of freshness, age and objects.

use std::ops::Range;

use super::world::PageHistory;
use crate::mean::share;

#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Total time of all existing pages, the part of it in which copies were fresh, and the
    /// integral of their age.
    time: f64,
    fresh: f64,
    behind: f64,
    /// Numbers of existing objects at sampled times, and of those whose held values were right.
    objects: f64,
    right: f64,
    /// Numbers of states that replaced a copy by the next visit, and of those that no visit saw.
    versions: f64,
    missed: f64,
}

impl Tally {
    /// Share of the pages' time in which copies are fresh; 0 without any time.
    pub(super) fn freshness(&self) -> f64 {
        share(self.fresh, self.time).unwrap_or(0.0)
    }

    /// Average age of copies in weeks, over pages and time.
    pub(super) fn age(&self) -> f64 {
        share(self.behind, self.time).unwrap_or(0.0)
    }

    /// Share of objects whose last read values are still right; `None` without objects.
    pub(super) fn objects(&self) -> Option<f64> {
        share(self.right, self.objects)
    }

    /// Share of the states of pages that were never seen.
    pub(super) fn missed(&self) -> f64 {
        share(self.missed, self.versions).unwrap_or(0.0)
    }

    /// Adds a page for a period in which its copy stays the same; `None` means no copy.
    pub(super) fn page(&mut self, life: &PageHistory, copy: Option<usize>, time: Range<f64>) {
        let first = life
            .states
            .partition_point(|state| state.from <= time.start)
            .saturating_sub(1);
        let held = copy.and_then(|copy| life.states[copy].fingerprint);
        if let (Some(copy), Some(last)) = (copy, life.state(time.end)) {
            let new = (last - copy) as f64;
            self.versions += new;
            self.missed += (new - 1.0).max(0.0);
        }
        for (index, state) in life.states.iter().enumerate().skip(first) {
            let from = state.from.max(time.start);
            let next = life.states.get(index + 1).map_or(f64::INFINITY, |next| next.from);
            let upto = next.min(time.end);
            if from >= time.end {
                break;
            }
            if state.fingerprint.is_none() || upto <= from {
                continue;
            }
            self.time += upto - from;
            if held.is_some() && state.fingerprint == held {
                self.fresh += upto - from;
            } else {
                let since = behind_since(life, copy, index);
                self.behind += ((upto - since).powi(2) - (from - since).powi(2)) / 2.0;
            }
        }
    }

    pub(super) fn object(&mut self, is_right: bool) {
        self.objects += 1.0;
        self.right += f64::from(u8::from(is_right));
    }
}

/// Returns the time since which a copy is out of date: the first change after it, or the creation
/// of the page.
fn behind_since(life: &PageHistory, copy: Option<usize>, now: usize) -> f64 {
    let held = copy.and_then(|copy| life.states[copy].fingerprint);
    let after = copy.map_or(0, |copy| copy + 1);
    let differs =
        |index: &usize| life.states[*index].fingerprint.is_some() && life.states[*index].fingerprint != held;
    (after..=now)
        .find(differs)
        .map_or(life.states[now].from, |index| life.states[index].from)
}

#[cfg(test)]
mod tests {
    use super::super::world::State;
    use super::*;

    fn life(states: &[(f64, Option<u64>)]) -> PageHistory {
        let state = |(from, fingerprint): &(f64, Option<u64>)| State {
            from: *from,
            fingerprint: *fingerprint,
            ..State::default()
        };
        PageHistory {
            states: states.iter().map(state).collect(),
            ..PageHistory::default()
        }
    }

    #[track_caller]
    fn check(life: &PageHistory, copy: Option<usize>, time: Range<f64>, freshness: f64, age: f64) {
        let mut tally = Tally::default();
        tally.page(life, copy, time);
        assert!((tally.freshness() - freshness).abs() < 1e-12, "{tally:?}");
        assert!((tally.age() - age).abs() < 1e-12, "{tally:?}");
    }

    #[test]
    fn a_page_that_never_changes_is_always_fresh() {
        check(&life(&[(0.0, Some(1))]), Some(0), 0.0..9.0, 1.0, 0.0);
    }

    #[test]
    fn a_copy_ages_from_the_first_change_on() {
        // Right for one week of four, then up to three weeks old; further changes do not matter.
        let life = life(&[(0.0, Some(1)), (1.0, Some(2)), (2.0, Some(3))]);
        check(&life, Some(0), 0.0..4.0, 0.25, 4.5 / 4.0);
        // The same in two parts.
        let mut parts = Tally::default();
        parts.page(&life, Some(0), 0.0..2.5);
        parts.page(&life, Some(0), 2.5..4.0);
        assert!((parts.age() - 4.5 / 4.0).abs() < 1e-12, "{parts:?}");
    }

    #[test]
    fn a_page_never_fetched_ages_from_its_creation() {
        check(&life(&[(1.0, Some(1))]), None, 0.0..3.0, 0.0, 1.0);
    }

    #[test]
    fn missing_pages_do_not_count_and_unchanged_returns_are_fresh() {
        let life = life(&[(0.0, Some(1)), (1.0, None), (3.0, Some(1)), (4.0, None)]);
        check(&life, Some(0), 0.0..9.0, 1.0, 0.0);
        let mut tally = Tally::default();
        tally.page(&life, Some(0), 1.0..3.0);
        assert_eq!(tally.time, 0.0);
    }
}
