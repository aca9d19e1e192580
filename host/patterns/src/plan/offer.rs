//! The patterns and search queries of all sites with their objects and costs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::induced::SitePatterns;
use super::queries::{QueryAnswer, QueryCandidate, add_queries};
use super::survey::Survey;
use crate::navigate::{self, Lists, PageValues, are_lists, by_added, hubs_of, leading_to};
use crate::pattern::UrlPattern;
use crate::select::{Candidates, CandidatesError, PatternSpec};

/// Costs of a round of recrawling, in pages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Cost of visiting a site at all: its robots file and its entry page.
    pub site: f64,
    /// Cost of each hub page.
    pub hub: f64,
    /// Cost of each detail page: 1 if it is fetched in every round, a quarter if in every fourth.
    /// Lists are fetched in every round, as hubs are.
    pub page: f64,
}

impl Costs {
    /// Costs by the published methods: matched pages only.
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

/// All patterns and queries to choose from.
#[derive(Clone, Debug)]
pub struct Offer {
    pub candidates: Candidates,
    /// Patterns, indexed as in the candidates.
    pub patterns: Vec<PatternCandidate>,
    /// Queries, whose indexes in the candidates follow those of the patterns.
    pub queries: Vec<QueryCandidate>,
}

/// The patterns and queries of a site to choose from. It has all that selection needs of the site.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SiteOffer {
    patterns: Vec<OfferedPattern>,
    answers: Vec<QueryAnswer>,
    /// Number of its pages.
    pages: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct OfferedPattern {
    candidate: PatternCandidate,
    /// Cost of the pages that no other pattern matches.
    own: f64,
    /// Pages that others match, too.
    both: Vec<u32>,
    /// Hub pages that lead to its pages, with their costs.
    hubs: Vec<(u32, f64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternCandidate {
    /// Index of its site among the surveys.
    pub site: usize,
    pub pattern: UrlPattern,
    /// Number of pages that it matches.
    pub pages: usize,
    /// Number of matched pages with objects.
    pub yielding: usize,
    /// Number of hub pages that lead to its pages.
    pub hubs: usize,
    /// Objects on its pages.
    pub objects: Vec<u32>,
    /// Match probability of each object, by the most certain of its pages.
    pub likely: Vec<f32>,
}

/// Probabilities that records belong to the objects they are matched to.
pub struct Matches<'a> {
    /// Returns the probability that the record on a page belongs to an object, given the indexes of
    /// site and page and the id of the object.
    pub likely: &'a dyn Fn(usize, usize, u32) -> f32,
    /// If true, objects are weighted by probability when patterns are chosen.
    pub count: bool,
}

impl Matches<'_> {
    /// Treats all matches as certain.
    pub const CERTAIN: Matches<'static> = Matches {
        likely: &|_, _, _| 1.0,
        count: false,
    };
}

/// Quantile of the normal distribution for 95% intervals.
const QUANTILE_95: f64 = 1.959_963_985;

impl Offer {
    /// Collects the patterns and queries of these sites. Object ids are below `objects`.
    pub fn of(
        sites: &[(Survey, SitePatterns)],
        objects: u32,
        costs: Costs,
        matches: &Matches<'_>,
    ) -> Result<Offer, CandidatesError> {
        let offers = sites.iter().enumerate().map(|(index, (survey, found))| {
            let likely = |page: usize, object: u32| (matches.likely)(index, page, object);
            SiteOffer::of(survey, found, costs, &likely)
        });
        Offer::join(offers, objects, costs, matches.count)
    }

    /// Joins the offers of sites. Object ids are below `objects`. With `is_weighted`, objects are
    /// weighted by the probability of their matches.
    pub fn join(
        sites: impl IntoIterator<Item = SiteOffer>,
        objects: u32,
        costs: Costs,
        is_weighted: bool,
    ) -> Result<Offer, CandidatesError> {
        let mut builder = Candidates::builder(objects);
        let mut patterns = Vec::new();
        let mut searched = Vec::new();
        let mut shared = 0;
        for (index, site) in sites.into_iter().enumerate() {
            let number = builder.site(costs.site);
            let mut hub_numbers = HashMap::new();
            for offered in site.patterns {
                let hubs: Vec<u32> = offered
                    .hubs
                    .iter()
                    .map(|(page, cost)| {
                        // Hubs are numbered once for a site, so patterns that share one pay it
                        // together.
                        *hub_numbers.entry(*page).or_insert_with(|| builder.hub(*cost))
                    })
                    .collect();
                let both: Vec<u32> = offered.both.iter().map(|page| shared + page).collect();
                let candidate = PatternCandidate {
                    site: index,
                    ..offered.candidate
                };
                builder.pattern(PatternSpec {
                    site: number,
                    own_pages: offered.own,
                    shared_pages: &both,
                    hubs: &hubs,
                    objects: &candidate.objects,
                    likely: if is_weighted { &candidate.likely } else { &[] },
                })?;
                patterns.push(candidate);
            }
            shared += site.pages;
            if !site.answers.is_empty() {
                searched.push(((index, number), site.answers));
            }
        }
        let mut queries = Vec::new();
        for (site, answers) in searched {
            queries.extend(add_queries(site, &answers, (costs, is_weighted), &mut builder)?);
        }
        Ok(Offer {
            candidates: builder.build(),
            patterns,
            queries,
        })
    }

