//! Completions, asked for as the shells' scripts do.

use std::path::Path;
use std::process::Command;

use magpie_rows::{LearnedStore as _, StageRow};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_values::Timestamp;

use super::{magpie, out};

/// Makes the workspace `ws` with a vertical, and a site that learning has found.
fn workspace(folder: &Path) {
    assert!(magpie(folder, &["init", "ws"]).status.success());
    std::fs::write(folder.join("ws/verticals/events.wasm"), "").expect("written");
    let workspace =
        Workspace::open(&folder.join("ws"), &WorkspaceOptions::default()).expect("the workspace opens");
    let stage = StageRow {
        vertical: "books".to_owned(),
        name: "expand".to_owned(),
        ended_at: Timestamp::parse("2026-04-01T09:00:00Z").expect("a time"),
        sentence: String::new(),
        kept: r#"{"sites": ["https://www.shop.example/"]}"#.to_owned(),
    };
    workspace.put_stage(stage, &[]).expect("it is kept");
    workspace.close().expect("it closes");
}

/// Returns the candidates for the last word of a line. Fish asks in the simplest way.
fn candidates(folder: &Path, line: &[&str]) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_magpie"))
        .args(["--", "magpie"])
        .args(line)
        .current_dir(folder)
        .env("COMPLETE", "fish")
        .env_remove("MAGPIE_WORKSPACE")
        .output()
        .expect("the binary runs");
    assert!(output.status.success());
    let text = out(&output);
    let words = text
        .lines()
        .map(|line| line.split('\t').next().unwrap_or_default());
    words.map(str::to_owned).collect()
}

#[test]
fn settings_are_completed_without_a_workspace() {
    let folder = tempfile::tempdir().expect("a folder");
    let found = candidates(folder.path(), &["crawl", "--set", "politeness.d"]);
    assert_eq!(found, ["politeness.delay="]);
    let found = candidates(folder.path(), &["config", "polite"]);
    assert!(found.contains(&"politeness".to_owned()), "{found:?}");
    assert!(found.contains(&"politeness.delay".to_owned()), "{found:?}");
    // Without a workspace only options are left.
    let found = candidates(folder.path(), &["sites", ""]);
    assert!(found.iter().all(|word| word.starts_with("--")), "{found:?}");
}

#[test]
fn sites_and_verticals_are_those_of_the_workspace() {
    let folder = tempfile::tempdir().expect("a folder");
    workspace(folder.path());
    let here = folder.path().join("ws");
    assert_eq!(candidates(&here, &["patterns", "sh"]), ["shop.example"]);
    assert_eq!(
        candidates(&here, &["recrawl", "--vertical", ""]),
        ["books", "events"]
    );
    let named = ["objects", "--workspace", "ws", "--site", ""];
    assert_eq!(candidates(folder.path(), &named), ["shop.example"]);
}

#[test]
fn bash_completes_with_the_registered_function() {
    let folder = tempfile::tempdir().expect("a folder");
    workspace(folder.path());
    let script = r#"
        source <(COMPLETE=bash "$MAGPIE")
        spec=($(complete -p magpie))
        COMP_WORDS=(magpie sites "") COMP_CWORD=2 COMP_TYPE=9
        for ((i = 0; i < ${#spec[@]}; i++)); do
            [[ ${spec[i]} == -F ]] && "${spec[i + 1]}" magpie "" sites
        done
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let output = Command::new("bash")
        .args(["--norc", "-c", script])
        .current_dir(folder.path().join("ws"))
        .env("MAGPIE", env!("CARGO_BIN_EXE_magpie"))
        .output();
    let Ok(output) = output else {
        magpie_test_support::skip("bash is not installed");
        return;
    };
    assert!(
        out(&output).lines().any(|line| line == "shop.example"),
        "{output:?}"
    );
}
