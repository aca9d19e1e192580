//! The least worth of a visit: the price at which the budget is spent, with the limits of sites,
//! and never less than a request is worth.

use magpie_learn::schedule::{Page, optimal_within, price};

use super::Outlook;

/// The least worth of a visit, in objects for a day, however much budget there is: one object that
/// is right a quarter of an hour longer. Without it a budget that is not scarce would be spent on
/// visits that bring nothing.
const LEAST_PRICE: f64 = 0.01;

impl Outlook {
    /// Computes the price at each site, at a multiple of the budget.
    pub(super) fn prices_at(&self, factor: f64) -> Vec<f64> {
        let visits = self.allowance.pages_per_day() * factor;
        let (pages, sites): (Vec<Page>, Vec<usize>) =
            self.known().map(|watched| (watched.page, watched.site)).unzip();
        let met = price(&pages, self.goal, visits);
        let common = match met.is_infinite() && visits > 0.0 {
            // None of them asks for a visit, or there is none: first visits are paid for all the
            // same.
            true => LEAST_PRICE,
            false => met.max(LEAST_PRICE),
        };
        let mut asked = vec![0.0; self.sites.len()];
        for (page, site) in pages.iter().zip(&sites) {
            asked[*site] += page.frequency_at(self.goal, common);
        }
        let limits: Vec<f64> = self.sites.iter().map(|site| site.per_day).collect();
        if asked.iter().zip(&limits).all(|(asked, limit)| asked <= limit) {
            return vec![common; self.sites.len()];
        }
        let plan = optimal_within(&pages, &sites, &limits, self.goal, visits);
        let floored = plan.site_prices.into_iter().map(|price| price.max(LEAST_PRICE));
        floored.collect()
    }
}
