//! Belief about the rate of one page, and the resulting value of a visit.
//!
//! An unknown rate has a gamma distribution. Then every quantity has a closed form, and two numbers
//! per page suffice. The uncertainty matters: a page that changed at every visit so far is hopeless
//! if its rate is really that high, and well worth a visit if that was chance. A schedule that
//! takes an estimate for the truth never finds out.

use super::numeric::{
    Local, age_value, age_value_inverse, concave_root, expm1_ratio, freshness_value, freshness_value_inverse,
    increasing_root, phi,
};
use super::order::SyncOrder;

/// Shape from which on the gamma distribution equals its mean: the value of a visit differs by
/// about one part in the shape.
const CERTAIN_SHAPE: f64 = 1e7;
/// Integrals up to this share of the scale, divided by the shape, are summed as series.
const SERIES_BELOW: f64 = 0.05;
/// Number of terms of such a series; each is below `SERIES_BELOW` times the previous one.
const SERIES_TERMS: u32 = 14;
/// Share of the maximum value from which on the difference to the maximum is more precise than the
/// value.
const NEAR_MAX: f64 = 0.5;

/// The objective of visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Goal {
    /// Maximise the share of copies that equal their page. Neglects pages that change too fast.
    #[default]
    Freshness,
    /// Minimise the time by which copies are behind. Neglects no page.
    Age,
}

/// Change rate of a page, as a gamma distribution or as a known number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief {
    rate: f64,
    /// Variance divided by the square of the mean: the reciprocal of the shape, or 0 for a known
    /// rate. Non-negative.
    spread: f64,
}

impl Belief {
    /// Creates a belief of a known rate. An invalid rate (negative, NaN, infinite) counts as that
    /// of a page that does not change, which is never worth a visit.
    pub fn certain(rate: f64) -> Self {
        Self::uncertain(rate, 0.0)
    }

    /// Creates a belief from the mean of the rate, and its variance divided by the square of the
    /// mean.
    pub fn uncertain(mean: f64, spread: f64) -> Self {
        let valid = mean.is_finite() && mean > 0.0;
        let certain = spread.is_nan() || spread * CERTAIN_SHAPE <= 1.0;
        Self {
            rate: if valid { mean } else { 0.0 },
            spread: if certain { 0.0 } else { spread.min(1e6) },
        }
    }

    /// Creates the belief in which the page is unchanged after two times with these probabilities.
    /// The second time must be longer and its probability lower. If the log-probability would fall
    /// faster than time, no such belief exists, and the rate is taken as known, from the first
    /// pair.
    pub(super) fn matching([(time, unchanged), (later, less)]: [(f64, f64); 2]) -> Self {
        let (loss, factor) = (-unchanged.ln(), less.ln() / unchanged.ln());
        let ratio = later / time;
        let known = loss / time;
        if ratio.is_nan() || ratio <= factor * (1.0 + 1e-9) {
            return Self::certain(known);
        }
        // (1 + t/θ)^-k, in terms of the logarithm of the first time over θ. The ratio of the
        // log-probabilities falls as it grows.
        let miss = |log: f64| {
            let share = log.exp();
            factor - (share * ratio).ln_1p() / share.ln_1p()
        };
        let log = increasing_root(-30.0, 600.0, 0.0, |log| {
            (miss(log), (miss(log + 1e-4) - miss(log - 1e-4)) / 2e-4)
        });
        let share = log.exp();
        let shape = loss / share.ln_1p();
        Self::uncertain(shape * share / time, 1.0 / shape)
    }

    /// Returns the mean of the rate.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Returns the probability that the page is unchanged after `time`.
    pub fn unchanged_after(&self, time: f64) -> f64 {
        let time = time.max(0.0);
        if self.spread == 0.0 {
            return (-self.rate * time).exp();
        }
        // (θ/(θ+t))^k
        (-(time * self.rate * self.spread).ln_1p() / self.spread).exp()
    }

    /// Returns the time after which the page is unchanged with this probability. A visit counts as
    /// that long ago if a hint gives more evidence than the clock. Infinite if the probability is
    /// never reached.
    pub fn time_to(&self, unchanged: f64) -> f64 {
        let loss = -unchanged.clamp(0.0, 1.0).ln();
        if loss == 0.0 || self.rate == 0.0 {
            return if loss == 0.0 { 0.0 } else { f64::INFINITY };
        }
        if self.spread == 0.0 {
            return loss / self.rate;
        }
        (loss * self.spread).exp_m1() / (self.rate * self.spread)
    }

