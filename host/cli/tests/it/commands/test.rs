//! `magpie plugin test`: fixtures that pass, fail, or are none.

use std::fs;
use std::path::Path;
use std::process::Output;

use magpie_tests::guest;
use serde_json::Value;

use super::{err, folder_with_pages, magpie, out};

/// A folder with fixtures for the guest `ordinary`, which finds a thing with the page's title.
fn folder_with_fixtures() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let write = |path: &str, text: &str| {
        let path = folder.path().join("fixtures").join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder is made");
        fs::write(path, text).expect("it is written");
    };
    for (name, title, expected) in [
        ("good", "ordinary", r#"{"objects": [{"title": "ordinary"}]}"#),
        (
            "wrong",
            "trouble",
            r#"{"objects": [{"title": "other", "nosuch": "x"}]}"#,
        ),
    ] {
        write(
            &format!("{name}/page.html"),
            &format!("<!doctype html><title>{title}</title><p>x"),
        );
        write(
            &format!("{name}/page.json"),
            "{\"url\": \"https://example.org/\", \"fetched_at\": \"2026-03-01T12:00:00Z\"}",
        );
        write(&format!("{name}/expected.json"), expected);
    }
    write("half/page.json", "{");
    write("half/page.html", "x");
    fs::create_dir(folder.path().join("fixtures/bare")).expect("a folder is made");
    folder
}

fn test_guest(folder: &Path, name: &str, more: &[&str]) -> Output {
    let component = guest(name).display().to_string();
    magpie(
        folder,
        &[&["plugin", "test", "--component", &component][..], more].concat(),
    )
}

#[test]
fn broken_fixtures_count_unless_they_were_not_asked_for() {
    let folder = folder_with_fixtures();
    let output = test_guest(folder.path(), "ordinary", &[]);
    let text = out(&output);
    assert!(text.contains("4 fixtures, 3 failed; "), "{text}");
    assert!(text.contains("fixtures/bare: a fixture has one body"), "{text}");
    assert!(text.contains("the schema has no attribute `nosuch`"), "{text}");
    assert!(text.contains("      object #0 was not found\n"), "{text}");
    assert!(text.contains("      #0, an unexpected object\n"), "{text}");
    assert_eq!(output.status.code(), Some(1));

    let output = test_guest(folder.path(), "ordinary", &["--json"]);
    let last: Value = serde_json::from_str(out(&output).lines().last().unwrap_or_default()).expect("JSON");
    assert_eq!(
        (&last["fixtures"], &last["failed"]),
        (&Value::from(4), &Value::from(3))
    );

    let output = test_guest(folder.path(), "ordinary", &["--only", "good"]);
    assert!(
        out(&output).contains("1 fixture, 0 failed; 1 of 1 attributes"),
        "{}",
        out(&output)
    );
    assert!(output.status.success());

    let output = test_guest(folder.path(), "ordinary", &["--only", "nothing"]);
    assert!(err(&output).contains("contains `nothing`"), "{}", err(&output));
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn what_is_found_on_a_saved_page_can_be_made_the_expectation() {
    let folder = folder_with_fixtures();
    let fixture = folder.path().join("fixtures/wrong");
    fs::remove_file(fixture.join("expected.json")).expect("it is there");
    let text = out(&test_guest(folder.path(), "ordinary", &["--only", "wrong"]));
    assert!(
        text.contains("there is no expected.json; `magpie plugin test . --component ")
            && text.contains(" --accept wrong`"),
        "{text}"
    );
    let page = fs::read(fixture.join("page.html")).expect("it is there");
    let output = test_guest(folder.path(), "ordinary", &["--accept", "wrong"]);
    assert!(output.status.success(), "{}{}", out(&output), err(&output));
    assert!(
        out(&output).contains("says what the plugin finds today (1 object)"),
        "{}",
        out(&output)
    );
    let written = fs::read_to_string(fixture.join("expected.json")).expect("it was written");
    assert!(written.contains("\"title\": \"trouble\""), "{written}");
    assert_eq!(fs::read(fixture.join("page.html")).expect("it is there"), page);
    assert!(
        test_guest(folder.path(), "ordinary", &["--only", "wrong"])
            .status
            .success()
    );

    // The result of a crash is not written as an expectation.
    let output = test_guest(folder.path(), "panics", &["--accept", "wrong"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).contains("is as it was"), "{}", out(&output));
    let kept = fs::read_to_string(fixture.join("expected.json")).expect("it is there");
    assert_eq!(kept, written);
    for name in ["nothing", "../wrong"] {
        let output = test_guest(folder.path(), "ordinary", &["--accept", name]);
        assert_eq!(output.status.code(), Some(4), "{name}");
    }
}

#[test]
fn what_is_accepted_leaves_out_what_is_ignored() {
    let folder = folder_with_fixtures();
    let expected = folder.path().join("fixtures/good/expected.json");
    fs::write(&expected, "{\"objects\": [], \"ignore\": [\"title\"]}").expect("it is written");
    assert!(
        test_guest(folder.path(), "ordinary", &["--accept", "good"])
            .status
            .success()
    );
    let written: Value = serde_json::from_slice(&fs::read(&expected).expect("it is there")).expect("JSON");
    assert_eq!(written["ignore"], serde_json::json!(["title"]));
    assert_eq!(written["objects"][0].get("title"), None, "{written}");
}

#[test]
fn slips_in_what_is_expected_are_told() {
    let folder = folder_with_fixtures();
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join("fixtures").join(name), text).expect("it is written");
    };
    write(
        "good/expected.json",
        "{\"objects\": [{\"title\": \"ordinary\"}], \"ignore\": [\"Title\", \"type\"]}",
    );
    let output = test_guest(folder.path(), "ordinary", &["--only", "good"]);
    assert_eq!(output.status.code(), Some(1));
    let text = out(&output);
    assert!(
        text.contains("to ignore: the schema has no attribute `Title`; it has `title`\n"),
        "{text}"
    );
    let output = test_guest(folder.path(), "ordinary", &["--only", "good", "--json"]);
    let first: Value = serde_json::from_str(out(&output).lines().next().unwrap_or_default()).expect("JSON");
    assert_eq!(first["unknown_attributes"], serde_json::json!(["Title"]));

    write("good/expected.json", "{\"objects\": [{\"title\": \"ordinary\"}]}");
    write("clusters.json", "{\"clusters\": [[\"good#1\"]]}");
    let output = test_guest(folder.path(), "ordinary", &[]);
    let text = out(&output);
    assert!(
        text.contains("\"good\" expects 1 object; #1, counted from 0, does not exist"),
        "{text}"
    );
    assert!(text.contains(" failed, clusters failed; "), "{text}");
    let output = test_guest(folder.path(), "ordinary", &["--json"]);
    let last: Value = serde_json::from_str(out(&output).lines().last().unwrap_or_default()).expect("JSON");
    assert_eq!(last["clusters_passed"], Value::from(false));
}

