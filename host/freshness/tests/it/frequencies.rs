//! Frequencies of visits for problems with known solutions.

use magpie_freshness::change::{Belief, Goal};
use magpie_freshness::schedule::{Page, expected, optimal, optimal_within, price};

use crate::support::{Random, near};

fn pages(rates: &[f64], weights: &[f64]) -> Vec<Page> {
    let page = |(rate, weight): (&f64, &f64)| Page {
        belief: Belief::certain(*rate),
        weight: *weight,
    };
    rates.iter().zip(weights).map(page).collect()
}

fn check(pages: &[Page], goal: Goal, budget: f64, frequencies: &[f64], price: f64) {
    let plan = optimal(pages, goal, budget);
    for (frequency, expected) in plan.frequencies.iter().zip(frequencies) {
        near(*frequency, *expected, 2e-6);
    }
    near(plan.price, price, 1e-6);
    near(plan.visits(), budget, 1e-12 * budget);
}

const FIVE: [f64; 5] = [1.0, 2.0, 3.0, 4.0, 5.0];
const ONES: [f64; 5] = [1.0; 5];
const SIX: [f64; 6] = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0];
const WEIGHTS: [f64; 6] = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0];

#[test]
fn five_pages_for_freshness() {
    let best = [1.149_892, 1.358_412, 1.353_835, 1.137_860, 0.0];
    check(&pages(&FIVE, &ONES), Goal::Freshness, 5.0, &best, 0.216_431_8);
}

#[test]
fn five_pages_for_age() {
    let best = [0.834_870, 0.967_925, 1.033_520, 1.070_613, 1.093_072];
    check(&pages(&FIVE, &ONES), Goal::Age, 5.0, &best, 0.380_777_7);
}

#[test]
fn weighted_pages_for_freshness() {
    let best = [0.777_802, 0.763_767, 0.0, 1.282_008, 1.555_603, 1.620_820];
    check(&pages(&SIX, &WEIGHTS), Goal::Freshness, 6.0, &best, 0.368_093_3);
}

#[test]
fn weighted_pages_for_age() {
    let best = [0.764_787, 0.880_732, 0.935_619, 0.994_146, 1.166_771, 1.257_946];
    check(&pages(&SIX, &WEIGHTS), Goal::Age, 6.0, &best, 0.478_997_3);
}

/// At two visits the price of the fast page differs from one by less than `f64` can resolve.
#[test]
fn two_pages_of_which_one_is_marginal() {
    let two = pages(&[9.0, 1.0], &ONES);
    let plan = optimal(&two, Goal::Freshness, 2.0);
    near(plan.frequencies[0], 0.235_867_191, 1e-6);
    near(plan.frequencies[1], 1.764_132_809, 1e-6);
    near(plan.visits(), 2.0, 1e-14);
    near(plan.price, 1.0 / 9.0, 1e-12);
    near(expected(&two, Goal::Freshness, &plan.frequencies), 0.3948, 5e-5);
    near(expected(&two, Goal::Freshness, &[1.0, 1.0]), 0.3716, 5e-5);
    near(expected(&two, Goal::Freshness, &[1.8, 0.2]), 0.1987, 5e-5);
}

#[test]
fn two_pages_and_ten_visits() {
    let two = pages(&[9.0, 1.0], &ONES);
    check(&two, Goal::Freshness, 10.0, &[6.885_783, 3.114_217], 0.041_741_0);
    let plan = optimal(&two, Goal::Freshness, 10.0);
    near(expected(&two, Goal::Freshness, &plan.frequencies), 0.7067, 5e-5);
    near(expected(&two, Goal::Freshness, &[5.0, 5.0]), 0.6850, 5e-5);
    near(expected(&two, Goal::Freshness, &[9.0, 1.0]), 0.6321, 5e-5);
}

/// Budgets around the one at which a marginal page is added, down to where its share vanishes.
#[test]
fn the_budget_is_met_to_the_last_digit_at_any_size() {
    let two = pages(&[9.0, 1.0], &ONES);
    for step in 0..400 {
        let budget = 1e-6 * 1.06_f64.powi(step);
        for goal in [Goal::Freshness, Goal::Age] {
            let plan = optimal(&two, goal, budget);
            near(plan.visits(), budget, 1e-12 * budget);
            assert!(
                plan.frequencies
                    .iter()
                    .all(|frequency| *frequency >= 0.0 && frequency.is_finite())
            );
        }
    }
}

#[test]
fn no_other_split_is_better() {
    let mut random = Random(3);
    let some: Vec<Page> = (0..40)
        .map(|_| Page {
            belief: Belief::uncertain((random.normal() * 1.5).exp(), random.share() * 1.5),
            weight: 0.1 + random.share(),
        })
        .collect();
    for goal in [Goal::Freshness, Goal::Age] {
        let plan = optimal(&some, goal, 10.0);
        let best = expected(&some, goal, &plan.frequencies);
        for _ in 0..300 {
            let (from, to) = ((random.share() * 40.0) as usize, (random.share() * 40.0) as usize);
            let mut other = plan.frequencies.clone();
            let moved = other[from] * 0.1 * random.share();
            other[from] -= moved;
            other[to] += moved;
            let reached = expected(&some, goal, &other);
            match goal {
                Goal::Freshness => assert!(reached <= best + 1e-12),
                Goal::Age => assert!(reached >= best - 1e-9 * best),
            }
        }
    }
}

