//! Serves a web, fetches its pages with a tiny client, and scores what they show.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use magpie_tests::json_reference::disagreements;
use serde_json::{Value, json};

const WEB: [&str; 5] = ["--vertical", "books", "--seed", "5", "--light"];

fn magpie_lab(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_magpie-lab"));
    command.current_dir(folder);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    magpie_lab(folder).args(arguments).output().expect("it runs")
}

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

    /// Fetches a page through the server as a proxy. Returns the status and the body.
    fn fetch(&self, url: &str) -> (u16, String) {
        let mut stream =
            TcpStream::connect(self.printed["address"].as_str().expect("an address")).expect("a server");
        let host = url.split('/').nth(2).expect("a host");
        write!(
            stream,
            "GET {url} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )
        .expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        (head[9..12].parse().expect("a status"), body.to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_web_is_fetched_from_its_server_and_what_it_shows_is_scored() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::start(folder.path());
    assert_eq!(served.printed["sites"].as_array().map(Vec::len), Some(3));
    assert_eq!(served.printed["search"], "http://find.test");
    let truth = json(&run(folder.path(), &[&["truth", "--json"][..], &WEB].concat()));

    // The client "finds" every object whose title is in the text of one of its own pages.
    let (mut pages, mut objects) = (String::new(), String::new());
    for object in truth
        .iter()
        .filter(|line| line["object"].is_number() && line["gone"] == false)
    {
        let title = object["attributes"]["title"][0].as_str().expect("a title");
        let mut members = Vec::new();
        for url in object["pages"].as_array().expect("pages").iter().take(2) {
            let (status, body) = served.fetch(url.as_str().expect("a URL"));
            let row = json!({"url": url, "status": status, "bytes": body.len()});
            pages += &format!("{row}\n");
            if status == 200 && body.contains(title) {
                members.push(json!({"url": url}));
            }
        }
        if !members.is_empty() {
            objects += &format!(
                "{}\n",
                json!({"attributes": object["attributes"], "members": members})
            );
        }
    }
    std::fs::write(folder.path().join("pages.jsonl"), pages).expect("written");
    std::fs::write(folder.path().join("objects.jsonl"), objects).expect("written");

    let arguments = ["score", ".", "--plot", "score.svg", "--json"];
    let scored = json(&run(folder.path(), &[&arguments[..], &WEB].concat()));
    let number = |name: &str| scored[0][name].as_f64().expect("a number");
    assert!(number("objects") > 20.0 && number("pages") > 20.0, "{scored:?}");
    assert!(number("correct") > 0.5 * number("objects"), "{scored:?}");
    assert!(
        number("precision") > 0.9 && number("reached") >= number("correct"),
        "{scored:?}"
    );
    let known = number("correct") + number("split");
    assert!(number("distinct") - known == number("phantoms"), "{scored:?}");
    assert_eq!(disagreements(&["magpie-lab score"], &scored, &[]), [""; 0]);
    let serve = std::slice::from_ref(&served.printed);
    assert_eq!(disagreements(&["magpie-lab serve"], serve, &[]), [""; 0]);
    let plot = std::fs::read_to_string(folder.path().join("score.svg")).expect("the plot");
    assert!(plot.starts_with("<svg") && plot.contains("recall"));
    let people = printed(&run(folder.path(), &[&["score", "."][..], &WEB].concat()));
    assert!(
        people.contains("requests") && people.contains("recall"),
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
    let lines = [first.clone(), of_page].concat();
    assert_eq!(
        disagreements(&["magpie-lab truth"], &lines, &["name", "start"]),
        [""; 0]
    );
    let scripted = truth(&["--scripted", "100"]);
    assert!(scripted.iter().any(|line| line["truth"]["scripts"].is_object()));
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
    let wrong = run(folder.path(), &["truth", "--vertical", "weddings"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        printed(&wrong).contains("the verticals are events, books, products"),
        "{}",
        printed(&wrong)
    );
}
