//! A classifier of links that is trained on the way.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap, HashSet};

use xxhash_rust::xxh3::Xxh3;

use super::{Link, Strategy, Visit};
use crate::{PageId, tokens};

/// Weights of the model, by the hashes of features.
const WEIGHTS: usize = 1 << 16;

/// Elements above a link whose names count, the nearest first.
const MAX_DISTANCE: usize = 5;

/// Features of one link.
const MAX_FEATURES: usize = 64;

/// Step of the training.
const RATE: f64 = 0.1;

/// Times that the best page is weighed again before it is taken. Weights have changed since it was
/// queued.
const MAX_LOOKS: usize = 16;

/// Fetches the link that looks most like links to accepted pages: a logistic model of tokens and
/// their distance in the tree, trained with every fetch. It stands for the apprentice that xCRAWL
/// was compared with.
#[derive(Clone, Debug)]
pub struct LinkClassifier {
    weights: Vec<f64>,
    features: HashMap<PageId, Vec<u16>>,
    queue: BinaryHeap<Queued>,
    visited: HashSet<PageId>,
    taken: HashSet<PageId>,
    offers: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Queued {
    score: f64,
    number: u64,
    page: PageId,
}

impl Eq for Queued {}

impl Ord for Queued {
    fn cmp(&self, other: &Queued) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then_with(|| other.number.cmp(&self.number))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Queued) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Default for LinkClassifier {
    fn default() -> LinkClassifier {
        LinkClassifier {
            weights: vec![0.0; WEIGHTS],
            features: HashMap::new(),
            queue: BinaryHeap::new(),
            visited: HashSet::new(),
            taken: HashSet::new(),
            offers: 0,
        }
    }
}

impl LinkClassifier {
    fn score(&self, features: &[u16]) -> f64 {
        let sum: f64 = features
            .iter()
            .map(|feature| self.weights[usize::from(*feature)])
            .sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

impl Strategy for LinkClassifier {
    fn offer(&mut self, page: &Link<'_>) {
        if self.features.contains_key(&page.target) {
            return;
        }
        let features = features(page);
        self.offers += 1;
        self.queue.push(Queued {
            score: self.score(&features),
            number: self.offers,
            page: page.target,
        });
        self.features.insert(page.target, features);
    }

    fn next(&mut self) -> Option<PageId> {
        let mut looks = 0;
        loop {
            let best = self.queue.pop()?;
            if self.visited.contains(&best.page) || self.taken.contains(&best.page) {
                continue;
            }
            let score = self.score(&self.features[&best.page]);
            looks += 1;
            // The weight of the next page is old as well. A bounded number of looks finds a good
            // page without weighing the whole queue.
            let is_beaten = self.queue.peek().is_some_and(|next| next.score > score);
            if is_beaten && looks < MAX_LOOKS {
                self.queue.push(Queued { score, ..best });
                continue;
            }
            self.taken.insert(best.page);
            return Some(best.page);
        }
    }

    fn visited(&mut self, visit: &Visit<'_>) {
        if !self.visited.insert(visit.page) {
            return;
        }
        if let Some(features) = self.features.get(&visit.page) {
            let error = f64::from(u8::from(visit.is_accepted)) - self.score(features);
            for feature in features {
                self.weights[usize::from(*feature)] += RATE * error;
            }
        }
        visit.links.iter().for_each(|link| self.offer(link));
    }
}

/// Returns the features of a link: its words and those of its URL, and the elements above it with
/// their distance.
fn features(link: &Link<'_>) -> Vec<u16> {
    let mut features = Vec::new();
    let mut add = |kind: u8, distance: usize, text: &str| {
        let mut hash = Xxh3::new();
        hash.update(&[kind, distance as u8]);
        hash.update(text.as_bytes());
        features.push(hash.digest() as u16);
    };
    // The constant of the model: a feature that every link has.
    add(0, 0, "");
    for (distance, element) in link.path.rsplit('/').take(MAX_DISTANCE + 1).enumerate() {
        add(1, distance, element);
    }
    tokens::words(link.text)
        .take(MAX_FEATURES / 2)
        .for_each(|word| add(2, 0, &word));
    tokens::words(link.url.path()).for_each(|word| add(3, 0, &word));
    tokens::words(link.url.query().unwrap_or_default()).for_each(|word| add(4, 0, &word));
    features.truncate(MAX_FEATURES);
    features
}
