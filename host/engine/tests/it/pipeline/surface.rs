//! Objects that only search forms give out.

use std::collections::HashMap;

use magpie_engine::Session;
use magpie_engine::learn::{StageOutcome, learn};
use magpie_engine::recrawl::Method;
use magpie_engine::recrawl::{StepOutcome, recrawl};
use magpie_engine::settings::{Budget, Raw, Value as _};
use magpie_engine::site::{navigation_file, read_navigation};
use magpie_engine::surface::{SurfaceRequest, surface};
use magpie_engine::watch::cycle;
use magpie_lab::{Size, TrueForm, Vertical, Web, WebSpec};
use magpie_rows::{ObjectFilter, QueryTemplateRow, SubmissionOutcome, TemplateState};
use magpie_values::Timestamp;

use crate::bench::Bench;

/// A web whose sites are all deep.
fn deep(seed: u64) -> Bench {
    let mut spec = WebSpec::new(Vertical::Events, Size::Small, seed);
    spec.deep = 1_000;
    Bench::of(spec, "")
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

/// A web with a search that is sent by POST, that robots.txt permits, and that answers.
fn by_post() -> (u64, Vec<String>) {
    let hosts = |seed| -> Vec<String> {
        let mut spec = WebSpec::new(Vertical::Events, Size::Small, seed);
        spec.deep = 1_000;
        let web = Web::new(spec);
        let searches = web.searches(0);
        let posted = searches.filter(|search| {
            let is_plain = |form: &TrueForm| {
                form.method == "post" && form.inputs.iter().all(|input| input.role != Some("token"))
            };
            let has_kind = |name: &str| search.kinds.iter().any(|kind| kind == name);
            let is_answered = !["slow", "quota", "blocks", "flaky", "inert", "own-host"]
                .iter()
                .any(|kind| has_kind(kind));
            has_kind("post") && is_answered && !search.is_forbidden && search.forms.iter().any(is_plain)
        });
        posted.map(|search| search.host).collect()
    };
    let mut webs = (1..).map(|seed| (seed, hosts(seed)));
    webs.find(|(_, hosts)| !hosts.is_empty()).expect("a web")
}

#[test]
fn searches_of_the_lab_are_sent_by_post() {
    let (seed, hosts) = by_post();
    let mut spec = WebSpec::new(Vertical::Events, Size::Small, seed);
    spec.deep = 1_000;
    let mut bench = Bench::of(spec, "surface.post = \"search\"\n");
    learn(bench.session(), &bench.all_sites(), &mut ()).expect("it learns");
    let before = objects(&bench);
    let request = SurfaceRequest {
        max_requests: 20,
        ..SurfaceRequest::default()
    };
    let outcome = surface(bench.session(), &request, &mut ()).expect("it asks");
    let outcome = outcome.expect("it was not stopped");
    let posted = |row: &&QueryTemplateRow| row.template.contains("__wb_method=POST");
    let rows: Vec<&QueryTemplateRow> = outcome.templates.iter().filter(posted).collect();
    assert!(!rows.is_empty(), "{hosts:?}: {:?}", outcome.templates);
    let states: Vec<_> = rows
        .iter()
        .map(|row| (&row.template, row.state, &row.detail, row.asked))
        .collect();
    assert!(
        states
            .iter()
            .any(|(_, state, ..)| *state == TemplateState::Working),
        "{states:?}"
    );
    assert!(objects(&bench) > before);
    let posts = |bench: &Bench| {
        bench
            .server()
            .traffic()
            .values()
            .map(|site| site.posts)
            .sum::<u64>()
    };
    let asked: u64 = rows.iter().map(|row| row.asked).sum();
    assert_eq!(posts(&bench), asked);

    // A round asks them while the setting permits.
    bench.pass_weeks(1);
    recrawl(bench.session(), Method::Selective, &mut ()).expect("it recrawls");
    let of_round = posts(&bench);
    assert!(of_round > asked, "{of_round} and {asked}");
    bench.pass_weeks(1);
    bench.reopen_with("");
    recrawl(bench.session(), Method::Selective, &mut ()).expect("it recrawls");
    assert_eq!(posts(&bench), of_round);
    let acts = bench.server().acts();
    assert!(acts.is_empty(), "{acts:?}");
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
    // The second call continues where the first one ended.
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

/// A query, by site and template.
type Query = (String, String, String);

/// The queries in the navigation files.
fn queries_of_rounds(bench: &Bench) -> Vec<Query> {
    let session = bench.session();
    let mut queries = Vec::new();
    for site in session.store().sites_after(None, 100).expect("sites") {
        let path = navigation_file(session.folder(), "events", &site.key);
        let navigation = read_navigation(&path).expect("readable");
        for search in navigation.into_iter().flat_map(|navigation| navigation.searches) {
            let of_search = search.queries.into_iter();
            queries.extend(of_search.map(|query| (site.key.clone(), search.template.clone(), query)));
        }
    }
    queries
}

/// The queries that were ever asked, with the time at which each was asked last.
fn asked(bench: &Bench) -> HashMap<Query, Timestamp> {
    let store = bench.session().store();
    let mut asked = HashMap::new();
    for site in store.sites_after(None, 100).expect("sites") {
        for row in store.submissions("events", site.id).expect("queries") {
            let last = asked.entry((site.key.clone(), row.template, row.query));
            let last = last.or_insert(row.asked_at);
            *last = row.asked_at.max(*last);
        }
    }
    asked
}

#[test]
fn learning_asks_forms_and_a_watch_asks_again_what_is_due() {
    let mut spec = WebSpec::new(Vertical::Events, Size::Small, 7);
    spec.deep = 1_000;
    let bench = Bench::of(spec, "surface.requests = 30\n");
    let session = bench.session();
    let learned = learn(session, &bench.all_sites(), &mut ()).expect("it learns");
    let stages = learned.expect("it was not stopped").stages;
    let forms = stages.iter().find_map(|stage| match stage {
        StageOutcome::Surface(asked) => asked.as_ref(),
        _ => None,
    });
    let forms = forms.expect("forms are asked");
    assert!(forms.working > 0 && forms.objects > 0, "{forms:?}");
    assert!(forms.requests <= 30 * forms.templates as u64, "{forms:?}");
    let selected = stages.iter().find_map(|stage| match stage {
        StageOutcome::Select(selected) => Some(selected),
        _ => None,
    });
    let selected = selected.expect("a selection");
    assert!(selected.queries > 0 && selected.patterns > 0, "{selected:?}");
    assert_eq!(queries_of_rounds(&bench).len(), selected.queries);

    // No query is due on the day after it was asked, even if pages are.
    let budget = || Budget::read(&Raw::Text("100000/day".to_owned())).expect("a budget");
    let before = asked(&bench);
    cycle(session, budget(), &mut ()).expect("a cycle");
    assert_eq!(asked(&bench), before);
    // Queries without news wait for a week from the moment at which they were asked.
    bench.pass_weeks(2);
    let queries = queries_of_rounds(&bench);
    assert!(!queries.is_empty());
    let watched = cycle(session, budget(), &mut ()).expect("a cycle");
    let after = asked(&bench);
    let not_again = queries
        .iter()
        .filter(|query| after.get(*query) == before.get(*query));
    let not_again: Vec<&Query> = not_again.collect();
    let templates = session.store().query_templates("events").expect("templates");
    let states = templates
        .iter()
        .map(|row| (&row.template, row.state, &row.detail));
    let states: Vec<_> = states.collect();
    assert!(not_again.is_empty(), "{not_again:?} of {queries:?}: {states:?}");
    // One of the searches is on a host of its own.
    assert_eq!(watched.left_out, [""; 0]);
    let acts = bench.server().acts();
    assert!(acts.is_empty(), "{acts:?}");
}
