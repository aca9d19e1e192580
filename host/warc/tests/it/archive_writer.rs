//! Written archives: read back by our reader, and checked by another tool where it is installed.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use bytes::Bytes;
use magpie_http::HttpLimits;
use magpie_values::Timestamp;
use magpie_warc::{
    ArchiveError, ArchiveReader, ArchiveSettings, ArchiveWriter, Compression, Exchange, Kept, Location,
    Original, PayloadDigest, Record, RecordKind, Target, Truncated, read_archived,
};
use proptest::prelude::*;

const DATE: Timestamp = Timestamp::from_millis(1_600_000_000_123);

fn writer(folder: &Path, settings: &ArchiveSettings) -> ArchiveWriter {
    ArchiveWriter::create(folder, "test.warc.gz", settings, 42).unwrap()
}

fn target(url: &str) -> Target<'_> {
    Target { url, date: DATE }
}

fn exchange(head: &str, body: &[u8]) -> Exchange {
    Exchange {
        remote: Some("2001:db8::1".parse().unwrap()),
        request: Bytes::from_static(b"GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n"),
        response_head: Bytes::copy_from_slice(head.as_bytes()),
        body: Bytes::copy_from_slice(body),
        truncated: None,
    }
}

fn append(writer: &mut ArchiveWriter, url: &str, exchange: &Exchange, kept: Kept<'_>) -> Location {
    let digest = PayloadDigest::of(&exchange.body);
    writer.append(target(url), exchange, &digest, kept).unwrap()
}

fn records(folder: &Path) -> Vec<Record> {
    let reader = ArchiveReader::open(&folder.join("test.warc.gz")).unwrap();
    let records: Vec<Record> = reader.map(Result::unwrap).collect();
    assert!(records.iter().all(|record| record.problem.is_none()));
    records
}

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ArchiveSettings::default();
    drop(writer(folder.path(), &settings));
    drop(ArchiveWriter::resume(folder.path(), "other.warc.gz", 0, &settings, 42).unwrap());
    for name in ["test.warc.gz", "other.warc.gz"] {
        let metadata = std::fs::metadata(folder.path().join(name)).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn an_exchange_is_a_response_and_its_request() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ArchiveSettings {
        software: "test/1".to_owned(),
        description: vec![("operator".to_owned(), "A. N. Other\r\nevil: yes".to_owned())],
        block_digests: true,
        ..ArchiveSettings::default()
    };
    let mut writer = writer(folder.path(), &settings);
    let cut_off = Exchange {
        truncated: Some(Truncated::Length),
        ..exchange(HEAD, b"hello")
    };
    append(&mut writer, "https://a.test/x", &cut_off, Kept::Whole);
    assert_eq!(writer.sync().unwrap(), writer.bytes());
    let records = records(folder.path());
    let [info, response, request] = records.as_slice() else {
        panic!("{records:?}")
    };
    assert_eq!(
        (&info.kind, info.headers.get("WARC-Filename")),
        (&RecordKind::Info, Some("test.warc.gz"))
    );
    let fields = String::from_utf8(info.block.clone()).unwrap();
    assert!(
        fields.contains("software: test/1\r\n") && fields.contains("operator: A. N. Other  evil: yes\r\n"),
        "{fields}"
    );
    assert_eq!(
        (response.kind.clone(), response.target.as_str()),
        (RecordKind::Response, "https://a.test/x")
    );
    let field = |record: &Record, name: &str| record.headers.get(name).unwrap_or_default().to_owned();
    assert_eq!(field(response, "WARC-Date"), "2020-09-13T12:26:40.123Z");
    assert_eq!(field(response, "WARC-IP-Address"), "2001:db8::1");
    assert_eq!(field(response, "WARC-Truncated"), "length");
    // The digest of "hello", as any tool gives it.
    assert_eq!(
        field(response, "WARC-Payload-Digest"),
        "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    );
    assert_eq!(response.block, [HEAD.as_bytes(), b"hello"].concat());
    assert_eq!(
        (request.kind.clone(), request.block.as_slice()),
        (RecordKind::Request, &cut_off.request[..])
    );
    assert_eq!(
        field(request, "WARC-Concurrent-To"),
        field(response, "WARC-Record-ID")
    );
    assert!(field(response, "WARC-Record-ID").starts_with("<urn:uuid:"));
}

#[test]
fn revisits_say_what_they_refer_to() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = writer(folder.path(), &ArchiveSettings::default());
    let original = Original {
        url: "https://a.test/old",
        date: Timestamp::from_millis(5),
        digest: Some(PayloadDigest::of(b"hello")),
    };
    append(
        &mut writer,
        "https://a.test/x",
        &exchange(HEAD, b"hello"),
        Kept::SameBody(original),
    );
    let head = "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n";
    append(
        &mut writer,
        "https://a.test/x",
        &exchange(head, b""),
        Kept::NotModified(original),
    );
    writer.sync().unwrap();
    let records = records(folder.path());
    let revisits: Vec<&Record> = records
        .iter()
        .filter(|record| record.kind == RecordKind::Revisit)
        .collect();
    let profiles: Vec<&str> = revisits
        .iter()
        .map(|record| {
            record
                .headers
                .get("WARC-Profile")
                .unwrap()
                .rsplit('/')
                .next()
                .unwrap()
        })
        .collect();
    assert_eq!(profiles, ["identical-payload-digest", "server-not-modified"]);
    for revisit in &revisits {
        assert_eq!(
            revisit.headers.get("WARC-Refers-To-Target-URI"),
            Some("https://a.test/old")
        );
        assert_eq!(
            revisit.headers.get("WARC-Refers-To-Date"),
            Some("1970-01-01T00:00:00.005Z")
        );
    }
    assert_eq!(revisits[0].block, HEAD.as_bytes());
    assert_eq!(revisits[1].block, head.as_bytes());
}

