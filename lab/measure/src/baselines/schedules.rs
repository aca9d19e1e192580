//! Frequencies of visits that need no optimum.

use magpie_freshness::schedule::Page;

/// Returns equal frequencies for all pages.
pub(crate) fn uniform(pages: &[Page], budget: f64) -> Vec<f64> {
    vec![budget.max(0.0) / pages.len().max(1) as f64; pages.len()]
}

/// Returns frequencies proportional to change rates. Tempting, but worse than equal frequencies:
/// most visits go to pages that change again at once.
pub(crate) fn proportional(pages: &[Page], budget: f64) -> Vec<f64> {
    let rates: f64 = pages.iter().map(|page| page.belief.rate()).sum();
    let share = if rates > 0.0 { budget.max(0.0) / rates } else { 0.0 };
    pages.iter().map(|page| page.belief.rate() * share).collect()
}
