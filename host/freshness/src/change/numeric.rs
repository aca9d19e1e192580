//! Small functions that textbooks write with differences of nearly equal numbers, computed without.

/// Below this, `phi` sums its series; above, its recurrence loses less than three digits.
const SERIES_BELOW: f64 = 1.0;
/// Terms of the series: at `SERIES_BELOW` the next one is below the last bit of a double.
const SERIES_TERMS: u32 = 20;
/// Steps a Newton iteration may take. All of those here converge from one side in under ten.
const NEWTON_STEPS: usize = 60;
/// Steps within a bracket: each halves it or the step before, so that a hundred exhaust a double.
const BRACKET_STEPS: usize = 200;
/// From here on the plain formulas of value keep fourteen digits; below, their series needs so many terms.
const DIRECT_FROM: f64 = 0.3;
const WORTH_TERMS: u32 = 11;
/// A cubic step that moves by this share leaves nothing for the next.
const CUBIC_SHARE: f64 = 1e-5;
/// Halley's steps that are so small, and so little bent, need no logarithms.
const NEAR: f64 = 0.3;
/// The series, in `sqrt(2l)` after its first power, of the `x` with `x - ln(1+x) = l`; it is the one
/// Stirling's comes from.
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
/// Newton stops when a step moves less than this share of the value.
const NEWTON_SHARE: f64 = 1e-14;

/// `φ_k(-x)`, the sum over m of `(-x)^m / (m+k)!`: `φ_1` is `(1-e^-x)/x`, and `φ_{k+1} = (1/k! - φ_k)/x`.
///
/// Freshness and age under every order of visits are sums of these, so that no formula divides a
/// difference that has vanished by a small number.
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

/// `1 - (1+x)e^-x`: the crawl value of a page of rate one and weight one after `x`.
pub(crate) fn gained(x: f64) -> f64 {
    if x < DIRECT_FROM {
        x * x * worth_series(x, 0)
    } else {
        1.0 - (1.0 + x) * (-x).exp()
    }
}

/// `x²/2 - gained(x)`: the same for age.
pub(crate) fn aged(x: f64) -> f64 {
    if x < DIRECT_FROM {
        -x * x * worth_series(x, 1)
    } else {
        x * x / 2.0 - 1.0 + (1.0 + x) * (-x).exp()
    }
}

/// The sum of `(-x)^m / (m!(m+2))` from some term on: both of the above are integrals of `te^-t`.
fn worth_series(x: f64, from: u32) -> f64 {
    let (mut power, mut sum) = (1.0, 0.0);
    for m in 0..WORTH_TERMS {
        if m >= from {
            sum += power / f64::from(m + 2);
        }
        power *= -x / f64::from(m + 1);
    }
    sum
}

/// The `x` with `gained(x) = 1 - e^-l`, which is `x - ln(1+x) = l`: minus one minus the lower branch
/// of Lambert's W at `-e^(-l-1)`.
///
/// In terms of `l` rather than of the value, as near one the value has no digits left.
pub(crate) fn gained_inverse(l: f64) -> f64 {
    let root = (2.0 * l.max(0.0)).sqrt();
    let series = root
        * INVERSE_SERIES
            .iter()
            .rev()
            .fold(0.0, |sum, coefficient| sum * root + coefficient);
    // Relative error below 1e-12 here, and `x - ln(1+x)` would lose as much.
    if root < 0.05 {
        return series;
    }
    if !l.is_finite() {
        return f64::INFINITY;
    }
    // Halley's steps are cubic: from the series one gives all digits, from further away two.
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

/// The `x` with `aged(x) = c`.
///
/// Halley's steps are cubic and `aged` is convex, so from a start that is nearly right three suffice;
/// as it falls nowhere, none can lead away.
pub(crate) fn aged_inverse(c: f64) -> f64 {
    if c <= 0.0 {
        return 0.0;
    }
    if !c.is_finite() {
        return f64::INFINITY;
    }
    let root = (3.0 * c).cbrt();
    // The first terms of the inverse's series; and where `e^-x` is nothing.
    let mut x = if root < 1.5 {
        root * (1.0 + root * (0.125 + root * 0.013_54))
    } else {
        (2.0 * (c + 1.0)).sqrt()
    };
    for _ in 0..NEWTON_STEPS {
        let same = (-x).exp();
        let (value, slope) = if x < DIRECT_FROM {
            (aged(x), -x * (-x).exp_m1())
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

/// What is known of an increasing function at one place.
pub(crate) struct Local {
    pub(crate) value: f64,
    /// Its slope times `x`.
    pub(crate) slope: f64,
    /// The slope of the logarithm of that, by the logarithm of `x`.
    pub(crate) bend: f64,
}

/// The `x` at which an increasing function is as large as wanted, where the logarithm of the function
/// is concave in that of `x`.
///
/// By Halley's steps on those logarithms, whatever the order of magnitude. None goes twice as far as Newton's,
/// which never pass the root from below and at most once from above.
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

/// `(e^x - 1)/x`, and 1 at 0.
pub(crate) fn grown(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.exp_m1() / x }
}

/// The root of an increasing function between two points, by Newton steps that never leave the
/// bracket they narrow: a step that would, or that narrows too little, is a bisection.
///
/// `at` gives the function and its slope.
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
        // Where the function is exponential Newton walks by ones; so its steps have to halve.
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

/// The derivative of the logarithm of the gamma function, for positive arguments.
pub(crate) fn digamma(x: f64) -> f64 {
    let (mut x, mut shifted) = (x, 0.0);
    // The asymptotic series has all digits from about 10 on.
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

/// The shape of a gamma distribution from `ln(mean) - mean of the logarithm`, which is positive:
/// `ln k - ψ(k)` falls from infinity to 0.
pub(crate) fn gamma_shape(log_gap: f64) -> f64 {
    if log_gap.is_nan() || log_gap <= 0.0 {
        return f64::INFINITY;
    }
    // Within 1.5 % (Minka); the bracket is then safe.
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
    fn phi_meets_itself_where_series_and_recurrence_change_over() {
        for k in 1..=4 {
            close(phi(k, 1.0 + 1e-13), phi(k, 1.0 - 1e-13), 1e-10);
        }
        close(phi(1, 2.0), (1.0 - (-2.0_f64).exp()) / 2.0, 1e-15);
        close(phi(2, 1e-12), 0.5, 1e-11);
    }

    #[test]
    fn gained_and_its_inverse_agree_over_thirty_decades() {
        for exponent in -60..=12 {
            let x = 10_f64.powf(f64::from(exponent) / 4.0);
            let l = if x < 1.0 {
                -(-gained(x)).ln_1p()
            } else {
                x - x.ln_1p()
            };
            close(gained_inverse(l), x, 1e-8_f64.min(1e-9 + 1e-15 / x));
        }
        assert_eq!(gained_inverse(0.0), 0.0);
        assert_eq!(gained_inverse(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn aged_and_its_inverse_agree() {
        for exponent in -40..=40 {
            let x = 10_f64.powf(f64::from(exponent) / 4.0);
            close(aged_inverse(aged(x)), x, 1e-10);
        }
        close(aged(0.001), 1e-9 / 3.0 - 1e-12 / 8.0, 1e-6);
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
