//! `magpie serve` over a collected workspace: the API and its document, feeds, tools, and the
//! examples of the book.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::process::{Command, Stdio};

use magpie_lab::Vertical;
use serde_json::{Value, json};

use crate::context::TestContext;
use crate::outputs::sequential;
use crate::readers::{programs, read_calendar};
use crate::requests::{Answer, Serving, asking};
use crate::web::Served;

/// The time of all commands. The lab's first week begins shortly before.
const NOW: &str = "2026-11-03T09:00Z";

/// A time at which many pages are due.
const LATER: &str = "2026-11-12T09:00Z";

/// A workspace with events of the lab, and the web that it reaches.
fn collected() -> (TestContext, Served) {
    let served = Served::start((Vertical::Events, 7), 0, 0);
    let context = TestContext::with_workspace("events", sequential(&served.proxy())).at(NOW);
    context.learn(&served.homes());
    (context, served)
}

/// The OpenAPI document, which answers are compared with.
struct Document {
    document: Value,
    /// Paths of which an answer was compared.
    seen: BTreeSet<String>,
}

impl Document {
    fn read(page: &Serving) -> Document {
        Document {
            document: page.get("/api/v1/openapi.json").has(200).json(),
            seen: BTreeSet::new(),
        }
    }

    /// Compares an answer with the document: its status, its media type and its content.
    fn check(&mut self, path: &str, asked: &str, answer: &Answer) {
        let responses = &self.document["paths"][path]["get"]["responses"];
        let response = &responses[answer.status.to_string()];
        let response = match response["$ref"].as_str() {
            Some(name) => self.document.pointer(&name[1..]).unwrap_or(&Value::Null),
            None => response,
        };
        assert!(
            response.is_object(),
            "{asked}: {path} has no response {}",
            answer.status
        );
        self.seen.insert(path.to_owned());
        let Some(content) = response["content"].as_object() else {
            return;
        };
        let media_type = answer.field("content-type").split(';').next().unwrap_or_default();
        let schema = &content
            .get(media_type)
            .unwrap_or_else(|| panic!("{asked}: {media_type}"))["schema"];
        // References of the document are kept, so the schema is a part of it.
        let mut whole = self.document.clone();
        whole["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        whole["allOf"] = json!([schema]);
        const NAME: &str = "https://schema.test/openapi";
        let mut compiler = boon::Compiler::new();
        compiler.enable_format_assertions();
        compiler.add_resource(NAME, whole).expect("it is a schema");
        let mut schemas = boon::Schemas::new();
        let index = compiler
            .compile(NAME, &mut schemas)
            .unwrap_or_else(|error| panic!("{asked}: {error:#}"));
        let values = match media_type {
            LINES => answer.lines(),
            _ => vec![answer.json()],
        };
        for value in values {
            if let Err(error) = schemas.validate(&value, index) {
                panic!("{asked}: {error:#}\n{value}");
            }
        }
    }
}

/// The media type of lines of JSON.
const LINES: &str = "application/x-ndjson";

/// Reads the log as lines, following the link of each answer. Returns all changes.
fn all_changes(page: &Serving, document: &mut Document, first: &str) -> Vec<Value> {
    let (mut next, mut found) = (first.to_owned(), Vec::new());
    loop {
        let answer = page.get(&next).has(200);
        document.check("/api/v1/changes", &next, &answer);
        let mut rows = answer.lines();
        let end = rows.pop().expect("the last line has the position");
        // The same as one document, for those who ask for it.
        let whole = page.send(&format!("GET {next}"), &["Accept: application/json"], "");
        document.check("/api/v1/changes", &next, &whole);
        let whole = whole.json();
        assert_eq!(whole["changes"], Value::from(rows.clone()), "{next}");
        for name in ["cursor", "is_last"] {
            assert_eq!(whole[name], end[name], "{next}");
        }
        let own = page.get(&format!(
            "/api/v1/changes?since={}",
            end["cursor"].as_str().expect("a cursor")
        ));
        assert_eq!(own.lines().len() == 1, end["is_last"] == true, "{next}");
        found.extend(rows);
        let link = whole["next_url"].as_str().expect("a URL").to_owned();
        assert_eq!(answer.field("link"), format!("<{link}>; rel=\"next\""), "{next}");
        if end["is_last"] == true {
            return found;
        }
        next = link;
    }
}

/// Follows the pages of a list, and returns all entries.
fn all(page: &Serving, document: &mut Document, path: &str, first: &str, list: &str) -> Vec<Value> {
    let (mut next, mut found) = (Some(first.to_owned()), Vec::new());
    while let Some(url) = next {
        let answer = page.get(&url).has(200);
        document.check(path, &url, &answer);
        let body = answer.json();
        found.extend(body[list].as_array().expect("a list").iter().cloned());
        next = body["next_url"].as_str().map(str::to_owned);
        if body["is_last"] == true {
            break;
        }
        let link = next
            .as_ref()
            .map_or(String::new(), |next| format!("<{next}>; rel=\"next\""));
        assert_eq!(answer.field("link"), link, "{url}");
    }
    found
}

#[test]
fn what_is_served_is_what_was_collected() {
    let (context, _served) = collected();
    let page = context.serve("serve -w ws");
    let mut document = Document::read(&page);
    let first = "/api/v1/objects?limit=7";
    let objects = all(&page, &mut document, "/api/v1/objects", first, "objects");
    // Collecting is expensive, so all cases share it. Each is run even if another fails.
    let cases: [(&str, &dyn Fn()); 7] = [
        ("the API answers as its document says", &|| {
            the_api_answers_as_its_document_says(&page, &objects);
        }),
        ("a request for changes waits", &|| {
            a_request_for_changes_waits(&page);
        }),
        ("feeds have the objects", &|| {
            feeds_have_the_objects(&page, &objects);
        }),
        ("tools answer a model", &|| {
            tools_answer_a_model(&context, &page, &objects);
        }),
        ("pages say what commands say", &|| {
            pages_say_what_commands_say(&context, &page, &objects);
        }),
        ("a tester finds no answer beside the document", &|| {
            a_tester_finds_no_answer_beside_the_document(&page);
        }),
        ("the book is typed", &|| the_book_is_typed(&context, &page)),
    ];
    let mut failed: Vec<&str> = Vec::new();
    for (name, case) in cases {
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(case)).is_err() {
            failed.push(name);
        }
    }
    assert_eq!(failed, [""; 0], "their messages are above");
}

