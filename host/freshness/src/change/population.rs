//! Priors from the pages themselves: empirical Bayes, in two levels.
//!
//! The rates of a pattern's pages are distributed around the centre of the pattern, and the centres
//! of patterns around a common one. So a pattern of a thousand pages has its own prior, one of
//! three borrows from the others, and a page never visited borrows from its pattern.

use serde::{Deserialize, Serialize};

use super::history::History;
use super::numeric::gamma_shape;
use super::prior::RatePrior;

/// Maximum number of pages for one pattern's prior, evenly chosen: its two parameters need no more.
const MAX_PAGES: usize = 4096;
/// Weight, in pages, of the usual deviation within patterns when a pattern's own is learned. The
/// deviation of a handful of pages, each with an uncertain rate, is mostly noise.
const PRIOR_PAGES: f64 = 8.0;
/// Number of iterations of priors and pages, and maximum step of a centre in one. The likelihood of
/// a page is less informative about distant rates than it seems.
const ROUNDS: usize = 40;
const MAX_STEP: f64 = 2.0;
/// Number of centres on either side of the likeliest one that are weighed, and their distance in
/// standard deviations.
const CENTRES: i32 = 12;
const CENTRE_DISTANCE: f64 = 0.375;
/// Maximum number of grid points of the log rate, and minimum distance between them.
const MAX_GRID_POINTS: f64 = 192.0;
const MIN_GRID_STEP: f64 = 0.08;
/// Bounds on the deviations of log rates: pages are never all alike, and no likelihood is so flat
/// that they would differ by more than a factor of `e^4`.
const MIN_AND_MAX_DEVIATION: (f64, f64) = (0.05, 4.0);
/// Deviation of an unknown rate: a factor of about seven either way.
const UNKNOWN_DEVIATION: f64 = 2.0;

/// Distribution of rates over and within patterns, as natural logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Population {
    /// Mean of the patterns' centres.
    pub centre: f64,
    /// Standard deviation of the patterns' centres.
    pub between: f64,
    /// Usual standard deviation of pages within a pattern.
    pub within: f64,
}

impl Population {
    /// Creates a population from a guessed rate, without observations.
    pub fn guess(rate: f64) -> Self {
        let deviation = UNKNOWN_DEVIATION / std::f64::consts::SQRT_2;
        Self {
            centre: rate.ln(),
            between: deviation,
            within: deviation,
        }
    }

    /// Returns the prior for the pages of a pattern without visits.
    pub fn new_pattern(&self) -> RatePrior {
        let deviation = self.between.hypot(self.within);
        RatePrior::LogNormal {
            centre: self.centre,
            deviation,
        }
    }

    /// Returns the prior of one pattern, from the histories of its pages.
    pub fn pattern<'a>(&self, pages: impl IntoIterator<Item = &'a History>) -> RatePrior {
        let table = LikelihoodTable::of(pages);
        let mut pattern = Pattern::start(self);
        for _ in 0..ROUNDS {
            pattern.improve(&table, self);
        }
        pattern.prior(&table, self)
    }

    /// Learns the population and the prior of each pattern from the histories of their pages.
    ///
    /// `guess` applies where the histories are uninformative.
    pub fn learn<'a, P>(guess: &Self, patterns: impl IntoIterator<Item = P>) -> (Self, Vec<RatePrior>)
    where
        P: IntoIterator<Item = &'a History>,
    {
        let tables: Vec<LikelihoodTable> = patterns.into_iter().map(LikelihoodTable::of).collect();
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

    /// Improves the population by its patterns. The guess counts as one more pattern of one page.
    fn improve(&mut self, patterns: &[Pattern], guess: &Self) {
        // Share of a pattern's centre that its own pages determine.
        let known = |pattern: &Pattern| (1.0 - pattern.centre_variance / self.between.powi(2)).max(0.0);
        let count = 1.0 + patterns.iter().map(known).sum::<f64>();
        let away = |pattern: &Pattern| pattern.centre - self.centre;
        let step = patterns.iter().map(away).sum::<f64>() + guess.centre - self.centre;
        let apart = patterns.iter().map(|pattern| away(pattern).powi(2)).sum::<f64>();
        let effective_pages = 1.0
            + patterns
                .iter()
                .map(|pattern| pattern.effective_pages)
                .sum::<f64>();
        let within = patterns.iter().map(|pattern| pattern.scatter).sum::<f64>();
        let bounded_deviation = |variance: f64| {
            variance
                .sqrt()
                .clamp(MIN_AND_MAX_DEVIATION.0, MIN_AND_MAX_DEVIATION.1)
        };
        let apart = guess.between.powi(2) + (guess.centre - self.centre).powi(2) + apart;
        self.centre += (step / count).clamp(-MAX_STEP, MAX_STEP);
        self.between = bounded_deviation(apart / count);
        self.within = bounded_deviation((guess.within.powi(2) + within) / effective_pages);
    }
}

