//! Candidates for selection.

use std::collections::HashMap;

use super::covered::Weight;
use crate::bits::BitSet;

/// Maximum id of objects and shared pages, which are stored in 32 bits.
const MAX_ID: u32 = u32::MAX / 2;

/// Patterns of sites with their objects and costs.
///
/// The cost of a pattern consists of its own pages, of shared pages (hubs on the way to it, object
/// pages that other patterns match, too), and of the overhead of its site. Each shared page and
/// each overhead is paid once.
#[derive(Clone, Debug)]
pub struct Candidates {
    pub(super) objects: usize,
    pub(super) site_of: Vec<u32>,
    pub(super) overhead: Vec<f64>,
    pub(super) own: Vec<f64>,
    pub(super) object_lists: Lists,
    /// Probability of each pair of pattern and object; empty if all are certain.
    pub(super) likely: Vec<f32>,
    /// Number of original objects that each object represents; empty if all are one or uncertain.
    pub(super) weights: Vec<f32>,
    /// Object pages that several patterns match.
    pub(super) page_lists: Lists,
    /// Hubs, with ids separate from those of pages.
    pub(super) hub_lists: Lists,
    pub(super) shared_pages: usize,
    pub(super) hub_costs: Vec<f64>,
    /// Patterns of each site.
    pub(super) site_lists: Lists,
}

/// Lists of ids in contiguous storage.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

/// A pattern to be added to the candidates.
#[derive(Clone, Copy, Debug, Default)]
pub struct PatternSpec<'a> {
    /// Id of its site, from [`CandidatesBuilder::site`].
    pub site: u32,
    /// Number of pages that it alone matches, with or without objects.
    pub own_pages: f64,
    /// Ids of pages that other patterns match, too.
    pub shared_pages: &'a [u32],
    /// Ids of hubs that must be fetched to find its pages, from [`CandidatesBuilder::hub`].
    pub hubs: &'a [u32],
    /// Ids of its objects.
    pub objects: &'a [u32],
    /// Match probability of each object; empty if all are certain. Expected new objects can be
    /// added with ids of their own.
    pub likely: &'a [f32],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CandidatesError {
    /// A site that was never added.
    #[error("pattern {pattern} refers to site {site}, but there are {sites} sites")]
    UnknownSite { pattern: usize, site: u32, sites: usize },
    /// A hub that was never added.
    #[error("pattern {pattern} refers to hub {hub}, but there are {hubs} hubs")]
    UnknownHub { pattern: usize, hub: u32, hubs: usize },
    /// An invalid value, such as a negative cost.
    #[error("pattern {pattern}: {what}")]
    InvalidValue { pattern: usize, what: &'static str },
}

#[derive(Clone, Debug)]
pub struct CandidatesBuilder {
    built: Candidates,
}

