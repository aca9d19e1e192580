//! How well a crawl did: what it found against the truth, and what that cost.

mod agree;
mod matching;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::truth::{TrueObject, Truth};
use matching::one_to_one;

/// What a crawl found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Its distinct objects: one for each cluster of records.
    pub objects: Vec<FoundObject>,
    /// Every fetch, in order.
    #[serde(default)]
    pub fetches: Vec<Fetch>,
}

/// An object that a crawl found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FoundObject {
    /// Its values in normal form, by attribute.
    pub attributes: BTreeMap<String, Vec<String>>,
    /// The URLs of the pages it was found on.
    #[serde(default)]
    pub sources: Vec<String>,
}

/// A fetch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fetch {
    /// What was asked for.
    pub url: String,
    /// The status code.
    pub status: u16,
    /// Bytes of the body.
    pub bytes: u64,
}

/// How well it did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Objects that are on some page that works.
    pub objects: u64,
    /// Findings: distinct objects, each as often as it has sources.
    pub findings: u64,
    /// Distinct objects found.
    pub distinct: u64,
    /// Distinct objects that are one of the world, each of those counted once.
    pub correct: u64,
    /// Found objects that are one of the world which another found object already is.
    pub split: u64,
    /// Correct of distinct.
    pub precision: f64,
    /// Correct of all objects.
    pub recall: f64,
    /// The values of correct objects, by attribute.
    pub attributes: BTreeMap<String, AttributeScore>,
    /// Right values of all compared.
    pub accuracy: f64,
    /// Fetches, failed ones and repeated ones included.
    pub pages: u64,
    /// Bytes of all bodies.
    pub bytes: u64,
    /// Fetches that gave a page of the web with objects on it.
    pub object_pages: u64,
    /// Objects of the world that are on some fetched page: no extractor could have found more.
    pub reached: u64,
    /// Object pages none of whose objects was new, in the order of the fetches.
    pub redundant_pages: u64,
    /// These of all object pages.
    pub redundancy: f64,
}

/// The values of one attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AttributeScore {
    /// Correct objects for which both the truth and the crawl have a value.
    pub compared: u64,
    /// Those that agree.
    pub right: u64,
    /// Correct objects for which only the truth has one.
    pub missing: u64,
    /// Right of compared.
    pub accuracy: f64,
}

/// Scores what a crawl found.
///
/// A found object may be any true one on its source pages; without sources, any with words of its name. The pairs are
/// made one to one, likest first and then so that as many as possible have a partner.
#[must_use]
pub fn score(truth: &Truth, found: &Found) -> Score {
    let pairs = one_to_one(truth, &found.objects);
    let mut score = Score {
        objects: truth
            .objects
            .iter()
            .filter(|object| is_within_reach(truth, object))
            .count() as u64,
        findings: found
            .objects
            .iter()
            .map(|object| object.sources.len().max(1) as u64)
            .sum(),
        distinct: found.objects.len() as u64,
        correct: pairs.partners.iter().flatten().count() as u64,
        split: pairs.split,
        ..Score::default()
    };
    score.precision = share(score.correct, score.distinct);
    score.recall = share(score.correct, score.objects);
    for (one, partner) in found.objects.iter().zip(&pairs.partners) {
        if let Some(object) = partner.map(|place| &truth.objects[place]) {
            compare(&mut score.attributes, one, object);
        }
    }
    finish_attributes(&mut score);
    count_fetches(&mut score, truth, &found.fetches);
    score
}

/// The true objects that were found, by [`score`]'s rules.
#[must_use]
pub fn recognised(truth: &Truth, found: &[FoundObject]) -> BTreeSet<u32> {
    let partners = one_to_one(truth, found).partners.into_iter().flatten();
    partners.map(|place| truth.objects[place].id).collect()
}

fn is_within_reach(truth: &Truth, object: &TrueObject) -> bool {
    object.pages.iter().any(|page| {
        truth
            .pages
            .get(*page as usize)
            .is_some_and(|page| !page.is_broken)
    })
}

fn compare(attributes: &mut BTreeMap<String, AttributeScore>, found: &FoundObject, object: &TrueObject) {
    for (name, values) in object.attributes.iter().chain(&object.local) {
        let entry = attributes.entry(name.clone()).or_default();
        let Some(said) = found.attributes.get(name).filter(|said| !said.is_empty()) else {
            entry.missing += 1;
            continue;
        };
        let is_local = object.local.contains_key(name);
        entry.compared += 1;
        entry.right += u64::from(agree::values_agree(name, said, values, is_local));
    }
}

fn finish_attributes(score: &mut Score) {
    let (mut compared, mut right) = (0, 0);
    for attribute in score.attributes.values_mut() {
        attribute.accuracy = share(attribute.right, attribute.compared);
        compared += attribute.compared;
        right += attribute.right;
    }
    score.accuracy = share(right, compared);
}

fn count_fetches(score: &mut Score, truth: &Truth, fetches: &[Fetch]) {
    let mut reached: BTreeSet<u32> = BTreeSet::new();
    for fetch in fetches {
        score.pages += 1;
        score.bytes += fetch.bytes;
        let page = (fetch.status == 200).then(|| truth.page(&fetch.url)).flatten();
        let Some(page) = page.filter(|page| !page.objects.is_empty()) else {
            continue;
        };
        score.object_pages += 1;
        let before = reached.len();
        reached.extend(&page.objects);
        score.redundant_pages += u64::from(reached.len() == before);
    }
    score.reached = reached.len() as u64;
    score.redundancy = share(score.redundant_pages, score.object_pages);
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
