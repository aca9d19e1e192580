//! The crawling commands, with a server on loopback.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use magpie_rows::RunStore as _;
use magpie_rows::{RunKind, UrlState};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_test_support::server::{Reply, Site, links, tree};
use magpie_values::Timestamp;

use crate::context::program;

/// For servers of one's own: at once, and on this machine.
const OWN: [&str; 6] = [
    "--allow-address",
    "127.0.0.0/8",
    "--delay",
    "0s",
    "--set",
    "politeness.autothrottle=false",
];

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

fn workspace(folder: &Path) -> PathBuf {
    let made = program(folder).args(["init", "ws"]).output().expect("it runs");
    assert!(made.status.success(), "{}", said(&made));
    assert!(
        said(&made).contains("magpie learn --seeds FILE"),
        "{}",
        said(&made)
    );
    folder.join("ws")
}

#[cfg(unix)]
#[test]
fn an_export_goes_where_it_is_wanted_and_never_over_the_workspace() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    workspace(folder);
    let export = |out: &str| {
        let arguments = ["export", "pages", "-w", "ws", "--format", "csv", "--out", out];
        program(folder).args(arguments).output().expect("it runs")
    };
    let printed = export("-");
    assert!(printed.stdout.starts_with(b"page,"), "{}", said(&printed));
    assert!(!folder.join("-").exists());
    // The target of a symbolic link is overwritten, not the link.
    std::fs::write(folder.join("real.csv"), "old").expect("written");
    std::os::unix::fs::symlink("real.csv", folder.join("link.csv")).expect("linked");
    assert!(export("link.csv").status.success());
    assert!(folder.join("link.csv").is_symlink());
    assert!(
        std::fs::read(folder.join("real.csv"))
            .expect("read")
            .starts_with(b"page,")
    );
    // A pipe is written to and stays one.
    let pipe = folder.join("pipe.csv");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("it runs");
    assert!(made.success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe)
    });
    assert!(export("pipe.csv").status.success());
    assert!(!std::fs::metadata(&pipe).expect("there").is_file());
    let read = reader.join().expect("it ends").expect("read");
    assert!(read.starts_with(b"page,"));
    for own in [
        "ws/magpie.db",
        "ws/magpie.toml",
        "ws/archive/pages.csv",
        "ws/verticals/pages.csv",
    ] {
        let refused = export(own);
        assert_eq!(refused.status.code(), Some(2), "{own}: {}", said(&refused));
        assert!(said(&refused).contains("belongs to a workspace"), "{own}");
    }
    let status = program(folder).args(["status", "-w", "ws"]).output();
    assert!(status.expect("it runs").status.success());
}

