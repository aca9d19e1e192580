//! The order of entity queries for one site.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use crate::outcome::{ObjectId, Outcome};
use crate::size::{Captures, Estimate};
use crate::yields::{Matches, Yields};

const MAX_CANDIDATES: usize = 200_000;

/// Number of last queries whose mean yield is the marginal yield.
pub(crate) const STOP_WINDOW: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranking {
    /// Most popular first; never updated.
    Popularity,
    /// Most known objects that no earlier query covers; never updated.
    SetCover,
    /// Most expected new objects, updated by each answer.
    Expected,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    pub query: String,
    /// Its type, such as "author".
    pub kind: String,
    /// Its frequency in the query log, or the number of objects with this entity.
    pub popularity: f64,
}

/// An object with its entities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    pub id: ObjectId,
    /// Type and name of each entity, such as ("author", "N. N.").
    pub entities: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct State {
    candidate: Candidate,
    is_asked: bool,
    /// Known objects that match, and those of them that the site has shown.
    known: u32,
    seen: u32,
    /// Known objects that match and that no asked query covers.
    uncovered: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Object {
    candidates: Vec<usize>,
    is_seen: bool,
    is_covered: bool,
}

/// The queries for one site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntityQueries {
    ranking: Ranking,
    page_size: f64,
    states: Vec<State>,
    #[serde(with = "crate::pairs")]
    index: BTreeMap<(String, String), usize>,
    #[serde(with = "crate::pairs")]
    objects: BTreeMap<ObjectId, Object>,
    yields: Yields,
    captures: Captures,
    last_new: VecDeque<u32>,
    requests: u32,
}

impl EntityQueries {
    /// Creates a state without queries. `page_size` is the number of results that a page shows.
    pub fn new(ranking: Ranking, page_size: u32) -> EntityQueries {
        EntityQueries {
            ranking,
            page_size: f64::from(page_size.max(1)),
            states: Vec::new(),
            index: BTreeMap::new(),
            objects: BTreeMap::new(),
            yields: Yields::default(),
            captures: Captures::default(),
            last_new: VecDeque::new(),
            requests: 0,
        }
    }

    /// Adds a query of a log or a knowledge base.
    pub fn add_candidate(&mut self, candidate: Candidate) {
        let key = (candidate.kind.clone(), candidate.query.clone());
        if let Some(place) = self.index.get(&key) {
            self.states[*place].candidate.popularity += candidate.popularity;
        } else if self.states.len() < MAX_CANDIDATES {
            self.index.insert(key, self.states.len());
            self.states.push(State {
                candidate,
                is_asked: false,
                known: 0,
                seen: 0,
                uncovered: 0,
            });
        }
    }

    /// Adds an object of the warehouse. Its entities become candidates.
    pub fn add_known(&mut self, object: &Described) {
        let is_seen = self.objects.get(&object.id).is_some_and(|known| known.is_seen);
        if self
            .objects
            .get(&object.id)
            .is_some_and(|known| !known.candidates.is_empty())
        {
            return;
        }
        let mut candidates = Vec::new();
        for (kind, name) in &object.entities {
            let candidate = Candidate {
                query: name.clone(),
                kind: kind.clone(),
                popularity: 1.0,
            };
            self.add_candidate(candidate);
            if let Some(place) = self.index.get(&(kind.clone(), name.clone()))
                && !candidates.contains(place)
            {
                candidates.push(*place);
                self.states[*place].known += 1;
                self.states[*place].uncovered += 1;
                self.states[*place].seen += u32::from(is_seen);
            }
        }
        let known = Object {
            candidates,
            is_seen,
            is_covered: false,
        };
        self.objects.insert(object.id, known);
    }

    /// Returns the best queries that were not asked, the best first, with their ratings, which the
    /// ranking defines. That by expected objects rates by their number. Each is rated as if it were
    /// asked alone: those asked together may bring the same objects.
    pub fn next_rated(&self, count: usize) -> Vec<(f64, &Candidate)> {
        let value = |state: &State| -> (f64, f64) {
            let popularity = state.candidate.popularity;
            match self.ranking {
                Ranking::Popularity => (popularity, 0.0),
                Ranking::SetCover => (f64::from(state.uncovered), popularity),
                Ranking::Expected => (self.expected(state), popularity),
            }
        };
        let open = self
            .states
            .iter()
            .enumerate()
            .filter(|(_, state)| !state.is_asked);
        let mut rated: Vec<((f64, f64), usize)> = open.map(|(place, state)| (value(state), place)).collect();
        // The index breaks ties, so that equal input gives equal order.
        let order = |one: &((f64, f64), usize), other: &((f64, f64), usize)| {
            let by_value = other.0.0.total_cmp(&one.0.0);
            by_value
                .then(other.0.1.total_cmp(&one.0.1))
                .then(one.1.cmp(&other.1))
        };
        // Only the wanted ones are sorted: there may be a hundred thousand candidates.
        if rated.len() > count && count > 0 {
            rated.select_nth_unstable_by(count - 1, order);
        }
        rated.truncate(count);
        rated.sort_by(order);
        rated
            .into_iter()
            .map(|((value, _), place)| (value, &self.states[place].candidate))
            .collect()
    }

