//! What there is to choose from.

use std::collections::HashMap;

use super::bits::Bits;
use super::covered::Weight;

/// Most objects one may number, and most shared pages; numbers are kept in 32 bits.
const MOST_NUMBERED: u32 = u32::MAX / 2;

/// Patterns of sites with the objects they bring and what they cost.
///
/// A pattern costs pages of its own, pages it shares (hubs on the way to it, object pages that other patterns
/// match too) each of which is paid once for all, and the overhead of its site, paid once too.
#[derive(Clone, Debug)]
pub struct Candidates {
    pub(super) objects: usize,
    pub(super) site_of: Vec<u32>,
    pub(super) overhead: Vec<f64>,
    pub(super) own: Vec<f64>,
    pub(super) object_lists: Lists,
    /// How likely an object is one that the pattern brings; empty when all are certain.
    pub(super) likely: Vec<f32>,
    /// How many objects each one stands for; empty when each is itself, and where they are not certain.
    pub(super) weights: Vec<f32>,
    /// Object pages that several patterns match.
    pub(super) page_lists: Lists,
    /// Hubs, numbered apart from pages.
    pub(super) hub_lists: Lists,
    pub(super) shared_pages: usize,
    pub(super) hub_costs: Vec<f64>,
    /// Patterns of each site, one after another.
    pub(super) site_lists: Lists,
}

/// Lists of numbers, one after another.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

/// A pattern to choose or to leave.
#[derive(Clone, Copy, Debug, Default)]
pub struct PatternSpec<'a> {
    /// The number of its site, as [`CandidatesBuilder::site`] gave it.
    pub site: u32,
    /// Pages that it alone matches, with objects or without.
    pub own_pages: f64,
    /// Pages that other patterns match too.
    pub shared_pages: &'a [u32],
    /// Hubs that must be fetched to find its pages, as [`CandidatesBuilder::hub`] numbered them.
    pub hubs: &'a [u32],
    /// The objects it brings.
    pub objects: &'a [u32],
    /// How likely each of them is what it is taken for; empty when all are certain. Expected new objects can be
    /// handed in as objects of their own.
    pub likely: &'a [f32],
}

/// Why candidates are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CandidatesError {
    /// A site that was never added.
    #[error("pattern {pattern} is of site {site}, and there are {sites} sites")]
    UnknownSite {
        /// The pattern's number.
        pattern: usize,
        /// The site it names.
        site: u32,
        /// How many there are.
        sites: usize,
    },
    /// A hub that was never added.
    #[error("pattern {pattern} is reached by hub {hub}, and there are {hubs} hubs")]
    UnknownHub {
        /// The pattern's number.
        pattern: usize,
        /// The hub it names.
        hub: u32,
        /// How many there are.
        hubs: usize,
    },
    /// A number that is none, or a cost below nothing.
    #[error("pattern {pattern}: {what}")]
    BadNumber {
        /// The pattern's number.
        pattern: usize,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// Collects candidates.
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

    pub(super) fn get(&self, place: usize) -> &[u32] {
        &self.items[self.range(place)]
    }

    pub(super) fn range(&self, place: usize) -> std::ops::Range<usize> {
        self.starts[place] as usize..self.starts[place + 1] as usize
    }

    pub(super) fn item(&self, place: usize) -> u32 {
        self.items[place]
    }

    pub(super) fn items(&self) -> &[u32] {
        &self.items
    }

    pub(super) fn total(&self) -> usize {
        self.items.len()
    }

    /// For every item the lists that have it, by counting.
    pub(super) fn inverted(&self, items: usize) -> Lists {
        let mut starts = vec![0_u32; items + 1];
        for item in &self.items {
            starts[*item as usize + 1] += 1;
        }
        for place in 0..items {
            starts[place + 1] += starts[place];
        }
        let mut next = starts.clone();
        let mut inverted = vec![0_u32; self.items.len()];
        for list in 0..self.starts.len() - 1 {
            for item in self.get(list) {
                let place = &mut next[*item as usize];
                inverted[*place as usize] = list as u32;
                *place += 1;
            }
        }
        Lists {
            starts,
            items: inverted,
        }
    }
}

impl Candidates {
    /// Starts to collect; objects are numbered from 0 to this.
    pub fn builder(objects: u32) -> CandidatesBuilder {
        CandidatesBuilder {
            built: Candidates {
                objects: objects.min(MOST_NUMBERED) as usize,
                ..Candidates::empty()
            },
        }
    }

    /// Nothing to choose from.
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

    /// How many patterns there are.
    pub fn patterns(&self) -> usize {
        self.own.len()
    }

    /// How many objects there are, brought by a pattern or not.
    pub fn objects(&self) -> usize {
        self.objects
    }

    /// How many pairs of pattern and object there are.
    pub fn pairs(&self) -> usize {
        self.object_lists.total()
    }

