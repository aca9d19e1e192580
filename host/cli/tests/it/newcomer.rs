//! Runs the commands of the tutorial and of the guide for authors, with the real binary, in an
//! empty folder.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

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

fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_magpie"));
    command
        .current_dir(folder)
        .env("MAGPIE_CACHE_DIR", folder.join("cache"))
        .env("CARGO_TARGET_DIR", shared_target());
    command
}

fn magpie(folder: &Path, line: &str) -> String {
    let words = line.split_whitespace().skip(1);
    let output = command(folder).args(words).output().expect("the binary runs");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success(),
        "{line}\n--- stdout\n{out}\n--- stderr\n{err}"
    );
    out.into_owned()
}

/// Types commands in an empty folder that has a page with one job offer, and looks at what they
/// say.
fn type_all(commands: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let page = "<!doctype html><title>Jobs</title><article><h2><a href=/1>Bird keeper</a></h2>\
        <time datetime=2026-11-02>2 November</time></article>";
    std::fs::write(folder.path().join("page.html"), page).expect("the page is written");
    for line in commands {
        let out = magpie(folder.path(), line);
        match line.split_whitespace().nth(2) {
            Some("test") if line.contains("--only") => assert!(out.contains("1 fixture, 0 failed"), "{out}"),
            Some("test") => assert!(out.contains("3 fixtures, 0 failed"), "{out}"),
            Some("run") => assert!(out.contains("Bird keeper") && out.contains("2026-11-02"), "{out}"),
            Some("inspect") => assert!(out.contains("One JobOffer has"), "{out}"),
            Some("check") => assert!(out.contains("it finds objects"), "{out}"),
            Some("build") => assert!(out.contains("blake3:"), "{out}"),
            _ => {}
        }
    }
    folder
}

#[test]
fn the_tutorial_leads_from_nothing_to_a_tested_vertical() {
    let commands = commands(TUTORIAL, "");
    assert!(commands.len() >= 8, "{commands:?}");
    let _lock = lock_target();
    let folder = type_all(&commands);
    assert!(folder.path().join("job-offers/dist/job-offers.wasm").exists());
}

#[test]
fn the_guide_leads_through_rust() {
    let commands = commands(GUIDE, "rust-commands");
    assert!(commands.len() >= 9, "{commands:?}");
    let _lock = lock_target();
    let folder = type_all(&commands);
    a_pinned_component_runs_and_no_other(folder.path());
    a_page_on_which_the_vertical_panics_is_saved_alone(folder.path());
}

#[test]
fn the_guide_leads_to_a_validator() {
    let commands = commands(GUIDE, "validator-commands");
    // The last one reads a page of the web.
    let [new, test, _] = commands[..] else {
        panic!("{commands:?}");
    };
    let _lock = lock_target();
    let folder = tempfile::tempdir().expect("a folder for the test");
    magpie(folder.path(), new);
    let out = magpie(folder.path(), test);
    assert!(out.contains("fixtures, 0 failed"), "{out}");
    assert!(folder.path().join("reviews/dist/reviews.wasm").exists());
}

/// Objects found in a crash are not expected.
fn a_page_on_which_the_vertical_panics_is_saved_alone(folder: &Path) {
    let source = folder.join("job-offers/src/lib.rs");
    let code = std::fs::read_to_string(&source).expect("it is there");
    let body = "fn extract(page: &Page) -> Result<Vec<Found<JobOffer>>, Error> {";
    assert!(code.contains(body), "{code}");
    let broken = code.replace(
        body,
        &format!("{body} if page.url().len() > 3 {{ panic!(\"ouch\") }}"),
    );
    std::fs::write(&source, broken).expect("it is written");
    let line = "plugin record pages/page.html --url https://example.org/j --dir job-offers --name ouch";
    let output = command(folder)
        .args(line.split(' '))
        .output()
        .expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("ouch") && said.contains("the page alone was saved"),
        "{said}"
    );
    let fixture = folder.join("job-offers/fixtures/ouch");
    assert!(fixture.join("page.html").exists() && !fixture.join("expected.json").exists());
}

/// With the component that was just built.
fn a_pinned_component_runs_and_no_other(folder: &Path) {
    let pinned = commands(GUIDE, "");
    let [check, run] = pinned[..] else {
        panic!("the guide pins twice: {pinned:?}");
    };
    let built = folder.join("job-offers/dist/job-offers.wasm");
    std::fs::copy(&built, folder.join("job-offers.wasm")).expect("the component is copied");
    std::fs::create_dir(folder.join("pages")).expect("a folder for pages");
    std::fs::rename(folder.join("page.html"), folder.join("pages/page.html")).expect("it is moved");
    let inspected = magpie(folder, "magpie plugin inspect job-offers.wasm --json");
    let inspected: serde_json::Value = serde_json::from_str(&inspected).expect("it is JSON");
    let digest = inspected["file"]["digest"].as_str().expect("it has a digest");
    for line in [check, run.split(" > ").next().unwrap_or(run)] {
        magpie(folder, &line.replace("blake3:5c6c…", digest));
        let wrong = line.replace("blake3:5c6c…", &format!("blake3:{}", "0".repeat(64)));
        let other = Command::new(env!("CARGO_BIN_EXE_magpie"))
            .args(wrong.split_whitespace().skip(1))
            .current_dir(folder)
            .output()
            .expect("the binary runs");
        assert!(!other.status.success(), "{line}");
        let said = String::from_utf8_lossy(&other.stdout) + String::from_utf8_lossy(&other.stderr);
        assert!(said.contains("is not the component that was asked for"), "{said}");
    }
}

#[test]
fn the_guide_leads_through_javascript() {
    let commands = commands(GUIDE, "js-commands");
    assert_eq!(commands.len(), 2, "{commands:?}");
    if magpie_test_support::has_program("npm") {
        let folder = type_all(&commands);
        assert!(folder.path().join("job-offers-js/dist/job-offers.wasm").exists());
    }
}

#[test]
fn the_guide_leads_through_python() {
    let commands = commands(GUIDE, "python-commands");
    assert_eq!(commands.len(), 2, "{commands:?}");
    if magpie_test_support::has_program("python3") {
        let folder = type_all(&commands);
        assert!(folder.path().join("job-offers-py/dist/job-offers.wasm").exists());
    }
}
