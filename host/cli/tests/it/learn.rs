//! From a few objects to a recrawl a week later, on the small web of the lab, by typed commands.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::context::{Ran, TestContext};
use crate::web::{LOOPBACK, Served, Spec, event, number_of, numbered};
use magpie_lab::Vertical;
use magpie_test_support::server::{Reply, Site, links};
use serde_json::Value;

const WEB: Spec = (Vertical::Events, 7);

/// A workspace that reaches a web of events, and seeds of it.
fn reaching() -> (TestContext, Served) {
    let served = Served::start(WEB, 0, 0);
    let context = TestContext::with_workspace("events", served.settings());
    context.write("seeds.jsonl", served.seeds());
    (context, served)
}

#[test]
fn from_seeds_to_a_recrawl_a_week_later() {
    let (context, served) = reaching();

    // The stages, in their order, each with a sentence.
    let mut stages = context.json("learn -w ws --seeds seeds.jsonl --json");
    stages.retain(|line| line["stage"].is_string());
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
    let of = |lines: &[Value], name: &str, key: &str| {
        let stage = lines.iter().find(|line| line["stage"] == name);
        stage.expect("the stage")["kept"][key].clone()
    };
    let kept = |name: &str, key: &str| of(&stages, name, key);
    assert_eq!(kept("expand", "sites").as_array().expect("sites").len(), 3);
    let number = |key: &str| kept("select", key).as_f64().expect("a number");
    assert!(number("covered") >= 0.99 * number("coverable"));
    assert_eq!(kept("navigate", "reached"), kept("navigate", "reachable"));

    // A second time there is nothing to fetch, and the same is chosen.
    let again = context.json("learn -w ws --from crawl --json");
    assert_eq!(of(&again, "crawl", "pages"), 0);
    assert_eq!(of(&again, "select", "patterns"), kept("select", "patterns"));

    let known = context.json("sites -w ws --json");
    let pages: u64 = known.iter().filter_map(|site| site["pages"].as_u64()).sum();
    let _later = served.later(1);

    // A week later: new objects for a small part of the pages.
    let recrawl = |more: &str| {
        context
            .ok(&format!("recrawl -w ws --later 1w --json {more}"))
            .last()
    };
    let first = recrawl("");
    let fetched = first["pages"].as_u64().expect("a number");
    assert!(
        fetched > 0 && fetched * 5 <= pages,
        "{fetched} of {pages} pages: {first}"
    );
    assert!(first["new_objects"].as_u64() > Some(0), "{first}");

    // At once again, hubs are read and nothing else is new.
    let third = recrawl("");
    assert_eq!(third["new_objects"], 0, "{third}");
    assert!(third["pages"].as_u64() <= Some(fetched), "{third}");

    // All patterns find what a selective recrawl finds, with more pages.
    assert!(recrawl("--method all-patterns")["pages"].as_u64() > Some(fetched));

    context
        .ok("patterns -w ws --all")
        .says(["✓", "; a round fetches ", "  objects on "]);
    let strange = context.run("objects -w ws --site elsewhere.test");
    strange.says(["no site `elsewhere.test` is known"]);
}

/// A web that was learned, and the files with the navigations of its sites.
fn with_navigations() -> (TestContext, Served, Vec<PathBuf>) {
    let (context, served) = reaching();
    context.ok("learn -w ws --seeds seeds.jsonl");
    let files = std::fs::read_dir(context.path("ws/navigation/events")).expect("navigations");
    let mut files: Vec<PathBuf> = files.flatten().map(|entry| entry.path()).collect();
    files.sort();
    (context, served, files)
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).expect("a navigation")
}

/// Returns the line with the entry of a navigation, and the origin of its site.
fn entry(navigation: &str) -> (&str, String) {
    let line = navigation.lines().find(|line| line.starts_with("entry = \""));
    let line = line.expect("an entry");
    let url = line.trim_start_matches("entry = \"").trim_end_matches('"');
    (line, url.split('/').take(3).collect::<Vec<_>>().join("/"))
}

