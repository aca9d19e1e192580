//! Priors from the pages themselves: empirical Bayes, in two levels.
//!
//! The rates of the pages of a pattern are spread around the pattern's own centre, and the centres
//! of the patterns around one of all. So a pattern of a thousand pages speaks for itself, one of
//! three leans on the others, and a page never visited on its pattern.

use serde::{Deserialize, Serialize};

use super::history::History;
use super::numeric::gamma_shape;
use super::prior::RatePrior;

/// Pages looked at for one pattern's prior, evenly chosen: its two numbers need no more.
const MOST_PAGES: usize = 4096;
/// How many pages' worth the usual spread within patterns is when a pattern's own is learned.
/// The spread of a handful of pages, each known badly, is mostly noise.
const WITHIN_WORTH: f64 = 8.0;
/// Rounds in which priors and what they make of pages approach one another, and how far a centre moves in one: what is seen of a page
/// says less of rates far away than it seems.
const ROUNDS: usize = 40;
const LONGEST_STEP: f64 = 2.0;
/// Centres to either side of the likeliest one that are weighed, and how far apart they are, in standard deviations.
const CENTRES: i32 = 12;
const CENTRES_APART: f64 = 0.375;
/// Places of the log rate at which likelihoods are kept, and how far apart they are at least.
const MOST_PLACES: f64 = 192.0;
const LEAST_STEP: f64 = 0.08;
/// Deviations of log rates stay between these: pages are never all alike, and no likelihood is so
/// flat that they would differ by more than a factor of `e^4`.
const DEVIATIONS: (f64, f64) = (0.05, 4.0);
/// The deviation around a rate of which nothing is known: a factor of about seven either way.
const UNKNOWN: f64 = 2.0;

/// How rates are spread over patterns, and within them, on the scale of their natural logarithm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Population {
    /// The mean of the patterns' centres.
    pub centre: f64,
    /// The standard deviation of the patterns' centres.
    pub between: f64,
    /// The usual standard deviation of pages within a pattern.
    pub within: f64,
}

impl Population {
    /// Where nothing was seen yet: a guess at a rate.
    pub fn guess(rate: f64) -> Self {
        let deviation = UNKNOWN / std::f64::consts::SQRT_2;
        Self {
            centre: rate.ln(),
            between: deviation,
            within: deviation,
        }
    }

    /// For the pages of a pattern of which none was visited.
    pub fn new_pattern(&self) -> RatePrior {
        let deviation = self.between.hypot(self.within);
        RatePrior::LogNormal {
            centre: self.centre,
            deviation,
        }
    }

    /// The prior of one pattern, from what is known of its pages.
    pub fn pattern<'a>(&self, pages: impl IntoIterator<Item = &'a History>) -> RatePrior {
        let table = Table::of(pages);
        let mut pattern = Pattern::start(self);
        for _ in 0..ROUNDS {
            pattern.improve(&table, self);
        }
        pattern.prior(&table, self)
    }

    /// Learns from patterns how they differ: the population, and each pattern's prior.
    ///
    /// `guess` holds where the histories say nothing.
    pub fn learn<'a, P>(guess: &Self, patterns: impl IntoIterator<Item = P>) -> (Self, Vec<RatePrior>)
    where
        P: IntoIterator<Item = &'a History>,
    {
        let tables: Vec<Table> = patterns.into_iter().map(Table::of).collect();
        let mut population = *guess;
        let mut fitted: Vec<Pattern> = tables.iter().map(|_| Pattern::start(guess)).collect();
        for _ in 0..ROUNDS {
            for (pattern, table) in fitted.iter_mut().zip(&tables) {
                pattern.improve(table, &population);
            }
            population.improve(&fitted, guess);
        }
        let patterns = fitted.iter().zip(&tables);
        let priors = patterns
            .map(|(pattern, table)| pattern.prior(table, &population))
            .collect();
        (population, priors)
    }

    /// The population that makes its patterns most likely; the guess counts as one more pattern, of
    /// one page.
    fn improve(&mut self, patterns: &[Pattern], guess: &Self) {
        // How much of a pattern's centre is known by its own pages.
        let known = |pattern: &Pattern| (1.0 - pattern.centre_variance / self.between.powi(2)).max(0.0);
        let count = 1.0 + patterns.iter().map(known).sum::<f64>();
        let away = |pattern: &Pattern| pattern.centre - self.centre;
        let step = patterns.iter().map(away).sum::<f64>() + guess.centre - self.centre;
        let apart = patterns.iter().map(|pattern| away(pattern).powi(2)).sum::<f64>();
        let told = 1.0 + patterns.iter().map(|pattern| pattern.told).sum::<f64>();
        let within = patterns.iter().map(|pattern| pattern.scatter).sum::<f64>();
        let bounded = |variance: f64| variance.sqrt().clamp(DEVIATIONS.0, DEVIATIONS.1);
        let apart = guess.between.powi(2) + (guess.centre - self.centre).powi(2) + apart;
        self.centre += (step / count).clamp(-LONGEST_STEP, LONGEST_STEP);
        self.between = bounded(apart / count);
        self.within = bounded((guess.within.powi(2) + within) / told);
    }
}