#[test]
fn an_object_that_is_new_at_several_sites_is_counted_once() {
    let (context, served) = collected();
    let _later = served.later(3);
    let told = context.json("recrawl --later 3w -w ws --json");
    let count = |line: &Value| line["new_objects"].as_u64().expect("a number");
    let of_sites = told.iter().filter(|line| line["hubs"].is_number());
    let of_sites: u64 = of_sites.map(count).sum();
    let new = count(told.last().expect("a last line"));
    assert!(new > 0 && of_sites > new, "{of_sites} at the sites, {new} in all");
    let page = context.serve("serve -w ws --now 2026-11-24T09:30Z");
    let home = page.get("/").body;
    let figure = home
        .split("New in the last round</dt>")
        .nth(1)
        .expect("the figure");
    let shown = figure.split("</a>").next().expect("a link");
    assert!(shown.ends_with(&format!(">{new}")), "{shown}");
    let href = shown.split('"').nth(1).expect("an address").replace("&amp;", "&");
    let href = href.replacen("/changes?", "/changes.json?", 1);
    let list = page.get(&href).json();
    let changes = list["changes"].as_array().expect("changes");
    assert_eq!(changes.len() as u64, new, "the figure leads to as many: {list}");
}

/// Asks for a page twice, the second time for what has changed since, and returns the first answer.
fn unchanged(page: &Serving, path: &str) -> Answer {
    let answer = page.get(path).has(200);
    let since = format!("If-None-Match: {}", answer.field("etag"));
    let again = page.send(&format!("GET {path}"), &[&since], "").has(304);
    assert_eq!(again.body, "");
    answer
}