#[test]
fn a_place_without_a_record_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = writer(folder.path(), &ArchiveSettings::default());
    let location = append(
        &mut writer,
        "https://a.test/x",
        &exchange(HEAD, b"hello"),
        Kept::Whole,
    );
    writer.sync().unwrap();
    let path = folder.path().join("test.warc.gz");
    let beside = Location {
        offset: location.offset + 1,
        ..location
    };
    let behind = Location {
        offset: writer.bytes(),
        length: 100,
    };
    let short = Location {
        length: location.length / 2,
        ..location
    };
    let info = Location {
        offset: 0,
        length: location.offset,
    };
    for wrong in [beside, behind, short, info] {
        let error = read_archived(&path, wrong).unwrap_err();
        assert!(matches!(error, ArchiveError::BadRecord { .. }), "{error}");
    }
}

#[test]
fn what_is_rolled_back_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = writer(folder.path(), &ArchiveSettings::default());
    append(
        &mut writer,
        "https://a.test/1",
        &exchange(HEAD, b"one"),
        Kept::Whole,
    );
    let kept = writer.sync().unwrap();
    append(
        &mut writer,
        "https://a.test/2",
        &exchange(HEAD, b"two"),
        Kept::Whole,
    );
    writer.sync().unwrap();
    append(
        &mut writer,
        "https://a.test/3",
        &exchange(HEAD, b"three"),
        Kept::Whole,
    );
    writer.roll_back(kept).unwrap();
    append(
        &mut writer,
        "https://a.test/4",
        &exchange(HEAD, b"four"),
        Kept::Whole,
    );
    writer.sync().unwrap();
    let targets: Vec<String> = records(folder.path())
        .into_iter()
        .filter(|record| record.kind == RecordKind::Response)
        .map(|record| record.target)
        .collect();
    assert_eq!(targets, ["https://a.test/1", "https://a.test/4"]);
}

