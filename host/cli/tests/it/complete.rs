//! Completions, asked for as the shells' scripts do.

use std::process::Command;

use magpie_rows::{LearnedStore as _, StageRow};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_values::Timestamp;

use crate::context::{Ran, TestContext};

/// Makes the workspace `ws` with a vertical, and a site that learning has found.
fn workspace() -> TestContext {
    let context = TestContext::new();
    context.workspace("ws", &[], "");
    context.write("ws/verticals/events.wasm", "");
    let workspace = Workspace::open(&context.path("ws"), &WorkspaceOptions::default());
    let workspace = workspace.expect("the workspace opens");
    let stage = StageRow {
        vertical: "books".to_owned(),
        name: "expand".to_owned(),
        ended_at: Timestamp::parse("2026-04-01T09:00:00Z").expect("a time"),
        sentence: String::new(),
        kept: r#"{"sites": ["https://www.shop.example/"]}"#.to_owned(),
    };
    workspace.put_stage(stage, &[]).expect("it is kept");
    workspace.close().expect("it closes");
    context
}

/// Returns the candidates for the last word of a line in a folder. Fish asks in the simplest way.
fn candidates(context: &TestContext, folder: &str, line: &str) -> Vec<String> {
    let mut command = context.command(&format!("-- magpie {line}"));
    command.current_dir(context.path(folder)).env("COMPLETE", "fish");
    let completed = Ran::of(line, &mut command).ends(0);
    let words = completed.out.lines();
    let words = words.map(|line| line.split('\t').next().unwrap_or_default());
    words.map(str::to_owned).collect()
}

#[test]
fn settings_are_completed_without_a_workspace() {
    let context = TestContext::new();
    let found = |line: &str| candidates(&context, "", line);
    assert_eq!(found("crawl --set politeness.d"), ["politeness.delay="]);
    let settings = found("config polite");
    for name in ["politeness", "politeness.delay"] {
        assert!(settings.contains(&name.to_owned()), "{settings:?}");
    }
    // Without a workspace only options are left.
    let options = found("sites ''");
    assert!(options.iter().all(|word| word.starts_with("--")), "{options:?}");
}

#[test]
fn sites_and_verticals_are_those_of_the_workspace() {
    let context = workspace();
    for (folder, line, expected) in [
        ("ws", "patterns sh", &["shop.example"][..]),
        ("ws", "recrawl --vertical ''", &["books", "events"]),
        ("", "objects --workspace ws --site ''", &["shop.example"]),
    ] {
        assert_eq!(candidates(&context, folder, line), expected);
    }
}

#[test]
fn bash_completes_with_the_registered_function() {
    let context = workspace();
    let script = r#"
        source <(COMPLETE=bash "$MAGPIE")
        spec=($(complete -p magpie))
        COMP_WORDS=(magpie sites "") COMP_CWORD=2 COMP_TYPE=9
        for ((i = 0; i < ${#spec[@]}; i++)); do
            [[ ${spec[i]} == -F ]] && "${spec[i + 1]}" magpie "" sites
        done
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    if !magpie_test_support::has_program("bash") {
        return;
    }
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", script])
        .current_dir(context.path("ws"))
        .env("MAGPIE", env!("CARGO_BIN_EXE_magpie"));
    let completed = Ran::of("in bash", &mut bash);
    assert!(
        completed.out.lines().any(|line| line == "shop.example"),
        "{}",
        completed.text()
    );
}
