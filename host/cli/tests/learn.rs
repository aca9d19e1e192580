//! From a few objects to a recrawl a week later, on the lab's small web, by the commands a person types.

mod web;

use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use magpie_test_support::server::{Reply, Site, links};
use serde_json::Value;
use web::{Served, json, lines_of_json, ran, said};

const WEB: [&str; 5] = ["--vertical", "events", "--seed", "7", "--light"];

/// A workspace with the vertical, that reaches the web over its server.
fn workspace(folder: &Path, proxy: &str) {
    assert!(ran(folder, &["init", "ws"]).status.success());
    std::fs::copy(
        magpie_tests::vertical("events"),
        folder.join("ws/verticals/events.wasm"),
    )
    .expect("copied");
    let settings = format!(
        "[network]\nproxy = \"{proxy}\"\n[politeness]\ndelay = \"0s\"\nautothrottle = false\nrequests = 8\n\
         [search]\nurl = \"http://find.test\"\ndelay = \"0s\"\n"
    );
    std::fs::write(folder.join("ws/magpie.toml"), settings).expect("written");
}

fn seeds(folder: &Path) {
    let seeds = ran(folder, &[&["lab", "seeds"][..], &WEB].concat());
    assert!(seeds.status.success(), "{}", said(&seeds));
    std::fs::write(folder.join("seeds.jsonl"), seeds.stdout).expect("written");
}

#[test]
fn from_seeds_to_a_recrawl_a_week_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = Served::start(folder, &WEB, 0, 0);
    workspace(folder, served.proxy());
    seeds(folder);

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
        names[..8],
        [
            "find", "sample", "expand", "crawl", "cluster", "patterns", "select", "navigate"
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
    let _later = Served::start(folder, &WEB, 1, port);

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

    // What a selective recrawl finds, all patterns find too, for more pages.
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
}

#[test]
fn an_edited_navigation_is_followed_and_a_broken_one_is_told_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = Served::start(folder, &WEB, 0, 0);
    workspace(folder, served.proxy());
    seeds(folder);
    let learned = ran(folder, &["learn", "-w", "ws", "--seeds", "seeds.jsonl"]);
    assert!(learned.status.success(), "{}", said(&learned));
    let files = std::fs::read_dir(folder.join("ws/navigation/events")).expect("navigations");
    let mut files: Vec<_> = files.flatten().map(|entry| entry.path()).collect();
    files.sort();
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

    // A list that somebody knows of, and Magpie does not.
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
fn what_learning_cannot_begin_with_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = Served::start(folder, &WEB, 0, 0);
    workspace(folder, served.proxy());
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
    let cases: [(&[&str], &[&str]); 8] = [
        (&["learn"], &["nothing to begin with", "--seeds", "--sites"]),
        (&["learn", "--seeds", "empty.json"], &["empty.json"]),
        (&["learn", "--seeds", "broken.json"], &["broken.json", "line"]),
        (&["learn", "--seeds", "strange.json"], &["colour"]),
        (&["learn", "--seeds", "nowhere.jsonl"], &["--sites"]),
        (&["learn", "--sites", "none.txt"], &["none.txt", "names no site"]),
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
        (&["recrawl"], &["nothing was learned", "magpie learn"]),
    ];
    for (arguments, parts) in cases {
        let output = ran(folder, &[arguments, &["-w", "ws"]].concat());
        let sentence = said(&output);
        assert!(!output.status.success(), "{arguments:?}: {sentence}");
        for part in parts {
            assert!(sentence.contains(part), "{arguments:?}: {part:?} in {sentence}");
        }
    }
}

#[test]
fn named_sites_need_no_search_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = Served::start(folder, &WEB, 0, 0);
    workspace(folder, served.proxy());
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

/// What a shop has from the beginning.
const THINGS: [&str; 6] = [
    "salt-walk",
    "tide-lamp",
    "kelp-bowl",
    "reed-mat",
    "dune-jar",
    "foam-cup",
];

/// A shop whose front page lists its things, each with a page of its own. Later it has one more, with a page of a kind it had not before.
fn shop(has_more: bool) -> impl Fn(&str) -> Reply {
    move |path| {
        let card = |(price, href): (usize, String)| {
            let name = href.rsplit('/').next().unwrap_or_default().replace('-', " ");
            format!(
                "<li><a href='{href}'><img src='{href}.jpg' alt='{name}'><p>{name}</p><p>€ {},50</p></a></li>",
                12 + price
            )
        };
        let usual = THINGS.iter().map(|thing| format!("/p/{thing}"));
        let hrefs: Vec<String> = usual
            .chain(has_more.then(|| "/special/2026/moor-box".to_owned()))
            .collect();
        let place = hrefs.iter().position(|href| *href == path);
        match place {
            _ if path == "/" => {
                let cards: String = hrefs.into_iter().enumerate().map(card).collect();
                Reply::html(format!(
                    "<title>The Corner</title><h1>All our things</h1><ul>{cards}</ul>"
                ))
            }
            Some(place) => thing(path, place),
            None => Reply::status(404),
        }
    }
}

