//! The price of a visit at which a budget is spent.
//!
//! Asking ten million pages what they want at a price takes a second or more, so that all that matters is how
//! often they are asked: a sample tells the price nearly, and how what is asked for changes with it, after which
//! two or three steps along the slope are enough.

/// The budget is met to this share; what is left is spread by scaling, which costs of freshness or age the square of it.
const ENOUGH: f64 = 1e-8;
/// A first price from a sample need not be better than the sample.
const ENOUGH_OF_SAMPLE: f64 = 1e-5;
/// From this many pages on, a first price comes from about so many of them ...
const SAMPLE: usize = 1 << 15;
/// ... and a second from so many times more, as looking at all of ten million takes a second.
const LARGER: usize = 32;
/// Steps along the slope, before the price is enclosed from both sides. From a sample's price three are enough, so
/// that more of them mean that what is asked for jumps.
const STEPS: u32 = 5;
/// Widenings of the bracket before it is given up: with the factors below a double has no more.
const WIDENINGS: u32 = 300;
/// How fast the bracket widens, from no idea and from a price that was nearly right.
const WIDE: f64 = 16.0;
const NARROW: f64 = 1.003;
/// Narrowings of the bracket. Ten suffice as a rule; as it is halved where nothing better helps, so many always do.
const NARROWINGS: u32 = 200;

/// A price at which a budget is spent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    pub(super) price: f64,
    /// The prices on both sides, where there is no number between them at which the budget is met.
    pub(super) between: Option<[f64; 2]>,
}

/// Finds the price at which `count` things together ask for the budget, where `asked(price, every)`
/// sums over every so manyth of them what they ask for. It falls as the price rises.
///
/// None if the budget is no positive number, or more than is asked for at any price.
pub(super) fn meet(count: usize, budget: f64, mut asked: impl FnMut(f64, usize) -> f64) -> Option<Met> {
    if !(budget > 0.0 && budget.is_finite() && count > 0) {
        return None;
    }
    let mut start = Start {
        price: 1.0,
        slope: f64::NAN,
    };
    for every in [count / SAMPLE, count / SAMPLE / LARGER] {
        if every <= 1 {
            continue;
        }
        let share = budget * count.div_ceil(every) as f64 / count as f64;
        let mut search = Search::new(ENOUGH_OF_SAMPLE, |price| asked(price, every) / share - 1.0);
        if let Some(met) = search.run(start) {
            start = Start {
                price: met.price,
                slope: search.slope,
            };
        }
    }
    Search::new(ENOUGH, |price| asked(price, 1) / budget - 1.0).run(start)
}

/// Where a search starts.
#[derive(Clone, Copy, Debug)]
struct Start {
    price: f64,
    /// How the excess changes with the price; not a number where that is not known.
    slope: f64,
}

/// A price, and how much more than the budget is asked for at it, as a share of the budget.
#[derive(Clone, Copy, Debug)]
struct Point {
    price: f64,
    excess: f64,
}

/// A search for the price at which nothing is in excess.
struct Search<F> {
    excess: F,
    enough: f64,
    /// The highest price at which not less than the budget is asked for.
    low: Option<Point>,
    /// The lowest price at which less is.
    high: Option<Point>,
    last: Option<Point>,
    /// Between the last two points.
    slope: f64,
}

impl<F: FnMut(f64) -> f64> Search<F> {
    fn new(enough: f64, excess: F) -> Self {
        Self {
            excess,
            enough,
            low: None,
            high: None,
            last: None,
            slope: f64::NAN,
        }
    }

    fn run(&mut self, start: Start) -> Option<Met> {
        self.slope = start.slope;
        self.walk(start.price);
        if !self.is_met() {
            let (low, high) = self.enclose()?;
            self.close_in(low, high);
        }
        let nearest = |ends: [Option<Point>; 2]| {
            let points = ends.into_iter().flatten();
            points.min_by(|one, other| one.excess.abs().total_cmp(&other.excess.abs()))
        };
        let ends = [self.low, self.high];
        Some(Met {
            price: nearest(ends)?.price,
            between: match ends {
                [Some(low), Some(high)] if !self.is_met() => Some([low.price, high.price]),
                _ => None,
            },
        })
    }

    /// Looks at a price.
    fn at(&mut self, price: f64) -> Point {
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

    fn is_met(&self) -> bool {
        [self.low, self.high]
            .into_iter()
            .flatten()
            .any(|end| end.excess.abs() <= self.enough)
    }

    /// From a price along the slope for as long as that is known and leads to prices.
    fn walk(&mut self, price: f64) {
        let mut point = self.at(price);
        for _ in 0..STEPS {
            let next = point.price - point.excess / self.slope;
            if self.is_met() || !next.is_finite() || next <= 0.0 || next == point.price {
                break;
            }
            point = self.at(next);
        }
    }

    /// The prices between which the budget is met.
    fn enclose(&mut self) -> Option<(Point, Point)> {
        let mut factor = if self.slope.is_nan() { WIDE } else { NARROW };
        for _ in 0..WIDENINGS {
            let next = match (self.low, self.high) {
                (Some(low), Some(high)) => return Some((low, high)),
                (Some(low), None) => low.price * factor,
                (None, Some(high)) => high.price / factor,
                (None, None) => break,
            };
            let last = self.at(next).price;
            if last == 0.0 || last.is_infinite() {
                break;
            }
            factor = (factor * factor).min(WIDE);
        }
        self.low.zip(self.high)
    }

    /// Narrows the bracket until the excess is small, or until there is no number between its ends.
    ///
    /// By inverse quadratic interpolation where three points lie on a curve that allows it, and else by halving
    /// (Chandrupatla's rule).
    fn close_in(&mut self, low: Point, high: Point) {
        // The last point, the one on the other side of the budget, and the one before.
        let (mut new, mut other) = (low, high);
        let mut share = 0.5;
        for _ in 0..NARROWINGS {
            let (Some(low), Some(high)) = (self.low, self.high) else {
                return;
            };
            let inside = |price: &f64| *price > low.price && *price < high.price;
            let guess = new.price + share * (other.price - new.price);
            let middle = low.price + (high.price - low.price) / 2.0;
            let Some(next) = [guess, middle].into_iter().find(inside) else {
                return;
            };
            let point = self.at(next);
            if self.is_met() {
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

/// What share of the way from the last point to the one on the other side to go, given the one before as well.
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