#[test]
fn without_a_budget_no_page_is_visited() {
    for budget in [0.0, -1.0, f64::NAN] {
        let plan = optimal(&pages(&FIVE, &ONES), Goal::Freshness, budget);
        assert_eq!(plan.frequencies, vec![0.0; 5]);
        assert_eq!(plan.price, f64::INFINITY);
    }
    assert!(optimal(&[], Goal::Freshness, 5.0).frequencies.is_empty());
}

#[test]
fn pages_that_never_change_or_do_not_matter_cost_nothing() {
    let some = pages(&[0.0, f64::NAN, 1.0, 1.0, 1.0], &[1.0, 1.0, 0.0, -2.0, 1.0]);
    for goal in [Goal::Freshness, Goal::Age] {
        let plan = optimal(&some, goal, 3.0);
        assert_eq!(plan.frequencies[..4], [0.0; 4]);
        near(plan.frequencies[4], 3.0, 1e-14);
        assert_eq!(optimal(&some[..3], goal, 3.0).frequencies, vec![0.0; 3]);
    }
}

#[test]
fn many_pages_meet_their_budget_by_a_sample_first() {
    let mut random = Random(9);
    let many: Vec<Page> = (0..200_000)
        .map(|_| Page::of_rate((1.5 * random.normal() - 3.0).exp()))
        .collect();
    let budget = 0.2 * many.iter().map(|page| page.belief.rate()).sum::<f64>();
    let plan = optimal(&many, Goal::Freshness, budget);
    near(plan.visits(), budget, 1e-12 * budget);
    near(
        price(&many, Goal::Freshness, budget),
        plan.price,
        1e-9 * plan.price,
    );
    // Each visited page has the same marginal value.
    for (page, frequency) in many
        .iter()
        .zip(&plan.frequencies)
        .filter(|(_, frequency)| **frequency > 1e-3)
    {
        near(
            page.belief.value(Goal::Freshness, 1.0 / frequency),
            plan.price,
            1e-6 * plan.price,
        );
    }
}

#[test]
fn limits_of_sites_are_respected_and_the_rest_goes_elsewhere() {
    let rates = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0];
    let some = pages(&rates, &[1.0; 6]);
    let sites = [0, 0, 0, 1, 1, 1];
    let plan = optimal_within(&some, &sites, &[1.0, f64::INFINITY], Goal::Freshness, 6.0);
    near(plan.frequencies[..3].iter().sum(), 1.0, 1e-12);
    near(plan.frequencies[3..].iter().sum(), 5.0, 1e-11);
    assert!(plan.site_prices[0] > plan.site_prices[1]);
    assert_eq!(plan.site_prices[1], plan.price);
    let alone = optimal(&some[..3], Goal::Freshness, 1.0);
    for (held, alone) in plan.frequencies.iter().zip(&alone.frequencies) {
        near(*held, *alone, 1e-9);
    }
}

#[test]
fn limits_that_leave_budget_and_closed_sites() {
    let some = pages(&[1.0, 2.0, 1.0], &[1.0; 3]);
    let plan = optimal_within(&some, &[0, 0, 1], &[0.5, 0.0], Goal::Age, 100.0);
    near(plan.frequencies.iter().sum(), 0.5, 1e-12);
    assert_eq!(plan.frequencies[2], 0.0);
    let free = optimal_within(&some, &[0, 0, 1], &[50.0, 50.0], Goal::Age, 3.0);
    for (within, without) in free
        .frequencies
        .iter()
        .zip(optimal(&some, Goal::Age, 3.0).frequencies)
    {
        near(*within, without, 1e-9);
    }
    let none = optimal_within(&some, &[0, 0, 1], &[1.0, 1.0], Goal::Age, 0.0);
    assert_eq!(none.frequencies, vec![0.0; 3]);
}

/// Many sites, and a budget of less than one page per site.
#[test]
fn a_small_budget_goes_to_the_most_valuable_pages() {
    let some: Vec<Page> = (0..300)
        .map(|number| Page {
            weight: if number < 3 { 100.0 } else { 1.0 },
            ..Page::of_rate(1.0)
        })
        .collect();
    let sites: Vec<usize> = (0..100).flat_map(|site| [site; 3]).collect();
    let plan = optimal_within(&some, &sites, &[10.0; 100], Goal::Freshness, 2.0);
    near(plan.frequencies[..3].iter().sum(), 2.0, 1e-9);
    near(plan.frequencies.iter().sum(), 2.0, 1e-9);
}

#[test]
fn a_collection_has_the_mean_of_its_pages() {
    let page = |rate, weight| Page {
        weight,
        ..Page::of_rate(rate)
    };
    let three = [page(1.0, 3.0), page(0.0, 1.0), page(5.0, 0.0)];
    let mean = (3.0 * 0.632_120_56 + 1.0) / 4.0;
    near(expected(&three, Goal::Freshness, &[1.0, 0.0, 0.0]), mean, 1e-8);
    assert_eq!(expected(&[], Goal::Freshness, &[]), 1.0);
}
