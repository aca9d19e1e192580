use std::collections::BTreeSet;
use std::io::{Cursor, Write};

use magpie_test_support::server::{Reply, Site};
use tempfile::TempDir;

use super::*;
use crate::fetch::tests::on_this_machine;
use magpie_values::Timestamp;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

const PAGE: &str = r#"{"url": "https://a.test/x", "fetched_at": "2026-03-01T12:00:00Z"}"#;

fn read(arguments: &[&str], settings: InputSettings) -> Vec<Result<InputPage, InputProblem>> {
    Inputs::new(arguments.iter().map(|&argument| argument.to_owned()), settings)
        .pages()
        .collect()
}

/// The bodies of the pages; for a problem its sentence behind a `!`.
fn bodies(pages: &[Result<InputPage, InputProblem>]) -> Vec<String> {
    let body = |page: &InputPage| String::from_utf8_lossy(&page.source.body).into_owned();
    pages
        .iter()
        .map(|page| {
            page.as_ref()
                .map_or_else(|problem| format!("!{}", problem.sentence), body)
        })
        .collect()
}

fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

#[test]
fn a_file_is_a_page_of_its_own_url() {
    let folder = folder(&[("a b.html", "<p>a")]);
    let name = path(&folder, "a b.html");
    let settings = InputSettings {
        fetched_at: Some(Timestamp::from_seconds(7)),
        ..InputSettings::default()
    };
    let pages = read(&[&name], settings);
    let page = pages[0].as_ref().unwrap();
    assert_eq!(page.name, name);
    assert_eq!(
        (
            page.source.url.scheme(),
            page.source.status,
            page.source.fetched_at
        ),
        ("file", 200, Timestamp::from_seconds(7))
    );
    assert!(page.source.url.path().ends_with("/a%20b.html"));
    assert_eq!(
        page.source.headers,
        [("content-type".to_owned(), "text/html".to_owned())]
    );
}

#[test]
fn the_time_of_modification_stands_for_the_fetch() {
    let folder = folder(&[("a.html", "")]);
    let pages = read(&[&path(&folder, "a.html")], InputSettings::default());
    assert!(pages[0].as_ref().unwrap().source.fetched_at > Timestamp::from_seconds(1_700_000_000));
}

#[test]
fn the_url_that_was_given_counts_before_all_others() {
    let folder = folder(&[("page.html", "x"), ("page.json", PAGE)]);
    let name = path(&folder, "page.html");
    let page = read(&[&name], InputSettings::default()).remove(0).unwrap();
    assert_eq!(
        (page.source.url.as_str(), page.source.fetched_at),
        ("https://a.test/x", Timestamp::from_seconds(1_772_366_400))
    );
    let url = Url::parse("https://b.test/").unwrap();
    let settings = InputSettings {
        url: Some(url.clone()),
        ..InputSettings::default()
    };
    let page = read(&[&name], settings).remove(0).unwrap();
    assert_eq!(
        (page.source.url, page.source.fetched_at),
        (url, Timestamp::from_seconds(1_772_366_400))
    );
}

#[test]
fn a_folder_is_walked_in_order() {
    let folder = folder(&[
        ("b/2.html", "b2"),
        ("b/10.html", "b10"),
        ("a.HTM", "a"),
        ("c.json", "c"),
        ("d/fixture/page.html", "fixture"),
        ("d/fixture/page.json", PAGE),
        ("d/fixture/expected.json", "{}"),
        ("d/clusters.json", "{}"),
        ("e.txt", "no page"),
        ("f.jsonl", "no page"),
        (".hidden/g.html", "no page"),
        (".h.html", "no page"),
        ("i.ics", "i"),
    ]);
    let name = folder.path().display().to_string();
    let pages = read(&[&name], InputSettings::default());
    assert_eq!(bodies(&pages), ["a", "b10", "b2", "c", "fixture", "i"]);
    let fixture = read(&[&path(&folder, "d/fixture")], InputSettings::default())
        .remove(0)
        .unwrap();
    assert_eq!(fixture.source.url.as_str(), "https://a.test/x");
}

#[cfg(unix)]
#[test]
fn links_to_folders_are_not_followed() {
    let folder = folder(&[("a/1.html", "one")]);
    std::os::unix::fs::symlink(folder.path(), folder.path().join("a/loop")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("a/1.html"), folder.path().join("a/2.html")).unwrap();
    let pages = read(&[&folder.path().display().to_string()], InputSettings::default());
    assert_eq!(bodies(&pages), ["one", "one"]);
}

