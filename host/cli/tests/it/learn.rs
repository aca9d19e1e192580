//! From a few objects to a recrawl a week later, on the small web of the lab, by typed commands.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::web::{LOOPBACK, Served, Spec, json, lines_of_json, ran, said, workspace};
use magpie_lab::Vertical;
use magpie_test_support::server::{Reply, Site};
use serde_json::Value;

const WEB: Spec = (Vertical::Events, 7);

/// A workspace that reaches a web of events.
fn reaching(folder: &Path) -> Served {
    let served = Served::start(WEB, 0, 0);
    workspace(folder, "ws", "events", &served.settings());
    served
}

fn seeds(folder: &Path, served: &Served) {
    std::fs::write(folder.join("seeds.jsonl"), served.seeds()).expect("written");
}

#[test]
fn from_seeds_to_a_recrawl_a_week_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = reaching(folder);
    seeds(folder, &served);

    // The stages, in their order, each with a sentence.
    let stages = json(&ran(
        folder,
        &["learn", "-w", "ws", "--seeds", "seeds.jsonl", "--json"],
    ));
    let stages: Vec<&Value> = stages.iter().filter(|line| line["stage"].is_string()).collect();
    let names: Vec<&str> = stages
        .iter()
        .filter_map(|stage| stage["stage"].as_str())
        .collect();
    assert_eq!(
        names[..9],
        [
            "find", "sample", "expand", "crawl", "surface", "cluster", "patterns", "select", "navigate"
        ]
    );
    let kept = |name: &str| {
        let stage = stages.iter().find(|stage| stage["stage"] == name);
        stage.expect("the stage")["kept"].clone()
    };
    assert_eq!(kept("expand")["sites"].as_array().expect("sites").len(), 3);
    let selection = kept("select");
    let covered = selection["covered"].as_f64().expect("a number");
    assert!(
        covered >= 0.99 * selection["coverable"].as_f64().expect("a number"),
        "{selection}"
    );
    assert_eq!(kept("navigate")["reached"], kept("navigate")["reachable"]);

    // A second time there is nothing to fetch, and the same is chosen.
    let again = json(&ran(folder, &["learn", "-w", "ws", "--from", "crawl", "--json"]));
    let of = |lines: &[Value], name: &str, key: &str| {
        let line = lines
            .iter()
            .find(|line| line["stage"] == name)
            .expect("the stage");
        line["kept"][key].clone()
    };
    assert_eq!(of(&again, "crawl", "pages"), 0);
    assert_eq!(of(&again, "select", "patterns"), selection["patterns"]);

    let known = json(&ran(folder, &["sites", "-w", "ws", "--json"]));
    let pages: u64 = known.iter().filter_map(|site| site["pages"].as_u64()).sum();
    let port = served.port();
    drop(served);
    let _later = Served::start(WEB, 1, port);

    // A week later: new objects for a small part of the pages.
    let recrawl = json(&ran(folder, &["recrawl", "-w", "ws", "--later", "1w", "--json"]));
    let all = recrawl.last().expect("the last line");
    let fetched = all["pages"].as_u64().expect("a number");
    assert!(
        fetched > 0 && fetched * 5 <= pages,
        "{fetched} of {pages} pages: {all}"
    );
    assert!(all["new_objects"].as_u64() > Some(0), "{all}");

    // At once again, hubs are read and nothing else is new.
    let third = json(&ran(folder, &["recrawl", "-w", "ws", "--later", "1w", "--json"]));
    let third = third.last().expect("the last line");
    assert_eq!(third["new_objects"], 0, "{third}");
    assert!(third["pages"].as_u64() <= Some(fetched), "{third}");

    // All patterns find what a selective recrawl finds, with more pages.
    let wide = json(&ran(
        folder,
        &[
            "recrawl",
            "-w",
            "ws",
            "--later",
            "1w",
            "--method",
            "all-patterns",
            "--json",
        ],
    ));
    assert!(wide.last().expect("the last line")["pages"].as_u64() > Some(fetched));

    let people = said(&ran(folder, &["patterns", "-w", "ws", "--all"]));
    assert!(
        people.contains('✓') && people.contains("pages a round"),
        "{people}"
    );
    let people = said(&ran(folder, &["sites", "-w", "ws"]));
    assert!(people.contains("objects"), "{people}");
    let strange = ran(folder, &["objects", "-w", "ws", "--site", "elsewhere.test"]);
    assert!(said(&strange).contains("no site `elsewhere.test` is known"));
}

