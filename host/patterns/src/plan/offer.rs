//! The patterns of all sites side by side, with what they bring and what they cost.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::induced::SitePatterns;
use super::survey::Survey;
use crate::navigate::{self, Lists, PageValues, is_list};
use crate::pattern::{PatternSet, UrlPattern};
use crate::select::{Candidates, CandidatesError, PatternSpec};

/// What a round of recrawling pays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// For going to a site at all, in pages: its robots file and its entry page.
    pub site: f64,
    /// For each hub page.
    pub hub: f64,
    /// For each page about one object: 1 where it is fetched in every round, a quarter where it is in every fourth. Lists are
    /// fetched in every round, as hubs are.
    pub page: f64,
}

impl Costs {
    /// What the published methods pay: matched pages and nothing else.
    pub const PUBLISHED: Costs = Costs {
        site: 0.0,
        hub: 0.0,
        page: 1.0,
    };
}

impl Default for Costs {
    /// Hubs are read in every round, known pages in every fourth.
    fn default() -> Costs {
        Costs {
            site: 2.0,
            hub: 1.0,
            page: 0.25,
        }
    }
}

/// All patterns to choose from.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What a strategy chooses from.
    pub candidates: Candidates,
    /// The patterns, by their numbers among the candidates.
    pub patterns: Vec<Offered>,
}

/// One pattern with its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// The place of its site among the surveys.
    pub site: usize,
    /// The pattern.
    pub pattern: UrlPattern,
    /// Pages that it matches.
    pub pages: usize,
    /// Those of them that have objects.
    pub yielding: usize,
    /// Hub pages that lead to its pages.
    pub hubs: usize,
    /// The objects on its pages.
    pub objects: Vec<u32>,
    /// How probable it is that each of them is what it is taken for, by the surest of its pages.
    pub likely: Vec<f32>,
}

/// How far records are what they are taken for.
pub struct Matches<'a> {
    /// How probable it is that what stands on a page, by its site and its number there, is the object of this number.
    pub likely: &'a dyn Fn(usize, usize, u32) -> f32,
    /// Whether an object counts for so much when patterns are chosen.
    pub count: bool,
}

impl Matches<'_> {
    /// What is taken for one is one.
    pub const CERTAIN: Matches<'static> = Matches {
        likely: &|_, _, _| 1.0,
        count: false,
    };
}

/// The quantile of the normal distribution for intervals that hold 95 times of 100.
const QUANTILE_95: f64 = 1.959_963_985;

impl Offer {
    /// Puts the patterns of these sites together. Objects are numbered up to `objects`.
    pub fn of(
        sites: &[(Survey, SitePatterns)],
        objects: u32,
        costs: Costs,
        matches: &Matches<'_>,
    ) -> Result<Offer, CandidatesError> {
        let mut builder = Candidates::builder(objects);
        let mut patterns = Vec::new();
        let mut shared = 0;
        for (place, (survey, found)) in sites.iter().enumerate() {
            let number = builder.site(costs.site);
            let site = Site::new(survey, found);
            let mut hub_numbers = HashMap::new();
            for (pattern, way) in site.ways(costs).into_iter().enumerate() {
                let hubs: Vec<u32> = way
                    .iter()
                    .map(|page| {
                        let cost = costs.hub * site.hub_costs[*page];
                        *hub_numbers.entry(*page).or_insert_with(|| builder.hub(cost))
                    })
                    .collect();
                let (own, both) = site.pages(pattern, &way, shared);
                let offered = site.offered(place, pattern, hubs.len(), matches);
                builder.pattern(PatternSpec {
                    site: number,
                    own_pages: own as f64 * site.rate(pattern, costs),
                    shared_pages: &both,
                    hubs: &hubs,
                    objects: &offered.objects,
                    likely: if matches.count { &offered.likely } else { &[] },
                })?;
                patterns.push(offered);
            }
            shared += survey.urls.len() as u32;
        }
        Ok(Offer {
            candidates: builder.build(),
            patterns,
        })
    }

    /// How many objects chosen patterns bring, as far as their records are what they are taken for: the 95 % interval, were all doubts
    /// independent of each other.
    pub fn interval(&self, chosen: &[usize]) -> (f64, f64) {
        let mut missing: HashMap<u32, f64> = HashMap::new();
        for offered in chosen.iter().filter_map(|number| self.patterns.get(*number)) {
            for (object, likely) in offered.objects.iter().zip(&offered.likely) {
                *missing.entry(*object).or_insert(1.0) *= 1.0 - f64::from(*likely);
            }
        }
        let expected: f64 = missing.values().map(|missing| 1.0 - missing).sum();
        let variance: f64 = missing.values().map(|missing| missing * (1.0 - missing)).sum();
        let reach = QUANTILE_95 * variance.sqrt();
        (
            (expected - reach).max(0.0),
            (expected + reach).min(missing.len() as f64),
        )
    }

