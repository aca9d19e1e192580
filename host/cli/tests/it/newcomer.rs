//! Runs the commands of the tutorial and of the guide for authors, with the real binary, in an
//! empty folder.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::context::{Ran, TestContext, words};

const TUTORIAL: &str = include_str!("../../../../docs/tutorial/first-vertical.md");
const GUIDE: &str = include_str!("../../../../docs/guides/vertical.md");

/// Returns the commands in the code blocks of a text that are marked with a word.
fn commands<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    // A line that begins with a fence opens a block or closes one.
    let mut block = None;
    let mut found = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(_) if block.is_some() => block = None,
            Some(opened) => block = Some(opened),
            None if block == Some(mark) && line.starts_with("magpie ") => found.push(line),
            None => {}
        }
    }
    found
}

/// Folder in which the projects in Rust are compiled, so that they compile the standard library and
/// the SDK once.
fn shared_target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("newcomer")
}

/// Locks the folder in which projects are compiled. Projects of the same name replace each other's
/// module there.
fn lock_target() -> File {
    std::fs::create_dir_all(shared_target()).expect("the folder is made");
    let lock = File::create(shared_target().join("test.lock")).expect("the lock file is made");
    lock.lock().expect("the folder is locked");
    lock
}

/// Runs a line of the book in the environment of the caller, whose tools compile.
fn typed(context: &TestContext, line: &str) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_magpie"));
    command
        .args(words(line.trim_start_matches("magpie ")))
        .current_dir(context.path(""))
        .env("MAGPIE_CACHE_DIR", magpie_tests::compiled())
        .env("CARGO_TARGET_DIR", shared_target());
    Ran::of(line, &mut command)
}

/// Types commands in an empty folder that has a page with one job offer, and looks at what they
/// say.
fn type_all(commands: &[&str]) -> TestContext {
    let context = TestContext::new();
    let page = "<!doctype html><title>Jobs</title><article><h2><a href=/1>Bird keeper</a></h2>\
        <time datetime=2026-11-02>2 November</time></article>";
    context.write("page.html", page);
    for line in commands {
        let ran = typed(&context, line).ends(0);
        match line.split_whitespace().nth(2) {
            Some("test") if line.contains("--only") => ran.says(["1 fixture, 0 failed"]),
            Some("test") => ran.says(["3 fixtures, 0 failed"]),
            Some("run") => ran.says(["Bird keeper", "2026-11-02"]),
            Some("inspect") => ran.says(["One JobOffer has"]),
            Some("check") => ran.says(["it finds objects"]),
            Some("build") => ran.says(["sha256:"]),
            _ => ran,
        };
    }
    context
}

#[test]
fn the_tutorial_leads_from_nothing_to_a_tested_vertical() {
    let commands = commands(TUTORIAL, "");
    assert!(commands.len() >= 8, "{commands:?}");
    let _lock = lock_target();
    let context = type_all(&commands);
    assert!(context.path("job-offers/dist/job-offers.wasm").exists());
}

#[test]
fn the_guide_leads_through_rust() {
    let commands = commands(GUIDE, "rust-commands");
    assert!(commands.len() >= 9, "{commands:?}");
    let _lock = lock_target();
    let context = type_all(&commands);
    a_pinned_component_runs_and_no_other(&context);
    a_page_on_which_the_vertical_panics_is_saved_alone(&context);
}

#[test]
fn the_guide_leads_to_a_validator() {
    let commands = commands(GUIDE, "validator-commands");
    // The last one reads a page of the web.
    let [new, test, _] = commands[..] else {
        panic!("{commands:?}");
    };
    let _lock = lock_target();
    let context = TestContext::new();
    typed(&context, new).ends(0);
    typed(&context, test).ends(0).says(["fixtures, 0 failed"]);
    assert!(context.path("reviews/dist/reviews.wasm").exists());
}

/// Objects found in a crash are not expected.
fn a_page_on_which_the_vertical_panics_is_saved_alone(context: &TestContext) {
    const SOURCE: &str = "job-offers/src/lib.rs";
    let code = context.read(SOURCE);
    let body = "fn extract(page: &Page) -> Result<Vec<Found<JobOffer>>, Error> {";
    assert!(code.contains(body), "{code}");
    let panics = format!("{body} if page.url().len() > 3 {{ panic!(\"ouch\") }}");
    context.write(SOURCE, code.replace(body, &panics));
    let line = "plugin record pages/page.html --url https://example.org/j --dir job-offers --name ouch";
    let recorded = typed(context, line).ends(1);
    recorded.says(["ouch", "the page alone was saved"]);
    let fixture = context.path("job-offers/fixtures/ouch");
    assert!(fixture.join("page.html").exists() && !fixture.join("expected.json").exists());
}

/// With the component that was just built.
fn a_pinned_component_runs_and_no_other(context: &TestContext) {
    let pinned = commands(GUIDE, "");
    let [check, run] = pinned[..] else {
        panic!("the guide pins twice: {pinned:?}");
    };
    let built = context.path("job-offers/dist/job-offers.wasm");
    std::fs::copy(built, context.path("job-offers.wasm")).expect("the component is copied");
    context.write("pages/page.html", context.read("page.html"));
    let inspected = typed(context, "magpie plugin inspect job-offers.wasm --json").last();
    let digest = inspected["file"]["digest"].as_str().expect("it has a digest");
    for line in [check, run.split(" > ").next().unwrap_or(run)] {
        typed(context, &line.replace("sha256:5c6c…", digest)).ends(0);
        let wrong = line.replace("sha256:5c6c…", &format!("sha256:{}", "0".repeat(64)));
        let code = if line == check { 1 } else { 3 };
        typed(context, &wrong)
            .ends(code)
            .says(["is not the component that was asked for"]);
    }
}

#[test]
fn the_guide_leads_through_javascript() {
    let commands = commands(GUIDE, "js-commands");
    assert_eq!(commands.len(), 2, "{commands:?}");
    if magpie_test_support::has_program("npm") {
        let context = type_all(&commands);
        assert!(context.path("job-offers-js/dist/job-offers.wasm").exists());
    }
}

#[test]
fn the_guide_leads_through_python() {
    let commands = commands(GUIDE, "python-commands");
    assert_eq!(commands.len(), 2, "{commands:?}");
    if magpie_test_support::has_program("python3") {
        let context = type_all(&commands);
        assert!(context.path("job-offers-py/dist/job-offers.wasm").exists());
    }
}
