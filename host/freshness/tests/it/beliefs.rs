//! Value of a visit with known and with uncertain rates.

use magpie_freshness::change::{Belief, Goal, SyncOrder};

use crate::support::{integral, near};

const GOALS: [Goal; 2] = [Goal::Freshness, Goal::Age];

fn some() -> Vec<Belief> {
    let rates = [1e-4, 0.3, 1.0, 40.0];
    let spreads = [0.0, 1e-6, 1e-3, 0.2, 0.9, 1.0, 1.5, 8.0, 50.0];
    rates
        .iter()
        .flat_map(|rate| spreads.map(|spread| Belief::uncertain(*rate, spread)))
        .collect()
}

#[test]
fn the_value_of_a_known_rate() {
    let belief = Belief::certain(2.0);
    let value = (1.0 - 2.0 * f64::exp(-1.0)) / 2.0;
    near(belief.value(Goal::Freshness, 0.5), value, 1e-14);
    // The utility of the curve 1 - e^-t, after one.
    near(
        Belief::certain(1.0).value(Goal::Freshness, 1.0),
        1.0 - 2.0 / std::f64::consts::E,
        1e-14,
    );
}

/// Derives freshness and age from the probability of no change alone.
#[test]
fn everything_follows_from_the_probability_of_no_change() {
    for belief in some() {
        for gap in [0.1, 1.0, 7.0].map(|share| share / belief.rate()) {
            let stale = |time: f64| 1.0 - belief.unchanged_after(time);
            let age = integral(0.0, gap, stale);
            near(belief.freshness(1.0 / gap), 1.0 - age / gap, 1e-7);
            near(belief.age_after(gap), age, 1e-7 * gap);
            let worth = stale(gap) * gap - age;
            near(belief.value(Goal::Freshness, gap), worth, 1e-6 * gap);
            let worth = integral(0.0, gap, |time| time * stale(time));
            near(belief.value(Goal::Age, gap), worth, 1e-6 * gap * gap);
            let mean_age = integral(0.0, gap, |time| (gap - time) * stale(time)) / gap;
            near(belief.age(1.0 / gap), mean_age, 1e-6 * gap);
        }
    }
}

#[test]
fn gap_for_inverts_value() {
    for belief in some() {
        for goal in GOALS {
            for exponent in -24..=12 {
                let gap = 10_f64.powf(f64::from(exponent) / 4.0) / belief.rate();
                let value = belief.value(goal, gap);
                // Where the value hardly grows, its digits do not determine the gap.
                if value > (1.0 - 1e-6) * belief.max_value(goal) {
                    continue;
                }
                near(belief.gap_for(goal, value), gap, 1e-6 * gap);
            }
        }
    }
}

#[test]
fn small_uncertainty_equals_certainty() {
    let (known, doubted) = (Belief::certain(0.7), Belief::uncertain(0.7, 1e-5));
    for goal in GOALS {
        for gap in [1e-3, 0.1, 1.0, 10.0, 100.0] {
            near(
                doubted.value(goal, gap),
                known.value(goal, gap),
                1e-4 * known.value(goal, gap),
            );
        }
    }
}

#[test]
fn uncertainty_keeps_a_fast_page_worth_a_visit() {
    let price = 0.3;
    assert_eq!(
        Belief::certain(5.0).gap_for(Goal::Freshness, price),
        f64::INFINITY
    );
    let doubted = Belief::uncertain(5.0, 1.5).gap_for(Goal::Freshness, price);
    assert!(doubted.is_finite());
    near(
        Belief::uncertain(5.0, 1.5).value(Goal::Freshness, doubted),
        price,
        1e-9,
    );
}

#[test]
fn a_known_rate_matches_the_fixed_order() {
    let belief = Belief::certain(0.8);
    near(belief.freshness(2.0), SyncOrder::Fixed.freshness(0.8, 2.0), 1e-15);
    near(belief.age(2.0), SyncOrder::Fixed.age(0.8, 2.0), 1e-15);
    assert_eq!(belief.freshness(0.0), 0.0);
    assert_eq!(belief.age(0.0), f64::INFINITY);
}

#[test]
fn an_invalid_rate_is_never_worth_a_visit() {
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let belief = Belief::uncertain(rate, f64::NAN);
        for goal in GOALS {
            assert_eq!(belief.value(goal, 5.0), 0.0);
            assert_eq!(belief.gap_for(goal, 1e-9), f64::INFINITY);
        }
        assert_eq!((belief.freshness(0.0), belief.age(0.0)), (1.0, 0.0));
    }
    let belief = Belief::certain(1.0);
    assert_eq!(belief.value(Goal::Age, f64::NAN), 0.0);
    assert_eq!(belief.value(Goal::Age, -1.0), 0.0);
    assert_eq!(belief.gap_for(Goal::Freshness, f64::INFINITY), f64::INFINITY);
}