    pub(super) fn sites(&self) -> usize {
        self.overhead.len()
    }

    /// How likely the pair at this place of the object lists is.
    pub(super) fn likely(&self, pair: usize) -> Weight {
        self.likely.get(pair).map_or(1.0, |likely| f64::from(*likely))
    }

    /// What may be lost of all that uncertain objects add up to: each pair is rounded where it is added, and where what is
    /// still missing is noted.
    pub(super) fn rounding(&self) -> Weight {
        2.0 * f64::from(f32::EPSILON) * self.pairs() as f64
    }

    /// How many objects this one stands for.
    pub(super) fn weight(&self, object: usize) -> f32 {
        self.weights.get(object).copied().unwrap_or(1.0)
    }

    /// How much of an object this pattern brings, which does bring it: what it stands for, as likely as it is.
    pub(super) fn part_of(&self, pattern: u32, object: u32) -> f32 {
        if self.likely.is_empty() {
            return self.weight(object as usize);
        }
        let pattern = pattern as usize;
        let place = self.object_lists.get(pattern).binary_search(&object).unwrap_or(0);
        self.likely(self.object_lists.range(pattern).start + place) as f32
    }

    /// Whether every cost is a whole number, so that no selection costs a part of a page.
    pub(super) fn costs_are_whole(&self) -> bool {
        let mut costs = self.own.iter().chain(&self.hub_costs).chain(&self.overhead);
        costs.all(|cost| cost.fract() == 0.0)
    }

    /// How many objects any pattern brings.
    pub(super) fn coverable(&self) -> f64 {
        let mut brought = Bits::new(self.objects);
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

    /// Makes one hub of all that the same patterns need: they are paid together or not at all. A
    /// site has thousands of lists, and few sets of patterns behind them.
    fn join_hubs(&mut self) {
        let of_hub = self.hub_lists.inverted(self.hub_costs.len());
        let mut numbers: HashMap<&[u32], u32> = HashMap::new();
        let mut costs: Vec<f64> = Vec::new();
        let mut joined = Vec::with_capacity(self.hub_costs.len());
        for (hub, cost) in self.hub_costs.iter().enumerate() {
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

    /// The pages of a set of patterns: own, shared, hubs and overheads, what is shared once.
    pub fn cost(&self, patterns: &[usize]) -> f64 {
        let mut hubs = Bits::new(self.hub_costs.len());
        let mut sites = Bits::new(self.sites());
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

    /// The matched pages of a set of patterns alone, as published methods count.
    pub fn page_cost(&self, patterns: &[usize]) -> f64 {
        let mut pages = Bits::new(self.shared_pages);
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
    /// Adds a site with what it costs to go there at all: robots, sitemaps, the entry page. Gives its number.
    pub fn site(&mut self, overhead: f64) -> u32 {
        self.built.overhead.push(overhead.max(0.0));
        self.built.overhead.len() as u32 - 1
    }

    /// Adds a hub with its cost, 1 when it is fetched once in each round. Gives its number.
    pub fn hub(&mut self, cost: f64) -> u32 {
        self.built.hub_costs.push(cost.max(0.0));
        self.built.hub_costs.len() as u32 - 1
    }

    /// Adds a pattern and gives its number.
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
            .map(|(place, object)| (*object, spec.likely.get(place).copied().unwrap_or(1.0)))
            .collect();
        // Of one object said twice, the likelier.
        pairs.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
        pairs.dedup_by_key(|pair| pair.0);
        built.object_lists.push(pairs.iter().map(|pair| pair.0));
        if !built.likely.is_empty() || !spec.likely.is_empty() {
            built.likely.extend(pairs.iter().map(|pair| pair.1));
        }
        let pages = sorted(spec.shared_pages);
        let most = pages.last().map_or(0, |page| *page as usize + 1);
        built.shared_pages = built.shared_pages.max(most);
        built.page_lists.push(pages);
        built.hub_lists.push(sorted(spec.hubs));
        Ok(pattern)
    }

    /// All that was added.
    pub fn build(mut self) -> Candidates {
        self.built.join_hubs();
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
        let bad = |what| Err(CandidatesError::BadNumber { pattern, what });
        if !spec.own_pages.is_finite() || spec.own_pages < 0.0 {
            return bad("its own pages are no count");
        }
        if spec
            .objects
            .iter()
            .any(|object| *object as usize >= self.built.objects)
        {
            return bad("it brings an object beyond those that there are");
        }
        if !spec.likely.is_empty() && spec.likely.len() != spec.objects.len() {
            return bad("not every object has a probability");
        }
        if spec.likely.iter().any(|likely| !(0.0..=1.0).contains(likely)) {
            return bad("a probability is outside 0 to 1");
        }
        if spec.shared_pages.iter().any(|page| *page > MOST_NUMBERED) {
            return bad("the number of a shared page is too large");
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