/// Asks every call, and compares all answers with the document.
fn the_api_answers_as_its_document_says(page: &Serving, objects: &[Value]) {
    let mut document = Document::read(page);
    let answer = page.get("/api/v1/openapi.json");
    document.check("/api/v1/openapi.json", "the document", &answer);
    let price = "/components/schemas/attributes.events/properties/price/x-kind";
    assert_eq!(document.document.pointer(price), Some(&json!("money")));

    let first = page.get("/api/v1/objects?limit=7");
    document.check("/api/v1/objects", "the first objects", &first);
    assert!(objects.len() > 20, "{}", objects.len());
    let ids: BTreeSet<_> = objects.iter().map(|object| object["object"].as_i64()).collect();
    assert_eq!(ids.len(), objects.len(), "each object comes once");

    let first = objects[0]["object"].as_i64().expect("an ID");
    let path = format!("/api/v1/object/{first}");
    let answer = unchanged(page, &path);
    document.check("/api/v1/object/{id}", &path, &answer);
    assert_eq!(answer.json()["label"], objects[0]["label"]);

    let found = page.get("/api/v1/search?q=is:current&limit=5&sort=start&fields=name,start");
    document.check("/api/v1/search", "a search", &found);
    let found = found.json();
    assert!(found["total"].as_u64() > Some(0), "{found}");
    assert!(!found["facets"].as_array().expect("facets").is_empty(), "{found}");
    for object in found["objects"].as_array().expect("a list") {
        let mut names = object["attributes"].as_object().expect("attributes").keys();
        assert!(names.all(|name| name == "name" || name == "start"), "{object}");
    }
    let sites = all(
        page,
        &mut document,
        "/api/v1/sites",
        "/api/v1/sites?limit=2",
        "sites",
    );
    assert_eq!(sites.len(), 3, "{sites:?}");

    changes_lead_to_the_objects(page, &mut document, objects);
    for (path, asked, status) in [
        ("/api/v1/objects", "/api/v1/objects?limit=0", 400),
        ("/api/v1/objects", "/api/v1/objects?limits=5", 400),
        ("/api/v1/objects", "/api/v1/objects?q=nosuch:x", 400),
        ("/api/v1/objects", "/api/v1/objects?cursor=deadbeef", 400),
        ("/api/v1/objects", "/api/v1/objects?q=a&q=b", 400),
        ("/api/v1/objects", "/api/v1/objects?vertical=nosuch", 404),
        ("/api/v1/search", "/api/v1/search?sort=nosuch", 400),
        ("/api/v1/object/{id}", "/api/v1/object/999999", 404),
        ("/api/v1/object/{id}", "/api/v1/object/x", 404),
        ("/api/v1/changes", "/api/v1/changes?since=c0ffee", 400),
        ("/api/v1/changes", "/api/v1/changes?kind=nosuch", 400),
        ("/api/v1/sites", "/api/v1/sites?vertical=nosuch", 404),
    ] {
        let answer = page.get(asked).has(status);
        document.check(path, asked, &answer);
        let detail = answer.json()["detail"].as_str().map(str::len);
        assert!(detail > Some(20), "{asked}: {}", answer.body);
    }
    let paths = document.document["paths"].as_object().expect("paths").keys();
    let paths: BTreeSet<String> = paths.cloned().collect();
    assert_eq!(document.seen, paths, "every call was compared");
}

/// A request that waits for changes has no answer while later requests have theirs.
fn a_request_for_changes_waits(page: &Serving) {
    const AT_THE_END: &str = "GET /api/v1/changes?since=2999-01-01";
    let mut waiting = asking(&page.address, &format!("{AT_THE_END}&wait=50"), &[]);
    for _ in 0..3 {
        assert_eq!(page.send(AT_THE_END, &[], "").status, 200);
    }
    waiting.set_nonblocking(true).expect("a socket");
    let answered = waiting.read(&mut [0]);
    assert!(
        answered
            .as_ref()
            .is_err_and(|error| error.kind() == ErrorKind::WouldBlock),
        "{answered:?}"
    );
}

