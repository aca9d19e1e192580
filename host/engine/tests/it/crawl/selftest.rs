//! The sites of Heritrix's own tests, served unchanged: the fetched pages, starting at the index of
//! each site.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use magpie_engine::crawl::Ending;
use magpie_rows::MemoryFrontier;
use serde_json::Value;

use super::common::{crawl, settings};
use magpie_test_support::server::{Asked, Reply, Site};

/// Pages that Heritrix fetches and this crawler does not, by site, with the reason.
const LEFT_OUT: [(&str, &str, &str); 3] = [
    (
        "BackgroundImageExtractionSelfTestCase",
        "example-background-image.jpeg",
        "it collects pictures, and we what can be read",
    ),
    (
        "FramesSelfTestCase",
        "noframe.html",
        "the content of `noframes` is text by the standard, and the frames themselves are followed",
    ),
    (
        "BadURIsStopPageParsingSelfTest",
        "cata;pgs-new.html",
        "the `href` of `base` is no link: readers are not led there",
    ),
];

/// A file of a site, by the path that is asked for.
fn file(folder: &Path, path: &str) -> Reply {
    let path = path.split('?').next().unwrap_or_default().replace("%20", " ");
    let is_below = !path.split('/').any(|part| part == "..");
    let body = is_below
        .then(|| std::fs::read(folder.join(path.trim_start_matches('/'))).ok())
        .flatten();
    match body {
        // The pages declare their encoding themselves.
        Some(body) if path.ends_with(".html") => Reply::of("text/html", body),
        Some(body) => Reply::text(body),
        None => Reply::status(404),
    }
}

/// Crawls a site and gives the paths that were asked for, each of them once.
fn asked_for(
    folder: &Path,
    entry: &str,
    more: &str,
    guard: Option<(&'static str, String)>,
) -> BTreeSet<String> {
    let folder = folder.to_owned();
    let site = Site::asked(move |asked: &Asked| match &guard {
        Some((below, answer))
            if asked.path.starts_with(below) && asked.field("authorization") != Some(answer) =>
        {
            Reply::status(401).with("WWW-Authenticate", "Basic realm=\"Hyrule\"")
        }
        _ => file(&folder, &asked.path),
    });
    // Nothing is asked for but what the pages lead to.
    let plain = format!("scope.sitemaps = false\ntraps.soft_404 = false\n{more}");
    let frontier = Arc::new(MemoryFrontier::new());
    let crawled = crawl(frontier, &settings(&plain), &[site.url(entry)], None);
    assert_eq!(crawled.ending, Ending::Finished);
    let counts = site.counts();
    assert!(counts.values().all(|&count| count == 1), "{counts:?}");
    counts
        .into_keys()
        .filter(|path| path != "/robots.txt")
        .map(|path| path[1..].to_owned())
        .collect()
}

#[test]
fn selftest_sites_are_crawled_as_their_truth_says() {
    let Some(folder) = magpie_test_support::data::find("crawl-selftest") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("expected.json")).expect("readable");
    let sites: serde_json::Map<String, Value> = serde_json::from_str(&text).expect("JSON");
    let mut differing = Vec::new();
    for (name, site) in &sites {
        let mut expected: BTreeSet<String> = strings(&site["expected"]);
        for (_, path, _) in LEFT_OUT.iter().filter(|(known, ..)| known == name) {
            assert!(expected.remove(*path), "{name}: {path}");
        }
        let depth = site["max_link_hops"].as_u64();
        let more = depth.map_or(String::new(), |depth| format!("scope.depth = {depth}\n"));
        let found = match &site["basic_auth"] {
            Value::Null => asked_for(&folder.join(name), "/index.html", &more, None),
            auth => with_password(&folder.join(name), auth),
        };
        if found != expected {
            differing.push(format!("{name}: {found:?}, not {expected:?}"));
        }
    }
    println!(
        "crawl-selftest: {} of {} sites passed, left out {LEFT_OUT:#?}",
        sites.len() - differing.len(),
        sites.len()
    );
    assert!(differing.is_empty(), "{differing:#?}");
}

fn strings(list: &Value) -> BTreeSet<String> {
    let list = list.as_array().expect("a list").iter();
    list.map(|text| text.as_str().expect("a text").to_owned())
        .collect()
}

/// `Mr. Happy Pants:xyzzy` in base 64, as the guarded pages want it.
const ANSWER: &str = "Basic TXIuIEhhcHB5IFBhbnRzOnh5enp5";

fn with_password(folder: &Path, auth: &Value) -> BTreeSet<String> {
    let (user, password) = (&auth["user"], &auth["password"]);
    let more = format!("site.\"127.0.0.1\".access = {{ user = {user}, password = {password} }}\n");
    assert_eq!(auth["path"], "/basic/*");
    asked_for(folder, "/index.html", &more, Some(("/basic/", ANSWER.to_owned())))
}

/// The set has no truth for these. Expected is what the pages state about being found, and the
/// standards.
#[test]
fn selftest_pages_say_what_is_found() {
    let Some(folder) = magpie_test_support::data::find("crawl-selftest") else {
        return;
    };
    let folder = folder.join("static");
    let check = |entry: &str, more: &str, expected: &[&str]| {
        let expected: BTreeSet<String> = expected.iter().map(|&path| path.to_owned()).collect();
        assert_eq!(
            asked_for(&folder, &format!("/{entry}"), more, None),
            expected,
            "{entry}"
        );
    };
    let spaces = [
        "SpacesInHrefPath/index.html",
        "SpacesInHrefPath/spaces%20in%20path.html",
    ];
    check(spaces[0], "", &spaces);
    let refresh = [
        "Refresh/index.html",
        "Refresh/refresh.html",
        "Refresh/refresh2.html",
    ];
    check(refresh[0], "", &refresh);
    // The folder was called test8 once, so there is nothing at the first address.
    let tricky = [
        "TrickyRelativeURIs/index.html",
        "TrickyRelativeURIs/reluptricky.html",
        "test8/anothersub/reluptarget.html",
    ];
    check(tricky[0], "", &tricky);
    // Scripts are not guessed at. A form without a text field is sent, once for each choice of its
    // menu; values that look like addresses are none.
    check(
        "SimpleJavascriptExtraction/index.html",
        "",
        &["SimpleJavascriptExtraction/index.html"],
    );
    check(
        "FormTagExtraction/index.html",
        "",
        &[
            "FormTagExtraction/index.html",
            "FormTagExtraction/index.html?select=&url=inputtag.html",
            "FormTagExtraction/index.html?select=optiontag.html&url=inputtag.html",
        ],
    );
    let excluded = "RobotsExclusion/excluded.html";
    let everything = [
        "RobotsExclusion/index.html",
        "RobotsExclusion/included.html",
        excluded,
        "RobotsExclusion/excluded/level2/level3/excluded.html",
    ];
    check(everything[0], "", &everything);
    check(
        everything[0],
        "identity.robots_name = \"heritrix_selftest\"\n",
        &everything[..2],
    );
}
