//! What is believed about the rate of one page, and what that makes a visit worth.
//!
//! A rate that is not known is a gamma distribution. Then every quantity stays a closed form, and
//! two numbers per page suffice. Doubt is not a detail: a page that changed at every visit so far is
//! hopeless if its rate is really that high, and well worth a visit if it was chance; a schedule that
//! takes an estimate for the truth never finds out.

use super::numeric::{
    Local, aged, aged_inverse, concave_root, gained, gained_inverse, grown, increasing_root, phi,
};
use super::order::SyncOrder;

/// From this shape on the gamma distribution is as good as its mean: the value of a visit differs by
/// about one part in the shape.
const CERTAIN_SHAPE: f64 = 1e7;
/// Below this share of the scale, and divided by the shape, integrals are summed as series.
const SERIES_BELOW: f64 = 0.05;
/// The most terms of such a series; each is below `SERIES_BELOW` times the one before.
const SERIES_TERMS: u32 = 14;
/// From this share of the most a visit can be worth on, what is missing tells more than what is there.
const NEAR_MOST: f64 = 0.5;

/// What the visits are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Goal {
    /// As many copies as possible are what the page is. Gives pages up that change too fast.
    #[default]
    Freshness,
    /// Copies are behind for as short a time as possible. Gives up none.
    Age,
}

/// A page's change rate, as a gamma distribution or as known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief {
    rate: f64,
    /// Variance by the square of the mean: one by the shape, 0 for a known rate. Never negative.
    spread: f64,
}

impl Belief {
    /// The rate is known. One that is no rate (negative, no number, infinite) is taken for a page
    /// that does not change, which is never worth a visit.
    pub fn certain(rate: f64) -> Self {
        Self::uncertain(rate, 0.0)
    }

    /// The rate's mean, and its variance divided by the square of the mean.
    pub fn uncertain(mean: f64, spread: f64) -> Self {
        let valid = mean.is_finite() && mean > 0.0;
        let certain = spread.is_nan() || spread * CERTAIN_SHAPE <= 1.0;
        Self {
            rate: if valid { mean } else { 0.0 },
            spread: if certain { 0.0 } else { spread.min(1e6) },
        }
    }