    /// Returns the expected age of a copy `time` after it was taken.
    pub fn age_after(&self, time: f64) -> f64 {
        let time = time.max(0.0);
        if self.spread == 0.0 {
            return self.rate * time * time * phi(2, self.rate * time);
        }
        time * (1.0 - self.fresh_share(time))
    }

    /// Returns the expected freshness of a page visited at a constant gap.
    pub fn freshness(&self, frequency: f64) -> f64 {
        if self.rate == 0.0 {
            return 1.0;
        }
        if frequency > 0.0 {
            self.fresh_share(1.0 / frequency)
        } else {
            0.0
        }
    }

    /// Returns the expected age of a page visited at a constant gap; infinite for a changing page
    /// that is never visited.
    pub fn age(&self, frequency: f64) -> f64 {
        if self.rate == 0.0 || frequency.is_nan() || frequency <= 0.0 {
            return if self.rate == 0.0 { 0.0 } else { f64::INFINITY };
        }
        if self.spread == 0.0 {
            return SyncOrder::Fixed.age(self.rate, frequency);
        }
        // The value of a visit is the age at its end minus the mean age, times the gap.
        let gap = 1.0 / frequency;
        self.age_after(gap) - self.value(Goal::Age, gap) / gap
    }

    /// Returns the crawl value of a visit after `gap`: the gain per unit of weight over not
    /// visiting. At the optimal frequency it is the price of one visit.
    ///
    /// It is the integral of `t` against the growth of the loss (of freshness, or age) over the
    /// gap, which is the utility of a longevity curve. For a known rate and freshness it is `(1 -
    /// e^(-λτ)(1+λτ))/λ`.
    pub fn value(&self, goal: Goal, gap: f64) -> f64 {
        if self.rate == 0.0 || gap.is_nan() || gap <= 0.0 {
            return 0.0;
        }
        if gap.is_infinite() {
            return self.max_value(goal);
        }
        let rate = self.rate;
        match (goal, self.spread == 0.0) {
            (Goal::Freshness, true) => freshness_value(rate * gap) / rate,
            (Goal::Age, true) => age_value(rate * gap) / (rate * rate),
            (Goal::Freshness, false) => self.scale() * self.gamma_freshness_value(gap / self.scale()).value,
            (Goal::Age, false) => self.scale().powi(2) * self.gamma_age_value(gap / self.scale()).value,
        }
    }

    /// Returns the limit of the value if the page is not visited. For freshness this is the
    /// expected time for which one visit helps. Infinite for age, and for a page that may never
    /// change.
    pub fn max_value(&self, goal: Goal) -> f64 {
        if self.rate == 0.0 {
            return 0.0;
        }
        let shape = 1.0 / self.spread;
        match goal {
            Goal::Freshness if self.spread == 0.0 => 1.0 / self.rate,
            Goal::Freshness if shape > 1.0 => self.scale() / (shape - 1.0),
            _ => f64::INFINITY,
        }
    }

    /// Returns the gap at which a visit is worth `value`; infinite if it never is.
    pub fn gap_for(&self, goal: Goal, value: f64) -> f64 {
        if value.is_nan() || value <= 0.0 {
            return 0.0;
        }
        let max = self.max_value(goal);
        if value >= max {
            return f64::INFINITY;
        }
        let rate = self.rate;
        match (goal, self.spread == 0.0) {
            // 1 - value·rate, as a difference that is precise where it matters.
            (Goal::Freshness, true) => {
                let share = value * rate;
                let left = if share < 0.5 {
                    -(-share).ln_1p()
                } else {
                    -((max - value) * rate).ln()
                };
                freshness_value_inverse(left) / rate
            }
            (Goal::Age, true) => age_value_inverse(value * rate * rate) / rate,
            (_, false) => self.gamma_gap(goal, value),
        }
    }

    /// Returns the mean of `unchanged_after` from 0 to `time`.
    fn fresh_share(&self, time: f64) -> f64 {
        if self.spread == 0.0 {
            return phi(1, self.rate * time);
        }
        let ratio = time / self.scale();
        if ratio == 0.0 {
            return 1.0;
        }
        // ∫(1+s)^-k = ((1+u)^(1-k) - 1)/(1-k)
        let log = ratio.ln_1p();
        log * expm1_ratio((1.0 - 1.0 / self.spread) * log) / ratio
    }

    /// Returns the scale of the gamma distribution, a time.
    fn scale(&self) -> f64 {
        1.0 / (self.rate * self.spread)
    }

