//! Scores: the results of a crawl compared with the truth, and their cost.

mod agree;
mod matching;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::truth::{TrueObject, TruePage, Truth};
use matching::one_to_one;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Distinct objects, one for each cluster of records.
    pub objects: Vec<FoundObject>,
    /// All fetches, in order.
    #[serde(default)]
    pub fetches: Vec<Fetch>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FoundObject {
    /// Values in normal form, by attribute.
    pub attributes: BTreeMap<String, Vec<String>>,
    /// URLs of the pages that the object was found on.
    #[serde(default)]
    pub sources: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fetch {
    pub url: String,
    pub status: u16,
    pub bytes: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Objects that are on some page that works.
    pub objects: u64,
    /// Found objects, each counted as often as it has sources, at least once.
    pub findings: u64,
    /// Distinct objects found, without those of [`Self::bygone`].
    pub distinct: u64,
    /// Found objects matched one-to-one with true objects.
    pub correct: u64,
    /// Found objects that equal a true object which another found object is matched with.
    pub split: u64,
    /// Found objects that do not exist in the world: guessed dates, parts of calendars, samples of
    /// themes.
    pub phantoms: u64,
    /// Phantoms by the decoys of their pages. One that was found on pages with two kinds counts for
    /// both. `none` counts phantoms on pages without decoys.
    pub phantoms_by_decoy: BTreeMap<String, u64>,
    /// Found objects that are correctly dated past events of old articles. They are neither correct
    /// nor phantoms.
    pub bygone: u64,
    /// Share of distinct objects that are correct.
    pub precision: f64,
    /// Share of all objects that were found.
    pub recall: f64,
    /// Scores of the values of correct objects, by attribute.
    pub attributes: BTreeMap<String, AttributeScore>,
    /// Share of right values among those that were compared or invented.
    pub accuracy: f64,
    /// Number of fetches, including failed and repeated ones.
    pub pages: u64,
    pub bytes: u64,
    /// Fetches that returned a page of the web with objects.
    pub object_pages: u64,
    /// Objects of the world that are on some fetched page, an upper bound for any extractor.
    pub reached: u64,
    /// Object pages without any object that an earlier fetch had not shown.
    pub redundant_pages: u64,
    /// Share of redundant pages among the object pages.
    pub redundancy: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AttributeScore {
    /// Correct objects for which both the truth and the crawl have a value.
    pub compared: u64,
    /// Compared values that agree.
    pub right: u64,
    /// Correct objects for which only the truth has a value.
    pub missing: u64,
    /// Correct objects for which only the crawl has a value, although the truth has values of the
    /// attribute for other objects.
    pub invented: u64,
    /// Share of right values among compared and invented ones.
    pub accuracy: f64,
}

/// Scores the results of a crawl.
///
/// The candidates for a found object are the true objects on its source pages. Without sources,
/// they are those that share a word of its name. The matching is one-to-one: pairs of highest
/// similarity first, then augmented to the maximum number of pairs.
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
        .zip(&pairs.has_similar)
        .filter(|(_, alike)| !**alike)
    {
        count_unmatched(&mut score, truth, one);
    }
    score.distinct = score.correct + score.split + score.phantoms;
    score.precision = share(score.correct, score.distinct);
    score.recall = share(score.correct, score.objects);
    for (one, partner) in found.objects.iter().zip(&pairs.partners) {
        if let Some(object) = partner.map(|index| &truth.objects[index]) {
            compare(&mut score.attributes, one, object);
        }
    }
    // Attributes that the truth has for no object are not scored.
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

/// Returns the true objects that were found, by the rules of [`score`].
pub fn recognised(truth: &Truth, found: &[FoundObject]) -> BTreeSet<u32> {
    let partners = one_to_one(truth, found).partners.into_iter().flatten();
    partners.map(|index| truth.objects[index].id).collect()
}

fn is_within_reach(truth: &Truth, object: &TrueObject) -> bool {
    object.pages.iter().any(|page| {
        truth
            .pages
            .get(*page as usize)
            .is_some_and(|page| !page.is_broken)
    })
}

/// Counts a found object that matches no true object.
fn count_unmatched(score: &mut Score, truth: &Truth, found: &FoundObject) {
    let pages: Vec<&TruePage> = found.sources.iter().filter_map(|url| truth.source(url)).collect();
    if pages
        .iter()
        .flat_map(|page| &page.bygone)
        .any(|one| agree::is_past_event(&found.attributes, one))
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
