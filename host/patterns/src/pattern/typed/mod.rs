//! Induction of patterns of typed tokens, selected by minimum description length.
//!
//! URLs of one shape (number of segments, extension, set of keys) form a table. Column by column,
//! the values are classified by their appearance. In each class the inducer decides which values
//! are constants and which are examples of a variable, whichever takes fewer bits. So a part in the
//! middle can vary, the order of keys is irrelevant, and no token is cut.
//!
//! A site's URLs are processed in one pass with bounded memory. An evenly spread sample gives the
//! first patterns; URLs that these do not match are collected and give more.

mod class;
mod cost;
mod generalise;
mod keys;
mod split;
mod table;

use std::collections::BTreeSet;

use magpie_model::CanonicalUrl;

use super::inducer::{Inducer, Induction, SiteUrls};
use super::set::PatternSet;
use super::url_pattern::{Form, Parameter, Segment, Typed, UrlPattern};
use split::{Splitter, Templates};
use table::Table;

/// Maximum number of wanted URLs processed together.
const MAX_SAMPLE: usize = 8_192;

/// Maximum number of other URLs beside each sample.
const MAX_OTHERS: usize = 16_384;

/// The typed inducer. Its parameters are in bits; only their ratios matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypedInducer {
    /// Penalty of a variable part. A higher one requires more values for a variable.
    pub wildcard_bits: f64,
    /// Cost of a separate pattern, in addition to its constant text.
    pub pattern_bits: f64,
    /// Expected loss for each value seen once that becomes a constant.
    pub missed_bits: f64,
    /// Cost of each unwanted page that would be matched.
    pub unwanted_bits: f64,
}

impl Default for TypedInducer {
    /// Five slugs seen once each become a variable, and so do a dozen seen often; a handful of
    /// folders seen often stay constants. An unwanted page costs as much as a few characters.
    fn default() -> TypedInducer {
        TypedInducer {
            wildcard_bits: 300.0,
            pattern_bits: 40.0,
            missed_bits: 60.0,
            unwanted_bits: 20.0,
        }
    }
}

impl TypedInducer {
    /// Returns inducers from cautious to generous, to be compared on held-out pages.
    pub fn by_strictness() -> Vec<TypedInducer> {
        let with = |wildcard_bits: f64| TypedInducer {
            wildcard_bits,
            ..TypedInducer::default()
        };
        [2400.0, 1200.0, 600.0, 300.0, 150.0, 75.0].map(with).into()
    }

    /// Induces the patterns of URLs that are processed together.
    fn induce_sample(&self, wanted: &[&CanonicalUrl], others: &[&CanonicalUrl]) -> Vec<UrlPattern> {
        let (tables, shapeless) = Table::of(wanted, others);
        let mut patterns: BTreeSet<UrlPattern> = shapeless.into_iter().map(UrlPattern::exact).collect();
        for table in &tables {
            for templates in Splitter::new(table, self).split() {
                patterns.insert(pattern(table, templates));
            }
        }
        keys::join(patterns)
    }
}

impl Inducer for TypedInducer {
    fn name(&self) -> &'static str {
        "typed tokens"
    }

    fn induce(&self, site: &SiteUrls<'_>) -> Induction {
        // More URLs reveal nothing new of a site and take memory.
        let others = spread(site.others, MAX_OTHERS);
        let mut set = PatternSet::new(self.induce_sample(&spread(site.wanted, MAX_SAMPLE), &others));
        if site.wanted.len() > MAX_SAMPLE {
            let mut unmatched: Vec<&CanonicalUrl> = Vec::new();
            for url in site.wanted {
                // A spread sample misses small parts of a large site. What its patterns do not
                // match is induced by itself.
                if !set.matches(url) {
                    unmatched.push(url);
                }
                if unmatched.len() == MAX_SAMPLE {
                    self.extend_from(&mut set, &mut unmatched, &others);
                }
            }
            self.extend_from(&mut set, &mut unmatched, &others);
        }
        Induction {
            patterns: set.patterns().to_vec(),
        }
    }
}

impl TypedInducer {
    fn extend_from(
        &self,
        set: &mut PatternSet,
        unmatched: &mut Vec<&CanonicalUrl>,
        others: &[&CanonicalUrl],
    ) {
        let known: BTreeSet<UrlPattern> = set.patterns().iter().cloned().collect();
        let new: Vec<UrlPattern> = self
            .induce_sample(unmatched, others)
            .into_iter()
            .filter(|pattern| !known.contains(pattern))
            .collect();
        set.extend(new);
        unmatched.clear();
    }
}

/// Returns up to `max` URLs, spread evenly.
fn spread<'a>(urls: &[&'a CanonicalUrl], max: usize) -> Vec<&'a CanonicalUrl> {
    if urls.len() <= max {
        return urls.to_vec();
    }
    (0..max).map(|index| urls[index * urls.len() / max]).collect()
}

fn pattern(table: &Table<'_>, mut templates: Templates) -> UrlPattern {
    let values = templates.split_off(table.shape.segments);
    let mut query: Vec<Parameter> = Vec::with_capacity(values.len());
    for (key, value) in table.shape.keys.iter().zip(values) {
        match query.iter_mut().find(|known| *known.key == **key) {
            // A repeated key has one template for both values.
            Some(known) => known.value = keys::wider(&known.value, &value),
            None => query.push(Parameter {
                key: (*key).into(),
                value,
                required: true,
            }),
        }
    }
    query.sort();
    UrlPattern {
        form: Form::Typed(Typed {
            origin: table.shape.origin.into(),
            path: templates.into_iter().map(Segment::One).collect(),
            query: query.into(),
            open: false,
        }),
    }
}
