//! Reports from the outside: a web is learned and recrawled, and both commands leave one file that says what they said.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

fn magpie(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_magpie"));
    command
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        .env_remove("MAGPIE_WORKSPACE");
    command
}

fn ran(folder: &Path, arguments: &[&str]) -> String {
    let output = magpie(folder).args(arguments).output().expect("it runs");
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

fn json(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// A server that ends with the test, or before.
struct Served {
    child: Child,
    said: Value,
}

impl Served {
    fn start(folder: &Path, port: u64, week: &str) -> Served {
        let mut command = magpie(folder);
        command
            .args([
                "lab",
                "serve",
                "--json",
                "--week",
                week,
                "--port",
                &port.to_string(),
            ])
            .args(WEB)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("it runs");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        Served {
            child,
            said: serde_json::from_str(&line).expect("JSON"),
        }
    }

    fn proxy(&self) -> &str {
        self.said["proxy"].as_str().expect("a proxy")
    }

    fn port(&self) -> u64 {
        let (_, port) = self.proxy().rsplit_once(':').expect("a port");
        port.parse().expect("a number")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const WEB: [&str; 5] = ["--vertical", "books", "--seed", "5", "--light"];

/// A workspace for the web that is served, and a file with its sites.
fn prepared(folder: &Path, served: &Served) {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/verticals");
    let verticals = std::env::var_os("MAGPIE_VERTICALS").map_or(default, PathBuf::from);
    let component = verticals.join("books.wasm");
    assert!(
        component.exists(),
        "{} is not there: run `cargo xtask guests` first",
        component.display()
    );
    ran(folder, &["init", "ws"]);
    std::fs::copy(component, folder.join("ws/verticals/books.wasm")).expect("copied");
    let settings = format!(
        "[network]\nproxy = \"{}\"\n[politeness]\ndelay = \"0s\"\nautothrottle = false\nrequests = 8\n[fetch]\nretries = 0\n",
        served.proxy()
    );
    std::fs::write(folder.join("ws/magpie.toml"), settings).expect("written");
    let sites = served.said["sites"].as_array().expect("sites").iter();
    let homes: Vec<&str> = sites.map(|site| site["home"].as_str().expect("a URL")).collect();
    std::fs::write(folder.join("sites.txt"), homes.join("\n")).expect("written");
}

fn page(folder: &Path, name: &str) -> String {
    let page = std::fs::read_to_string(folder.join(name)).expect("the report");
    assert!(
        page.starts_with("<!doctype html>") && !page.contains("<script"),
        "{page}"
    );
    page
}

/// A text as it stands in HTML.
fn escaped(text: &str) -> String {
    let marks = [
        ('&', "&amp;"),
        ('<', "&lt;"),
        ('>', "&gt;"),
        ('"', "&quot;"),
        ('\'', "&#39;"),
    ];
    marks
        .iter()
        .fold(text.to_owned(), |text, (mark, name)| text.replace(*mark, name))
}

fn thousands(number: &Value) -> String {
    let digits = number.as_u64().expect("a number").to_string();
    match digits.len() {
        4.. => format!("{},{}", &digits[..digits.len() - 3], &digits[digits.len() - 3..]),
        _ => digits,
    }
}

/// Every chosen pattern without its site, and the site.
fn chosen(folder: &Path) -> Vec<(String, String)> {
    let patterns = json(&ran(folder, &["patterns", "-w", "ws", "--json"]));
    let chosen = patterns.iter().filter(|row| row["chosen"] == true);
    let text = |row: &Value, name: &str| row[name].as_str().expect("text").to_owned();
    chosen
        .map(|row| {
            let (site, pattern) = (text(row, "site"), text(row, "pattern"));
            let (_, after) = pattern.split_once("://").expect("a scheme");
            (after[after.find('/').expect("a path")..].to_owned(), site)
        })
        .collect()
}

#[test]
fn learning_and_recrawling_leave_reports_that_say_what_they_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = Served::start(folder, 0, "0");
    prepared(folder, &served);
    let port = served.port();

    let learned = ran(folder, &["learn", "-w", "ws", "--sites", "sites.txt"]);
    let last = learned.lines().next_back().expect("a line");
    assert_eq!(last, "report: ws/reports/learn-books.html");
    let first = page(folder, "ws/reports/learn-books.html");
    assert!(first.contains("<h1>books: what was learned</h1>"));
    let chosen = chosen(folder);
    assert!(!chosen.is_empty());
    for (pattern, site) in &chosen {
        assert!(
            first.contains(&escaped(pattern)),
            "{pattern} is not in the report"
        );
        let host = site.strip_prefix("https://").unwrap_or(site);
        assert!(first.contains(host), "{site} is not in the report");
    }
    // Every stage stands in it with the sentence that was printed.
    for line in learned.lines().filter(|line| *line != last) {
        let sentence = line[10..].rsplit_once("  ").expect("a time").0;
        assert!(
            first.contains(&escaped(sentence)),
            "{sentence:?} is not in the report"
        );
    }
    assert!(first.contains("full crawl") && first.contains("recrawl of what was chosen"));

    drop(served);
    let _served = Served::start(folder, port, "1");
    let arguments = [
        "recrawl",
        "-w",
        "ws",
        "--later",
        "1w",
        "--report",
        "new/second.html",
        "--json",
    ];
    let told = json(&ran(folder, &arguments));
    let (all, sites) = told.split_last().expect("objects");
    assert_eq!(all["report"], "new/second.html");
    let second = page(folder, "new/second.html");
    assert!(second.contains(&format!("<h1>books: recrawl {}</h1>", all["run"])));
    assert!(second.contains("selective") && second.contains("this run"));
    let cell = |number: &Value| format!("<td class=\"n\">{}</td>", thousands(number));
    for figure in ["pages", "new_objects"] {
        assert!(second.contains(&cell(&all[figure])), "{figure} of {all}");
    }
    for site in sites.iter().filter(|line| line["alarms"].is_array()) {
        let key = site["site"].as_str().expect("text");
        let name = key.strip_prefix("https://").unwrap_or(key);
        let row = second
            .lines()
            .find(|line| line.contains(&format!("<th scope=\"row\">{name}</th><td class=\"n\">")));
        let row = row.unwrap_or_else(|| panic!("{key} is not in the report"));
        assert!(
            row.contains(&cell(&site["pages"])) && row.contains(&cell(&site["new_objects"])),
            "{row}"
        );
    }
    assert!(
        !folder
            .join(format!("ws/reports/recrawl-{}.html", all["run"]))
            .exists()
    );

    // The last one is written again when it is asked for, and any other by its number.
    let again = ran(folder, &["report", "-w", "ws"]);
    assert_eq!(
        again.trim(),
        format!("report: ws/reports/recrawl-{}.html", all["run"])
    );
    assert_eq!(
        page(folder, &format!("ws/reports/recrawl-{}.html", all["run"])),
        second
    );
    let nothing = magpie(folder)
        .args(["report", "-w", "ws", "--run", "99"])
        .output()
        .expect("it runs");
    assert_eq!(nothing.status.code(), Some(4), "{}", said(&nothing));
    let learned = json(&ran(
        folder,
        &[
            "report",
            "-w",
            "ws",
            "--run",
            "1",
            "--out",
            "first.html",
            "--json",
        ],
    ));
    assert_eq!(learned[0]["report"], "first.html");
    assert!(page(folder, "first.html").contains("Recrawls came after this."));
}
