//! The crawling commands, with a server on loopback.

use std::collections::BTreeSet;
use std::time::Duration;

use magpie_rows::{RunKind, RunStore as _, UrlState};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_test_support::server::{Reply, Site, links, tree};
use magpie_values::Timestamp;

use crate::context::TestContext;
use crate::web::LOOPBACK;

/// A workspace for servers on loopback, without a vertical.
fn workspace() -> TestContext {
    let context = TestContext::new();
    context.workspace("ws", &[], LOOPBACK);
    context
}

fn fetched(context: &TestContext) -> u64 {
    let reader = magpie_engine::open_reader(&context.path("ws")).expect("a reader");
    reader.status().expect("a status").urls.of(UrlState::Fetched)
}

#[cfg(unix)]
#[test]
fn an_export_goes_where_it_is_wanted_and_never_over_the_workspace() {
    let context = workspace();
    let export = |out: &str| context.run(&format!("export pages -w ws --format csv --out {out}"));
    let is_table = |text: &str| assert!(text.starts_with("page,"), "{text}");
    is_table(&export("-").ends(0).out);
    assert!(!context.path("-").exists());
    // The target of a symbolic link is overwritten, not the link.
    context.write("real.csv", "old");
    std::os::unix::fs::symlink("real.csv", context.path("link.csv")).expect("linked");
    export("link.csv").ends(0);
    assert!(context.path("link.csv").is_symlink());
    is_table(&context.read("real.csv"));
    // A pipe is written to and stays one.
    let pipe = context.path("pipe.csv");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("it runs").success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read_to_string(pipe)
    });
    export("pipe.csv").ends(0);
    assert!(!std::fs::metadata(&pipe).expect("there").is_file());
    is_table(&reader.join().expect("it ends").expect("read"));
    for own in [
        "magpie.db",
        "magpie.toml",
        "archive/pages.csv",
        "verticals/pages.csv",
    ] {
        let refused = export(&format!("ws/{own}")).ends(2);
        refused.says(["belongs to a workspace"]);
    }
    context.ok("status -w ws");
}

#[test]
fn what_was_lost_is_said_with_the_way_out() {
    let site = Site::start(tree(3));
    let context = workspace();
    context.ok(&format!("crawl -w ws {}", site.url("/")));
    assert_eq!(fetched(&context), 3);
    let archive = std::fs::read_dir(context.path("ws/archive")).expect("archives");
    for file in archive.flatten() {
        std::fs::remove_file(file.path()).expect("removed");
    }
    let refused = context.fails(4, "crawl -w ws");
    refused.says(["archive.on_missing_archive=requeue"]);
    context.ok("crawl -w ws --set archive.on_missing_archive=requeue");
    assert_eq!(fetched(&context), 3);
    // Once is enough.
    context.ok("crawl -w ws");

    context.write("ws/magpie.db", "");
    for log in ["ws/magpie.db-wal", "ws/magpie.db-shm"] {
        let _was_there = std::fs::remove_file(context.path(log));
    }
    for command in ["status", "crawl"] {
        let lost = context.fails(4, &format!("{command} -w ws"));
        lost.says(["is empty", "WARC"]);
    }
}

/// A read-only medium lacks even the files that SQLite shares with a writer.
#[cfg(unix)]
#[test]
fn a_copy_that_nobody_may_write_to_is_read() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    use std::path::Path;

    // The user who may write nowhere.
    const NOBODY: u32 = 65534;
    let allow = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("allowed");
    };
    let context = workspace();
    let settings = std::fs::metadata(context.path("ws/magpie.toml")).expect("a file");
    assert_eq!(
        settings.permissions().mode() & 0o777,
        0o600,
        "it may have passwords"
    );
    let copy = context.path("a copy?");
    std::fs::rename(context.path("ws"), &copy).expect("moved");
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
    let folder = context.path("");
    folder.ancestors().take(2).for_each(|folder| allow(folder, 0o755));
    // The system lets root write anywhere.
    let mut status = context.command("status -w 'a copy?'");
    if std::fs::write(copy.join("root"), "").is_ok() {
        status.uid(NOBODY);
    }
    crate::context::Ran::of("status by the user nobody", &mut status).ends(0);
    allow(&copy, 0o755);
}

