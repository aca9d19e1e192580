//! Unreachable sites: reported at once with the cause, without delaying others, and taken back.

use std::path::Path;
use std::process::Output;

use crate::web::{LOOPBACK, json, lines_of_json, magpie, ran, said, workspace};
use magpie_test_support::server::{Reply, Site, links, unused_address};

/// Seconds of a crawl: longer than a second try takes, and shorter than waiting for a robots file.
const QUICK: f64 = 25.0;

/// A site with two events.
fn venue() -> Site {
    Site::start(|path| match path {
        "/" => links("The mill", &["/night/1", "/night/2"]),
        "/night/1" | "/night/2" => Reply::html(format!(
            "<!doctype html><title>{path}</title><script type=application/ld+json>{{\"@context\": \
             \"https://schema.org\", \"@type\": \"Event\", \"name\": \"A night called {path}\", \
             \"startDate\": \"2099-05-01T20:00\", \"location\": {{\"@type\": \"Place\", \"name\": \
             \"The mill\"}}}}</script><h1>{path}</h1>"
        )),
        _ => Reply::status(404),
    })
}

fn learn(folder: &Path, sites: &[String]) -> Output {
    std::fs::write(folder.join("sites.txt"), sites.join("\n")).expect("written");
    ran(folder, &["learn", "-w", "ws", "--sites", "sites.txt"])
}

fn sites(folder: &Path) -> Vec<(String, bool)> {
    let listed = json(&ran(folder, &["sites", "-w", "ws", "--json"]));
    let site = |line: &serde_json::Value| {
        let key = line["site"].as_str().expect("a key").to_owned();
        (key, line["learned_at"].is_string())
    };
    listed.iter().map(site).collect()
}

#[test]
fn a_mistyped_address_is_told_at_once_with_the_cause() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    workspace(folder, "ws", "events", LOOPBACK);
    for (address, cause) in [
        (format!("http://{}/", unused_address()), "refused"),
        ("http://nosuch.invalid/".to_owned(), "nosuch.invalid"),
    ] {
        let output = ran(folder, &["crawl", "-w", "ws", "--json", &address]);
        let end = lines_of_json(&output).pop().expect("a line");
        assert!(
            end["seconds"].as_f64().is_some_and(|seconds| seconds < QUICK),
            "{end}"
        );
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = errors.rsplit("error:").next().expect("an error");
        assert!(
            last.contains("can't be reached") && last.contains(cause),
            "{errors}"
        );
    }
}

#[test]
fn a_dead_site_holds_up_nobody_and_is_taken_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    workspace(folder, "ws", "events", LOOPBACK);
    let (venue, dead) = (venue(), unused_address().to_string());
    let live = venue.address.to_string();
    let learned = learn(folder, &[venue.url("/"), format!("http://{dead}/")]);
    assert!(learned.status.success(), "{}", said(&learned));
    let stages = said(&learned);
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
    let told = format!("{dead} can't be reached");
    assert!(said(&learned).contains(&told), "{}", said(&learned));
    assert_eq!(sites(folder), [(live.clone(), true), (dead.clone(), false)]);

    let dropped = ran(folder, &["sites", "-w", "ws", &dead, "--drop"]);
    assert!(dropped.status.success(), "{}", said(&dropped));
    assert_eq!(sites(folder), [(live.clone(), true)]);
    let again = said(&ran(folder, &["learn", "-w", "ws"]));
    assert!(!again.contains(&dead), "{again}");

    // A new file lists what it leaves out.
    let other = unused_address().to_string();
    learn(folder, &[venue.url("/"), format!("http://{other}/")]);
    let without = said(&learn(folder, &[venue.url("/")]));
    assert!(
        without.contains("dropped now") && without.contains(&other),
        "{without}"
    );
    assert_eq!(sites(folder), [(live, true)]);
}

#[test]
fn where_no_site_can_be_reached_learning_says_so_and_tries_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    workspace(folder, "ws", "events", LOOPBACK);
    let dead = unused_address().to_string();
    for _ in 0..2 {
        let output = learn(folder, &[format!("http://{dead}/")]);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains("can't be reached"), "{}", said(&output));
    }
}

#[test]
fn a_host_without_a_scheme_is_asked_by_both() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    workspace(folder, "ws", "events", LOOPBACK);
    let venue = venue();
    let output = ran(folder, &["crawl", "-w", "ws", &venue.address.to_string()]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        venue.requests().contains(&"/night/2".to_owned()),
        "{}",
        said(&output)
    );
    let status = &json(&ran(folder, &["status", "-w", "ws", "--json"]))[0];
    assert_eq!(status["sites"].as_array().map(Vec::len), Some(1), "{status}");
    // An explicit `https` is never replaced by `http`.
    let said_so = format!("https://{}/", self::venue().address);
    let output = ran(folder, &["crawl", "-w", "ws", &said_so]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}

#[test]
fn a_variable_that_is_no_setting_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    workspace(folder, "ws", "events", LOOPBACK);
    let output = magpie(folder)
        .args(["status", "-w", "ws"])
        .env("MAGPIE_POLITENES_DELAY", "2s")
        .output()
        .expect("it runs");
    assert!(output.status.success());
    let told = said(&output);
    assert!(told.contains("did you mean `MAGPIE_POLITENESS_DELAY`?"), "{told}");
}

#[test]
fn exit_codes_are_those_of_the_readme() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    workspace(folder, "ws", "events", LOOPBACK);
    let code = |arguments: &[&str]| {
        let output = ran(folder, arguments);
        (output.status.code(), said(&output))
    };
    for command in ["recrawl", "watch"] {
        let (code, told) = code(&[command, "-w", "ws"]);
        assert_eq!(code, Some(2), "{told}");
    }
    let (missing, told) = code(&["plugin", "check", "nosuch.wasm"]);
    assert_eq!(missing, Some(4), "{told}");
    std::fs::write(folder.join("ws/verticals/broken.wasm"), "not wasm").expect("written");
    let venue = venue();
    let (broken, told) = code(&["crawl", "-w", "ws", &venue.url("/")]);
    assert_eq!(broken, Some(1), "{told}");
}
