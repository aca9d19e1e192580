//! Requests that the server got from one contestant.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::site::Place;

/// Counts requests while a contestant is at work.
pub(super) struct Ledger {
    /// Number of fetches of each page, up to 255.
    pages: Vec<u8>,
    began: Instant,
    first: Option<f64>,
    seen: Seen,
}

/// Requests of a contestant on a site, as the server saw them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Seen {
    /// Pages of the site that were fetched.
    pub(super) fetched: usize,
    /// Requests for pages that had been fetched before.
    pub(super) again: usize,
    /// Requests for what robots.txt refuses.
    pub(super) forbidden: usize,
    pub(super) robots: usize,
    pub(super) sitemaps: usize,
    pub(super) nowhere: usize,
    /// Some of these, to print.
    pub(super) examples: Vec<String>,
    /// Indices of some pages that were never requested.
    pub(super) missed: Vec<usize>,
    /// Seconds until anything was asked for.
    pub(super) first: Option<f64>,
}

/// Number of examples that are kept of a kind.
const EXAMPLES: usize = 3;

impl Ledger {
    pub(super) fn new(pages: usize) -> Ledger {
        Ledger {
            pages: vec![0; pages],
            began: Instant::now(),
            first: None,
            seen: Seen::default(),
        }
    }

    /// Resets the ledger for the next contestant.
    pub(super) fn clear(&mut self) {
        *self = Ledger::new(self.pages.len());
    }

    pub(super) fn count(&mut self, place: Place, path: &str) {
        if self.first.is_none() {
            self.first = Some(self.began.elapsed().as_secs_f64());
        }
        let seen = &mut self.seen;
        match place {
            Place::Page(page) => {
                if self.pages[page] == 0 {
                    seen.fetched += 1;
                } else {
                    seen.again += 1;
                }
                self.pages[page] = self.pages[page].saturating_add(1);
            }
            Place::Forbidden => seen.forbidden += 1,
            Place::Robots => seen.robots += 1,
            Place::Sitemap(_) => seen.sitemaps += 1,
            Place::Style => {}
            Place::Nowhere => {
                seen.nowhere += 1;
                if seen.examples.len() < EXAMPLES {
                    seen.examples.push(path.to_owned());
                }
            }
        }
    }

    pub(super) fn seen(&self) -> Seen {
        let missed = self.pages.iter().enumerate().filter(|(_, times)| **times == 0);
        Seen {
            missed: missed.map(|(page, _)| page).take(EXAMPLES).collect(),
            first: self.first,
            ..self.seen.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_once_and_the_missing_are_named() {
        let mut ledger = Ledger::new(4);
        for (place, path) in [
            (Place::Page(0), "/"),
            (Place::Page(2), "/2"),
            (Place::Page(0), "/"),
            (Place::Nowhere, "/x"),
            (Place::Forbidden, "/private/1"),
        ] {
            ledger.count(place, path);
        }
        let seen = ledger.seen();
        assert_eq!((seen.fetched, seen.again, seen.forbidden), (2, 1, 1));
        assert_eq!(seen.missed, [1, 3]);
        assert_eq!(seen.examples, ["/x"]);
        ledger.clear();
        assert_eq!(ledger.seen().fetched, 0);
    }
}
