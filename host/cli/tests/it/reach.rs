//! Unreachable sites: reported at once with the cause, without delaying others, and taken back.

use crate::context::TestContext;
use crate::web::{LOOPBACK, event, number_of, numbered, venue};
use magpie_test_support::server::{Reply, Site, unused_address};

/// Seconds of a crawl: longer than a second try takes, and shorter than waiting for a robots file.
const QUICK: f64 = 25.0;

/// The sites of the workspace, each with true if it was learned.
fn sites(context: &TestContext) -> Vec<(String, bool)> {
    let listed = context.json("sites -w ws --json");
    let site = |line: &serde_json::Value| {
        let key = line["site"].as_str().expect("a key").to_owned();
        (key, line["learned_at"].is_string())
    };
    listed.iter().map(site).collect()
}

#[test]
fn a_mistyped_address_is_told_at_once_with_the_cause() {
    let context = TestContext::with_workspace("events", LOOPBACK);
    for (address, cause) in [
        (format!("http://{}/", unused_address()), "refused"),
        ("http://nosuch.invalid/".to_owned(), "nosuch.invalid"),
    ] {
        let refused = context.fails(1, &format!("crawl -w ws --json {address}"));
        let end = refused.last();
        let seconds = end["seconds"].as_f64();
        assert!(seconds.is_some_and(|seconds| seconds < QUICK), "{end}");
        let last = refused.err.rsplit("error:").next().expect("an error");
        assert!(
            last.contains("can't be reached") && last.contains(cause),
            "{last}"
        );
    }
}

#[test]
fn a_dead_site_holds_up_nobody_and_is_taken_back() {
    let context = TestContext::with_workspace("events", LOOPBACK);
    let (venue, dead) = (venue(2), unused_address().to_string());
    let live = venue.address.to_string();
    let learned = context.learn(&[venue.url("/"), format!("http://{dead}/")]);
    let stages = learned.says([&format!("{dead} can't be reached")]).text();
    let crawl = stages
        .lines()
        .find(|line| line.starts_with("crawl "))
        .expect("a stage");
    let seconds = crawl
        .trim_end()
        .strip_suffix(" s")
        .and_then(|line| line.rsplit(' ').next());
    let seconds = seconds.and_then(|seconds| seconds.parse::<f64>().ok());
    assert!(seconds.is_none_or(|seconds| seconds < QUICK), "{stages}");
    assert_eq!(sites(&context), [(live.clone(), true), (dead.clone(), false)]);

    context.ok(&format!("sites -w ws {dead} --drop"));
    assert_eq!(sites(&context), [(live.clone(), true)]);
    context.ok("learn -w ws").lacks([&dead]);

    // A new file lists what it leaves out.
    let other = unused_address().to_string();
    context.learn(&[venue.url("/"), format!("http://{other}/")]);
    let without = context.learn(&[venue.url("/")]);
    without.says(["dropped now", &other]);
    assert_eq!(sites(&context), [(live, true)]);
}

#[test]
fn where_no_site_can_be_reached_learning_says_so_and_tries_again() {
    let context = TestContext::with_workspace("events", LOOPBACK);
    let dead = unused_address();
    for _ in 0..2 {
        let refused = context.fails(1, &format!("learn -w ws http://{dead}/"));
        refused.says(["can't be reached"]);
    }
}

#[test]
fn a_host_without_a_scheme_is_asked_by_both() {
    let context = TestContext::with_workspace("events", LOOPBACK);
    let site = venue(2);
    context.ok(&format!("crawl -w ws {}", site.address));
    assert!(site.requests().contains(&"/night/1".to_owned()));
    let status = &context.json("status -w ws --json")[0];
    assert_eq!(status["sites"].as_array().map(Vec::len), Some(1), "{status}");
    // An explicit `https` is never replaced by `http`.
    let other = venue(2);
    context.fails(1, &format!("crawl -w ws https://{}/", other.address));
}

#[test]
fn where_https_hangs_or_breaks_off_a_host_without_a_scheme_is_asked_by_http_at_once() {
    /// The first byte of a connection over TLS.
    const TLS: u8 = 0x16;
    for hangs in [true, false] {
        let site = Site::over(
            move |stream| {
                let mut first = [0];
                stream.peek(&mut first).ok()?;
                let is_tls = first[0] == TLS;
                if is_tls && hangs {
                    std::thread::sleep(std::time::Duration::from_secs(600));
                }
                (!is_tls).then(|| Box::new(stream) as _)
            },
            |asked| match number_of(&asked.path, "/night/") {
                Some(night) => event(&format!("Night {night}"), "2099-05-01T20:00", "The old mill"),
                None if asked.path == "/" => numbered("The old mill", "/night/", 0..2),
                None => Reply::status(404),
            },
        );
        let context = TestContext::with_workspace("events", LOOPBACK);
        let command = format!("crawl -w ws {} --json --set fetch.tls_timeout=2s", site.address);
        let crawled = context.ok(&command);
        let crawled = crawled.says(["is tried instead"]);
        let end = crawled.last();
        assert_eq!(end["objects"], 2, "{end}");
        // A second attempt, or waiting for robots.txt, would take longer.
        let seconds = end["seconds"].as_f64();
        assert!(seconds.is_some_and(|seconds| seconds < QUICK), "{end}");
    }
}