/// A response's parts: fields that matter to a reader, and a body.
fn messages() -> impl Strategy<Value = Vec<(Option<&'static str>, Vec<u8>)>> {
    let field = proptest::option::of(prop_oneof![
        Just("Content-Type: text/html"),
        Just("Content-Type: image/png"),
        Just("Content-Encoding: br"),
        Just("Transfer-Encoding: chunked"),
        Just("WARC/1.0"),
    ]);
    let body = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..300),
        "(WARC/1.1\r\n|GET / |\r\n|<p>hello</p>|[a-zé]{1,9}){0,60}".prop_map(String::into_bytes),
    ];
    proptest::collection::vec((field, body), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(messages in messages(), level in 0usize..3) {
        let folder = tempfile::tempdir().unwrap();
        let compression = [Compression::Stored, Compression::Fast, Compression::Small][level];
        let mut writer = writer(folder.path(), &ArchiveSettings { compression, ..ArchiveSettings::default() });
        let mut locations = Vec::new();
        for (number, (field, body)) in messages.iter().enumerate() {
            let head = format!("HTTP/1.1 200 OK\r\n{}\r\n\r\n", field.unwrap_or("A: b"));
            let url = format!("https://a.test/{number}");
            locations.push(append(&mut writer, &url, &exchange(&head, body), Kept::Whole));
        }
        writer.sync().unwrap();
        let path = folder.path().join("test.warc.gz");
        let records = records(folder.path());
        prop_assert_eq!(records.len(), 1 + 2 * messages.len());
        for (number, (_, body)) in messages.iter().enumerate() {
            let record = read_archived(&path, locations[number]).unwrap();
            prop_assert_eq!(&record.target, &format!("https://a.test/{number}"));
            prop_assert_eq!(record.offset, locations[number].offset);
            prop_assert_eq!(&record.block, &records[1 + 2 * number].block);
            prop_assert!(record.block.ends_with(body));
            let head = record.http_response(&HttpLimits::default()).unwrap();
            prop_assert_eq!(head.status, 200);
        }
    }
}

/// A Python with warcio: the one named by `MAGPIE_TEST_PYTHON`, or the system's.
fn python_with_warcio() -> Option<PathBuf> {
    let named = std::env::var_os("MAGPIE_TEST_PYTHON").map(PathBuf::from);
    let candidates = named.into_iter().chain([PathBuf::from("python3")]);
    candidates.into_iter().find(|python| {
        let tried = Command::new(python).args(["-c", "import warcio"]).output();
        tried.is_ok_and(|output| output.status.success())
    })
}

#[test]
fn warcio_accepts_what_is_written() {
    let Some(python) = python_with_warcio() else {
        magpie_test_support::skip("no Python with warcio (MAGPIE_TEST_PYTHON names one)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let settings = ArchiveSettings {
        block_digests: true,
        ..ArchiveSettings::default()
    };
    let mut writer = writer(folder.path(), &settings);
    let body = "<p>héllo</p>".repeat(1000);
    append(
        &mut writer,
        "https://a.test/1",
        &exchange(HEAD, body.as_bytes()),
        Kept::Whole,
    );
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n";
    append(
        &mut writer,
        "https://a.test/2",
        &exchange(chunked, b"not chunked any more"),
        Kept::Whole,
    );
    append(
        &mut writer,
        "https://a.test/3",
        &exchange("HTTP/1.1 204 No Content\r\n\r\n", b""),
        Kept::Whole,
    );
    let original = Original {
        url: "https://a.test/1",
        date: DATE,
        digest: Some(PayloadDigest::of(body.as_bytes())),
    };
    append(
        &mut writer,
        "https://a.test/4",
        &exchange(HEAD, body.as_bytes()),
        Kept::SameBody(original),
    );
    let not_modified = exchange("HTTP/1.1 304 Not Modified\r\n\r\n", b"");
    append(
        &mut writer,
        "https://a.test/1",
        &not_modified,
        Kept::NotModified(original),
    );
    writer.sync().unwrap();
    let path = folder.path().join("test.warc.gz");
    let run = |arguments: &[&str]| {
        let output = Command::new(&python)
            .args(["-m", "warcio.cli"])
            .args(arguments)
            .arg(&path)
            .output()
            .unwrap();
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "warcio {arguments:?}: {text}");
        text
    };
    let checked = run(&["check", "-v"]);
    // The info, five exchanges of which two are revisits, and their requests.
    assert_eq!(checked.matches("digest pass").count(), 1 + 3 + 5, "{checked}");
    let index = run(&["index", "-f", "warc-type,warc-target-uri,http:status"]);
    let lines: Vec<&str> = index
        .lines()
        .filter(|line| line.contains("\"revisit\""))
        .collect();
    assert_eq!(lines.len(), 2, "{index}");
    assert!(lines[1].contains("\"304\""), "{index}");
}