impl RatePrior {
    /// The gamma distribution that makes the histories of a pattern's pages most likely.
    ///
    /// One page at the pooled rate is added, without which the answer for pages that all saw nothing, or all alike,
    /// would be a rate of none, or no spread at all. None when nothing was seen over any time.
    pub fn gamma_of<'a>(pages: impl IntoIterator<Item = &'a History>) -> Option<Self> {
        let pages = known_pages(pages);
        let time: f64 = pages.iter().map(|page| page.time()).sum();
        if pages.is_empty() || time <= 0.0 {
            return None;
        }
        let pooled = (pages.iter().map(|page| page.changes()).sum::<f64>() + 0.5) / time;
        let mut prior = Self::Gamma {
            shape: 1.0,
            time: 1.0 / pooled,
        };
        for _ in 0..ROUNDS {
            // The added page has a spread of its own, of one unit of the logarithm's variance.
            let (mut mean, mut log_mean) = (pooled, pooled.ln() - 0.5);
            for page in &pages {
                let posterior = prior.posterior(page);
                mean += posterior.mean;
                log_mean += posterior.log_mean;
            }
            let count = 1.0 + pages.len() as f64;
            let shape = gamma_shape((mean / count).ln() - log_mean / count).clamp(0.05, 400.0);
            prior = Self::Gamma {
                shape,
                time: shape * count / mean,
            };
        }
        Some(prior)
    }
}

/// One pattern's prior while it is learned.
struct Pattern {
    centre: f64,
    deviation: f64,
    centre_variance: f64,
    /// The sum of the square distances of its pages from the centre, and how many pages' worth is known of them.
    scatter: f64,
    told: f64,
}

impl Pattern {
    fn start(population: &Population) -> Self {
        Self {
            centre: population.centre,
            deviation: population.between.hypot(population.within),
            centre_variance: population.between.powi(2),
            scatter: 0.0,
            told: 0.0,
        }
    }

    /// A centre that is not known well makes each single page uncertain by as much.
    ///
    /// It is known by how likely each makes the pages, as that may be lopsided: where nothing ever changed, the centre may be low
    /// without end, and hardly higher.
    fn prior(&self, table: &Table, population: &Population) -> RatePrior {
        let step = CENTRES_APART * self.centre_variance.sqrt();
        let centres: Vec<f64> = (-CENTRES..=CENTRES)
            .map(|place| self.centre + step * f64::from(place))
            .collect();
        let logs: Vec<f64> = centres
            .iter()
            .map(|centre| {
                let away = (centre - population.centre) / population.between;
                table.log_likelihood(*centre, self.deviation) - away * away / 2.0
            })
            .collect();
        let top = logs.iter().copied().fold(f64::MIN, f64::max);
        let (mut all, mut first, mut second) = (0.0, 0.0, 0.0);
        for (centre, log) in centres.iter().zip(&logs) {
            let (away, weight) = (centre - self.centre, (log - top).exp());
            all += weight;
            first += weight * away;
            second += weight * away * away;
        }
        let mean = first / all;
        let variance = (second / all - mean * mean).max(0.0);
        RatePrior::LogNormal {
            centre: self.centre + mean,
            deviation: self.deviation.hypot(variance.sqrt()),
        }
    }

    /// One round: what each page's log rate is under the prior of now, then the prior of that.
    ///
    /// What a page shows by itself moves the prior, and not what the prior said of it: so patterns whose pages never change come to
    /// their rate in a few rounds, where expectation and maximisation would hardly move.
    fn improve(&mut self, table: &Table, population: &Population) {
        let between = population.between.powi(-2);
        let seen = table.expect(self.centre, self.deviation);
        let precision = self.deviation.powi(-2);
        let pull = precision * seen.away + between * (population.centre - self.centre);
        let step = pull / (precision * seen.told + between);
        self.centre += step.clamp(-LONGEST_STEP, LONGEST_STEP);
        self.centre_variance = 1.0 / (between + precision * seen.told);
        (self.told, self.scatter) = (seen.told, seen.square);
        let worth = WITHIN_WORTH * population.within.powi(2);
        let variance = (seen.square + worth) / (seen.told + WITHIN_WORTH);
        self.deviation = variance.sqrt().clamp(DEVIATIONS.0, DEVIATIONS.1);
    }
}

