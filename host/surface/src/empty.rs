//! Result pages without results.
//!
//! A few queries that cannot match give reference pages. A page that resembles them is empty. The
//! published method compares whole pages with one threshold for all sites. It fails on heavy
//! templates, where one hit changes little. The fitted method subtracts what all pages of the site
//! share, learns the threshold from the site, and compares objects where they are known.

use serde::{Deserialize, Serialize};

use crate::outcome::{ObjectId, Outcome};
use crate::sets;
use crate::text::Shingles;

/// Minimum similarity of an empty page, as published.
const PUBLISHED_THRESHOLD: f64 = 0.85;

/// Number of queries without results that a form is tried with.
pub const BAD_QUERIES: usize = 5;

/// Maximum number of reference pages and of ordinary pages that are kept.
const MAX_PAGES: usize = 50;

/// Minimum number of ordinary pages before their common part is subtracted. The common part of
/// fewer pages includes results.
const MIN_ORDINARY: usize = 3;

/// Minimum number of distinguishing shingles for the containment test. Fewer are the seam between
/// header and footer.
const MIN_CORE: usize = 4;

/// Minimum share of objects in common with the objects that bad queries bring.
const SAME_OBJECTS: f64 = 0.8;

/// Minimum share of objects in common of answers to different queries of an inert search.
const INERT: f64 = 0.9;

/// Bounds for a fitted threshold.
const THRESHOLDS: std::ops::RangeInclusive<f64> = 0.3..=0.97;

/// Returns queries that no object matches, each of another shape.
pub fn bad_queries(seed: u64) -> [String; BAD_QUERIES] {
    let mut random = fastrand::Rng::with_seed(seed ^ 0xbad);
    let mut letters = |alphabet: &str, count: usize| -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..count)
            .map(|_| alphabet[random.usize(..alphabet.len())])
            .collect()
    };
    const CONSONANTS: &str = "bcdfghjklmnpqrstvwxz";
    let long = letters(CONSONANTS, 20);
    let two = format!("{} {}", letters(CONSONANTS, 9), letters(CONSONANTS, 12));
    let mixed = (0..5)
        .map(|_| letters(CONSONANTS, 2) + &letters("23456789", 1))
        .collect();
    let very_long = letters(CONSONANTS, 40);
    let syllables = (0..6)
        .map(|_| letters("jqvwxz", 1) + &letters("aeiou", 1))
        .collect();
    // Searches treat each shape in another way: minimum lengths, numbers, fuzzy matches.
    [long, two, mixed, very_long, syllables]
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResultPage {
    /// Its runs of three words, with digits folded and the query masked.
    pub shingles: Shingles,
    /// Ids of its objects, sorted and distinct; none if no vertical reads the page.
    pub objects: Vec<ObjectId>,
}

