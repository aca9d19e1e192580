//! Reports from the outside: learning and a recrawl each leave one file with what they printed.

use std::path::Path;

use crate::web::{Served, Spec, magpie, said, workspace};
use magpie_lab::Vertical;
use serde_json::Value;

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

const WEB: Spec = (Vertical::Books, 5);

/// A workspace for the web that is served, and a file with its sites.
fn prepared(folder: &Path, served: &Served) {
    let settings = format!("{}[fetch]\nretries = 0\n", served.settings());
    workspace(folder, "ws", "books", &settings);
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
    let served = Served::start(WEB, 0, 0);
    prepared(folder, &served);
    let port = served.port();

    let learned = ran(folder, &["learn", "-w", "ws", "--sites", "sites.txt"]);
    let last = learned.lines().next_back().expect("a line");
    assert_eq!(last, "report: ws/reports/learn-books-1.html");
    let first = page(folder, "ws/reports/learn-books-1.html");
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
    // It has the printed sentence of every stage.
    for line in learned.lines().take(8) {
        let sentence = line[10..].rsplit_once("  ").expect("a time").0;
        assert!(
            first.contains(&escaped(sentence)),
            "{sentence:?} is not in the report"
        );
    }
    assert!(first.contains("full crawl") && first.contains("recrawl of the selected patterns"));

    drop(served);
    let _served = Served::start(WEB, 1, port);
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
    let cell = |number: &Value| format!("<div>{}</div></td>", thousands(number));
    for figure in ["pages", "new_objects"] {
        assert!(second.contains(&cell(&all[figure])), "{figure} of {all}");
    }
    for site in sites.iter().filter(|line| line["alarms"].is_array()) {
        let key = site["site"].as_str().expect("text");
        let name = key.strip_prefix("https://").unwrap_or(key);
        let row = second
            .lines()
            .find(|line| line.contains(&format!("<th scope=\"row\">{name}</th><td class=\"number\"")));
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
    assert!(page(folder, "first.html").contains("There were recrawls after this run."));
}

/// Returns the figures on the page of a report: the value beside each name.
fn figures_of_page(page: &str) -> Vec<(String, String)> {
    let (_, table) = page.split_once("The figures of this run").expect("the figures");
    let rows = table.lines().filter(|line| line.starts_with("<tr><th"));
    let cell = |row: &str, begin: &str, end: &str| {
        let (_, rest) = row.split_once(begin).expect("a cell");
        rest.split_once(end).expect("its end").0.to_owned()
    };
    rows.map(|row| {
        let code = cell(row, "<code", "</code>");
        let (_, name) = code.split_once('>').expect("the end of the tag");
        let value = cell(row, "data-label=\"Value\"><div>", "</div></td>");
        (name.to_owned(), value)
    })
    .collect()
}

/// A number with the commas that people read.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Asserts that the page has exactly the figures of the JSON, with the same values.
fn assert_page_says(page: &str, figures: &Value) {
    let of_page = figures_of_page(page);
    assert!(of_page.len() >= 14, "{of_page:?}");
    for (name, shown) in &of_page {
        let value = &figures[name.as_str()];
        let expected = match name.as_str() {
            "bytes" => mebibytes(value),
            "expected_objects" if value.is_null() => "unknown".to_owned(),
            "expected_objects" => {
                let number = |key: &str| grouped(value[key].as_f64().expect("a number").round());
                format!(
                    "{}<small>{} to {}</small>",
                    number("value"),
                    number("low"),
                    number("high")
                )
            }
            _ => grouped(value.as_f64().unwrap_or_else(|| panic!("{name} of {figures}"))),
        };
        assert_eq!(*shown, expected, "{name}");
    }
    let names = figures.as_object().expect("an object").iter();
    for (name, _) in names.filter(|(_, value)| !value.is_null()) {
        assert!(
            of_page.iter().any(|(known, _)| known == name),
            "{name} is not in the page"
        );
    }
}

fn mebibytes(bytes: &Value) -> String {
    let bytes = bytes.as_f64().expect("a number");
    match bytes / 1024.0 {
        kib if kib < 1024.0 => format!("{kib:.0} KiB"),
        kib => format!("{:.1} MiB", kib / 1024.0),
    }
}

#[test]
fn command_line_json_and_report_give_the_same_figures() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = Served::start(WEB, 0, 0);
    prepared(folder, &served);
    let port = served.port();
    let report = |run: &str| {
        let told = json(&ran(
            folder,
            &[
                "report",
                "-w",
                "ws",
                "--run",
                run,
                "--json",
                "--out",
                "again.html",
            ],
        ));
        (told[0]["figures"].clone(), page(folder, "again.html"))
    };

    // The output of `learn` for people.
    let learned = ran(folder, &["learn", "-w", "ws", "--sites", "sites.txt"]);
    let (figures, written) = report("1");
    assert_page_says(&written, &figures);
    assert_page_says(&page(folder, "ws/reports/learn-books-1.html"), &figures);
    let number = |name: &str| grouped(figures[name].as_f64().expect("a number"));
    let stage = |name: &str| {
        let line = learned.lines().find(|line| line.starts_with(name));
        line.unwrap_or_else(|| panic!("no {name} in {learned}"))
            .to_owned()
    };
    let crawl = stage("crawl ");
    for part in [
        format!(" {} pages of ", number("fetched_pages")),
        format!(", {}, ", mebibytes(&figures["bytes"])),
        format!(", {} records on them", number("records")),
    ] {
        assert!(crawl.contains(&part), "{part:?} is not in {crawl}");
    }
    let cluster = stage("cluster ");
    assert!(
        cluster.contains(&format!(" {} objects in all", number("objects"))),
        "{cluster}"
    );
    assert!(
        cluster.contains(&format!(", {} of them new", number("new_records"))),
        "{cluster}"
    );
    let navigate = stage("navigate ");
    let round = format!("a round fetches {} pages now", number("round_pages"));
    assert!(navigate.contains(&round), "{round} is not in {navigate}");
    let read = figures["known_pages"].as_f64().expect("a number")
        - figures["unfetched_pages"].as_f64().expect("a number");
    let coverage = match figures["unfetched_pages"].as_u64() {
        Some(0) => format!(
            "{} objects found on all {} known pages",
            number("objects"),
            number("known_pages")
        ),
        _ => format!(
            "{} objects found on {} of {} known pages",
            number("objects"),
            grouped(read),
            number("known_pages")
        ),
    };
    assert!(learned.contains(&coverage), "{coverage} is not in {learned}");
    assert!(written.contains(&coverage), "{coverage} is not in the report");
    // No share of an uncounted total is printed.
    let selected = stage("select ");
    let found = format!("{} objects found so far", number("objects"));
    assert!(
        selected.contains(&found) && !selected.contains("100.0 % of"),
        "{selected}"
    );
    // Some objects of every chosen pattern, each with its page.
    let patterns = json(&ran(folder, &["patterns", "-w", "ws", "--json"]));
    for pattern in patterns
        .iter()
        .filter(|row| row["chosen"] == true && row["objects"] != 0)
    {
        let samples = pattern["samples"].as_array().expect("samples");
        assert!((1..=3).contains(&samples.len()), "{pattern}");
        for sample in samples {
            let (label, at) = (
                sample["label"].as_str().expect("text"),
                sample["page"].as_str().expect("a URL"),
            );
            assert!(!label.is_empty());
            assert!(
                written.contains(&escaped(label)) && written.contains(&escaped(at)),
                "{sample}"
            );
        }
    }

    // A round, for programs; then one for people.
    drop(served);
    let served = Served::start(WEB, 1, port);
    let told = json(&ran(folder, &["recrawl", "-w", "ws", "--later", "1w", "--json"]));
    let all = told.last().expect("a line").clone();
    let run = all["run"].to_string();
    let (figures, written) = report(&run);
    assert_eq!(all["figures"], figures);
    assert_page_says(&written, &figures);
    for (of_run, name) in [
        ("pages", "fetched_pages"),
        ("bytes", "bytes"),
        ("new_objects", "new_objects"),
        ("known_pages", "known_pages"),
        ("explored", "explored_pages"),
        ("promised_pages", "promised_pages"),
        ("round_fetched_pages", "round_fetched_pages"),
    ] {
        assert_eq!(all[of_run], figures[name], "{name}");
    }
    let sites = told.iter().filter(|line| line["alarms"].is_array());
    let pages: u64 = sites.filter_map(|site| site["pages"].as_u64()).sum();
    assert_eq!(figures["fetched_pages"], pages);

    drop(served);
    let _served = Served::start(WEB, 2, port);
    let told = ran(folder, &["recrawl", "-w", "ws", "--later", "2w"]);
    let (figures, written) = report(&(all["run"].as_u64().expect("a number") + 1).to_string());
    assert_page_says(&written, &figures);
    let number = |name: &str| grouped(figures[name].as_f64().expect("a number"));
    let sentence = format!(
        "{} pages and {} for {} new object",
        number("fetched_pages"),
        mebibytes(&figures["bytes"]),
        number("new_objects")
    );
    assert!(told.contains(&sentence), "{sentence} is not in {told}");
    let promise = format!(
        "promised {} pages, took {}",
        number("promised_pages"),
        number("round_fetched_pages")
    );
    assert!(
        told.contains(&promise) && written.contains(&promise),
        "{promise} is not in {told}"
    );
    let (promised, took) = (
        figures["promised_pages"].as_f64().expect("a number"),
        figures["round_fetched_pages"].as_f64().expect("a number"),
    );
    assert!(
        (promised - took).abs() <= 0.1 * took,
        "promised {promised}, took {took}"
    );
}