/// A web that was learned, and the files with the navigations of its sites.
fn with_navigations(folder: &Path) -> (Served, Vec<PathBuf>) {
    let served = reaching(folder);
    seeds(folder, &served);
    let learned = ran(folder, &["learn", "-w", "ws", "--seeds", "seeds.jsonl"]);
    assert!(learned.status.success(), "{}", said(&learned));
    let files = std::fs::read_dir(folder.join("ws/navigation/events")).expect("navigations");
    let mut files: Vec<PathBuf> = files.flatten().map(|entry| entry.path()).collect();
    files.sort();
    (served, files)
}

#[test]
fn an_edited_navigation_is_followed_and_a_broken_one_is_told_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (_served, files) = with_navigations(folder);
    let [file, others @ ..] = files.as_slice() else {
        panic!("no navigation");
    };
    assert!(!others.is_empty(), "one site alone");
    let spoil = |file: &Path| {
        let text = std::fs::read_to_string(file).expect("read");
        let broken = text.replacen("patterns = [\"http", "patterns = [\"{nonsense}http", 1);
        assert_ne!(text, broken);
        std::fs::write(file, broken).expect("written");
    };
    let name = file.file_name().expect("a name").to_string_lossy().into_owned();
    let told = |refused: &Output| {
        let sentence = said(refused);
        for part in [name.as_str(), "line", "column", "learn --from navigate"] {
            assert!(sentence.contains(part), "{part} in {sentence}");
        }
    };

    // The others are recrawled as if nothing had happened.
    spoil(file);
    let partly = ran(folder, &["recrawl", "-w", "ws", "--json"]);
    assert_eq!(partly.status.code(), Some(1), "{}", said(&partly));
    told(&partly);
    let last = lines_of_json(&partly).pop().expect("the last line");
    assert_eq!(last["sites"], others.len(), "{last}");
    assert_eq!(last["left_out"].as_array().map(Vec::len), Some(1), "{last}");

    others.iter().for_each(|other| spoil(other));
    let refused = ran(folder, &["recrawl", "-w", "ws"]);
    assert_eq!(refused.status.code(), Some(4), "{}", said(&refused));
    told(&refused);
    let again = ran(folder, &["learn", "-w", "ws", "--from", "navigate"]);
    assert!(again.status.success(), "{}", said(&again));
    let recrawled = ran(folder, &["recrawl", "-w", "ws"]);
    assert!(recrawled.status.success(), "{}", said(&recrawled));

    // A list that a person knows and Magpie does not.
    let text = std::fs::read_to_string(file).expect("read");
    let entry = text
        .lines()
        .find_map(|line| line.strip_prefix("entry = \""))
        .expect("an entry");
    let origin = entry.split('/').take(3).collect::<Vec<_>>().join("/");
    let state =
        format!("[[state]]\nname = \"sheet\"\nrole = \"hub\"\npatterns = [\"{origin}/sheet/{{number}}\"]\n");
    let named = text.replacen("entry =", &format!("also = [\"{origin}/sheet/9\"]\nentry ="), 1);
    std::fs::write(file, format!("{named}\n{state}")).expect("written");
    let recrawled = ran(folder, &["recrawl", "-w", "ws"]);
    assert!(recrawled.status.success(), "{}", said(&recrawled));
    let explained = said(&ran(
        folder,
        &["explain", &format!("{origin}/sheet/9"), "-w", "ws"],
    ));
    assert!(
        explained.contains("  fetched  ") && explained.contains("as a seed"),
        "{explained}"
    );
}

