//! Functions that would lose precision as differences of nearly equal numbers, computed without
//! them.

/// Below this, `phi` sums its series; above, its recurrence loses less than three digits.
const SERIES_BELOW: f64 = 1.0;
/// Number of terms of the series: at `SERIES_BELOW` the next one is below the last bit of an `f64`.
const SERIES_TERMS: u32 = 20;
/// Maximum number of steps of a Newton iteration. All iterations here converge from one side in
/// under ten.
const NEWTON_STEPS: usize = 60;
/// Maximum number of steps within a bracket. Each halves the bracket or the previous step, so a
/// hundred exhaust an `f64`.
const BRACKET_STEPS: usize = 200;
/// From here on the plain formulas of the value keep fourteen digits; below, their series needs
/// this number of terms.
const DIRECT_FROM: f64 = 0.3;
const VALUE_TERMS: u32 = 11;
/// Relative size of a cubic step after which the next one is negligible.
const CUBIC_SHARE: f64 = 1e-5;
/// Halley steps that are this small, and this little curved, need no logarithms.
const NEAR: f64 = 0.3;
/// The series of the `x` with `x - ln(1+x) = l`, in powers of `sqrt(2l)` after the first.
/// Stirling's series derives from it.
const INVERSE_SERIES: [f64; 8] = [
    1.0,
    1.0 / 3.0,
    1.0 / 36.0,
    -1.0 / 270.0,
    1.0 / 4320.0,
    1.0 / 17010.0,
    -139.0 / 5_443_200.0,
    1.0 / 204_120.0,
];
/// Relative size of a Newton step at which the iteration stops.
const NEWTON_SHARE: f64 = 1e-14;

/// Returns `φ_k(-x)`, the sum over m of `(-x)^m / (m+k)!`: `φ_1` is `(1-e^-x)/x`, and `φ_{k+1} =
/// (1/k! - φ_k)/x`.
///
/// Freshness and age under every order of visits are sums of these, so that no formula divides a
/// vanishing difference by a small number.
pub(crate) fn phi(k: u32, x: f64) -> f64 {
    if x < SERIES_BELOW {
        return phi_series(k, x.max(0.0));
    }
    let (mut value, mut factorial) = ((-x).exp(), 1.0);
    for step in 0..k {
        factorial *= f64::from(step.max(1));
        value = (1.0 / factorial - value) / x;
    }
    value
}

fn phi_series(k: u32, x: f64) -> f64 {
    let mut term = (1..=k).fold(1.0, |term, factor| term / f64::from(factor));
    let mut sum = term;
    for m in 1..SERIES_TERMS {
        term *= -x / f64::from(m + k);
        sum += term;
    }
    sum
}

/// Returns `1 - (1+x)e^-x`: the crawl value of a page of rate and weight one after `x`.
pub(crate) fn freshness_value(x: f64) -> f64 {
    if x < DIRECT_FROM {
        x * x * value_series(x, 0)
    } else {
        1.0 - (1.0 + x) * (-x).exp()
    }
}

/// Returns `x²/2 - freshness_value(x)`: the crawl value for age.
pub(crate) fn age_value(x: f64) -> f64 {
    if x < DIRECT_FROM {
        -x * x * value_series(x, 1)
    } else {
        x * x / 2.0 - 1.0 + (1.0 + x) * (-x).exp()
    }
}

/// Returns the sum of `(-x)^m / (m!(m+2))` from some term on. Both functions above are integrals of
/// `te^-t`.
fn value_series(x: f64, from: u32) -> f64 {
    let (mut power, mut sum) = (1.0, 0.0);
    for m in 0..VALUE_TERMS {
        if m >= from {
            sum += power / f64::from(m + 2);
        }
        power *= -x / f64::from(m + 1);
    }
    sum
}

