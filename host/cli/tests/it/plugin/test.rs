//! `magpie plugin test`: fixtures that pass, fail, or are none.

use serde_json::{Value, json};

use super::with_pages;
use crate::authors::write_fixture;
use crate::context::TestContext;

/// A folder with fixtures for the guest `ordinary`, which finds a thing with the page's title.
fn with_fixtures(guests: &[&str]) -> TestContext {
    let context = with_pages(guests);
    let good = r#"{"objects": [{"title": "ordinary"}]}"#;
    write_fixture(&context, "fixtures/good", "ordinary", good);
    let wrong = r#"{"objects": [{"title": "other", "nosuch": "x"}]}"#;
    write_fixture(&context, "fixtures/wrong", "trouble", wrong);
    context.write("fixtures/half/page.json", "{");
    context.write("fixtures/half/page.html", "x");
    std::fs::create_dir(context.path("fixtures/bare")).expect("a folder is made");
    context
}

#[test]
fn broken_fixtures_count_unless_they_were_not_asked_for() {
    let context = with_fixtures(&["ordinary"]);
    let test = "plugin test --component ordinary.wasm";
    context.fails(1, test).says([
        "4 fixtures, 3 failed; ",
        "fixtures/bare: a fixture has one body",
        "the schema has no attribute `nosuch`",
        "      object #0 was not found\n",
        "      #0, an unexpected object\n",
    ]);
    let last = context.run(&format!("{test} --json")).last();
    assert_eq!((&last["fixtures"], &last["failed"]), (&4.into(), &3.into()));
    context
        .ok(&format!("{test} --only good"))
        .says(["1 fixture, 0 failed; 1 of 1 attributes"]);
    context
        .fails(4, &format!("{test} --only nothing"))
        .says(["contains `nothing`"]);
}

#[test]
fn what_is_found_on_a_saved_page_can_be_made_the_expectation() {
    let context = with_fixtures(&["ordinary", "panics"]);
    const EXPECTED: &str = "fixtures/wrong/expected.json";
    std::fs::remove_file(context.path(EXPECTED)).expect("it is there");
    let test = "plugin test --component ordinary.wasm";
    context.run(&format!("{test} --only wrong")).says([
        "there is no expected.json; `magpie plugin test . --component ",
        " --accept wrong`",
    ]);
    let page = context.read("fixtures/wrong/page.html");
    context
        .ok(&format!("{test} --accept wrong"))
        .says(["says what the plugin finds today (1 object)"]);
    let written = context.read(EXPECTED);
    assert!(written.contains("\"title\": \"trouble\""), "{written}");
    assert_eq!(context.read("fixtures/wrong/page.html"), page);
    context.ok(&format!("{test} --only wrong"));

    // The result of a crash is not written as an expectation.
    context
        .fails(1, "plugin test --component panics.wasm --accept wrong")
        .says(["is as it was"]);
    assert_eq!(context.read(EXPECTED), written);
    for name in ["nothing", "../wrong"] {
        context.fails(4, &format!("{test} --accept {name}"));
    }
}

#[test]
fn what_is_accepted_leaves_out_what_is_ignored() {
    let context = with_fixtures(&["ordinary"]);
    const EXPECTED: &str = "fixtures/good/expected.json";
    context.write(EXPECTED, "{\"objects\": [], \"ignore\": [\"title\"]}");
    context.ok("plugin test --component ordinary.wasm --accept good");
    let written: Value = serde_json::from_str(&context.read(EXPECTED)).expect("JSON");
    assert_eq!(written["ignore"], json!(["title"]));
    assert_eq!(written["objects"][0].get("title"), None, "{written}");
}

#[test]
fn slips_in_what_is_expected_are_told() {
    let context = with_fixtures(&["ordinary"]);
    let expected = "{\"objects\": [{\"title\": \"ordinary\"}], \"ignore\": [\"Title\", \"type\"]}";
    context.write("fixtures/good/expected.json", expected);
    let test = "plugin test --component ordinary.wasm";
    context
        .fails(1, &format!("{test} --only good"))
        .says(["to ignore: the schema has no attribute `Title`; it has `title`\n"]);
    let lines = context.run(&format!("{test} --only good --json")).json();
    assert_eq!(lines[0]["unknown_attributes"], json!(["Title"]));

    let expected = "{\"objects\": [{\"title\": \"ordinary\"}]}";
    context.write("fixtures/good/expected.json", expected);
    context.write("fixtures/clusters.json", "{\"clusters\": [[\"good#1\"]]}");
    context.run(test).says([
        "\"good\" expects 1 object; #1, counted from 0, does not exist",
        " failed, clusters failed; ",
    ]);
    let last = context.run(&format!("{test} --json")).last();
    assert_eq!(last["clusters_passed"], false);
}

#[test]
fn the_log_of_a_fixture_is_shown() {
    let context = with_fixtures(&["log-flood"]);
    let test = "plugin test --component log-flood.wasm --only wrong";
    context
        .run(&format!("{test} -v"))
        .says(["        log info: line 0 xxx", " lines dropped\n"]);
    // Without more words only what matters.
    context.run(test).lacks(["log info"]);
    let lines = context.run(&format!("{test} --json")).json();
    assert_eq!(lines[0]["log"][0]["level"], "info");
}

#[test]
fn what_a_plugin_answers_is_told_and_after_a_crash_nothing_is_compared() {
    let context = with_fixtures(&["answers-error", "panics"]);
    context
        .run("plugin test --component answers-error.wasm --only wrong")
        .says(["failed: plugin answers-error 1.2.3 answered: the list has no head"])
        .lacks(["on https://", "reproduce"]);
    context
        .run("plugin test --component panics.wasm --only wrong")
        .says(["2 attributes not compared"])
        .lacks(["missing  ", "magpie plugin record"]);
}

#[test]
fn a_project_that_can_not_be_used_is_told_why() {
    let context = with_pages(&[]);
    context.write("broken/Cargo.toml", "[package]\nname = \"x\nedition = 1\n");
    for (project, parts) in [
        ("broken", ["broken/Cargo.toml can't be used", "line 2"]),
        ("a.html", ["a.html is a file", "pass the project's folder"]),
        ("nowhere", ["hint: make one with", "`magpie plugin new nowhere`"]),
    ] {
        context.run(&format!("plugin test {project}")).says(parts);
    }
    std::fs::create_dir(context.path("job-offers")).expect("a folder is made");
    let mut made = context.command("plugin new .");
    let made = made.current_dir(context.path("job-offers"));
    crate::context::Ran::of("plugin new .", made).says(["the vertical `job-offers`"]);
}
