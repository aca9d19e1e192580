//! Verticals at work in a crawl: dropped into the workspace's folder, and shown what is fetched.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use magpie_rows::UrlState;
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_test_support::server::Site;
use magpie_tests::{guest, vertical};
use serde_json::Value;

use crate::context::program;
use crate::web::{book_shop, said};

/// Pages with a book each.
const BOOKS: usize = 40;

fn magpie(folder: &Path) -> Command {
    let mut command = program(folder);
    command.env("HOME", folder.parent().expect("a folder around it"));
    command
}

fn crawl(folder: &Path, more: &[&str]) -> Output {
    let own = [
        "--allow-address",
        "127.0.0.0/8",
        "--delay",
        "0s",
        "--set",
        "politeness.autothrottle=false",
    ];
    let output = magpie(folder).arg("crawl").args(more).args(own).output();
    output.expect("it runs")
}

fn workspace(folder: &Path, name: &str) -> PathBuf {
    let made = magpie(&folder.join("none"))
        .current_dir(folder)
        .args(["init", name])
        .output();
    let made = made.expect("it runs");
    assert!(made.status.success(), "{}", said(&made));
    folder.join(name)
}

fn drop_in(workspace: &Path, component: &Path) {
    let name = component.file_name().expect("a name");
    std::fs::copy(component, workspace.join("verticals").join(name)).expect("copied");
}

fn shop() -> Site {
    book_shop(BOOKS, |number| {
        let title = ["Rivers", "Mountains", "Forests", "Deserts"][number % 4];
        format!("{title}, volume {number}")
    })
}

