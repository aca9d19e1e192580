//! Attacks on the page by sites, plugins, robots files, URLs, settings and other processes.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use magpie_engine::Session;
use rusqlite::Connection;
use serde_json::Value;

use crate::pages::{LISTS, PAGES, assert_harmless};
use crate::support::{Collected, Served, empty_workspace, session_options};

/// A text that acts in a page, in a spreadsheet and in a terminal, unless something is done.
const PAYLOAD: &str = "=1+1|' <script>alert(1)</script>\"><img src=x onerror=alert(2)>\u{1b}]0;x\u{7} ";

/// A part of it as pages show it.
const SHOWN: &str = "&lt;script&gt;alert(1)";

/// Columns whose text strangers decide about: of sites, of plugins, of servers, of settings.
const TEXTS: [(&str, &str); 19] = [
    ("run", "program"),
    ("run", "outcome"),
    ("host", "robots_text"),
    ("url", "detail"),
    ("page", "title"),
    ("page", "media_type"),
    ("page", "charset"),
    ("page", "language"),
    ("page", "redirect"),
    ("page", "canonical"),
    ("page", "detail"),
    ("component", "version"),
    ("extraction", "detail"),
    ("object", "label"),
    ("object", "object_type"),
    ("stage", "sentence"),
    ("change", "label"),
    ("change", "object_type"),
    ("facet_value", "value"),
];

/// Columns with JSON whose strings strangers decide about.
const DOCUMENTS: [(&str, &str); 4] = [
    ("object", "record"),
    ("record", "record"),
    ("change", "attributes"),
    ("warehouse", "schema"),
];

/// Keys whose values have a form that the host checks.
const CHECKED: [&str; 4] = ["kind", "name", "attribute", "extra"];