/// The page of one of a shop's things.
fn thing(path: &str, place: usize) -> Reply {
    let name = path.rsplit('/').next().unwrap_or_default().replace('-', " ");
    Reply::html(format!(
        "<title>{name} - The Corner</title><main><h1>{name}</h1><img src='{path}.jpg' alt='{name}'>\
         <p class='price'>€ {},50</p><button>Add to cart</button><p>Made by hand.</p></main>",
        12 + place
    ))
}

/// Makes a workspace with the vertical, and learns a shop.
fn learn_shop(folder: &Path, site: &Site) {
    assert!(ran(folder, &["init", "ws"]).status.success());
    let component = magpie_tests::vertical("products");
    std::fs::copy(component, folder.join("ws/verticals/products.wasm")).expect("copied");
    let settings = "[network]\nallow_addresses = [\"127.0.0.0/8\"]\n[politeness]\ndelay = \"0s\"\nautothrottle = false\n";
    std::fs::write(folder.join("ws/magpie.toml"), settings).expect("written");
    std::fs::write(folder.join("sites.txt"), site.url("/")).expect("written");
    let learned = ran(folder, &["learn", "-w", "ws", "--sites", "sites.txt"]);
    assert!(learned.status.success(), "{}", said(&learned));
}

#[test]
fn a_page_of_no_known_kind_is_looked_at_when_an_object_names_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let has_more = Arc::new(AtomicBool::new(false));
    let later = Arc::clone(&has_more);
    let site = Site::start(move |path| shop(later.load(Ordering::Relaxed))(path));
    learn_shop(folder, &site);

    has_more.store(true, Ordering::Relaxed);
    let before = site.requests().len();
    let again = |more: &[&str]| ran(folder, &[&["recrawl", "-w", "ws"][..], more].concat());
    let unexplored = again(&["--set", "recrawl.explore=0"]);
    assert!(unexplored.status.success(), "{}", said(&unexplored));
    assert!(!site.requests()[before..].contains(&"/special/2026/moor-box".to_owned()));
    let round = again(&[]);
    assert!(round.status.success(), "{}", said(&round));
    let asked = site.requests().split_off(before);
    assert!(asked.contains(&"/special/2026/moor-box".to_owned()), "{asked:?}");
    let objects = lines_of_json(&ran(folder, &["objects", "-w", "ws", "--json"]));
    let url = objects
        .iter()
        .find(|object| object["label"] == "moor box")
        .map(|object| object["attributes"]["url"].clone());
    assert_eq!(
        url,
        Some(site.url("/special/2026/moor-box").into()),
        "{objects:?}"
    );
}

/// The same shop with a front page that only links to its things, whose pages have moved to their address with a slash at its end.
fn moved_shop(has_more: bool, path: &str) -> Reply {
    let more = "moor-box";
    let on_sale = THINGS.into_iter().chain(has_more.then_some(more));
    let hrefs: Vec<String> = on_sale.map(|thing| format!("/p/{thing}")).collect();
    match path.strip_suffix('/') {
        Some("") => links(
            "The Corner",
            &hrefs.iter().map(String::as_str).collect::<Vec<&str>>(),
        ),
        Some(page) if page.ends_with(more) => shop(has_more)("/special/2026/moor-box"),
        Some(page) => shop(has_more)(page),
        None if hrefs.iter().any(|href| href == path) => {
            Reply::status(301).with("Location", &format!("{path}/"))
        }
        None => Reply::status(404),
    }
}

#[test]
fn pages_that_have_moved_for_good_are_passed_until_they_are_due() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let has_more = Arc::new(AtomicBool::new(false));
    let later = Arc::clone(&has_more);
    let site = Site::start(move |path| moved_shop(later.load(Ordering::Relaxed), path));
    learn_shop(folder, &site);

    assert_eq!(asked_in(folder, &site, "1w"), ["/"]);
    has_more.store(true, Ordering::Relaxed);
    let new = "/p/moor-box";
    assert_eq!(asked_in(folder, &site, "2w"), ["/", new, &format!("{new}/")]);
    // Where they lead is asked again with the pages themselves.
    assert_eq!(asked_in(folder, &site, "5w").len(), 1 + 2 * THINGS.len());
    let objects = lines_of_json(&ran(folder, &["objects", "-w", "ws", "--json"]));
    assert_eq!(objects.len(), 7, "{objects:?}");
}

/// What a shop is asked for in a round so many weeks later, in order.
fn asked_in(folder: &Path, site: &Site, week: &str) -> Vec<String> {
    let before = site.requests().len();
    let round = ran(folder, &["recrawl", "-w", "ws", "--later", week]);
    assert!(round.status.success(), "{}", said(&round));
    let mut asked = site.requests().split_off(before);
    asked.retain(|path| path != "/robots.txt");
    asked.sort();
    asked
}

