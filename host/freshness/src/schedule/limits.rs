//! Frequencies when each site allows only so many visits.

use crate::change::Goal;

use super::frequency::{Page, optimal};
use super::price::meet;

/// How often to visit each page, with each site's limit kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimitedPlan {
    /// Visits per unit of time, in the order of the pages.
    pub frequencies: Vec<f64>,
    /// The price of a visit to a site that is not at its limit.
    pub price: f64,
    /// The price at each site: higher where its limit holds visits back.
    pub site_prices: Vec<f64>,
}

/// The best frequencies at a budget, with at most `limits[site]` visits to each site. `sites[page]` is a page's site;
/// a page of no listed site is not visited.
///
/// A site at its limit has its own price, at which it asks for no more; the others share what is left of
/// the budget, which may stay unspent when all are at their limits. A limit of zero closes a site; an
/// infinite one is none.
pub fn optimal_within(
    pages: &[Page],
    sites: &[usize],
    limits: &[f64],
    goal: Goal,
    budget: f64,
) -> LimitedPlan {
    let by_site = group(pages, sites, limits.len());
    let pages_of = |site: usize| -> Vec<Page> { by_site[site].iter().map(|place| pages[*place]).collect() };
    let floors: Vec<f64> = limits
        .iter()
        .enumerate()
        .map(|(site, limit)| floor(&pages_of(site), goal, *limit))
        .collect();
    let asked = |price: f64| -> f64 {
        let of_site = |(site, floor): (usize, &f64)| {
            if price <= *floor {
                limits[site].max(0.0)
            } else {
                sum(by_site[site].iter().map(|place| &pages[*place]), goal, price)
            }
        };
        floors.iter().enumerate().map(of_site).sum()
    };
    let price = common_price(&floors, budget, asked);
    let mut plan = LimitedPlan {
        frequencies: vec![0.0; pages.len()],
        price,
        site_prices: floors.iter().map(|floor| floor.max(price)).collect(),
    };
    let (held, free): (Vec<usize>, Vec<usize>) = (0..limits.len()).partition(|site| floors[*site] >= price);
    let held_visits: f64 = held.iter().map(|site| limits[*site].max(0.0)).sum();
    // Each part is solved by itself once it is known which sites are held back: so each meets its
    // own budget to the last digit.
    for site in held.into_iter().filter(|_| price < f64::INFINITY) {
        plan.fill(pages, &by_site[site], goal, limits[site]);
    }
    let free: Vec<usize> = free
        .into_iter()
        .flat_map(|site| by_site[site].iter().copied())
        .collect();
    plan.fill(pages, &free, goal, budget - held_visits);
    plan
}

impl LimitedPlan {
    fn fill(&mut self, pages: &[Page], places: &[usize], goal: Goal, budget: f64) {
        let some: Vec<Page> = places.iter().map(|place| pages[*place]).collect();
        for (place, frequency) in places.iter().zip(optimal(&some, goal, budget).frequencies) {
            self.frequencies[*place] = frequency;
        }
    }
}

/// The price outside of the sites that are held back: the lowest at which the budget suffices. When all
/// are held back and the budget is not spent, that is where the last of them is.
fn common_price(floors: &[f64], budget: f64, asked: impl Fn(f64) -> f64) -> f64 {
    if asked(f64::MIN_POSITIVE) <= budget {
        return floors
            .iter()
            .copied()
            .filter(|floor| *floor > 0.0)
            .fold(f64::INFINITY, f64::min);
    }
    meet(1, budget, |price, _| asked(price)).map_or(f64::INFINITY, |met| met.price)
}

/// The price from which on a site asks for no more than its limit.
fn floor(pages: &[Page], goal: Goal, limit: f64) -> f64 {
    if limit.is_nan() || limit <= 0.0 {
        return f64::INFINITY;
    }
    meet(pages.len(), limit, |price, every| {
        sum(pages.iter().step_by(every), goal, price)
    })
    .map_or(0.0, |met| met.price)
}

fn sum<'a>(pages: impl Iterator<Item = &'a Page>, goal: Goal, price: f64) -> f64 {
    pages.map(|page| page.frequency_at(goal, price)).sum()
}

fn group(pages: &[Page], sites: &[usize], count: usize) -> Vec<Vec<usize>> {
    let mut by_site = vec![Vec::new(); count];
    for (place, site) in sites.iter().enumerate().take(pages.len()) {
        if let Some(site) = by_site.get_mut(*site) {
            site.push(place);
        }
    }
    by_site
}
