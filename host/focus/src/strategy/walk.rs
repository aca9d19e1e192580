//! The walk of xCRAWL: along links by the weights of their targets, with restarts at accepted
//! pages.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{Link, Strategy, Visit};
use crate::rank::{OutDegree, PageRank, Weights, hubs, start};
use crate::region::{RegionKind, RegionLink, region};
use crate::{PageId, WebGraph};

/// Steps over pages that were fetched before, until the walk takes the page that was found first.
const MAX_STEPS: usize = 100;

/// Links of one page that the walk remembers with their paths.
const MAX_LINKS: usize = 2_000;

/// The choice among the links of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A random one, with a probability in proportion to its weight.
    Proportional,
    /// The one with the largest weight; among equals the first that was not fetched.
    Largest,
}

#[derive(Clone, Copy, Debug)]
pub struct WalkSettings {
    /// Probability that a step is the last of its round. The next round begins at a random accepted
    /// page.
    pub restart: f64,
    /// Rounds without a new hub after which what hubs list is fetched.
    pub iterations: u32,
    pub rank: PageRank,
    /// The out-degree that link weights are divided by.
    pub divisor: OutDegree,
    /// The choice among the links of a page.
    pub choice: Choice,
    /// Hub weight from which a page is a hub, as a share of the largest. Published is "above 0",
    /// which makes every page with a link to an accepted page a hub.
    pub min_hub: f64,
    /// The part of a hub that is fetched.
    pub region: RegionKind,
    /// Growth of the graph, as a share, after which its pages are weighed again.
    pub growth: f64,
    /// Seed of the random choices.
    pub seed: u64,
}

impl Default for WalkSettings {
    fn default() -> WalkSettings {
        WalkSettings {
            restart: 0.15,
            iterations: 50,
            rank: PageRank::default(),
            divisor: OutDegree::Target,
            choice: Choice::Proportional,
            min_hub: 0.05,
            region: RegionKind::CommonAncestor,
            growth: 0.05,
            seed: 0,
        }
    }
}

/// The guided walk as published, except that its rounds continue after all hubs were fetched, so
/// that it can be compared at any number of fetches.
#[derive(Clone, Debug)]
pub struct Walk {
    settings: WalkSettings,
    graph: WebGraph,
    random: fastrand::Rng,
    weights: Weights,
    /// Weights of the hubs found so far.
    known_hubs: Vec<f64>,
    /// Hubs by the position of their page, in the order they were found.
    hub_list: Vec<usize>,
    /// Links of visited pages with their paths, by the position of the page.
    links: HashMap<usize, Vec<(u32, u32)>>,
    paths: Vec<String>,
    path_numbers: HashMap<String, u32>,
    taken: HashSet<usize>,
    found_first: VecDeque<usize>,
    starts: Vec<usize>,
    at: Option<usize>,
    /// Pages of hubs that are to be fetched.
    download: VecDeque<usize>,
    idle_rounds: u32,
    has_ended: bool,
    /// The size of the graph when its pages were weighed, and when hubs were last fetched.
    weighed: usize,
    downloaded: usize,
}

impl Walk {
    /// A walk that has not begun.
    pub fn new(settings: WalkSettings) -> Walk {
        Walk {
            random: fastrand::Rng::with_seed(settings.seed),
            settings,
            graph: WebGraph::default(),
            weights: Weights::default(),
            known_hubs: Vec::new(),
            hub_list: Vec::new(),
            links: HashMap::new(),
            paths: Vec::new(),
            path_numbers: HashMap::new(),
            taken: HashSet::new(),
            found_first: VecDeque::new(),
            starts: Vec::new(),
            at: None,
            download: VecDeque::new(),
            idle_rounds: 0,
            has_ended: false,
            weighed: 0,
            downloaded: 0,
        }
    }

