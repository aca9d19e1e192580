//! Change rates from visits at one interval, in closed form.
//!
//! `comparisons` counts pairs of successive visits: one less than the visits, the first included.
//! Visits at any other gaps go into a [`History`](super::History).

/// Changes seen by time observed. Low by what happens between visits, however long one looks: by
/// 37 % for a page that changes once per visit.
pub fn naive(changed: u32, comparisons: u32, interval: f64) -> Option<f64> {
    checked(changed, comparisons, interval)?;
    Some(f64::from(changed) / (f64::from(comparisons) * interval))
}

/// The improved estimator: within 4 % of the truth on average from nine comparisons on while the
/// page changes at most twice per visit, and finite when every visit saw a change.
pub fn improved(changed: u32, comparisons: u32, interval: f64) -> Option<f64> {
    checked(changed, comparisons, interval)?;
    let same = f64::from(comparisons - changed);
    Some(-((same + 0.5) / (f64::from(comparisons) + 0.5)).ln() / interval)
}

/// The most likely rate: infinite when every visit saw a change.
pub fn most_likely(changed: u32, comparisons: u32, interval: f64) -> Option<f64> {
    checked(changed, comparisons, interval)?;
    let seen = f64::from(changed) / f64::from(comparisons);
    Some(-(-seen).ln_1p() / interval)
}

/// From dates of last modification that can be believed.
///
/// `unchanged_for` is the sum, over the comparisons, of the time since the last modification where
/// the page changed, and of the interval where it did not. The plain quotient is up to 30 % high,
/// because the gap that ended the observation is counted as if a change had.
pub fn from_modification_dates(changed: u32, comparisons: u32, unchanged_for: f64) -> Option<f64> {
    checked(changed, comparisons, unchanged_for)?;
    let (seen, all) = (f64::from(changed), f64::from(comparisons));
    let corrected = if changed == 0 {
        0.0
    } else if changed == comparisons {
        all - 1.0
    } else {
        (seen - 1.0) - seen / (all * (-seen / all).ln_1p())
    };
    Some(corrected / unchanged_for)
}

/// No estimate without a comparison, without time, or with more changes than comparisons.
fn checked(changed: u32, comparisons: u32, time: f64) -> Option<()> {
    (comparisons > 0 && changed <= comparisons && time > 0.0).then_some(())
}
