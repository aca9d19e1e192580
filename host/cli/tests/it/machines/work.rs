//! The work of several processes in a workspace in PostgreSQL, as operators see it.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use magpie_test_servers::Release;
use magpie_test_support::server::{Reply, Site};
use serde_json::json;

use super::{Machines, WEB};
use crate::context::Running;
use crate::web::{Served, event, number_of, numbered};

/// Returns the value of a metric without labels.
fn metric(page: &str, name: &str) -> Option<f64> {
    let mut lines = page.lines();
    lines.find_map(|line| line.strip_prefix(&format!("magpie_{name} "))?.parse().ok())
}

#[test]
fn workers_are_on_the_page_and_in_the_metrics() {
    let Some(machines) = Machines::start_or_skip(Release::V15, Served::start(WEB, 0, 0)) else {
        return;
    };
    let (context, address) = (&machines.context, machines.workspace("page"));
    let workers = machines.workers(&address, 2);
    let page = context.serve(&format!("serve -w {address}"));
    let status = page.get("/status.json").has(200).json();
    let listed = status["workers"].as_array().expect("workers");
    assert_eq!(listed.len(), 2);
    let overview = page.get("/").has(200).body;
    for row in listed {
        let name = row["worker"].as_str().expect("a name");
        assert!(overview.contains(name), "{name}: {overview}");
        let process = name.split([':', '-']).rev().nth(1).expect("a process");
        assert!(
            workers.iter().any(|worker| worker.0.id().to_string() == process),
            "{name}"
        );
    }
    let metrics = page.get("/metrics").has(200).body;
    assert_eq!(metric(&metrics, "workers"), Some(2.0));
    assert_eq!(
        metric(&metrics, "leased_buckets"),
        Some(0.0),
        "they wait for a crawl"
    );
    assert_eq!(metric(&metrics, "crawl_sites_left"), Some(0.0));

    let folder = context.serve("serve -w ws");
    let overview = folder.get("/").has(200).body;
    assert!(!overview.to_lowercase().contains("worker"), "{overview}");
    assert_eq!(metric(&folder.get("/metrics").has(200).body, "workers"), None);
}

/// The page of a site that kills each worker that asks for it.
const KILLER: &str = "/night/7";

/// The User-Agent of workers.
const WORKER: &str = "worker/1.0";

/// Pages of events at the site.
const NIGHTS: usize = 20;

