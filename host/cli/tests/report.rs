//! Reports from the outside: a web is learned and recrawled, and both commands leave one file that says what they said.

#[expect(dead_code, reason = "other tests ask more of it")]
mod web;

use std::path::Path;

use serde_json::Value;
use web::{Served, magpie, said};

fn ran(folder: &Path, arguments: &[&str]) -> String {
    let output = magpie(folder).args(arguments).output().expect("it runs");
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

const WEB: [&str; 5] = ["--vertical", "books", "--seed", "5", "--light"];

/// A workspace for the web that is served, and a file with its sites.
fn prepared(folder: &Path, served: &Served) {
    ran(folder, &["init", "ws"]);
    std::fs::copy(
        magpie_tests::vertical("books"),
        folder.join("ws/verticals/books.wasm"),
    )
    .expect("copied");
    let settings = format!(
        "[network]\nproxy = \"{}\"\n[politeness]\ndelay = \"0s\"\nautothrottle = false\nrequests = 8\n[fetch]\nretries = 0\n",
        served.proxy()
    );
    std::fs::write(folder.join("ws/magpie.toml"), settings).expect("written");
    std::fs::write(folder.join("sites.txt"), served.homes().join("\n")).expect("written");
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
    let served = Served::start(folder, &WEB, 0, 0);
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
    let _served = Served::start(folder, &WEB, 1, port);
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