/// What pages show of their pattern's prior.
#[derive(Default)]
struct Shown {
    /// The sum of how far their mean log rates are from the centre, and of the squares of that.
    away: f64,
    square: f64,
    /// How many pages' worth is known of them.
    told: f64,
}

/// The likelihoods of some pages at even places of the log rate.
struct Table {
    first: f64,
    step: f64,
    rows: Vec<Vec<f32>>,
}

impl Table {
    fn of<'a>(pages: impl IntoIterator<Item = &'a History>) -> Self {
        let pages = known_pages(pages);
        let reach = pages.iter().filter_map(|page| page.rates_in_reach());
        let (low, high) = reach.fold((f64::MAX, 0.0_f64), |(low, high), (slow, fast)| {
            (low.min(slow), high.max(fast))
        });
        if pages.is_empty() || low > high {
            return Self {
                first: 0.0,
                step: 1.0,
                rows: Vec::new(),
            };
        }
        // Beyond their reach likelihoods are flat or gone, and the prior may reach further.
        let (first, last) = (low.ln() - 6.0, high.ln() + 6.0);
        let step = ((last - first) / MOST_PLACES).max(LEAST_STEP);
        let places = ((last - first) / step).ceil() as usize + 1;
        let row = |page: &&History| {
            let logs = (0..places).map(|place| page.log_likelihood((first + step * place as f64).exp()));
            let logs: Vec<f64> = logs.collect();
            let top = logs.iter().fold(f64::MIN, |top, log| top.max(*log));
            logs.iter().map(|log| (log - top).exp() as f32).collect()
        };
        Self {
            first,
            step,
            rows: pages.iter().map(row).collect(),
        }
    }

    /// The logarithm of how likely a prior makes what was seen, up to what holds for every centre.
    fn log_likelihood(&self, centre: f64, deviation: f64) -> f64 {
        let weights = self.density(centre, deviation);
        let all: f64 = weights.iter().sum();
        let of_page = |row: &Vec<f32>| {
            let likely = row.iter().zip(&weights);
            let likely: f64 = likely
                .map(|(likelihood, weight)| f64::from(*likelihood) * weight)
                .sum();
            (likely / all).max(f64::MIN_POSITIVE).ln()
        };
        self.rows.iter().map(of_page).sum()
    }

    /// A prior at all places; one with its centre beyond them is as one at their end.
    fn density(&self, centre: f64, deviation: f64) -> Vec<f64> {
        let count = self.rows.first().map_or(0, Vec::len);
        let place = |number: usize| self.first + self.step * number as f64;
        let centre = centre.clamp(self.first, place(count).max(self.first));
        (0..count)
            .map(|number| (-((place(number) - centre) / deviation).powi(2) / 2.0).exp())
            .collect()
    }

    /// What the pages show under a prior.
    fn expect(&self, centre: f64, deviation: f64) -> Shown {
        let away = |number: usize| self.first + self.step * number as f64 - centre;
        let weights: Vec<(f64, f64)> = (0..).map(away).zip(self.density(centre, deviation)).collect();
        let mut shown = Shown::default();
        for row in &self.rows {
            let (mut all, mut first, mut second) = (f64::MIN_POSITIVE, 0.0, 0.0);
            for ((away, density), likelihood) in weights.iter().zip(row) {
                let weight = density * f64::from(*likelihood);
                all += weight;
                first += weight * away;
                second += weight * away * away;
            }
            let (mean, mean_square) = (first / all, second / all);
            let left = (mean_square - mean * mean) / (deviation * deviation);
            shown.away += mean;
            shown.square += mean * mean;
            shown.told += (1.0 - left).clamp(0.0, 1.0);
        }
        shown
    }
}

/// Pages of which something is known, no more than are needed.
fn known_pages<'a>(pages: impl IntoIterator<Item = &'a History>) -> Vec<&'a History> {
    let known: Vec<&History> = pages.into_iter().filter(|page| !page.is_empty()).collect();
    let every = known.len().div_ceil(MOST_PAGES).max(1);
    known.into_iter().step_by(every).collect()
}
