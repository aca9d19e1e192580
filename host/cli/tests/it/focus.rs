//! Focused crawls by typed commands: of sites that words lead to, killed and continued.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use magpie_lab::Vertical;
use serde_json::Value;

use crate::web::{LOOPBACK, Served, Spec, json, magpie, ran, said, workspace};

const WEB: Spec = (Vertical::Events, 7);

/// Words that are searched for.
const MAX_WORDS: usize = 12;

/// Time after which a process is killed that should have ended.
const LIMIT: Duration = Duration::from_secs(300);

fn prepared(folder: &Path, served: &Served, more: &str) {
    let settings = format!("{}[crawl]\ncommit = \"10ms\"\n{more}", served.settings());
    workspace(folder, "ws", "events", &settings);
}

/// The URLs that were fetched as pages of sites, each once for every fetch.
fn fetched(folder: &Path) -> Vec<String> {
    let reader = magpie_engine::open_reader(&folder.join("ws")).expect("a reader");
    let rows = reader.all_fetches(None).expect("rows");
    let own = rows.into_iter().filter(|row| row.url_id.is_some());
    own.map(|row| row.url).collect()
}

/// Returns words of the names of objects that the web has.
fn words(served: &Served) -> String {
    let seeds = served.seeds();
    let names = seeds.lines().filter_map(|line| {
        let seed: Value = serde_json::from_str(line).expect("JSON");
        seed["name"][0].as_str().map(str::to_owned)
    });
    let names: Vec<String> = names.collect();
    assert!(!names.is_empty(), "no names in {seeds}");
    let words = names
        .iter()
        .flat_map(|name| name.split(|letter: char| !letter.is_alphanumeric()));
    let words = words.filter(|word| word.chars().count() > 3);
    words.take(MAX_WORDS).collect::<Vec<_>>().join(" ")
}

fn stage<'a>(lines: &'a [Value], name: &str) -> &'a Value {
    let line = lines.iter().find(|line| line["stage"] == name);
    &line.unwrap_or_else(|| panic!("no stage {name} in {lines:?}"))["kept"]
}

#[test]
fn words_lead_to_sites_and_a_page_is_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = Served::start(WEB, 0, 0);
    prepared(folder, &served, "[focus]\niterations = 10\n");
    let words = words(&served);
    let lines = json(&ran(folder, &["focus", "-w", "ws", "--tokens", &words, "--json"]));
    let find = stage(&lines, "find");
    assert_eq!(find["strategy"], "expected");
    let search = &find["words"];
    assert!(search["accepted"].as_u64() > Some(0), "{search}");
    assert!(
        search["judged"].as_u64() >= search["accepted"].as_u64(),
        "{search}"
    );
    assert!(!find["ways_in"].as_array().expect("pages").is_empty());
    let crawl = stage(&lines, "crawl");
    assert!(crawl["records"].as_u64() > Some(0), "{crawl}");
    assert!(stage(&lines, "navigate")["sites"].as_u64() > Some(0));
    // An authority was fetched while it was judged, and not again.
    let mut urls = fetched(folder);
    let all = urls.len();
    urls.sort();
    urls.dedup();
    assert_eq!(urls.len(), all, "no page is fetched twice");

    let authority = find["ways_in"][0].as_str().expect("a URL");
    let explained = json(&ran(folder, &["explain", "-w", "ws", "--json", authority]));
    let focus = &explained[0]["focus"][0];
    assert_eq!(focus["strategy"], "expected", "{explained:?}");
    assert!(focus["place"].as_u64() > Some(0), "{focus}");
    assert!(focus["weights"]["rate"].as_f64() > Some(0.0), "{focus}");
    let people = said(&ran(folder, &["explain", "-w", "ws", authority]));
    assert!(
        people.contains("focused crawl of events by \"expected\""),
        "{people}"
    );

    // A second time all is done.
    let again = json(&ran(folder, &["focus", "-w", "ws", "--tokens", &words, "--json"]));
    assert!(again.iter().all(|line| line["stage"] != "crawl"), "{again:?}");
}