#[test]
fn the_log_of_a_fixture_is_shown() {
    let folder = folder_with_fixtures();
    let text = out(&test_guest(
        folder.path(),
        "log-flood",
        &["--only", "wrong", "-v"],
    ));
    assert!(text.contains("        log info: line 0 xxx"), "{}", text.len());
    assert!(text.contains(" lines dropped\n"), "{}", text.len());
    // Without more words only what matters.
    let text = out(&test_guest(folder.path(), "log-flood", &["--only", "wrong"]));
    assert!(!text.contains("log info"), "{}", text.len());
    let output = test_guest(folder.path(), "log-flood", &["--only", "wrong", "--json"]);
    let first: Value = serde_json::from_str(out(&output).lines().next().unwrap_or_default()).expect("JSON");
    let log = first["log"].as_array().expect("a list");
    assert_eq!(log[0]["level"], "info");
}

#[test]
fn what_a_plugin_answers_is_told_without_what_everybody_knows() {
    let folder = folder_with_fixtures();
    let text = out(&test_guest(folder.path(), "answers-error", &["--only", "wrong"]));
    assert!(
        text.contains("failed: plugin answers-error 1.2.3 answered: the list has no head"),
        "{text}"
    );
    assert!(
        !text.contains("on https://") && !text.contains("reproduce"),
        "{text}"
    );
}

#[test]
fn after_a_crash_nothing_is_compared() {
    let folder = folder_with_fixtures();
    let text = out(&test_guest(folder.path(), "panics", &["--only", "wrong"]));
    assert!(
        text.contains("2 attributes not compared") && !text.contains("missing  "),
        "{text}"
    );
    assert!(!text.contains("magpie plugin record"), "{text}");
}

#[test]
fn a_project_that_can_not_be_used_is_told_why() {
    let folder = folder_with_pages();
    fs::create_dir(folder.path().join("broken")).expect("a folder is made");
    fs::write(
        folder.path().join("broken/Cargo.toml"),
        "[package]\nname = \"x\nedition = 1\n",
    )
    .expect("written");
    let said = |arguments: &[&str]| err(&magpie(folder.path(), arguments));
    let text = said(&["plugin", "test", "broken"]);
    assert!(
        text.contains("broken/Cargo.toml can't be used") && text.contains("line 2"),
        "{text}"
    );
    let text = said(&["plugin", "test", "a.html"]);
    assert!(
        text.contains("a.html is a file; pass the project's folder"),
        "{text}"
    );
    let text = said(&["plugin", "test", "nowhere"]);
    assert!(
        text.contains("hint: make one with `magpie plugin new nowhere`"),
        "{text}"
    );
    fs::create_dir(folder.path().join("job-offers")).expect("a folder is made");
    let made = magpie(&folder.path().join("job-offers"), &["plugin", "new", "."]);
    assert!(out(&made).contains("the vertical `job-offers`"), "{}", err(&made));
}