/// Reads the log in pages and as a stream. It begins each object, and a cursor continues it.
fn changes_lead_to_the_objects(page: &Serving, document: &mut Document, objects: &[Value]) {
    let path = "/api/v1/changes";
    let changes = all_changes(page, document, "/api/v1/changes?limit=9");
    let mut known: BTreeMap<i64, &Value> = BTreeMap::new();
    for change in &changes {
        known.insert(change["object"].as_i64().expect("an ID"), &change["label"]);
    }
    for object in objects {
        let id = object["object"].as_i64().expect("an ID");
        assert_eq!(known.get(&id), Some(&&object["label"]), "object {id}");
    }
    let third = changes[2]["cursor"].as_str().expect("a cursor");
    let rest = unchanged(page, &format!("/api/v1/changes?since={third}&limit=1"));
    assert_eq!(rest.lines()[0], changes[3]);
    // A time is a position, too.
    let by_time = page.get("/api/v1/changes?since=2020-01-01&limit=1").lines();
    assert_eq!(by_time[0], changes[0]);
    let later = page.get("/api/v1/changes?since=2999-01-01").lines();
    assert_eq!((later.len(), &later[0]["is_last"]), (1, &json!(true)));

    // At the end of the log, a request that waits gets an answer without changes.
    let last = changes[changes.len() - 1]["cursor"].as_str().expect("a cursor");
    let waited = page.get(&format!("/api/v1/changes?since={last}&wait=1"));
    document.check(path, "waiting", &waited);
    assert_eq!(waited.lines().len(), 1, "{}", waited.body);

    let last = format!("Last-Event-ID: {third}");
    let fields = ["Accept: text/event-stream", &last];
    let stream = asking(&page.address, "GET /api/v1/changes", &fields);
    let lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
    let data = lines.filter_map(|line| line.strip_prefix("data: ").map(str::to_owned));
    let told: Vec<Value> = data
        .take(4)
        .map(|line| serde_json::from_str(&line).expect("JSON"))
        .collect();
    assert_eq!(told, changes[3..7]);
}

/// Reads each kind of feed with a reader that is not ours.
fn feeds_have_the_objects(page: &Serving, objects: &[Value]) {
    for (ending, media_type) in [
        ("atom", "application/atom+xml"),
        ("rss", "application/rss+xml"),
        ("feed.json", "application/feed+json"),
    ] {
        let answer = unchanged(page, &format!("/events.{ending}?q=is:current"));
        let own = answer.field("content-type");
        assert!(own.starts_with(media_type), "{own}");
        let read = magpie_test_support::feed_rs::parser::parse(answer.body.as_bytes()).expect("a feed");
        assert!(
            !read.entries.is_empty() && read.entries.len() <= 100,
            "{}",
            read.entries.len()
        );
        for entry in &read.entries {
            let title = entry.title.as_ref().map(|title| title.content.as_str());
            assert!(
                objects.iter().any(|object| object["label"].as_str() == title),
                "{title:?}"
            );
        }
    }
    let calendar = page.get("/events.ics").has(200);
    let events = calendar.body.matches("BEGIN:VEVENT\r\n").count();
    assert!(events > 20, "{events}");
    let one = objects.iter().find(|object| {
        let day = object["attributes"]["start"].as_str();
        day.is_some_and(|day| day.len() >= 10)
    });
    let id = &one.expect("an event with a day")["object"];
    let single = page.get(&format!("/object/{id}.ics")).body;
    let count = single.matches(&format!("UID:object-{id}@")).count();
    assert_eq!(count, 1, "{single}");
    if let Some(programs) = programs() {
        const SCRIPT: &str = "assert len({event['UID'] for event in events}) == len(events)\n\
            assert all(event['SUMMARY'] and event.decoded('DTSTART') for event in events)\n\
            assert all(event.decoded('SEQUENCE') >= 1 and event.decoded('LAST-MODIFIED') for event in events)\n\
            print(len(events))\n";
        let read = read_calendar(&programs, &calendar.body, SCRIPT);
        assert_eq!(read.trim(), events.to_string());
    }
}