#[test]
fn what_was_lost_is_said_with_the_way_out() {
    let site = Site::start(|path| match path {
        "/" => links("Home", &["/a", "/b"]),
        "/a" | "/b" => links(path, &["/"]),
        _ => Reply::status(404),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let workspace = workspace(folder);
    let crawl = |more: &[&str]| {
        let mut command = program(folder);
        command.args(["crawl", "-w", "ws"]).args(OWN).args(more);
        command.output().expect("it runs")
    };
    let home = site.url("/");
    assert!(crawl(&[&home]).status.success());
    let pages = || {
        let reader = magpie_engine::open_reader(&workspace).expect("a reader");
        reader.status().expect("a status").urls.of(UrlState::Fetched)
    };
    assert_eq!(pages(), 3);
    for file in std::fs::read_dir(workspace.join("archive"))
        .expect("archives")
        .flatten()
    {
        std::fs::remove_file(file.path()).expect("removed");
    }
    let refused = crawl(&[]);
    assert_eq!(refused.status.code(), Some(4), "{}", said(&refused));
    assert!(
        said(&refused).contains("archive.on_missing_archive=requeue"),
        "{}",
        said(&refused)
    );
    let again = crawl(&["--set", "archive.on_missing_archive=requeue"]);
    assert!(again.status.success(), "{}", said(&again));
    assert_eq!(pages(), 3);
    assert!(crawl(&[]).status.success(), "once is enough");

    std::fs::write(workspace.join("magpie.db"), "").expect("emptied");
    for log in ["magpie.db-wal", "magpie.db-shm"] {
        let _was_there = std::fs::remove_file(workspace.join(log));
    }
    let status = program(folder)
        .args(["status", "-w", "ws"])
        .output()
        .expect("it runs");
    for lost in [status, crawl(&[])] {
        assert_eq!(lost.status.code(), Some(4), "{}", said(&lost));
        assert!(
            said(&lost).contains("is empty") && said(&lost).contains("WARC"),
            "{}",
            said(&lost)
        );
    }
}

/// A read-only medium lacks even the files that SQLite shares with a writer.
#[cfg(unix)]
#[test]
fn a_copy_that_nobody_may_write_to_is_read() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;

    let allow = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("allowed");
    };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let copy = folder.join("a copy?");
    std::fs::rename(workspace(folder), &copy).expect("moved");
    // All of it is in the database's own file, and that is what people copy.
    let log = std::fs::metadata(copy.join("magpie.db-wal"));
    assert_eq!(log.map_or(0, |log| log.len()), 0);
    for shared in ["magpie.db-wal", "magpie.db-shm"] {
        let _was_there = std::fs::remove_file(copy.join(shared));
    }
    for file in std::fs::read_dir(&copy).expect("a folder").flatten() {
        allow(&file.path(), if file.path().is_dir() { 0o555 } else { 0o444 });
    }
    allow(&copy, 0o555);
    allow(folder, 0o755);
    // The system lets root write anywhere.
    let mut status = program(folder);
    if std::fs::write(copy.join("root"), "").is_ok() {
        status.uid(NOBODY);
    }
    let status = status.args(["status", "-w", "a copy?"]).output();
    let status = status.expect("the program can be run by the user nobody");
    assert!(status.status.success(), "{}", said(&status));
    allow(&copy, 0o755);
}

/// Who may write nowhere.
#[cfg(unix)]
const NOBODY: u32 = 65534;