impl Lists {
    pub(super) fn new() -> Lists {
        Lists {
            starts: vec![0],
            items: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, items: impl IntoIterator<Item = u32>) {
        self.items.extend(items);
        self.starts.push(self.items.len() as u32);
    }

    pub(super) fn get(&self, index: usize) -> &[u32] {
        &self.items[self.range(index)]
    }

    pub(super) fn range(&self, index: usize) -> std::ops::Range<usize> {
        self.starts[index] as usize..self.starts[index + 1] as usize
    }

    pub(super) fn item(&self, index: usize) -> u32 {
        self.items[index]
    }

    pub(super) fn items(&self) -> &[u32] {
        &self.items
    }

    pub(super) fn total(&self) -> usize {
        self.items.len()
    }

    /// Returns for each item the lists that contain it, by counting sort.
    pub(super) fn inverted(&self, items: usize) -> Lists {
        let mut starts = vec![0_u32; items + 1];
        for item in &self.items {
            starts[*item as usize + 1] += 1;
        }
        for index in 0..items {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut inverted = vec![0_u32; self.items.len()];
        for list in 0..self.starts.len() - 1 {
            for item in self.get(list) {
                let position = &mut next[*item as usize];
                inverted[*position as usize] = list as u32;
                *position += 1;
            }
        }
        Lists {
            starts,
            items: inverted,
        }
    }
}

impl Candidates {
    /// Creates a builder. Object ids are below `objects`.
    pub fn builder(objects: u32) -> CandidatesBuilder {
        CandidatesBuilder {
            built: Candidates {
                objects: objects.min(MAX_ID) as usize,
                ..Candidates::empty()
            },
        }
    }

    pub(super) fn empty() -> Candidates {
        Candidates {
            objects: 0,
            site_of: Vec::new(),
            overhead: Vec::new(),
            own: Vec::new(),
            object_lists: Lists::new(),
            likely: Vec::new(),
            weights: Vec::new(),
            page_lists: Lists::new(),
            hub_lists: Lists::new(),
            shared_pages: 0,
            hub_costs: Vec::new(),
            site_lists: Lists::new(),
        }
    }

    pub fn patterns(&self) -> usize {
        self.own.len()
    }

    /// Number of pairs of pattern and object.
    pub fn pairs(&self) -> usize {
        self.object_lists.total()
    }

    pub(super) fn sites(&self) -> usize {
        self.overhead.len()
    }

    /// Returns the probability of a pair, by its index in the object lists.
    pub(super) fn likely(&self, pair: usize) -> Weight {
        self.likely.get(pair).map_or(1.0, |likely| f64::from(*likely))
    }

    /// Returns the maximum rounding error of a sum over uncertain objects. Each pair is rounded
    /// when it is added and when the missing rest is stored.
    pub(super) fn rounding(&self) -> Weight {
        2.0 * f64::from(f32::EPSILON) * self.pairs() as f64
    }

    /// Returns the number of original objects that an object represents.
    pub(super) fn weight(&self, object: usize) -> f32 {
        self.weights.get(object).copied().unwrap_or(1.0)
    }

    /// Returns the part of an object that one of its patterns covers: its weight, or its
    /// probability.
    pub(super) fn part_of(&self, pattern: u32, object: u32) -> f32 {
        if self.likely.is_empty() {
            return self.weight(object as usize);
        }
        let pattern = pattern as usize;
        let index = self.object_lists.get(pattern).binary_search(&object).unwrap_or(0);
        self.likely(self.object_lists.range(pattern).start + index) as f32
    }

    /// Returns true if every cost is an integer, so that every selection has an integer cost.
    pub(super) fn costs_are_whole(&self) -> bool {
        let mut costs = self.own.iter().chain(&self.hub_costs).chain(&self.overhead);
        costs.all(|cost| cost.fract() == 0.0)
    }

    /// Returns the weight of all objects that any pattern has.
    pub(super) fn coverable(&self) -> f64 {
        let mut brought = BitSet::new(self.objects);
        for object in self.object_lists.items() {
            brought.add(*object);
        }
        if self.weights.is_empty() {
            return brought.count() as f64;
        }
        let objects = (0..self.objects as u32).filter(|object| brought.has(*object));
        objects
            .map(|object| f64::from(self.weight(object as usize)))
            .sum()
    }

    /// Merges hubs that the same patterns need, since they are paid together.
    fn merge_hubs(&mut self) {
        let of_hub = self.hub_lists.inverted(self.hub_costs.len());
        let mut numbers: HashMap<&[u32], u32> = HashMap::new();
        let mut costs: Vec<f64> = Vec::new();
        let mut joined = Vec::with_capacity(self.hub_costs.len());
        for (hub, cost) in self.hub_costs.iter().enumerate() {
            // A site has thousands of lists, but few distinct sets of patterns behind them.
            let number = *numbers.entry(of_hub.get(hub)).or_insert(costs.len() as u32);
            if number as usize == costs.len() {
                costs.push(0.0);
            }
            costs[number as usize] += cost;
            joined.push(number);
        }
        let mut lists = Lists::new();
        for pattern in 0..self.patterns() {
            let hubs = self.hub_lists.get(pattern).iter();
            let hubs: Vec<u32> = hubs.map(|hub| joined[*hub as usize]).collect();
            lists.push(sorted(&hubs));
        }
        self.hub_lists = lists;
        self.hub_costs = costs;
    }

    /// Lists the patterns of each site.
    pub(super) fn list_sites(&mut self) {
        let mut of_pattern = Lists::new();
        for site in &self.site_of {
            of_pattern.push([*site]);
        }
        self.site_lists = of_pattern.inverted(self.overhead.len());
    }

    /// Returns the total cost of patterns: own pages, shared pages, hubs, and overheads; shared
    /// costs count once.
    pub fn cost(&self, patterns: &[usize]) -> f64 {
        let mut hubs = BitSet::new(self.hub_costs.len());
        let mut sites = BitSet::new(self.sites());
        let mut cost = self.page_cost(patterns);
        for pattern in patterns {
            for hub in self.hub_lists.get(*pattern) {
                if hubs.add(*hub) {
                    cost += self.hub_costs[*hub as usize];
                }
            }
            let site = self.site_of[*pattern];
            if sites.add(site) {
                cost += self.overhead[site as usize];
            }
        }
        cost
    }

    /// Returns the number of pages that the patterns match, as in the published methods.
    pub(crate) fn page_cost(&self, patterns: &[usize]) -> f64 {
        let mut pages = BitSet::new(self.shared_pages);
        let mut cost = 0.0;
        for pattern in patterns {
            cost += self.own[*pattern];
            for page in self.page_lists.get(*pattern) {
                cost += f64::from(u8::from(pages.add(*page)));
            }
        }
        cost
    }
}

impl CandidatesBuilder {
    /// Adds a site with the cost of visiting it at all: robots, sitemaps, the entry page. Returns
    /// its id.
    pub fn site(&mut self, overhead: f64) -> u32 {
        self.built.overhead.push(overhead.max(0.0));
        self.built.overhead.len() as u32 - 1
    }

    /// Adds a hub with its cost: 1 if it is fetched once in each round. Returns its id.
    pub fn hub(&mut self, cost: f64) -> u32 {
        self.built.hub_costs.push(cost.max(0.0));
        self.built.hub_costs.len() as u32 - 1
    }

    /// Adds a pattern and returns its index.
    pub fn pattern(&mut self, spec: PatternSpec<'_>) -> Result<usize, CandidatesError> {
        let pattern = self.built.own.len();
        self.check(pattern, &spec)?;
        let built = &mut self.built;
        built.site_of.push(spec.site);
        built.own.push(spec.own_pages);
        if !spec.likely.is_empty() && built.likely.is_empty() {
            built.likely = vec![1.0; built.object_lists.total()];
        }
        let mut pairs: Vec<(u32, f32)> = spec
            .objects
            .iter()
            .enumerate()
            .map(|(index, object)| (*object, spec.likely.get(index).copied().unwrap_or(1.0)))
            .collect();
        // A repeated object gets its highest probability.
        pairs.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
        pairs.dedup_by_key(|pair| pair.0);
        built.object_lists.push(pairs.iter().map(|pair| pair.0));
        if !built.likely.is_empty() || !spec.likely.is_empty() {
            built.likely.extend(pairs.iter().map(|pair| pair.1));
        }
        let pages = sorted(spec.shared_pages);
        let max = pages.last().map_or(0, |page| *page as usize + 1);
        built.shared_pages = built.shared_pages.max(max);
        built.page_lists.push(pages);
        built.hub_lists.push(sorted(spec.hubs));
        Ok(pattern)
    }

    pub fn build(mut self) -> Candidates {
        self.built.merge_hubs();
        self.built.list_sites();
        self.built
    }

    fn check(&self, pattern: usize, spec: &PatternSpec<'_>) -> Result<(), CandidatesError> {
        let (sites, hubs) = (self.built.overhead.len(), self.built.hub_costs.len());
        if spec.site as usize >= sites {
            let site = spec.site;
            return Err(CandidatesError::UnknownSite { pattern, site, sites });
        }
        if let Some(hub) = spec.hubs.iter().find(|hub| **hub as usize >= hubs) {
            let hub = *hub;
            return Err(CandidatesError::UnknownHub { pattern, hub, hubs });
        }
        let bad = |what| Err(CandidatesError::InvalidValue { pattern, what });
        if !spec.own_pages.is_finite() || spec.own_pages < 0.0 {
            return bad("its number of own pages is not a count");
        }
        if spec
            .objects
            .iter()
            .any(|object| *object as usize >= self.built.objects)
        {
            return bad("it refers to an object beyond the number of objects");
        }
        if !spec.likely.is_empty() && spec.likely.len() != spec.objects.len() {
            return bad("not every object has a probability");
        }
        if spec.likely.iter().any(|likely| !(0.0..=1.0).contains(likely)) {
            return bad("a probability is outside 0 to 1");
        }
        if spec.shared_pages.iter().any(|page| *page > MAX_ID) {
            return bad("the index of a shared page is too large");
        }
        Ok(())
    }
}

fn sorted(numbers: &[u32]) -> Vec<u32> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}
