//! Weights of the pages of a graph: PageRank with a seeded start, and hubs of accepted pages by
//! HITS.

use crate::WebGraph;

/// Difference of the largest weight below which a weighting is stable.
const TOLERANCE: f64 = 1e-6;

/// The random jumps of PageRank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Teleport {
    /// Each page gets `(1 - damping) / n`.
    Uniform,
    /// Each page gets `1 - damping`, as in the original publication.
    Unscaled,
    /// Accepted pages share `1 - damping`. The start of the weights is lost when they converge with
    /// the other two; here it is not.
    Accepted,
}

#[derive(Clone, Copy, Debug)]
pub struct PageRank {
    /// Share of a page's weight that its links pass on.
    pub damping: f64,
    pub teleport: Teleport,
    /// Maximum number of iterations.
    pub iterations: usize,
}

impl Default for PageRank {
    fn default() -> PageRank {
        PageRank {
            damping: 0.85,
            teleport: Teleport::Uniform,
            iterations: 30,
        }
    }
}

/// Returns the weights that PageRank starts from: 1 for accepted pages, for hubs the mean of `1/n`
/// and their weight, `1/n` for the others.
pub fn start(graph: &WebGraph, hubs: &[f64]) -> Vec<f64> {
    let even = 1.0 / graph.len().max(1) as f64;
    let weight = |position: usize| match hubs.get(position) {
        _ if graph.is_accepted(position) => 1.0,
        Some(hub) if *hub > 0.0 => f64::midpoint(even, *hub),
        _ => even,
    };
    (0..graph.len()).map(weight).collect()
}

impl PageRank {
    /// Returns the weight of each page, beginning with `start`.
    pub fn weigh(&self, graph: &WebGraph, start: Vec<f64>) -> Vec<f64> {
        let count = graph.len();
        let jump = 1.0 - self.damping;
        let accepted = graph.accepted().len();
        let base = |position: usize| match self.teleport {
            Teleport::Unscaled => jump,
            Teleport::Accepted if accepted > 0 => match graph.is_accepted(position) {
                true => jump / accepted as f64,
                false => 0.0,
            },
            Teleport::Uniform | Teleport::Accepted => jump / count as f64,
        };
        let mut weights = start;
        // The graph may have grown since the weights were computed.
        weights.resize(count, 1.0 / count.max(1) as f64);
        for _ in 0..self.iterations {
            let mut next: Vec<f64> = (0..count).map(base).collect();
            for (source, weight) in weights.iter().enumerate() {
                let out = graph.out(source);
                // A page without links passes nothing on, and its weight is lost. Pages that were
                // not visited are such pages.
                let passed = self.damping * weight / out.len().max(1) as f64;
                out.for_each(|target| next[target] += passed);
            }
            let is_stable = largest_difference(&weights, &next) < TOLERANCE;
            weights = next;
            if is_stable {
                break;
            }
        }
        weights
    }
}

/// Returns the weights of pages as hubs of accepted pages, from 0 to 1. `known` has the weights of
/// earlier runs, which stay.
///
/// After each operator the weights are divided by the largest; then accepted pages are authorities
/// and no hubs, and known hubs no authorities. What remains is the bipartite core of hubs and
/// accepted pages.
pub fn hubs(graph: &WebGraph, known: &[f64], iterations: usize) -> Vec<f64> {
    let count = graph.len();
    let even = 1.0 / count.max(1) as f64;
    let known_hub = |position: usize| known.get(position).copied().filter(|hub| *hub > 0.0);
    let clamp_authorities = |weights: &mut [f64]| {
        for (position, weight) in weights.iter_mut().enumerate() {
            if graph.is_accepted(position) {
                *weight = 1.0;
            } else if known_hub(position).is_some() {
                *weight = 0.0;
            }
        }
    };
    let clamp_hubs = |weights: &mut [f64]| {
        for (position, weight) in weights.iter_mut().enumerate() {
            if graph.is_accepted(position) {
                *weight = 0.0;
            } else if let Some(hub) = known_hub(position) {
                *weight = hub;
            }
        }
    };
    let mut hubs = vec![even; count];
    clamp_hubs(&mut hubs);
    for _ in 0..iterations {
        let mut authorities = vec![0.0; count];
        for (source, hub) in hubs.iter().enumerate().filter(|(_, hub)| **hub > 0.0) {
            graph.out(source).for_each(|target| authorities[target] += hub);
        }
        normalise(&mut authorities);
        clamp_authorities(&mut authorities);
        let mut next: Vec<f64> = (0..count)
            .map(|source| graph.out(source).map(|target| authorities[target]).sum())
            .collect();
        normalise(&mut next);
        clamp_hubs(&mut next);
        let is_stable = largest_difference(&hubs, &next) < TOLERANCE;
        hubs = next;
        if is_stable {
            break;
        }
    }
    hubs
}

/// The out-degree that the weight of a link is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutDegree {
    /// That of the page that the link leads to, as published. Pages that were not visited count as
    /// having one link.
    Target,
    /// That of the page with the link, as PageRank has it.
    Source,
}

/// Weights of pages, from which those of links follow.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    /// Weight as a hub, from 0 to 1.
    pub hubs: Vec<f64>,
    pub ranks: Vec<f64>,
}

impl Weights {
    /// Returns the weight of a page: the mean of those that are not zero among its weights as an
    /// accepted page (1), as a hub, and PageRank.
    pub fn of(&self, graph: &WebGraph, position: usize) -> f64 {
        let weight = |weights: &[f64]| weights.get(position).copied().unwrap_or(0.0);
        let accepted = f64::from(u8::from(graph.is_accepted(position)));
        node_weight([accepted, weight(&self.hubs), weight(&self.ranks)])
    }

    /// Returns the weight of a link.
    pub fn of_link(&self, graph: &WebGraph, from: usize, to: usize, divisor: OutDegree) -> f64 {
        let degree = match divisor {
            OutDegree::Target => graph.out(to).len(),
            OutDegree::Source => graph.out(from).len(),
        };
        self.of(graph, to) / degree.max(1) as f64
    }
}

/// Returns the mean of the weights that are not zero.
pub fn node_weight(weights: [f64; 3]) -> f64 {
    let some = weights.into_iter().filter(|weight| *weight != 0.0);
    let (sum, count) = some.fold((0.0, 0.0), |(sum, count), weight| (sum + weight, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

fn normalise(weights: &mut [f64]) {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= largest);
    }
}

fn largest_difference(one: &[f64], other: &[f64]) -> f64 {
    let pairs = one.iter().zip(other);
    pairs.fold(0.0, |largest, (one, other)| (one - other).abs().max(largest))
}
