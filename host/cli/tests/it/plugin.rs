//! The commands for authors as people and scripts use them: output, exit codes, JSON.

mod run;
mod test;

use std::process::Command;

use magpie_tests::guest;

use crate::authors::prepared;
use crate::context::{Ran, TestContext};

/// A folder with three pages and components.
fn with_pages(guests: &[&str]) -> TestContext {
    let context = prepared(guests);
    context.write("b.html", "<!doctype html><title>trouble</title><p>x");
    context.write("c.html", "<!doctype html><title>ordinary</title><p>x");
    context
}

#[test]
fn exit_codes_are_as_documented() {
    let context = with_pages(&["ordinary", "traps"]);
    let other = format!("--digest=sha256:{}", "0".repeat(64));
    for (code, line) in [
        (0, "run ordinary.wasm a.html"),
        (1, "run traps.wasm a.html b.html"),
        (4, "run ordinary.wasm missing.html"),
        (1, "run ordinary.wasm a.html missing.html"),
        (2, "run ordinary.wasm"),
        (2, "bench ordinary.wasm a.html --rounds 0"),
        (0, "run ordinary.wasm a.html --url=https://example.org/x"),
        (2, "run ordinary.wasm a.html b.html --url=https://example.org/x"),
        (2, "run ordinary.wasm . --url=https://example.org/x"),
        (2, "run ordinary.wasm a.html --url=ftp://example.org/x"),
        (2, "run ordinary.wasm a.html --url=example.org/x"),
        (2, "run ordinary.wasm a.html --option x"),
        (3, "run ordinary.wasm a.html --option x=1"),
        (3, "run a.html a.html"),
        (1, "check a.html"),
        (0, "check ordinary.wasm"),
        (1, &format!("check ordinary.wasm {other}")),
        (3, &format!("run ordinary.wasm a.html {other}")),
        (2, "run ordinary.wasm a.html --digest=sha256:8aa1"),
        (2, "check ordinary.wasm --digest=sha256:abc"),
        (3, "build ."),
        (2, "new Jobs"),
        (0, "diff ordinary.wasm ordinary.wasm a.html"),
        (4, "test --component ordinary.wasm"),
    ] {
        context.fails(code, &format!("plugin {line}"));
    }
}

#[test]
fn output_that_nobody_reads_is_no_error() {
    let context = with_pages(&["ordinary"]);
    // More than a pipe takes, and less.
    let long = "{\"url\": \"https://example.org/\", \"file\": \"a.html\"}\n".repeat(2_000);
    context.write("long.jsonl", long);
    for arguments in [
        "inspect ordinary.wasm --json",
        "run ordinary.wasm long.jsonl --json",
        "run ordinary.wasm long.jsonl",
        "run ordinary.wasm a.html --json",
    ] {
        let magpie = env!("CARGO_BIN_EXE_magpie");
        let line = format!("{{ {magpie} plugin {arguments}; echo $? >code; }} | head -n 1");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &line])
            .current_dir(context.path(""))
            .env("MAGPIE_CACHE_DIR", magpie_tests::compiled());
        assert_eq!(Ran::of(&line, &mut shell).err, "", "{arguments}");
        assert_eq!(context.read("code").trim(), "0", "{arguments}");
    }
}

#[test]
fn a_difference_says_what_came_and_what_went() {
    let context = with_pages(&["ordinary", "traps"]);
    context
        .fails(1, "plugin diff ordinary.wasm traps.wasm b.html")
        .says([
            "  now fails: plugin traps 1.2.3 trapped",
            "differing pages: 1 of 1 · objects: 0 added, 1 removed",
            "ordinary and traps are different verticals",
        ]);
}

#[test]
fn a_measurement_goes_on_past_pages_that_fail() {
    let context = with_pages(&["traps"]);
    let bench = "plugin bench traps.wasm b.html missing.html a.html --rounds 2";
    context.fails(1, bench).says([
        "1 page, 2 failed: extract takes ",
        " at the 95th percentile\n",
        "b.html  failed: plugin traps 1.2.3 trapped",
        "missing.html  failed: ",
    ]);
    let lines = context.fails(1, &format!("{bench} --json")).json();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!(lines[0]["error"]["code"], "trap");
    assert_eq!(lines[2]["objects"], 1);
    assert_eq!((&lines[3]["pages"], &lines[3]["failed"]), (&1.into(), &2.into()));
    for command in ["bench traps.wasm", "diff traps.wasm traps.wasm"] {
        context
            .fails(2, &format!("plugin {command}"))
            .says(["there are no pages to work on"]);
    }
}

#[test]
fn imports_of_wasi_are_folded() {
    let context = with_pages(&["prints"]);
    let folded = context.ok("plugin inspect prints.wasm");
    folded.says([" of WASI, closed\n"]).lacks(["wasi:"]);
    context
        .ok("plugin inspect prints.wasm -v")
        .says(["wasi:cli/stdout"]);
}

#[test]
fn advice_can_be_typed_as_it_stands() {
    let context = TestContext::new();
    context
        .ok("plugin new 'my jobs' --name jobs")
        .says(["  magpie plugin test 'my jobs' "]);
}

#[test]
fn a_fixture_is_named_by_one_folder_and_has_a_url() {
    let context = with_pages(&[]);
    context.ok("plugin new jobs");
    let record = |more: &str| context.run(&format!("plugin record a.html --dir jobs {more}"));
    for name in ["../../evil", "/tmp/evil", "''", ".", "a/b"] {
        record(&format!("--url=https://example.org/a --page-only --name {name}"))
            .ends(2)
            .says(["can't be a fixture's name"]);
    }
    record("--name=a --page-only")
        .ends(2)
        .says(["hint: add `--url https://…`"]);
    record("--url=https://example.org/a --name=a --page-only").ends(0);
    // Before anything is built.
    record("--url=https://example.org/a --name=a").ends(2).says([
        "jobs/fixtures/a already exists",
        "`magpie plugin test jobs --accept a`",
    ]);
    assert!(context.path("jobs/fixtures/a/page.json").exists());
    assert!(!context.path("jobs/fixtures/a/expected.json").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn little_address_space_is_enough() {
    let context = with_pages(&[]);
    // Far less than a slot of the pool needs, and less than a memory usually reserves.
    for limit in [12_000_000_u64, 2_500_000] {
        let line = format!(
            "ulimit -v {limit} && exec {} plugin run {} a.html --no-cache --threads 1",
            env!("CARGO_BIN_EXE_magpie"),
            guest("ordinary").display()
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(context.path(""));
        Ran::of(&line, &mut shell).says(["1 object on 1 page"]);
    }
}