/// Returns the `x` with `freshness_value(x) = 1 - e^-l`, which is `x - ln(1+x) = l`: minus one
/// minus the lower branch of Lambert's W at `-e^(-l-1)`.
///
/// It takes `l` rather than the value, since a value near one has no digits left.
pub(crate) fn freshness_value_inverse(l: f64) -> f64 {
    let root = (2.0 * l.max(0.0)).sqrt();
    let series = root
        * INVERSE_SERIES
            .iter()
            .rev()
            .fold(0.0, |sum, coefficient| sum * root + coefficient);
    // The relative error is below 1e-12 here, and `x - ln(1+x)` would lose as much.
    if root < 0.05 {
        return series;
    }
    if !l.is_finite() {
        return f64::INFINITY;
    }
    // Halley steps are cubic: one from the series gives all digits, or two from further away.
    let (mut x, steps) = if root < 1.6 {
        (series, 1)
    } else {
        (l + (1.0 + l + l.ln_1p()).ln(), 2)
    };
    for _ in 0..steps {
        let slope = x / (1.0 + x);
        let miss = x - x.ln_1p() - l;
        let bend = 1.0 / ((1.0 + x) * (1.0 + x));
        x -= miss * slope / (slope * slope - 0.5 * miss * bend);
    }
    x
}

/// Returns the `x` with `age_value(x) = c`.
///
/// Halley steps are cubic and `age_value` is convex, so three suffice from an approximate start.
/// The function never falls, so no step can diverge.
pub(crate) fn age_value_inverse(c: f64) -> f64 {
    if c <= 0.0 {
        return 0.0;
    }
    if !c.is_finite() {
        return f64::INFINITY;
    }
    let root = (3.0 * c).cbrt();
    // The first terms of the inverse's series; and the case where `e^-x` is negligible.
    let mut x = if root < 1.5 {
        root * (1.0 + root * (0.125 + root * 0.013_54))
    } else {
        (2.0 * (c + 1.0)).sqrt()
    };
    for _ in 0..NEWTON_STEPS {
        let same = (-x).exp();
        let (value, slope) = if x < DIRECT_FROM {
            (age_value(x), -x * (-x).exp_m1())
        } else {
            (x * x / 2.0 - 1.0 + (1.0 + x) * same, x * (1.0 - same))
        };
        let miss = value - c;
        let bend = 1.0 - same + x * same;
        let step = miss * slope / (slope * slope - 0.5 * miss * bend);
        x -= step;
        if step.abs() <= CUBIC_SHARE * x {
            break;
        }
    }
    x
}

/// Local properties of an increasing function.
pub(crate) struct Local {
    pub(crate) value: f64,
    /// Derivative times `x`.
    pub(crate) slope: f64,
    /// Derivative of the logarithm of `slope` by the logarithm of `x`.
    pub(crate) bend: f64,
}

/// Returns the `x` where an increasing function reaches `wanted`. The logarithm of the function
/// must be concave in that of `x`.
///
/// It takes Halley steps on these logarithms, for any order of magnitude.
pub(crate) fn concave_root(start: f64, wanted: f64, at: impl Fn(f64) -> Local) -> f64 {
    let mut x = start;
    for _ in 0..NEWTON_STEPS {
        let Local { value, slope, bend } = at(x);
        let (missing, share) = (wanted / value - 1.0, slope / value);
        let mut step = missing / share;
        let curved = 0.5 * step * (bend - 1.0);
        if step.abs() + curved.abs() < NEAR {
            x *= 1.0 + step / (1.0 + curved);
        } else {
            let missing = missing.ln_1p();
            // No step is twice as long as that of Newton, which never passes the root from below
            // and at most once from above.
            step = missing / (share + 0.5 * missing * (bend - share)).max(0.5 * share);
            x *= step.exp();
        }
        if !step.is_finite() {
            break;
        }
        if step.abs() <= CUBIC_SHARE {
            break;
        }
    }
    x
}

/// Returns `(e^x - 1)/x`, and 1 at 0.
pub(crate) fn expm1_ratio(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.exp_m1() / x }
}

