//! Weights of pages, checked by hand on graphs of a few pages.

use magpie_focus::WebGraph;
use magpie_focus::rank::{OutDegree, PageRank, Teleport, Weights, hubs, node_weight, start};
use proptest::prelude::*;

/// A graph of visited pages with their links; the pages in `accepted` are accepted.
fn graph(links: &[(u64, &[u64])], accepted: &[u64]) -> WebGraph {
    let mut graph = WebGraph::default();
    for (page, targets) in links {
        graph.visit(*page, accepted.contains(page), targets.iter().copied());
    }
    graph
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-4
}

#[test]
fn node_weight_is_the_mean_of_the_weights_that_are_not_zero() {
    for (weights, expected) in [
        ([1.0, 0.0, 0.0], 1.0),
        ([1.0, 0.0, 0.5], 0.75),
        ([0.0, 0.2, 0.4], 0.3),
        ([0.0, 0.0, 0.0], 0.0),
    ] {
        assert!(is_near(node_weight(weights), expected), "{weights:?}");
    }
}

/// Two pages that link to each other share the weight evenly, whatever the start; a page without
/// links to it keeps the random jumps.
#[test]
fn page_rank_of_two_pages_and_a_third_is_as_by_hand() {
    let graph = graph(&[(1, &[2]), (2, &[1]), (3, &[1])], &[1]);
    let rank = PageRank {
        iterations: 200,
        ..PageRank::default()
    };
    let weights = rank.weigh(&graph, start(&graph, &[]));
    // third = .05; first = .05 + .85 (second + third); second = .05 + .85 first.
    let third = 0.05;
    let first = (0.05 + 0.85 * (0.05 + third)) / (1.0 - 0.85 * 0.85);
    let second = 0.05 + 0.85 * first;
    for (weight, expected) in weights.iter().zip([first, second, third]) {
        assert!(is_near(*weight, expected), "{weight} is not {expected}");
    }
    let unscaled = PageRank {
        teleport: Teleport::Unscaled,
        ..rank
    };
    let weights = unscaled.weigh(&graph, start(&graph, &[]));
    assert!(is_near(weights[0], 3.0 * first) && is_near(weights[2], 0.15));
    let seeded = PageRank {
        teleport: Teleport::Accepted,
        ..rank
    };
    let weights = seeded.weigh(&graph, start(&graph, &[]));
    assert!(
        is_near(weights[2], 0.0),
        "nothing leads from the accepted page to the third"
    );
    assert!(is_near(weights[0], 0.15 / (1.0 - 0.85 * 0.85)));
}

#[test]
fn the_start_favours_accepted_pages_and_hubs() {
    let graph = graph(&[(1, &[2, 3]), (2, &[]), (3, &[])], &[2]);
    let weights = start(&graph, &[0.6, 0.0, 0.0]);
    assert!(is_near(weights[0], (1.0 / 3.0 + 0.6) / 2.0));
    assert!(is_near(weights[1], 1.0) && is_near(weights[2], 1.0 / 3.0));
}

/// Page 1 links to both accepted pages, page 2 to one of them and to a page that was not visited.
#[test]
fn hubs_are_pages_with_links_to_accepted_pages() {
    let graph = graph(
        &[(1, &[10, 11]), (2, &[10, 20]), (10, &[1]), (11, &[])],
        &[10, 11],
    );
    let weights = hubs(&graph, &[], 50);
    let of = |page: u64| weights[graph.position(page).expect("a page of the graph")];
    assert!(is_near(of(1), 1.0));
    assert!(of(2) > 0.5 && of(2) < 1.0, "{}", of(2));
    assert_eq!((of(10), of(11), of(20)), (0.0, 0.0, 0.0));
}

#[test]
fn a_known_hub_keeps_its_weight_and_is_no_authority() {
    let graph = graph(&[(1, &[10]), (2, &[1]), (10, &[])], &[10]);
    let mut known = vec![0.0; graph.len()];
    let position = |page: u64| graph.position(page).expect("a page of the graph");
    known[position(1)] = 0.25;
    let weights = hubs(&graph, &known, 50);
    assert!(is_near(weights[position(1)], 0.25));
    assert_eq!(weights[position(2)], 0.0, "its one link leads to a hub");
}

#[test]
fn a_link_weighs_its_target_by_either_out_degree() {
    let graph = graph(&[(1, &[2, 3]), (2, &[1, 3, 4, 5])], &[2]);
    let weights = Weights::default();
    let at = |page: u64| graph.position(page).expect("a page of the graph");
    let weigh = |to: u64, divisor| weights.of_link(&graph, at(1), at(to), divisor);
    assert!(is_near(weigh(2, OutDegree::Target), 0.25));
    assert!(is_near(weigh(2, OutDegree::Source), 0.5));
    // A page that was not visited counts as having one link, and weighs nothing here.
    assert!(is_near(weigh(3, OutDegree::Target), 0.0));
}

proptest! {
    #[test]
    fn weights_stay_within_their_bounds(
        links in proptest::collection::vec((0_u64..12, proptest::collection::vec(0_u64..20, 0..8), any::<bool>()), 1..12),
    ) {
        let mut graph = WebGraph::default();
        for (page, targets, is_accepted) in &links {
            graph.visit(*page, *is_accepted, targets.iter().copied());
        }
        let found = hubs(&graph, &[], 20);
        prop_assert!(found.iter().all(|hub| (0.0..=1.0).contains(hub)));
        prop_assert!(graph.accepted().all(|page| found[page] == 0.0));
        let ranks = PageRank::default().weigh(&graph, start(&graph, &found));
        let least = 0.15 / graph.len() as f64;
        prop_assert!(ranks.iter().all(|rank| *rank >= least - 1e-12 && rank.is_finite()));
    }
}
