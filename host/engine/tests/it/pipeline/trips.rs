//! The number of round trips that learning makes to the database.

use magpie_engine::learn::{LearnRequest, Stage, learn};
use magpie_sqlite::round_trips;

use crate::bench::Bench;

/// Round trips of all stages after the crawl for each site. It does not depend on pages or objects.
const PER_SITE: u64 = 40;

/// Those for a vertical.
const FIXED: u64 = 100;

#[test]
fn learning_asks_the_database_a_bounded_number_of_times_for_each_site() {
    let bench = Bench::new(1, "");
    let session = bench.session();
    learn(session, &bench.all_sites(), &mut ()).expect("it learns");
    session.store().flush().expect("flushed");
    let reader = session.store();
    let sites = reader.learned_sites(session.vertical()).expect("sites");
    let pages = reader.all_fetches(None).expect("pages").len() as u64;
    for from in [Stage::Cluster, Stage::Patterns, Stage::Select, Stage::Navigate] {
        let before = round_trips();
        let again = LearnRequest {
            beginning: None,
            from: Some(from),
            ..LearnRequest::default()
        };
        learn(session, &again, &mut ()).expect("it learns again");
        let trips = round_trips() - before;
        println!(
            "from {}: {trips} for {} sites and {pages} pages",
            from.as_str(),
            sites.len()
        );
        let most = FIXED + PER_SITE * sites.len() as u64;
        assert!(
            trips <= most,
            "from {}: {trips} round trips, not {most}",
            from.as_str()
        );
        assert!(trips > 0, "they are counted");
    }
    assert!(
        pages > 2 * (FIXED + PER_SITE * sites.len() as u64) / 3,
        "a web too small to tell: {pages}"
    );
}