    /// Returns the queries among chosen candidates.
    pub fn queries_of<'a>(&'a self, chosen: &'a [usize]) -> impl Iterator<Item = &'a QueryCandidate> {
        let places = chosen.iter();
        let places = places.filter_map(|number| number.checked_sub(self.patterns.len()));
        places.filter_map(|place| self.queries.get(place))
    }

    /// Returns the indexes of the sites of chosen candidates, in increasing order.
    pub fn sites_of(&self, chosen: &[usize]) -> Vec<usize> {
        let patterns = chosen.iter().filter_map(|number| self.patterns.get(*number));
        let patterns = patterns.map(|candidate| candidate.site);
        let queries = self.queries_of(chosen).map(|candidate| candidate.site);
        let sites: BTreeSet<usize> = patterns.chain(queries).collect();
        sites.into_iter().collect()
    }

    /// Returns the 95% interval of the number of objects on chosen patterns, given the match
    /// probabilities, if all matching errors are independent.
    pub fn interval(&self, chosen: &[usize]) -> (f64, f64) {
        let mut missing: HashMap<u32, f64> = HashMap::new();
        let patterns = chosen.iter().filter_map(|number| self.patterns.get(*number));
        let patterns = patterns.map(|candidate| (&candidate.objects, &candidate.likely));
        let queries = self.queries_of(chosen);
        let queries = queries.map(|candidate| (&candidate.objects, &candidate.likely));
        for (objects, likely) in patterns.chain(queries) {
            for (object, likely) in objects.iter().zip(likely) {
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

    /// Groups chosen patterns by site, for this number of sites.
    pub fn by_site(&self, chosen: &[usize], sites: usize) -> Vec<Vec<UrlPattern>> {
        let mut by_site = vec![Vec::new(); sites];
        for number in chosen {
            if let Some(candidate) = self.patterns.get(*number)
                && let Some(site) = by_site.get_mut(candidate.site)
            {
                site.push(candidate.pattern.clone());
            }
        }
        by_site
    }
}

impl SiteOffer {
    /// Collects the patterns and queries of a site. `likely` returns the probability that the
    /// record on a page belongs to an object.
    pub fn of(
        survey: &Survey,
        found: &SitePatterns,
        costs: Costs,
        likely: &dyn Fn(usize, u32) -> f32,
    ) -> SiteOffer {
        let (objects, hub_costs) = (survey.objects_of_pages(), survey.hub_costs());
        let graph = survey.graph();
        let values = PageValues {
            objects: &objects,
            known: u32::MAX,
            hub_costs: &hub_costs,
            lists: Lists::Needed,
        };
        let patterns = found.wanted.iter().chain(&found.others).cloned().collect();
        let classified = navigate::Site::new(&graph, survey.entry, patterns, values);
        let site = Site::new(survey, found, (&objects, &hub_costs), &classified);
        let routes = site.routes(costs).into_iter().enumerate();
        let patterns = routes.map(|(pattern, route)| {
            let (own, both) = site.pages(pattern, &route);
            let hubs = route.iter();
            OfferedPattern {
                candidate: site.make_candidate(pattern, route.len(), likely),
                own: own as f64 * site.page_cost(pattern, costs),
                both,
                hubs: hubs
                    .map(|page| (*page as u32, costs.hub * site.hub_costs[*page]))
                    .collect(),
            }
        });
        SiteOffer {
            patterns: patterns.collect(),
            answers: survey.answers.clone(),
            pages: survey.urls.len() as u32,
        }
    }
}

/// A site with the pages of its patterns.
struct Site<'a> {
    survey: &'a Survey,
    found: &'a SitePatterns,
    /// Pages of each pattern.
    pages: Vec<Vec<usize>>,
    /// Number of patterns that match each page.
    matched: Vec<u32>,
    objects: &'a [Vec<u32>],
    /// Cost of each page as a hub, relative to a list.
    hub_costs: &'a [f64],
    /// The pages by all patterns of the site, which are numbered from the wanted ones on.
    classified: &'a navigate::Site<'a, 'a>,
}

impl<'a> Site<'a> {
    fn new(
        survey: &'a Survey,
        found: &'a SitePatterns,
        (objects, hub_costs): (&'a [Vec<u32>], &'a [f64]),
        classified: &'a navigate::Site<'a, 'a>,
    ) -> Site<'a> {
        let mut pages = vec![Vec::new(); found.wanted.len()];
        let mut matched = vec![0; survey.urls.len()];
        for (page, matched) in matched.iter_mut().enumerate() {
            let patterns = classified.matching(page).iter().map(|pattern| *pattern as usize);
            for pattern in patterns.filter(|pattern| *pattern < found.wanted.len()) {
                pages[pattern].push(page);
                *matched += 1;
            }
        }
        Site {
            survey,
            found,
            pages,
            matched,
            objects,
            hub_costs,
            classified,
        }
    }

    /// Returns for each pattern the hub pages that a round reads for it if it is chosen alone:
    /// those that add objects to the others, and those that lead to them.
    fn routes(&self, costs: Costs) -> Vec<Vec<usize>> {
        if costs.hub == 0.0 {
            return vec![Vec::new(); self.found.wanted.len()];
        }
        let patterns = self.pages.iter().enumerate();
        patterns
            .map(|(pattern, pages)| self.adding(&hubs_of(self.classified, pattern), pages))
            .collect()
    }

    /// Keeps of the hubs on a route those that show objects of the pattern's pages which no hub
    /// shows that adds more, and those that lead to them.
    fn adding(&self, route: &[usize], pages: &[usize]) -> Vec<usize> {
        let graph = self.classified.graph;
        let mut is_of_pattern = vec![false; graph.pages()];
        pages.iter().for_each(|page| is_of_pattern[*page] = true);
        let shown = route.iter().map(|hub| {
            let links = graph.links(*hub).iter().map(|page| *page as usize);
            let of_pattern = links.chain([*hub]).filter(|page| is_of_pattern[*page]);
            let mut objects: Vec<u32> = of_pattern.flat_map(|page| &self.objects[page]).copied().collect();
            objects.sort_unstable();
            objects.dedup();
            objects
        });
        let added = by_added(&shown.collect::<Vec<_>>());
        let mut read: Vec<usize> = added.into_iter().map(|(hub, _)| hub).collect();
        let mut place_of = vec![usize::MAX; graph.pages()];
        for (place, hub) in route.iter().enumerate() {
            place_of[*hub] = place;
        }
        let links = route.iter().map(|hub| {
            let links = graph.links(*hub).iter().map(|page| place_of[*page as usize]);
            links.filter(|place| *place != usize::MAX).collect()
        });
        let links: Vec<Vec<usize>> = links.collect();
        let entry = route.binary_search(&self.survey.entry).ok();
        read.extend(leading_to(&read, &links, &entry.into_iter().collect()));
        let mut route: Vec<usize> = read.into_iter().map(|hub| route[hub]).collect();
        route.sort_unstable();
        route
    }

    /// Returns the number of pages that only this pattern matches, and those that others match,
    /// too. Hub pages are excluded.
    fn pages(&self, pattern: usize, route: &[usize]) -> (usize, Vec<u32>) {
        let mut own = 0;
        let mut both = Vec::new();
        for page in &self.pages[pattern] {
            // Pages that are hubs are paid as hubs.
            if route.binary_search(page).is_ok() {
                continue;
            }
            match self.matched[*page] {
                1 => own += 1,
                _ => both.push(*page as u32),
            }
        }
        (own, both)
    }

    /// Returns the cost of one of the pattern's pages per round.
    fn page_cost(&self, pattern: usize, costs: Costs) -> f64 {
        let pages = self.pages[pattern].iter();
        let objects = pages.map(|page| self.objects[*page].iter().copied());
        let plain = match are_lists(objects) {
            // Lists among the pages change with every object, and are read in every round as hubs
            // are.
            true => costs.page.max(costs.hub),
            false => costs.page,
        };
        plain * self.multiple(pattern)
    }

    /// Returns the mean cost of the pattern's pages as a multiple of that of a plain fetch.
    fn multiple(&self, pattern: usize) -> f64 {
        let pages = &self.pages[pattern];
        let rendered = self.survey.rendered.iter();
        let rendered = rendered.filter(|(page, _)| pages.binary_search(&(*page as usize)).is_ok());
        let beyond: f64 = rendered.map(|(_, multiple)| f64::from(*multiple) - 1.0).sum();
        1.0 + beyond / pages.len().max(1) as f64
    }

    fn make_candidate(
        &self,
        pattern: usize,
        hubs: usize,
        likely_of: &dyn Fn(usize, u32) -> f32,
    ) -> PatternCandidate {
        let pages = &self.pages[pattern];
        let mut objects: BTreeMap<u32, f32> = BTreeMap::new();
        for page in pages {
            for object in &self.objects[*page] {
                let likely = objects.entry(*object).or_default();
                *likely = likely.max(likely_of(*page, *object));
            }
        }
        let (objects, likely) = objects.into_iter().unzip();
        PatternCandidate {
            likely,
            site: 0,
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
