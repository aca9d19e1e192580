//! Priors, posteriors, and what patterns teach.

use magpie_learn::change::{History, Observation, RatePrior};

#[test]
fn many_changes_at_many_gaps_have_a_posterior() {
    let mut history = History::default();
    for number in 0..240 {
        history.add(0.3 + 0.01 * f64::from(number % 40), Observation::Changed);
    }
    history.add(48.7, Observation::Same);
    history.forget(0.999_999_99);
    let prior = RatePrior::LogNormal { centre: -4.21, deviation: 2.17 };
    let posterior = prior.posterior(&history);
    let likely = history.most_likely_rate().unwrap();
    crate::support::near(posterior.mean, likely, 0.05 * likely);
}
