//! Prediction of the results of a query from the number of known objects that match it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Known matches that each query is given in advance: a query without a known match can have
/// results.
const EXTRA: f64 = 0.5;

/// Number of queries that the prior of a class counts for.
const PRIOR: f64 = 1.0;

/// Ratio of results to known matches, where links lead to these, before there are answers of this
/// order of magnitude.
const FIRST_RATIO: f64 = 2.0;

/// Number of new objects that the prior of the correction counts for.
const PRIOR_NEW: f64 = 10.0;

/// Weight of an answer relative to the next of its class. The share of known objects grows, so old
/// answers predict too much.
const FORGETTING: f64 = 0.95;

/// Learns how many results queries of a kind have, for each order of magnitude of known matches.
///
/// Known objects are not a fair sample: they were found by queries, so frequent ones are
/// overrepresented. A factor for each order of magnitude corrects that.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Yields {
    #[serde(with = "crate::pairs")]
    classes: BTreeMap<(String, u32), Class>,
    /// For all kinds: without known matches, and with some.
    general: [Class; 2],
    /// Orders of magnitude with an answer.
    tried: BTreeSet<u32>,
    /// Known matches include objects that links lead to.
    has_linked: bool,
}

/// Sums over the queries of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Class {
    results: f64,
    known: f64,
    expected: f64,
    found: f64,
}

impl Class {
    fn add(&mut self, answer: Class) {
        self.results = self.results * FORGETTING + answer.results;
        self.known = self.known * FORGETTING + answer.known;
        self.expected = self.expected * FORGETTING + answer.expected;
        self.found = self.found * FORGETTING + answer.found;
    }
}

/// A query before its answer: known matches, and those of them that the site has shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matches {
    pub(crate) known: u32,
    pub(crate) seen: u32,
}

impl Yields {
    /// Notes that links lead to known objects. Until there is an answer, a search is expected to
    /// have others, too.
    pub(crate) fn have_linked(&mut self) {
        self.has_linked = true;
    }

    /// Learns from the first page of an answer: its total number of results, and of new objects.
    pub(crate) fn record(&mut self, kind: &str, matches: Matches, page_size: f64, results: f64, new: f64) {
        let answer = Class {
            results,
            known: f64::from(matches.known) + EXTRA,
            expected: self.uncorrected(kind, matches, page_size),
            found: new,
        };
        let class = (kind.to_owned(), magnitude(matches.known));
        self.classes.entry(class).or_default().add(answer);
        self.general[usize::from(matches.known > 0)].add(answer);
        self.tried.insert(magnitude(matches.known));
    }

    /// Predicts the total number of results of a query.
    pub(crate) fn results(&self, kind: &str, matches: Matches) -> f64 {
        let known = f64::from(matches.known) + EXTRA;
        let general = &self.general[usize::from(matches.known > 0)];
        let mut general = (general.results + PRIOR) / (general.known + PRIOR);
        // Objects that links lead to are known before there are answers. A ratio of one would
        // expect nothing else from any query.
        if self.has_linked && !self.tried.contains(&magnitude(matches.known)) {
            general = general.max(FIRST_RATIO);
        }
        let class = self.class(kind, matches);
        // The prior is the ratio of all kinds, weighted as a number of queries like this one.
        let ratio = (class.results + general * known * PRIOR) / (class.known + known * PRIOR);
        (ratio * known).max(f64::from(matches.seen))
    }

    /// Predicts the number of new objects on the first page of an answer.
    ///
    /// Results vary within a class, pages are limited, and sites show first what other queries have
    /// shown already. So the expectation is corrected by the answers of the class.
    pub(crate) fn new_objects(&self, kind: &str, matches: Matches, page_size: f64) -> f64 {
        let class = self.class(kind, matches);
        let correction = (class.found + PRIOR_NEW) / (class.expected + PRIOR_NEW);
        correction * self.uncorrected(kind, matches, page_size)
    }

    fn uncorrected(&self, kind: &str, matches: Matches, page_size: f64) -> f64 {
        expected_new(self.results(kind, matches), f64::from(matches.seen), page_size)
    }

    fn class(&self, kind: &str, matches: Matches) -> Class {
        let class = (kind.to_owned(), magnitude(matches.known));
        self.classes.get(&class).copied().unwrap_or_default()
    }
}

/// The ratio of new objects on further pages to expected ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Calibration {
    expected: f64,
    found: f64,
}

impl Calibration {
    pub(crate) fn add(&mut self, expected: f64, found: f64) {
        self.expected = self.expected * FORGETTING + expected;
        self.found = self.found * FORGETTING + found;
    }

    pub(crate) fn ratio(&self) -> f64 {
        (self.found + PRIOR_NEW) / (self.expected + PRIOR_NEW)
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

fn magnitude(known: u32) -> u32 {
    u32::BITS - known.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_follow_the_answers_of_a_kind() {
        let matches = |seen| Matches { known: 2, seen };
        let mut yields = Yields::default();
        for _ in 0..40 {
            yields.record("author", matches(0), 20.0, 10.0, 5.0);
            yields.record("title", matches(0), 20.0, 1.0, 1.0);
        }
        let near = |value: f64, expected: f64| assert!((value - expected).abs() < 0.5, "{value} {expected}");
        near(yields.results("author", matches(0)), 10.0);
        near(yields.results("title", matches(0)), 1.0);
        near(yields.new_objects("author", matches(0), 20.0), 5.0);
        assert_eq!(yields.results("title", matches(7)), 7.0);
    }

    #[test]
    fn expected_new_by_hand() {
        assert_eq!(expected_new(40.0, 10.0, 20.0), 15.0);
        assert_eq!(expected_new(5.0, 0.0, 20.0), 5.0);
        assert_eq!(expected_new(5.0, 9.0, 20.0), 0.0);
        assert_eq!(expected_new(0.0, 0.0, 20.0), 0.0);
    }
}
