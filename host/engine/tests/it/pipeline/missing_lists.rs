//! Lists that a site links to and does not have.

use std::time::Duration;

use magpie_engine::recrawl::{Method, recrawl};
use magpie_test_support::server::{Reply, Site, links};
use magpie_tests::TestWorkspace;

use super::coverage::page;

/// Lists with events, and one that is linked and missing.
const LISTS: usize = 5;
const MISSING: &str = "/list/9";

#[test]
fn a_list_that_was_never_there_is_not_tried_for_a_long_time() {
    let site = Site::start(|path| {
        let number = path
            .strip_prefix("/list/")
            .and_then(|number| number.parse::<usize>().ok());
        match number {
            Some(list) if list < LISTS => page(&format!("List {list}"), list * 8..list * 8 + 8, true),
            _ if path == "/" => {
                let lists: Vec<String> = (0..LISTS).map(|list| format!("/list/{list}")).collect();
                let mut hrefs: Vec<&str> = lists.iter().map(String::as_str).collect();
                hrefs.push(MISSING);
                links("Lists", &hrefs)
            }
            _ => Reply::status(404),
        }
    });
    let workspace = TestWorkspace::local(&magpie_tests::vertical("events"), "");
    workspace.learn(&site.url("/"));
    let session = workspace.open();
    let asked = |path: &str| site.counts().get(path).copied().unwrap_or_default();
    assert_eq!(asked(MISSING), 1);
    let round = |days: u64| {
        session.clock().advance(Duration::from_secs(days * 86_400));
        let outcome = recrawl(&session, Method::Selective, &mut ()).expect("it recrawls");
        assert!(outcome.is_some(), "it was not stopped");
        (asked("/list/0"), asked(MISSING))
    };
    let (first, second) = (round(7), round(7));
    assert!(
        first.0 < second.0,
        "lists are read in each round: {first:?} {second:?}"
    );
    assert_eq!((first.1, second.1), (1, 1));
    assert_eq!(round(28).1, 1, "pages are due, and it was gone");
    assert_eq!(round(12 * 28).1, 2);
}