/// Compares pages as data with the output of commands, byte for byte.
fn pages_say_what_commands_say(context: &TestContext, page: &Serving, objects: &[Value]) {
    let id = objects[0]["object"].to_string();
    let url = objects[0]["attributes"]["url"]
        .as_str()
        .expect("an event has a URL");
    let encoded: String = url::form_urlencoded::byte_serialize(url.as_bytes()).collect();
    let object = format!("/object/{id}.json");
    let explained = format!("/url.json?u={encoded}");
    let pairs = [
        ("/status.json", "status"),
        ("/api/v1/changes?limit=50", "objects changes --limit 50"),
        (&object, &format!("objects show {id}")),
        (&explained, &format!("explain {url}")),
        ("/sites.jsonl", "sites"),
        (
            "/changes.jsonl?since=2020-01-01&limit=50",
            "objects changes --limit 50",
        ),
        (
            "/events.jsonl?q=is:current&limit=1000&sort=label",
            "objects --where is:current --limit 0 --sort label",
        ),
        ("/webhooks.jsonl", "webhooks"),
        ("/feeds.jsonl", "feeds"),
    ];
    let mut different = Vec::new();
    for (path, command) in pairs {
        let mut printed = context.ok(&format!("{command} -w ws --json")).out;
        let answer = page.get(path).has(200);
        if path.starts_with("/changes") {
            // The command adds the cursor for its next call.
            let cursor = printed.trim_end().rfind('\n').expect("several lines") + 1;
            printed.truncate(cursor);
        }
        if answer.body != printed {
            different.push(format!("{path}\n{}\n{command:?}\n{printed}", answer.body));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n\n"));
    runs_and_their_reports_agree(context, page);
    plans_agree(context);
}

/// Compares runs with those of `magpie status`, and the report of each with `magpie report`.
fn runs_and_their_reports_agree(context: &TestContext, page: &Serving) {
    let status = &context.json("status -w ws --json")[0];
    assert_eq!(page.get("/runs.json").json()["runs"], status["runs"]);
    let mut reports = 0;
    for run in status["runs"].as_array().expect("runs") {
        let number = run["run"].to_string();
        let mut shown = page.get(&format!("/run/{number}.json")).json();
        let of_run = shown.as_object_mut().expect("an object").remove("reports");
        assert_eq!(&shown, run);
        for report in of_run
            .iter()
            .flat_map(|list| list.as_array().into_iter().flatten())
        {
            let told = format!("report -w ws --json --run {number} --out {number}.html");
            let told = &context.json(&told)[0];
            for name in ["vertical", "figures", "notices"] {
                assert_eq!(report[name], told[name], "{name} of run {number}");
            }
            reports += 1;
        }
    }
    assert!(reports > 0, "learning has a report");
}

/// Compares the plan with that of the command. The two are asked some seconds apart, so numbers
/// and times may differ by as much.
fn plans_agree(context: &TestContext) {
    let page = context.serve(&format!("serve -w ws --now {LATER}"));
    let shown = page.get("/plan.jsonl?next=1000").lines();
    let told = context.json(&format!("plan -w ws --next 1000 --json --now {LATER}"));
    assert!(told.len() > 20, "{}", told.len());
    let sorted = |mut rows: Vec<Value>| {
        rows.sort_by_key(|row| format!("{} {}", row["budget"], row["page"]));
        rows
    };
    let (shown, told) = (sorted(shown), sorted(told));
    assert_eq!(shown.len(), told.len());
    for (shown, told) in shown.iter().zip(&told) {
        assert!(are_close(shown, told), "{shown}\n{told}");
    }
}

/// Compares values, with numbers that may differ by a hundredth and times by some minutes.
fn are_close(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(own), Value::Object(others)) => {
            own.len() == others.len() && own.iter().all(|(name, value)| are_close(value, &others[name]))
        }
        (Value::Array(own), Value::Array(others)) => {
            own.len() == others.len() && own.iter().zip(others).all(|(one, other)| are_close(one, other))
        }
        (Value::Number(own), Value::Number(other)) => {
            let (own, other) = (
                own.as_f64().unwrap_or_default(),
                other.as_f64().unwrap_or_default(),
            );
            (own - other).abs() <= 0.01 * own.abs().max(other.abs()).max(0.1)
        }
        (Value::String(own), Value::String(other)) => {
            let time = |text: &str| magpie_values::Timestamp::parse(text);
            match (time(own), time(other)) {
                (Some(own), Some(other)) => own.as_seconds().abs_diff(other.as_seconds()) < 600,
                _ => own == other,
            }
        }
        _ => one == other,
    }
}