#[test]
fn an_edited_navigation_is_followed_and_a_broken_one_is_told_with_its_line() {
    let (context, _served, files) = with_navigations();
    let [file, others @ ..] = files.as_slice() else {
        panic!("no navigation");
    };
    assert!(!others.is_empty(), "one site alone");
    let spoil = |file: &Path| {
        let text = read(file);
        let broken = text.replacen("patterns = [\"http", "patterns = [\"{nonsense}http", 1);
        assert_ne!(text, broken);
        std::fs::write(file, broken).expect("written");
    };
    let name = file.file_name().expect("a name").to_string_lossy().into_owned();
    let told = |refused: Ran| refused.says([&name, "line", "column", "learn --from navigate"]);

    // The others are recrawled as if nothing had happened.
    spoil(file);
    let last = told(context.fails(1, "recrawl -w ws --json")).last();
    assert_eq!(last["sites"], others.len(), "{last}");
    assert_eq!(last["left_out"].as_array().map(Vec::len), Some(1), "{last}");

    others.iter().for_each(|other| spoil(other));
    told(context.fails(4, "recrawl -w ws"));
    context.ok("learn -w ws --from navigate");
    context.ok("recrawl -w ws");

    // A list that a person knows and Magpie does not.
    let text = read(file);
    let (_, origin) = entry(&text);
    let state =
        format!("[[state]]\nname = \"sheet\"\nrole = \"hub\"\npatterns = [\"{origin}/sheet/{{number}}\"]\n");
    let named = text.replacen("entry =", &format!("also = [\"{origin}/sheet/9\"]\nentry ="), 1);
    std::fs::write(file, format!("{named}\n{state}")).expect("written");
    context.ok("recrawl -w ws");
    let explained = context.ok(&format!("explain -w ws {origin}/sheet/9"));
    explained.says(["  fetched  ", "as a seed"]);
}

#[test]
fn a_navigation_is_of_its_site_begins_where_it_says_and_is_missed() {
    let (context, _served, files) = with_navigations();
    let file = files.first().expect("a navigation");
    let text = read(file);
    let (line, origin) = entry(&text);
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
        context.fails(1, "recrawl -w ws").says([
            place,
            "elsewhere.example",
            "does not belong to the site",
            "learn --from navigate",
        ]);
    }

    // Another page of the site may be where a round begins.
    let other = format!("{origin}/begin/here");
    with(line, &format!("entry = \"{other}\""));
    context.ok("recrawl -w ws");
    context.ok(&format!("explain -w ws {other}")).says(["as a seed"]);

    // Who writes a state that no page is of may have meant another.
    let idle =
        format!("{text}\n[[state]]\nname = \"lost\"\nrole = \"hub\"\npatterns = [\"{other}/{{number}}\"]\n");
    std::fs::write(file, idle.replacen("start = [", "start = [\"lost\", ", 1)).expect("written");
    context.run("recrawl -w ws").says(["of the state \"lost\""]);
    // An edited file is kept when it is replaced.
    let again = context.run("learn -w ws --from navigate");
    again.says(["the edited file is now"]);
    assert_eq!(read(file), text);
    let kept = read(&file.with_extension("toml.edited-1"));
    assert!(kept.contains("\"lost\""), "{kept}");

    // No report goes over the workspace.
    let own = file.strip_prefix(context.path("")).expect("in the folder");
    for own in ["ws/magpie.db", "ws/magpie.toml", &own.display().to_string()] {
        for command in ["recrawl", "learn --from navigate"] {
            context.fails(2, &format!("{command} -w ws --report {own}"));
        }
    }

    // If no site answers, the command fails.
    let down = "recrawl -w ws --proxy http://127.0.0.1:1 --later 2w --set fetch.retries=0";
    context.fails(1, down).says(["could be fetched"]);

    // A site whose file is missing is left out and reported.
    std::fs::remove_file(file).expect("removed");
    let refused = context.fails(1, "recrawl -w ws --later 2w");
    refused.says(["is missing, although patterns of the site are selected"]);
    context.ok("sites -w ws").says(["its navigation is invalid"]);
    context.ok("learn -w ws --from navigate");
    assert!(file.exists());
}