#[test]
fn what_is_missing_is_one_problem_and_the_rest_is_read() {
    let folder = folder(&[
        ("a.html", "a"),
        ("b.html", "b"),
        ("bad/page.html", ""),
        ("bad/page.json", "{"),
    ]);
    let (a, b, bad) = (
        path(&folder, "a.html"),
        path(&folder, "b.html"),
        path(&folder, "bad"),
    );
    let missing = path(&folder, "none.html");
    let pages = read(&[&a, &missing, &bad, "http://[", &b], InputSettings::default());
    let bodies = bodies(&pages);
    assert_eq!(
        (bodies[0].as_str(), bodies[4].as_str(), bodies.len()),
        ("a", "b", 5)
    );
    let problem = pages[1].as_ref().unwrap_err();
    assert_eq!(
        problem.to_string(),
        format!("{missing}: there is no such file or folder")
    );
    assert!(
        pages[2]
            .as_ref()
            .unwrap_err()
            .sentence
            .contains("page.json: invalid JSON")
    );
    assert!(pages[3].as_ref().unwrap_err().sentence.contains("not a URL"));
}

#[test]
fn a_list_names_url_and_file() {
    let list = r#"{"url": "https://a.test/1", "file": "pages/1.html"}

{"url": "https://a.test/2", "file": "pages/2", "status": 404, "content_type": "text/plain", "fetched_at": "1970-01-01T00:01:00Z", "headers": {"x": ["1", "2"], "Content-Type": "a/b"}}
{"url": "https://a.test/3", "file": "pages/none.html"}
{"url": "https://a.test/4", "file": "pages/1.html", "fetched_at": 5, "status": null}
{"url": "nonsense", "file": "pages/1.html"}
{"url": "https://a.test/6"}
{"url": "https://a.test/7", "file": "pages/1.html", "date": 1}
[]
{"#;
    let folder = folder(&[("list.jsonl", list), ("pages/1.html", "one"), ("pages/2", "two")]);
    let pages = read(&[&path(&folder, "list.jsonl")], InputSettings::default());
    assert_eq!(pages.len(), 9);
    let first = &pages[0].as_ref().unwrap().source;
    assert_eq!(
        (first.url.as_str(), first.status, &*first.body),
        ("https://a.test/1", 200, b"one".as_slice())
    );
    let second = &pages[1].as_ref().unwrap().source;
    assert_eq!(
        (second.status, second.fetched_at, &*second.body),
        (404, Timestamp::from_seconds(60), b"two".as_slice())
    );
    let headers: Vec<String> = second
        .headers
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    assert_eq!(headers, ["x=1", "x=2", "content-type=text/plain"]);
    assert_eq!(
        pages[3].as_ref().unwrap().source.fetched_at,
        Timestamp::from_seconds(5)
    );
    let problems: Vec<&InputProblem> = pages.iter().filter_map(|page| page.as_ref().err()).collect();
    for (problem, part) in problems.iter().zip([
        "no such file",
        "https://example.org/x",
        "\"file\" is missing",
        "unknown key \"date\"",
        "an object",
        "not valid JSON at column 1",
    ]) {
        assert!(problem.sentence.contains(part), "{problem}");
    }
    assert!(
        problems[1].name.ends_with("list.jsonl line 6"),
        "{}",
        problems[1].name
    );
}

#[test]
fn a_list_is_read_from_standard_input_once() {
    let folder = folder(&[("1.html", "one")]);
    let line = serde_json::json!({"url": "https://a.test/", "file": path(&folder, "1.html")}).to_string();
    let inputs = Inputs::new(["-".to_owned(), "-".to_owned()], InputSettings::default());
    let inputs = inputs.with_standard_input(Cursor::new(line.into_bytes()));
    let pages: Vec<_> = inputs.pages().collect();
    assert_eq!(bodies(&pages), ["one", "!standard input was read already"]);
}

#[test]
fn an_endless_line_ends_the_list() {
    let inputs = Inputs::new(["-".to_owned()], InputSettings::default());
    let pages: Vec<_> = inputs.with_standard_input(io::repeat(b'x')).pages().collect();
    assert_eq!(pages.len(), 1);
    assert!(
        pages[0]
            .as_ref()
            .unwrap_err()
            .sentence
            .contains("the line has more than")
    );
}

fn record(kind: &str, target: &str, head: &str, block: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {target}\r\nWARC-Date: 1970-01-01T00:01:00Z\r\n{head}\
         Content-Length: {}\r\n\r\n",
        block.len()
    )
    .into_bytes();
    bytes.extend_from_slice(block);
    bytes.extend_from_slice(b"\r\n\r\n");
    bytes
}