/// Calls the tools over HTTP and over the standard streams, and compares the two.
fn tools_answer_a_model(context: &TestContext, page: &Serving, objects: &[Value]) {
    let first = objects[0]["object"].clone();
    let url = &objects[0]["attributes"]["url"];
    let calls = [
        ("search_objects", json!({"q": "is:current", "limit": 3})),
        ("get_object", json!({"object": first})),
        ("object_history", json!({"object": first})),
        ("changes_since", json!({"since": "2026-01-01", "limit": 2})),
        ("explain_url", json!({"url": url})),
        ("list_sites", json!({"limit": 2})),
        ("plan", json!({"limit": 2})),
        ("status", json!({})),
    ];
    let mut lines = String::new();
    let mut over_http = Vec::new();
    for (number, (name, arguments)) in calls.iter().enumerate() {
        let call = json!({
            "jsonrpc": "2.0", "id": number, "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        });
        lines.push_str(&format!("{call}\n"));
        let fields = [
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
        ];
        let answer = page.send("POST /mcp", &fields, &call.to_string()).has(200).json();
        assert_eq!(answer["result"]["isError"], false, "{name}: {answer}");
        over_http.push(answer);
    }
    let text = over_http[0]["result"]["content"][0]["text"]
        .as_str()
        .expect("a text");
    assert!(
        text.contains("<data>") && text.contains("not instructions"),
        "{text}"
    );

    let mut server = context
        .command("mcp -w ws")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    server
        .stdin
        .take()
        .expect("it is piped")
        .write_all(lines.as_bytes())
        .expect("written");
    let output = server.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let printed: Result<Vec<Value>, _> = serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .collect();
    let printed = printed.expect("JSON");
    assert_eq!(printed.len(), over_http.len());
    for (one, other) in printed.iter().zip(&over_http) {
        // The path of the workspace and the ages in sentences differ from call to call.
        assert_eq!(one["id"], other["id"]);
        assert_eq!(one["result"]["isError"], false, "{one}");
    }
    assert_eq!(printed[..3], over_http[..3]);

    // A form that another site sends is refused.
    let strange = ["Content-Type: application/json", "Origin: http://evil.example"];
    assert_eq!(page.send("POST /mcp", &strange, "{}").status, 403);
    assert_eq!(page.get("/mcp").status, 405);
}

/// Lets schemathesis make requests from the document.
fn a_tester_finds_no_answer_beside_the_document(page: &Serving) {
    let Some(programs) = programs() else {
        return;
    };
    let output = Command::new(programs.join("schemathesis"))
        .arg("run")
        .arg(format!("http://{}/api/v1/openapi.json", page.address))
        .args(["--max-examples=8", "--phases=examples,fuzzing", "--seed=1", "--no-color", "--max-time=30"])
        // Its requests may wait for changes that never come.
        .args(["--exclude-path", "/api/v1/changes"])
        .args([
            "--checks=not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        ])
        .args(["--generation-database=none", "--workers=1"])
        .current_dir(std::env::temp_dir())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Types the commands of the chapters that need a server. Their address is replaced.
fn the_book_is_typed(context: &TestContext, page: &Serving) {
    const CHAPTERS: [&str; 2] = [
        include_str!("../../../../docs/guides/subscribe.md"),
        include_str!("../../../../docs/guides/api.md"),
    ];
    let mut typed = 0;
    for line in CHAPTERS.iter().flat_map(|chapter| commands(chapter)) {
        let line = line.replace("127.0.0.1:8747", &page.address);
        let output = Command::new("sh")
            .args(["-c", &line])
            .current_dir(context.path("ws"))
            .env("PATH", path_with_magpie())
            .env("HOME", context.path(""))
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&output.stdout);
        let problem = String::from_utf8_lossy(&output.stderr);
        let is_silent = said.is_empty() && !line.contains(">>");
        assert!(output.status.success() && !is_silent, "{line}\n{said}\n{problem}");
        // An answer that is a problem is a success for curl.
        assert!(
            !said.contains("\"status\":4") && !said.contains("\"status\":5"),
            "{line}\n{said}"
        );
        typed += 1;
    }
    assert!(typed >= 12, "{typed} commands were typed");
}

/// Returns the commands of the blocks of code without a language, with continued lines joined.
fn commands(chapter: &str) -> Vec<String> {
    let (mut found, mut block): (Vec<String>, Option<&str>) = (Vec::new(), None);
    let mut continued = String::new();
    for line in chapter.lines() {
        if let Some(opened) = line.strip_prefix("```") {
            block = if block.is_some() { None } else { Some(opened) };
        } else if block == Some("") {
            match line.strip_suffix('\\') {
                Some(part) => continued.push_str(part),
                None => found.push(std::mem::take(&mut continued) + line),
            }
        }
    }
    found
}

fn path_with_magpie() -> std::ffi::OsString {
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_magpie"))
        .parent()
        .map(std::path::Path::to_owned);
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = own.into_iter().chain(std::env::split_paths(&others));
    std::env::join_paths(folders).expect("folders")
}