#[test]
fn a_navigation_is_of_its_site_begins_where_it_says_and_is_missed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (_served, files) = with_navigations(folder);
    let file = files.first().expect("a navigation");
    let text = std::fs::read_to_string(file).expect("read");
    let line = text
        .lines()
        .find(|line| line.starts_with("entry = "))
        .expect("an entry");
    let entry = line.trim_start_matches("entry = \"").trim_end_matches('"');
    let with = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        std::fs::write(file, text.replacen(from, to, 1)).expect("written");
    };

    // A site never causes requests to another site.
    let foreign = "http://elsewhere.example/list";
    for (from, to, place) in [
        (line, format!("entry = \"{foreign}\""), "entry"),
        (
            "patterns = [",
            format!("patterns = [\"{foreign}/{{number}}\", "),
            "patterns",
        ),
    ] {
        with(from, &to);
        let refused = ran(folder, &["recrawl", "-w", "ws"]);
        assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
        let sentence = said(&refused);
        for part in [
            place,
            "elsewhere.example",
            "does not belong to the site",
            "learn --from navigate",
        ] {
            assert!(sentence.contains(part), "{part} in {sentence}");
        }
    }

    // Another page of the site may be where a round begins.
    let other = format!(
        "{}/begin/here",
        entry.split('/').take(3).collect::<Vec<_>>().join("/")
    );
    with(line, &format!("entry = \"{other}\""));
    let recrawled = ran(folder, &["recrawl", "-w", "ws"]);
    assert!(recrawled.status.success(), "{}", said(&recrawled));
    let explained = said(&ran(folder, &["explain", &other, "-w", "ws"]));
    assert!(explained.contains("as a seed"), "{explained}");

    // Who writes a state that no page is of may have meant another.
    std::fs::write(file, &text).expect("written");
    let idle =
        format!("{text}\n[[state]]\nname = \"lost\"\nrole = \"hub\"\npatterns = [\"{other}/{{number}}\"]\n");
    std::fs::write(file, idle.replacen("start = [", "start = [\"lost\", ", 1)).expect("written");
    let told = ran(folder, &["recrawl", "-w", "ws"]);
    assert!(said(&told).contains("of the state \"lost\""), "{}", said(&told));
    // An edited file is kept when it is replaced.
    let again = ran(folder, &["learn", "-w", "ws", "--from", "navigate"]);
    assert!(
        said(&again).contains("the edited file is now"),
        "{}",
        said(&again)
    );
    assert_eq!(std::fs::read_to_string(file).expect("read"), text);
    let kept = std::fs::read_to_string(file.with_extension("toml.edited-1")).expect("kept");
    assert!(kept.contains("\"lost\""), "{kept}");

    // No report goes over the workspace.
    let file_name = file
        .strip_prefix(folder)
        .expect("in the folder")
        .display()
        .to_string();
    for own in ["ws/magpie.db", "ws/magpie.toml", &file_name] {
        for command in [&["recrawl"][..], &["learn", "--from", "navigate"]] {
            let refused = ran(folder, &[command, &["-w", "ws", "--report", own]].concat());
            assert_eq!(refused.status.code(), Some(2), "{own}: {}", said(&refused));
        }
    }

    // If no site answers, the command fails.
    let down = [
        "recrawl",
        "-w",
        "ws",
        "--proxy",
        "http://127.0.0.1:1",
        "--later",
        "2w",
        "--set",
        "fetch.retries=0",
    ];
    let down = ran(folder, &down);
    assert_eq!(down.status.code(), Some(1), "{}", said(&down));
    assert!(said(&down).contains("could be fetched"), "{}", said(&down));

    // A site whose file is missing is left out and reported.
    std::fs::remove_file(file).expect("removed");
    let refused = ran(folder, &["recrawl", "-w", "ws"]);
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert!(said(&refused).contains("is missing, although patterns of the site are selected"));
    let sites = said(&ran(folder, &["sites", "-w", "ws"]));
    assert!(sites.contains("its navigation is invalid"), "{sites}");
    let again = ran(folder, &["learn", "-w", "ws", "--from", "navigate"]);
    assert!(again.status.success() && file.exists(), "{}", said(&again));
}

/// The sites of this web are below paths, with nothing at the roots of their hosts. A search names
/// pages of them.
#[test]
fn sites_below_a_path_are_entered_by_the_pages_they_were_found_by() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = Served::start((Vertical::Books, 23), 0, 0);
    let homes = served.homes();
    let is_below = |url: &str| url.matches('/').count() > 3;
    assert!(homes.iter().any(|home| is_below(home)), "{homes:?}");
    workspace(folder, "ws", "books", &served.settings());
    seeds(folder, &served);
    let learned = ran(folder, &["learn", "-w", "ws", "--seeds", "seeds.jsonl"]);
    assert!(learned.status.success(), "{}", said(&learned));
    let sites = json(&ran(folder, &["sites", "-w", "ws", "--json"]));
    let entries: Vec<&str> = sites.iter().filter_map(|site| site["entry"].as_str()).collect();
    let entered = entries.iter().filter(|entry| is_below(entry)).count();
    assert!(entered > 0, "{entries:?}");
    for site in &sites {
        assert!(site["objects"].as_u64() > Some(1), "{site}");
    }
}

