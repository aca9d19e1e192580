//! Entity queries ranked in three ways.

use magpie_surface::entities::Ranking;

use crate::database::Database;
use crate::trials;

fn found(ranking: Ranking, share: f64, seed: u64) -> f64 {
    let database = Database::new(3_000, seed);
    trials::query_entities(&database, ranking, share, 200, seed).found() as f64
}

#[test]
fn expected_objects_find_more_than_popularity_and_set_cover() {
    let mut ratios = [0.0; 3];
    let seeds = 5;
    for seed in 0..seeds {
        let ours = found(Ranking::Expected, 0.05, seed);
        let database = Database::new(3_000, seed);
        let others = [
            found(Ranking::Popularity, 0.05, seed),
            found(Ranking::SetCover, 0.05, seed),
            trials::clairvoyant(&database, 200) as f64,
        ];
        for (ratio, other) in ratios.iter_mut().zip(others) {
            *ratio += ours / other / f64::from(seeds as u32);
        }
    }
    assert!(ratios[0] > 1.4, "popularity {ratios:?}");
    assert!(ratios[1] > 1.2, "set cover {ratios:?}");
    assert!(
        ratios[2] > 0.75,
        "greedy choice that knows all answers {ratios:?}"
    );
}

#[test]
fn a_site_is_exhausted_when_queries_bring_nothing_new() {
    let database = Database::new(300, 1);
    let queries = trials::query_entities(&database, Ranking::Expected, 0.2, 20, 1);
    assert!(!queries.is_exhausted(0.2, 2.0), "{:?}", queries.marginal_yield());
    let queries = trials::query_entities(&database, Ranking::Expected, 0.2, 600, 1);
    assert!(queries.is_exhausted(0.2, 2.0), "{:?}", queries.marginal_yield());
    assert!(queries.found() > 270, "{}", queries.found());
}