#[test]
fn a_page_that_kills_workers_is_refused_and_the_others_are_read() {
    let Some(machines) = Machines::start_or_skip(Release::V15, Served::start(WEB, 0, 0)) else {
        return;
    };
    let (context, address) = (&machines.context, machines.workspace("killer"));
    for (key, value) in [
        ("network.proxy", ""),
        ("network.allow_addresses", "[\"127.0.0.0/8\"]"),
    ] {
        context.ok(&format!("config {key} --write '{value}' --workspace {address}"));
    }
    // The driver and a worker. The driver does the tasks itself while no worker is there.
    let processes = Arc::new(Mutex::new([None::<Running>, None]));
    let deaths = Arc::new(AtomicUsize::new(0));
    let (victims, killed) = (Arc::clone(&processes), Arc::clone(&deaths));
    let site = Site::asked(move |asked| match number_of(&asked.path, "/night/") {
        Some(_) if asked.path == KILLER => {
            let mut victims = victims.lock().expect("no panic");
            let victim = victims[usize::from(asked.head.contains(WORKER))].take();
            killed.fetch_add(usize::from(victim.is_some()), Ordering::SeqCst);
            Reply::close()
        }
        Some(night) if night < NIGHTS => event(&format!("Night {night}"), "2099-05-01T20:00", "The mill"),
        _ if asked.path == "/" => numbered("The mill", "/night/", 0..NIGHTS),
        _ => Reply::status(404),
    });
    let learn = format!("learn {} --workspace {address}", site.url("/"));
    let mut careful = BTreeSet::new();
    loop {
        let mut present = processes.lock().expect("no panic");
        let [driver, worker] = &mut *present;
        worker.get_or_insert_with(|| {
            let mut command = context.command(&format!("worker --workspace {address}"));
            command
                .env("MAGPIE_IDENTITY_USER_AGENT", WORKER)
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            Running(command.spawn().expect("it runs"))
        });
        let driver = driver.get_or_insert_with(|| context.start(&learn));
        if let Some(ended) = driver.0.try_wait().expect("a process") {
            assert!(ended.success());
            break;
        }
        drop(present);
        let status = context.ok(&format!("status --json --workspace {address}")).last();
        let buckets = status["careful_buckets"].as_array().expect("buckets");
        let before = deaths.load(Ordering::SeqCst);
        careful.extend(buckets.iter().map(|row| (row["bucket"].as_u64(), before)));
        sleep(Duration::from_millis(100));
    }
    // The thread of the site keeps them, and would outlive the test.
    *processes.lock().expect("no panic") = [None, None];
    let deaths = deaths.load(Ordering::SeqCst);
    // Two die before the bucket is worked carefully, and two while they work on this page alone.
    assert_eq!(deaths, 4);
    assert!(careful.iter().all(|(_, deaths)| *deaths >= 2), "{careful:?}");
    assert!(careful.iter().any(|(_, deaths)| *deaths < 4), "{careful:?}");

    let rows = context.json(&format!("export pages --out - --quiet --workspace {address}"));
    let urls: BTreeSet<&str> = rows.iter().filter_map(|row| row["url"].as_str()).collect();
    for night in 0..NIGHTS {
        let path = format!("/night/{night}");
        assert_eq!(urls.contains(&*site.url(&path)), path != KILLER, "{path}");
    }
    let objects = context.json(&format!("export objects --out - --quiet --workspace {address}"));
    assert_eq!(objects.len(), NIGHTS - 1);
    let status = context.ok(&format!("status --json --workspace {address}")).last();
    assert_eq!(status["killed_workers"], json!([site.url(KILLER)]));
    let refused = json!({"state": "refused", "reason": "killed-worker", "urls": 1});
    assert!(
        status["reasons"]
            .as_array()
            .is_some_and(|all| all.contains(&refused)),
        "{status}"
    );
    context
        .ok(&format!("status --workspace {address}"))
        .says(["Pages that killed workers and are not fetched", &site.url(KILLER)]);
    let page = context.serve(&format!("serve -w {address}"));
    let overview = page.get("/").has(200).body;
    assert!(
        overview.contains("Pages that killed workers") && overview.contains(KILLER),
        "{overview}"
    );
}

/// Pages with a list of events, and events on each: a name that is on all pages, at one time.
const LISTS: usize = 20;
const LISTED: usize = 60;

#[test]
fn workers_compare_the_records_of_a_driver() {
    let Some(machines) = Machines::start_or_skip(Release::V15, Served::start(WEB, 0, 0)) else {
        return;
    };
    let (context, address) = (&machines.context, machines.workspace("compare"));
    for workspace in ["ws", &address] {
        for (key, value) in [
            ("network.proxy", ""),
            ("network.allow_addresses", "[\"127.0.0.0/8\"]"),
        ] {
            context.ok(&format!("config {key} --write '{value}' --workspace {workspace}"));
        }
    }
    let site = Site::start(|path| match number_of(path, "/list/") {
        Some(list) if list < LISTS => {
            // Two places have an event of the same name on each day, at other times.
            let (place, hour) = [("Harbour Hall", 14), ("The Old Tannery", 20)][list % 2];
            let events = (0..LISTED).map(|number| {
                json!({
                    "@context": "https://schema.org", "@type": "MusicEvent",
                    "name": format!("Quartet {}", "abcdefghij".repeat(2 + number / 10).split_off(number % 10)),
                    "startDate": format!("2099-{:02}-{:02}T{hour}:00", 1 + number / 28, 1 + number % 28),
                    "location": {"@type": "Place", "name": place},
                })
            });
            let events = serde_json::Value::from_iter(events);
            Reply::html(format!(
                "<!doctype html><html lang=en><title>List {list}</title>\
                 <script type=\"application/ld+json\">{events}</script><h1>List {list}</h1>"
            ))
        }
        None if path == "/" => numbered("Lists", "/list/", 0..LISTS),
        _ => Reply::status(404),
    });
    let output = std::fs::File::create(context.path("worker.log")).expect("a file");
    let mut worker = context.command(&format!("worker --workspace {address}"));
    let _worker = Running(worker.stderr(output).spawn().expect("it runs"));
    super::until(|| super::live(context, &address) == 1);
    let objects = ["ws", &address].map(|workspace| {
        let url = site.url("/");
        context.ok(&format!("crawl {url} --workspace {workspace}"));
        let objects = context.json(&format!("objects --limit 0 --json --workspace {workspace}"));
        let object = |object: &serde_json::Value| (object["label"].clone(), object["members"].clone());
        objects.iter().map(object).collect::<Vec<_>>()
    });
    assert_eq!(objects[0].len(), 2 * LISTED);
    assert_eq!(objects[0], objects[1]);
    let log = context.read("worker.log");
    assert!(log.contains("comparing records"), "{log}");
}

