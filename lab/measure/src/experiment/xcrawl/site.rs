//! A site as a graph, on which crawls are replayed without fetching anything.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::time::{Duration, Instant};

use magpie_focus::region::{RegionKind, RegionLink, region};
use magpie_focus::strategy::{Link, Strategy, Visit};
use magpie_focus::unseen::Sightings;
use magpie_model::CanonicalUrl;

/// Share of the targets that the smallest set of hubs leads to.
const COVERED: f64 = 0.95;

/// Share of the targets after which the harvest rate is measured.
pub(super) const MOST: f64 = 0.9;

/// The pages of a site, their links, and which of them are targets.
#[derive(Default)]
pub(super) struct SiteGraph {
    pub(super) name: String,
    pub(super) urls: Vec<CanonicalUrl>,
    pub(super) links: Vec<Vec<GraphLink>>,
    pub(super) paths: Vec<String>,
    pub(super) targets: Vec<bool>,
    /// The page that the site begins with.
    pub(super) home: u32,
    positions: HashMap<CanonicalUrl, u32>,
    path_numbers: HashMap<String, u32>,
}

#[derive(Clone, Copy)]
pub(super) struct GraphLink {
    pub(super) to: u32,
    pub(super) path: u32,
}

/// The result of a replayed crawl.
pub(super) struct Replay {
    /// Fetched pages, in their order.
    pub(super) fetched: Vec<u32>,
    /// Targets found after each fetch.
    pub(super) found: Vec<u32>,
    /// The estimated share of targets found when it first reached the goal of a stop rule, and the
    /// number of fetches by then.
    pub(super) stops: Vec<Option<(f64, usize)>>,
    /// The time that the strategy took to choose and to learn.
    pub(super) choosing: Duration,
}

impl SiteGraph {
    pub(super) fn page(&mut self, url: CanonicalUrl) -> u32 {
        if let Some(position) = self.positions.get(&url) {
            return *position;
        }
        let position = self.urls.len() as u32;
        self.positions.insert(url.clone(), position);
        self.urls.push(url);
        self.links.push(Vec::new());
        self.targets.push(false);
        position
    }

    pub(super) fn path(&mut self, path: &str) -> u32 {
        if let Some(number) = self.path_numbers.get(path) {
            return *number;
        }
        let number = self.paths.len() as u32;
        self.path_numbers.insert(path.to_owned(), number);
        self.paths.push(path.to_owned());
        number
    }

    pub(super) fn target_pages(&self) -> Vec<u32> {
        let pages = (0..).zip(&self.targets);
        pages
            .filter(|(_, is_target)| **is_target)
            .map(|(page, _)| page)
            .collect()
    }

    /// Returns the pages that can be reached from some pages.
    pub(super) fn reachable(&self, from: &[u32]) -> HashSet<u32> {
        let mut reached: HashSet<u32> = from.iter().copied().collect();
        let mut open = from.to_vec();
        while let Some(page) = open.pop() {
            for link in &self.links[page as usize] {
                if reached.insert(link.to) {
                    open.push(link.to);
                }
            }
        }
        reached
    }

    /// Returns the smallest set of hubs of the site: pages that together lead to nearly all targets
    /// that links lead to. Targets among them cost nothing and are left out.
    pub(super) fn smallest_hub_set(&self) -> Vec<u32> {
        self.cover(0..self.urls.len() as u32, &|target| self.targets[target as usize])
    }

    /// Returns the smallest set of fetched pages that leads to nearly all targets among them.
    pub(super) fn hubs_among(&self, fetched: &[u32]) -> Vec<u32> {
        let known: HashSet<u32> = fetched.iter().copied().collect();
        let is_target = |page: u32| self.targets[page as usize] && known.contains(&page);
        self.cover(fetched.iter().copied(), &is_target)
    }

