//! What is measured.

use std::ops::Range;

use super::super::measured::share;
use super::world::Life;

/// What was measured in some time.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Time of all pages that were there, the share of it in which copies were right, and how far behind they were.
    time: f64,
    fresh: f64,
    behind: f64,
    /// Objects that were there, and of which what is held was so, at moments.
    objects: f64,
    right: f64,
}

impl Tally {
    /// The share of the pages' time in which what is held of them is what they are; nothing of no time.
    pub(super) fn freshness(&self) -> f64 {
        share(self.fresh, self.time).unwrap_or(0.0)
    }

    /// For how many weeks copies have been behind, on the average over pages and time.
    pub(super) fn age(&self) -> f64 {
        share(self.behind, self.time).unwrap_or(0.0)
    }

    /// The share of objects of which what was read last is still said; none where there are no objects.
    pub(super) fn objects(&self) -> Option<f64> {
        share(self.right, self.objects)
    }

    /// Counts a page for some time in which the copy of it stays one of this state; none where there is no copy.
    pub(super) fn page(&mut self, life: &Life, copy: Option<usize>, time: Range<f64>) {
        let first = life
            .states
            .partition_point(|state| state.from <= time.start)
            .saturating_sub(1);
        let held = copy.and_then(|copy| life.states[copy].print);
        for (place, state) in life.states.iter().enumerate().skip(first) {
            let from = state.from.max(time.start);
            let next = life.states.get(place + 1).map_or(f64::INFINITY, |next| next.from);
            let upto = next.min(time.end);
            if from >= time.end {
                break;
            }
            if state.print.is_none() || upto <= from {
                continue;
            }
            self.time += upto - from;
            if held.is_some() && state.print == held {
                self.fresh += upto - from;
            } else {
                let since = behind_since(life, copy, place);
                self.behind += ((upto - since).powi(2) - (from - since).powi(2)) / 2.0;
            }
        }
    }

    /// Counts an object at a moment.
    pub(super) fn object(&mut self, is_right: bool) {
        self.objects += 1.0;
        self.right += f64::from(u8::from(is_right));
    }
}

/// Since when a copy is not what the page is: since the first change after it, or since the page is there.
fn behind_since(life: &Life, copy: Option<usize>, now: usize) -> f64 {
    let held = copy.and_then(|copy| life.states[copy].print);
    let after = copy.map_or(0, |copy| copy + 1);
    let differs = |place: &usize| life.states[*place].print.is_some() && life.states[*place].print != held;
    (after..=now)
        .find(differs)
        .map_or(life.states[now].from, |place| life.states[place].from)
}

#[cfg(test)]
mod tests {
    use super::super::world::State;
    use super::*;

    fn life(states: &[(f64, Option<u64>)]) -> Life {
        let state = |(from, print): &(f64, Option<u64>)| State {
            from: *from,
            print: *print,
            ..State::default()
        };
        Life {
            states: states.iter().map(state).collect(),
            ..Life::default()
        }
    }

    #[track_caller]
    fn check(life: &Life, copy: Option<usize>, time: Range<f64>, freshness: f64, age: f64) {
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
        // Right for one week of four, then behind by up to three, whatever else changes.
        let life = life(&[(0.0, Some(1)), (1.0, Some(2)), (2.0, Some(3))]);
        check(&life, Some(0), 0.0..4.0, 0.25, 4.5 / 4.0);
        // Counted in two parts it is the same.
        let mut parts = Tally::default();
        parts.page(&life, Some(0), 0.0..2.5);
        parts.page(&life, Some(0), 2.5..4.0);
        assert!((parts.age() - 4.5 / 4.0).abs() < 1e-12, "{parts:?}");
    }

    #[test]
    fn a_page_that_was_never_fetched_is_behind_since_it_is_there() {
        check(&life(&[(1.0, Some(1))]), None, 0.0..3.0, 0.0, 1.0);
    }

    #[test]
    fn what_is_gone_counts_nothing_and_what_comes_back_as_it_was_is_fresh() {
        let life = life(&[(0.0, Some(1)), (1.0, None), (3.0, Some(1)), (4.0, None)]);
        check(&life, Some(0), 0.0..9.0, 1.0, 0.0);
        let mut tally = Tally::default();
        tally.page(&life, Some(0), 1.0..3.0);
        assert_eq!(tally.time, 0.0);
    }
}