/// The sites of this web are below paths, with nothing at the roots of their hosts. A search names
/// pages of them.
#[test]
fn sites_below_a_path_are_entered_by_the_pages_they_were_found_by() {
    let served = Served::start((Vertical::Books, 23), 0, 0);
    let homes = served.homes();
    let is_below = |url: &str| url.matches('/').count() > 3;
    assert!(homes.iter().any(|home| is_below(home)), "{homes:?}");
    let context = TestContext::with_workspace("books", served.settings());
    context.write("seeds.jsonl", served.seeds());
    context.ok("learn -w ws --seeds seeds.jsonl");
    let sites = context.json("sites -w ws --json");
    let mut entries = sites.iter().filter_map(|site| site["entry"].as_str());
    assert!(entries.any(is_below), "{sites:?}");
    for site in &sites {
        assert!(site["objects"].as_u64() > Some(1), "{site}");
    }
}

#[test]
fn a_search_engine_at_home_is_reached_and_its_neighbours_are_not() {
    let engine = Site::always(Reply::json("{\"results\": []}"));
    let context = TestContext::with_workspace("events", "");
    let seeds = "{\"name\": [\"A night of songs\"], \"start\": [\"2027-01-01T20:00\"]}\n";
    context.write("seeds.jsonl", seeds);
    let url = engine.url("/");
    let learn = format!("learn -w ws --seeds seeds.jsonl --set search.delay=0s --set search.url={url}");
    context.run(&learn).says(["knows no site"]);
    // To crawl there is another matter.
    let crawled = context.fails(1, &format!("crawl -w ws {url}"));
    crawled.says(["--set network.allow_addresses=127.0.0.0/8"]);
}

#[test]
fn what_learning_cannot_begin_with_is_told() {
    let (context, _served) = reaching();
    context.write("empty.json", "");
    context.write("broken.json", "[{\"name\": ");
    context.write(
        "nowhere.jsonl",
        "{\"name\": [\"Zzyzx Qwfpgj Unheardof\"], \"start\": [\"2027-01-01T20:00\"]}\n",
    );
    for (arguments, parts) in [
        ("empty.json", ["empty.json", "error"]),
        ("broken.json", ["broken.json", "line"]),
        ("nowhere.jsonl", ["--sites", "error"]),
        (
            "nowhere.jsonl --set search.url=http://nobody.test",
            ["search engine", "--sites"],
        ),
    ] {
        let refused = context.run(&format!("learn -w ws --seeds {arguments}"));
        assert!(refused.says(parts).err.contains("error"), "{arguments}");
    }
}

