//! Crawls that are replayed on the graph of a site without fetching anything.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use magpie_focus::strategy::{Link, Strategy, Visit};
use magpie_focus::unseen::Sightings;

use super::graph::SiteGraph;

/// Share of the targets after which the harvest rate is measured.
pub(crate) const MOST: f64 = 0.9;

/// Fetches before a crawl may stop.
const MIN_FETCHES: usize = 50;

#[derive(Default)]
pub(crate) struct Replay {
    /// Fetched pages, in their order.
    pub(crate) fetched: Vec<u32>,
    /// Targets found after each fetch.
    pub(crate) found: Vec<u32>,
    /// The estimated share of targets found when it first reached the goal of a stop rule, and the
    /// number of fetches by then.
    pub(crate) stops: Vec<Option<(f64, usize)>>,
    /// The time that the strategy took to choose and to learn.
    pub(crate) choosing: Duration,
}

impl SiteGraph {
    /// Replays a crawl of at most `limit` fetches. The pages it starts with are fetched first.
    /// `estimates` return the estimated share of the targets that was found; the replay notes when
    /// each first reaches `goal`.
    pub(crate) fn replay<S: Strategy>(
        &self,
        strategy: &mut S,
        starts: &[u32],
        limit: usize,
        goal: f64,
        estimates: &[fn(&S, &Sightings) -> f64],
    ) -> Replay {
        let mut replay = Replay {
            stops: vec![None; estimates.len()],
            ..Replay::default()
        };
        let (mut count, mut sightings) = (0, Sightings::default());
        let mut seen: HashMap<u32, u64> = HashMap::new();
        let mut fetched: HashSet<u32> = HashSet::new();
        let mut starts = starts.iter().copied().peekable();
        let url = |page: u32| &self.urls[page as usize];
        while replay.fetched.len() < limit {
            let is_start = starts.peek().is_some();
            let began = Instant::now();
            let next = starts.next().or_else(|| strategy.next().map(|page| page as u32));
            replay.choosing += began.elapsed();
            let Some(page) = next else { break };
            if !fetched.insert(page) {
                continue;
            }
            if is_start {
                let first = Link {
                    target: page.into(),
                    url: url(page),
                    path: "",
                    text: "",
                };
                strategy.offer(&first);
            }
            let is_accepted = self.targets[page as usize];
            let links: Vec<Link<'_>> = self.links[page as usize]
                .iter()
                .map(|link| Link {
                    target: link.to.into(),
                    url: url(link.to),
                    path: &self.paths[link.path as usize],
                    text: "",
                })
                .collect();
            let began = Instant::now();
            strategy.visited(&Visit {
                page: page.into(),
                is_accepted,
                new_objects: is_accepted.into(),
                links: &links,
                known: &[],
            });
            replay.choosing += began.elapsed();
            for link in &self.links[page as usize] {
                let before = seen.entry(link.to).or_default();
                // The judgement on a page is known once it was fetched; sightings of one before are
                // counted then.
                if fetched.contains(&link.to) && self.targets[link.to as usize] {
                    sightings.count(*before);
                }
                *before += 1;
            }
            if is_accepted {
                (0..seen.get(&page).copied().unwrap_or(0)).for_each(|before| sightings.count(before));
            }
            count += u32::from(is_accepted);
            replay.fetched.push(page);
            replay.found.push(count);
            for (stop, estimate) in replay.stops.iter_mut().zip(estimates) {
                if stop.is_none() && replay.fetched.len() >= MIN_FETCHES {
                    let share = estimate(strategy, &sightings);
                    *stop = (share >= goal).then_some((share, replay.fetched.len()));
                }
            }
        }
        replay
    }
}

impl Replay {
    /// Counts the targets in an order of fetches. `None` is a fetch of what is no page.
    pub(crate) fn of(order: &[Option<u32>], is_target: impl Fn(u32) -> bool) -> Replay {
        let mut replay = Replay::default();
        let mut fetched = HashSet::new();
        for page in order {
            let is_new = page.is_some_and(|page| is_target(page) && fetched.insert(page));
            let before = replay.found.last().copied().unwrap_or(0);
            replay.found.push(before + u32::from(is_new));
            replay.fetched.extend(page);
        }
        replay
    }

