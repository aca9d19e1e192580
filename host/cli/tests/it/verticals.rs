//! Verticals at work in a crawl: dropped into the workspace's folder, and shown what is fetched.

use std::time::Duration;

use magpie_rows::UrlState;
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_test_support::server::Site;
use magpie_tests::{guest, vertical};
use serde_json::Value;

use crate::context::TestContext;
use crate::web::{LOOPBACK, book_shop};

/// Pages with a book each.
const BOOKS: usize = 40;

fn shop() -> Site {
    book_shop(BOOKS, |number| {
        let title = ["Rivers", "Mountains", "Forests", "Deserts"][number % 4];
        format!("{title}, volume {number}")
    })
}

fn exported(context: &TestContext, workspace: &str) -> Vec<Value> {
    context.json(&format!("export records -w {workspace} --out -"))
}

#[test]
fn objects_are_found_while_it_crawls_and_a_plugin_that_fails_is_stopped_alone() {
    let site = shop();
    let context = TestContext::new();
    context.workspace("ws", &[vertical("books"), guest("panics")], LOOPBACK);
    context.write("ws/verticals/notes.wasm", "no component");
    // A stopped vertical and a file that is not a vertical each set the exit code.
    let crawl = context.fails(1, &format!("crawl -w ws {}", site.url("/")));
    crawl.says([
        "notes.wasm can't be used",
        "done: 41 pages",
        "was stopped after failing on 20 of its last 20 pages; it gets no more pages until its file is replaced",
        "records",
        &format!("  first on {}", site.url("/")),
        "`magpie status --verbose --workspace ws`",
    ]);
    context.ok("status -w ws").says(["`--verbose` lists"]);
    context
        .ok("status -w ws -v")
        .says(["panics: panic    http", "panics: stopped  http", "panicked"]);

    let objects = exported(&context, "ws");
    assert_eq!(objects.len(), BOOKS);
    let page = site.url("/book/0");
    let first = objects.iter().find(|object| object["page_url"] == page.as_str());
    let first = first.expect("the first book");
    let is_digest = |digest: &Value| digest.as_str().expect("a digest").starts_with("sha256:");
    assert_eq!(first["vertical"], "books");
    assert!(is_digest(&first["plugin"]), "{first}");
    assert_eq!(first["attributes"]["title"], "Rivers, volume 0", "{first}");

    let explained = context.ok(&format!("explain -w ws {page}"));
    let explained = explained.says(["found 1 record"]).text();
    assert!(
        explained.contains("failed (panic)") || explained.contains("failed (stopped)"),
        "{explained}"
    );
    let status = context.json("status -w ws --json");
    assert!(is_digest(&status[0]["verticals"][0]["digest"]), "{status:?}");
    context
        .ok("status -w ws")
        .says(["Verticals", "40 records", "20 panic"]);
}

#[test]
fn an_archive_is_looked_through_by_a_vertical_that_came_later() {
    let site = shop();
    let context = TestContext::new();
    context.workspace("ws", &[], LOOPBACK);
    context.ok(&format!("crawl -w ws {}", site.url("/")));
    assert_eq!(exported(&context, "ws").len(), 0);
    let asked = site.requests().len();

    context.workspace("again", &[vertical("books")], LOOPBACK);
    let replayed = context.ok("crawl -w again --replay ws");
    replayed.says(["done: 41 pages"]);
    assert_eq!(site.requests().len(), asked, "a request was sent");
    assert_eq!(exported(&context, "again").len(), BOOKS);

    let itself = context.run("crawl -w ws --replay ws");
    itself.says(["can't be replayed into itself"]);
    let none = context.run("crawl -w again --replay ws --replay-run 9");
    none.says(["has no run 9", "its runs are 1"]);
}

#[test]
fn options_reach_their_vertical_and_slips_are_told() {
    let site = shop();
    let context = TestContext::with_workspace("books", "");
    let with = |options: &str| {
        context.write("ws/magpie.toml", options);
        context.run(&format!("crawl -w ws {}", site.url("/book/1")))
    };
    with("[vertical.boks]\nfoo = 1\n").says([
        "no vertical `boks`",
        "there is only books",
        "magpie.toml, line 2",
    ]);
    with("[vertical.books]\nno_such_option = 1\n").says(["there is no option `no_such_option`"]);
}

const KILLS: u64 = 8;

#[test]
fn killed_while_verticals_are_at_work_no_object_is_lost_or_there_twice() {
    let site = shop();
    let context = TestContext::with_workspace("books", LOOPBACK);
    // Compiled once, so that the kills meet a crawl and no compiler.
    context.fails(4, "objects cluster -w ws");
    let crawl = "crawl -w ws --delay 50ms --set crawl.commit=10ms";
    let begin = format!("{crawl} {}", site.url("/"));
    for kill in 0..KILLS {
        let crawl = context.start(if kill == 0 { &begin } else { crawl });
        crawl.kill_after(Duration::from_millis(150 + kill * 53 % 211));
    }
    context.ok(&begin);
    let reader = magpie_engine::open_reader(&context.path("ws")).expect("a reader");
    assert_eq!(
        reader.url_counts(None).expect("counts").of(UrlState::Fetched),
        BOOKS as u64 + 1
    );
    drop(reader);
    let objects = exported(&context, "ws");
    let pages: std::collections::BTreeSet<_> =
        objects.iter().map(|object| object["page_url"].as_str()).collect();
    assert_eq!((pages.len(), objects.len()), (BOOKS, BOOKS));
    let workspace = Workspace::open(&context.path("ws"), &WorkspaceOptions::default());
    let verified = workspace.expect("it opens").verify().expect("verified");
    assert_eq!(verified.problems, Vec::<String>::new());
}

#[test]
fn objects_below_the_least_confidence_are_left_out_and_counted() {
    let site = shop();
    let context = TestContext::with_workspace("books", LOOPBACK);
    let page = site.url("/book/1");
    context.ok(&format!("crawl -w ws {page} --set verticals.min_confidence=1"));
    assert_eq!(exported(&context, "ws"), Vec::<Value>::new());
    let explained = context.ok(&format!("explain -w ws {page}"));
    explained.says(["1 object left out: the confidence is below 1"]);
    context.ok(&format!("crawl -w ws {page} --again"));
    assert_eq!(exported(&context, "ws").len(), 1);
}
