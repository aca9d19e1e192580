//! When to visit a page of which one knows how stale its copy grows, and no rate.
//!
//! Advertisements and dates make a copy differ at once and then no more: visiting sooner gains nothing.
//! What is added to stay makes it grow steadily. The curve of staleness over time tells them apart.

/// Measured points kept; more are thinned evenly, as the curve of a page needs no more.
const MOST_POINTS: usize = 1024;

/// How stale a copy is after which time: rising, straight between its corners, flat after the last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Longevity {
    /// Times and staleness, both rising; the first is at time 0.
    corners: Vec<(f64, f64)>,
}

impl Longevity {
    /// The rising curve that is nearest to what was measured, as pairs of the time between two
    /// fetches and the staleness of the first at the second. Share the pairs of a pattern's pages.
    ///
    /// Pairs that cannot be are left out. The curve starts at 0: a copy just taken is fresh.
    pub fn fit(measured: &[(f64, f64)]) -> Self {
        let valid =
            |(time, stale): &&(f64, f64)| *time > 0.0 && time.is_finite() && (0.0..=1.0).contains(stale);
        let mut points: Vec<(f64, f64)> = measured.iter().filter(valid).copied().collect();
        points.sort_by(|one, two| one.0.total_cmp(&two.0).then(one.1.total_cmp(&two.1)));
        let every = points.len().div_ceil(MOST_POINTS).max(1);
        let mut corners = vec![(0.0, 0.0)];
        for block in rising(points.into_iter().step_by(every)) {
            let height = block.height();
            corners.push((block.first, height));
            if block.last > block.first {
                corners.push((block.last, height));
            }
        }
        Self { corners }
    }

    /// How stale a copy is expected to be after a time.
    pub fn staleness(&self, time: f64) -> f64 {
        let after = self.corners.partition_point(|corner| corner.0 <= time);
        let Some(from) = after.checked_sub(1).map(|before| self.corners[before]) else {
            return 0.0;
        };
        self.corners.get(after).map_or(from.1, |to| {
            from.1 + (to.1 - from.1) * (time - from.0) / (to.0 - from.0)
        })
    }

    /// What a visit is worth after a time: `τD(τ)` less the integral of D up to there, so the area
    /// above the curve. It never falls; the best schedule visits where it reaches the price of a visit.
    pub fn utility(&self, time: f64) -> f64 {
        let mut worth = 0.0;
        for pair in self.corners.windows(2) {
            let end = if time < pair[1].0 {
                (time, self.staleness(time))
            } else {
                pair[1]
            };
            if time <= pair[0].0 {
                break;
            }
            // The area between the curve and the upright axis, of one straight piece.
            worth += (end.1 - pair[0].1) * (end.0 + pair[0].0) / 2.0;
        }
        worth
    }

    /// After which time a visit is worth its price; infinite when it never is.
    pub fn gap_for(&self, price: f64) -> f64 {
        if price <= 0.0 || price.is_nan() {
            return 0.0;
        }
        let mut worth = 0.0;
        for pair in self.corners.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let piece = (to.1 - from.1) * (to.0 + from.0) / 2.0;
            if worth + piece >= price {
                // The piece grows with the square of the time.
                let slope = (to.1 - from.1) / (to.0 - from.0);
                return (from.0 * from.0 + 2.0 * (price - worth) / slope).sqrt();
            }
            worth += piece;
        }
        f64::INFINITY
    }
}

/// Points of one height, because they would have fallen.
struct Block {
    first: f64,
    last: f64,
    stale: f64,
    count: f64,
}

/// Pools neighbours that fall until none do: the nearest rising sequence, in one pass. Points of one time
/// are one from the start, as a curve has one height at a time.
fn rising(points: impl Iterator<Item = (f64, f64)>) -> Vec<Block> {
    let mut times: Vec<Block> = Vec::new();
    for (time, stale) in points {
        match times.last_mut().filter(|block| block.last == time) {
            Some(block) => block.join(stale, 1.0),
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
            last.join(before.stale, before.count);
        }
        blocks.push(last);
    }
    blocks
}

impl Block {
    fn join(&mut self, stale: f64, count: f64) {
        self.stale += stale;
        self.count += count;
    }

    fn height(&self) -> f64 {
        self.stale / self.count
    }
}