/// Puts the payload before each string of a document.
fn spoil(value: &mut Value) {
    match value {
        Value::String(text) => text.insert_str(0, PAYLOAD),
        Value::Array(items) => items.iter_mut().for_each(spoil),
        Value::Object(entries) => {
            for (name, value) in entries.iter_mut() {
                if !CHECKED.contains(&name.as_str()) {
                    spoil(value);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Puts the payload into every text of a database that strangers decide about.
fn spoil_database(folder: &Path) {
    let database = Connection::open(folder.join("magpie.db")).unwrap();
    for (table, column) in TEXTS {
        let sql = format!("UPDATE {table} SET {column} = ?1 || {column} WHERE {column} IS NOT NULL");
        database
            .execute(&sql, [PAYLOAD])
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
    for (table, column) in DOCUMENTS {
        let sql = format!("SELECT rowid, {column} FROM {table} WHERE {column} IS NOT NULL");
        let mut statement = database.prepare(&sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)));
        for (row, text) in rows.unwrap().map(Result::unwrap).collect::<Vec<_>>() {
            let mut value: Value =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            spoil(&mut value);
            let sql = format!("UPDATE {table} SET {column} = ?1 WHERE rowid = ?2");
            database.execute(&sql, (value.to_string(), row)).unwrap();
        }
    }
    let reasons = serde_json::json!([PAYLOAD]).to_string();
    database
        .execute("UPDATE member_link SET reasons = ?1", [reasons])
        .unwrap();
    database
        .execute("UPDATE learned_site SET entry = 'javascript:alert(3)'", [])
        .unwrap();
    // One that was refused: its address is shown, and is not asked for.
    let url = "UPDATE url SET url = url || '?a=\"><script>alert(1)</script>' WHERE reason = 'robots'";
    assert!(database.execute(url, []).unwrap() > 0);
}

/// Settings and the file of the watch, as whoever writes them may write them.
fn spoil_files(collected: &mut Collected) {
    let text = serde_json::json!(PAYLOAD.replace(['\u{1b}', '\u{7}'], ""));
    collected.toml.push_str(&format!(
        "[scope]\nexclude = [{text}]\n[identity]\nuser_agent = \"x <script>alert(1)</script>\"\n[[webhook]]\nname = {text}\n\
         url = \"http://127.0.0.1:1/?a=<script>alert(1)</script>\"\nsecret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"\n"
    ));
    let health = serde_json::json!({
        "state": "failed", "vertical": PAYLOAD, "failure": PAYLOAD, "ended": PAYLOAD, "next": PAYLOAD, "process": 1,
        "last": {"problems": [PAYLOAD], "budget": PAYLOAD},
    });
    std::fs::write(collected.folder.path().join("watch.json"), health.to_string()).unwrap();
}

/// The cells of a table in CSV.
fn cells(text: &str) -> Vec<String> {
    let (mut all, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, is_quoted) {
            ('"', true) if letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            ('"', _) => is_quoted = !is_quoted,
            (',' | '\n', false) => all.push(std::mem::take(&mut cell)),
            ('\r', false) => {}
            (letter, _) => cell.push(letter),
        }
    }
    all
}

#[test]
fn no_string_of_a_stranger_acts() {
    let mut collected = Collected::new();
    let site: String = url::form_urlencoded::byte_serialize(collected.site.as_bytes()).collect();
    spoil_database(collected.folder.path());
    spoil_files(&mut collected);
    let served = collected.serve(None);
    let more = [
        format!("/site/{site}"),
        format!("/urls?site={site}"),
        "/urls?state=refused&reason=robots".to_owned(),
        "/object/2".to_owned(),
        "/object/2/value/price".to_owned(),
        "/feeds".to_owned(),
        "/url?u=%22%3E%3Cscript%3Ealert(1)%3C/script%3E".to_owned(),
    ];
    let mut shown = 0;
    // The one is about a query that can't be read, the other leads to the only vertical.
    let skipped = ["/events?q=nonsense%3A1", "/objects"];
    let pages = PAGES.iter().copied().filter(|path| !skipped.contains(path));
    for path in pages.chain(more.iter().map(String::as_str)) {
        let answer = served.get(path);
        // A text that is no URL is refused, with a page that shows it.
        let status = if path.starts_with("/url?") { 400 } else { 200 };
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        assert_harmless(path, &answer);
        shown += usize::from(answer.body.contains(SHOWN));
    }
    assert!(shown > 15, "{shown} pages show the text");
    let robots = served.get(&format!("/site/{site}")).body;
    assert!(!robots.contains("href=\"javascript:"), "{robots}");

    // The browser must not take data for a page, and a spreadsheet must not compute it.
    let mut computed = 0;
    for path in LISTS {
        for ending in [".json", ".jsonl", ".csv"] {
            let answer = served.get(&format!("{path}{ending}"));
            assert_eq!(answer.status, 200, "{path}{ending}: {}", answer.body);
            assert_eq!(
                answer.field("X-Content-Type-Options"),
                "nosniff",
                "{path}{ending}"
            );
            assert!(!answer.field("Content-Type").contains("html"), "{path}{ending}");
        }
        let is_formula = |cell: &&String| {
            cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err()
        };
        let raw = served.get(&format!("{path}.csv?for=programs")).body;
        computed += cells(&raw).iter().filter(is_formula).count();
        let quoted = served.get(&format!("{path}.csv")).body;
        let left: Vec<String> = cells(&quoted)
            .into_iter()
            .filter(|cell| is_formula(&cell))
            .collect();
        assert!(left.is_empty(), "{path}: {left:?}");
    }
    assert!(computed > 20, "{computed} cells would be computed");
    for path in [
        "/events.atom",
        "/events.rss",
        "/object/1.jsonld",
        "/events.feed.json",
    ] {
        let answer = served.get(path);
        assert!(
            !answer.field("Content-Type").contains("html"),
            "{path}: {}",
            answer.head
        );
    }
    let calendar = served.get("/events.ics").body;
    let lines = calendar.split("\r\n");
    assert!(
        lines
            .clone()
            .all(|line| line.len() <= 75 && !line.contains(['\r', '\n', '\u{1b}']))
    );
    let data = served.get("/object/1").body;
    assert!(
        data.matches("</script>").count() <= 2,
        "linked data ends its element itself: {data}"
    );
}

#[test]
fn cursors_from_elsewhere_are_refused() {
    let collected = Collected::new();
    let served = collected.serve(None);
    let folder = tempfile::tempdir().unwrap();
    empty_workspace(folder.path());
    let other = Served::new(folder.path(), "");
    let changes = served.get("/api/v1/changes?limit=1").body;
    let change: Value = serde_json::from_str(changes.lines().next().unwrap()).unwrap();
    let change = change["cursor"].as_str().unwrap();
    let page: Value = serde_json::from_str(&served.get("/api/v1/objects?limit=2&sort=start").body).unwrap();
    let search = page["next_url"]
        .as_str()
        .unwrap()
        .split("cursor=")
        .nth(1)
        .unwrap()
        .to_owned();
    assert_eq!(served.get(&format!("/api/v1/changes?since={change}")).status, 200);
    assert_eq!(
        served
            .get(&format!("/api/v1/objects?sort=start&cursor={search}"))
            .status,
        200
    );
    for path in [
        format!("/api/v1/changes?since={change}"),
        format!("/changes?after={change}"),
        format!("/changes.json?after={change}"),
    ] {
        let answer = other.get(&path);
        assert_eq!(answer.status, 400, "{path}: {}", answer.body);
    }
    let turned = format!("{}{}", &change[2..], &change[..2]);
    for (server, path) in [
        (&served, format!("/api/v1/changes?since={turned}")),
        (&served, format!("/api/v1/changes?since={search}")),
        (&served, format!("/api/v1/objects?cursor={change}")),
        (&served, format!("/api/v1/objects?sort=label&cursor={search}")),
        (&served, format!("/events.json?after={change}")),
        (&served, format!("/events.json?sort=label&after={search}")),
    ] {
        let answer = server.get(&path);
        assert_eq!(answer.status, 400, "{path}: {}", answer.body);
    }
    let stream = served.send(
        "GET /api/v1/changes",
        &["Accept: text/event-stream", "Last-Event-ID: deadbeef"],
        "",
    );
    assert_eq!(stream.status, 400, "{}", stream.body);
}

/// Idle readers of events, and how many of them keep their connection open at a time.
const IDLE: usize = 10_000;
const OPEN: usize = 200;

/// Returns `false` if the server has closed a connection.
fn is_open(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let mut bytes = [0; 4_096];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => return error.kind() == std::io::ErrorKind::WouldBlock,
        }
    }
}

#[test]
fn ten_thousand_idle_readers_keep_nobody_else_from_reading() {
    let folder = tempfile::tempdir().unwrap();
    empty_workspace(folder.path());
    let served = Served::new(folder.path(), "");
    let mut open: VecDeque<TcpStream> = VecDeque::new();
    for number in 0..IDLE {
        let path = if number % 2 == 0 {
            "/-/live"
        } else {
            "/api/v1/changes"
        };
        let mut stream = TcpStream::connect(served.address).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n\r\n",
            served.address
        );
        stream.write_all(request.as_bytes()).unwrap();
        open.push_back(stream);
        if open.len() > OPEN {
            open.pop_front();
        }
        if number % 1_000 == 999 {
            assert_eq!(served.get("/").status, 200, "after {number} readers");
        }
    }
    let (mut refused, mut served_now) = (0, 0);
    // All stay open until the end: the place of one that closes is another's.
    for stream in &mut open {
        let mut start = [0; 12];
        // A connection that made room for a later one has no answer.
        if stream.read_exact(&mut start).is_err() {
            continue;
        }
        match &start[9..] {
            b"503" => refused += 1,
            b"200" => served_now += usize::from(is_open(stream)),
            other => panic!("{}", String::from_utf8_lossy(other)),
        }
    }
    assert!(served_now <= 128, "{served_now} read at the same time");
    assert!(refused > 0, "some are told that there are too many");
}

