//! Prediction of the number of results of a query from the number of known objects that match it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Known matches that each query is given in advance: a query without a known match can have
/// results.
const EXTRA: f64 = 0.5;

/// Number of queries that the prior counts for.
const PRIOR: f64 = 2.0;

/// Learns how many results queries of a kind have, for each order of magnitude of known matches.
///
/// Known objects are not a fair sample: they were found by queries, so frequent ones are
/// overrepresented. A factor for each order of magnitude corrects that.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Yields {
    #[serde(with = "crate::pairs")]
    cells: BTreeMap<(String, u32), Cell>,
    all: Cell,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Cell {
    results: f64,
    known: f64,
    queries: f64,
}

impl Cell {
    fn add(&mut self, known: f64, results: f64) {
        self.results += results;
        self.known += known;
        self.queries += 1.0;
    }
}

impl Yields {
    /// Learns from an answer: known matches before it, and its total number of results.
    pub(crate) fn record(&mut self, kind: &str, known: u32, results: f64) {
        let cell = self.cells.entry((kind.to_owned(), bucket(known))).or_default();
        cell.add(f64::from(known) + EXTRA, results);
        self.all.add(f64::from(known) + EXTRA, results);
    }

    /// Predicts the total number of results of a query, at least `seen`.
    pub(crate) fn results(&self, kind: &str, known: u32, seen: u32) -> f64 {
        let known_plus = f64::from(known) + EXTRA;
        let general = (self.all.results + PRIOR) / (self.all.known + PRIOR);
        let cell = self
            .cells
            .get(&(kind.to_owned(), bucket(known)))
            .copied()
            .unwrap_or_default();
        // The prior is that of all kinds, weighted as so many queries like this one.
        let ratio = (cell.results + general * known_plus * PRIOR) / (cell.known + known_plus * PRIOR);
        (ratio * known_plus).max(f64::from(seen))
    }
}

/// Returns the expected number of new objects on a page that shows `shown` of `results` results, of
/// which `seen` are known.
pub(crate) fn expected_new(results: f64, seen: f64, shown: f64) -> f64 {
    if results <= 0.0 {
        return 0.0;
    }
    shown.min(results) * ((results - seen) / results).clamp(0.0, 1.0)
}

fn bucket(known: u32) -> u32 {
    u32::BITS - known.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_follow_the_answers_of_a_kind() {
        let mut yields = Yields::default();
        for _ in 0..40 {
            yields.record("author", 2, 10.0);
            yields.record("title", 2, 1.0);
        }
        assert!((yields.results("author", 2, 0) - 10.0).abs() < 0.8);
        assert!((yields.results("title", 2, 0) - 1.0).abs() < 0.8);
        assert_eq!(yields.results("title", 2, 7), 7.0);
    }

    #[test]
    fn expected_new_by_hand() {
        assert_eq!(expected_new(40.0, 10.0, 20.0), 15.0);
        assert_eq!(expected_new(5.0, 0.0, 20.0), 5.0);
        assert_eq!(expected_new(5.0, 9.0, 20.0), 0.0);
        assert_eq!(expected_new(0.0, 0.0, 20.0), 0.0);
    }
}