impl RatePrior {
    /// Returns the gamma distribution that makes the histories of a pattern's pages most likely.
    ///
    /// Returns `None` if nothing was observed over any time.
    pub fn gamma_of<'a>(pages: impl IntoIterator<Item = &'a History>) -> Option<Self> {
        let pages = informative_pages(pages);
        let time: f64 = pages.iter().map(|page| page.time()).sum();
        if pages.is_empty() || time <= 0.0 {
            return None;
        }
        // One page at this rate is added below. Without it, pages that all saw nothing, or all the
        // same, would give a rate of zero, or no spread.
        let pooled = (pages.iter().map(|page| page.changes()).sum::<f64>() + 0.5) / time;
        let mut prior = Self::Gamma {
            shape: 1.0,
            time: 1.0 / pooled,
        };
        for _ in 0..ROUNDS {
            // The added page has a spread of its own, with a variance of one of the logarithm.
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
    /// Sum of the squared distances of its pages from the centre, and effective number of pages.
    scatter: f64,
    effective_pages: f64,
}

impl Pattern {
    fn start(population: &Population) -> Self {
        Self {
            centre: population.centre,
            deviation: population.between.hypot(population.within),
            centre_variance: population.between.powi(2),
            scatter: 0.0,
            effective_pages: 0.0,
        }
    }

    /// Returns the prior. An uncertain centre makes the rate of each page uncertain by as much.
    fn prior(&self, table: &LikelihoodTable, population: &Population) -> RatePrior {
        let step = CENTRE_DISTANCE * self.centre_variance.sqrt();
        // The distribution of the centre may be skewed: where nothing ever changed, the centre may
        // be arbitrarily low, but hardly higher. So the likelihood of the pages is computed at each
        // centre.
        let centres: Vec<f64> = (-CENTRES..=CENTRES)
            .map(|index| self.centre + step * f64::from(index))
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

    /// Performs one iteration: the log rate of each page under the current prior, then the prior
    /// from these.
    fn improve(&mut self, table: &LikelihoodTable, population: &Population) {
        let between = population.between.powi(-2);
        let seen = table.expect(self.centre, self.deviation);
        let precision = self.deviation.powi(-2);
        // The prior moves by the evidence of each page alone, without its own contribution to that
        // page. So patterns whose pages never change converge in a few iterations, where
        // expectation maximisation would hardly move.
        let pull = precision * seen.away + between * (population.centre - self.centre);
        let step = pull / (precision * seen.effective_pages + between);
        self.centre += step.clamp(-MAX_STEP, MAX_STEP);
        self.centre_variance = 1.0 / (between + precision * seen.effective_pages);
        (self.effective_pages, self.scatter) = (seen.effective_pages, seen.square);
        let prior_scatter = PRIOR_PAGES * population.within.powi(2);
        let variance = (seen.square + prior_scatter) / (seen.effective_pages + PRIOR_PAGES);
        self.deviation = variance
            .sqrt()
            .clamp(MIN_AND_MAX_DEVIATION.0, MIN_AND_MAX_DEVIATION.1);
    }
}

/// Evidence of pages on their pattern's prior.
#[derive(Default)]
struct Evidence {
    /// Sum of the distances of their mean log rates from the centre, and of the squared distances.
    away: f64,
    square: f64,
    effective_pages: f64,
}

/// Likelihoods of some pages on an even grid of the log rate.
struct LikelihoodTable {
    first: f64,
    step: f64,
    rows: Vec<Vec<f32>>,
}

impl LikelihoodTable {
    fn of<'a>(pages: impl IntoIterator<Item = &'a History>) -> Self {
        let pages = informative_pages(pages);
        let reach = pages.iter().filter_map(|page| page.distinguishable_rates());
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
        // Outside of this range likelihoods are flat or negligible, and the prior may extend
        // further.
        let (first, last) = (low.ln() - 6.0, high.ln() + 6.0);
        let step = ((last - first) / MAX_GRID_POINTS).max(MIN_GRID_STEP);
        let points = ((last - first) / step).ceil() as usize + 1;
        let row = |page: &&History| {
            let logs = (0..points).map(|index| page.log_likelihood((first + step * index as f64).exp()));
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

    /// Returns the log-likelihood of the observations under a prior, up to a constant.
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

    /// Returns a prior at all grid points. A centre outside of the grid is moved to its end.
    fn density(&self, centre: f64, deviation: f64) -> Vec<f64> {
        let count = self.rows.first().map_or(0, Vec::len);
        let point = |number: usize| self.first + self.step * number as f64;
        let centre = centre.clamp(self.first, point(count).max(self.first));
        (0..count)
            .map(|number| (-((point(number) - centre) / deviation).powi(2) / 2.0).exp())
            .collect()
    }

    /// Returns the evidence of the pages under a prior.
    fn expect(&self, centre: f64, deviation: f64) -> Evidence {
        let away = |number: usize| self.first + self.step * number as f64 - centre;
        let weights: Vec<(f64, f64)> = (0..).map(away).zip(self.density(centre, deviation)).collect();
        let mut evidence = Evidence::default();
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
            evidence.away += mean;
            evidence.square += mean * mean;
            evidence.effective_pages += (1.0 - left).clamp(0.0, 1.0);
        }
        evidence
    }
}

/// Returns pages with observations, at most as many as are needed.
fn informative_pages<'a>(pages: impl IntoIterator<Item = &'a History>) -> Vec<&'a History> {
    let known: Vec<&History> = pages.into_iter().filter(|page| !page.is_empty()).collect();
    let every = known.len().div_ceil(MAX_PAGES).max(1);
    known.into_iter().step_by(every).collect()
}
