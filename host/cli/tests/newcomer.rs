//! Types what the README tells a newcomer to type, with the real binary, in an empty folder.

use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../../../README.md");

/// The commands in the code blocks of a section.
fn commands(section: &str) -> Vec<&'static str> {
    let start = README
        .find(section)
        .unwrap_or_else(|| panic!("the README has the section {section:?}"));
    let text = &README[start + section.len()..];
    let text = &text[..text.find("\n## ").unwrap_or(text.len())];
    // A line that begins with a fence opens a block or closes one.
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            inside = !inside;
        } else if inside && line.starts_with("magpie ") {
            found.push(line);
        }
    }
    found
}

fn magpie(folder: &Path, line: &str) -> String {
    let words = line.split_whitespace().skip(1);
    let output = Command::new(env!("CARGO_BIN_EXE_magpie"))
        .args(words)
        .current_dir(folder)
        .env("MAGPIE_CACHE_DIR", folder.join("cache"))
        .output()
        .expect("the binary runs");
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

#[test]
fn the_readme_leads_from_nothing_to_a_tested_vertical() {
    let commands = commands("## Write a vertical of your own");
    assert!(commands.len() >= 8, "{commands:?}");
    let folder = tempfile::tempdir().expect("a folder for the test");
    let page = "<!doctype html><title>Jobs</title><article><h2><a href=/1>Bird keeper</a></h2>\
        <time datetime=2026-11-02>2 November</time></article>";
    std::fs::write(folder.path().join("page.html"), page).expect("the page is written");
    for line in commands {
        let out = magpie(folder.path(), line);
        match line.split_whitespace().nth(2) {
            Some("test") if line.contains("--only") => assert!(out.contains("1 fixtures, 0 failed"), "{out}"),
            Some("test") => assert!(out.contains("3 fixtures, 0 failed"), "{out}"),
            Some("run") => assert!(out.contains("Bird keeper") && out.contains("2026-11-02"), "{out}"),
            Some("inspect") => assert!(out.contains("One JobOffer has"), "{out}"),
            Some("check") => assert!(out.contains("it finds objects"), "{out}"),
            _ => {}
        }
    }
    assert!(folder.path().join("job-offers/dist/job-offers.wasm").exists());
}
