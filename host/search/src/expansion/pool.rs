//! The candidate queries.

use std::collections::{BTreeMap, BTreeSet};

use magpie_model::Query;
use serde::{Deserialize, Serialize};

use super::gain::{Facets, words};

/// Maximum number of objects. A phase asks some hundreds of queries, and each choice scans all.
pub(crate) const MAX_SUBJECTS: usize = 5000;
/// Maximum number of queries per object.
const MAX_QUERIES: usize = 8;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Its queries, the most specific first.
    pub queries: Vec<Query>,
    /// The sites that it was found on.
    pub sites: Vec<String>,
}

/// Queries that were not asked yet, by object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Pool {
    entries: Vec<Entry>,
    asked: BTreeSet<String>,
    /// The words of all queries that were asked.
    worn: BTreeSet<u64>,
}

/// An object whose queries were not all asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    queries: Vec<Candidate>,
    source: String,
    sites: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Query", into = "Query")]
struct Candidate {
    query: Query,
    words: Vec<u64>,
}

/// A query that is being asked, and the other queries of its object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Chosen {
    pub(super) query: Query,
    pub(super) facets: Facets,
    rest: Entry,
}

impl From<Query> for Candidate {
    fn from(query: Query) -> Self {
        let words = words(&query.text);
        Self { query, words }
    }
}

impl From<Candidate> for Query {
    fn from(candidate: Candidate) -> Self {
        candidate.query
    }
}

impl Pool {
    /// Adds objects. Sites take turns, so that neither the limit nor the order among equals prefers
    /// a site.
    pub(super) fn add(&mut self, subjects: impl IntoIterator<Item = Subject>) {
        let mut turns: BTreeMap<String, usize> = BTreeMap::new();
        let mut added: Vec<(usize, Entry)> = Vec::new();
        for subject in subjects {
            let entry = Entry::from(subject);
            if entry.queries.is_empty() {
                continue;
            }
            let turn = turns.entry(entry.source.clone()).or_default();
            added.push((*turn, entry));
            *turn += 1;
        }
        added.sort_by_key(|(turn, _)| *turn);
        let room = MAX_SUBJECTS.saturating_sub(self.entries.len());
        self.entries
            .extend(added.into_iter().map(|(_, entry)| entry).take(room));
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    /// Takes the first query of the first object.
    pub(super) fn first(&mut self) -> Option<Chosen> {
        self.drop_asked();
        (!self.entries.is_empty()).then(|| self.take(0, 0))
    }

    /// Takes the query that promises most; the first of equals.
    pub(super) fn best(&mut self, promise: impl Fn(&Facets) -> f64) -> Option<Chosen> {
        self.drop_asked();
        let mut best: Option<(f64, usize, usize)> = None;
        for (place, entry) in self.entries.iter().enumerate() {
            for (which, candidate) in entry.queries.iter().enumerate() {
                let promised = promise(&self.facets(entry, candidate));
                if best.is_none_or(|(most, ..)| promised > most) {
                    best = Some((promised, place, which));
                }
            }
        }
        best.map(|(_, place, which)| self.take(place, which))
    }

    /// Puts the other queries of an object back, to be asked as well.
    pub(super) fn put_back(&mut self, chosen: Chosen) {
        if !chosen.rest.queries.is_empty() {
            // In front, so that the first phase asks the next query of this object at once. In the
            // second phase the place matters only among equals.
            self.entries.insert(0, chosen.rest);
        }
    }

    fn take(&mut self, place: usize, which: usize) -> Chosen {
        let mut rest = self.entries.remove(place);
        let candidate = rest.queries.remove(which);
        // Before its words count as used, or it would wear itself.
        let facets = self.facets(&rest, &candidate);
        self.asked.insert(candidate.query.text.clone());
        self.worn.extend(&candidate.words);
        Chosen {
            query: candidate.query,
            facets,
            rest,
        }
    }

    fn facets(&self, entry: &Entry, candidate: &Candidate) -> Facets {
        let worn = candidate
            .words
            .iter()
            .filter(|word| self.worn.contains(word))
            .count();
        Facets::new(
            &candidate.query.purpose,
            &entry.source,
            entry.sites,
            worn,
            candidate.words.len(),
        )
    }

    /// Drops objects with an asked query: ten performances of one play are ten objects and one
    /// query.
    fn drop_asked(&mut self) {
        let asked = &self.asked;
        let was_asked = |candidate: &Candidate| asked.contains(&candidate.query.text);
        self.entries.retain(|entry| !entry.queries.iter().any(was_asked));
    }
}

impl From<Subject> for Entry {
    fn from(subject: Subject) -> Self {
        let queries = subject.queries.into_iter().take(MAX_QUERIES);
        let queries = queries.filter(|query| !query.text.trim().is_empty());
        Self {
            queries: queries.map(Candidate::from).collect(),
            sites: subject.sites.len() as u32,
            source: subject.sites.into_iter().next().unwrap_or_default(),
        }
    }
}
