//! The binary as a person or a script meets it: words, exit codes, JSON.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

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
    assert_eq!(lines[3]["error"]["hint"], "check the path or URL");
    assert_eq!(
        lines[5]["error"]["message"],
        "list.jsonl line 2: not valid JSON at column 2"
    );
    for line in &lines {
        for key in [
            "url",
            "objects",
            "error",
            "cpu_ms",
            "peak_bytes",
            "left_out",
            "violations",
            "violation_details",
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
            "https://example.org/b\n  failed: plugin endless-loop 1.2.3 used more than its 50 ms of CPU\n"
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
fn pages_are_shown_as_they_are_done() {
    let folder = folder_with_pages();
    let mut magpie = Command::new(env!("CARGO_BIN_EXE_magpie"))
        .args(["plugin", "run"])
        .arg(guest("ordinary"))
        .arg("-")
        .current_dir(folder.path())
        .env("MAGPIE_CACHE_DIR", folder.path().join("cache"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut list = magpie.stdin.take().expect("it has an input");
    writeln!(
        list,
        "{{\"url\": \"https://example.org/1\", \"file\": \"a.html\"}}"
    )
    .expect("it is read");
    let mut lines = BufReader::new(magpie.stdout.take().expect("it has an output")).lines();
    // The list is still open here, so this would wait for ever if pages were shown at the end.
    let first = lines.next().expect("there is a line").expect("it is text");
    assert!(first.starts_with("https://example.org/1  1 object"), "{first}");
    drop(list);
    let last = lines.last().expect("there are more").expect("it is text");
    assert_eq!(last, "1 object on 1 page");
    assert!(magpie.wait().expect("it ends").success());
}

#[test]
fn inputs_without_a_page_are_told() {
    let folder = folder_with_pages();
    fs::create_dir(folder.path().join("nothing")).expect("a folder is made");
    fs::write(folder.path().join("nothing.jsonl"), "\n").expect("a list is written");
    let ordinary = guest("ordinary").display().to_string();
    let arguments = [
        "plugin",
        "run",
        &ordinary,
        "a.html",
        "nothing",
        "nothing.jsonl",
        "-",
    ];
    for arguments in [&arguments[..], &[&arguments[..], &["--json"]].concat()] {
        let output = magpie(folder.path(), arguments);
        assert_eq!(
            err(&output),
            "warning: there is no page in nothing\nwarning: there is no page in nothing.jsonl\n\
             warning: there is no page in standard input\n"
        );
        assert!(output.status.success());
    }
}

#[test]
fn what_can_not_be_read_takes_one_line_and_the_remedy_is_said_once() {
    let folder = folder_with_pages();
    let list = "{\"url\": \"https://example.org/1\", \"file\": \"none.html\"}\nnonsense\n";
    fs::write(folder.path().join("list.jsonl"), list).expect("the list is written");
    let ordinary = guest("ordinary").display().to_string();
    let arguments = ["plugin", "run", &ordinary, "list.jsonl", "gone.html"];
    let output = magpie(folder.path(), &arguments);
    assert_eq!(
        out(&output),
        "https://example.org/1  failed: none.html: there is no such file or folder\n\
         list.jsonl line 2  failed: not valid JSON at column 2\n\
         gone.html  failed: there is no such file or folder\n\
         no object on 3 pages · 3 failed\n"
    );
    assert_eq!(err(&output), "hint: check the path or URL\n");
    let output = magpie(folder.path(), &[&arguments[..], &["--json"]].concat());
    let first: Value = serde_json::from_str(out(&output).lines().next().unwrap_or_default()).expect("JSON");
    assert_eq!(first["url"], "https://example.org/1");
}

#[test]
fn a_page_from_a_file_is_named_without_detours() {
    let folder = folder_with_pages();
    fs::create_dir(folder.path().join("sub")).expect("a folder is made");
    let ordinary = guest("ordinary").display().to_string();
    let text = out(&magpie(
        folder.path(),
        &["plugin", "run", &ordinary, "sub/../a.html"],
    ));
    assert!(text.starts_with("file://") && !text.contains(".."), "{text}");
}

#[test]
fn imports_of_wasi_are_folded() {
    let folder = folder_with_pages();
    let prints = guest("prints").display().to_string();
    let text = out(&magpie(folder.path(), &["plugin", "inspect", &prints]));
    assert!(
        text.contains(" of WASI, closed\n") && !text.contains("wasi:"),
        "{text}"
    );
    let text = out(&magpie(folder.path(), &["plugin", "inspect", &prints, "-v"]));
    assert!(text.contains("wasi:cli/stdout"), "{text}");
    let text = out(&magpie(folder.path(), &["plugin", "inspect", &prints, "--json"]));
    let described: Value = serde_json::from_str(&text).expect("JSON");
    let digest = described["file"]["digest"].as_str().expect("it has one");
    assert!(digest.starts_with("blake3:"), "{digest}");
}

#[test]
fn advice_can_be_typed_as_it_stands() {
    let folder = folder_with_pages();
    let made = magpie(folder.path(), &["plugin", "new", "my jobs", "--name", "jobs"]);
    assert!(
        out(&made).contains("  magpie plugin test 'my jobs' "),
        "{}",
        out(&made)
    );
}

#[test]
fn what_was_dropped_names_its_object() {
    let folder = folder_with_pages();
    let guest = guest("wrong-kinds").display().to_string();
    let output = magpie(folder.path(), &["plugin", "run", &guest, "b.html"]);
    let text = out(&output);
    for line in [
        "  Thing #0: day dropped: no date or time can be read in it: \"the day after never\"\n",
        "  Thing #1: day dropped: the number is not finite: \"NaN\"\n",
        "  Thing \"2026-11-20\": object dropped: title is missing\n",
        "2 objects on 1 page · 2 values dropped · 1 object dropped: title is missing\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    let output = magpie(folder.path(), &["plugin", "run", &guest, "b.html", "--json"]);
    let line: Value = serde_json::from_str(&out(&output)).expect("it is JSON");
    let details = line["violation_details"].as_array().expect("a list");
    let objects: Vec<&Value> = details.iter().map(|one| &one["object"]).collect();
    assert_eq!(objects, [&Value::from(0), &Value::from(1), &Value::Null]);
    assert_eq!(details[2]["outcome"], "object-dropped");
}

#[test]
fn a_panic_is_told_once_and_a_stopped_plugin_too() {
    let folder = folder_with_pages();
    let panics = guest("panics").display().to_string();
    let output = magpie(
        folder.path(),
        &["plugin", "run", &panics, "b.html", "--url=https://example.org/a"],
    );
    let text = out(&output);
    assert!(
        text.contains("  failed: plugin panics 1.2.3 panicked\n    panics/src/lib.rs:"),
        "{text}"
    );
    assert_eq!(text.matches("the seventh column is missing").count(), 1, "{text}");
    let pages = vec!["b.html"; 60];
    let arguments = [&["plugin", "run", "--threads", "1", &panics][..], &pages].concat();
    let text = out(&magpie(folder.path(), &arguments));
    assert_eq!(text.matches("was stopped after failing").count(), 1, "{text}");
    assert!(
        text.ends_with(
            "no object on 60 pages · 20 failed · 40 pages left out after the plugin was stopped\n"
        ),
        "{text}"
    );
}

#[test]
fn limits_are_refused_and_exceeded_in_words_of_the_command_line() {
    let folder = folder_with_pages();
    let ordinary = guest("ordinary").display().to_string();
    let said = |option: &str, value: &str| {
        err(&magpie(
            folder.path(),
            &["plugin", "run", &ordinary, "a.html", option, value],
        ))
    };
    for (option, value, sentence) in [
        ("--cpu-ms", "0", "it must be 1 to 600000"),
        ("--cpu-ms", "many", "it takes a whole number"),
        ("--memory-mib", "1000000000", "it must be 1 to 4096"),
        ("--threads", "0", "it must be 1 to 1024"),
        ("--log-lines", "0", "it must be at least 1"),
    ] {
        let text = said(option, value);
        assert!(
            text.contains(&format!("'{option} ")) && text.contains(sentence),
            "{text}"
        );
    }
    let text = said("--memory-mib", "1");
    assert!(text.contains("of memory to start; it may have 1 MiB"), "{text}");
    assert!(text.contains("hint: `--memory-mib` raises the limit"), "{text}");
}

#[test]
fn a_fixture_is_named_by_one_folder_and_has_a_url() {
    let folder = folder_with_pages();
    let made = magpie(folder.path(), &["plugin", "new", "jobs"]);
    assert!(made.status.success(), "{}", err(&made));
    let record = |more: &[&str]| {
        let arguments = [&["plugin", "record", "a.html", "--dir", "jobs"][..], more].concat();
        magpie(folder.path(), &arguments)
    };
    for name in ["../../evil", "/tmp/evil", "", ".", "a/b"] {
        let output = record(&["--url=https://example.org/a", "--name", name, "--page-only"]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(
            err(&output).contains("can't be a fixture's name"),
            "{}",
            err(&output)
        );
    }
    let output = record(&["--name=a", "--page-only"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("hint: add `--url https://…`"),
        "{}",
        err(&output)
    );
    let output = record(&["--url=https://example.org/a", "--name=a", "--page-only"]);
    assert!(output.status.success(), "{}", err(&output));
    // Before anything is built.
    let again = record(&["--url=https://example.org/a", "--name=a"]);
    assert_eq!(again.status.code(), Some(2));
    let said = err(&again);
    assert!(said.contains("jobs/fixtures/a is there already"), "{said}");
    assert!(said.contains("`magpie plugin test jobs --accept a`"), "{said}");
    assert!(folder.path().join("jobs/fixtures/a/page.json").exists());
    assert!(!folder.path().join("jobs/fixtures/a/expected.json").exists());
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
        text.contains("a.html is a file; give the project's folder"),
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
    assert!(
        text.contains("      #0, an object that nobody expected\n"),
        "{text}"
    );
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

    // What is found in a crash is nothing to expect.
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
        text.contains("\"good\" expects 1 object; #1, counted from 0, is none of them"),
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
fn a_difference_says_what_came_and_what_went() {
    let folder = folder_with_pages();
    let (ordinary, traps) = (
        guest("ordinary").display().to_string(),
        guest("traps").display().to_string(),
    );
    let output = magpie(folder.path(), &["plugin", "diff", &ordinary, &traps, "b.html"]);
    let (text, warning) = (out(&output), err(&output));
    assert!(text.contains("  now fails: plugin traps 1.2.3 trapped"), "{text}");
    assert!(
        text.contains("differing pages: 1 of 1 · objects: 0 added, 1 removed"),
        "{text}"
    );
    assert!(
        warning.contains("ordinary and traps are different verticals"),
        "{warning}"
    );
}

#[test]
fn values_are_cut_to_the_width_unless_more_is_asked_for() {
    let folder = folder_with_pages();
    let title = "word ".repeat(60);
    fs::write(folder.path().join("a.html"), format!("<title>{title}</title>")).expect("it is written");
    let shown = |width: &str, more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_magpie"))
            .args(["plugin", "run"])
            .arg(guest("ordinary"))
            .arg("a.html")
            .args(more)
            .current_dir(folder.path())
            .env("COLUMNS", width)
            .env("MAGPIE_CACHE_DIR", folder.path().join("cache"))
            .output()
            .expect("the binary runs");
        let text = out(&output);
        let line = text
            .lines()
            .find(|line| line.contains("title"))
            .map(str::to_owned);
        line.expect("there is a title")
    };
    for width in [40, 80, 200] {
        let line = shown(&width.to_string(), &[]);
        let length = line.chars().count();
        assert!(
            line.ends_with('…') && length <= width && length + 6 > width,
            "{line}"
        );
    }
    assert!(shown("40", &["-v"]).contains(title.trim()));
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