    /// Returns `∫ s k (1+s)^(-k-1) ds` from 0 to `u`, where k is the shape.
    fn gamma_freshness_value(&self, u: f64) -> Local {
        let shape = 1.0 / self.spread;
        let log = u.ln_1p();
        let same = (-shape * log).exp();
        let value = if u * (shape + 2.0) < SERIES_BELOW {
            shape * moments(u, 1, shape + 1.0)
        } else {
            power_integral(u, log, shape, same) - same * u
        };
        let share = u / (1.0 + u);
        Local {
            value,
            slope: shape * u * share * same,
            bend: 2.0 - (shape + 1.0) * share,
        }
    }

    /// Returns `∫ s (1 - (1+s)^-k) ds` from 0 to `u`.
    fn gamma_age_value(&self, u: f64) -> Local {
        let shape = 1.0 / self.spread;
        let log = u.ln_1p();
        let lost = -(-shape * log).exp_m1();
        let value = if u * (shape + 2.0) < SERIES_BELOW {
            // 1-(1+s)^-k is ∫k(1+x)^(-k-1); swapping the two integrals leaves ∫(u²-x²)/2.
            shape / 2.0 * (u * u * moments(u, 0, shape + 1.0) - moments(u, 2, shape + 1.0))
        } else {
            let first = log * expm1_ratio((2.0 - shape) * log);
            let second = log * expm1_ratio((1.0 - shape) * log);
            u * u / 2.0 - (first - second)
        };
        Local {
            value,
            slope: u * u * lost,
            bend: 2.0 + shape * u / (1.0 + u) * (1.0 - lost) / lost,
        }
    }

    /// Returns the gap at which a visit is worth a value below the maximum, for an uncertain rate.
    fn gamma_gap(&self, goal: Goal, value: f64) -> f64 {
        let (shape, scale) = (1.0 / self.spread, self.scale());
        let u = match goal {
            Goal::Age => {
                let wanted = value / scale / scale;
                concave_root(age_value_start(shape, wanted), wanted, |u| {
                    self.gamma_age_value(u)
                })
            }
            Goal::Freshness => {
                let wanted = value / scale;
                if wanted * (shape - 1.0) > NEAR_MAX {
                    gap_near_max(shape, wanted)
                } else {
                    concave_root(freshness_value_start(shape, wanted), wanted, |u| {
                        self.gamma_freshness_value(u)
                    })
                }
            }
        };
        u * scale
    }
}

/// Returns an approximate `u` where `gamma_freshness_value` is `wanted`: the first terms of the
/// inverse's series, which starts as `ku²/2`.
fn freshness_value_start(shape: f64, wanted: f64) -> f64 {
    let first = (2.0 * wanted / shape).sqrt();
    first * (1.0 + (shape + 1.0) / 3.0 * first)
}

/// Returns an approximate `u` where `gamma_age_value` is `wanted`. The function starts as `ku³/3`
/// and ends as `u²/2`.
fn age_value_start(shape: f64, wanted: f64) -> f64 {
    let first = (3.0 * wanted / shape).cbrt();
    let second = (shape + 1.0) / 8.0 * first;
    if second < 0.5 {
        first * (1.0 + second)
    } else {
        first.max((2.0 * wanted).sqrt())
    }
}

/// Returns the `u` where `gamma_freshness_value` is close to its maximum. The difference to the
/// maximum is `(1+ku)(1+u)^-k`; its logarithm is compared, since the value itself hardly changes.
fn gap_near_max(shape: f64, wanted: f64) -> f64 {
    let missing = -(-wanted * (shape - 1.0)).ln_1p();
    let start = (2.0 * missing / (shape * (shape - 1.0))).sqrt();
    concave_root(start, missing, |u| {
        let (share, shape_share) = (u / (1.0 + u), shape * u / (1.0 + shape * u));
        Local {
            value: shape * u.ln_1p() - (shape * u).ln_1p(),
            slope: (shape - 1.0) * share * shape_share,
            bend: 2.0 - share - shape_share,
        }
    })
}

/// Returns `∫(1+s)^-k ds` from 0 to `u`, given the logarithm of `1+u` and `(1+u)^-k`.
fn power_integral(u: f64, log: f64, shape: f64, same: f64) -> f64 {
    let over = 1.0 - shape;
    if (over * log).abs() < 0.1 {
        log * expm1_ratio(over * log)
    } else {
        ((1.0 + u) * same - 1.0) / over
    }
}

/// Returns `∫ s^power (1+s)^-exponent ds` from 0 to a small `u`, by the binomial series.
fn moments(u: f64, power: u32, exponent: f64) -> f64 {
    let mut coefficient = u.powi(power as i32 + 1);
    let mut sum = 0.0;
    for m in 0..SERIES_TERMS {
        sum += coefficient / f64::from(m + power + 1);
        coefficient *= -u * (exponent + f64::from(m)) / f64::from(m + 1);
    }
    sum
}
