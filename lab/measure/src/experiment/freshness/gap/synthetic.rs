//! Synthetic pages that follow the model, with known rates.

use magpie_freshness::change::{Goal, History, Observation, Population};
use magpie_freshness::schedule::{Page, expected, optimal};

use super::limit::{self, Density, Values};
use crate::baselines::schedules::uniform;
use crate::random::Random;

/// For odd spreads: the share of pages with arbitrary rates, and the share of fast pages among the
/// others.
const STRANGER_SHARE: f64 = 0.1;
const FAST_SHARE: f64 = 0.3;

/// A distribution of rates in patterns of pages, in terms of log rates.
#[derive(Clone, Copy)]
pub(super) struct Pages {
    pub(super) name: &'static str,
    pub(super) patterns: usize,
    pub(super) pages: usize,
    pub(super) spread: Spread,
    /// Visits per page and unit of time.
    pub(super) budget: f64,
    /// If true, visits report the date of the last change.
    pub(super) dated: bool,
    /// If true, pages have Pareto weights.
    pub(super) weighted: bool,
}

/// Distribution of the rates of patterns and pages.
#[derive(Clone, Copy)]
pub(super) enum Spread {
    /// Normal centres, and pages normal around them.
    Normal { centre: f64, between: f64, within: f64 },
    /// Uniform centres between two ends. A page is at one of two points around its centre, or in
    /// one of ten cases anywhere. None of the assumptions of learning hold.
    Odd { low: f64, high: f64, apart: f64 },
}

impl Spread {
    /// Returns the distribution of a pattern's log rates around its centre.
    fn around(self, centre: f64) -> Density {
        match self {
            Self::Normal { within, .. } => limit::logs()
                .map(|log| (-((log - centre) / within).powi(2) / 2.0).exp())
                .collect(),
            Self::Odd { low, high, apart } => {
                let anywhere = limit::point_index(low)..=limit::point_index(high);
                let each = STRANGER_SHARE / anywhere.clone().count() as f64;
                let mut density = vec![0.0; limit::logs().count()];
                density[anywhere].fill(each);
                density[limit::point_index(centre + apart)] += (1.0 - STRANGER_SHARE) * FAST_SHARE;
                density[limit::point_index(centre - apart / 2.0)] +=
                    (1.0 - STRANGER_SHARE) * (1.0 - FAST_SHARE);
                density
            }
        }
    }
}

/// Freshness by several methods to choose frequencies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    pub(super) uniform: f64,
    pub(super) oracle: f64,
    pub(super) plug_in: f64,
    pub(super) pattern: f64,
    /// With each pattern's true distribution, which nothing learned from visits can exceed on
    /// average. `None` if policies choose the visits that they learn from.
    pub(super) limit: Option<f64>,
}

impl Reached {
    /// Returns the share of the gap between uniform and the oracle that is closed.
    pub(super) fn closed(&self, reached: f64) -> f64 {
        (reached - self.uniform) / (self.oracle - self.uniform)
    }
}

/// Visits all pages `visits` times at gaps of one, then plans, and evaluates the plan.
pub(super) fn daily(world: &Pages, visits: u32, seed: u64) -> Reached {
    let mut random = Random::new(seed, 0);
    let (truth, centres) = pages(world, &mut random);
    let histories: Vec<History> = truth
        .iter()
        .map(|page| {
            let mut history = History::default();
            (0..visits).for_each(|_| visit(&mut history, page.belief.rate(), 1.0, world.dated, &mut random));
            history
        })
        .collect();
    let budget = world.budget * truth.len() as f64;
    let reached = |pages: &[Page]| freshness_of(&truth, &optimal(pages, Goal::Freshness, budget).frequencies);
    Reached {
        uniform: freshness_of(&truth, &uniform(&truth, budget)),
        oracle: reached(&truth),
        plug_in: reached(&plug_in(&truth, &histories)),
        pattern: reached(&learned(world, &truth, &histories)),
        limit: Some(freshness_of(
            &truth,
            &with_true_priors(world, &truth, &centres, &histories, budget),
        )),
    }
}

