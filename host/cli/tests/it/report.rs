//! Reports from the outside: learning and recrawls each leave one file with what they printed, and
//! the command line, its JSON and the page give the same figures.

use magpie_lab::Vertical;
use serde_json::Value;

use crate::context::TestContext;
use crate::web::{Served, Spec};

const WEB: Spec = (Vertical::Books, 5);

fn page(context: &TestContext, name: &str) -> String {
    let page = context.read(name);
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

/// Asserts that a text has all parts.
#[track_caller]
fn assert_says<const N: usize>(text: &str, parts: [&str; N]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
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
fn grouped(number: &Value) -> String {
    let digits = format!("{:.0}", number.as_f64().expect("a number").round());
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn mebibytes(bytes: &Value) -> String {
    let bytes = bytes.as_f64().expect("a number");
    match bytes / 1024.0 {
        kib if kib < 1024.0 => format!("{kib:.0} KiB"),
        kib => format!("{:.1} MiB", kib / 1024.0),
    }
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
                let number = |key: &str| grouped(&value[key]);
                let (low, high) = (number("low"), number("high"));
                format!("{}<small>{low} to {high}</small>", number("value"))
            }
            _ => grouped(value),
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

/// Returns the figures and the page that `magpie report` has of a run.
fn report(context: &TestContext, run: &str) -> (Value, String) {
    let told = context.json(&format!("report -w ws --run {run} --json --out again.html"));
    assert_eq!(told[0]["report"], "again.html");
    let (figures, written) = (told[0]["figures"].clone(), page(context, "again.html"));
    assert_page_says(&written, &figures);
    (figures, written)
}

#[test]
fn learning_and_recrawls_leave_reports_that_say_what_they_said() {
    let served = Served::start(WEB, 0, 0);
    let settings = format!("{}[fetch]\nretries = 0\n", served.settings());
    let context = TestContext::with_workspace("books", settings);
    let learned = context.learn(&served.homes()).out;
    what_was_learned(&context, &learned);

    let served = served.later(1);
    let run = a_round_for_programs(&context);

    let _served = served.later(2);
    a_round_for_people(&context, run);
    assert_says(&report(&context, "1").1, ["There were recrawls after this run."]);
}

fn what_was_learned(context: &TestContext, learned: &str) {
    let last = learned.lines().next_back().expect("a line");
    assert_eq!(last, "report: ws/reports/learn-books-1.html");
    let first = page(context, "ws/reports/learn-books-1.html");
    let (figures, written) = report(context, "1");
    assert_page_says(&first, &figures);
    assert_says(
        &first,
        [
            "<h1>books: what was learned</h1>",
            "full crawl",
            "recrawl of the selected patterns",
        ],
    );
    // It has the printed sentence of every stage.
    for line in learned.lines().take(8) {
        let sentence = line[10..].rsplit_once("  ").expect("a time").0;
        assert_says(&first, [&escaped(sentence)]);
    }

    let number = |name: &str| grouped(&figures[name]);
    let stage = |name: &str| {
        let line = learned.lines().find(|line| line.starts_with(name));
        line.unwrap_or_else(|| panic!("no {name} in {learned}"))
    };
    assert_says(
        stage("crawl "),
        [
            &format!(" {} pages of ", number("fetched_pages")),
            &format!(", {}, ", mebibytes(&figures["bytes"])),
            &format!(", {} records on them", number("records")),
        ],
    );
    assert_says(
        stage("cluster "),
        [
            &format!(" {} objects in all", number("objects")),
            &format!(", {} of them new", number("new_records")),
        ],
    );
    let round = format!("a round fetches {} pages now", number("round_pages"));
    assert_says(stage("navigate "), [&round]);
    // All that tell the cost of a round tell this one.
    context.ok("patterns -w ws").says([&round]);
    let cell = format!("<div>{}</div></td>", number("round_pages"));
    let mut rows = written.split("recrawl of the selected patterns").skip(1);
    assert!(
        rows.any(|rest| rest.split("</tr>").next().is_some_and(|row| row.contains(&cell))),
        "{cell}"
    );
    let count = |name: &str| figures[name].as_u64().expect("a number");
    let pages = match count("unfetched_pages") {
        0 => format!("all {}", number("known_pages")),
        unfetched => {
            let read = grouped(&(count("known_pages") - unfetched).into());
            format!("{read} of {}", number("known_pages"))
        }
    };
    let coverage = format!("{} objects found on {pages} known pages", number("objects"));
    assert_says(learned, [&coverage]);
    assert_says(&written, [&coverage]);
    // No share of an uncounted total is printed.
    let selected = stage("select ");
    let current = format!("{} current objects that links lead to", number("current_objects"));
    assert_says(selected, [&current]);
    assert!(!selected.contains("100.0 % of"), "{selected}");
    chosen_patterns(context, &written);
}

/// Looks for every chosen pattern, its site, and some of its objects, each with its page.
fn chosen_patterns(context: &TestContext, written: &str) {
    let patterns = context.json("patterns -w ws --json");
    let mut chosen = patterns.iter().filter(|row| row["chosen"] == true).peekable();
    assert!(chosen.peek().is_some());
    for row in chosen {
        let text = |name: &str| row[name].as_str().expect("text");
        let (site, pattern) = (text("site"), text("pattern"));
        let (_, after) = pattern.split_once("://").expect("a scheme");
        let path = &after[after.find('/').expect("a path")..];
        let host = site.strip_prefix("https://").unwrap_or(site);
        assert_says(written, [&escaped(path), host]);
        let samples = row["samples"].as_array().expect("samples");
        assert!(row["objects"] == 0 || (1..=3).contains(&samples.len()), "{row}");
        for sample in samples {
            let text = |name: &str| sample[name].as_str().expect("text");
            assert!(!text("label").is_empty());
            assert_says(written, [&escaped(text("label")), &escaped(text("page"))]);
        }
    }
}

/// Looks at a recrawl with `--json`, and returns its number.
fn a_round_for_programs(context: &TestContext) -> u64 {
    let told = context.json("recrawl -w ws --later 1w --report new/second.html --json");
    let (all, sites) = told.split_last().expect("objects");
    let run = all["run"].to_string();
    assert_eq!(all["report"], "new/second.html");
    let second = page(context, "new/second.html");
    let title = format!("<h1>books: recrawl {run}</h1>");
    assert_says(&second, [&title, "selective", "this run"]);
    let cell = |number: &Value| format!("<div>{}</div></td>", grouped(number));
    assert_says(&second, [&cell(&all["pages"]), &cell(&all["new_objects"])]);
    let mut pages = 0;
    for site in sites.iter().filter(|line| line["alarms"].is_array()) {
        let key = site["site"].as_str().expect("text");
        let name = key.strip_prefix("https://").unwrap_or(key);
        let head = format!("<th scope=\"row\">{name}</th><td class=\"number\"");
        let row = second.lines().find(|line| line.contains(&head));
        let row = row.unwrap_or_else(|| panic!("{key} is not in the report"));
        assert_says(row, [&cell(&site["pages"]), &cell(&site["new_objects"])]);
        pages += site["pages"].as_u64().expect("a number");
    }
    let usual = format!("ws/reports/recrawl-{run}.html");
    assert!(!context.path(&usual).exists());

    // The last one is written again when it is asked for, and any other by its number.
    let again = context.ok("report -w ws").out;
    assert_eq!(again.trim(), format!("report: {usual}"));
    assert_eq!(page(context, &usual), second);
    let (figures, _) = report(context, &run);
    assert_eq!(all["figures"], figures);
    for (of_run, name) in [
        ("pages", "fetched_pages"),
        ("bytes", "bytes"),
        ("new_objects", "new_objects"),
        ("known_pages", "known_pages"),
        ("explored", "explored_pages"),
        ("promised_pages", "promised_pages"),
        ("most_pages", "most_pages"),
        ("round_fetched_pages", "round_fetched_pages"),
    ] {
        assert_eq!(all[of_run], figures[name], "{name}");
    }
    assert_eq!(figures["fetched_pages"], pages);
    all["run"].as_u64().expect("a number")
}

fn a_round_for_people(context: &TestContext, last: u64) {
    let told = context.ok("recrawl -w ws --later 2w").out;
    let (figures, written) = report(context, &(last + 1).to_string());
    let number = |name: &str| grouped(&figures[name]);
    let sentence = format!(
        "{} pages and {} for {} new object",
        number("fetched_pages"),
        mebibytes(&figures["bytes"]),
        number("new_objects")
    );
    let promise = format!(
        "promised {} pages, {} at most, took {}",
        number("promised_pages"),
        number("most_pages"),
        number("round_fetched_pages")
    );
    assert_says(&told, [&sentence, &promise]);
    assert_says(&written, [&promise]);
    let figure = |name: &str| figures[name].as_f64().expect("a number");
    let (promised, took) = (figure("promised_pages"), figure("round_fetched_pages"));
    // Of so few pages a tenth is less than one.
    assert!(
        (promised - took).abs() <= (0.1 * took).max(1.0),
        "promised {promised}, took {took}"
    );
}
