//! `magpie plugin run`: one line for each page, and the error messages.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use magpie_test_support::server::{Reply, Site};
use serde_json::Value;

use super::with_pages;
use crate::context::Ran;

#[test]
fn one_json_line_a_page_in_the_order_of_the_inputs_and_failures_cost_only_their_page() {
    let context = with_pages(&["traps"]);
    let list = "{\"url\": \"https://example.org/listed\", \"file\": \"a.html\"}\nnonsense\n";
    context.write("list.jsonl", list);
    let lines = context
        .run("plugin run traps.wasm a.html b.html c.html none.html list.jsonl --json")
        .json();
    let found: Vec<usize> = lines
        .iter()
        .map(|line| line["objects"].as_array().expect("a list").len())
        .collect();
    assert_eq!(found, [1, 0, 1, 0, 1, 0], "{lines:?}");
    assert_eq!(lines[4]["url"], "https://example.org/listed");
    assert_eq!(lines[1]["error"]["code"], "trap");
    assert_eq!(lines[3]["error"]["code"], "input");
    assert_eq!(lines[3]["error"]["hint"], "check the path or URL");
    assert_eq!(
        lines[5]["error"]["message"],
        "list.jsonl line 2: not valid JSON at column 2"
    );
    assert_eq!(lines[0]["objects"][0]["attributes"]["title"], "ordinary");
}

#[test]
fn a_failure_says_what_happened_and_what_to_do() {
    let context = with_pages(&["endless-loop", "future-contract"]);
    context
        .fails(
            1,
            "plugin run endless-loop.wasm b.html --cpu-ms 50 --url https://example.org/b",
        )
        .says([
            "https://example.org/b\n  failed: plugin endless-loop 1.2.3 used more than its 50 ms of CPU\n",
            "look for an endless loop",
            "no object on 1 page · 1 failed",
        ]);
    context.run("plugin run future-contract.wasm b.html").says([
        "error: ",
        "magpie:vertical@0.2.0",
        "hint: rebuild it",
    ]);
}

#[test]
fn pages_are_shown_as_they_are_done() {
    let context = with_pages(&["ordinary"]);
    let mut magpie = context.command("plugin run ordinary.wasm -");
    let magpie = magpie.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut magpie = magpie.spawn().expect("the binary runs");
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
    let context = with_pages(&["ordinary"]);
    std::fs::create_dir(context.path("nothing")).expect("a folder is made");
    context.write("nothing.jsonl", "\n");
    for more in ["", " --json"] {
        let ran = context.ok(&format!(
            "plugin run ordinary.wasm a.html nothing nothing.jsonl -{more}"
        ));
        assert_eq!(
            ran.err,
            "warning: there is no page in nothing\nwarning: there is no page in nothing.jsonl\n\
             warning: there is no page in standard input\n"
        );
    }
}

#[test]
fn what_can_not_be_read_takes_one_line_and_the_remedy_is_said_once() {
    let context = with_pages(&["ordinary"]);
    let list = "{\"url\": \"https://example.org/1\", \"file\": \"none.html\"}\nnonsense\n";
    context.write("list.jsonl", list);
    let run = "plugin run ordinary.wasm list.jsonl gone.html";
    let ran = context.run(run);
    assert_eq!(
        ran.out,
        "https://example.org/1  failed: none.html: there is no such file or folder\n\
         list.jsonl line 2  failed: not valid JSON at column 2\n\
         gone.html  failed: there is no such file or folder\n\
         no object on 3 pages · 3 failed\n"
    );
    assert_eq!(ran.err, "hint: check the path or URL\n");
    let lines = context.run(&format!("{run} --json")).json();
    assert_eq!(lines[0]["url"], "https://example.org/1");
}

#[test]
fn a_page_from_a_file_is_named_without_detours() {
    let context = with_pages(&["ordinary"]);
    std::fs::create_dir(context.path("sub")).expect("a folder is made");
    let text = context.run("plugin run ordinary.wasm sub/../a.html").out;
    assert!(text.starts_with("file://") && !text.contains(".."), "{text}");
}

