//! Search for the price of a visit at which a budget is spent.
//!
//! Computing the demand of ten million pages at a price takes a second or more, so the number of
//! evaluations is what matters. A sample gives an approximate price and the slope of demand. Then
//! two or three secant steps are enough.

/// Relative precision of the budget. The rest is spread by scaling, which costs the square of it in
/// freshness or age.
const TOLERANCE: f64 = 1e-8;
/// Precision of a first price from a sample, which need not exceed that of the sample.
const SAMPLE_TOLERANCE: f64 = 1e-5;
/// Approximate number of pages of the first sample of a larger collection.
const SAMPLE: usize = 1 << 15;
/// Size of the second sample as a multiple of the first.
const SECOND_SAMPLE_FACTOR: usize = 32;
/// Maximum number of secant steps before the price is bracketed. From a sample's price three are
/// enough; more mean that demand jumps.
const MAX_SECANT_STEPS: u32 = 5;
/// Maximum number of widenings of the bracket: the factors below then exceed the range of `f64`.
const MAX_WIDENINGS: u32 = 300;
/// Factors by which the bracket widens, without a first price and with a nearly correct one.
const WIDE_FACTOR: f64 = 16.0;
const NARROW_FACTOR: f64 = 1.003;
/// Maximum number of narrowings of the bracket. Ten usually suffice, and this many always do, since
/// the fallback is bisection.
const MAX_NARROWINGS: u32 = 200;

/// A price at which a budget is spent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solution {
    pub(super) price: f64,
    /// The prices on both sides, if no `f64` between them meets the budget.
    pub(super) between: Option<[f64; 2]>,
}

/// Finds the price at which the total demand of `count` pages meets the budget. `demand(price,
/// stride)` returns the demand of every n-th page, which falls as the price rises.
///
/// Returns `None` if the budget is not a positive number, or exceeds the demand at any price.
pub(super) fn find_price(
    count: usize,
    budget: f64,
    mut demand: impl FnMut(f64, usize) -> f64,
) -> Option<Solution> {
    if !(budget > 0.0 && budget.is_finite() && count > 0) {
        return None;
    }
    let mut start = Start {
        price: 1.0,
        slope: f64::NAN,
    };
    // The evaluation of ten million pages takes a second, so two samples narrow the price down
    // first.
    for stride in [count / SAMPLE, count / SAMPLE / SECOND_SAMPLE_FACTOR] {
        if stride <= 1 {
            continue;
        }
        let share = budget * count.div_ceil(stride) as f64 / count as f64;
        let mut search = Search::new(SAMPLE_TOLERANCE, |price| demand(price, stride) / share - 1.0);
        if let Some(solution) = search.run(start) {
            start = Start {
                price: solution.price,
                slope: search.slope,
            };
        }
    }
    Search::new(TOLERANCE, |price| demand(price, 1) / budget - 1.0).run(start)
}

#[derive(Clone, Copy, Debug)]
struct Start {
    price: f64,
    /// Change of the excess with the price; NaN if unknown.
    slope: f64,
}

/// A price, and its excess of demand over the budget, relative to the budget.
#[derive(Clone, Copy, Debug)]
struct Point {
    price: f64,
    excess: f64,
}

/// A search for the price without excess.
struct Search<F> {
    excess: F,
    tolerance: f64,
    /// Highest price with at least the budget as demand.
    low: Option<Point>,
    /// Lowest price with less demand.
    high: Option<Point>,
    last: Option<Point>,
    /// Slope between the last two points.
    slope: f64,
}

impl<F: FnMut(f64) -> f64> Search<F> {
    fn new(tolerance: f64, excess: F) -> Self {
        Self {
            excess,
            tolerance,
            low: None,
            high: None,
            last: None,
            slope: f64::NAN,
        }
    }

