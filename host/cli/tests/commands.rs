//! The binary as a person or a script meets it: words, exit codes, JSON.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A component that `cargo xtask test` built from `tests/guests`.
fn guest(name: &str) -> PathBuf {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/guests-built");
    let folder = std::env::var_os("MAGPIE_TEST_GUESTS").map_or(default, PathBuf::from);
    let path = folder.join(format!("{name}.wasm"));
    assert!(
        path.exists(),
        "{} is not there: run `cargo xtask guests` first",
        path.display()
    );
    path
}

fn magpie(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_magpie"))
        .args(arguments)
        .current_dir(folder)
        .env("MAGPIE_CACHE_DIR", folder.join("cache"))
        .output()
        .expect("the binary runs")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn folder_with_pages() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let page = |name: &str, title: &str| {
        fs::write(
            folder.path().join(name),
            format!("<!doctype html><title>{title}</title><p>x"),
        )
        .expect("the page is written");
    };
    page("a.html", "ordinary");
    page("b.html", "trouble");
    page("c.html", "ordinary");
    folder
}

#[test]
fn exit_codes_are_as_documented() {
    let folder = folder_with_pages();
    let ordinary = guest("ordinary").display().to_string();
    let traps = guest("traps").display().to_string();
    let check = |arguments: &[&str], expected: i32| {
        let output = magpie(folder.path(), arguments);
        assert_eq!(
            output.status.code(),
            Some(expected),
            "{arguments:?}\n{}{}",
            out(&output),
            err(&output)
        );
    };
    check(&["plugin", "run", &ordinary, "a.html"], 0);
    check(&["plugin", "run", &traps, "a.html", "b.html"], 1);
    check(&["plugin", "run", &ordinary, "missing.html"], 1);
    check(&["plugin", "run", &ordinary], 2);
    check(&["plugin", "run", &ordinary, "a.html", "--cpu-ms", "0"], 2);
    check(&["plugin", "run", &ordinary, "a.html", "--option", "x"], 2);
    check(&["plugin", "run", &ordinary, "a.html", "--option", "x=1"], 3);
    check(&["plugin", "run", "a.html", "a.html"], 3);
    check(&["plugin", "check", "a.html"], 1);
    check(&["plugin", "check", &ordinary], 0);
    check(&["plugin", "build", "."], 3);
    check(&["plugin", "new", "Jobs"], 2);
    check(&["plugin", "diff", &ordinary, &ordinary, "a.html"], 0);
    check(&["plugin", "diff", &ordinary, &traps, "b.html"], 1);
    check(&["plugin", "test", "--component", &ordinary], 4);
    check(&["--help"], 0);
}

#[test]
fn one_json_line_a_page_in_the_order_of_the_inputs_and_failures_cost_only_their_page() {
    let folder = folder_with_pages();
    fs::write(
        folder.path().join("list.jsonl"),
        "{\"url\": \"https://example.org/listed\", \"file\": \"a.html\"}\nnonsense\n",
    )
    .expect("the list is written");
    let traps = guest("traps").display().to_string();
    let output = magpie(
        folder.path(),
        &[
            "plugin",
            "run",
            &traps,
            "a.html",
            "b.html",
            "c.html",
            "none.html",
            "list.jsonl",
            "--json",
        ],
    );
    let text = out(&output);
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    let found: Vec<usize> = lines
        .iter()
        .map(|line| line["objects"].as_array().expect("a list").len())
        .collect();
    assert_eq!(found, [1, 0, 1, 0, 1, 0], "{text}");
    assert_eq!(lines[4]["url"], "https://example.org/listed");
    assert_eq!(lines[1]["error"]["code"], "trap");
    assert_eq!(lines[3]["error"]["code"], "input");
    for line in &lines {
        for key in [
            "url",
            "objects",
            "error",
            "cpu_ms",
            "peak_bytes",
            "left_out",
            "violations",
            "page_problems",
            "log",
            "dropped_log_lines",
        ] {
            assert!(line.get(key).is_some(), "{key} in {line}");
        }
    }
    assert_eq!(lines[0]["objects"][0]["attributes"]["title"], "ordinary");
}

#[test]
fn a_failure_says_what_happened_and_what_to_do() {
    let folder = folder_with_pages();
    let endless = guest("endless-loop").display().to_string();
    let output = magpie(
        folder.path(),
        &[
            "plugin",
            "run",
            &endless,
            "b.html",
            "--cpu-ms",
            "50",
            "--url",
            "https://example.org/b",
        ],
    );
    let text = out(&output);
    assert!(
        text.contains(
            "failed: plugin endless-loop 1.2.3 used more than its 50 ms of CPU on https://example.org/b"
        ),
        "{text}"
    );
    assert!(text.contains("look for a loop that does not end"), "{text}");
    assert!(text.contains("no object on 1 page · 1 failed"), "{text}");

    let future = guest("future-contract").display().to_string();
    let output = magpie(folder.path(), &["plugin", "run", &future, "b.html"]);
    let text = err(&output);
    assert!(
        text.contains("error: ")
            && text.contains("magpie:vertical@0.2.0")
            && text.contains("hint: rebuild it"),
        "{text}"
    );
}

#[test]
fn output_that_nobody_reads_is_no_error() {
    let folder = folder_with_pages();
    let line = format!(
        "{} plugin inspect {} --json | true",
        env!("CARGO_BIN_EXE_magpie"),
        guest("ordinary").display()
    );
    let output = Command::new("sh")
        .args(["-c", &line])
        .current_dir(folder.path())
        .output()
        .expect("sh runs");
    assert_eq!(err(&output), "");
}

#[cfg(target_os = "linux")]
#[test]
fn little_address_space_is_enough() {
    let folder = folder_with_pages();
    // Kilobytes: far less than one slot of the pool wants, and less than one memory usually reserves.
    for limit in [12_000_000_u64, 2_500_000] {
        let line = format!(
            "ulimit -v {limit} && exec {} plugin run {} a.html --no-cache --threads 1",
            env!("CARGO_BIN_EXE_magpie"),
            guest("ordinary").display()
        );
        let output = Command::new("sh")
            .args(["-c", &line])
            .current_dir(folder.path())
            .output()
            .expect("sh runs");
        assert!(
            out(&output).contains("1 object on 1 page"),
            "{limit}: {}{}",
            out(&output),
            err(&output)
        );
    }
}

#[test]
fn options_are_found_by_their_help() {
    let folder = folder_with_pages();
    for command in [
        "new", "build", "check", "inspect", "record", "run", "test", "bench", "diff",
    ] {
        let output = magpie(folder.path(), &["plugin", command, "--help"]);
        let text = out(&output);
        let first = text.lines().next().unwrap_or_default();
        assert!(!first.is_empty() && !first.ends_with('.'), "{command}: {first:?}");
    }
}
