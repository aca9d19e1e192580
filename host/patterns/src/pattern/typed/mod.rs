//! Our inducer: typed tokens, chosen by description length.
//!
//! URLs of one shape (number of segments, extension, set of keys) stand in a table. Column by column, the values
//! are sorted by what they look like, and for each look it is decided which values are constants and which are
//! examples of a variable, whatever costs fewer bits. So a part in the middle can vary, the order of keys means
//! nothing, and no token is cut.
//!
//! A site's URLs are taken in one pass with bounded memory: a sample spread over all of them makes the first
//! patterns; URLs that these do not match are collected and make more.

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

/// Wanted URLs that are looked at together. More show nothing new of a site and cost memory.
const SAMPLE: usize = 8_192;

/// Other URLs that are looked at beside each sample.
const MOST_OTHERS: usize = 16_384;

/// The typed inducer. The numbers are bits, and their ratios are what matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypedInducer {
    /// The penalty of a variable part: the higher, the more values it takes to believe in one.
    pub wildcard_bits: f64,
    /// What a pattern of its own costs, beside its letters.
    pub pattern_bits: f64,
    /// The loss expected for each value seen once, should it be taken for a constant.
    pub missed_bits: f64,
    /// The cost of each page that would be matched and is not wanted.
    pub unwanted_bits: f64,
}

impl Default for TypedInducer {
    /// Five slugs seen once each make a variable, and so do a dozen seen often; a handful of folders seen often
    /// stay constants. A page that is not wanted weighs as much as a few letters.
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
    /// Inducers from careful to generous, to choose from on pages they have not seen.
    pub fn ladder() -> Vec<TypedInducer> {
        let with = |wildcard_bits: f64| TypedInducer {
            wildcard_bits,
            ..TypedInducer::default()
        };
        [2400.0, 1200.0, 600.0, 300.0, 150.0, 75.0].map(with).into()
    }

    /// The patterns of URLs that are looked at together.
    fn sample(&self, wanted: &[&CanonicalUrl], others: &[&CanonicalUrl]) -> Vec<UrlPattern> {
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
        let others = spread(site.others, MOST_OTHERS);
        let mut set = PatternSet::new(self.sample(&spread(site.wanted, SAMPLE), &others));
        if site.wanted.len() > SAMPLE {
            let mut strange: Vec<&CanonicalUrl> = Vec::new();
            for url in site.wanted {
                if !set.matches(url) {
                    strange.push(url);
                }
                if strange.len() == SAMPLE {
                    self.add(&mut set, &mut strange, &others);
                }
            }
            self.add(&mut set, &mut strange, &others);
        }
        Induction {
            patterns: set.patterns().to_vec(),
        }
    }
}

impl TypedInducer {
    fn add(&self, set: &mut PatternSet, strange: &mut Vec<&CanonicalUrl>, others: &[&CanonicalUrl]) {
        let known: BTreeSet<UrlPattern> = set.patterns().iter().cloned().collect();
        let new: Vec<UrlPattern> = self
            .sample(strange, others)
            .into_iter()
            .filter(|pattern| !known.contains(pattern))
            .collect();
        set.extend(new);
        strange.clear();
    }
}

/// So many of the URLs, spread evenly over all.
fn spread<'a>(urls: &[&'a CanonicalUrl], most: usize) -> Vec<&'a CanonicalUrl> {
    if urls.len() <= most {
        return urls.to_vec();
    }
    (0..most).map(|place| urls[place * urls.len() / most]).collect()
}

fn pattern(table: &Table<'_>, mut templates: Templates) -> UrlPattern {
    let values = templates.split_off(table.shape.segments);
    let mut query: Vec<Parameter> = Vec::with_capacity(values.len());
    for (key, value) in table.shape.keys.iter().zip(values) {
        match query.iter_mut().find(|known| *known.key == **key) {
            // A key that stands twice has one template for both of its values.
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
