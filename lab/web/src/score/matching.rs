//! One-to-one matching of found and true objects.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use magpie_values::text::tokens;

use super::FoundObject;
use super::agree::similarity;
use crate::truth::Truth;

/// Maximum number of true objects that are compared with a found one without sources.
const MAX_CANDIDATES: usize = 200;

/// A matching. Partners are indexes of true objects.
pub(super) struct Pairs {
    pub(super) partners: Vec<Option<usize>>,
    /// True for each found object that is similar to some true object.
    pub(super) has_similar: Vec<bool>,
    /// Found objects without a partner although they are similar to some true object.
    pub(super) split: u64,
}

/// Matches found objects with true ones: highest similarity first, then as many pairs as possible.
pub(super) fn one_to_one(truth: &Truth, found: &[FoundObject]) -> Pairs {
    let names = index_by_word(truth);
    let edges: Vec<Vec<(f64, usize)>> = found.iter().map(|one| edges(truth, &names, one)).collect();
    let mut partners = greedy(&edges);
    let mut holders: BTreeMap<usize, usize> = BTreeMap::new();
    for (one, partner) in partners.iter().enumerate() {
        if let Some(partner) = partner {
            holders.insert(*partner, one);
        }
    }
    for one in 0..edges.len() {
        if partners[one].is_none() {
            augment(one, &edges, &mut partners, &mut holders);
        }
    }
    let split = edges
        .iter()
        .zip(&partners)
        .filter(|(edges, partner)| partner.is_none() && !edges.is_empty())
        .count();
    Pairs {
        has_similar: edges.iter().map(|edges| !edges.is_empty()).collect(),
        partners,
        split: split as u64,
    }
}

/// Returns the true objects that a found one may equal, most similar first.
fn edges(truth: &Truth, names: &BTreeMap<String, Vec<usize>>, found: &FoundObject) -> Vec<(f64, usize)> {
    let index = |id: &u32| truth.objects.binary_search_by_key(id, |object| object.id).ok();
    let pages = found.sources.iter().filter_map(|url| truth.source(url));
    let on_pages = pages.flat_map(|page| page.objects.iter().chain(&page.mentions));
    let mut candidates: BTreeSet<usize> = on_pages.filter_map(index).collect();
    if candidates.is_empty() {
        candidates = candidates_by_name(names, found);
    }
    let alike = |index: usize| {
        Some((
            similarity(&found.attributes, &truth.objects[index].attributes)?,
            index,
        ))
    };
    let mut edges: Vec<(f64, usize)> = candidates.into_iter().filter_map(alike).collect();
    edges.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    edges
}

/// Indexes the true objects by the words of their names.
fn index_by_word(truth: &Truth) -> BTreeMap<String, Vec<usize>> {
    let mut words: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, object) in truth.objects.iter().enumerate() {
        let titles = ["title", "name"]
            .into_iter()
            .filter_map(|name| object.attributes.get(name))
            .flatten();
        for word in titles.flat_map(|title| tokens(title)).collect::<BTreeSet<_>>() {
            words.entry(word).or_default().push(index);
        }
    }
    words
}

/// Returns the objects that share the rarest known word of a found object's name.
fn candidates_by_name(names: &BTreeMap<String, Vec<usize>>, found: &FoundObject) -> BTreeSet<usize> {
    let titles = ["title", "name"]
        .into_iter()
        .filter_map(|name| found.attributes.get(name))
        .flatten();
    let lists = titles
        .flat_map(|title| tokens(title))
        .filter_map(|word| names.get(&word));
    let rarest = lists.min_by_key(|list| list.len());
    rarest
        .into_iter()
        .flatten()
        .take(MAX_CANDIDATES)
        .copied()
        .collect()
}

fn greedy(edges: &[Vec<(f64, usize)>]) -> Vec<Option<usize>> {
    let all = edges
        .iter()
        .enumerate()
        .flat_map(|(one, edges)| edges.iter().map(move |(like, index)| (*like, one, *index)));
    let mut all: Vec<(f64, usize, usize)> = all.collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut partners = vec![None; edges.len()];
    let mut taken = BTreeSet::new();
    for (_, one, index) in all {
        if partners[one].is_none() && taken.insert(index) {
            partners[one] = Some(index);
        }
    }
    partners
}

/// Finds a partner for `start` along a shortest augmenting path, on which others change their
/// partners.
fn augment(
    start: usize,
    edges: &[Vec<(f64, usize)>],
    partners: &mut [Option<usize>],
    holders: &mut BTreeMap<usize, usize>,
) {
    let mut reached_from: BTreeMap<usize, usize> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(one) = queue.pop_front() {
        for (_, index) in &edges[one] {
            if reached_from.contains_key(index) {
                continue;
            }
            reached_from.insert(*index, one);
            match holders.get(index) {
                Some(holder) => queue.push_back(*holder),
                None => return apply_path(*index, start, &reached_from, partners, holders),
            }
        }
    }
}

/// Applies an augmenting path: assigns the free true object to its end, and passes each old partner
/// to the found object before.
fn apply_path(
    free: usize,
    start: usize,
    reached_from: &BTreeMap<usize, usize>,
    partners: &mut [Option<usize>],
    holders: &mut BTreeMap<usize, usize>,
) {
    let mut index = free;
    while let Some(&one) = reached_from.get(&index) {
        let old = partners[one].replace(index);
        holders.insert(index, one);
        match old {
            Some(old) if one != start => index = old,
            _ => return,
        }
    }
}
