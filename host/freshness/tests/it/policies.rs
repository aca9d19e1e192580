//! Freshness and age by the order of visits, and currency.

use magpie_freshness::change::SyncOrder;

use crate::support::{Random, near};

const ORDERS: [SyncOrder; 3] = [
    SyncOrder::Fixed,
    SyncOrder::RandomEachRound,
    SyncOrder::PurelyRandom,
];

fn check(rate: f64, frequency: f64, expected: [(f64, f64); 3]) {
    for (order, (freshness, age)) in ORDERS.into_iter().zip(expected) {
        near(order.freshness(rate, frequency), freshness, 0.000_05 + 1e-12);
        near(order.age(rate, frequency), age, 0.000_05 + 1e-12);
    }
}

#[test]
fn closed_forms_at_known_places() {
    check(1.0, 1.0, [(0.6321, 0.1321), (0.6004, 0.1838), (0.5, 0.5)]);
    check(3.0, 1.0, [(0.3167, 0.2722), (0.2999, 0.35), (0.25, 0.75)]);
    check(0.3, 2.0, [(0.9286, 0.0120), (0.9178, 0.0178), (0.8696, 0.0652)]);
    check(9.0, 2.0, [(0.2198, 0.1633), (0.2115, 0.2041), (0.1818, 0.4091)]);
}

/// Checks the closed forms against a simulation of the general rule for independent gaps.
#[test]
fn closed_forms_match_simulated_gaps() {
    let mut random = Random(5);
    for (rate, frequency) in [(0.01, 1.0), (0.7, 1.3), (6.0, 0.5)] {
        for order in ORDERS {
            let (mut gaps, mut squares, mut same) = (0.0, 0.0, 0.0);
            let count = 200_000;
            for _ in 0..count {
                let gap = match order {
                    SyncOrder::Fixed => 1.0,
                    SyncOrder::RandomEachRound => 1.0 + random.share() - random.share(),
                    SyncOrder::PurelyRandom => random.wait(1.0),
                } / frequency;
                gaps += gap;
                squares += gap * gap;
                same += (-(rate * gap)).exp_m1();
            }
            let freshness = -same / (rate * gaps);
            let age = (squares / 2.0 - gaps / rate - same / (rate * rate)) / gaps;
            near(order.freshness(rate, frequency), freshness, 0.004);
            near(
                order.age(rate, frequency),
                age,
                0.01 * order.age(rate, frequency).max(0.01),
            );
        }
    }
}

#[test]
fn small_ratios_keep_their_digits() {
    // To first order in r, freshness loses r/2, 7r/12, and r; age is r/6, 7r/36 + ..., and r,
    // divided by f.
    let rate = 1e-9;
    near((1.0 - SyncOrder::Fixed.freshness(rate, 1.0)) / rate, 0.5, 1e-6);
    near(
        (1.0 - SyncOrder::RandomEachRound.freshness(rate, 1.0)) / rate,
        7.0 / 12.0,
        1e-6,
    );
    near(SyncOrder::Fixed.age(rate, 1.0) / rate, 1.0 / 6.0, 1e-9);
    // E T³/(6 E T) with T = 1 + U2 - U1 is (1 + 3/6)/6.
    near(SyncOrder::RandomEachRound.age(rate, 1.0) / rate, 0.25, 1e-9);
    near(SyncOrder::PurelyRandom.age(rate, 1.0) / rate, 1.0, 1e-8);
}

#[test]
fn pages_that_never_change_or_are_never_visited() {
    for order in ORDERS {
        assert_eq!((order.freshness(0.0, 0.0), order.age(0.0, 0.0)), (1.0, 0.0));
        assert_eq!((order.freshness(0.0, 3.0), order.age(0.0, 3.0)), (1.0, 0.0));
        assert_eq!(
            (order.freshness(2.0, 0.0), order.age(2.0, 0.0)),
            (0.0, f64::INFINITY)
        );
    }
}

/// One page changes once in each ninth of a day, the other once a day, at uniform times.
#[test]
fn two_pages_and_few_visits() {
    let slow = |visits: f64| visits / (2.0 * (visits + 1.0));
    let fast = |visits: f64| visits / 36.0;
    for (total, best, worth) in [
        (1, 1, 9.0 / 36.0),
        (2, 2, 12.0 / 36.0),
        (5, 3, 31.0 / 72.0),
        (10, 3, 41.0 / 72.0),
    ] {
        let split = |visits: i32| slow(f64::from(visits)) + fast(f64::from((total - visits).min(9)));
        let most = (0..=total).max_by(|one, two| split(*one).total_cmp(&split(*two)));
        assert_eq!(most, Some(best));
        near(split(best), worth, 1e-12);
    }
}
