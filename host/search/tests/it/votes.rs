//! Ranking sites by votes.

use magpie_search::{HitSite, MAX_HITS, Ranked, Votes};
use proptest::prelude::*;

/// Returns the text before the slash as the site; `None` if it is empty.
fn site(hit: &&str) -> Option<String> {
    let site = hit.split('/').next().unwrap_or_default();
    (!site.is_empty()).then(|| site.to_owned())
}

fn votes(queries: &[&[&str]]) -> Votes {
    let mut votes = Votes::default();
    for hits in queries {
        votes.take(hits.iter().copied(), site, 10);
    }
    votes
}

/// The ranking as `site votes rank`.
fn check(queries: &[&[&str]], count: usize, expected: &[&str]) {
    let ranked = votes(queries).best(count);
    let told = |one: &Ranked| format!("{} {} {}", one.site, one.votes, one.best_rank);
    assert_eq!(ranked.iter().map(told).collect::<Vec<_>>(), expected);
}

#[test]
fn a_site_has_one_vote_of_a_query_and_its_best_place() {
    check(&[&["a/1", "b/1", "a/2", "b/2"]], 9, &["a 1 1", "b 1 2"]);
    check(&[&["b/1", "a/1"], &["a/9"]], 9, &["a 2 1", "b 1 1"]);
}

#[test]
fn scheme_and_www_split_no_votes_and_the_usual_origin_is_kept() {
    let mut votes = Votes::default();
    let by_key = |origin: &&str| {
        let host = origin.split_once("://")?.1;
        Some(HitSite {
            key: host.trim_start_matches("www.").to_owned(),
            origin: (*origin).to_owned(),
        })
    };
    for hits in [
        &["http://hall.example", "https://www.hall.example"][..],
        &["https://www.hall.example", "https://mill.example"],
        &["https://www.hall.example"],
        &["http://mill.example"],
    ] {
        votes.take(hits.iter().copied(), by_key, 10);
    }
    let ranked = votes.best(9);
    let told: Vec<_> = ranked
        .iter()
        .map(|one| (one.site.as_str(), one.origin.as_str(), one.votes))
        .collect();
    assert_eq!(
        told,
        [
            ("hall.example", "https://www.hall.example", 3),
            ("mill.example", "https://mill.example", 2),
        ]
    );
    let again: Votes = serde_json::from_str(&serde_json::to_string(&votes).unwrap()).unwrap();
    assert_eq!(again.best(9), ranked);
}

#[test]
fn equals_stand_by_place_and_then_by_name() {
    check(
        &[&["c"], &["x", "b"], &["x", "a"], &["x", "y", "d"]],
        9,
        &["x 3 1", "c 1 1", "a 1 2", "b 1 2", "y 1 2", "d 1 3"],
    );
}

#[test]
fn hits_without_a_site_keep_their_place() {
    check(&[&["/1", "", "a"]], 9, &["a 1 3"]);
}

#[test]
fn as_many_are_named_as_are_asked_for() {
    check(&[&["a", "b", "c"]], 2, &["a 1 1", "b 1 2"]);
    check(&[&["a"]], 0, &[]);
    check(&[], 5, &[]);
    let endless = std::iter::repeat_n("a", MAX_HITS).chain(std::iter::repeat("b"));
    let mut votes = Votes::default();
    assert_eq!(votes.take(endless, site, 10).hits, MAX_HITS as u32);
    assert_eq!(votes.len(), 1);
}

/// Checks the number of sites that enter the leading two with each query.
fn entered(queries: &[&[&str]], expected: &[u32]) {
    let mut votes = Votes::default();
    let entered: Vec<u32> = queries
        .iter()
        .map(|hits| votes.take(hits.iter().copied(), site, 2).entered)
        .collect();
    assert_eq!(entered, expected, "{queries:?}");
}

#[test]
fn sites_enter_while_there_is_room_and_then_with_more_votes() {
    // `c` would stand before `b` by its place, with as many votes.
    entered(&[&["a", "b"], &["c"]], &[2, 0]);
    // With a second vote it is permanently before `b`.
    entered(&[&["a", "b"], &["c"], &["a", "c"]], &[2, 0, 0]);
    entered(&[&["a"], &["a"], &["x", "b"], &["x", "x", "b"]], &[1, 0, 1, 0]);
    entered(
        &[&["a", "b"], &["d", "c", "b"], &["a", "c"], &["c"]],
        &[2, 0, 0, 1],
    );
}

proptest! {
    #[test]
    fn the_order_of_queries_makes_no_difference(
        queries in proptest::collection::vec(proptest::collection::vec("[a-e]/[0-3]", 0..8), 0..12),
        seed in any::<u64>(),
    ) {
        let mut shuffled = queries.clone();
        let mut state = seed;
        for place in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            shuffled.swap(place, (state >> 33) as usize % (place + 1));
        }
        let count = |queries: &[Vec<String>]| {
            let mut votes = Votes::default();
            for hits in queries {
                votes.take(hits.iter().map(String::as_str), site, 3);
            }
            votes
        };
        let (one, other) = (count(&queries), count(&shuffled));
        prop_assert_eq!(&one, &other);
        prop_assert_eq!(one.best(3), other.best(3));
        // Every query gives each of its sites one vote.
        let given: usize = queries
            .iter()
            .map(|hits| hits.iter().filter_map(|hit| site(&hit.as_str())).collect::<std::collections::BTreeSet<_>>().len())
            .sum();
        prop_assert_eq!(one.best(99).iter().map(|one| one.votes as usize).sum::<usize>(), given);
    }

    #[test]
    fn what_enters_was_not_leading_and_is(
        queries in proptest::collection::vec(proptest::collection::vec("[a-h]", 0..6), 0..20),
        leading in 1_usize..5,
    ) {
        let mut votes = Votes::default();
        for hits in &queries {
            let names = |votes: &Votes| votes.best(leading).into_iter().map(|one| one.site).collect::<Vec<_>>();
            let before = names(&votes);
            let known = votes.len();
            let taken = votes.take(hits.iter().map(String::as_str), site, leading);
            let after = names(&votes);
            let came = after.iter().filter(|site| !before.contains(site)).count();
            prop_assert!(taken.entered as usize <= came);
            if known < leading {
                prop_assert_eq!(taken.entered as usize, came);
            }
        }
    }
}
