//! Objects that only search forms give out.

use std::collections::HashMap;

use magpie_engine::Session;
use magpie_engine::collect::{Method, navigation_file, read_navigation};
use magpie_engine::learn::learn;
use magpie_engine::recrawl::{StepOutcome, recrawl};
use magpie_engine::surface::{SurfaceRequest, surface};
use magpie_lab::{Size, Vertical, WebSpec};
use magpie_store::{ObjectFilter, SubmissionOutcome, TemplateState};

use crate::bench::Bench;

/// A web whose sites are all deep.
fn deep(seed: u64) -> Bench {
    let mut spec = WebSpec::new(Vertical::Events, Size::Small, seed);
    spec.deep = 1_000;
    Bench::of(spec, "", &Session::open)
}

fn objects(bench: &Bench) -> usize {
    bench
        .session()
        .objects(&ObjectFilter::default())
        .expect("objects")
        .len()
}

#[test]
fn searches_give_out_objects_that_no_link_leads_to() {
    let bench = deep(7);
    let session = bench.session();
    learn(session, &bench.all_sites(), &mut ()).expect("it learns");
    let before = objects(&bench);
    let request = SurfaceRequest {
        max_requests: 30,
        ..SurfaceRequest::default()
    };
    let outcome = surface(session, &request, &mut ()).expect("it asks");
    let outcome = outcome.expect("it was not stopped");
    let after = objects(&bench);
    assert!(after > before, "{before} objects, then {after}");
    let acts = bench.server().acts();
    assert!(acts.is_empty(), "{acts:?}");
    let rows = outcome.templates.iter();
    let working: Vec<_> = rows.filter(|row| row.state == TemplateState::Working).collect();
    assert!(!working.is_empty(), "{:?}", outcome.templates);
    assert!(working.iter().all(|row| row.asked <= 30), "{working:?}");
}

#[test]
fn nonsense_is_empty_and_no_query_is_asked_twice() {
    let bench = deep(7);
    let session = bench.session();
    learn(session, &bench.all_sites(), &mut ()).expect("it learns");
    let request = SurfaceRequest {
        max_requests: 10,
        ..SurfaceRequest::default()
    };
    let mut asked = 0;
    // The second call goes on where the first one ended.
    for _ in 0..2 {
        let outcome = surface(session, &request, &mut ()).expect("it asks");
        let outcome = outcome.expect("it was not stopped");
        // The trial of a filter form is repeated if its first answers show no object.
        let templates = outcome.templates.iter();
        let of_words = templates.filter(|row| row.template.contains("{query}"));
        asked = of_words.map(|row| row.asked).sum::<u64>();
    }
    let mut rows = Vec::new();
    let sites = session.store().sites_after(None, 100).expect("sites");
    for site in sites {
        let queries = session.store().submissions("events", site.id).expect("queries");
        rows.extend(queries.into_iter().filter(|row| row.template.contains("{query}")));
    }
    assert_eq!(rows.len() as u64, asked, "a query has one row");
    // Three nonsense queries come first at each template.
    for row in rows
        .iter()
        .filter(|row| !row.query.contains(['a', 'e', 'i', 'o', 'u', 'y']))
    {
        let is_known = matches!(row.outcome, SubmissionOutcome::Empty | SubmissionOutcome::Failed);
        assert!(is_known || row.objects == 0, "{row:?}");
    }
    let words: Vec<&str> = rows.iter().map(|row| row.outcome.as_str()).collect();
    assert!(
        words.contains(&"empty") && words.contains(&"results"),
        "{words:?}"
    );
}

#[test]
fn a_recrawl_asks_the_queries_that_its_navigation_says() {
    let bench = deep(7);
    let session = bench.session();
    learn(session, &bench.all_sites(), &mut ()).expect("it learns");
    let request = SurfaceRequest {
        max_requests: 30,
        ..SurfaceRequest::default()
    };
    surface(session, &request, &mut ()).expect("it asks");
    let few = SurfaceRequest {
        max_requests: 3,
        ..SurfaceRequest::default()
    };
    // The second time, all objects of the answers are known.
    surface(session, &few, &mut ()).expect("it asks");
    let sites = session.store().sites_after(None, 100).expect("sites");
    let queries: HashMap<&str, usize> = sites
        .iter()
        .filter_map(|site| {
            let path = navigation_file(session.folder(), "events", &site.key);
            let searches = read_navigation(&path).expect("readable")?.searches;
            let queries = searches.iter().map(|search| search.queries.len()).sum();
            Some((site.key.as_str(), queries))
        })
        .collect();

    bench.pass_weeks(1);
    let asked_before = |session: &Session| -> u64 {
        let rows = session.store().query_templates("events").expect("templates");
        rows.iter().map(|row| row.asked).sum()
    };
    let before = asked_before(session);
    let outcome = recrawl(session, Method::Selective, &mut ()).expect("it recrawls");
    let outcome = outcome.expect("it was not stopped");
    let asked = outcome.steps.iter().find_map(|(step, _)| match step {
        StepOutcome::Ask { queries, .. } => Some(*queries),
        _ => None,
    });
    let asked = asked.expect("it asks");
    let sites = outcome.recorded.sites.iter();
    let of_round = sites.filter_map(|site| queries.get(site.key.as_str()));
    let of_round = of_round.sum::<usize>() as u64;
    assert!(
        of_round > 0 && asked >= of_round,
        "{asked} of {of_round}: {queries:?}"
    );
    assert_eq!(asked_before(session) - before, asked);
    let acts = bench.server().acts();
    assert!(acts.is_empty(), "{acts:?}");
}
