//! The least worth of a visit: the price at which the budget is spent, with the limits of sites,
//! and never less than a request is worth.

use magpie_freshness::change::Goal;
use magpie_freshness::schedule::{Page, optimal_within, price};

use super::WatchPlan;

/// The least worth of a visit, in objects for a day, however much budget there is: one object that
/// is right a quarter of an hour longer. Without it a budget that is not scarce would be spent on
/// visits that bring nothing.
const MIN_PRICE: f64 = 0.01;

impl WatchPlan {
    /// Computes the price at each site, at a multiple of the budget.
    pub(super) fn prices_at(&self, factor: f64) -> Vec<f64> {
        let visits = self.allowance.pages_per_day() * factor;
        let (pages, sites): (Vec<Page>, Vec<usize>) =
            self.known().map(|watched| (watched.page, watched.site)).unzip();
        let limits: Vec<f64> = self.sites.iter().map(|site| site.per_day).collect();
        prices(&pages, &sites, &limits, self.goal, visits)
    }
}

/// Computes the price at each site for a budget of visits in a day, with at most `limits[site]` of
/// them at each site.
fn prices(pages: &[Page], sites: &[usize], limits: &[f64], goal: Goal, visits: f64) -> Vec<f64> {
    let met = price(pages, goal, visits);
    let common = match met.is_infinite() && visits > 0.0 {
        // No page needs a visit. First visits are paid for all the same.
        true => MIN_PRICE,
        false => met.max(MIN_PRICE),
    };
    let mut asked = vec![0.0; limits.len()];
    for (page, site) in pages.iter().zip(sites) {
        asked[*site] += page.frequency_at(goal, common);
    }
    // Prices of single sites are needed only where a limit binds.
    if asked.iter().zip(limits).all(|(asked, limit)| asked <= limit) {
        return vec![common; limits.len()];
    }
    let plan = optimal_within(pages, sites, limits, goal, visits);
    let floored = plan.site_prices.into_iter().map(|price| price.max(MIN_PRICE));
    floored.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_at_its_limit_has_a_price_of_its_own() {
        // Two sites of a hundred pages alike.
        let pages = vec![Page::of_rate(1.0); 200];
        let sites: Vec<usize> = (0..200).map(|page| page / 100).collect();
        let of = |limits: [f64; 2], visits| prices(&pages, &sites, &limits, Goal::Freshness, visits);
        let free = of([f64::INFINITY; 2], 100.0);
        assert_eq!(free[0], free[1]);
        let limited = of([20.0, f64::INFINITY], 100.0);
        assert!(
            limited[0] > free[0] && limited[1] < free[1],
            "{limited:?}, {free:?}"
        );
        let asked = |site: usize| 100.0 * pages[0].frequency_at(Goal::Freshness, limited[site]);
        assert!((asked(0) - 20.0).abs() < 1e-3, "{}", asked(0));
        assert!((asked(1) - 80.0).abs() < 1e-3, "the rest: {}", asked(1));
    }

    #[test]
    fn no_price_is_below_the_least_whatever_the_limits() {
        let pages = [Page::of_rate(1e-6); 2];
        let of = |limits: [f64; 2]| prices(&pages, &[0, 1], &limits, Goal::Freshness, 1_000.0);
        assert_eq!(of([f64::INFINITY; 2]), [MIN_PRICE; 2]);
        assert!(of([1e-9, 5.0]).iter().all(|price| *price >= MIN_PRICE));
    }
}