#[test]
fn a_crawl_from_nothing_to_an_export() {
    let site = Site::start(|path| match path {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /private\n"),
        "/" => links("Home", &["/a?utm_source=mail", "/private/b", "/gone"]),
        "/a" => links("Some other words for the second page", &["/"]),
        _ => Reply::status(404),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let path = workspace(folder.path());
    let crawl = program(&path)
        .args(["crawl", &site.url("/")])
        .args(OWN)
        .output()
        .expect("it runs");
    assert!(crawl.status.success(), "{}", said(&crawl));
    assert!(said(&crawl).contains("done: 3 pages"), "{}", said(&crawl));

    let explain = |page: &str| {
        said(
            &program(&path)
                .args(["explain", &site.url(page)])
                .output()
                .expect("it runs"),
        )
    };
    assert!(
        explain("/private/b").contains("robots.txt forbids it in line 2"),
        "{}",
        explain("/private/b")
    );
    assert!(explain("/gone").contains("status 404"), "{}", explain("/gone"));
    assert!(
        explain("/a?utm_source=x").contains("utm_source"),
        "{}",
        explain("/a?utm_source=x")
    );
    assert!(explain("/never").contains("no page of this workspace links to it"));

    let status = said(&program(&path).arg("status").output().expect("it runs"));
    assert!(status.contains("refused robots  1"), "{status}");

    for (table, rows) in [("pages", 3), ("links", 4)] {
        let file = format!("{table}.jsonl");
        let export = program(&path)
            .args(["export", table, "--out", &file])
            .output()
            .expect("it runs");
        assert!(export.status.success(), "{}", said(&export));
        let text = std::fs::read_to_string(path.join(&file)).expect("the file");
        let of_pages = text
            .lines()
            .filter(|line| !line.contains("robots.txt") && !line.contains("sitemap.xml"));
        assert_eq!(of_pages.count(), rows, "{text}");
    }
}

#[test]
fn private_addresses_need_a_word() {
    let site = Site::start(tree(3));
    let folder = tempfile::tempdir().expect("a folder");
    let path = workspace(folder.path());
    let refused = program(&path)
        .args(["crawl", &site.url("/")])
        .output()
        .expect("it runs");
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert!(
        said(&refused).contains("--allow-address 127.0.0.0/8"),
        "{}",
        said(&refused)
    );
    let allowed = program(&path)
        .args(["crawl", &site.url("/")])
        .args(OWN)
        .output()
        .expect("it runs");
    assert!(said(&allowed).contains("done: 3 pages"), "{}", said(&allowed));
}

#[test]
fn one_page_is_fetched_with_all_that_is_decided() {
    let site = Site::start(|path| match path {
        "/old" => Reply::redirect("/new"),
        "/new" => links("New", &[]),
        _ => Reply::status(404),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let fetch = program(folder.path())
        .args(["fetch", &site.url("/old")])
        .args(OWN)
        .output()
        .expect("it runs");
    let text = said(&fetch);
    assert!(fetch.status.success(), "{text}");
    assert!(
        text.contains("302 ") && text.contains("200 ") && text.contains("allowed"),
        "{text}"
    );
    let body = program(folder.path())
        .args(["fetch", "--body", &site.url("/new")])
        .args(OWN)
        .output()
        .expect("it runs");
    assert!(said(&body).contains("<h1>New</h1>"), "{}", said(&body));
}

#[test]
fn one_page_is_shown_plain_and_in_a_browser() {
    if !magpie_test_support::has_program("chromium") {
        return;
    }
    let site = Site::start(|path| match path {
        "/list" => Reply::html(
            "<ul id=list></ul><link rel=stylesheet href=/look.css><script>fetch('/data').then((answer) => answer.json()).then(\
             (names) => { for (const name of names) list.innerHTML += `<a href=/${name}>${name}</a>`; })</script>",
        ),
        "/data" => Reply::text(r#"["one", "two", "three"]"#),
        _ => Reply::status(404),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let fetch = |more: &[&str]| {
        let mut command = program(folder.path());
        command
            .args(["fetch", &site.url("/list"), "--render"])
            .args(more)
            .args(OWN);
        command.output().expect("it runs")
    };
    let json: serde_json::Value = serde_json::from_slice(&fetch(&["--json"]).stdout).expect("JSON");
    let rendered = &json["rendered"];
    assert_eq!(json["page"]["links"].as_array().map(Vec::len), Some(0), "{json}");
    assert_eq!(rendered["links"].as_array().map(Vec::len), Some(3), "{json}");
    let outcomes = rendered["requests"].as_array().expect("requests").iter();
    let outcomes: Vec<_> = outcomes
        .map(|request| (request["resource"].as_str(), request["outcome"].as_str()))
        .collect();
    for expected in [
        ("document", "answered"),
        ("stylesheet", "refused"),
        ("data", "answered"),
    ] {
        assert!(outcomes.contains(&(Some(expected.0), Some(expected.1))), "{json}");
    }
    let text = said(&fetch(&[]));
    assert!(
        text.contains("plain") && text.contains("CPU of the browser"),
        "{text}"
    );
    let body = said(&fetch(&["--body"]));
    assert!(body.contains(r#"<a href="/three">three</a>"#), "{body}");
}

/// Pages of the site that is killed at.
const PAGES: usize = 300;

const KILLS: u64 = 20;

/// Requests at the same time, which is what a kill may cost twice.
const IN_FLIGHT: usize = 4;

#[test]
fn killed_at_any_moment_nothing_is_lost_and_nothing_is_there_twice() {
    let pages = tree(PAGES);
    let site = Site::start(move |path| {
        std::thread::sleep(Duration::from_millis(12));
        pages(path)
    });
    let folder = tempfile::tempdir().expect("a folder");
    let path = workspace(folder.path());
    let crawl = |seed: bool| {
        let mut command = program(&path);
        command
            .arg("crawl")
            .args(OWN)
            .args(["--set", "crawl.commit=10ms"]);
        command.args(["--set", &format!("politeness.requests={IN_FLIGHT}")]);
        if seed {
            command.arg(site.url("/"));
        }
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    // Fixed moments within the first tenth of a second: starting, fetching, committing.
    for kill in 0..KILLS {
        let mut child = crawl(kill == 0).spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(20 + kill * 37 % 97));
        child.kill().expect("it can be killed");
        child.wait().expect("it is gone");
    }
    assert!(crawl(true).status().expect("it runs").success());

    let reader = magpie_engine::open_reader(&path).expect("a reader");
    let counts = reader.url_counts(None).expect("counts");
    assert_eq!(counts.of(UrlState::Fetched), PAGES as u64, "{counts:?}");
    assert_eq!(counts.total(), PAGES as u64, "{counts:?}");
    let rows = reader.all_fetches(None).expect("rows");
    let fetched: Vec<_> = rows
        .iter()
        .filter(|row| row.url_id.is_some())
        .map(|row| &row.url)
        .collect();
    let distinct: BTreeSet<_> = fetched.iter().collect();
    assert_eq!(
        (fetched.len(), distinct.len()),
        (PAGES, PAGES),
        "each page is recorded once"
    );
    drop(reader);
    let workspace = Workspace::open(&path, &WorkspaceOptions::default()).expect("it opens");
    let verified = workspace.verify().expect("it can be verified");
    assert!(verified.problems.is_empty(), "{:?}", verified.problems);
}

#[test]
fn what_strangers_write_is_printed_without_control_characters() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = Site::start(|path| match path {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /b\u{1b}[2Jx\n"),
        "/" => links("Home\u{1b}]0;owned\u{7}", &["/a\u{1b}[2J", "/b\u{1b}[2Jx"]),
        _ => links("Beside\u{9b}31m", &[]),
    });
    let run = |arguments: &[&str]| {
        let output = program(folder.path())
            .args(arguments)
            .args(OWN)
            .output()
            .expect("it runs");
        let text = said(&output);
        assert!(text.contains("127.0.0.1"), "{text:?}");
        let is_odd = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
        assert!(!text.contains(is_odd), "{text:?}");
    };
    run(&["crawl", &site.url("/"), "--forget", "--verbose"]);
    run(&["fetch", &site.url("/")]);
    run(&["fetch", &site.url("/"), "--verbose"]);
}

#[test]
fn what_is_no_url_is_told_without_its_password() {
    let folder = tempfile::tempdir().expect("a folder");
    workspace(folder.path());
    let wrong = "https://ann:se/cret@example.org/";
    for command in [["fetch", wrong], ["crawl", wrong], ["explain", wrong]] {
        let mut magpie = program(folder.path());
        let output = magpie.args(command).args(["-w", "ws"]).output().expect("it runs");
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("`https://***@example.org/`"), "{text}");
        assert!(!text.contains("cret"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn settings_are_read_by_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let settings = workspace(folder.path()).join("magpie.toml");
    let mode = std::fs::metadata(settings).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_damaged_database_is_not_one_without_a_queue() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = workspace(folder.path());
    let workspace = Workspace::open(&path, &WorkspaceOptions::default()).expect("a workspace");
    workspace
        .begin_run(RunKind::Crawl, "test", &"x".repeat(200_000), Timestamp::default())
        .expect("written");
    workspace.close().expect("closed");
    let database = path.join("magpie.db");
    let mut bytes = std::fs::read(&database).expect("read");
    let end = bytes.len();
    bytes[end - 40_000..].fill(0xff);
    std::fs::write(&database, bytes).expect("written");
    let output = program(folder.path())
        .args(["crawl", "-w", "ws"])
        .output()
        .expect("it runs");
    let text = said(&output);
    assert!(!output.status.success(), "{text}");
    assert!(
        text.contains("is damaged") && !text.contains("nothing is queued"),
        "{text}"
    );
}