#[test]
fn killed_at_any_moment_the_same_command_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = Served::start(WEB, 0, 0);
    prepared(folder, &served, "[focus]\niterations = 10\n");
    let words = words(&served);
    let focus = || {
        let mut command = magpie(folder);
        command.args(["focus", "-w", "ws", "--tokens", &words, "--json"]);
        command
    };
    // It is killed as soon as it has fetched some pages more: while it searches, and while it
    // crawls.
    for pages in [3, 15, 40] {
        let mut child = focus()
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        let began = Instant::now();
        let is_far =
            || magpie_engine::open_reader(&folder.join("ws")).is_ok() && fetched(folder).len() >= pages;
        while began.elapsed() < LIMIT && !is_far() && child.try_wait().expect("a state").is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        // One that has ended by itself can't be killed any more.
        let _ = child.kill();
        child.wait().expect("it is gone");
    }
    let lines = json(&focus().output().expect("it runs"));
    assert!(stage(&lines, "navigate")["sites"].as_u64() > Some(0));
    let mut urls = fetched(folder);
    let all = urls.len();
    urls.sort();
    urls.dedup();
    assert_eq!(urls.len(), all, "no page is recorded twice");
}

/// A walk that is killed half-way and continued finds about as much as one that was not.
#[test]
fn a_walk_that_is_killed_finds_as_much_as_one_that_is_not() {
    let served = Served::start(WEB, 0, 0);
    let homes = served.homes();
    let found = [false, true].map(|is_killed| {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        prepared(folder, &served, "[focus]\niterations = 10\nstrategy = \"walk\"\n");
        let focus = || {
            let mut command = magpie(folder);
            command.args(["focus", "-w", "ws", "--json"]).args(&homes);
            command
        };
        if is_killed {
            let mut child = focus()
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("it runs");
            let began = Instant::now();
            let is_far =
                || magpie_engine::open_reader(&folder.join("ws")).is_ok() && fetched(folder).len() >= 60;
            while began.elapsed() < LIMIT && !is_far() && child.try_wait().expect("a state").is_none() {
                std::thread::sleep(Duration::from_millis(5));
            }
            child.kill().expect("it runs");
            child.wait().expect("it is gone");
        }
        let lines = json(&focus().output().expect("it runs"));
        assert!(stage(&lines, "crawl")["records"].as_u64() > Some(0));
        let objects = said(&ran(folder, &["objects", "-w", "ws", "--json", "--limit", "0"]));
        (objects.lines().count(), fetched(folder).len())
    });
    println!("{found:?} objects and pages");
    let [(objects, pages), (objects_killed, pages_killed)] = found;
    assert!(20 * objects_killed >= 19 * objects, "{found:?}");
    assert!(5 * pages_killed <= 6 * pages, "{found:?}");
}

#[test]
fn a_judgement_is_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    assert!(ran(folder, &["init", "ws"]).status.success());
    // One vertical of two components: one finds objects, the other judges pages.
    for name in ["ordinary", "only-judges"] {
        let dropped = folder.join(format!("ws/verticals/{name}.wasm"));
        std::fs::copy(magpie_tests::guest(name), dropped).expect("copied");
    }
    std::fs::write(folder.join("ws/magpie.toml"), LOOPBACK).expect("written");
    let site = magpie_test_support::server::Site::start(|path| {
        let title = if path == "/one" {
            "A relevant page"
        } else {
            "A list"
        };
        magpie_test_support::server::Reply::html(format!(
            "<!doctype html><title>{title}</title><a href=\"/one\">one</a>"
        ))
    });
    assert!(
        ran(folder, &["focus", "-w", "ws", &site.url("/")])
            .status
            .success()
    );
    for (path, accepted, words) in [("/", false, "rejects"), ("/one", true, "accepts")] {
        let explained = json(&ran(folder, &["explain", "-w", "ws", "--json", &site.url(path)]));
        let judgement = &explained[0]["known"][0]["fetches"][0]["judgements"][0];
        assert_eq!(judgement["accepted"], accepted, "{explained:?}");
        assert_eq!(judgement["reason"], "the title says so");
        let people = said(&ran(folder, &["explain", "-w", "ws", &site.url(path)]));
        let sentence =
            format!("ordinary 1.2.3 {words} the page with a confidence of 0.75: the title says so");
        assert!(people.contains(&sentence), "{people}");
    }
}
