//! Many clients that send nothing, read nothing or ask for too much.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use magpie_engine::Clock;
use magpie_model::{Attribute, Kind, Record};
use magpie_rows::{Batch, Matching, MergedObject, Reassignment, Rebuild, Warehouse as _};
use magpie_serve::Limits;
use magpie_sqlite::{Workspace, WorkspaceOptions};
use serde_json::{Value, json};

use crate::support::{Collected, Served, empty_workspace};

/// A time that no test waits for.
const LONG: Duration = Duration::from_secs(600);

/// A time that tests wait for.
const SHORT: Duration = Duration::from_millis(300);

fn limits(patience: Duration) -> Limits {
    Limits {
        patience,
        reading: LONG,
        ..Limits::default()
    }
}

/// Sends the beginning of a request.
fn begin(served: &Served, head: &str) -> TcpStream {
    let mut stream = TcpStream::connect(served.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let (first, rest) = head.split_once("\r\n").unwrap();
    let text = format!("{first} HTTP/1.1\r\nHost: {}\r\n{rest}", served.address);
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

/// A request whose body does not come.
const NO_BODY: &str = "POST /mcp\r\nContent-Type: application/json\r\nContent-Length: 60000\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n{";

/// Returns what a server sends until it closes the connection.
fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _reset = stream.read_to_end(&mut bytes);
    bytes
}

/// Returns the status of an answer that begins.
fn status(stream: &mut TcpStream) -> u16 {
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    str::from_utf8(&start[9..]).unwrap().parse().unwrap()
}

#[test]
fn a_request_that_does_not_come_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    empty_workspace(folder.path());
    let served = Served::limited(folder.path(), "", limits(SHORT));
    let mut body = begin(&served, NO_BODY);
    assert_eq!(status(&mut body), 408);
    rest(&mut body);
    let mut head = begin(&served, "GET /\r\nAccept: text/html\r\n");
    rest(&mut head);
    let mut idle = begin(&served, "GET /-/healthy\r\n\r\n");
    let answer = String::from_utf8(rest(&mut idle)).unwrap();
    assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{answer}");
    assert!(answer.contains("the server answers"), "{answer}");
}

#[test]
fn clients_that_send_nothing_make_room_for_those_that_do() {
    let folder = tempfile::tempdir().unwrap();
    empty_workspace(folder.path());
    let limits = Limits {
        connections: 8,
        ..limits(LONG)
    };
    let served = Served::limited(folder.path(), "", limits);
    let mut waiting: Vec<TcpStream> = (0..20).map(|_| begin(&served, NO_BODY)).collect();
    for _ in 0..3 {
        assert_eq!(served.get("/").status, 200);
    }
    assert!(rest(&mut waiting[0]).is_empty(), "the first one was closed");
}

#[test]
fn one_client_of_a_proxy_does_not_take_the_room_of_others() {
    let folder = tempfile::tempdir().unwrap();
    empty_workspace(folder.path());
    let limits = Limits {
        of_one: 2,
        ..limits(LONG)
    };
    let toml = "[serve]\ntrusted_proxies = [\"127.0.0.1\"]\n";
    let served = Served::limited(folder.path(), toml, limits);
    let mut waiting: Vec<TcpStream> = (0..2).map(|_| begin(&served, NO_BODY)).collect();
    // Whatever stands before the address that the proxy wrote is of the client's own making.
    let own = ["X-Forwarded-For: 198.51.100.1, 203.0.113.7"];
    let mut answer = served.send("GET /", &own, "");
    while answer.status == 200 {
        // The others have not been read yet, or this one took the place of one of them.
        waiting.push(begin(&served, NO_BODY));
        answer = served.send("GET /", &own, "");
    }
    assert_eq!(
        (answer.status, answer.field("Retry-After")),
        (429, "5"),
        "{}",
        answer.body
    );
    for other in [
        "X-Forwarded-For: 203.0.113.7, 198.51.100.1",
        "X-Forwarded-For: unknown",
    ] {
        assert_eq!(served.send("GET /", &[other], "").status, 200, "{other}");
    }
    drop(waiting);
    while served.send("GET /", &own, "").status != 200 {}
}

/// Objects of a large workspace, and bytes of the text of each.
const OBJECTS: i64 = 2_000;
const TEXT: usize = 12_000;