/// Lets each policy visit at its own frequencies from the start, with a new plan after each visit
/// per page on average. Evaluates the plan after this number of visits.
pub(super) fn own(world: &Pages, visits: u32, seed: u64) -> Reached {
    let mut random = Random::new(seed, 0);
    let (truth, _) = pages(world, &mut random);
    let budget = world.budget * truth.len() as f64;
    let best = |pages: &[Page]| optimal(pages, Goal::Freshness, budget).frequencies;
    let mut run = |pages: &dyn Fn(&[History]) -> Vec<Page>| {
        let mut histories = vec![History::default(); truth.len()];
        let mut frequencies = uniform(&truth, budget);
        let mut owed = vec![0.0; truth.len()];
        for _ in 0..visits {
            for ((history, page), (frequency, owed)) in histories
                .iter_mut()
                .zip(&truth)
                .zip(frequencies.iter().zip(&mut owed))
            {
                // The number of visits in the time of one visit per page.
                *owed += frequency / world.budget;
                while *owed >= 1.0 {
                    visit(
                        history,
                        page.belief.rate(),
                        1.0 / frequency,
                        world.dated,
                        &mut random,
                    );
                    *owed -= 1.0;
                }
            }
            frequencies = best(&pages(&histories));
        }
        freshness_of(&truth, &frequencies)
    };
    Reached {
        uniform: freshness_of(&truth, &uniform(&truth, budget)),
        oracle: freshness_of(&truth, &best(&truth)),
        plug_in: run(&|histories| plug_in(&truth, histories)),
        pattern: run(&|histories| learned(world, &truth, histories)),
        limit: None,
    }
}

fn visit(history: &mut History, rate: f64, gap: f64, dated: bool, random: &mut Random) {
    let ago = -random.share().ln() / rate;
    history.add(
        gap,
        match ago < gap {
            true if dated => Observation::ChangedAgo(ago),
            true => Observation::Changed,
            false => Observation::Same,
        },
    );
}

fn plug_in(truth: &[Page], histories: &[History]) -> Vec<Page> {
    let page = |(page, history): (&Page, &History)| {
        let rate = history.most_likely_rate().unwrap_or(1.0).clamp(1e-9, 1e6);
        Page {
            weight: page.weight,
            ..Page::of_rate(rate)
        }
    };
    truth.iter().zip(histories).map(page).collect()
}

/// Returns the optimal frequencies for the posteriors under the distributions that the pages were
/// drawn from.
fn with_true_priors(
    world: &Pages,
    truth: &[Page],
    centres: &[f64],
    histories: &[History],
    budget: f64,
) -> Vec<f64> {
    let values = Values::new();
    let priors: Vec<Density> = centres
        .iter()
        .map(|centre| world.spread.around(*centre))
        .collect();
    let of_page = |(number, history): (usize, &History)| {
        values.mean(&limit::posterior(&priors[number / world.pages], history))
    };
    let worth: Vec<Vec<f64>> = histories.iter().enumerate().map(of_page).collect();
    let pages = worth
        .iter()
        .zip(truth)
        .map(|(worth, page)| (worth.as_slice(), page.weight));
    limit::frequencies(&pages.collect::<Vec<_>>(), budget)
}

fn learned(world: &Pages, truth: &[Page], histories: &[History]) -> Vec<Page> {
    let (_, priors) = Population::learn(&Population::guess(1.0), histories.chunks(world.pages));
    let page = |(number, history): (usize, &History)| Page {
        belief: priors[number / world.pages].belief_after(history),
        weight: truth[number].weight,
    };
    histories.iter().enumerate().map(page).collect()
}

fn freshness_of(truth: &[Page], frequencies: &[f64]) -> f64 {
    expected(truth, Goal::Freshness, frequencies)
}

/// Draws the pages, and the centres of their patterns.
fn pages(world: &Pages, random: &mut Random) -> (Vec<Page>, Vec<f64>) {
    let mut pages = Vec::with_capacity(world.patterns * world.pages);
    let mut centres = Vec::with_capacity(world.patterns);
    for _ in 0..world.patterns {
        let middle = match world.spread {
            Spread::Normal { centre, between, .. } => centre + between * random.normal(),
            Spread::Odd { low, high, .. } => low + (high - low) * random.share(),
        };
        centres.push(middle);
        for _ in 0..world.pages {
            let log: f64 = match world.spread {
                Spread::Normal { within, .. } => middle + within * random.normal(),
                Spread::Odd { low, high, .. } if random.share() < STRANGER_SHARE => {
                    low + (high - low) * random.share()
                }
                Spread::Odd { apart, .. } => {
                    middle + apart * if random.share() < FAST_SHARE { 1.0 } else { -0.5 }
                }
            };
            let weight = if world.weighted {
                random.share().powf(-1.0 / 1.5) - 0.9
            } else {
                1.0
            };
            pages.push(Page {
                weight,
                ..Page::of_rate(log.exp())
            });
        }
    }
    (pages, centres)
}
