//! How well a crawl did: what it found against the truth, and what that cost.

mod agree;
mod matching;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::truth::{TrueObject, TruePage, Truth};
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
    /// Distinct objects found, without those of [`Self::bygone`].
    pub distinct: u64,
    /// Distinct objects that are one of the world, each of those counted once.
    pub correct: u64,
    /// Found objects that are one of the world which another found object already is.
    pub split: u64,
    /// Found objects that are none of the world: dates that were guessed, parts of calendars,
    /// samples of themes.
    pub phantoms: u64,
    /// Phantoms by the decoys of their pages: one that was found on pages with two kinds counts for
    /// both. `none` stands for pages without decoys.
    pub phantoms_by_decoy: BTreeMap<String, u64>,
    /// Found objects that are rightly dated occasions of old articles: neither correct nor
    /// phantoms.
    pub bygone: u64,
    /// Correct of distinct.
    pub precision: f64,
    /// Correct of all objects.
    pub recall: f64,
    /// The values of correct objects, by attribute.
    pub attributes: BTreeMap<String, AttributeScore>,
    /// Right values of all that were compared or invented.
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
    /// Correct objects for which only the crawl has one, of attributes that the truth knows of
    /// others.
    pub invented: u64,
    /// Right of compared and invented.
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
        correct: pairs.partners.iter().flatten().count() as u64,
        split: pairs.split,
        ..Score::default()
    };
    for (one, _) in found
        .objects
        .iter()
        .zip(&pairs.is_alike)
        .filter(|(_, alike)| !**alike)
    {
        count_unknown(&mut score, truth, one);
    }
    score.distinct = score.correct + score.split + score.phantoms;
    score.precision = share(score.correct, score.distinct);
    score.recall = share(score.correct, score.objects);
    for (one, partner) in found.objects.iter().zip(&pairs.partners) {
        if let Some(object) = partner.map(|place| &truth.objects[place]) {
            compare(&mut score.attributes, one, object);
        }
    }
    // What the truth has of no object is none of its attributes.
    let known: BTreeSet<&String> = truth
        .objects
        .iter()
        .flat_map(|object| object.attributes.keys().chain(object.local.keys()))
        .collect();
    score.attributes.retain(|name, _| known.contains(name));
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

/// Counts a found object that is like none of the world.
fn count_unknown(score: &mut Score, truth: &Truth, found: &FoundObject) {
    let pages: Vec<&TruePage> = found.sources.iter().filter_map(|url| truth.source(url)).collect();
    if pages
        .iter()
        .flat_map(|page| &page.bygone)
        .any(|one| agree::is_bygone(&found.attributes, one))
    {
        score.bygone += 1;
        return;
    }
    score.phantoms += 1;
    let mut kinds: BTreeSet<&str> = pages
        .iter()
        .flat_map(|page| &page.decoys)
        .map(|decoy| decoy.name())
        .collect();
    if kinds.is_empty() {
        kinds.insert("none");
    }
    for kind in kinds {
        *score.phantoms_by_decoy.entry(kind.to_owned()).or_default() += 1;
    }
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
    for (name, said) in &found.attributes {
        let is_known = object.attributes.contains_key(name) || object.local.contains_key(name);
        if !is_known && !said.is_empty() {
            attributes.entry(name.clone()).or_default().invented += 1;
        }
    }
}

fn finish_attributes(score: &mut Score) {
    let (mut compared, mut right) = (0, 0);
    for attribute in score.attributes.values_mut() {
        let said = attribute.compared + attribute.invented;
        attribute.accuracy = share(attribute.right, said);
        compared += said;
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
