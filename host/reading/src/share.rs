//! Shares with their uncertainty.

/// Quantile of the normal distribution for 95% intervals.
const QUANTILE: f64 = 1.959_963_985;

/// Returns the 95% Wilson interval of a share.
pub(crate) fn wilson(hits: f64, of: f64) -> (f64, f64) {
    if of <= 0.0 {
        return (0.0, 1.0);
    }
    let share = hits / of;
    let square = QUANTILE * QUANTILE;
    let middle = share + square / (2.0 * of);
    let reach = QUANTILE * (share * (1.0 - share) / of + square / (4.0 * of * of)).sqrt();
    let scale = 1.0 + square / of;
    (
        ((middle - reach) / scale).max(0.0),
        ((middle + reach) / scale).min(1.0),
    )
}

/// A share; of nothing it is 0.
pub(crate) fn share(part: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}
