//! Scheduling of a page by the staleness of its copy, without a rate.
//!
//! Advertisements and dates make a copy differ at once and then no more: visiting sooner gains
//! nothing. Durable additions make it differ steadily. The curve of staleness over time
//! distinguishes the two.

/// Maximum number of measured points; more are thinned evenly.
const MAX_POINTS: usize = 1024;

/// Staleness of a copy over time: non-decreasing, linear between its corners, constant after the
/// last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Longevity {
    /// Times and staleness, both ascending; the first corner is at time 0.
    corners: Vec<(f64, f64)>,
}

impl Longevity {
    /// Fits the nearest non-decreasing curve to measurements. Each is a pair of the time between
    /// two fetches and the staleness of the first at the second. The pages of a pattern should
    /// share their measurements.
    ///
    /// Ignores invalid pairs. The curve starts at 0: a new copy is fresh.
    pub fn fit(measured: &[(f64, f64)]) -> Self {
        let valid =
            |(time, stale): &&(f64, f64)| *time > 0.0 && time.is_finite() && (0.0..=1.0).contains(stale);
        let mut points: Vec<(f64, f64)> = measured.iter().filter(valid).copied().collect();
        points.sort_by(|one, two| one.0.total_cmp(&two.0).then(one.1.total_cmp(&two.1)));
        let every = points.len().div_ceil(MAX_POINTS).max(1);
        let mut corners = vec![(0.0, 0.0)];
        for block in pool_adjacent_violators(points.into_iter().step_by(every)) {
            let height = block.height();
            corners.push((block.first, height));
            if block.last > block.first {
                corners.push((block.last, height));
            }
        }
        Self { corners }
    }

    /// Returns the expected staleness of a copy after a time.
    pub fn staleness(&self, time: f64) -> f64 {
        let after = self.corners.partition_point(|corner| corner.0 <= time);
        let Some(from) = after.checked_sub(1).map(|before| self.corners[before]) else {
            return 0.0;
        };
        self.corners.get(after).map_or(from.1, |to| {
            from.1 + (to.1 - from.1) * (time - from.0) / (to.0 - from.0)
        })
    }

    /// Returns the value of a visit after a time: `τD(τ)` minus the integral of D up to it, the
    /// area above the curve. It never falls; the optimal schedule visits when it reaches the price
    /// of a visit.
    pub fn utility(&self, time: f64) -> f64 {
        let mut value = 0.0;
        for pair in self.corners.windows(2) {
            let end = if time < pair[1].0 {
                (time, self.staleness(time))
            } else {
                pair[1]
            };
            if time <= pair[0].0 {
                break;
            }
            // The area between the curve and the vertical axis, for one linear piece.
            value += (end.1 - pair[0].1) * (end.0 + pair[0].0) / 2.0;
        }
        value
    }

    /// Returns the time after which a visit is worth its price; infinite if it never is.
    pub fn gap_for(&self, price: f64) -> f64 {
        if price <= 0.0 || price.is_nan() {
            return 0.0;
        }
        let mut value = 0.0;
        for pair in self.corners.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let piece = (to.1 - from.1) * (to.0 + from.0) / 2.0;
            if value + piece >= price {
                // The piece grows with the square of the time.
                let slope = (to.1 - from.1) / (to.0 - from.0);
                return (from.0 * from.0 + 2.0 * (price - value) / slope).sqrt();
            }
            value += piece;
        }
        f64::INFINITY
    }
}

/// Points pooled to one height, because they would have fallen.
struct Block {
    first: f64,
    last: f64,
    stale: f64,
    count: f64,
}

/// Pools adjacent violators until none falls, which gives the nearest non-decreasing sequence in
/// one pass. Points at the same time are merged first.
fn pool_adjacent_violators(points: impl Iterator<Item = (f64, f64)>) -> Vec<Block> {
    let mut times: Vec<Block> = Vec::new();
    for (time, stale) in points {
        match times.last_mut().filter(|block| block.last == time) {
            // A curve has one height at a time.
            Some(block) => block.pool(stale, 1.0),
            None => times.push(Block {
                first: time,
                last: time,
                stale,
                count: 1.0,
            }),
        }
    }
    let mut blocks: Vec<Block> = Vec::new();
    for mut last in times {
        while let Some(before) = blocks.pop_if(|before| before.height() >= last.height()) {
            last.first = before.first;
            last.pool(before.stale, before.count);
        }
        blocks.push(last);
    }
    blocks
}

impl Block {
    fn pool(&mut self, stale: f64, count: f64) {
        self.stale += stale;
        self.count += count;
    }

    fn height(&self) -> f64 {
        self.stale / self.count
    }
}
