//! Forecast of the freshness that a budget reaches.

use magpie_freshness::change::Goal;
use magpie_freshness::schedule::{Page, expected};

use super::{Purpose, WatchPlan, Watched};

/// Expected values in the long run, if pages continue to change as they did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Visits to known pages in a day.
    pub visits: f64,
    /// The share of known objects that are what they are on the web.
    pub freshness: f64,
    /// For how many days those that are visited are out of date, on average over all times.
    pub age: f64,
    /// Pages with objects that are not visited at all, but for the longest gap.
    pub left_alone: usize,
    /// Mean days until a new object is found. `None` if none are expected, infinite if no list is
    /// read.
    pub delay: Option<f64>,
    /// The price of a visit where it is lowest, in objects for a day.
    pub price: f64,
}

impl WatchPlan {
    /// Computes what a multiple of the budget reaches. The sites' own budgets stay as they are.
    pub fn forecast(&self, factor: f64) -> Forecast {
        let prices = self.prices_at(factor);
        let price = prices.iter().copied().fold(f64::INFINITY, f64::min);
        // Without a budget nothing is visited, even after the longest gap.
        let least = if price.is_finite() {
            1.0 / self.longest_gap
        } else {
            0.0
        };
        let asked = |watched: &&Watched| watched.page.frequency_at(self.goal, prices[watched.site]);
        let often = |watched: &&Watched| asked(watched).max(least);
        let of = |purpose| self.pages.iter().filter(move |page| page.purpose == purpose);
        let objects: Vec<&Watched> = of(Purpose::Objects).collect();
        let frequencies: Vec<f64> = objects.iter().map(often).collect();
        let lists: Vec<&Watched> = of(Purpose::News).collect();
        let (mut late, mut come) = (0.0, 0.0);
        for list in &lists {
            let rate = list.page.weight * list.page.belief.rate();
            come += rate;
            // A new object waits half the time between two visits on average.
            late += rate / (2.0 * often(list));
        }
        let beliefs: Vec<Page> = objects.iter().map(|watched| watched.page).collect();
        Forecast {
            visits: frequencies.iter().sum::<f64>() + lists.iter().map(often).sum::<f64>(),
            freshness: expected(&beliefs, Goal::Freshness, &frequencies),
            age: expected(&beliefs, Goal::Age, &frequencies),
            left_alone: objects.iter().filter(|watched| asked(watched) <= 0.0).count(),
            delay: (come > 0.0).then_some(late / come),
            price,
        }
    }
}