/// Returns the root of an increasing function between two points, by Newton steps within a
/// narrowing bracket. A step that would leave the bracket, or narrows it too little, becomes a
/// bisection.
///
/// `at` returns the function and its derivative.
pub(crate) fn increasing_root(
    mut low: f64,
    mut high: f64,
    start: f64,
    mut at: impl FnMut(f64) -> (f64, f64),
) -> f64 {
    let mut x = start.clamp(low, high);
    let mut last_step = high - low;
    for _ in 0..BRACKET_STEPS {
        let (value, slope) = at(x);
        if value > 0.0 {
            high = x;
        } else {
            low = x;
        }
        // Where the function is exponential, Newton takes steps of one, so steps have to halve.
        let newton = x - value / slope;
        let good = newton > low && newton < high && (newton - x).abs() <= last_step / 2.0;
        let next = if good { newton } else { low + (high - low) / 2.0 };
        last_step = (next - x).abs();
        x = next;
        if last_step <= NEWTON_SHARE * x.abs().max(f64::MIN_POSITIVE) || high <= low {
            break;
        }
    }
    x
}

/// Returns the derivative of the logarithm of the gamma function, for positive arguments.
pub(crate) fn digamma(x: f64) -> f64 {
    let (mut x, mut shifted) = (x, 0.0);
    // The asymptotic series has full precision from about 10 on.
    while x < 10.0 {
        shifted -= 1.0 / x;
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let tail = inverse
        * (1.0 / 12.0
            - inverse * (1.0 / 120.0 - inverse * (1.0 / 252.0 - inverse * (1.0 / 240.0 - inverse / 132.0))));
    shifted + x.ln() - 0.5 / x - tail
}

/// Returns the shape of a gamma distribution from `ln(mean) - mean of the logarithm`, which is
/// positive. `ln k - ψ(k)` falls from infinity to 0.
pub(crate) fn gamma_shape(log_gap: f64) -> f64 {
    if log_gap.is_nan() || log_gap <= 0.0 {
        return f64::INFINITY;
    }
    // Within 1.5% (Minka), so the bracket is safe.
    let guess = (3.0 - log_gap + ((log_gap - 3.0).powi(2) + 24.0 * log_gap).sqrt()) / (12.0 * log_gap);
    let log = increasing_root(guess.ln() - 1.0, guess.ln() + 1.0, guess.ln(), |log| {
        let shape = log.exp();
        let miss = |shape: f64| digamma(shape) - shape.ln() + log_gap;
        let wider = shape * (1.0 + 1e-6);
        (miss(shape), (miss(wider) - miss(shape)) / 1e-6)
    });
    log.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64, share: f64) {
        let miss = (value - expected).abs();
        assert!(miss <= share * expected.abs(), "{value} is not {expected}");
    }

    #[test]
    fn phi_is_continuous_between_series_and_recurrence() {
        for k in 1..=4 {
            close(phi(k, 1.0 + 1e-13), phi(k, 1.0 - 1e-13), 1e-10);
        }
        close(phi(1, 2.0), (1.0 - (-2.0_f64).exp()) / 2.0, 1e-15);
        close(phi(2, 1e-12), 0.5, 1e-11);
    }

    #[test]
    fn freshness_value_and_its_inverse_agree_over_thirty_decades() {
        for exponent in -60..=12 {
            let x = 10_f64.powf(f64::from(exponent) / 4.0);
            let l = if x < 1.0 {
                -(-freshness_value(x)).ln_1p()
            } else {
                x - x.ln_1p()
            };
            close(freshness_value_inverse(l), x, 1e-8_f64.min(1e-9 + 1e-15 / x));
        }
        assert_eq!(freshness_value_inverse(0.0), 0.0);
        assert_eq!(freshness_value_inverse(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn age_value_and_its_inverse_agree() {
        for exponent in -40..=40 {
            let x = 10_f64.powf(f64::from(exponent) / 4.0);
            close(age_value_inverse(age_value(x)), x, 1e-10);
        }
        close(age_value(0.001), 1e-9 / 3.0 - 1e-12 / 8.0, 1e-6);
    }

    #[test]
    fn digamma_at_known_places() {
        let euler = 0.577_215_664_901_532_9;
        close(digamma(1.0), -euler, 1e-12);
        close(digamma(0.5), -euler - 2.0 * 2_f64.ln(), 1e-12);
    }

    #[test]
    fn a_gamma_shape_is_found_again() {
        for shape in [1e-3, 0.1, 0.7, 1.0, 4.0, 300.0, 1e5] {
            let gap = f64::ln(shape) - digamma(shape);
            close(gamma_shape(gap), shape, 1e-4);
        }
    }
}
