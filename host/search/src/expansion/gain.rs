//! The expected number of new sites of a query.
//!
//! Queries have several properties, and each is rated separately: the purpose of the query, the
//! site of its object, the number of sites with the object, and the share of its words that were
//! used before. The result of queries with a property is compared with the expectation for any
//! query at that time. The product of these ratios and the current mean is the expectation for a
//! query.
//!
//! Thompson sampling would explore as well, but its runs can't be explained afterwards by their
//! numbers. Here an untried property counts as somewhat better than average.

use std::collections::BTreeMap;

use magpie_values::text::fold;
use serde::{Deserialize, Serialize};

/// Sites are counted in thousandths, so that a resumed run continues with exactly the same numbers.
const UNIT: u64 = 1000;
/// Weight of the prior, in expected sites.
const PRIOR: u64 = 3 * UNIT;
/// Sites that a query of that weight is assumed to have brought.
const PRIOR_GAIN: u64 = 4 * UNIT;
/// Objects on more sites than this are all alike: everybody has them.
const MAX_SITES: u32 = 4;
/// Number of classes for the share of known words.
const SHARES: usize = 4;

/// The sorts that a query is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Facets([String; 4]);

/// The results of queries by property.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Gains(BTreeMap<String, Gain>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Gain {
    /// New sites, in thousandths.
    found: u64,
    /// The expected result of any queries at these times.
    expected: u64,
}

impl Facets {
    /// Returns the properties of a query: its purpose, the site of its object, the number of sites
    /// with the object, and the number of its used words.
    pub(super) fn new(purpose: &str, source: &str, sites: u32, worn: usize, words: usize) -> Self {
        let share = (worn * SHARES / words.max(1)).min(SHARES - 1);
        Self([
            format!("purpose {purpose}"),
            format!("source {source}"),
            format!("sites {}", sites.min(MAX_SITES)),
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

    /// Returns the expected number of new sites of a query.
    pub(super) fn promise(&self, facets: &Facets, usual: u64) -> f64 {
        let ratio = |facet: &String| {
            let gain = self.0.get(facet).copied().unwrap_or_default();
            (gain.found + PRIOR_GAIN) as f64 / (gain.expected + PRIOR) as f64
        };
        let ratios: f64 = facets.0.iter().map(ratio).product();
        ratios * usual as f64 / UNIT as f64
    }
}

/// Returns the current mean of queries in thousandths: over the last ones and one that finds one
/// site.
pub(super) fn usual(recent: impl ExactSizeIterator<Item = u32>) -> u64 {
    // The one more keeps the mean above zero, which would make every promise zero.
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