    /// Returns the hubs with their weights, in the order they were found.
    pub fn hubs(&self) -> impl Iterator<Item = (PageId, f64)> + '_ {
        let hubs = self.hub_list.iter();
        hubs.map(|hub| (self.graph.page(*hub), self.known_hubs[*hub]))
    }

    /// Weighs the pages by all that was visited. The walk does so by itself where its graph has
    /// grown enough.
    pub fn refresh(&mut self) {
        self.weighed = 0;
        self.weigh();
    }

    /// Returns the weights of a page as a hub and by PageRank, if it is known.
    pub fn weights(&self, page: PageId) -> Option<(f64, f64)> {
        let position = self.graph.position(page)?;
        let weight = |weights: &[f64]| weights.get(position).copied().unwrap_or(0.0);
        Some((weight(&self.weights.hubs), weight(&self.weights.ranks)))
    }

    /// Returns `true` if the last rounds found no new hub, and nothing of the hubs is left to
    /// fetch: the published end of the walk.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Returns the share of the known links to accepted pages that were followed, of those in the
    /// regions of hubs.
    pub fn coverage(&self) -> f64 {
        let regions = self.hub_list.iter().flat_map(|hub| self.region_of(*hub));
        let (mut all, mut visited) = (0.0, 0.0);
        for page in regions {
            all += 1.0;
            visited += f64::from(u8::from(self.graph.is_visited(page)));
        }
        if all > 0.0 { visited / all } else { 0.0 }
    }

    fn is_open(&self, position: usize) -> bool {
        !self.graph.is_visited(position) && !self.taken.contains(&position)
    }

    fn take(&mut self, position: usize) -> PageId {
        self.taken.insert(position);
        self.graph.page(position)
    }

    /// Weighs the pages again if the graph has grown enough. Returns the number of new hubs, or
    /// `None` if the weights stay.
    fn weigh(&mut self) -> Option<usize> {
        let size = self.graph.len() + self.graph.links();
        // Weighing visits every page and link, so it waits until the graph has grown by a share of
        // its size.
        if self.weighed > 0 && (size as f64) < self.weighed as f64 * (1.0 + self.settings.growth) {
            return None;
        }
        self.weighed = size;
        self.known_hubs.resize(self.graph.len(), 0.0);
        let hubs = hubs(&self.graph, &self.known_hubs, self.settings.rank.iterations);
        let leads = |position: usize| {
            self.graph
                .out(position)
                .any(|target| self.graph.is_accepted(target))
        };
        let new: Vec<usize> = (0..self.graph.len())
            // Hubs keep the weight with which they were found, so that `hub_list` only grows.
            .filter(|position| self.known_hubs[*position] == 0.0)
            .filter(|position| hubs[*position] >= self.settings.min_hub && leads(*position))
            .collect();
        for hub in &new {
            self.known_hubs[*hub] = hubs[*hub];
        }
        self.hub_list.extend(&new);
        let start = start(&self.graph, &hubs);
        self.weights = Weights {
            ranks: self.settings.rank.weigh(&self.graph, start),
            hubs,
        };
        Some(new.len())
    }

    /// Ends a round: finds hubs, and queues what they list after enough rounds without a new one.
    fn end_round(&mut self) {
        self.at = None;
        match self.weigh() {
            // Where nothing was weighed, nothing could be found.
            Some(0) | None => self.idle_rounds += 1,
            Some(_) => self.idle_rounds = 0,
        }
        if self.idle_rounds < self.settings.iterations {
            return;
        }
        self.idle_rounds = 0;
        // Hubs and what is known of their links change with the weights.
        if std::mem::replace(&mut self.downloaded, self.weighed) == self.weighed {
            self.has_ended = true;
            return;
        }
        let mut download = VecDeque::new();
        for hub in self.hub_list.clone() {
            download.extend(self.region_of(hub).into_iter().filter(|page| self.is_open(*page)));
        }
        self.has_ended = download.is_empty();
        self.download = download;
    }

    /// Returns the pages that the region of a hub links to.
    fn region_of(&self, hub: usize) -> Vec<usize> {
        let Some(links) = self.links.get(&hub) else {
            return Vec::new();
        };
        let of_region: Vec<RegionLink<'_>> = links
            .iter()
            .map(|(target, path)| {
                let target = *target as usize;
                let verdict = self.graph.is_accepted(target);
                RegionLink {
                    path: &self.paths[*path as usize],
                    is_accepted: self.graph.is_visited(target).then_some(verdict),
                }
            })
            .collect();
        let places = region(&of_region, self.settings.region);
        places.into_iter().map(|place| links[place].0 as usize).collect()
    }

    /// Chooses a link of a page.
    fn choose(&mut self, from: usize) -> Option<usize> {
        let targets: Vec<usize> = self.graph.out(from).collect();
        let divisor = self.settings.divisor;
        // A weight of 0 would exclude a link for ever, and all of them would leave no choice.
        let weigh = |to: &usize| {
            self.weights
                .of_link(&self.graph, from, *to, divisor)
                .max(f64::MIN_POSITIVE)
        };
        let weights: Vec<f64> = targets.iter().map(weigh).collect();
        let place = match self.settings.choice {
            Choice::Proportional => self.weighted(&weights),
            Choice::Largest => {
                let rank = |place: usize| (weights[place], self.is_open(targets[place]));
                (0..targets.len()).reduce(|best, place| {
                    let (one, other) = (rank(best), rank(place));
                    match other.0 > one.0 || (other.0 == one.0 && other.1 && !one.1) {
                        true => place,
                        false => best,
                    }
                })
            }
        };
        place.map(|place| targets[place])
    }

    /// Returns a position with a probability in proportion to its weight. All weights are positive.
    fn weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let mut left = self.random.f64() * weights.iter().sum::<f64>();
        let chosen = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        // The sum may be rounded up, so that a little is left after the last weight.
        chosen.or(weights.len().checked_sub(1))
    }

    /// Returns the page that a round begins at: a random accepted one, or one of those that the
    /// crawl began with.
    fn begin(&mut self) -> Option<usize> {
        let accepted = self.graph.accepted();
        let count = accepted.len();
        if count > 0 {
            let place = self.random.usize(..count);
            return self.graph.accepted().nth(place);
        }
        self.random.choice(&self.starts).copied()
    }

    fn path(&mut self, path: &str) -> u32 {
        if let Some(number) = self.path_numbers.get(path) {
            return *number;
        }
        let number = self.paths.len() as u32;
        self.paths.push(path.to_owned());
        self.path_numbers.insert(path.to_owned(), number);
        number
    }
}

