//! The binary as people and scripts use it: output, exit codes, JSON. Each command has a file.

mod complete;
mod diff;
mod inspect;
mod new;
mod record;
mod run;
mod test;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use magpie_tests::guest;

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
    check(&["plugin", "run", &ordinary, "missing.html"], 4);
    check(&["plugin", "run", &ordinary, "a.html", "missing.html"], 1);
    check(&["plugin", "run", &ordinary], 2);
    check(&["plugin", "run", &ordinary, "a.html", "--cpu-ms", "0"], 2);
    check(&["plugin", "run", &ordinary, "a.html", "--threads", "0"], 2);
    check(&["plugin", "bench", &ordinary, "a.html", "--rounds", "0"], 2);
    let url = "--url=https://example.org/x";
    check(&["plugin", "run", &ordinary, "a.html", url], 0);
    check(&["plugin", "run", &ordinary, "a.html", "b.html", url], 2);
    check(&["plugin", "run", &ordinary, ".", url], 2);
    check(
        &["plugin", "run", &ordinary, "a.html", "--url=ftp://example.org/x"],
        2,
    );
    check(&["plugin", "run", &ordinary, "a.html", "--url=example.org/x"], 2);
    check(&["plugin", "run", &ordinary, "a.html", "--option", "x"], 2);
    check(&["plugin", "run", &ordinary, "a.html", "--option", "x=1"], 3);
    check(&["plugin", "run", "a.html", "a.html"], 3);
    check(&["plugin", "check", "a.html"], 1);
    check(&["plugin", "check", &ordinary], 0);
    let other = format!("--digest=blake3:{}", "0".repeat(64));
    check(&["plugin", "check", &ordinary, &other], 1);
    check(&["plugin", "run", &ordinary, "a.html", &other], 3);
    check(&["plugin", "run", &ordinary, "a.html", "--digest=blake3:8aa1"], 2);
    check(&["plugin", "check", &ordinary, "--digest=sha256:abc"], 2);
    check(&["plugin", "build", "."], 3);
    check(&["plugin", "new", "Jobs"], 2);
    check(&["plugin", "diff", &ordinary, &ordinary, "a.html"], 0);
    check(&["plugin", "diff", &ordinary, &traps, "b.html"], 1);
    check(&["plugin", "test", "--component", &ordinary], 4);
    check(&["--help"], 0);
}

#[test]
fn output_that_nobody_reads_is_no_error() {
    let folder = folder_with_pages();
    // More than a pipe takes, and less.
    let long = "{\"url\": \"https://example.org/\", \"file\": \"a.html\"}\n".repeat(2_000);
    fs::write(folder.path().join("long.jsonl"), long).expect("the list is written");
    let ordinary = guest("ordinary").display().to_string();
    for arguments in [
        format!("inspect {ordinary} --json"),
        format!("run {ordinary} long.jsonl --json"),
        format!("run {ordinary} long.jsonl"),
        format!("run {ordinary} a.html --json"),
    ] {
        let magpie = env!("CARGO_BIN_EXE_magpie");
        let line = format!("{{ {magpie} plugin {arguments}; echo $? >code; }} | head -n 1");
        let output = Command::new("sh")
            .args(["-c", &line])
            .current_dir(folder.path())
            .env("MAGPIE_CACHE_DIR", folder.path().join("cache"))
            .output()
            .expect("sh runs");
        assert_eq!(err(&output), "", "{arguments}");
        let code = fs::read_to_string(folder.path().join("code")).expect("there is a code");
        assert_eq!(code.trim(), "0", "{arguments}");
    }
}

#[test]
fn options_are_found_by_their_help() {
    let folder = folder_with_pages();
    for command in [
        "new", "build", "check", "inspect", "record", "run", "test", "bench", "diff", "add", "update",
        "remove", "list",
    ] {
        let output = magpie(folder.path(), &["plugin", command, "--help"]);
        let text = out(&output);
        let first = text.lines().next().unwrap_or_default();
        assert!(!first.is_empty() && !first.ends_with('.'), "{command}: {first:?}");
    }
}
