//! Frequencies when each site allows only so many visits.

use crate::change::Goal;

use super::frequency::Page;
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
pub fn optimal_within(pages: &[Page], sites: &[usize], limits: &[f64], goal: Goal, budget: f64) -> LimitedPlan {
    let by_site = group(pages, sites, limits.len());
    let floors: Vec<f64> = by_site.iter().zip(limits).map(|(pages, limit)| floor(pages, goal, *limit)).collect();
    let asked = |price: f64| -> f64 {
        let sites = by_site.iter().zip(&floors).zip(limits);
        let of_site = |((pages, floor), limit): ((&Vec<Page>, &f64), &f64)| {
            if price <= *floor { limit.max(0.0) } else { sum(pages, goal, price) }
        };
        sites.map(of_site).sum()
    };
    // What the limits leave to be asked for at any price: below every floor, nobody asks for more.
    let lowest = floors.iter().copied().fold(f64::INFINITY, f64::min);
    let all_limited = lowest > 0.0 && asked(lowest) <= budget;
    let price = if all_limited {
        lowest
    } else {
        meet(pages.len(), budget, |price, _| asked(price)).map_or(f64::INFINITY, |ends| ends.best())
    };
    finish(pages, sites, limits, goal, price, &floors)
}

fn finish(pages: &[Page], sites: &[usize], limits: &[f64], goal: Goal, price: f64, floors: &[f64]) -> LimitedPlan {
    let site_prices: Vec<f64> = floors.iter().map(|floor| floor.max(price)).collect();
    let of_page = |(page, site): (&Page, &usize)| match site_prices.get(*site) {
        Some(price) => page.frequency_at(goal, *price),
        None => 0.0,
    };
    let mut frequencies: Vec<f64> = pages.iter().zip(sites).map(of_page).collect();
    frequencies.resize(pages.len(), 0.0);
    // Digits the price does not have must not break a limit.
    let mut visits = vec![0.0; limits.len()];
    for (frequency, site) in frequencies.iter().zip(sites) {
        if let Some(visits) = visits.get_mut(*site) {
            *visits += frequency;
        }
    }
    for (frequency, site) in frequencies.iter_mut().zip(sites) {
        if let (Some(limit), Some(visits)) = (limits.get(*site), visits.get(*site)) {
            *frequency *= (limit.max(0.0) / visits.max(f64::MIN_POSITIVE)).min(1.0);
        }
    }
    LimitedPlan { frequencies, price, site_prices }
}

/// The price from which on a site asks for no more than its limit.
fn floor(pages: &[Page], goal: Goal, limit: f64) -> f64 {
    if limit.is_nan() || limit <= 0.0 {
        return f64::INFINITY;
    }
    meet(pages.len(), limit, |price, every| {
        pages.iter().step_by(every).map(|page| page.frequency_at(goal, price)).sum()
    })
    .map_or(0.0, |ends| ends.high)
}

fn sum(pages: &[Page], goal: Goal, price: f64) -> f64 {
    pages.iter().map(|page| page.frequency_at(goal, price)).sum()
}

fn group(pages: &[Page], sites: &[usize], count: usize) -> Vec<Vec<Page>> {
    let mut by_site = vec![Vec::new(); count];
    for (page, site) in pages.iter().zip(sites) {
        if let Some(site) = by_site.get_mut(*site) {
            site.push(*page);
        }
    }
    by_site
}