    fn run(&mut self, start: Start) -> Option<Solution> {
        self.slope = start.slope;
        self.take_secant_steps(start.price);
        if !self.is_solved() {
            let (low, high) = self.bracket()?;
            self.narrow_bracket(low, high);
        }
        let nearest = |ends: [Option<Point>; 2]| {
            let points = ends.into_iter().flatten();
            points.min_by(|one, other| one.excess.abs().total_cmp(&other.excess.abs()))
        };
        let ends = [self.low, self.high];
        Some(Solution {
            price: nearest(ends)?.price,
            between: match ends {
                [Some(low), Some(high)] if !self.is_solved() => Some([low.price, high.price]),
                _ => None,
            },
        })
    }

    fn evaluate(&mut self, price: f64) -> Point {
        let point = Point {
            price,
            excess: (self.excess)(price),
        };
        if let Some(last) = self.last {
            self.slope = (point.excess - last.excess) / (price - last.price);
        }
        self.last = Some(point);
        if point.excess >= 0.0 {
            if self.low.is_none_or(|low| price > low.price) {
                self.low = Some(point);
            }
        } else if self.high.is_none_or(|high| price < high.price) {
            self.high = Some(point);
        }
        point
    }

    fn is_solved(&self) -> bool {
        [self.low, self.high]
            .into_iter()
            .flatten()
            .any(|end| end.excess.abs() <= self.tolerance)
    }

    /// Takes secant steps from a price, as long as the slope is known and gives valid prices.
    fn take_secant_steps(&mut self, price: f64) {
        let mut point = self.evaluate(price);
        for _ in 0..MAX_SECANT_STEPS {
            let next = point.price - point.excess / self.slope;
            if self.is_solved() || !next.is_finite() || next <= 0.0 || next == point.price {
                break;
            }
            point = self.evaluate(next);
        }
    }

    /// Finds prices on both sides of the budget.
    fn bracket(&mut self) -> Option<(Point, Point)> {
        let mut factor = if self.slope.is_nan() {
            WIDE_FACTOR
        } else {
            NARROW_FACTOR
        };
        for _ in 0..MAX_WIDENINGS {
            let next = match (self.low, self.high) {
                (Some(low), Some(high)) => return Some((low, high)),
                (Some(low), None) => low.price * factor,
                (None, Some(high)) => high.price / factor,
                (None, None) => break,
            };
            let last = self.evaluate(next).price;
            if last == 0.0 || last.is_infinite() {
                break;
            }
            factor = (factor * factor).min(WIDE_FACTOR);
        }
        self.low.zip(self.high)
    }

    /// Narrows the bracket until the excess is small, or until no number is left between its ends.
    ///
    /// Uses inverse quadratic interpolation where three points allow it, and bisection otherwise
    /// (Chandrupatla's rule).
    fn narrow_bracket(&mut self, low: Point, high: Point) {
        // The last point, the one on the other side of the budget, and the one before.
        let (mut new, mut other) = (low, high);
        let mut share = 0.5;
        for _ in 0..MAX_NARROWINGS {
            let (Some(low), Some(high)) = (self.low, self.high) else {
                return;
            };
            let inside = |price: &f64| *price > low.price && *price < high.price;
            let guess = new.price + share * (other.price - new.price);
            let middle = low.price + (high.price - low.price) / 2.0;
            let Some(next) = [guess, middle].into_iter().find(inside) else {
                return;
            };
            let point = self.evaluate(next);
            if self.is_solved() {
                return;
            }
            let before = if (point.excess >= 0.0) == (new.excess >= 0.0) {
                new
            } else {
                std::mem::replace(&mut other, new)
            };
            new = point;
            share = step(new, other, before);
        }
    }
}

/// Returns the step from the last point as a share of the distance to the one on the other side,
/// given the one before as well.
fn step(new: Point, other: Point, before: Point) -> f64 {
    let along = (new.price - other.price) / (before.price - other.price);
    let down = (new.excess - other.excess) / (before.excess - other.excess);
    if down * down >= along || (1.0 - down) * (1.0 - down) >= 1.0 - along {
        return 0.5;
    }
    let (a, b, c) = (new.excess, other.excess, before.excess);
    let width = (before.price - new.price) / (other.price - new.price);
    a / (b - a) * c / (b - c) + width * a / (c - a) * b / (c - b)
}