    /// Returns the number of new objects that a query is expected to bring.
    pub fn expected_new(&self, kind: &str, query: &str) -> Option<f64> {
        let place = self.index.get(&(kind.to_owned(), query.to_owned()))?;
        Some(self.expected(&self.states[*place]))
    }

    /// Records the first page of the answer to a query. `described` are the objects of the answer
    /// whose entities are known; the ranking by expected objects makes them candidates.
    pub fn record(&mut self, kind: &str, query: &str, outcome: &Outcome, described: &[Described]) {
        self.requests += 1;
        let asked = self.index.get(&(kind.to_owned(), query.to_owned())).copied();
        // Counted before the objects of the answer are added: the prediction was made from these
        // numbers, and is corrected by the result.
        let before = asked.map(|place| Matches {
            known: self.states[place].known,
            seen: self.states[place].seen,
        });
        if let Some(place) = asked {
            self.states[place].is_asked = true;
            if self.ranking == Ranking::SetCover {
                self.cover(place);
            }
        }
        if self.ranking == Ranking::Expected {
            for object in described {
                self.add_known(object);
            }
        }
        let new = self.see(&outcome.objects);
        if let Some(before) = before {
            // If the page does not state the number of results, a full page has at least one more.
            let at_least = outcome.objects.len() as f64 + f64::from(u8::from(outcome.has_next));
            let results = outcome.total().map_or(at_least, |total| total as f64);
            self.yields
                .record(kind, before, self.page_size, results, f64::from(new));
        }
        self.captures.add(&outcome.objects, None);
        self.last_new.push_back(new);
        if self.last_new.len() > STOP_WINDOW {
            self.last_new.pop_front();
        }
    }

    /// Takes objects that the site has shown otherwise: on pages that links lead to, or as answers
    /// to other queries. `described` are those whose entities are known.
    pub fn observe(&mut self, objects: &[ObjectId], described: &[Described]) {
        for object in described {
            self.add_known(object);
        }
        self.see(objects);
        if !objects.is_empty() {
            self.yields.have_linked();
        }
    }

    /// Returns true if the object was added or shown before.
    pub fn knows(&self, id: ObjectId) -> bool {
        self.objects.contains_key(&id)
    }

    /// Number of distinct objects that the queries have shown.
    pub fn found(&self) -> usize {
        self.captures.distinct()
    }

    /// Number of queries that were recorded.
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// Estimates the number of objects that queries of these types reach.
    pub fn size(&self) -> Estimate {
        self.captures.estimate()
    }

    /// Returns the mean number of new objects of the last queries; `None` before there are enough.
    pub fn marginal_yield(&self) -> Option<f64> {
        let sum: u32 = self.last_new.iter().sum();
        (self.last_new.len() == STOP_WINDOW).then(|| f64::from(sum) / STOP_WINDOW as f64)
    }

    /// Returns true if the site is exhausted: the last queries brought fewer new objects than
    /// `min_yield` on average, or the lower bound of the coverage reaches `coverage`.
    pub fn is_exhausted(&self, min_yield: f64, coverage: f64) -> bool {
        let Some(marginal) = self.marginal_yield() else {
            return false;
        };
        marginal < min_yield || self.size().coverage(self.found()).low >= coverage
    }

    fn expected(&self, state: &State) -> f64 {
        let matches = Matches {
            known: state.known,
            seen: state.seen,
        };
        self.yields
            .new_objects(&state.candidate.kind, matches, self.page_size)
    }

    /// Marks objects as shown by the site, and returns the number of new ones.
    fn see(&mut self, objects: &[ObjectId]) -> u32 {
        let mut new = 0;
        for id in objects {
            let object = self.objects.entry(*id).or_default();
            if !object.is_seen {
                object.is_seen = true;
                new += 1;
                for place in &object.candidates {
                    self.states[*place].seen += 1;
                }
            }
        }
        new
    }

    /// Marks the known objects of a query as covered. If all are covered, a second cover begins.
    fn cover(&mut self, place: usize) {
        let members: BTreeSet<ObjectId> = self
            .objects
            .iter()
            .filter(|(_, object)| !object.is_covered && object.candidates.contains(&place))
            .map(|(id, _)| *id)
            .collect();
        for id in members {
            let Some(object) = self.objects.get_mut(&id) else {
                continue;
            };
            object.is_covered = true;
            for place in &object.candidates {
                self.states[*place].uncovered -= 1;
            }
        }
        if self
            .states
            .iter()
            .all(|state| state.is_asked || state.uncovered == 0)
        {
            for state in &mut self.states {
                state.uncovered = state.known;
            }
            for object in self.objects.values_mut() {
                object.is_covered = false;
            }
        }
    }
}