/// A shop whose things its sitemap names; its front page may lead to none, as where a script fills it.
fn mapped_shop(is_linked: bool, has_more: bool, path: &str) -> Reply {
    let on_sale = THINGS.into_iter().chain(has_more.then_some("moor-box"));
    let hrefs: Vec<String> = on_sale.map(|thing| format!("/p/{thing}")).collect();
    let place = hrefs.iter().position(|href| href == path);
    match (path, place) {
        ("/", _) if is_linked => links(
            "The Corner",
            &hrefs.iter().map(String::as_str).collect::<Vec<&str>>(),
        ),
        ("/", _) => {
            Reply::html("<title>The Corner</title><h1>All our things</h1><div id='app'></div>".to_owned())
        }
        ("/sitemap.xml", _) => {
            let named: String = hrefs
                .iter()
                .map(|href| format!("<url><loc>{href}</loc></url>"))
                .collect();
            Reply::text(&format!("<urlset>{named}</urlset>"))
        }
        (_, Some(place)) => thing(path, place),
        _ => Reply::status(404),
    }
}

#[test]
fn what_a_sitemap_alone_leads_to_is_kept_up_by_it() {
    for is_linked in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let has_more = Arc::new(AtomicBool::new(false));
        let later = Arc::clone(&has_more);
        let site = Site::start(move |path| mapped_shop(is_linked, later.load(Ordering::Relaxed), path));
        learn_shop(folder, &site);

        // Where links lead to everything nobody asks for the sitemap.
        let with_map = |paths: &[&str]| -> Vec<String> {
            let map = (!is_linked).then_some("/sitemap.xml");
            paths.iter().copied().chain(map).map(str::to_owned).collect()
        };
        assert_eq!(asked_in(folder, &site, "1w"), with_map(&["/"]));
        has_more.store(true, Ordering::Relaxed);
        assert_eq!(asked_in(folder, &site, "2w"), with_map(&["/", "/p/moor-box"]));
        let due = asked_in(folder, &site, "5w");
        let things = due.iter().filter(|path| path.starts_with("/p/"));
        assert_eq!(things.count(), THINGS.len(), "{due:?}");
        let objects = lines_of_json(&ran(folder, &["objects", "-w", "ws", "--json"]));
        assert_eq!(objects.len(), THINGS.len() + 1, "{objects:?}");
    }
}

/// A shop with a list that goes on from its second week: to one more thing at first, and then to two.
fn growing_shop(week: usize, path: &str) -> Reply {
    let more = ["/p/moor-box", "/p/fern-hat"];
    let place = THINGS
        .iter()
        .position(|thing| path.strip_prefix("/p/") == Some(thing));
    match path {
        "/" => {
            let mut hrefs: Vec<String> = THINGS.iter().map(|thing| format!("/p/{thing}")).collect();
            hrefs.extend((week > 0).then(|| "/?page=2".to_owned()));
            links(
                "The Corner",
                &hrefs.iter().map(String::as_str).collect::<Vec<&str>>(),
            )
        }
        "/?page=2" => links("The Corner, page 2", &more[..week.min(more.len())]),
        _ if more.contains(&path) => thing(path, THINGS.len()),
        _ => place.map_or(Reply::status(404), |place| thing(path, place)),
    }
}

#[test]
fn a_list_that_begins_to_go_on_is_read_to_its_end_from_then_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let week = Arc::new(AtomicUsize::new(0));
    let now = Arc::clone(&week);
    let site = Site::start(move |path| growing_shop(now.load(Ordering::Relaxed), path));
    learn_shop(folder, &site);

    assert_eq!(asked_in(folder, &site, "1w"), ["/"]);
    week.store(1, Ordering::Relaxed);
    assert_eq!(asked_in(folder, &site, "2w"), ["/", "/?page=2", "/p/moor-box"]);
    // The front page is the same now, so that only the navigation knows of the second.
    week.store(2, Ordering::Relaxed);
    assert_eq!(asked_in(folder, &site, "3w"), ["/", "/?page=2", "/p/fern-hat"]);
}

#[test]
fn a_thing_that_was_taken_off_its_list_is_asked_after_when_it_is_due() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let is_gone = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&is_gone);
    let site = Site::start(move |path| {
        let things = &THINGS[usize::from(now.load(Ordering::Relaxed))..];
        let hrefs: Vec<String> = things.iter().map(|thing| format!("/p/{thing}")).collect();
        match hrefs.iter().position(|href| href == path) {
            Some(place) => thing(path, place),
            None if path == "/" => links(
                "The Corner",
                &hrefs.iter().map(String::as_str).collect::<Vec<&str>>(),
            ),
            None => Reply::status(404),
        }
    });
    learn_shop(folder, &site);
    let current = || {
        let objects = lines_of_json(&ran(folder, &["objects", "-w", "ws", "--json"]));
        objects.iter().filter(|object| object["current"] != 0).count()
    };
    assert_eq!(current(), THINGS.len());

    is_gone.store(true, Ordering::Relaxed);
    assert_eq!(asked_in(folder, &site, "1w"), ["/"]);
    let due = asked_in(folder, &site, "5w");
    assert_eq!(due.len(), 1 + THINGS.len(), "{due:?}");
    assert_eq!(current(), THINGS.len() - 1);
    // What is gone and linked from nowhere is asked after no more.
    let due = asked_in(folder, &site, "14w");
    assert_eq!(due.len(), THINGS.len(), "{due:?}");
}
