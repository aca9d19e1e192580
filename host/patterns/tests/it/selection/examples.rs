use magpie_patterns::select::{
    Bound, Candidates, CandidatesError, CostAware, Goal, GreedyByCount, GreedyByRatio, PatternSpec, Strategy,
};

use super::{TestPattern, candidates, test_pattern};

/// Four patterns of one site: two that overlap with a third, and an expensive one that alone has
/// the last object.
fn four() -> Candidates {
    let patterns = [
        test_pattern(0, 6, &[], &[0, 1, 2, 3, 4, 5]),
        test_pattern(0, 2, &[], &[0, 1, 2, 3]),
        test_pattern(0, 2, &[], &[4, 5]),
        test_pattern(0, 10, &[], &[6]),
    ];
    candidates(7, &[0.0], &[], &patterns)
}

#[test]
fn the_count_rule_takes_the_largest_first() {
    let selection = GreedyByCount { least: 1 }.select(&four(), Goal::Coverage(1.0));
    assert_eq!(selection.patterns, [0, 3]);
    assert_eq!((selection.cost, selection.coverage()), (16.0, 1.0));
    let selection = GreedyByCount { least: 2 }.select(&four(), Goal::Coverage(1.0));
    assert_eq!(selection.patterns, [0]);
}

#[test]
fn the_ratio_rule_takes_the_cheapest_objects_first() {
    let selection = GreedyByRatio.select(&four(), Goal::Coverage(1.0));
    assert_eq!(selection.patterns, [1, 2, 3]);
    assert_eq!(selection.cost, 14.0);
    // 6 of 7 objects are more than 85%.
    let selection = GreedyByRatio.select(&four(), Goal::Coverage(0.85));
    assert_eq!(selection.patterns, [1, 2]);
    assert_eq!(selection.cost, 4.0);
}

#[test]
fn cost_aware_is_optimal_and_the_bound_proves_it() {
    for (goal, cost) in [(1.0, 14.0), (0.85, 4.0)] {
        let selection = CostAware::default().select(&four(), Goal::Coverage(goal));
        assert_eq!(selection.cost, cost);
        assert!(selection.gap() < 0.01, "{:?}", selection.bound);
        let Bound::Cost(bound) = selection.bound else {
            panic!("a bound of the cost")
        };
        assert!(bound <= cost + 1e-6);
    }
}

#[test]
fn hubs_and_overheads_count() {
    // Two sites have the same objects. The first has fewer pages behind many hubs, the second none.
    let patterns = [
        test_pattern(0, 3, &[0, 1, 2, 3, 4], &[0, 1, 2]),
        test_pattern(1, 5, &[], &[0, 1, 2]),
    ];
    let candidates = candidates(3, &[2.0, 2.0], &[1.0; 5], &patterns);
    assert_eq!(GreedyByRatio.select(&candidates, Goal::Coverage(1.0)).cost, 10.0);
    assert_eq!(
        CostAware::default().select(&candidates, Goal::Coverage(1.0)).cost,
        7.0
    );
}

#[test]
fn shared_costs_are_weighed_for_the_whole_group() {
    // Each pattern alone is more expensive behind its hub than the ten pages of the other site;
    // together they are not.
    let mut patterns: Vec<TestPattern> = (0..10)
        .map(|object| test_pattern(0, 1, &[0], &[object]))
        .collect();
    patterns.extend((0..10).map(|object| test_pattern(1, 4, &[], &[object])));
    let candidates = candidates(10, &[3.0, 3.0], &[12.0], &patterns);
    let selection = CostAware::default().select(&candidates, Goal::Coverage(1.0));
    assert_eq!(selection.cost, 25.0);
    assert!(selection.gap() < 0.02, "{:?}", selection.bound);
}

#[test]
fn groups_that_are_too_expensive_are_dropped_together() {
    // Each of the first two is the cheapest of all once their hub is paid, but the hub costs more
    // than the others.
    let patterns = [
        test_pattern(0, 1, &[0], &[0]),
        test_pattern(0, 1, &[0], &[1]),
        test_pattern(1, 4, &[], &[2]),
        test_pattern(1, 4, &[], &[3]),
    ];
    let candidates = candidates(4, &[0.0, 0.0], &[10.0], &patterns);
    let selection = CostAware::default().select(&candidates, Goal::Coverage(0.5));
    assert_eq!((selection.patterns, selection.cost), (vec![2, 3], 8.0));
}