#[test]
fn a_crawl_from_nothing_to_an_export() {
    let site = Site::start(|path| match path {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /private\n"),
        "/" => links(
            "Home",
            &["/a?utm_source=mail", "/private/b", "/gone", "/item/3/delete"],
        ),
        "/a" => links("Some other words for the second page", &["/"]),
        _ => Reply::status(404),
    });
    let context = workspace();
    let crawl = context.ok(&format!("crawl -w ws {}", site.url("/")));
    crawl.says(["done: 3 pages"]);
    for (page, code, part) in [
        ("/private/b", 0, "robots.txt forbids it in line 2"),
        ("/gone", 0, "status 404"),
        ("/item/3/delete", 0, "\"delete\" in the path triggers an action"),
        ("/a?utm_source=x", 0, "utm_source"),
        ("/never", 1, "no page of this workspace links to it"),
    ] {
        let explained = context.fails(code, &format!("explain -w ws {}", site.url(page)));
        explained.says([part]);
    }
    context.ok("status -w ws").says(["refused robots  1"]);
    for (table, rows) in [("pages", 3), ("links", 5)] {
        context.ok(&format!("export {table} -w ws --out {table}.jsonl"));
        let text = context.read(&format!("{table}.jsonl"));
        let of_pages = text
            .lines()
            .filter(|line| !line.contains("robots.txt") && !line.contains("sitemap.xml"));
        assert_eq!(of_pages.count(), rows, "{text}");
    }
}

#[test]
fn one_page_is_fetched_with_all_that_is_decided() {
    let site = Site::start(|path| match path {
        "/old" => Reply::redirect("/new"),
        "/new" => links("New", &[]),
        _ => Reply::status(404),
    });
    let context = TestContext::new();
    let own = "--allow-address 127.0.0.0/8 --delay 0s";
    let fetch = context.ok(&format!("fetch {own} {}", site.url("/old")));
    fetch.says(["302 ", "200 ", "allowed"]);
    let body = context.ok(&format!("fetch {own} --body {}", site.url("/new")));
    body.says(["<h1>New</h1>"]);
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
    let context = workspace();
    let fetch = |more: &str| context.ok(&format!("fetch -w ws --render {} {more}", site.url("/list")));
    let json = fetch("--json").last();
    let rendered = &json["rendered"];
    assert_eq!(json["page"]["links"].as_array().map(Vec::len), Some(0), "{json}");
    assert_eq!(rendered["links"].as_array().map(Vec::len), Some(3), "{json}");
    let requests = rendered["requests"].as_array().expect("requests");
    for (resource, outcome) in [
        ("document", "answered"),
        ("stylesheet", "refused"),
        ("data", "answered"),
    ] {
        let mut requests = requests.iter();
        assert!(
            requests.any(|request| request["resource"] == resource && request["outcome"] == outcome),
            "{json}"
        );
    }
    fetch("").says(["plain", "CPU of the browser"]);
    fetch("--body").says([r#"<a href="/three">three</a>"#]);
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
    let context = workspace();
    let crawl = format!("crawl -w ws --set crawl.commit=10ms --set politeness.requests={IN_FLIGHT}");
    let begin = format!("{crawl} {}", site.url("/"));
    // Fixed moments within the first tenth of a second: starting, fetching, committing.
    for kill in 0..KILLS {
        let crawl = context.start(if kill == 0 { &begin } else { &crawl });
        crawl.kill_after(Duration::from_millis(20 + kill * 37 % 97));
    }
    context.ok(&begin);

    let path = context.path("ws");
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
fn what_is_no_url_is_told_without_its_password() {
    let context = workspace();
    for command in ["fetch", "crawl", "explain"] {
        let refused = context.fails(2, &format!("{command} -w ws https://ann:se/cret@example.org/"));
        refused.says(["`https://***@example.org/`"]).lacks(["cret"]);
    }
}

#[test]
fn a_damaged_database_is_not_one_without_a_queue() {
    let context = workspace();
    let workspace = Workspace::open(&context.path("ws"), &WorkspaceOptions::default()).expect("a workspace");
    workspace
        .begin_run(RunKind::Crawl, "test", &"x".repeat(200_000), Timestamp::default())
        .expect("written");
    workspace.close().expect("closed");
    let mut bytes = std::fs::read(context.path("ws/magpie.db")).expect("read");
    let end = bytes.len();
    bytes[end - 40_000..].fill(0xff);
    context.write("ws/magpie.db", bytes);
    let refused = context.fails(4, "crawl -w ws");
    refused.says(["is damaged"]).lacks(["nothing is queued"]);
}