/// Makes a workspace whose calendar has 24 MB.
fn large_workspace(folder: &Path) {
    let workspace = Workspace::create(folder, &WorkspaceOptions::default()).unwrap();
    let now = Clock::default().now();
    let warehouse = workspace.warehouse("events", now).unwrap();
    let schema = [
        Attribute {
            identifies: true,
            ..Attribute::new("start", Kind::DateTime)
        },
        Attribute::new("about", Kind::Text),
    ];
    let matching = Matching {
        schema: json!(schema).to_string(),
        ..Matching::default()
    };
    let reassignment = Reassignment {
        matching,
        ..Reassignment::default()
    };
    workspace
        .rebuild(warehouse, Rebuild::Assign(reassignment))
        .unwrap();
    let start = (now + Duration::from_secs(10 * 86_400)).to_string();
    let object = |id: i64| MergedObject {
        id,
        label: format!("Concert {id}"),
        record: Record::from_json(&json!({
            "type": "Event", "confidence": 1.0, "attributes": {"start": start, "about": "x".repeat(TEXT)},
        }))
        .unwrap(),
        origins: "{}".to_owned(),
        members: 1,
        current: 1,
        first_seen: now,
        last_seen: now,
        expires_at: None,
    };
    let batch = Batch {
        warehouse,
        objects: (1..=OBJECTS).map(object).collect(),
        ..Batch::default()
    };
    workspace.take_in(batch).unwrap();
    workspace.close().unwrap();
}

#[test]
fn large_answers_are_whole_and_wait_for_nobody_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    large_workspace(folder.path());
    let served = Served::limited(folder.path(), "", limits(LONG));
    let calendar = served.get("/events.ics");
    assert_eq!(calendar.status, 200, "{}", calendar.body);
    assert_eq!(calendar.body.matches("BEGIN:VEVENT").count() as i64, OBJECTS);
    assert!(calendar.body.len() as i64 > OBJECTS * TEXT as i64);
    let part = served.get("/events.ics?q=Concert%201999").body;
    assert_eq!(
        part.matches("BEGIN:VEVENT").count(),
        1,
        "one that is short is sent as a whole"
    );
    assert!(part.ends_with("END:VCALENDAR\r\n"), "{part}");
    let list = "/api/v1/objects?limit=1000";
    let page: Value = serde_json::from_str(&served.get(list).body).unwrap();
    assert_eq!(page["objects"].as_array().unwrap().len(), 1_000);

    // Each of these is 12 MB, and the server keeps 64 MiB for those who do not take them.
    let request = format!("GET {list}\r\n\r\n");
    let mut unread: Vec<TcpStream> = (0..8).map(|_| begin(&served, &request)).collect();
    let all: Vec<u16> = unread.iter_mut().map(status).collect();
    assert_eq!(all.iter().filter(|status| **status == 200).count(), 5, "{all:?}");
    assert_eq!(all.iter().filter(|status| **status == 503).count(), 3, "{all:?}");
    let refused = served.get(list);
    assert_eq!((refused.status, refused.field("Retry-After")), (503, "5"));
    assert!(refused.body.contains("large answers"), "{}", refused.body);
    assert_eq!(served.get("/events").status, 200, "a page is small");
    let calendar = served.get("/events.ics").body;
    assert!(
        calendar.ends_with("END:VCALENDAR\r\n") || calendar.contains("END:VCALENDAR"),
        "a stream is, too"
    );
    drop(unread);
    while served.get(list).status != 200 {}

    let served = Served::limited(folder.path(), "", limits(SHORT));
    let mut unread = begin(&served, "GET /events.ics\r\n\r\n");
    assert_eq!(status(&mut unread), 200);
    // The server gives up while nothing is read, and before it has sent everything.
    std::thread::sleep(SHORT * 10);
    assert!((rest(&mut unread).len() as i64) < OBJECTS * TEXT as i64);
}

/// Hostile clients of each of five kinds.
const OF_A_KIND: usize = 40;

#[test]
fn cheap_pages_are_answered_among_two_hundred_hostile_clients() {
    let collected = Collected::new();
    let served = Served::limited(collected.folder.path(), &collected.toml, limits(LONG));
    let site: String = url::form_urlencoded::byte_serialize(collected.site.as_bytes()).collect();
    let dear: Vec<String> = ('a'..='z').map(|letter| format!("{letter}*")).collect();
    let dear = format!("GET /events?q={}&view=map\r\n\r\n", dear.join("%20OR%20"));
    let kinds = [
        NO_BODY,
        "GET /events.ics\r\n\r\n",
        &dear,
        "GET /events\r\nAccept: text/html\r\n",
        "GET /-/live\r\nAccept: text/event-stream\r\n\r\n",
    ];
    let _hostile: Vec<TcpStream> = kinds
        .iter()
        .flat_map(|head| (0..OF_A_KIND).map(|_| begin(&served, head)))
        .collect();
    for path in [
        "/",
        "/object/1",
        "/-/healthy",
        "/-/ready",
        "/sites",
        "/runs",
        "/metrics",
    ] {
        let answer = served.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    }
    let answer = served.get(&format!("/site/{site}"));
    assert_eq!(answer.status, 200, "{}", answer.body);
}