#[test]
fn a_budget_is_spent_on_what_fits_into_it() {
    // By ratio the small one comes first and the last one second, and then nothing else is
    // affordable.
    let patterns = [
        test_pattern(0, 10, &[], &[0, 1, 2, 3, 4, 5, 6, 7]),
        test_pattern(0, 1, &[], &[8]),
        test_pattern(0, 6, &[], &[9, 10, 11, 12]),
        test_pattern(0, 6, &[], &[13, 14, 15, 16, 17]),
    ];
    let candidates = candidates(18, &[0.0], &[], &patterns);
    let selection = CostAware::default().select(&candidates, Goal::Pages(12.0));
    assert_eq!((selection.covered, selection.cost), (9.0, 11.0));
    assert_eq!(selection.bound, Bound::Covered(9.0));
}

#[test]
fn overlapping_patterns_pay_their_pages_once() {
    let mut patterns = [
        test_pattern(0, 0, &[], &[0, 1, 2]),
        test_pattern(0, 1, &[], &[3]),
        test_pattern(0, 3, &[], &[3]),
    ];
    patterns[0].pages = vec![0, 1, 2];
    patterns[1].pages = vec![0, 1, 2];
    let candidates = candidates(4, &[0.0], &[], &patterns);
    let selection = GreedyByRatio.select(&candidates, Goal::Coverage(1.0));
    assert_eq!(selection.patterns, [0, 1]);
    assert_eq!((selection.cost, selection.page_cost), (4.0, 4.0));
}

#[test]
fn every_object_from_several_sites() {
    let patterns = [
        test_pattern(0, 2, &[], &[0, 1]),
        test_pattern(0, 1, &[], &[0, 1]),
        test_pattern(1, 5, &[], &[0, 1]),
        test_pattern(2, 4, &[], &[0]),
    ];
    let candidates = candidates(2, &[0.0; 3], &[], &patterns);
    let one = CostAware { sources: 1 }.select(&candidates, Goal::Coverage(1.0));
    assert_eq!(one.patterns, [1]);
    let two = CostAware { sources: 2 }.select(&candidates, Goal::Coverage(1.0));
    // Two patterns of one site are one source.
    assert_eq!((two.cost, two.covered), (6.0, 4.0));
    let three = CostAware { sources: 3 }.select(&candidates, Goal::Coverage(1.0));
    // The second object has two sources only.
    assert_eq!((three.cost, three.covered), (10.0, 5.0));
}

#[test]
fn a_budget_is_respected_and_one_large_pattern_may_be_best() {
    let patterns = [
        test_pattern(0, 1, &[], &[0, 1]),
        test_pattern(0, 100, &[], &(2..102).collect::<Vec<u32>>()),
    ];
    let candidates = candidates(102, &[0.0], &[], &patterns);
    let selection = CostAware::default().select(&candidates, Goal::Pages(100.0));
    assert_eq!((selection.cost, selection.covered), (100.0, 100.0));
    let Bound::Covered(bound) = selection.bound else {
        panic!("a bound of what is covered")
    };
    assert!((100.0..=102.0).contains(&bound), "{bound}");
}

#[test]
fn uncertain_objects_count_by_probability() {
    let mut patterns = [test_pattern(0, 1, &[], &[0, 1]), test_pattern(1, 1, &[], &[0])];
    patterns[0].likely = vec![0.5, 1.0];
    patterns[1].likely = vec![0.5];
    let candidates = candidates(2, &[0.0; 2], &[], &patterns);
    let one = CostAware::default().select(&candidates, Goal::Pages(1.0));
    assert_eq!((one.patterns.as_slice(), one.covered), (&[0][..], 1.5));
    let both = CostAware::default().select(&candidates, Goal::Coverage(1.0));
    assert_eq!((both.covered, both.coverage()), (1.75, 1.0));
}

#[test]
fn full_coverage_of_many_uncertain_objects_survives_rounding() {
    // Every pattern alone has a part of all objects, so only all patterns together give the
    // maximum.
    let likely = |site: u32, object: u32| 0.05 + ((site * 7 + object) % 90) as f32 / 100.0;
    let objects: Vec<u32> = (0..1000).collect();
    let patterns: Vec<TestPattern> = (0..12)
        .map(|site| TestPattern {
            likely: objects.iter().map(|object| likely(site, *object)).collect(),
            ..test_pattern(site, 1, &[], &objects)
        })
        .collect();
    let candidates = candidates(1000, &[0.0; 12], &[], &patterns);
    for sources in [1, 3, 20] {
        let selection = CostAware { sources }.select(&candidates, Goal::Coverage(1.0));
        assert!(
            selection.coverage() > 0.9999,
            "{sources}: {}",
            selection.coverage()
        );
        let standing = CostAware { sources }.renew(&candidates, &[3, 1], Goal::Coverage(1.0));
        assert!(standing.coverage() > 0.9999, "{sources}: {}", standing.coverage());
    }
}