    /// Returns the targets found after some fetches, as a share of all.
    pub(crate) fn recall(&self, fetches: usize, targets: usize) -> f64 {
        let at = fetches.min(self.found.len());
        let found = at.checked_sub(1).map_or(0, |last| self.found[last]);
        f64::from(found) / targets.max(1) as f64
    }

    /// Returns the mean recall over fetches up to a number of them.
    pub(crate) fn area(&self, fetches: usize, targets: usize) -> f64 {
        let sum: f64 = (1..=fetches).map(|at| self.recall(at, targets)).sum();
        sum / fetches.max(1) as f64
    }

    /// Returns the number of fetches after which a share of the targets was found.
    pub(crate) fn fetches_to(&self, share: f64, targets: usize) -> Option<usize> {
        let wanted = (share * targets as f64).ceil().max(1.0) as u32;
        let place = self.found.iter().position(|found| *found >= wanted);
        place.map(|place| place + 1)
    }

    /// Returns the targets among the fetched pages, up to the fetch with which most were found.
    pub(crate) fn harvest(&self, targets: usize) -> Option<f64> {
        let fetches = self.fetches_to(MOST, targets).unwrap_or(self.found.len());
        let found = fetches.checked_sub(1).map(|last| self.found[last])?;
        Some(f64::from(found) / fetches as f64)
    }
}

#[cfg(test)]
mod tests {
    use magpie_focus::region::RegionKind;
    use magpie_model::CanonicalUrl;

    use super::super::graph::GraphLink;
    use super::*;
    use crate::baselines::BreadthFirst;

    /// A home page with two lists of three targets each, and a page about nothing.
    fn graph() -> SiteGraph {
        let mut graph = SiteGraph::default();
        let path = graph.path("html/body/a");
        let page = |graph: &mut SiteGraph, name: &str| {
            graph.page(CanonicalUrl::trusted(format!("http://a.example/{name}")).expect("a URL"))
        };
        let home = page(&mut graph, "");
        for list in ["list/1", "about", "list/2"] {
            let to = page(&mut graph, list);
            graph.links[home as usize].push(GraphLink { to, path });
            for target in 0..3 {
                if list != "about" {
                    let target = page(&mut graph, &format!("{list}/{target}"));
                    graph.targets[target as usize] = true;
                    graph.links[to as usize].push(GraphLink { to: target, path });
                }
            }
        }
        graph
    }

    #[test]
    fn a_replay_counts_targets_by_fetches() {
        let graph = graph();
        assert_eq!(graph.smallest_hub_set().len(), 2);
        let mut breadth = BreadthFirst::default();
        let replay = graph.replay(&mut breadth, &[0], usize::MAX, 1.0, &[]);
        // Home, two lists and a page about nothing, then the six targets.
        assert_eq!(replay.found, [0, 0, 0, 0, 1, 2, 3, 4, 5, 6]);
        assert!((replay.recall(6, 6) - 2.0 / 6.0).abs() < 1e-9);
        assert!((replay.area(6, 6) - (1.0 + 2.0) / 6.0 / 6.0).abs() < 1e-9);
        assert_eq!(replay.fetches_to(MOST, 6), Some(10));
        assert!((replay.harvest(6).expect("a rate") - 0.6).abs() < 1e-9);
        // All targets are known after ten fetches, of the first list alone after seven.
        assert_eq!(graph.hubs_among(&replay.fetched).len(), 2);
        assert_eq!(graph.hubs_among(&replay.fetched[..7]).len(), 1);
        let fetched: HashSet<u32> = replay.fetched.iter().copied().collect();
        let hubs = graph.smallest_hub_set();
        let quality = graph.region_quality(&hubs, &fetched, RegionKind::RepeatedPath);
        assert_eq!(quality, Some((1.0, 1.0)));
    }
}
