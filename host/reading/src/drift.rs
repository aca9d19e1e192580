//! Drift: locators that no longer find what they found when the site was learned.

use std::collections::BTreeMap;

use crate::read::Outcome;
use crate::reading::Reading;
use crate::share::{share, wilson};

/// Comparisons from which a locator is judged.
const MIN_COMPARISONS: usize = 5;

/// Drop of the agreement that is drift, beyond what chance explains.
const MIN_DROP: f64 = 0.15;

/// A locator that agreed less in a round than when it was learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Drifted {
    /// The name of the class.
    pub class: String,
    /// The attribute.
    pub attribute: String,
    /// The place.
    pub find: String,
    /// Share of agreement when it was learned.
    pub learned: f64,
    /// Share of agreement in the round.
    pub now: f64,
    /// Number of comparisons in the round.
    pub compared: usize,
}

/// The agreement of locators with the vertical over a round.
#[derive(Clone, Debug, Default)]
pub struct Drift {
    pages: usize,
    unknown: usize,
    /// By class and locator: agreements and comparisons.
    counts: BTreeMap<(usize, usize), (usize, usize)>,
}

impl Drift {
    /// Notes the outcome of reading a page by this reading.
    pub fn note(&mut self, outcome: &Outcome) {
        self.pages += 1;
        self.unknown += usize::from(outcome.class.is_none());
        for one in &outcome.comparisons {
            let count = self.counts.entry((one.class, one.locator)).or_default();
            count.0 += usize::from(one.agrees);
            count.1 += 1;
        }
    }

    /// Share of the pages of the round that belong to no known class. A redesign raises it.
    pub fn unknown(&self) -> f64 {
        share(self.unknown, self.pages)
    }

    /// Pages that were noted.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// The locators whose agreement fell.
    pub fn drifted(&self, reading: &Reading) -> Vec<Drifted> {
        let fallen = self.counts.iter().filter_map(|((class, locator), (agreed, of))| {
            let class = reading.classes.get(*class)?;
            let locator = class.locators.get(*locator)?;
            let (_, upper) = wilson(*agreed as f64, *of as f64);
            let fell = *of >= MIN_COMPARISONS && upper < locator.agreement - MIN_DROP;
            fell.then(|| Drifted {
                class: class.name.clone(),
                attribute: reading.schema.attribute(locator.attribute).name.clone(),
                find: locator.find.clone(),
                learned: locator.agreement,
                now: share(*agreed, *of),
                compared: *of,
            })
        });
        fallen.collect()
    }
}
