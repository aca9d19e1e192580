//! Tests of `magpie-lab train` on a few annotated pages.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

const SEARCH: &str = "<form action=/search><input name=q><button>Search</button></form>";
const LOGIN: &str = "<form method=post action=/login><input name=user><input type=password name=password><button>Log in</button></form>";

/// Writes annotated pages of ten sites.
fn write_pages(folder: &Path) {
    let pages = folder.join("pages");
    fs::create_dir(&pages).expect("a folder");
    let mut lines = String::new();
    for site in 0..10 {
        let file = format!("pages/{site}.html");
        fs::write(folder.join(&file), format!("{SEARCH}{LOGIN}")).expect("a page");
        let line = json!({
            "file": file, "url": format!("https://www.site{site}.example/"), "forms": ["search", "login"],
            "fields": [{"q": "search query"}, {"user": "username", "password": "password"}],
        });
        lines += &format!("{line}\n");
    }
    fs::write(folder.join("forms.jsonl"), lines).expect("a list");
}

fn train(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_magpie-lab"));
    command
        .current_dir(folder)
        .env("HOME", folder)
        .arg("train")
        .args(arguments);
    command.output().expect("it runs")
}

fn printed(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn forms_are_learned_and_the_weights_written() {
    let folder = tempfile::tempdir().expect("a folder");
    write_pages(folder.path());
    let output = train(
        folder.path(),
        &["forms", "--data", ".", "--json", "--write", "one.txt"],
    );
    let figures: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", printed(&output)));
    assert_eq!((&figures["forms"], &figures["sites"]), (&json!(20), &json!(10)));
    assert_eq!(figures["search"]["f1"], 1.0);
    assert_eq!(figures["query_fields"], json!({"annotated": 10, "found": 10}));
    assert_eq!(figures["sendable"], json!({"forms": 10, "wrong": 0}));
    let again = train(folder.path(), &["forms", "--data", ".", "--write", "two.txt"]);
    assert!(
        printed(&again).contains("F1 of searches 1.000"),
        "{}",
        printed(&again)
    );
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("weights");
    assert_eq!(read("one.txt"), read("two.txt"));
    assert!(read("one.txt").contains("\nsearch "), "{}", read("one.txt"));
}

#[test]
fn templates_are_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = [
        json!({"template": "https://a.example/search?q={{{s}}}"}),
        json!({"template": "https://b.example/find/{{{s}}}/1"}),
        json!({"template": "https://c.example/?abc={{{s}}}&def=ghi"}),
        json!({"template": "https://{{{s}}}.example/"}),
    ];
    fs::write(
        folder.path().join("templates.jsonl"),
        lines.map(|line| line.to_string()).join("\n"),
    )
    .expect("a list");
    let output = train(folder.path(), &["templates", "--data", "."]);
    let text = printed(&output);
    assert!(
        text.contains("3 of 3 templates learned from an example"),
        "{text}"
    );
    assert!(text.contains("1 of 2 arguments found by their names"), "{text}");
    let output = train(folder.path(), &["templates", "--data", ".", "--json"]);
    let figures: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(figures["by_name"], 1);
}

#[test]
fn a_folder_without_a_list_is_an_error_with_a_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = train(folder.path(), &["forms", "--data", "."]);
    let text = printed(&output);
    assert!(
        !output.status.success() && text.contains("forms.jsonl") && text.contains("unpacked"),
        "{text}"
    );
}
