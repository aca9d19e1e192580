//! How often to visit each page, at a budget of visits per unit of time.

use crate::change::{Belief, Goal, SyncOrder};

use super::price::meet;

/// A page whose best value is within this share of the price is marginal: its frequency depends on
/// digits of the price that a double does not have.
const MARGINAL: f64 = 1e-12;

/// A rate at which the first term of a visit's worth is all of it, whatever unit of time is used.
const HARDLY_EVER: f64 = 1e-12;

/// A page to be visited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Page {
    /// What is believed of its change rate.
    pub belief: Belief,
    /// What it matters. None below or at zero, so that it is never visited.
    pub weight: f64,
}

impl Page {
    /// A page of known rate and weight one.
    pub fn of_rate(rate: f64) -> Self {
        Self {
            belief: Belief::certain(rate),
            weight: 1.0,
        }
    }

    /// A page on which things appear at a rate, each of which counts by itself for as long as it was not seen: a list of
    /// objects. Other than the freshness of a copy, which is lost once, this grows with every event, so that no
    /// list is given up for changing too fast. It is as if very many pages stood behind it that hardly ever change.
    pub fn of_events(rate: f64, weight: f64) -> Self {
        Self {
            belief: Belief::certain(HARDLY_EVER),
            weight: weight * rate / HARDLY_EVER,
        }
    }

    /// How often it asks to be visited at a price.
    pub fn frequency_at(&self, goal: Goal, price: f64) -> f64 {
        if self.weight.is_nan() || self.weight <= 0.0 || self.belief.rate() <= 0.0 {
            return 0.0;
        }
        1.0 / self.belief.gap_for(goal, price / self.weight)
    }

    fn is_marginal(&self, goal: Goal, price: f64) -> bool {
        let most = self.weight * self.belief.most_value(goal);
        self.weight > 0.0 && (most / price - 1.0).abs() <= MARGINAL
    }
}

/// Returns the weight of a page that shows objects. `sources` has for each object the number of
/// pages that are visited to keep it current, this one among them: a visit to one of them is a
/// share in what is known of the object.
pub fn weight(sources: impl IntoIterator<Item = u32>) -> f64 {
    let shares = sources.into_iter().map(|sources| 1.0 / f64::from(sources.max(1)));
    shares.sum()
}

/// How often to visit each page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Visits per unit of time, in the order of the pages.
    pub frequencies: Vec<f64>,
    /// What one more visit would gain, and what every visit is worth at least: pages are due when
    /// their crawl value reaches it. Infinite when there is no budget.
    pub price: f64,
}

impl Plan {
    /// Nobody is visited.
    fn of_nothing(count: usize) -> Self {
        Self {
            frequencies: vec![0.0; count],
            price: f64::INFINITY,
        }
    }

    /// Visits per unit of time, all together.
    pub fn visits(&self) -> f64 {
        self.frequencies.iter().sum()
    }
}

/// The frequencies that reach most at a budget. Gaps of a page are meant to be even.
///
/// With no budget there are no visits. Pages that never change, or have no weight, get none; if all are
/// so, the budget stays unspent. For freshness, pages that change too fast for their weight get none either.
pub fn optimal(pages: &[Page], goal: Goal, budget: f64) -> Plan {
    let mut frequencies = vec![0.0; pages.len()];
    let mut price_of_these = f64::NAN;
    let asked = |price: f64, every: usize| -> f64 {
        if every > 1 {
            return total(pages, every, goal, price);
        }
        price_of_these = price;
        let visits = pages.iter().zip(&mut frequencies).map(|(page, frequency)| {
            *frequency = page.frequency_at(goal, price);
            *frequency
        });
        visits.sum()
    };
    let Some(met) = meet(pages.len(), budget, asked) else {
        return Plan::of_nothing(pages.len());
    };
    let price = met.price;
    if price_of_these != price {
        frequencies = pages.iter().map(|page| page.frequency_at(goal, price)).collect();
    }
    let mut plan = Plan { frequencies, price };
    spend_rest(&mut plan, pages, goal, budget, met.between);
    plan
}

/// The price alone, without the memory for ten million frequencies.
pub fn price(pages: &[Page], goal: Goal, budget: f64) -> f64 {
    let asked = |price: f64, every: usize| total(pages, every, goal, price);
    meet(pages.len(), budget, asked).map_or(f64::INFINITY, |met| met.price)
}

/// What every so manyth of the pages asks for at a price.
fn total(pages: &[Page], every: usize, goal: Goal, price: f64) -> f64 {
    let pages = pages.iter().step_by(every);
    pages.map(|page| page.frequency_at(goal, price)).sum()
}

/// Makes the plan meet the budget exactly.
///
/// If the price is as close as a double can be and visits are still missing, they belong to the marginal
/// pages: at equal value per visit, each gets its share by its rate. Anything smaller is scaled away.
fn spend_rest(plan: &mut Plan, pages: &[Page], goal: Goal, budget: f64, between: Option<[f64; 2]>) {
    if let Some(prices) = between {
        let marginal = |page: &Page| prices.iter().any(|price| page.is_marginal(goal, *price));
        share_out(plan, pages, budget, marginal);
    }
    let visits = plan.visits();
    if visits > 0.0 {
        let scale = budget / visits;
        plan.frequencies
            .iter_mut()
            .for_each(|frequency| *frequency *= scale);
    }
}

/// Gives marginal pages what the others leave of the budget.
fn share_out(plan: &mut Plan, pages: &[Page], budget: f64, marginal: impl Fn(&Page) -> bool) {
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

/// Every page alike, for comparison.
pub fn uniform(pages: &[Page], budget: f64) -> Vec<f64> {
    vec![budget.max(0.0) / pages.len().max(1) as f64; pages.len()]
}

/// Every page as often as it changes, for comparison. Tempting, and worse than visiting all alike:
/// most visits go to pages that change again at once.
pub fn proportional(pages: &[Page], budget: f64) -> Vec<f64> {
    let rates: f64 = pages.iter().map(|page| page.belief.rate()).sum();
    let share = if rates > 0.0 { budget.max(0.0) / rates } else { 0.0 };
    pages.iter().map(|page| page.belief.rate() * share).collect()
}

/// The mean freshness or age expected of pages that are visited so often, at even gaps.
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