#[test]
fn a_beginning_that_leads_nowhere_and_a_shorter_list_lose_nothing_and_a_site_can_be_dropped() {
    let (context, served) = reaching();
    let homes = served.homes();
    context.write("sites.txt", homes.join("\n"));
    context.write("bad.txt", format!("{}\nftp://example.org/\n", homes[0]));
    context.write("one.txt", format!("{}\n{}\n", homes[0], homes[0]));
    let keys = || -> Vec<String> {
        let sites = context.json("sites -w ws --json");
        let keys = sites.iter().filter_map(|site| site["site"].as_str());
        keys.map(str::to_owned).collect()
    };
    context.ok("learn -w ws --sites sites.txt");
    let learned = keys();
    assert_eq!(learned.len(), 3);
    let undo = |site: &str| format!("sites -w ws {site} --undo");
    let first = context.fails(4, &undo(&learned[1]));
    first.says(["there is no navigation of"]);

    // A failed command keeps what was learned before.
    context.fails(4, "learn -w ws --sites bad.txt");
    context.ok("learn -w ws --from select");

    let shorter = context.ok("learn -w ws --sites one.txt");
    shorter.says(["1 site named; 2 other sites learned earlier are kept"]);
    assert_eq!(keys(), learned);

    // A broken file of another site stays as it is.
    let navigation = |site: &str| format!("ws/navigation/events/{site}.toml");
    let broken = navigation(&learned[1]);
    let sound = context.read(&broken);
    context.write(&broken, "[");
    let dropped = &learned[0];
    context.ok(&format!("sites -w ws {dropped} --drop"));
    assert_eq!(context.read(&broken), "[");
    context.write(&broken, sound);
    assert_eq!(keys(), learned[1..]);
    assert!(!context.path(&navigation(dropped)).exists());
    // It comes back neither with a round nor when all is learned again.
    let round = context.json("recrawl -w ws --json");
    assert!(
        !round.iter().any(|line| line["site"] == dropped.as_str()),
        "{round:?}"
    );
    context.ok("learn -w ws");
    assert_eq!(keys(), learned[1..]);
    let again = context.run(&format!("sites -w ws {dropped} --drop"));
    again.says(["there is no site"]);

    // What was learned last of a site is taken back.
    let present = |site: &String| {
        let file = navigation(site);
        context.path(&file).exists().then(|| context.read(&file))
    };
    let before: Vec<Option<String>> = learned[1..].iter().map(present).collect();
    context.ok("learn -w ws --from select --set learn.coverage=0.2");
    let mut sites = learned[1..].iter().zip(before);
    let (site, before) = sites
        .find(|(site, before)| before.is_some() && present(site) != *before)
        .expect("a site with another navigation");
    context
        .ok(&undo(site))
        .says(["returned to the navigation before"]);
    assert_eq!(present(site), before);
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
        let settings = format!("{LOOPBACK}[fetch]\nretry_wait = \"10ms\"\n");
        let context = TestContext::with_workspace("events", settings);
        let learned = context.fails(4, &format!("learn -w ws {}", site.url("/")));
        learned.says([told]);
    }
}

#[test]
fn a_site_that_forbids_crawlers_to_use_it_names_the_setting() {
    let page = |path: &str| match number_of(path, "/night/") {
        Some(night) => event(&format!("Night {night}"), "2099-05-01T20:00", "The old mill"),
        None => numbered("The old mill", "/night/", 0..3),
    };
    for (robots, tag, setting) in [
        ("", "nofollow", "politeness.robots_tags = false"),
        ("", "noindex, nofollow", "politeness.robots_tags = false"),
        ("User-agent: *\nDisallow: /", "", "politeness.robots = \"ignore\""),
    ] {
        let site = Site::start(move |path| match path {
            "/robots.txt" => Reply::text(robots),
            "/sitemap.xml" => Reply::status(404),
            path => page(path).with("X-Robots-Tag", tag),
        });
        let context = TestContext::with_workspace("events", LOOPBACK);
        let learned = context.fails(4, &format!("learn -w ws {}", site.url("/")));
        learned.says([
            &format!("{}: ", site.url("/")),
            &format!("{} (", site.address),
            setting,
        ]);
        let (name, value) = setting.split_once(" = ").expect("a setting");
        let set = format!("--set {name}={}", value.trim_matches('"'));
        context.ok(&format!("learn -w ws --from crawl {set}"));
    }
}

#[test]
fn a_site_whose_list_has_moved_is_learned_again_and_says_so() {
    let has_moved = Arc::new(AtomicBool::new(false));
    let later = Arc::clone(&has_moved);
    let site = Site::start(move |path| {
        let (list, before) = match later.load(Ordering::Relaxed) {
            true => ("/all", "/evening/"),
            false => ("/list", "/night/"),
        };
        match number_of(path, before) {
            Some(night) if night < 6 => {
                event(&format!("A night called {night}"), "2099-05-01T20:00", "A mill")
            }
            _ if path == "/" => links("The mill", &["/about", list]),
            _ if path == "/about" => links("About us", &["/"]),
            _ if path == list => numbered("All nights", before, 0..6),
            _ => Reply::status(404),
        }
    });
    let context = TestContext::with_workspace("events", LOOPBACK);
    context.learn(&[site.url("/")]);
    has_moved.store(true, Ordering::Relaxed);
    context
        .ok("recrawl -w ws --later 1w")
        .says(["its lists were gone, learned again", "1 site learned again with"]);
    let state = "was gone, learned again with ";
    context.ok("sites -w ws").says([state]);
    context.ok("status -w ws").says(["Sites learned again", state]);
}