fn exported(workspace: &Path) -> Vec<Value> {
    let export = magpie(workspace)
        .args(["export", "records", "--out", "records.jsonl"])
        .output();
    let export = export.expect("it runs");
    assert!(export.status.success(), "{}", said(&export));
    let text = std::fs::read_to_string(workspace.join("records.jsonl")).expect("the file");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn objects_are_found_while_it_crawls_and_a_plugin_that_fails_is_stopped_alone() {
    let site = shop();
    let folder = tempfile::tempdir().expect("a folder");
    let path = workspace(folder.path(), "ws");
    drop_in(&path, &vertical("books"));
    drop_in(&path, &guest("panics"));
    std::fs::write(path.join("verticals/notes.wasm"), "no component").expect("written");

    let output = crawl(&path, &[&site.url("/")]);
    let text = said(&output);
    // A stopped vertical and a file that is not a vertical each set the exit code.
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(text.contains("notes.wasm can't be used"), "{text}");
    assert!(text.contains("done: 41 pages"), "{text}");
    assert!(
        text.contains("was stopped after failing on 20 of its last 20 pages"),
        "{text}"
    );
    assert!(
        text.contains(&format!("records       {BOOKS}")) || text.contains("records"),
        "{text}"
    );

    let objects = exported(&path);
    assert_eq!(objects.len(), BOOKS);
    let first = objects
        .iter()
        .find(|object| object["page_url"] == site.url("/book/0").as_str());
    let first = first.expect("the first book");
    assert_eq!(first["vertical"], "books");
    assert!(
        first["plugin"].as_str().expect("a digest").starts_with("blake3:"),
        "{first}"
    );
    assert_eq!(first["attributes"]["title"], "Rivers, volume 0", "{first}");

    let explained = said(
        &magpie(&path)
            .args(["explain", &site.url("/book/0")])
            .output()
            .expect("it runs"),
    );
    assert!(explained.contains("found 1 record"), "{explained}");
    assert!(
        explained.contains("failed (panic)") || explained.contains("failed (stopped)"),
        "{explained}"
    );
    let status = magpie(&path)
        .args(["status", "--json"])
        .output()
        .expect("it runs");
    let status: Value = serde_json::from_slice(&status.stdout).expect("JSON");
    let digest = status["verticals"][0]["digest"].as_str().expect("a digest");
    assert!(digest.starts_with("blake3:"), "{digest}");
    let status = said(&magpie(&path).arg("status").output().expect("it runs"));
    assert!(
        status.contains("Verticals") && status.contains("40 records"),
        "{status}"
    );
    assert!(status.contains("20 panic"), "{status}");
}

#[test]
fn an_archive_is_looked_through_by_a_vertical_that_came_later() {
    let site = shop();
    let folder = tempfile::tempdir().expect("a folder");
    let path = workspace(folder.path(), "ws");
    let output = crawl(&path, &[&site.url("/")]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(exported(&path).len(), 0);
    let asked = site.requests().len();

    let again = workspace(folder.path(), "again");
    drop_in(&again, &vertical("books"));
    let replayed = magpie(&again)
        .args(["crawl", "--replay", "../ws"])
        .output()
        .expect("it runs");
    let text = said(&replayed);
    assert!(replayed.status.success(), "{text}");
    assert!(text.contains("done: 41 pages"), "{text}");
    assert_eq!(site.requests().len(), asked, "a request was sent");
    assert_eq!(exported(&again).len(), BOOKS);

    let itself = magpie(&path)
        .args(["crawl", "--replay", "."])
        .output()
        .expect("it runs");
    assert!(
        said(&itself).contains("can't be replayed into itself"),
        "{}",
        said(&itself)
    );
    let none = magpie(&again)
        .args(["crawl", "--replay", "../ws", "--replay-run", "9"])
        .output()
        .expect("it runs");
    assert!(
        said(&none).contains("has no run 9") && said(&none).contains("its runs are 1"),
        "{}",
        said(&none)
    );
}

#[test]
fn options_reach_their_vertical_and_slips_are_told() {
    let site = shop();
    let folder = tempfile::tempdir().expect("a folder");
    let path = workspace(folder.path(), "ws");
    drop_in(&path, &vertical("books"));
    let with = |options: &str| {
        std::fs::write(path.join("magpie.toml"), options).expect("written");
        said(&crawl(&path, &[&site.url("/book/1")]))
    };
    let text = with("[vertical.boks]\nfoo = 1\n");
    assert!(
        text.contains("no vertical `boks`") && text.contains("there is only books"),
        "{text}"
    );
    assert!(text.contains("magpie.toml, line 2"), "{text}");
    let text = with("[vertical.books]\nno_such_option = 1\n");
    assert!(text.contains("there is no option `no_such_option`"), "{text}");
}

const KILLS: u64 = 8;

#[test]
fn killed_while_verticals_are_at_work_no_object_is_lost_or_there_twice() {
    let site = shop();
    let folder = tempfile::tempdir().expect("a folder");
    let path = workspace(folder.path(), "ws");
    let books = vertical("books");
    drop_in(&path, &books);
    // Compiled once, so that the kills meet a crawl and no compiler.
    assert!(crawl(&path, &["--forget", &site.url("/book/0")]).status.success());
    let start = |seed: bool| {
        let mut command = magpie(&path);
        command.args(["crawl", "--allow-address", "127.0.0.0/8", "--delay", "50ms"]);
        command.args([
            "--set",
            "crawl.commit=10ms",
            "--set",
            "politeness.autothrottle=false",
        ]);
        if seed {
            command.arg(site.url("/"));
        }
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    for kill in 0..KILLS {
        let mut child = start(kill == 0).spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(150 + kill * 53 % 211));
        child.kill().expect("it can be killed");
        child.wait().expect("it is gone");
    }
    assert!(start(true).status().expect("it runs").success());
    let reader = magpie_engine::open_reader(&path).expect("a reader");
    assert_eq!(
        reader.url_counts(None).expect("counts").of(UrlState::Fetched),
        BOOKS as u64 + 1
    );
    drop(reader);
    let mut pages: Vec<_> = exported(&path)
        .iter()
        .map(|object| object["page_url"].as_str().expect("a URL").to_owned())
        .collect();
    pages.sort();
    pages.dedup();
    assert_eq!((pages.len(), exported(&path).len()), (BOOKS, BOOKS));
    let workspace = Workspace::open(&path, &WorkspaceOptions::default()).expect("it opens");
    assert_eq!(
        workspace.verify().expect("verified").problems,
        Vec::<String>::new()
    );
}

#[test]
fn objects_below_the_least_confidence_are_left_out_and_counted() {
    let site = shop();
    let folder = tempfile::tempdir().expect("a folder");
    let path = workspace(folder.path(), "ws");
    drop_in(&path, &vertical("books"));
    let crawled = crawl(
        &path,
        &[&site.url("/book/1"), "--set", "verticals.min_confidence=1"],
    );
    assert!(crawled.status.success(), "{}", said(&crawled));
    assert_eq!(exported(&path), Vec::<Value>::new());
    let explained = magpie(&path).args(["explain", &site.url("/book/1")]).output();
    let explained = said(&explained.expect("it runs"));
    assert!(
        explained.contains("1 object left out: the confidence is below 1"),
        "{explained}"
    );

    let again = workspace(folder.path(), "again");
    drop_in(&again, &vertical("books"));
    let crawled = crawl(&again, &[&site.url("/book/1")]);
    assert!(crawled.status.success(), "{}", said(&crawled));
    assert_eq!(exported(&again).len(), 1);
}