#[test]
fn a_workspace_that_is_written_or_of_another_version_is_told() {
    let collected = Collected::new();
    let folder = collected.folder.path();
    let served = collected.serve(None);
    // Another process writes, and holds what it can hold.
    let session = Session::open(folder, session_options(&collected.toml)).unwrap();
    assert_eq!(served.get("/events").status, 200);
    assert!(served.get("/").body.contains("a command writes"));
    drop(session);
    let database = Connection::open(folder.join("magpie.db")).unwrap();
    database
        .execute_batch("BEGIN IMMEDIATE; UPDATE run SET outcome = 'half'")
        .unwrap();
    let during = served.get("/runs");
    assert_eq!(during.status, 200, "{}", during.body);
    assert!(
        !during.body.contains("half"),
        "what is not committed is not shown"
    );
    database.execute_batch("ROLLBACK").unwrap();

    let version: i64 = database
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    for (other, remedy) in [(version + 1, "newer build"), (version - 1, "magpie watch")] {
        database.pragma_update(None, "user_version", other).unwrap();
        let answer = served.get("/events");
        assert_eq!(answer.status, 503, "{}", answer.body);
        assert!(answer.body.contains(remedy), "{}", answer.body);
        assert_eq!(served.get("/-/ready").status, 503);
        assert_eq!(
            served.get("/api/v1/objects").field("Content-Type"),
            "application/problem+json"
        );
    }
    database.pragma_update(None, "user_version", version).unwrap();
    assert_eq!(served.get("/events").status, 200, "it comes back by itself");
}