fn response(target: &str, status: u16, head: &str, body: &[u8]) -> Vec<u8> {
    let mut message = format!("HTTP/1.1 {status} X\r\n{head}\r\n").into_bytes();
    message.extend_from_slice(body);
    record("response", target, "", &message)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const HTML: &str = "Content-Type: text/html\r\n";

#[test]
fn an_archive_gives_its_pages() {
    let coded = format!("{HTML}Content-Encoding: gzip\r\n");
    let records = [
        record("warcinfo", "", "", b"x"),
        response("http://a.test/1", 200, HTML, b"one"),
        response("http://a.test/gone", 404, HTML, b"gone"),
        response("http://a.test/image", 200, "Content-Type: image/png\r\n", b"x"),
        response(
            "http://a.test/script",
            200,
            "Content-Type: text/javascript\r\n",
            b"x",
        ),
        response("http://a.test/bytes", 200, "", b"a\0b"),
        response("http://a.test/empty", 200, HTML, b""),
        record("response", "dns:a.test", "", b"127.0.0.1"),
        record("request", "http://a.test/1", "", b"GET / HTTP/1.1\r\n\r\n"),
        response("http://a.test/2", 200, &coded, &gzip(b"two")),
        b"rubbish\r\n".to_vec(),
        response("http://a.test/3", 203, "", b"three"),
        record(
            "resource",
            "http://a.test/4",
            "Content-Type: application/ld+json\r\n",
            b"four",
        ),
        response(
            "http://a.test/5",
            200,
            &format!("{HTML}Content-Encoding: sdch\r\n"),
            b"five",
        ),
        response("a.test/6", 200, HTML, b"six"),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("x.warc", records.concat()),
        ("x.WARC.GZ", records.map(|one| gzip(&one)).concat()),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
        let pages = read(&[&path(&folder, name)], InputSettings::default());
        let bodies = bodies(&pages);
        assert_eq!(bodies[..2], ["one", "two"]);
        assert!(
            bodies[2].starts_with("!at byte") && bodies[2].contains("skipped"),
            "{}",
            bodies[2]
        );
        assert_eq!(bodies[3..5], ["three", "four"]);
        assert!(
            bodies[5].starts_with("!unknown content coding \"sdch\""),
            "{}",
            bodies[5]
        );
        assert_eq!(bodies.len(), 6);
        let second = pages[1].as_ref().unwrap();
        assert_eq!(
            (second.name.as_str(), second.source.fetched_at),
            ("http://a.test/2", Timestamp::from_seconds(60))
        );
        assert_eq!(
            second.source.headers,
            [("Content-Type".to_owned(), "text/html".to_owned())]
        );
    }
    // The archives of a folder are read in the order of their names.
    let name = folder.path().display().to_string();
    let pages = read(&[&name], InputSettings::default());
    let bodies = bodies(&pages);
    assert_eq!(bodies.len(), 12);
    assert_eq!((&*bodies[0], &*bodies[6]), ("one", "one"));
}

#[test]
fn a_file_that_only_looks_like_an_archive_is_a_problem() {
    let folder = folder(&[("x.warc", "<html>")]);
    let pages = read(&[&path(&folder, "x.warc")], InputSettings::default());
    assert_eq!(pages.len(), 1);
    assert!(
        pages[0]
            .as_ref()
            .unwrap_err()
            .sentence
            .contains("not a WARC or ARC file")
    );
}

#[test]
fn a_url_is_fetched_and_its_password_not_printed() {
    let address = Site::always(Reply::text("hello")).address;
    let pages = read(
        &[&format!("HTTP://me:secret@{address}/x")],
        InputSettings {
            fetch: on_this_machine(),
            ..InputSettings::default()
        },
    );
    assert_eq!(bodies(&pages), ["hello"]);
    assert_eq!(pages[0].as_ref().unwrap().name, format!("http://{address}/x"));
}

#[test]
fn many_threads_pull_every_input_once() {
    let files: Vec<(String, String)> = (0..200)
        .map(|number| (format!("{number:03}.html"), number.to_string()))
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let folder = folder(&files);
    let inputs = Inputs::new([folder.path().display().to_string()], InputSettings::default());
    let seen = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(input) = inputs.pull() {
                    let index = input.index;
                    let body = String::from_utf8(input.load().unwrap().source.body.to_vec()).unwrap();
                    assert_eq!(body, index.to_string());
                    seen.lock().unwrap().insert(index);
                }
            });
        }
    });
    assert_eq!(seen.into_inner().unwrap(), (0..200).collect());
}

#[test]
fn a_url_is_whole_and_of_the_web() {
    assert!(web_url("https://example.org/x").is_ok());
    assert!(web_url("HTTP://example.org").is_ok());
    for (text, part) in [
        ("example.org/x", "https://example.org/x"),
        ("", "https://example.org/x"),
        ("ftp://example.org/", "expected an http or https URL"),
        ("file:///x", "expected an http or https URL"),
        ("http://[", "not a URL"),
    ] {
        let sentence = web_url(text).unwrap_err();
        assert!(sentence.contains(part), "{text}: {sentence}");
    }
}

#[test]
fn arguments_without_a_page_are_remembered() {
    let folder = folder(&[
        ("empty.jsonl", ""),
        ("list.jsonl", "nonsense"),
        ("notes/a.txt", ""),
    ]);
    let arguments = ["empty.jsonl", "list.jsonl", "notes", "gone.html"].map(|name| path(&folder, name));
    let inputs = Inputs::new(arguments.clone(), InputSettings::default());
    assert_eq!(inputs.pages().count(), 2);
    assert_eq!(inputs.empty(), [arguments[0].clone(), arguments[2].clone()]);
    assert!(is_page_file(&arguments[3]), "what is missing may have been one");
    assert!(!is_page_file(&arguments[0]) && !is_page_file(&arguments[2]) && !is_page_file("-"));
}
