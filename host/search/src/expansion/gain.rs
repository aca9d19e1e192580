//! What a query promises: how many sites that are not known yet.
//!
//! Queries are alike in some ways and not in others, so each way is judged by itself: what the query is made of, from which site its object comes,
//! on how many sites the object was seen, and how many of its words were asked for before. What queries of one sort
//! brought is compared with what was expected of them, that is of any query at that time; the product of these ratios
//! times what queries bring at present is the promise.
//!
//! Drawing at random by what is likely would explore as well, but then a run can't be explained afterwards by its
//! numbers; here a sort that was never tried is thought somewhat better than average until it is.

use std::collections::BTreeMap;

use magpie_values::text::fold;
use serde::{Deserialize, Serialize};

/// Sites are counted in thousandths, so that a run that is taken up again goes on with the very same numbers.
const UNIT: u64 = 1000;
/// So many expected sites of no experience stand beside the experience with a sort...
const PRIOR: u64 = 3 * UNIT;
/// ... in which it is thought to have brought this many.
const PRIOR_GAIN: u64 = 4 * UNIT;
/// Objects on more sites than this are all alike: everybody has them.
const MOST_SITES: u32 = 4;
/// How finely the share of known words is told apart.
const SHARES: usize = 4;

/// The sorts that a query is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Facets([String; 4]);

/// What queries of each sort brought.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Gains(BTreeMap<String, Gain>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Gain {
    /// New sites, in thousandths.
    found: u64,
    /// What any queries would have brought at these times.
    expected: u64,
}

impl Facets {
    /// The sorts of a query: its purpose, the site its object comes from, how many sites have it, and how many of its words
    /// are worn.
    pub(super) fn new(purpose: &str, source: &str, sites: u32, worn: usize, words: usize) -> Self {
        let share = (worn * SHARES / words.max(1)).min(SHARES - 1);
        Self([
            format!("purpose {purpose}"),
            format!("source {source}"),
            format!("sites {}", sites.min(MOST_SITES)),
            format!("worn {share}"),
        ])
    }
}

impl Gains {
    /// Notes what a query brought; `usual` is what queries brought at that time, in thousandths.
    pub(super) fn note(&mut self, facets: &Facets, new: u32, usual: u64) {
        for facet in &facets.0 {
            let gain = self.0.entry(facet.clone()).or_default();
            gain.found += u64::from(new) * UNIT;
            gain.expected += usual;
        }
    }

    /// How many new sites a query promises.
    pub(super) fn promise(&self, facets: &Facets, usual: u64) -> f64 {
        let ratio = |facet: &String| {
            let gain = self.0.get(facet).copied().unwrap_or_default();
            (gain.found + PRIOR_GAIN) as f64 / (gain.expected + PRIOR) as f64
        };
        let ratios: f64 = facets.0.iter().map(ratio).product();
        ratios * usual as f64 / UNIT as f64
    }
}

/// What queries bring at present, in thousandths: the mean of the last ones and one that brings one.
pub(super) fn usual(recent: impl ExactSizeIterator<Item = u32>) -> u64 {
    let count = recent.len() as u64 + 1;
    (recent.map(u64::from).sum::<u64>() + 1) * UNIT / count
}

/// The words of a query as numbers, each once.
pub(super) fn words(text: &str) -> Vec<u64> {
    let folded = fold(text);
    let words = folded.split(|letter: char| !letter.is_alphanumeric());
    let mut numbers: Vec<u64> = words.filter(|word| !word.is_empty()).map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// FNV-1a, which is the same on every machine, as what is kept has to be.
fn number(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
