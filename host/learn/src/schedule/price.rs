//! The price of a visit at which a budget is spent.

/// The budget is met to this share; what is left is spread by scaling.
const ENOUGH: f64 = 1e-10;
/// A first price from a sample need not be better than the sample.
const ENOUGH_OF_SAMPLE: f64 = 1e-5;
/// From this many pages on, a first price comes from about so many of them ...
const SAMPLE: usize = 1 << 15;
/// ... and a second from so many times more, as looking at all of ten million takes a second.
const LARGER: usize = 32;
/// Widenings of the bracket before it is given up: with the factors below a double has no more.
const WIDENINGS: u32 = 300;
/// How fast the bracket widens, from no idea and from a sample's price.
const WIDE: f64 = 16.0;
const NARROW: f64 = 1.003;
/// Narrowings of the bracket. Ten suffice as a rule; as every third halves, this many always do.
const NARROWINGS: u32 = 200;

/// Two prices, and how much more than the budget is asked for at each. At `low` it is not less than
/// the budget, at `high` not more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) low: f64,
    pub(super) high: f64,
    at_low: f64,
    at_high: f64,
}

/// Finds the price at which `count` things together ask for the budget, where `asked(price, every)`
/// sums over every so manyth of them what they ask for. It falls as the price rises.
///
/// None if the budget is no positive number, or more than is asked for at any price.
pub(super) fn meet(count: usize, budget: f64, asked: impl Fn(f64, usize) -> f64) -> Option<Ends> {
    if !(budget > 0.0 && budget.is_finite() && count > 0) {
        return None;
    }
    let (mut start, mut factor) = (1.0, WIDE);
    for every in [count / SAMPLE, count / SAMPLE / LARGER] {
        if every <= 1 {
            continue;
        }
        let share = budget * count.div_ceil(every) as f64 / count as f64;
        let excess = |price: f64| asked(price, every) - share;
        if let Some(ends) = bracket(start, factor, &excess) {
            (start, factor) = (narrow(ends, share * ENOUGH_OF_SAMPLE, &excess).best(), NARROW);
        }
    }
    let excess = |price: f64| asked(price, 1) - budget;
    let ends = bracket(start, factor, &excess)?;
    Some(narrow(ends, budget * ENOUGH, &excess))
}

fn bracket(start: f64, factor: f64, excess: &impl Fn(f64) -> f64) -> Option<Ends> {
    let (mut price, mut factor) = (start, factor);
    let mut at_price = excess(price);
    let rising = at_price >= 0.0;
    for _ in 0..WIDENINGS {
        let next = if rising { price * factor } else { price / factor };
        let at_next = excess(next);
        if rising && at_next <= 0.0 {
            return Some(Ends {
                low: price,
                at_low: at_price,
                high: next,
                at_high: at_next,
            });
        }
        if !rising && at_next >= 0.0 {
            return Some(Ends {
                low: next,
                at_low: at_next,
                high: price,
                at_high: at_price,
            });
        }
        (price, at_price) = (next, at_next);
        factor = (factor * factor).min(WIDE);
        if price == 0.0 || price.is_infinite() {
            break;
        }
    }
    None
}

/// Narrows the bracket until the excess is small, or until there is no number between its ends.
///
/// By false position with halved weights (the Illinois rule), which is quick and keeps the bracket.
fn narrow(mut ends: Ends, enough: f64, excess: &impl Fn(f64) -> f64) -> Ends {
    let (mut weight_low, mut weight_high) = (ends.at_low, ends.at_high);
    for round in 0..NARROWINGS {
        if ends.at_low <= enough || -ends.at_high <= enough {
            break;
        }
        let middle = ends.middle();
        let guess = ends.low + (ends.high - ends.low) * weight_low / (weight_low - weight_high);
        let halve = round % 3 == 2 || ends.high > 2.0 * ends.low;
        let next = if halve || guess.is_nan() { middle } else { guess };
        let next = if next > ends.low && next < ends.high {
            next
        } else {
            middle
        };
        if next <= ends.low || next >= ends.high {
            break;
        }
        let at_next = excess(next);
        if at_next >= 0.0 {
            (ends.low, ends.at_low, weight_low) = (next, at_next, at_next);
            weight_high /= 2.0;
        } else {
            (ends.high, ends.at_high, weight_high) = (next, at_next, at_next);
            weight_low /= 2.0;
        }
    }
    ends
}

impl Ends {
    /// The end at which the budget is met more closely.
    pub(super) fn best(&self) -> f64 {
        if self.at_low <= -self.at_high {
            self.low
        } else {
            self.high
        }
    }

    /// Whether the budget is met nearly, rather than between the ends.
    pub(super) fn is_met(&self, budget: f64) -> bool {
        self.at_low.min(-self.at_high) <= 2.0 * ENOUGH * budget
    }

    /// Between the ends by factors while they are far apart: prices span many decades.
    fn middle(&self) -> f64 {
        if self.high > 2.0 * self.low {
            self.low.sqrt() * self.high.sqrt()
        } else {
            self.low + (self.high - self.low) / 2.0
        }
    }
}