#[test]
fn no_candidates_give_an_empty_selection() {
    let nothing = candidates(5, &[], &[], &[]);
    for goal in [Goal::Coverage(1.0), Goal::Pages(10.0)] {
        let strategies: [&dyn Strategy; 3] =
            [&GreedyByCount { least: 1 }, &GreedyByRatio, &CostAware::default()];
        for strategy in strategies {
            let selection = strategy.select(&nothing, goal);
            assert!(selection.patterns.is_empty(), "{}", strategy.name());
            assert_eq!((selection.coverage(), selection.gap()), (1.0, 0.0));
        }
    }
}

#[test]
fn invalid_patterns_are_rejected() {
    let mut builder = Candidates::builder(1);
    let spec = PatternSpec::default();
    let error = builder.pattern(spec).expect_err("there is no site");
    assert_eq!(
        error,
        CandidatesError::UnknownSite {
            pattern: 0,
            site: 0,
            sites: 0
        }
    );
    builder.site(1.0);
    let unsound = [
        PatternSpec { hubs: &[0], ..spec },
        PatternSpec {
            objects: &[1],
            ..spec
        },
        PatternSpec {
            own_pages: -1.0,
            ..spec
        },
        PatternSpec {
            own_pages: f64::NAN,
            ..spec
        },
        PatternSpec {
            objects: &[0],
            likely: &[1.5],
            ..spec
        },
        PatternSpec {
            objects: &[0],
            likely: &[0.5, 0.5],
            ..spec
        },
    ];
    for spec in unsound {
        assert!(builder.pattern(spec).is_err(), "{spec:?}");
    }
}

#[test]
fn a_renewed_selection_changes_as_little_as_possible() {
    let before = [
        test_pattern(0, 2, &[], &[0, 1, 2]),
        test_pattern(0, 2, &[], &[3, 4]),
        test_pattern(1, 3, &[], &[3, 4]),
    ];
    let standing = CostAware::default().select(&candidates(6, &[0.0; 2], &[], &before), Goal::Coverage(1.0));
    assert_eq!(standing.patterns, [0, 1]);
    // The second pattern no longer has objects; a new one has those, and a new object. The first
    // could be replaced at the same cost, but is kept.
    let now = [
        test_pattern(0, 2, &[], &[0, 1, 2]),
        test_pattern(0, 2, &[], &[]),
        test_pattern(1, 3, &[], &[3, 4, 5]),
        test_pattern(1, 2, &[], &[0, 1, 2]),
    ];
    let now = candidates(6, &[0.0; 2], &[], &now);
    let renewed = CostAware::default().renew(&now, &standing.patterns, Goal::Coverage(1.0));
    assert_eq!(renewed.patterns, [0, 2]);
    assert_eq!(renewed.coverage(), 1.0);
}

#[test]
fn a_renewed_selection_follows_the_rule_of_its_strategy() {
    // The first three are previous patterns. The second adds one object to the first, the third
    // adds none.
    let now = [
        test_pattern(0, 1, &[], &[0, 1, 2]),
        test_pattern(0, 1, &[], &[2, 3]),
        test_pattern(0, 1, &[], &[0, 1]),
        test_pattern(0, 9, &[], &[0, 1, 2, 4, 5, 6]),
        test_pattern(0, 9, &[], &[7, 8]),
        test_pattern(0, 1, &[], &[9]),
    ];
    let now = candidates(10, &[0.0], &[], &now);
    let by = |strategy: &dyn Strategy| strategy.renew(&now, &[0, 1, 2], Goal::Coverage(1.0)).patterns;
    assert_eq!(
        by(&GreedyByCount { least: 2 }),
        [0, 3, 4],
        "no pattern of less than two new objects"
    );
    assert_eq!(by(&GreedyByCount { least: 1 }), [0, 1, 3, 4, 5]);
    // The ratio rule takes the cheap one first, whatever it adds.
    assert_eq!(by(&GreedyByRatio), [0, 1, 5, 3, 4]);
}