    /// Covers nearly all targets that some pages link to with few of them, by greedy choice.
    fn cover(&self, pages: impl Iterator<Item = u32>, is_target: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let targets_of = |page: u32| {
            let links = self.links[page as usize].iter().map(|link| link.to);
            links
                .filter(|target| is_target(*target))
                .collect::<HashSet<u32>>()
        };
        let sets: HashMap<u32, HashSet<u32>> = pages.map(|page| (page, targets_of(page))).collect();
        let all: HashSet<u32> = sets.values().flatten().copied().collect();
        let mut covered: HashSet<u32> = HashSet::new();
        for (page, set) in &sets {
            if self.targets[*page as usize] {
                covered.extend(set);
            }
        }
        let sized = sets.iter().filter(|(page, _)| !self.targets[**page as usize]);
        let mut heap: BinaryHeap<(usize, u32)> = sized.map(|(page, set)| (set.len(), *page)).collect();
        let mut hubs = Vec::new();
        while (covered.len() as f64) < COVERED * all.len() as f64 {
            let Some((_, page)) = heap.pop() else { break };
            let new = sets[&page].difference(&covered).count();
            if heap.peek().is_some_and(|(next, _)| *next > new) {
                heap.push((new, page));
                continue;
            }
            if new == 0 {
                break;
            }
            covered.extend(&sets[&page]);
            hubs.push(page);
        }
        hubs
    }

    /// Returns the share of the links in the regions of hubs that lead to targets, and the share of
    /// their links to targets that are in the regions. Verdicts are known of fetched pages alone.
    pub(super) fn region_quality(
        &self,
        hubs: &[u32],
        fetched: &HashSet<u32>,
        kind: RegionKind,
    ) -> Option<(f64, f64)> {
        let (mut inside, mut right, mut all) = (0.0, 0.0, 0.0);
        for hub in hubs {
            let links = &self.links[*hub as usize];
            let seen: Vec<RegionLink<'_>> = links
                .iter()
                .map(|link| RegionLink {
                    path: &self.paths[link.path as usize],
                    is_accepted: fetched
                        .contains(&link.to)
                        .then_some(self.targets[link.to as usize]),
                })
                .collect();
            let is_target = |place: &usize| self.targets[links[*place].to as usize];
            let found = region(&seen, kind);
            inside += found.len() as f64;
            right += found.iter().filter(|place| is_target(place)).count() as f64;
            all += (0..links.len()).filter(is_target).count() as f64;
        }
        (inside > 0.0 && all > 0.0).then(|| (right / inside, right / all))
    }

    /// Replays a crawl of at most `limit` fetches. The pages it starts with are fetched first.
    /// `estimates` return the estimated share of the targets that was found; the replay notes when
    /// each first reaches `goal`.
    pub(super) fn replay<S: Strategy>(
        &self,
        strategy: &mut S,
        starts: &[u32],
        limit: usize,
        goal: f64,
        estimates: &[fn(&S, &Sightings) -> f64],
    ) -> Replay {
        let mut replay = Replay {
            fetched: Vec::new(),
            found: Vec::new(),
            stops: vec![None; estimates.len()],
            choosing: Duration::ZERO,
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

/// Fetches before a crawl may stop.
const MIN_FETCHES: usize = 50;

impl Replay {
    /// Returns the targets found after some fetches, as a share of all.
    pub(super) fn recall(&self, fetches: usize, targets: usize) -> f64 {
        let at = fetches.min(self.found.len());
        let found = at.checked_sub(1).map_or(0, |last| self.found[last]);
        f64::from(found) / targets.max(1) as f64
    }

    /// Returns the mean recall over fetches up to a number of them.
    pub(super) fn area(&self, fetches: usize, targets: usize) -> f64 {
        let sum: f64 = (1..=fetches).map(|at| self.recall(at, targets)).sum();
        sum / fetches.max(1) as f64
    }

    /// Returns the number of fetches after which most targets were found.
    pub(super) fn fetches_to_most(&self, targets: usize) -> Option<usize> {
        let wanted = (MOST * targets as f64).ceil() as u32;
        let place = self.found.iter().position(|found| *found >= wanted);
        place.map(|place| place + 1)
    }

    /// Returns the targets among the fetched pages, up to the fetch with which most were found.
    pub(super) fn harvest(&self, targets: usize) -> Option<f64> {
        let fetches = self.fetches_to_most(targets).unwrap_or(self.found.len());
        let found = fetches.checked_sub(1).map(|last| self.found[last])?;
        Some(f64::from(found) / fetches as f64)
    }
}

#[cfg(test)]
mod tests {
    use magpie_focus::strategy::BreadthFirst;

    use super::*;

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
        assert_eq!(replay.fetches_to_most(6), Some(10));
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