/// The pages of each site that two workers crawl.
const STALLS: usize = 600;

/// Number of sites. With 16, each of the two workers has some.
const FAIRS: usize = 16;

#[test]
fn sites_of_a_killed_worker_are_crawled_before_those_of_the_other_are_through() {
    let Some(machines) = Machines::start_or_skip(Release::V15, Served::start(WEB, 0, 0)) else {
        return;
    };
    let (context, address) = (&machines.context, machines.workspace("taken"));
    // Requests for pages by host and agent, in their order.
    let asked = Arc::new(Mutex::new(Vec::<(String, String)>::new()));
    let noted = Arc::clone(&asked);
    let web = Site::asked(move |asked| {
        let Some((host, path)) = asked.path.trim_start_matches("http://").split_once('/') else {
            return Reply::status(404);
        };
        let path = format!("/{path}");
        let Some(stall) = number_of(&path, "/stall/").filter(|stall| *stall < STALLS) else {
            return match path == "/" {
                true => numbered(host, "/stall/", 0..STALLS),
                false => Reply::status(404),
            };
        };
        sleep(Duration::from_millis(50));
        let agent = asked.field("user-agent").unwrap_or_default().to_owned();
        noted.lock().expect("no panic").push((host.to_owned(), agent));
        event(&format!("Stall {stall} of {host}"), "2099-05-01T20:00", host)
    });
    let proxy = format!("http://{}", web.address);
    context.ok(&format!(
        "config network.proxy --write {proxy} --workspace {address}"
    ));
    let mut workers = BTreeMap::new();
    for name in ["first", "second"] {
        let mut command = context.command(&format!("worker --workspace {address}"));
        command
            .env("MAGPIE_IDENTITY_USER_AGENT", name)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        workers.insert(name, Running(command.spawn().expect("it runs")));
    }
    super::until(|| super::live(context, &address) == workers.len());
    let homes: Vec<String> = (0..FAIRS)
        .map(|fair| format!("http://fair{fair}.test/"))
        .collect();
    let mut driver = context.start(&format!("crawl {} --workspace {address}", homes.join(" ")));
    let hosts = |agent: &str| -> BTreeMap<String, usize> {
        let asked = asked.lock().expect("no panic");
        let own = asked.iter().filter(|(_, by)| by == agent);
        own.fold(BTreeMap::new(), |mut hosts, (host, _)| {
            *hosts.entry(host.clone()).or_default() += 1;
            hosts
        })
    };
    while ["first", "second"].iter().any(|name| hosts(name).is_empty()) {
        assert!(driver.0.try_wait().expect("a process").is_none(), "it crawls");
        sleep(Duration::from_millis(100));
    }
    drop(workers.remove("second"));
    let left = hosts("second");
    loop {
        let present = hosts("first");
        if present.keys().any(|host| left.contains_key(host)) {
            break;
        }
        assert!(
            present.values().any(|pages| *pages < STALLS),
            "it has finished its own sites: {present:?}"
        );
        assert!(driver.0.try_wait().expect("a process").is_none(), "it crawls");
        sleep(Duration::from_millis(100));
    }
}