#[test]
fn what_was_dropped_names_its_object() {
    let context = with_pages(&["wrong-kinds"]);
    context.run("plugin run wrong-kinds.wasm b.html").says([
        "  Thing #0: day dropped: it contains no date or time: \"the day after never\"\n",
        "  Thing #1: day dropped: the number is not finite: \"NaN\"\n",
        "  Thing \"2026-11-20\": object dropped: title is missing\n",
        "2 objects on 1 page · 2 values dropped · 1 object dropped: title is missing\n",
    ]);
    let line = context.run("plugin run wrong-kinds.wasm b.html --json").last();
    let details = line["violation_details"].as_array().expect("a list");
    let objects: Vec<&Value> = details.iter().map(|one| &one["object"]).collect();
    assert_eq!(objects, [&Value::from(0), &Value::from(1), &Value::Null]);
    assert_eq!(details[2]["outcome"], "object-dropped");
}

#[test]
fn a_panic_is_told_once_and_a_stopped_plugin_too() {
    let context = with_pages(&["panics"]);
    let text = context
        .run("plugin run panics.wasm b.html --url=https://example.org/a")
        .says(["  failed: plugin panics 1.2.3 panicked\n    panics/src/lib.rs:"])
        .text();
    assert_eq!(text.matches("the seventh column is missing").count(), 1, "{text}");
    let pages = "b.html ".repeat(60);
    let text = context
        .run(&format!("plugin run --threads 1 panics.wasm {pages}"))
        .out;
    assert_eq!(text.matches("was stopped after failing").count(), 1, "{text}");
    let sum = "no object on 60 pages · 20 failed · 40 pages left out after the plugin was stopped\n";
    assert!(text.ends_with(sum), "{text}");
}

#[test]
fn limits_are_refused_and_exceeded_in_words_of_the_command_line() {
    let context = with_pages(&["ordinary"]);
    let run = |option: &str| context.run(&format!("plugin run ordinary.wasm a.html {option}"));
    for (option, value, sentence) in [
        ("--cpu-ms", "0", "expected 1 to 600000"),
        ("--cpu-ms", "many", "expected a whole number"),
        ("--memory-mib", "1000000000", "expected 1 to 4096"),
        ("--threads", "0", "expected 1 to 1024"),
        ("--log-lines", "0", "expected at least 1"),
    ] {
        let refused = run(&format!("{option} {value}")).ends(2);
        refused.says([&format!("'{option} "), sentence]);
    }
    run("--memory-mib 1").says([
        "of memory to start, more than its limit of 1 MiB",
        "hint: `--memory-mib` raises the limit",
    ]);
}

#[test]
fn values_are_cut_to_the_width_unless_more_is_asked_for() {
    let context = with_pages(&["ordinary"]);
    let title = "word ".repeat(60);
    context.write("a.html", format!("<title>{title}</title>"));
    let shown = |width: usize, more: &str| {
        let line = format!("plugin run ordinary.wasm a.html {more}");
        let mut command = context.command(&line);
        let ran = Ran::of(&line, command.env("COLUMNS", width.to_string()));
        let found = ran.out.lines().find(|line| line.contains("title"));
        found.expect("there is a title").to_owned()
    };
    for width in [40, 80, 200] {
        let line = shown(width, "");
        let length = line.chars().count();
        assert!(
            line.ends_with('…') && length <= width && length + 6 > width,
            "{line}"
        );
    }
    assert!(shown(40, "-v").contains(title.trim()));
}

#[test]
fn a_url_is_fetched_through_the_proxy_of_the_settings() {
    let proxy = Site::always(Reply::html("<title>ordinary</title>"));
    let context = with_pages(&["ordinary"]);
    let page = "http://shop.invalid/page";
    let proxied = format!("--set network.proxy={}", proxy.url(""));
    let ran = context.ok(&format!("plugin run ordinary.wasm {page} {proxied}"));
    ran.says(["1 object"]);
    assert_eq!(proxy.requests(), [page]);
}
