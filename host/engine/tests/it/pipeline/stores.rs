//! Pipelines over a store that is not a workspace.

use std::ops::ControlFlow;
use std::sync::Arc;

use magpie_engine::Session;
use magpie_engine::learn::learn;
use magpie_engine::recrawl::Method;
use magpie_engine::recrawl::recrawl;
use magpie_engine::settings::{Budget, Raw, Value as _};
use magpie_engine::watch::cycle;
use magpie_store::{MemoryStore, ObjectFilter};

use crate::bench::Bench;

/// Everything on one connection, one site after the other, so that two runs do the same.
const SEQUENTIAL: &str =
    "crawl.threads = 1\ncrawl.sites = 1\nnetwork.connections = 1\npoliteness.requests = 1\n";

/// The figures of learning, of a recrawl a week later and of a cycle after it.
#[derive(Debug, PartialEq)]
struct Figures {
    patterns: usize,
    fetched: u64,
    cycle_pages: u64,
    new_objects: u64,
    objects: Vec<(String, u64)>,
}

fn run(bench: &Bench) -> Figures {
    let session = bench.session();
    learn(session, &bench.all_sites(), &mut ())
        .expect("it learns")
        .expect("it ends");
    bench.pass_weeks(1);
    let recrawled = recrawl(session, Method::Selective, &mut ())
        .expect("it recrawls")
        .expect("it ends");
    bench.pass_weeks(1);
    let budget = Budget::read(&Raw::Text("1000/day".to_owned())).expect("a budget");
    let watched = cycle(session, budget, &mut ()).expect("it watches");
    let store = session.store();
    let mut objects = Vec::new();
    let each = &mut |object: magpie_store::ObjectRow| {
        objects.push((object.label, object.members));
        ControlFlow::Continue(())
    };
    store.objects(&ObjectFilter::default(), each).expect("objects");
    Figures {
        patterns: store.learned_sites(session.vertical()).expect("sites").len(),
        fetched: recrawled.fetched,
        cycle_pages: watched.pages,
        new_objects: watched.new_objects,
        objects,
    }
}

#[test]
fn a_store_in_memory_gives_what_a_workspace_gives() {
    let in_workspace = run(&Bench::new(3, SEQUENTIAL));
    let in_memory = Bench::over(3, SEQUENTIAL, &|folder, options| {
        Session::over(folder, options, |_| Ok(Arc::new(MemoryStore::new())))
    });
    assert!(in_workspace.fetched > 0 && !in_workspace.objects.is_empty());
    assert_eq!(run(&in_memory), in_workspace);
}
