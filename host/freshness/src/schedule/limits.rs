//! Frequencies under limits on the visits to each site.

use crate::change::Goal;

use super::frequency::{Page, optimal};
use super::price::find_price;

/// Frequencies of visits to pages that respect each site's limit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimitedPlan {
    /// Visits per unit of time, in the order of the pages.
    pub frequencies: Vec<f64>,
    /// Price of a visit to a site that is not at its limit.
    pub price: f64,
    /// Price at each site: higher if the site is at its limit.
    pub site_prices: Vec<f64>,
}

/// Returns the optimal frequencies within a budget, with at most `limits[site]` visits to each
/// site. `sites[page]` is the site of a page; a page of an unknown site is not visited.
///
/// A site at its limit has a price of its own, at which its pages request no more. The others share
/// the rest of the budget, which is not spent if all sites are at their limits. A limit of zero
/// closes a site; an infinite one has no effect.
pub fn optimal_within(
    pages: &[Page],
    sites: &[usize],
    limits: &[f64],
    goal: Goal,
    budget: f64,
) -> LimitedPlan {
    let by_site = group_by_site(pages, sites, limits.len());
    let pages_of = |site: usize| -> Vec<Page> { by_site[site].iter().map(|index| pages[*index]).collect() };
    let floors: Vec<f64> = limits
        .iter()
        .enumerate()
        .map(|(site, limit)| floor_price(&pages_of(site), goal, *limit))
        .collect();
    let demand = |price: f64| -> f64 {
        let of_site = |(site, floor): (usize, &f64)| {
            if price <= *floor {
                limits[site].max(0.0)
            } else {
                total_frequency(by_site[site].iter().map(|index| &pages[*index]), goal, price)
            }
        };
        floors.iter().enumerate().map(of_site).sum()
    };
    let price = common_price(&floors, budget, demand);
    let mut plan = LimitedPlan {
        frequencies: vec![0.0; pages.len()],
        price,
        site_prices: floors.iter().map(|floor| floor.max(price)).collect(),
    };
    let (limited, free): (Vec<usize>, Vec<usize>) =
        (0..limits.len()).partition(|site| floors[*site] >= price);
    let limited_visits: f64 = limited.iter().map(|site| limits[*site].max(0.0)).sum();
    // Each part is solved separately once the limited sites are known, so that each meets its own
    // budget exactly.
    for site in limited.into_iter().filter(|_| price < f64::INFINITY) {
        plan.fill(pages, &by_site[site], goal, limits[site]);
    }
    let free: Vec<usize> = free
        .into_iter()
        .flat_map(|site| by_site[site].iter().copied())
        .collect();
    plan.fill(pages, &free, goal, budget - limited_visits);
    plan
}

impl LimitedPlan {
    fn fill(&mut self, pages: &[Page], indexes: &[usize], goal: Goal, budget: f64) {
        let some: Vec<Page> = indexes.iter().map(|index| pages[*index]).collect();
        for (index, frequency) in indexes.iter().zip(optimal(&some, goal, budget).frequencies) {
            self.frequencies[*index] = frequency;
        }
    }
}

/// Returns the price outside of the limited sites: the lowest within the budget. If all are limited
/// and the budget is not spent, it is the lowest of their prices.
fn common_price(floors: &[f64], budget: f64, demand: impl Fn(f64) -> f64) -> f64 {
    if demand(f64::MIN_POSITIVE) <= budget {
        return floors
            .iter()
            .copied()
            .filter(|floor| *floor > 0.0)
            .fold(f64::INFINITY, f64::min);
    }
    find_price(1, budget, |price, _| demand(price)).map_or(f64::INFINITY, |solution| solution.price)
}

/// Returns the price from which on a site requests no more than its limit.
fn floor_price(pages: &[Page], goal: Goal, limit: f64) -> f64 {
    if limit.is_nan() || limit <= 0.0 {
        return f64::INFINITY;
    }
    find_price(pages.len(), limit, |price, stride| {
        total_frequency(pages.iter().step_by(stride), goal, price)
    })
    .map_or(0.0, |solution| solution.price)
}

fn total_frequency<'a>(pages: impl Iterator<Item = &'a Page>, goal: Goal, price: f64) -> f64 {
    pages.map(|page| page.frequency_at(goal, price)).sum()
}

fn group_by_site(pages: &[Page], sites: &[usize], count: usize) -> Vec<Vec<usize>> {
    let mut by_site = vec![Vec::new(); count];
    for (index, site) in sites.iter().enumerate().take(pages.len()) {
        if let Some(site) = by_site.get_mut(*site) {
            site.push(index);
        }
    }
    by_site
}
