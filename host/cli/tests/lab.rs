//! The lab from the outside: a web is served, crawled through it as a proxy, and the crawl is scored.

#[expect(dead_code, reason = "other tests ask more of it")]
mod web;

use web::{Served, json, magpie, ran, said};

const WEB: [&str; 5] = ["--vertical", "books", "--seed", "5", "--light"];

#[test]
fn a_web_is_crawled_through_its_server_and_the_crawl_is_scored() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::start(folder.path(), &WEB, 0, 0);
    let homes = served.homes();
    assert_eq!(homes.len(), 3);
    assert_eq!(served.said["search"], "http://find.test");
    assert!(ran(folder.path(), &["init", "ws"]).status.success());
    std::fs::copy(
        magpie_tests::vertical("books"),
        folder.path().join("ws/verticals/books.wasm"),
    )
    .expect("copied");
    let proxy = served.proxy().to_owned();
    let mut crawl = magpie(folder.path());
    crawl
        .args(["crawl", "--workspace", "ws", "--delay", "0s", "--proxy", &proxy])
        .args(&homes);
    crawl.args([
        "--set",
        "fetch.retries=0",
        "--set",
        "politeness.autothrottle=false",
        "--set",
        "politeness.requests=8",
    ]);
    let crawl = crawl.output().expect("it runs");
    assert!(crawl.status.success(), "{}", said(&crawl));

    let score = ["lab", "score", "ws", "--plot", "score.svg", "--json"];
    let scored = ran(folder.path(), &[&score[..], &WEB].concat());
    let score = &json(&scored)[0];
    let number = |name: &str| score[name].as_f64().expect("a number");
    // What the vertical finds of it is the vertical's business; that the crawl got to the objects is the crawl's.
    assert!(number("reached") >= 0.9 * number("objects"), "{score}");
    assert!(number("correct") > 0.5 * number("objects"), "{score}");
    assert!(number("pages") > 100.0 && number("precision") > 0.5, "{score}");
    let known = number("correct") + number("split");
    assert!(number("distinct") - known == number("phantoms"), "{score}");
    assert!(score["phantoms_by_decoy"].is_object(), "{score}");
    let plot = std::fs::read_to_string(folder.path().join("score.svg")).expect("the plot");
    assert!(plot.starts_with("<svg") && plot.contains("recall"));
    let people = said(&ran(folder.path(), &[&["lab", "score", "ws"][..], &WEB].concat()));
    assert!(
        people.contains("objects found by") && people.contains("recall"),
        "{people}"
    );
}

#[test]
fn the_truth_is_told_and_is_the_same_every_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let truth = |more: &[&str]| {
        json(&ran(
            folder.path(),
            &[&["lab", "truth", "--json"][..], &WEB, more].concat(),
        ))
    };
    let (first, again, later) = (truth(&[]), truth(&[]), truth(&["--week", "4"]));
    assert_eq!(first, again);
    assert_ne!(first, later);
    let pages = first.iter().filter(|line| line["page"].is_string()).count();
    let objects = first.iter().filter(|line| line["object"].is_number()).count();
    assert!(pages > 100 && objects > 30, "{pages} pages, {objects} objects");
    let decoys = |lines: &[serde_json::Value]| {
        let of_page = |line: &serde_json::Value| line["decoys"].as_array().map_or(0, Vec::len);
        lines.iter().map(of_page).sum::<usize>()
    };
    assert!(decoys(&first) > 0, "the web has decoys");
    assert_eq!(decoys(&truth(&["--decoys", "0"])), 0);

    let seeds = json(&ran(
        folder.path(),
        &[&["lab", "seeds", "--count", "3"][..], &WEB].concat(),
    ));
    assert!(
        seeds.len() == 3 && seeds.iter().all(|seed| seed["title"].is_array()),
        "{seeds:?}"
    );
    let wrong = ran(folder.path(), &["lab", "truth", "--vertical", "weddings"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        said(&wrong).contains("it has events, books, products"),
        "{}",
        said(&wrong)
    );
}