    /// The rate with which the page is unchanged after two times with these probabilities, the second of which is longer, and less.
    /// There is none where the loss would grow faster than time: then it is known, by the first.
    pub(super) fn through([(time, unchanged), (later, less)]: [(f64, f64); 2]) -> Self {
        let (loss, factor) = (-unchanged.ln(), less.ln() / unchanged.ln());
        let ratio = later / time;
        let known = loss / time;
        if ratio.is_nan() || ratio <= factor * (1.0 + 1e-9) {
            return Self::certain(known);
        }
        // (1 + t/θ)^-k, by the logarithm of the first time over θ: what the logarithms of both losses differ by falls as it grows.
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

    /// The mean of the rate.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The rate's variance divided by the square of its mean.
    pub fn spread(&self) -> f64 {
        self.spread
    }

    /// How probably the page is still what it was `time` ago.
    pub fn unchanged_after(&self, time: f64) -> f64 {
        let time = time.max(0.0);
        if self.spread == 0.0 {
            return (-self.rate * time).exp();
        }
        // (θ/(θ+t))^k
        (-(time * self.rate * self.spread).ln_1p() / self.spread).exp()
    }

    /// After which time the page is unchanged with this probability: the time that a visit seems ago of which a hint says
    /// more than the clock. Infinite where that never is.
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

    /// The expected age of a copy `time` after it was taken.
    pub fn age_after(&self, time: f64) -> f64 {
        let time = time.max(0.0);
        if self.spread == 0.0 {
            return self.rate * time * time * phi(2, self.rate * time);
        }
        time * (1.0 - self.fresh_share(time))
    }

    /// Expected freshness when the page is visited at one gap.
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

    /// Expected age when the page is visited at one gap; infinite for one that is not, and changes.
    pub fn age(&self, frequency: f64) -> f64 {
        if self.rate == 0.0 || frequency.is_nan() || frequency <= 0.0 {
            return if self.rate == 0.0 { 0.0 } else { f64::INFINITY };
        }
        if self.spread == 0.0 {
            return SyncOrder::Fixed.age(self.rate, frequency);
        }
        // What a visit is worth is what the age at its end is over the mean age.
        let gap = 1.0 / frequency;
        self.age_after(gap) - self.value(Goal::Age, gap) / gap
    }

    /// The crawl value of a visit after `gap`: what a unit of weight gains over not visiting, and at
    /// the best frequency the price of one visit.
    ///
    /// It is the integral of `t` against the growth of what is lost (freshness, or age) over the gap:
    /// what a longevity curve calls its utility. For a known rate and freshness,
    /// `(1 - e^(-λτ)(1+λτ))/λ`.
    pub fn value(&self, goal: Goal, gap: f64) -> f64 {
        if self.rate == 0.0 || gap.is_nan() || gap <= 0.0 {
            return 0.0;
        }
        if gap.is_infinite() {
            return self.most_value(goal);
        }
        let rate = self.rate;
        match (goal, self.spread == 0.0) {
            (Goal::Freshness, true) => gained(rate * gap) / rate,
            (Goal::Age, true) => aged(rate * gap) / (rate * rate),
            (Goal::Freshness, false) => self.scale() * self.gamma_gained(gap / self.scale()).value,
            (Goal::Age, false) => self.scale().powi(2) * self.gamma_aged(gap / self.scale()).value,
        }
    }

    /// What the value grows to when the page is not visited: for freshness the expected time for
    /// which one visit helps. Infinite for age, and for a page that may well never change.
    pub fn most_value(&self, goal: Goal) -> f64 {
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

    /// The gap at which a visit is worth `value`; infinite when it never is.
    pub fn gap_for(&self, goal: Goal, value: f64) -> f64 {
        if value.is_nan() || value <= 0.0 {
            return 0.0;
        }
        let most = self.most_value(goal);
        if value >= most {
            return f64::INFINITY;
        }
        let rate = self.rate;
        match (goal, self.spread == 0.0) {
            // 1 - value·rate, as the difference of two numbers that are close where it matters.
            (Goal::Freshness, true) => {
                let share = value * rate;
                let left = if share < 0.5 {
                    -(-share).ln_1p()
                } else {
                    -((most - value) * rate).ln()
                };
                gained_inverse(left) / rate
            }
            (Goal::Age, true) => aged_inverse(value * rate * rate) / rate,
            (_, false) => self.gamma_gap(goal, value),
        }
    }

    /// The mean of `unchanged_after` from 0 to `time`.
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
        log * grown((1.0 - 1.0 / self.spread) * log) / ratio
    }

    /// The gamma distribution's second number, a time.
    fn scale(&self) -> f64 {
        1.0 / (self.rate * self.spread)
    }

    /// `∫ s k (1+s)^(-k-1) ds` from 0 to `u`, with k the shape.
    fn gamma_gained(&self, u: f64) -> Local {
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

    /// `∫ s (1 - (1+s)^-k) ds` from 0 to `u`.
    fn gamma_aged(&self, u: f64) -> Local {
        let shape = 1.0 / self.spread;
        let log = u.ln_1p();
        let lost = -(-shape * log).exp_m1();
        let value = if u * (shape + 2.0) < SERIES_BELOW {
            // 1-(1+s)^-k is ∫k(1+x)^(-k-1), and swapping the two integrals leaves ∫(u²-x²)/2.
            shape / 2.0 * (u * u * moments(u, 0, shape + 1.0) - moments(u, 2, shape + 1.0))
        } else {
            let first = log * grown((2.0 - shape) * log);
            let second = log * grown((1.0 - shape) * log);
            u * u / 2.0 - (first - second)
        };
        Local {
            value,
            slope: u * u * lost,
            bend: 2.0 + shape * u / (1.0 + u) * (1.0 - lost) / lost,
        }
    }

    /// The gap at which a visit is worth a value that it reaches, for a rate in doubt.
    fn gamma_gap(&self, goal: Goal, value: f64) -> f64 {
        let (shape, scale) = (1.0 / self.spread, self.scale());
        let u = match goal {
            Goal::Age => {
                let wanted = value / scale / scale;
                concave_root(aged_start(shape, wanted), wanted, |u| self.gamma_aged(u))
            }
            Goal::Freshness => {
                let wanted = value / scale;
                if wanted * (shape - 1.0) > NEAR_MOST {
                    nearly_most(shape, wanted)
                } else {
                    concave_root(gained_start(shape, wanted), wanted, |u| self.gamma_gained(u))
                }
            }
        };
        u * scale
    }
}

/// About where `gamma_gained` is `wanted`: the first terms of the inverse's series, `ku²/2` being all of it at first.
fn gained_start(shape: f64, wanted: f64) -> f64 {
    let first = (2.0 * wanted / shape).sqrt();
    first * (1.0 + (shape + 1.0) / 3.0 * first)
}

/// About where `gamma_aged` is `wanted`, which starts as `ku³/3` and ends as `u²/2`.
fn aged_start(shape: f64, wanted: f64) -> f64 {
    let first = (3.0 * wanted / shape).cbrt();
    let second = (shape + 1.0) / 8.0 * first;
    if second < 0.5 {
        first * (1.0 + second)
    } else {
        first.max((2.0 * wanted).sqrt())
    }
}

/// Where `gamma_gained` is nearly all it can be, what is missing of that is `(1+ku)(1+u)^-k`: its
/// logarithm is compared, as the value itself hardly moves.
fn nearly_most(shape: f64, wanted: f64) -> f64 {
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

/// `∫(1+s)^-k ds` from 0 to `u`, given the logarithm of `1+u` and `(1+u)^-k`.
fn power_integral(u: f64, log: f64, shape: f64, same: f64) -> f64 {
    let over = 1.0 - shape;
    if (over * log).abs() < 0.1 {
        log * grown(over * log)
    } else {
        ((1.0 + u) * same - 1.0) / over
    }
}

/// `∫ s^power (1+s)^-exponent ds` from 0 to a small `u`, by the binomial series.
fn moments(u: f64, power: u32, exponent: f64) -> f64 {
    let mut coefficient = u.powi(power as i32 + 1);
    let mut sum = 0.0;
    for m in 0..SERIES_TERMS {
        sum += coefficient / f64::from(m + power + 1);
        coefficient *= -u * (exponent + f64::from(m)) / f64::from(m + 1);
    }
    sum
}
