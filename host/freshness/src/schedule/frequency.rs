//! Frequencies of visits to pages, within a budget of visits per unit of time.

use crate::change::{Belief, Goal, SyncOrder};

use super::price::find_price;

/// Relative distance of a page's maximum value from the price at which the page is marginal: its
/// frequency depends on digits of the price beyond `f64`.
const MARGINAL_DISTANCE: f64 = 1e-12;

/// A rate at which the first term of a visit's value dominates, in any unit of time.
const RARE_RATE: f64 = 1e-12;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Page {
    /// Belief about its change rate.
    pub belief: Belief,
    /// Importance. A page with zero or negative weight is never visited.
    pub weight: f64,
}

impl Page {
    /// Creates a page of known rate and weight one.
    pub fn of_rate(rate: f64) -> Self {
        Self {
            belief: Belief::certain(rate),
            weight: 1.0,
        }
    }

    /// Creates a page on which events appear at a rate, such as a list of objects. Each event
    /// counts separately for as long as it was not seen. Unlike the freshness of a copy, which is
    /// lost once, the loss grows with every event, so no list is neglected for changing too fast.
    /// The page is equivalent to very many pages that hardly ever change.
    pub fn of_events(rate: f64, weight: f64) -> Self {
        Self {
            belief: Belief::certain(RARE_RATE),
            weight: weight * rate / RARE_RATE,
        }
    }

    /// Returns the optimal frequency of visits at a price.
    pub fn frequency_at(&self, goal: Goal, price: f64) -> f64 {
        if self.weight.is_nan() || self.weight <= 0.0 || self.belief.rate() <= 0.0 {
            return 0.0;
        }
        1.0 / self.belief.gap_for(goal, price / self.weight)
    }

    fn is_marginal(&self, goal: Goal, price: f64) -> bool {
        let max = self.weight * self.belief.max_value(goal);
        self.weight > 0.0 && (max / price - 1.0).abs() <= MARGINAL_DISTANCE
    }
}

/// Returns the weight of a page with objects. `sources` has for each object the number of pages
/// that are visited to keep it current, including this one. A visit to one of them counts as a
/// share of the object.
pub fn weight(sources: impl IntoIterator<Item = u32>) -> f64 {
    let shares = sources.into_iter().map(|sources| 1.0 / f64::from(sources.max(1)));
    shares.sum()
}

/// Frequencies of visits to pages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Visits per unit of time, in the order of the pages.
    pub frequencies: Vec<f64>,
    /// Gain of one more visit, and minimum value of every visit: pages are due when their crawl
    /// value reaches it. Infinite without a budget.
    pub price: f64,
}

impl Plan {
    fn without_visits(count: usize) -> Self {
        Self {
            frequencies: vec![0.0; count],
            price: f64::INFINITY,
        }
    }

    /// Total number of visits per unit of time.
    pub fn visits(&self) -> f64 {
        self.frequencies.iter().sum()
    }
}

/// Returns the optimal frequencies within a budget. Gaps of a page are assumed to be even.
///
/// Without a budget there are no visits. Pages that never change, or have no weight, get none; if
/// all are such, the budget is not spent. For freshness, pages that change too fast for their
/// weight get none either.
pub fn optimal(pages: &[Page], goal: Goal, budget: f64) -> Plan {
    let mut frequencies = vec![0.0; pages.len()];
    let mut price_of_these = f64::NAN;
    let demand = |price: f64, stride: usize| -> f64 {
        if stride > 1 {
            return total(pages, stride, goal, price);
        }
        price_of_these = price;
        let visits = pages.iter().zip(&mut frequencies).map(|(page, frequency)| {
            *frequency = page.frequency_at(goal, price);
            *frequency
        });
        visits.sum()
    };
    let Some(solution) = find_price(pages.len(), budget, demand) else {
        return Plan::without_visits(pages.len());
    };
    let price = solution.price;
    if price_of_these != price {
        frequencies = pages.iter().map(|page| page.frequency_at(goal, price)).collect();
    }
    let mut plan = Plan { frequencies, price };
    meet_budget(&mut plan, pages, goal, budget, solution.between);
    plan
}

/// Returns the price alone, without memory for ten million frequencies.
pub fn price(pages: &[Page], goal: Goal, budget: f64) -> f64 {
    let demand = |price: f64, stride: usize| total(pages, stride, goal, price);
    find_price(pages.len(), budget, demand).map_or(f64::INFINITY, |solution| solution.price)
}

/// Returns the total frequency at a price of every n-th page.
fn total(pages: &[Page], stride: usize, goal: Goal, price: f64) -> f64 {
    let pages = pages.iter().step_by(stride);
    pages.map(|page| page.frequency_at(goal, price)).sum()
}

/// Adjusts the plan to meet the budget exactly.
///
/// If the price is as precise as `f64` allows and visits are still missing, the marginal pages get
/// them: at equal value per visit, each gets a share by its rate. Smaller differences are scaled
/// away.
fn meet_budget(plan: &mut Plan, pages: &[Page], goal: Goal, budget: f64, between: Option<[f64; 2]>) {
    if let Some(prices) = between {
        let marginal = |page: &Page| prices.iter().any(|price| page.is_marginal(goal, *price));
        share_among_marginal(plan, pages, budget, marginal);
    }
    let visits = plan.visits();
    if visits > 0.0 {
        let scale = budget / visits;
        plan.frequencies
            .iter_mut()
            .for_each(|frequency| *frequency *= scale);
    }
}

/// Gives marginal pages the rest of the budget.
fn share_among_marginal(plan: &mut Plan, pages: &[Page], budget: f64, marginal: impl Fn(&Page) -> bool) {
    let (mut rates, mut rest) = (0.0, budget);
    for (page, frequency) in pages.iter().zip(&plan.frequencies) {
        if marginal(page) {
            rates += page.belief.rate();
        } else {
            rest -= frequency;
        }
    }
    if rates == 0.0 || rest < 0.0 {
        return;
    }
    for (page, frequency) in pages.iter().zip(&mut plan.frequencies) {
        if marginal(page) {
            *frequency = rest * page.belief.rate() / rates;
        }
    }
}

/// Returns the expected mean freshness or age of pages visited at these frequencies, at even gaps.
pub fn expected(pages: &[Page], goal: Goal, frequencies: &[f64]) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (page, frequency) in pages.iter().zip(frequencies) {
        if page.weight > 0.0 {
            let reached = match goal {
                Goal::Freshness => page.belief.freshness(*frequency),
                Goal::Age => page.belief.age(*frequency),
            };
            sum += page.weight * reached;
            weights += page.weight;
        }
    }
    match goal {
        _ if weights > 0.0 => sum / weights,
        Goal::Freshness => 1.0,
        Goal::Age => SyncOrder::Fixed.age(0.0, 0.0),
    }
}