impl Strategy for Walk {
    fn offer(&mut self, page: &Link<'_>) {
        let known = self.graph.len();
        let position = self.graph.add(page.target);
        if position == known {
            self.found_first.push_back(position);
            self.starts.push(position);
        }
    }

    fn next(&mut self) -> Option<PageId> {
        // A walk among pages that were all fetched could run for ever.
        for _ in 0..MAX_STEPS {
            while let Some(page) = self.download.pop_front() {
                if self.is_open(page) {
                    return Some(self.take(page));
                }
            }
            let at = match self.at {
                Some(at) => at,
                None => {
                    let Some(begin) = self.begin() else { break };
                    self.at = Some(begin);
                    if self.is_open(begin) {
                        return Some(self.take(begin));
                    }
                    begin
                }
            };
            if self.random.f64() < self.settings.restart {
                self.end_round();
                continue;
            }
            let Some(target) = self.choose(at) else {
                self.end_round();
                continue;
            };
            self.at = Some(target);
            if self.is_open(target) {
                return Some(self.take(target));
            }
        }
        while let Some(page) = self.found_first.pop_front() {
            if self.is_open(page) {
                self.at = Some(page);
                return Some(self.take(page));
            }
        }
        None
    }

    fn visited(&mut self, visit: &Visit<'_>) {
        let known = self.graph.len();
        let new = visit.links.iter().map(|link| (link.target, link.path));
        // Known links belong to the graph as well: hubs are weighed by all of their links.
        let all = || {
            new.clone()
                .chain(visit.known.iter().map(|link| (link.target, link.path)))
        };
        let position = self.graph.add(visit.page);
        if self.graph.is_visited(position) {
            return;
        }
        let targets = all().map(|(target, _)| target);
        self.graph.visit(visit.page, visit.is_accepted, targets);
        self.found_first.extend(known..self.graph.len());
        let mut links = Vec::new();
        for (target, path) in all().take(MAX_LINKS) {
            if let Some(target) = self.graph.position(target) {
                links.push((target as u32, self.path(path)));
            }
        }
        self.links.insert(position, links);
        if self.weighed == 0 {
            self.weigh();
        }
    }
}