    /// The chosen patterns of each of so many sites.
    pub fn by_site(&self, chosen: &[usize], sites: usize) -> Vec<Vec<UrlPattern>> {
        let mut by_site = vec![Vec::new(); sites];
        for number in chosen {
            if let Some(offered) = self.patterns.get(*number)
                && let Some(site) = by_site.get_mut(offered.site)
            {
                site.push(offered.pattern.clone());
            }
        }
        by_site
    }
}

/// A site with the pages of its patterns.
struct Site<'a> {
    survey: &'a Survey,
    found: &'a SitePatterns,
    /// The pages of each pattern.
    pages: Vec<Vec<usize>>,
    /// How many patterns match each page.
    matched: Vec<u32>,
    objects: Vec<Vec<u32>>,
    /// What each page costs as a hub, against a list.
    hub_costs: Vec<f64>,
}

impl<'a> Site<'a> {
    fn new(survey: &'a Survey, found: &'a SitePatterns) -> Site<'a> {
        let set = PatternSet::new(found.wanted.iter().cloned());
        let mut pages = vec![Vec::new(); found.wanted.len()];
        let mut matched = vec![0; survey.urls.len()];
        for (page, url) in survey.urls.iter().enumerate() {
            for pattern in set.matching(url) {
                pages[pattern].push(page);
                matched[page] += 1;
            }
        }
        Site {
            objects: survey.objects_of_pages(),
            hub_costs: survey.hub_costs(),
            survey,
            found,
            pages,
            matched,
        }
    }

    /// For every pattern the hub pages that lead to it, were it chosen alone.
    fn ways(&self, costs: Costs) -> Vec<Vec<usize>> {
        if costs.hub == 0.0 {
            return vec![Vec::new(); self.found.wanted.len()];
        }
        let graph = self.survey.graph();
        let worth = PageValues {
            objects: &self.objects,
            known: u32::MAX,
            hub_costs: &self.hub_costs,
            lists: Lists::Needed,
        };
        let way = |pattern: &UrlPattern| {
            let others = self.found.wanted.iter().filter(|other| *other != pattern);
            let classes: Vec<UrlPattern> = others.chain(&self.found.others).cloned().collect();
            let learned = navigate::learn(
                &graph,
                self.survey.entry,
                std::slice::from_ref(pattern),
                &classes,
                1.0,
                worth,
            );
            learned.map(|learned| learned.hubs).unwrap_or_default()
        };
        self.found.wanted.iter().map(way).collect()
    }

    /// How many pages the pattern has for itself, and the numbers of those that others match too. What is read as a hub
    /// is paid as one.
    fn pages(&self, pattern: usize, way: &[usize], first: u32) -> (usize, Vec<u32>) {
        let mut own = 0;
        let mut both = Vec::new();
        for page in &self.pages[pattern] {
            if way.binary_search(page).is_ok() {
                continue;
            }
            match self.matched[*page] {
                1 => own += 1,
                _ => both.push(first + *page as u32),
            }
        }
        (own, both)
    }

    /// What one of the pattern's pages costs a round.
    fn rate(&self, pattern: usize, costs: Costs) -> f64 {
        let yielding = self.pages[pattern]
            .iter()
            .filter(|page| !self.objects[**page].is_empty());
        let (pages, objects) = yielding.fold((0, 0), |(pages, objects), page| {
            (pages + 1, objects + self.objects[*page].len())
        });
        match is_list(objects, pages) {
            true => costs.page.max(costs.hub),
            false => costs.page,
        }
    }

    fn offered(&self, site: usize, pattern: usize, hubs: usize, matches: &Matches<'_>) -> Offered {
        let pages = &self.pages[pattern];
        let mut objects: BTreeMap<u32, f32> = BTreeMap::new();
        for page in pages {
            for object in &self.objects[*page] {
                let likely = objects.entry(*object).or_default();
                *likely = likely.max((matches.likely)(site, *page, *object));
            }
        }
        let (objects, likely) = objects.into_iter().unzip();
        Offered {
            likely,
            site,
            pattern: self.found.wanted[pattern].clone(),
            pages: pages.len(),
            yielding: pages
                .iter()
                .filter(|page| !self.objects[**page].is_empty())
                .count(),
            hubs,
            objects,
        }
    }
}