#[test]
fn a_search_engine_at_home_is_reached_and_its_neighbours_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let engine = Site::always(Reply::json("{\"results\": []}"));
    workspace(folder, "ws", "events", "");
    let seeds = "{\"name\": [\"A night of songs\"], \"start\": [\"2027-01-01T20:00\"]}\n";
    std::fs::write(folder.join("seeds.jsonl"), seeds).expect("written");
    let url = format!("search.url={}", engine.url("/"));
    let search = [
        "learn",
        "-w",
        "ws",
        "--seeds",
        "seeds.jsonl",
        "--set",
        "search.delay=0s",
    ];
    let learned = said(&ran(folder, &[&search[..], &["--set", &url]].concat()));
    assert!(learned.contains("knows no site"), "{learned}");
    // To crawl there is another matter.
    let crawled = said(&ran(folder, &["crawl", "-w", "ws", &engine.url("/")]));
    assert!(crawled.contains("--allow-address"), "{crawled}");
}

#[test]
fn what_is_no_workspace_or_no_vertical_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    assert!(ran(folder, &["init", "ws"]).status.success());
    std::fs::write(folder.join("ws/verticals/events.wasm"), "junk").expect("written");
    std::fs::write(folder.join("sites.txt"), "http://a.test/\n").expect("written");
    let cases: [(&[&str], &[&str]); 4] = [
        (
            &["learn", "--sites", "sites.txt", "-w", "ws"],
            &["events.wasm", "not a WebAssembly file"],
        ),
        (
            &["recrawl", "-w", "ws"],
            &["events.wasm", "not a WebAssembly file"],
        ),
        (
            &["recrawl", "-w", "nowhere"],
            &["nowhere is not a workspace", "magpie init"],
        ),
        (
            &["crawl", "-w", "nowhere"],
            &["nowhere is not a workspace", "magpie init"],
        ),
    ];
    for (arguments, parts) in cases {
        let output = ran(folder, arguments);
        let sentence = said(&output);
        assert!(!output.status.success(), "{arguments:?}: {sentence}");
        for part in parts {
            assert!(sentence.contains(part), "{arguments:?}: {part:?} in {sentence}");
        }
    }
    assert!(!folder.join("nowhere").exists());
}

#[test]
fn what_learning_cannot_begin_with_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let _served = reaching(folder);
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    write("empty.json", "");
    write("broken.json", "[{\"name\": ");
    write(
        "strange.json",
        "[{\"name\": [\"A night\"], \"colour\": [\"red\"]}]",
    );
    write(
        "nowhere.jsonl",
        "{\"name\": [\"Zzyzx Qwfpgj Unheardof\"], \"start\": [\"2027-01-01T20:00\"]}\n",
    );
    write("none.txt", "# nothing\n");
    write("bad.txt", "# ours\nexample.org\n\nftp://example.org/\n");
    let cases: [(&[&str], &[&str]); 9] = [
        (&["learn"], &["no seeds or sites given", "--seeds", "--sites"]),
        (&["learn", "--seeds", "empty.json"], &["empty.json"]),
        (&["learn", "--seeds", "broken.json"], &["broken.json", "line"]),
        (&["learn", "--seeds", "strange.json"], &["colour"]),
        (&["learn", "--seeds", "nowhere.jsonl"], &["--sites"]),
        (&["learn", "--sites", "none.txt"], &["none.txt", "has no sites"]),
        (
            &["learn", "--sites", "bad.txt"],
            &["bad.txt, line 4", "ftp://example.org/"],
        ),
        (
            &[
                "learn",
                "--seeds",
                "nowhere.jsonl",
                "--set",
                "search.url=http://nobody.test",
            ],
            &["search engine", "--sites"],
        ),
        (&["recrawl"], &["no site of events was learned", "magpie learn"]),
    ];
    for (arguments, parts) in cases {
        let output = ran(folder, &[arguments, &["-w", "ws"]].concat());
        let sentence = said(&output);
        assert!(!output.status.success(), "{arguments:?}: {sentence}");
        for part in parts {
            assert!(sentence.contains(part), "{arguments:?}: {part:?} in {sentence}");
        }
    }
    // Nothing of it was begun, to be gone on with.
    let runs = ran(folder, &["status", "-w", "ws"]);
    assert!(!said(&runs).contains("recrawl"), "{}", said(&runs));
}

