//! Tests that experiments run on the lab's smallest web, and that their figures are consistent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use magpie_tests::json_reference::disagreements;
use magpie_tests::vertical;
use serde_json::Value;

/// Returns the folder with the components of the verticals.
fn verticals() -> PathBuf {
    let mut folder = vertical("events");
    folder.pop();
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_measure"));
    command
        .args(arguments)
        .env("MAGPIE_VERTICALS", verticals())
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        .env_remove("MAGPIE_WORKSPACE");
    command.output().expect("it runs")
}

fn printed(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn downloads_shrink_from_method_to_method_and_lose_little() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = [
        "downloads",
        "--size",
        "small",
        "--seeds",
        "3",
        "--json",
        "--plot",
        "downloads.svg",
    ];
    let output = run(folder.path(), &arguments);
    assert!(output.status.success(), "{}", printed(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let figures: BTreeMap<String, Value> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .map(|figure| (figure["figure"].as_str().expect("a name").to_owned(), figure))
        .collect();
    let value = |method: &str, quantity: &str| {
        let figure = figures.get(&format!("downloads: {method}: {quantity}"));
        figure.unwrap_or_else(|| panic!("{method}: {quantity} in {text}"))["value"]
            .as_f64()
            .expect("a number")
    };
    let (full, correct) = (value("full", "pages"), value("full", "correct"));
    assert!(full > 100.0 && correct > 10.0, "{text}");
    // Each method has precision and recall, and phantoms are counted.
    for method in ["full", "all patterns", "ours", "ours, steady"] {
        let [precision, recall] = ["precision", "recall"].map(|quantity| value(method, quantity));
        assert!(
            precision > 0.0 && precision <= 1.0 && recall > 0.0,
            "{method}: {text}"
        );
        let known = precision * value(method, "distinct");
        let phantoms = value(method, "phantoms");
        assert!(
            phantoms <= value(method, "distinct") - known + 1e-6,
            "{method}: {text}"
        );
    }
    let all = value("all patterns", "pages");
    assert!(all <= full, "{all} of {full} pages");
    let published = [
        "poster k=1",
        "poster k=2",
        "poster k=3",
        "paper t=1",
        "paper t=0.95",
        "paper t=0.9",
    ];
    for method in published.into_iter().chain(["all patterns"]) {
        assert!(value(method, "pages") <= all, "{method}: {text}");
        assert!(value(method, "correct") <= correct, "{method}: {text}");
    }
    for [more, less] in [["paper t=1", "paper t=0.9"], ["poster k=1", "poster k=3"]] {
        assert!(
            value(more, "patterns") >= value(less, "patterns"),
            "{more}, {less}: {text}"
        );
        assert!(
            value(more, "pages") >= value(less, "pages"),
            "{more}, {less}: {text}"
        );
    }
    assert!(
        value("ours", "pages") <= all && value("ours", "bytes") <= value("all patterns", "bytes"),
        "{text}"
    );
    assert!(value("ours", "kept") > 0.8, "{text}");
    let target = &figures["downloads: ours: kept"];
    assert!(
        target["target"] == 0.98 && target["better"] == "higher" && target.get("spread").is_none(),
        "{target}"
    );
    let plot = std::fs::read_to_string(folder.path().join("downloads.svg")).expect("the plot");
    assert!(plot.starts_with("<svg") && plot.contains("poster k=2"));
}

/// Runs an experiment that needs no component and returns its figures by name.
fn figures(arguments: &[&str]) -> BTreeMap<String, Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), arguments);
    assert!(output.status.success(), "{}", printed(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    lines
        .into_iter()
        .map(|figure| (figure["figure"].as_str().expect("a name").to_owned(), figure))
        .collect()
}

#[test]
fn freshness_is_between_that_of_uniform_visits_and_that_of_an_oracle() {
    let figures = figures(&["freshness", "--sites", "6", "--seeds", "2,3", "--json"]);
    let all: Vec<Value> = figures.values().cloned().collect();
    assert_eq!(disagreements(&["measure"], &all, &[]), [""; 0]);
    let value = |name: &str| {
        let figure = figures.get(&format!("freshness: {name}"));
        figure.unwrap_or_else(|| panic!("{name} in {figures:?}"))["value"]
            .as_f64()
            .expect("a number")
    };
    for budget in ["after 10 visits a page", "0.25 visits a page and week"] {
        let of = |policy: &str, quantity: &str| value(&format!("{policy}, {budget}: {quantity}"));
        let [uniform, ours, oracle] = ["uniform", "ours", "oracle"].map(|policy| of(policy, "freshness"));
        // On two small webs, ours may by chance be slightly above the optimum of the average.
        assert!(
            uniform < ours && ours < oracle + 0.01,
            "{budget}: {uniform}, {ours}, {oracle}"
        );
        assert_eq!(of("uniform", "requests"), of("ours", "requests"), "{budget}");
        assert_eq!(of("uniform", "requests"), of("oracle", "requests"), "{budget}");
    }
    for policy in ["uniform", "per page", "ours, for objects"] {
        let name = format!("{policy}, 10 % of a full weekly recrawl");
        let spent = value(&format!("{name}: requests of a full recrawl"));
        assert!((spent - 0.1).abs() < 0.001, "{name}: {spent}");
    }
    let delay = |policy: &str| value(&format!("{policy}, 10 % of a full weekly recrawl: delay"));
    assert!(delay("ours, for objects") < delay("uniform"), "{figures:?}");
    let target = &figures["freshness: ours, after 10 visits a page: gap closed"];
    assert!(
        target["target"] == 0.85 && target["better"] == "higher",
        "{target}"
    );
    let published = &figures["freshness: published, the web, optimal: freshness"];
    assert!(published["beside"]["published"] == 0.62, "{published}");
    assert!(
        (published["value"].as_f64().expect("a number") - 0.62).abs() < 0.02,
        "{published}"
    );
}

fn on_lab(figures: &BTreeMap<String, Value>, name: &str) -> f64 {
    let figure = figures
        .get(name)
        .unwrap_or_else(|| panic!("{name} in {figures:?}"));
    let value = figure["value"].as_f64().expect("a number");
    let spread = figure["spread"].as_array().map(|bounds| {
        let bounds = bounds.iter().map(|bound| bound.as_f64().expect("a number"));
        bounds.collect::<Vec<f64>>()
    });
    if let Some(spread) = spread {
        assert!(spread[0] <= value && value <= spread[1], "{figure}");
        assert!(
            figure["unit"] != "share" || (spread[0] >= 0.0 && spread[1] <= 1.0),
            "{figure}"
        );
    }
    value
}

#[test]
fn entity_queries_of_ours_bring_more_than_the_cover() {
    let figures = figures(&["entity", "--sites", "4", "--seeds", "2,3", "--json"]);
    let all: Vec<Value> = figures.values().cloned().collect();
    assert_eq!(disagreements(&["measure"], &all, &[]), [""; 0]);
    let share = |method: &str| {
        on_lab(
            &figures,
            &format!("entity: lab, {method}: 20 % held, share of all objects after 50"),
        )
    };
    assert!(share("ours") > share("set cover"), "{figures:?}");
    assert!(share("ours") > 0.02 && share("ours") <= 1.0, "{figures:?}");
}

#[test]
fn fitted_thresholds_recognise_more_empty_pages() {
    let figures = figures(&["empty", "--sites", "4", "--seeds", "2,3", "--json"]);
    let right = |method: &str| on_lab(&figures, &format!("empty: lab, {method}: pages judged rightly"));
    assert!(right("fitted") >= right("published"), "{figures:?}");
    let published = &figures["empty: lab, published: precision"];
    assert_eq!(published["beside"]["published"], 0.89, "{published}");
}

/// Writes an archive of one result page, as the data set has it, and the file with its query.
fn archive(folder: &Path, name: &str, query: &str, results: &str) {
    let body = format!("<title>{query}</title><p>Menu, login, help and terms of the forum.<p>{results}");
    let response = format!("HTTP/1.1 HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    let head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
        WARC-Target-URI: https://forum.example/\r\nWARC-Date: 2022-01-01T00:00:00Z\r\n\
        Content-Type: application/http; msgtype=response\r\n";
    let record = format!(
        "{head}Content-Length: {}\r\n\r\n{response}\r\n\r\n",
        response.len()
    );
    std::fs::write(folder.join(format!("warcs/{name}.warc.gz")), record).expect("an archive");
    let expected = serde_json::json!({"query": query}).to_string();
    std::fs::write(folder.join(format!("expected/{name}.approved.txt")), expected).expect("a file");
}

#[test]
fn archived_pages_are_judged_by_those_of_their_service() {
    let folder = tempfile::tempdir().expect("a folder");
    for inner in ["warcs", "expected"] {
        std::fs::create_dir(folder.path().join(inner)).expect("a folder");
    }
    let empty = [
        (
            "reddit-flair-already-posted-https-redd-it-xamfzl-1667030236",
            "flair",
        ),
        ("reddit-german-nebelmittelwurfanlage-1664557458", "german thrower"),
        ("reddit-typetest-10fastfingers-1663797626", "typetest"),
    ];
    for (name, query) in empty {
        archive(
            folder.path(),
            name,
            query,
            "there does not seem to be anything here",
        );
    }
    for number in 0..4 {
        let results: String = (0..20)
            .map(|result| format!("<p>thread {number} about topic {result} x"))
            .collect();
        archive(folder.path(), &format!("reddit-{number}"), "maps", &results);
    }
    let pages = folder.path().to_str().expect("a name");
    let figures = figures(&["empty-archived", "--pages", pages, "--json"]);
    let value = |method: &str, quantity: &str| {
        on_lab(
            &figures,
            &format!("empty-archived: labelled pages, {method}: {quantity}"),
        )
    };
    let ours = "fitted, text alone";
    assert_eq!(value(ours, "precision"), 1.0, "{figures:?}");
    assert_eq!(value(ours, "recall"), 1.0, "{figures:?}");
    assert_eq!(value(ours, "pages without results that are recognised"), 1.0);
    let target = &figures["empty-archived: labelled pages, fitted, text alone: precision"];
    assert_eq!(
        (&target["target"], &target["beside"]["published"]),
        (&0.97.into(), &0.89.into())
    );
}

#[test]
fn effects_lose_fewer_selections_than_prevalence() {
    let figures = figures(&["second-level", "--sites", "6", "--seeds", "2,3", "--json"]);
    let lost = |method: &str| {
        on_lab(
            &figures,
            &format!("second-level: lab, {method}: selection arguments lost"),
        )
    };
    assert!(lost("effect") <= lost("prevalence"), "{figures:?}");
    assert!(
        on_lab(&figures, "second-level: lab, effect: probes an argument") <= 3.0,
        "{figures:?}"
    );
}

#[test]
fn sequential_tests_of_templates_need_fewer_requests() {
    let figures = figures(&["isit", "--sites", "3", "--seeds", "2,3", "--json"]);
    let requests = |method: &str| on_lab(&figures, &format!("isit: lab, {method}: requests a form"));
    assert!(requests("ours") < requests("published"), "{figures:?}");
    assert_eq!(
        on_lab(&figures, "isit: lab, published: decisions as published"),
        1.0
    );
}

#[test]
fn probing_finds_more_with_more_requests() {
    let figures = figures(&[
        "probing",
        "--sites",
        "3",
        "--seeds",
        "2,3",
        "--requests",
        "200",
        "--json",
    ]);
    for method in ["published", "ours, first pages", "ours, with paging"] {
        let found = |budget: &str| {
            let name = format!("probing: lab, {method}: share of all objects after {budget}");
            on_lab(&figures, &name)
        };
        let shares = ["25", "50", "100", "200"].map(found);
        assert!(shares.is_sorted() && shares[0] > 0.0, "{method}: {shares:?}");
    }
    let above = "probing: lab, published: share of all objects after 500";
    assert!(!figures.contains_key(above), "more than the maximum of requests");
    let error = "probing, size after 100 queries: lab, captures: relative error of the size";
    assert!(on_lab(&figures, error) >= 0.0);
}

#[test]
fn experiments_are_listed_and_bad_arguments_fail() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = run(folder.path(), &["list"]);
    let names = [
        "downloads",
        "times",
        "aging",
        "drift",
        "freshness",
        "watching",
        "phases",
        "seed-objects",
        "seed-sites",
        "entity",
        "empty",
        "second-level",
        "isit",
        "probing",
    ];
    assert!(
        list.status.success() && names.iter().all(|name| printed(&list).contains(name)),
        "{}",
        printed(&list)
    );
    let cases: [(&[&str], &str); 6] = [
        (&["rain"], "unrecognized subcommand 'rain'"),
        (
            &["downloads", "--seeds", "5-3"],
            "invalid value '5-3' for '--seeds",
        ),
        (
            &["freshness", "--servers", "servers.jsonl"],
            "unexpected argument '--servers'",
        ),
        (&["empty", "--servers", "nowhere"], "can't read nowhere"),
        (&["isit", "--pages", "pages"], "unexpected argument '--pages'"),
        (
            &["empty-archived", "--pages", "nowhere"],
            "can't read nowhere/warcs",
        ),
    ];
    for (arguments, sentence) in cases {
        let output = run(folder.path(), arguments);
        assert!(
            !output.status.success() && printed(&output).contains(sentence),
            "{}",
            printed(&output)
        );
    }
}

#[test]
fn a_crawl_by_expected_targets_finds_more_than_breadth_first() {
    let figures = figures(&[
        "xcrawl", "--size", "small", "--sites", "4", "--seeds", "2,3", "--json",
    ]);
    let all: Vec<Value> = figures.values().cloned().collect();
    assert_eq!(disagreements(&["measure"], &all, &[]), [""; 0]);
    let area = |method: &str| on_lab(&figures, &format!("lab: area, {method}"));
    assert!(area("ours") > area("breadth first"), "{figures:?}");
    assert!(area("ours") <= 1.0 && area("xCRAWL") > 0.0, "{figures:?}");
    on_lab(&figures, "lab: error of the estimate at the stop, forecast");
}

#[test]
fn walks_are_replayed_on_link_graphs_of_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = |name: String| format!("http://shop.example/{name}");
    let mut edges = format!("{}\t\n", page(String::new()));
    let mut labels = String::new();
    for list in 0..6 {
        let from = page(format!("list/{list}"));
        edges.push_str(&format!("{from}\t{}\t/html/body/ul/li/a\n", page(String::new())));
        for item in 0..30 {
            let item = page(format!("item/{}", list * 30 + item));
            edges.push_str(&format!("{item}\t{from}\t/html/body/ol/li/a\n"));
            labels.push_str(&format!("first\t{item}\t1\n"));
        }
    }
    for other in 0..200 {
        let other = page(format!("news/{other}"));
        edges.push_str(&format!("{other}\t{}\t/html/body/p/a\n", page(String::new())));
    }
    labels.push_str(&format!("first\t{}\t2\n", page("news/1".to_owned())));
    std::fs::write(folder.path().join("shop.edges.tsv"), edges).expect("written");
    std::fs::write(folder.path().join("shop.gold.tsv"), labels).expect("written");
    let graphs = folder.path().to_str().expect("a name");
    let output = run(
        folder.path(),
        &["xcrawl", "--graphs", graphs, "--seeds", "1,2", "--json"],
    );
    let text = printed(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("shop 1: area, ours"), "{text}");
    let empty = tempfile::tempdir().expect("a folder");
    let none = run(
        folder.path(),
        &["xcrawl", "--graphs", empty.path().to_str().expect("a name")],
    );
    assert!(
        printed(&none).contains("has no link graphs with labels"),
        "{}",
        printed(&none)
    );
}
