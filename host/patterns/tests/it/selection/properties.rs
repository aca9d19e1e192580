use magpie_patterns::select::{
    self, Bound, Candidates, CostAware, Goal, GreedyByCount, GreedyByRatio, Selection, Strategy as _,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{TestPattern, candidates};

const OBJECTS: u32 = 30;
const SITES: u32 = 4;
const HUBS: u32 = 5;
const PAGES: u32 = 8;

/// Maximum ratio of the cost to the optimum.
const NEAR: f64 = 1.006;

fn any_pattern(uncertain: bool) -> impl Strategy<Value = TestPattern> {
    (
        0..SITES,
        0..12_u32,
        vec(0..PAGES, 0..3),
        vec(0..HUBS, 0..3),
        vec((0..OBJECTS, 0.05..1.0_f32), 0..9),
    )
        .prop_map(move |(site, own, pages, hubs, pairs)| TestPattern {
            site,
            own,
            pages,
            hubs,
            objects: pairs.iter().map(|pair| pair.0).collect(),
            likely: match uncertain {
                true => pairs.iter().map(|pair| pair.1).collect(),
                false => Vec::new(),
            },
        })
}

fn any_candidates() -> impl Strategy<Value = (Vec<TestPattern>, Candidates)> {
    (
        any::<bool>(),
        vec(0..6_u32, SITES as usize),
        vec(0..4_u32, HUBS as usize),
    )
        .prop_flat_map(|(uncertain, overheads, hubs)| {
            (vec(any_pattern(uncertain), 0..25), Just(overheads), Just(hubs))
        })
        .prop_map(|(patterns, overheads, hubs)| {
            let overheads: Vec<f64> = overheads.into_iter().map(f64::from).collect();
            let hubs: Vec<f64> = hubs.into_iter().map(f64::from).collect();
            let candidates = candidates(OBJECTS, &overheads, &hubs, &patterns);
            (patterns, candidates)
        })
}

/// The greedy rules without lazy evaluation, for certain objects and pages alone: all patterns are
/// evaluated in each step.
fn plain(patterns: &[TestPattern], by_ratio: bool) -> Vec<usize> {
    let mut covered = [false; OBJECTS as usize];
    let mut paid = [false; PAGES as usize];
    let mut chosen = Vec::new();
    loop {
        let mut best: Option<(f64, f64, f64, usize)> = None;
        for (index, test_pattern) in patterns.iter().enumerate() {
            let mut objects = test_pattern.objects.clone();
            objects.sort_unstable();
            objects.dedup();
            let gain = objects
                .iter()
                .filter(|object| !covered[**object as usize])
                .count() as f64;
            let mut pages = test_pattern.pages.clone();
            pages.sort_unstable();
            pages.dedup();
            let cost = f64::from(test_pattern.own)
                + pages.iter().filter(|page| !paid[**page as usize]).count() as f64;
            let full = f64::from(test_pattern.own) + pages.len() as f64;
            let (score, cost) = if by_ratio {
                (gain / cost.max(1e-6), cost)
            } else {
                (gain, full)
            };
            let is_better =
                best.is_none_or(|(known, most, least, _)| (score, gain, -cost) > (known, most, -least));
            if gain > 0.0 && !chosen.contains(&index) && is_better {
                best = Some((score, gain, cost, index));
            }
        }
        let Some((_, _, _, index)) = best else {
            return chosen;
        };
        chosen.push(index);
        for object in &patterns[index].objects {
            covered[*object as usize] = true;
        }
        for page in &patterns[index].pages {
            paid[*page as usize] = true;
        }
    }
}

/// Returns cost and coverage of every possible selection.
fn all(patterns: usize, candidates: &Candidates, sources: u32) -> Vec<(f64, f64)> {
    let all = |set: u32| -> Vec<usize> { (0..patterns).filter(|index| set & (1 << index) != 0).collect() };
    (0..1_u32 << patterns)
        .map(all)
        .map(|chosen| {
            let covered = coverage(candidates, &chosen, sources);
            (candidates.cost(&chosen), covered)
        })
        .collect()
}

/// Returns the exact coverage of these patterns, from a renewal that can afford nothing else.
fn coverage(candidates: &Candidates, chosen: &[usize], sources: u32) -> f64 {
    let cost = candidates.cost(chosen);
    if chosen.is_empty() {
        return 0.0;
    }
    let renewed = CostAware { sources }.renew(candidates, chosen, Goal::Pages(cost));
    renewed.covered
}

fn check(selection: &Selection, candidates: &Candidates, share: f64) -> Result<(), TestCaseError> {
    prop_assert!(
        selection.coverage() >= share - 1e-4,
        "{} of {share}",
        selection.coverage()
    );
    let Bound::Cost(bound) = selection.bound else {
        return Err(TestCaseError::fail("a bound of the cost"));
    };
    prop_assert!(
        bound <= selection.cost + 1e-3,
        "bound {bound}, cost {}",
        selection.cost
    );
    prop_assert!((candidates.cost(&selection.patterns) - selection.cost).abs() < 1e-6);
    for pair in selection.curve.windows(2) {
        prop_assert!(pair[0].cost <= pair[1].cost + 1e-9 && pair[0].covered <= pair[1].covered + 1e-9);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn selections_reach_their_goal_and_respect_the_bound(
        (_, candidates) in any_candidates(),
        share in prop_oneof![Just(1.0), 0.1..1.0_f64],
        sources in 1..4_u32,
    ) {
        check(&CostAware { sources }.select(&candidates, Goal::Coverage(share)), &candidates, share)?;
        check(&GreedyByRatio.select(&candidates, Goal::Coverage(share)), &candidates, share)?;
        check(&GreedyByCount { least: 0 }.select(&candidates, Goal::Coverage(share)), &candidates, share)?;
    }

    #[test]
    fn lazy_greedy_equals_plain_greedy(patterns in vec(any_pattern(false), 0..25)) {
        let candidates = candidates(OBJECTS, &[0.0; SITES as usize], &[0.0; HUBS as usize], &patterns);
        let ratio = GreedyByRatio.select(&candidates, Goal::Coverage(1.0));
        prop_assert_eq!(ratio.patterns, plain(&patterns, true));
        let count = GreedyByCount { least: 1 }.select(&candidates, Goal::Coverage(1.0));
        prop_assert_eq!(count.patterns, plain(&patterns, false));
    }

    #[test]
    fn a_budget_is_respected_and_its_bound_holds(
        (_, candidates) in any_candidates(),
        budget in 0.0..60.0_f64,
        sources in 1..3_u32,
    ) {
        let selection = CostAware { sources }.select(&candidates, Goal::Pages(budget));
        prop_assert!(selection.cost <= budget + 1e-6);
        let Bound::Covered(bound) = selection.bound else {
            return Err(TestCaseError::fail("a bound of what is covered"));
        };
        prop_assert!(selection.covered <= bound + 1e-3, "covered {}, bound {bound}", selection.covered);
    }

    #[test]
    fn a_renewal_reaches_the_goal_from_any_start(
        (patterns, candidates) in any_candidates(),
        standing in vec(0..30_usize, 0..10),
        share in prop_oneof![Just(1.0), 0.1..1.0_f64],
    ) {
        let strategies: [&dyn select::Strategy; 3] = [&CostAware::default(), &GreedyByRatio, &GreedyByCount { least: 0 }];
        for strategy in strategies {
            let selection = strategy.renew(&candidates, &standing, Goal::Coverage(share));
            check(&selection, &candidates, share)?;
            prop_assert!(selection.patterns.iter().all(|pattern| *pattern < patterns.len()));
            prop_assert!(selection.coverable == 0.0 || !selection.patterns.is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_selection_beats_the_bound_and_cost_aware_is_near_optimal(
        patterns in any::<bool>().prop_flat_map(|uncertain| vec(any_pattern(uncertain), 1..8)),
        overheads in vec(0..6_u32, SITES as usize),
        sources in 1..3_u32,
        share in prop_oneof![Just(1.0), 0.1..1.0_f64],
        budget in 0.0..60.0_f64,
    ) {
        let overheads: Vec<f64> = overheads.into_iter().map(f64::from).collect();
        let candidates = candidates(OBJECTS, &overheads, &[1.0; HUBS as usize], &patterns);
        let all = all(patterns.len(), &candidates, sources);

        let selection = CostAware { sources }.select(&candidates, Goal::Coverage(share));
        let Bound::Cost(bound) = selection.bound else {
            return Err(TestCaseError::fail("a bound of the cost"));
        };
        // Reaches the goal beyond all rounding errors.
        let goal = (share * selection.coverable + 1e-4).min(selection.coverable - 1e-6);
        let reaching = all.iter().filter(|(_, covered)| *covered >= goal);
        let best = reaching.map(|(cost, _)| *cost).fold(f64::INFINITY, f64::min);
        prop_assert!(bound <= best + 1e-3, "bound {bound}, best {best}");
        prop_assert!(selection.cost <= best * NEAR + 1e-3, "cost {}, best {best}", selection.cost);

        let selection = CostAware { sources }.select(&candidates, Goal::Pages(budget));
        let Bound::Covered(bound) = selection.bound else {
            return Err(TestCaseError::fail("a bound of what is covered"));
        };
        let affordable = all.iter().filter(|(cost, _)| *cost <= budget + 1e-6);
        let best = affordable.map(|(_, covered)| *covered).fold(0.0, f64::max);
        prop_assert!(bound >= best - 1e-3, "bound {bound}, best {best}");
        prop_assert!(selection.covered >= best / NEAR - 1e-3, "covered {}, best {best}", selection.covered);
    }
}
