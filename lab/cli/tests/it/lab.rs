//! Tests of the binary: serve a web, crawl it through the server as a proxy, score the crawl.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::schema::misfits;
use magpie_engine::crawl::Target;
use magpie_engine::settings::{Layer, Origin, Resolved};
use magpie_engine::{Clock, CrawlRequest, Session, SessionOptions, Stop, VERTICALS};
use magpie_model::CanonicalUrl;
use magpie_sqlite::{Workspace, WorkspaceOptions};
use crate::json_reference::disagreements;
use serde_json::Value;

const WEB: [&str; 5] = ["--vertical", "books", "--seed", "5", "--light"];

/// Returns the program with an empty home folder.
fn magpie_lab(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_magpie-lab"));
    command
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME");
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    magpie_lab(folder).args(arguments).output().expect("it runs")
}

/// Returns everything that it printed.
fn printed(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// Returns the JSON that it printed; panics if it failed.
fn json(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", printed(output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// A web that is served until this value is dropped.
struct Served {
    child: Child,
    printed: Value,
}

impl Served {
    fn start(folder: &Path) -> Served {
        let mut command = magpie_lab(folder);
        command
            .args(["serve", "--json"])
            .args(WEB)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("it runs");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let printed = serde_json::from_str(&line).expect("JSON");
        Served { child, printed }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Crawls sites through a proxy into a workspace with the vertical of books.
fn crawl(workspace: &Path, homes: &[&str], proxy: &str) {
    let created = Workspace::create(workspace, &WorkspaceOptions::default());
    created.and_then(Workspace::close).expect("a workspace");
    let verticals = workspace.join(VERTICALS);
    std::fs::create_dir_all(&verticals).expect("a folder");
    std::fs::copy(magpie_tests::vertical("books"), verticals.join("books.wasm")).expect("copied");
    let text = format!(
        "network.proxy = \"{proxy}\"\npoliteness.delay = \"0s\"\npoliteness.autothrottle = false\n\
         politeness.requests = 8\nfetch.retries = 0\n"
    );
    let layer = Layer::file(&Origin::Default, &text).expect("settings");
    let options = SessionOptions {
        settings: Resolved::new(&[layer]).expect("settings"),
        vertical: None,
        cache: None,
        program: "test".to_owned(),
        clock: Clock::default(),
        stop: Stop::default(),
    };
    let session = Session::open(workspace, options).expect("a session");
    let home = |home: &&str| Target::From(CanonicalUrl::trusted(*home).expect("a URL"));
    let run = session.begin_run(magpie_rows::RunKind::Crawl).expect("a run");
    let request = CrawlRequest::new(run, homes.iter().map(home).collect());
    session.crawl(request, &mut ()).expect("it crawls");
    session.end_run(run.0).expect("it ends");
}

#[test]
fn a_web_is_crawled_through_its_server_and_the_crawl_is_scored() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::start(folder.path());
    let sites = served.printed["sites"].as_array().expect("sites");
    let homes = sites.iter().filter_map(|site| site["home"].as_str());
    let homes: Vec<&str> = homes.collect();
    assert_eq!(homes.len(), 3);
    assert_eq!(served.printed["search"], "http://find.test");
    let proxy = served.printed["proxy"].as_str().expect("a proxy");
    crawl(&folder.path().join("ws"), &homes, proxy);

    let score = ["score", "ws", "--plot", "score.svg", "--json"];
    let scored = run(folder.path(), &[&score[..], &WEB].concat());
    let score = &json(&scored)[0];
    let number = |name: &str| score[name].as_f64().expect("a number");
    // How many objects are extracted depends on the vertical; whether their pages are reached
    // depends on the crawl.
    assert!(number("reached") >= 0.9 * number("objects"), "{score}");
    assert!(number("correct") > 0.5 * number("objects"), "{score}");
    assert!(number("pages") > 100.0 && number("precision") > 0.5, "{score}");
    let known = number("correct") + number("split");
    assert!(number("distinct") - known == number("phantoms"), "{score}");
    assert!(score["phantoms_by_decoy"].is_object(), "{score}");
    let score = std::slice::from_ref(score);
    assert_eq!(disagreements(&["magpie-lab score"], score, &[]), [""; 0]);
    assert_eq!(misfits("score", score), [""; 0]);
    let serve = std::slice::from_ref(&served.printed);
    assert_eq!(disagreements(&["magpie-lab serve"], serve, &[]), [""; 0]);
    assert_eq!(misfits("serve", serve), [""; 0]);
    let plot = std::fs::read_to_string(folder.path().join("score.svg")).expect("the plot");
    assert!(plot.starts_with("<svg") && plot.contains("recall"));
    let people = printed(&run(folder.path(), &[&["score", "ws"][..], &WEB].concat()));
    assert!(
        people.contains("objects found by") && people.contains("recall"),
        "{people}"
    );
}

#[test]
fn the_truth_is_the_same_every_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let truth = |more: &[&str]| {
        json(&run(
            folder.path(),
            &[&["truth", "--json"][..], &WEB, more].concat(),
        ))
    };
    let (first, again, later) = (truth(&[]), truth(&[]), truth(&["--week", "4"]));
    assert_eq!(first, again);
    assert_ne!(first, later);
    let page = first.iter().find_map(|line| line["page"].as_str());
    let results = first
        .iter()
        .find_map(|line| line["truth"]["templates"][0].as_str());
    let results = results.expect("a search").replace("{query}", "a");
    let of_page = |url: &str| -> Value {
        let arguments = [&["truth", "--page", url][..], &WEB].concat();
        serde_json::from_slice(&run(folder.path(), &arguments).stdout).expect("JSON")
    };
    let of_page = vec![of_page(page.expect("a page")), of_page(&results)];
    let rare = ["name", "start"];
    assert_eq!(
        disagreements(
            &["magpie-lab truth"],
            &[first.clone(), of_page.clone()].concat(),
            &rare
        ),
        [""; 0]
    );
    let scripted = truth(&["--scripted", "100"]);
    assert!(scripted.iter().any(|line| line["truth"]["scripts"].is_object()));
    assert_eq!(
        misfits("truth", &[first.clone(), of_page, later, scripted].concat()),
        [""; 0]
    );
    let pages = first.iter().filter(|line| line["page"].is_string()).count();
    let objects = first.iter().filter(|line| line["object"].is_number()).count();
    assert!(pages > 100 && objects > 30, "{pages} pages, {objects} objects");
    let decoys = |lines: &[Value]| {
        let of_page = |line: &Value| line["decoys"].as_array().map_or(0, Vec::len);
        lines.iter().map(of_page).sum::<usize>()
    };
    assert!(decoys(&first) > 0, "the web has decoys");
    assert_eq!(decoys(&truth(&["--decoys", "0"])), 0);

    let seeds = json(&run(
        folder.path(),
        &[&["seeds", "--count", "3"][..], &WEB].concat(),
    ));
    assert!(
        seeds.len() == 3 && seeds.iter().all(|seed| seed["title"].is_array()),
        "{seeds:?}"
    );
    assert_eq!(misfits("seeds", &seeds), [""; 0]);
    let wrong = run(folder.path(), &["truth", "--vertical", "weddings"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        printed(&wrong).contains("the verticals are events, books, products"),
        "{}",
        printed(&wrong)
    );
}
