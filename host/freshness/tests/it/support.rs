//! Helpers for several tests.

/// Asserts that a value is within a distance of the expected one.
#[track_caller]
pub(crate) fn near(value: f64, expected: f64, distance: f64) {
    assert!(
        (value - expected).abs() <= distance,
        "{value} is not within {distance} of {expected}"
    );
}

/// A small generator, the same on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns a number between 0 and 1, exclusive.
    pub(crate) fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((mixed ^ (mixed >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Returns a standard normal number.
    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.share().ln()).sqrt() * (std::f64::consts::TAU * self.share()).cos()
    }

    /// Returns an exponential time of a rate.
    pub(crate) fn wait(&mut self, rate: f64) -> f64 {
        -self.share().ln() / rate
    }
}

/// Returns the integral of a smooth function by Simpson's rule.
pub(crate) fn integral(from: f64, to: f64, of: impl Fn(f64) -> f64) -> f64 {
    let steps = 4000;
    let width = (to - from) / f64::from(steps);
    let at = |step: i32| of(from + width * f64::from(step));
    let inner: f64 = (1..steps)
        .map(|step| at(step) * if step % 2 == 1 { 4.0 } else { 2.0 })
        .sum();
    (at(0) + inner + at(steps)) * width / 3.0
}
