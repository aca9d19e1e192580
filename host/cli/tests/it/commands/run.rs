//! `magpie plugin run`: one line for each page, and the error messages.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use magpie_test_support::server::{Reply, Site};
use magpie_tests::guest;
use serde_json::Value;

use super::{err, folder_with_pages, magpie, out};

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
    assert!(text.contains("look for an endless loop"), "{text}");
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
fn what_was_dropped_names_its_object() {
    let folder = folder_with_pages();
    let guest = guest("wrong-kinds").display().to_string();
    let output = magpie(folder.path(), &["plugin", "run", &guest, "b.html"]);
    let text = out(&output);
    for line in [
        "  Thing #0: day dropped: it contains no date or time: \"the day after never\"\n",
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
        ("--cpu-ms", "0", "expected 1 to 600000"),
        ("--cpu-ms", "many", "expected a whole number"),
        ("--memory-mib", "1000000000", "expected 1 to 4096"),
        ("--threads", "0", "expected 1 to 1024"),
        ("--log-lines", "0", "expected at least 1"),
    ] {
        let text = said(option, value);
        assert!(
            text.contains(&format!("'{option} ")) && text.contains(sentence),
            "{text}"
        );
    }
    let text = said("--memory-mib", "1");
    assert!(
        text.contains("of memory to start, more than its limit of 1 MiB"),
        "{text}"
    );
    assert!(text.contains("hint: `--memory-mib` raises the limit"), "{text}");
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
    // Far less than a slot of the pool needs, and less than a memory usually reserves.
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
fn a_url_is_fetched_through_the_proxy_of_the_settings() {
    let proxy = Site::always(Reply::html("<title>ordinary</title>"));
    let folder = tempfile::tempdir().expect("a folder");
    let ordinary = guest("ordinary").display().to_string();
    let setting = format!("network.proxy={}", proxy.url(""));
    let output = magpie(
        folder.path(),
        &[
            "plugin",
            "run",
            &ordinary,
            "http://shop.invalid/page",
            "--set",
            &setting,
        ],
    );
    assert!(output.status.success(), "{}", err(&output));
    assert!(out(&output).contains("1 object"), "{}", out(&output));
    assert_eq!(proxy.requests(), ["http://shop.invalid/page"]);
}