#[test]
fn a_beginning_that_leads_nowhere_and_a_shorter_list_lose_nothing_and_a_site_can_be_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = reaching(folder);
    let homes = served.homes();
    let write = |name: &str, text: String| std::fs::write(folder.join(name), text).expect("written");
    write("sites.txt", homes.join("\n"));
    write("bad.txt", format!("{}\nftp://example.org/\n", homes[0]));
    write("one.txt", format!("{}\n{}\n", homes[0], homes[0]));
    let magpie = |arguments: &[&str]| ran(folder, &[arguments, &["-w", "ws"]].concat());
    let keys = || -> Vec<String> {
        let sites = json(&magpie(&["sites", "--json"]));
        let keys = sites.iter().filter_map(|site| site["site"].as_str());
        keys.map(str::to_owned).collect()
    };
    assert!(magpie(&["learn", "--sites", "sites.txt"]).status.success());
    let learned = keys();
    assert_eq!(learned.len(), 3);

    // A failed command keeps what was learned before.
    assert_eq!(magpie(&["learn", "--sites", "bad.txt"]).status.code(), Some(4));
    let selected = magpie(&["learn", "--from", "select"]);
    assert!(selected.status.success(), "{}", said(&selected));

    let shorter = magpie(&["learn", "--sites", "one.txt"]);
    let told = said(&shorter);
    assert!(
        told.contains("1 site named; 2 other sites learned earlier are kept"),
        "{told}"
    );
    assert_eq!(keys(), learned);

    // A broken file of another site stays as it is.
    let navigation = |site: &str| folder.join(format!("ws/navigation/events/{site}.toml"));
    let sound = std::fs::read_to_string(navigation(&learned[1])).expect("a navigation");
    write(
        &format!("ws/navigation/events/{}.toml", learned[1]),
        "[".to_owned(),
    );
    let dropped = &learned[0];
    let output = magpie(&["sites", dropped, "--drop"]);
    assert!(output.status.success(), "{}", said(&output));
    let broken = std::fs::read_to_string(navigation(&learned[1])).expect("a file");
    assert_eq!(broken, "[");
    std::fs::write(navigation(&learned[1]), sound).expect("written");
    assert_eq!(keys(), learned[1..]);
    assert!(
        !folder
            .join(format!("ws/navigation/events/{dropped}.toml"))
            .exists()
    );
    // It comes back neither with a round nor when all is learned again.
    let round = json(&magpie(&["recrawl", "--json"]));
    assert!(
        !round.iter().any(|line| line["site"] == dropped.as_str()),
        "{round:?}"
    );
    let all = magpie(&["learn"]);
    assert!(all.status.success(), "{}", said(&all));
    assert_eq!(keys(), learned[1..]);
    let again = magpie(&["sites", dropped, "--drop"]);
    assert!(said(&again).contains("there is no site"), "{}", said(&again));
}

#[test]
fn sites_without_objects_say_what_they_answered() {
    for (answer, told) in [
        (410, "(answers 410)"),
        (500, "(answers 500)"),
        (302, "(leads to http://elsewhere.example/)"),
    ] {
        let site = Site::start(move |path| match path {
            "/robots.txt" => Reply::status(404),
            _ => Reply::status(answer).with("Location", "http://elsewhere.example/"),
        });
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        workspace(
            folder,
            "ws",
            "events",
            &format!("{LOOPBACK}[fetch]\nretry_wait = \"10ms\"\n"),
        );
        std::fs::write(folder.join("sites.txt"), site.url("/")).expect("written");
        let learned = ran(folder, &["learn", "-w", "ws", "--sites", "sites.txt"]);
        assert_eq!(learned.status.code(), Some(4), "{}", said(&learned));
        assert!(said(&learned).contains(told), "{told}: {}", said(&learned));
    }
}

#[test]
fn named_sites_need_no_search_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = reaching(folder);
    let homes = served.homes();
    std::fs::write(folder.join("sites.txt"), homes.join("\n")).expect("written");
    let learned = json(&ran(
        folder,
        &[
            "learn",
            "-w",
            "ws",
            "--sites",
            "sites.txt",
            "--set",
            "search.url=",
            "--json",
        ],
    ));
    let stage = |name: &str| {
        let line = learned.iter().find(|line| line["stage"] == name);
        line.unwrap_or_else(|| panic!("{name} in {learned:?}")).clone()
    };
    assert_eq!(
        stage("find")["kept"]["sites"].as_array().map(Vec::len),
        Some(homes.len())
    );
    assert_eq!(stage("patterns")["kept"]["sites"], 3);
}