impl ResultPage {
    /// Reads the visible text of a page that answers a query.
    pub fn new(text: &str, query: &str, objects: impl IntoIterator<Item = ObjectId>) -> ResultPage {
        ResultPage {
            shingles: Shingles::new(text, query),
            objects: sets::sorted(objects.into_iter().collect()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Jaccard similarity of at least .85 with a reference.
    Published,
    /// A threshold for each site, without the template of the site, and with objects.
    Fitted,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// True if the page has no results.
    pub is_empty: bool,
    pub reason: Reason,
    /// Similarity with the best reference, 0 to 1.
    pub similarity: f64,
    /// The minimum similarity of empty pages of the site.
    pub threshold: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The text resembles a reference.
    LikeReference,
    /// The text resembles no reference.
    UnlikeReferences,
    /// Its objects are those that bad queries bring.
    ObjectsOfBadQueries,
    /// It has objects that bad queries do not bring.
    OwnObjects,
    /// It has no objects, as references have none, and the text of references is too unlike.
    NoObjects,
    NoReference,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmptyPages {
    method: Method,
    references: Vec<ResultPage>,
    ordinary: Vec<ResultPage>,
    fit: Fit,
}

/// The values that follow from the known pages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Fit {
    /// Shingles of every page of the site.
    template: Vec<u64>,
    /// Shingles of all references that most ordinary pages lack.
    core: Vec<u64>,
    /// References without the template.
    references: Vec<Vec<u64>>,
    threshold: f64,
    /// Objects that come back for every bad query.
    objects: Vec<ObjectId>,
    /// True if all bad queries bring the same objects.
    has_fixed_objects: bool,
    /// True if objects alone distinguish empty pages: references have none and most ordinary pages
    /// have some, while the text that varies, such as adverts, makes references unlike each other.
    #[serde(default)]
    relies_on_objects: bool,
}

impl EmptyPages {
    /// Creates the state of a site of which no page is known.
    pub fn new(method: Method) -> EmptyPages {
        EmptyPages {
            method,
            references: Vec::new(),
            ordinary: Vec::new(),
            fit: Fit::default(),
        }
    }

    /// Adds the answer to a bad query.
    pub fn add_reference(&mut self, page: ResultPage) {
        if self.references.len() < MAX_PAGES {
            self.references.push(page);
            self.fit();
        }
    }

    /// Adds the answer to an ordinary query. Some of these pages may be empty.
    pub fn add_ordinary(&mut self, page: ResultPage) {
        if self.ordinary.len() < MAX_PAGES {
            self.ordinary.push(page);
            self.fit();
        }
    }

    pub fn judge(&self, page: &ResultPage) -> Judgement {
        let threshold = match self.method {
            Method::Published => PUBLISHED_THRESHOLD,
            Method::Fitted => self.fit.threshold,
        };
        let judgement = |is_empty, reason, similarity| Judgement {
            is_empty,
            reason,
            similarity,
            threshold,
        };
        if self.references.is_empty() {
            return judgement(false, Reason::NoReference, 0.0);
        }
        let similarity = match self.method {
            Method::Published => best(
                self.references.iter().map(|other| other.shingles.masked()),
                page.shingles.masked(),
            ),
            Method::Fitted => self.similarity(&page.shingles),
        };
        // Objects decide before texts do: they stay apart on heavy templates, where one hit changes
        // little of the text.
        if self.method == Method::Fitted
            && !page.objects.is_empty()
            && let Some(is_empty) = self.judge_objects(&page.objects)
        {
            let reason = match is_empty {
                true => Reason::ObjectsOfBadQueries,
                false => Reason::OwnObjects,
            };
            return judgement(is_empty, reason, similarity);
        }
        if self.method == Method::Fitted && self.fit.relies_on_objects && page.objects.is_empty() {
            return judgement(true, Reason::NoObjects, similarity);
        }
        match similarity >= threshold {
            true => judgement(true, Reason::LikeReference, similarity),
            false => judgement(false, Reason::UnlikeReferences, similarity),
        }
    }

    /// Returns true if nonsense and ordinary queries bring the same objects, or the same text where
    /// no object is known: the search ignores its input.
    pub fn is_inert(&self) -> bool {
        let content = |page: &'_ ResultPage| match page.objects.is_empty() {
            true => page.shingles.masked().to_vec(),
            false => page.objects.clone(),
        };
        let bad: Vec<Vec<u64>> = self.references.iter().map(content).collect();
        let good: Vec<Vec<u64>> = self.ordinary.iter().map(content).collect();
        are_alike(&bad, &good)
    }

    /// Decides by the objects of a page, if they decide.
    fn judge_objects(&self, objects: &[ObjectId]) -> Option<bool> {
        if sets::jaccard(objects, &self.fit.objects) >= SAME_OBJECTS {
            return Some(true);
        }
        let is_own = !sets::is_subset(objects, &self.fit.objects);
        // If bad queries bring changing objects, objects of its own prove nothing about a page.
        (self.fit.has_fixed_objects && is_own).then_some(false)
    }

    /// Computes the similarity with the references, without the template.
    fn similarity(&self, shingles: &Shingles) -> f64 {
        let rest = shingles.without(&self.fit.template);
        let alike = best(self.fit.references.iter().map(|other| &other[..]), &rest);
        if self.fit.core.len() < MIN_CORE {
            return alike;
        }
        // A page with "did you mean" has more text than a reference, but all of its core.
        let both = sets::intersection(&self.fit.core, &rest).len();
        alike.max(both as f64 / self.fit.core.len() as f64)
    }

    fn fit(&mut self) {
        let Some(first) = self.references.first() else {
            return;
        };
        let common_objects = self
            .references
            .iter()
            .fold(first.objects.clone(), |common, page| {
                sets::intersection(&common, &page.objects)
            });
        let in_all = |shingle: &&u64| self.references.iter().all(|page| page.shingles.has(**shingle));
        let common: Vec<u64> = first.shingles.masked().iter().filter(in_all).copied().collect();
        let has_template = self.ordinary.len() >= MIN_ORDINARY;
        let share = |shingle: &u64| {
            let with = self.ordinary.iter().filter(|page| page.shingles.has(*shingle));
            with.count() as f64 / self.ordinary.len() as f64
        };
        // Text on all pages tells nothing apart. Text on all references and on few ordinary pages
        // is the notice that nothing was found.
        let (template, core) = match has_template {
            true => (
                common
                    .iter()
                    .filter(|shingle| share(shingle) == 1.0)
                    .copied()
                    .collect(),
                common
                    .iter()
                    .filter(|shingle| share(shingle) < 0.5)
                    .copied()
                    .collect(),
            ),
            false => (Vec::new(), Vec::new()),
        };
        let without = |page: &ResultPage| page.shingles.without(&template);
        self.fit = Fit {
            references: self.references.iter().map(without).collect(),
            template,
            core,
            threshold: PUBLISHED_THRESHOLD,
            has_fixed_objects: self.references.iter().all(|page| page.objects == common_objects),
            objects: common_objects,
            relies_on_objects: false,
        };
        if has_template {
            let lowest = self.lowest_among_references();
            self.fit.threshold = self.threshold(lowest);
            let with_objects = self.ordinary.iter().filter(|page| !page.objects.is_empty());
            let show_objects = with_objects.count() * 2 > self.ordinary.len();
            let show_none = self.fit.has_fixed_objects && self.fit.objects.is_empty();
            // References that differ this much from one another leave no room for a threshold, so
            // only the lack of objects shows that a page is empty.
            self.fit.relies_on_objects = show_none && show_objects && lowest < *THRESHOLDS.start();
        }
    }

    /// Returns the lowest similarity of a reference with the most similar other one.
    fn lowest_among_references(&self) -> f64 {
        let others = |place: usize| {
            let others = self.fit.references.iter().enumerate();
            others
                .filter(move |(other, _)| *other != place)
                .map(|(_, page)| &page[..])
        };
        let references = self.fit.references.iter().enumerate();
        let among = references.map(|(place, page)| match self.references.len() {
            1 => 1.0,
            _ => best(others(place), page),
        });
        among.fold(1.0, f64::min)
    }

    /// Places the threshold in the middle of the widest gap between the similarities of ordinary
    /// pages and those of references with each other.
    fn threshold(&self, lowest: f64) -> f64 {
        let ordinary = self.ordinary.iter().map(|page| self.similarity(&page.shingles));
        let mut similarities: Vec<f64> = ordinary.filter(|similarity| *similarity < lowest).collect();
        similarities.extend([0.0, lowest]);
        similarities.sort_by(f64::total_cmp);
        let gaps = similarities
            .windows(2)
            .map(|pair| (pair[1] - pair[0], (pair[0] + pair[1]) / 2.0));
        let widest = gaps.max_by(|one, other| one.0.total_cmp(&other.0));
        let middle = widest.map_or(PUBLISHED_THRESHOLD, |(_, middle)| middle);
        middle.clamp(*THRESHOLDS.start(), *THRESHOLDS.end())
    }
}

/// Returns true if bad and good queries have the same results. Takes at least one bad outcome and
/// the outcomes of two good queries.
pub fn is_inert(bad: &[&Outcome], good: &[&Outcome]) -> bool {
    let content = |outcome: &&Outcome| match outcome.objects.is_empty() {
        true => vec![outcome.result_signature()],
        false => outcome.objects.clone(),
    };
    let is_empty = |outcomes: &[&Outcome]| outcomes.iter().all(|outcome| outcome.is_empty);
    let bad_content: Vec<Vec<u64>> = bad.iter().map(content).collect();
    let good_content: Vec<Vec<u64>> = good.iter().map(content).collect();
    !is_empty(bad) && !is_empty(good) && are_alike(&bad_content, &good_content)
}

fn are_alike(bad: &[Vec<u64>], good: &[Vec<u64>]) -> bool {
    let Some(first) = bad.first() else {
        return false;
    };
    let is_alike = |other: &Vec<u64>| !other.is_empty() && sets::jaccard(first, other) >= INERT;
    good.len() >= 2 && bad.iter().chain(good).all(is_alike)
}

fn best<'a>(others: impl Iterator<Item = &'a [u64]>, page: &[u64]) -> f64 {
    others.map(|other| sets::jaccard(other, page)).fold(0.0, f64::max)
}
