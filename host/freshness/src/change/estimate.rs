//! Change rates from visits at a constant interval, in closed form.
//!
//! `comparisons` is the number of pairs of successive visits: one less than the number of visits,
//! including the first. Visits at any other gaps require a [`History`](super::History).

/// Returns detected changes divided by observed time. It is too low by the changes between visits,
/// however long the observation: by 37% for a page that changes once per visit.
pub fn naive(changed: u32, comparisons: u32, interval: f64) -> Option<f64> {
    validate(changed, comparisons, interval)?;
    Some(f64::from(changed) / (f64::from(comparisons) * interval))
}

/// Returns the improved estimate. From nine comparisons on it is on average within 4% of the truth,
/// if the page changes at most twice per visit. It is finite even if every visit saw a change.
pub fn improved(changed: u32, comparisons: u32, interval: f64) -> Option<f64> {
    validate(changed, comparisons, interval)?;
    let same = f64::from(comparisons - changed);
    Some(-((same + 0.5) / (f64::from(comparisons) + 0.5)).ln() / interval)
}

/// Returns the most likely rate; infinite if every visit saw a change.
pub fn most_likely(changed: u32, comparisons: u32, interval: f64) -> Option<f64> {
    validate(changed, comparisons, interval)?;
    let seen = f64::from(changed) / f64::from(comparisons);
    Some(-(-seen).ln_1p() / interval)
}

/// Returns an estimate from reliable dates of last modification.
///
/// `unchanged_for` is a sum over the comparisons: the time since the last modification if the page
/// changed, and the interval if it did not.
pub fn from_modification_dates(changed: u32, comparisons: u32, unchanged_for: f64) -> Option<f64> {
    validate(changed, comparisons, unchanged_for)?;
    let (seen, all) = (f64::from(changed), f64::from(comparisons));
    // The plain quotient is up to 30% too high, because the gap that ended the observation counts
    // as if it ended in a change.
    let corrected = if changed == 0 {
        0.0
    } else if changed == comparisons {
        all - 1.0
    } else {
        (seen - 1.0) - seen / (all * (-seen / all).ln_1p())
    };
    Some(corrected / unchanged_for)
}

/// Returns `None` without a comparison, without time, or with more changes than comparisons.
fn validate(changed: u32, comparisons: u32, time: f64) -> Option<()> {
    (comparisons > 0 && changed <= comparisons && time > 0.0).then_some(())
}
