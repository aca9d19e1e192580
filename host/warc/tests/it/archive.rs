//! Archives whole, oddly packed and broken.

use std::io::{self, Read};

use crate::common::{gzip, outline, record, response};
use magpie_http::HttpLimits;
use magpie_values::Timestamp;
use magpie_warc::{ArchiveLimits, ArchiveReader, ProblemKind, Record, RecordKind};
use proptest::prelude::*;

fn three() -> [Vec<u8>; 3] {
    [
        response("http://a.test/", "one"),
        response("http://b.test/", "two"),
        response("http://c.test/", "three"),
    ]
}

const THREE: [&str; 3] = ["http://a.test/", "http://b.test/", "http://c.test/"];

fn records(bytes: &[u8]) -> Vec<Record> {
    ArchiveReader::new(bytes).map(Result::unwrap).collect()
}

/// Text that does not compress to nothing, so that a member has a middle to damage.
fn noise(length: usize) -> String {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b' ' + (state >> 24) as u8 % 90)
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn a_record_is_read_whole() {
    let bytes = response("http://a.test/x", "hello");
    let records = records(&bytes);
    let [record] = records.as_slice() else {
        panic!("{records:?}")
    };
    assert_eq!(
        (&record.kind, record.target.as_str()),
        (&RecordKind::Response, "http://a.test/x")
    );
    assert_eq!(
        (record.date, record.offset),
        (Some(Timestamp::from_seconds(1_588_748_889)), 0)
    );
    assert!(record.problem.is_none());
    let page = record.http_response(&HttpLimits::default()).unwrap();
    assert_eq!(
        (page.status, page.headers.get("content-type")),
        (200, Some("text/html"))
    );
    assert_eq!(page.body, b"hello");
}

#[test]
fn every_packing_gives_the_same_records() {
    let three = three();
    let plain = three.concat();
    assert_eq!(outline(&plain), THREE);
    assert_eq!(outline(&gzip(&plain)), THREE);
    assert_eq!(outline(&three.map(|record| gzip(&record)).concat()), THREE);
    for size in [1, 7, 100, 150] {
        let chunked: Vec<u8> = plain.chunks(size).flat_map(gzip).collect();
        assert_eq!(outline(&chunked), THREE, "members of {size} bytes");
    }
}

#[test]
fn offsets_are_those_of_the_file() {
    let members = three().map(|record| gzip(&record));
    let expected = [0, members[0].len(), members[0].len() + members[1].len()];
    let offsets: Vec<usize> = records(&members.concat())
        .iter()
        .map(|record| record.offset as usize)
        .collect();
    assert_eq!(offsets, expected);
    let plain = three();
    let offsets: Vec<usize> = records(&plain.concat())
        .iter()
        .map(|record| record.offset as usize)
        .collect();
    assert_eq!(offsets, [0, plain[0].len(), plain[0].len() + plain[1].len()]);
}

#[test]
fn angle_brackets_belong_to_the_grammar() {
    assert_eq!(
        outline(&record("metadata", "<http://a.test/>", b"x")),
        ["http://a.test/"]
    );
}

#[test]
fn kinds_are_told_apart() {
    let names = [
        "warcinfo",
        "Response",
        "revisit",
        "conversion",
        "continuation",
        "later",
    ];
    let bytes = names.map(|name| record(name, "x", b"")).concat();
    let kinds: Vec<RecordKind> = records(&bytes).into_iter().map(|record| record.kind).collect();
    let later = RecordKind::Other("later".to_owned());
    use RecordKind::{Continuation, Conversion, Info, Response, Revisit};
    assert_eq!(kinds, [Info, Response, Revisit, Conversion, Continuation, later]);
}

#[test]
fn an_arc_file_is_read() {
    let head = "1 0 Somebody\nURL IP-address Archive-date Content-type Archive-length\n";
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhello\n";
    let arc = format!(
        "filedesc://x.arc 0.0.0.0 20200506070809 text/plain {}\n{head}\n\
         dns:a.test 8.8.8.8 20200506070809 text/dns 9\n127.0.0.1\n\
         http://a.test/a b 127.0.0.1 20200506070809 text/html {}\n{page}\n",
        head.len(),
        page.len()
    );
    let records = records(arc.as_bytes());
    let kinds: Vec<&RecordKind> = records.iter().map(|record| &record.kind).collect();
    assert_eq!(
        kinds,
        [&RecordKind::Info, &RecordKind::Resource, &RecordKind::Response]
    );
    let last = records.last().unwrap();
    assert_eq!(
        (last.target.as_str(), last.date),
        ("http://a.test/a b", Some(Timestamp::from_seconds(1_588_748_889)))
    );
    assert_eq!(last.block, page.as_bytes());
    assert_eq!(last.content_type(), Some("text/html"));
}

#[test]
fn a_cut_file_gives_what_is_there() {
    let plain = three().concat();
    assert_eq!(
        outline(&plain[..plain.len() - 6]),
        ["http://a.test/", "http://b.test/", "http://c.test/!"]
    );
    let cut_in_head = plain.len() - response("", "three").len();
    assert_eq!(
        outline(&plain[..cut_in_head]),
        ["http://a.test/", "http://b.test/", "?"]
    );
    let cut_member = gzip(&response("http://a.test/", &noise(5000)));
    assert_eq!(outline(&cut_member[..3000]), ["http://a.test/!"]);
}

#[test]
fn a_member_that_breaks_off_costs_one_record() {
    // A writer died, and its successor went on in the same file.
    let mut bytes = gzip(&response("http://a.test/", &noise(5000)));
    bytes.truncate(3000);
    bytes.extend(gzip(&response("http://b.test/", "two")));
    bytes.extend(gzip(&response("http://c.test/", "three")));
    assert_eq!(
        outline(&bytes),
        ["http://a.test/!", "http://b.test/", "http://c.test/"]
    );
}

#[test]
fn a_record_cut_inside_a_whole_member_ends_there() {
    let long = response("http://a.test/", &noise(5000));
    let bytes = [gzip(&long[..2000]), gzip(&response("http://b.test/", "two"))].concat();
    assert_eq!(outline(&bytes), ["http://a.test/!", "http://b.test/"]);
}

/// A file that returns a byte at a time, as if a member began at the end of each read.
struct Slow<'b>(&'b [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = into.len().min(1);
        self.0.read(&mut into[..count])
    }
}

#[test]
fn a_record_cut_inside_a_whole_member_ends_there_however_slowly_it_comes() {
    let [first, second, _] = three();
    let bytes = [gzip(&first[..first.len() - 6]), gzip(&second)].concat();
    let told = |bytes: &mut dyn Read| -> Vec<String> {
        ArchiveReader::new(bytes)
            .map(|item| format!("{item:?}"))
            .collect()
    };
    let slowly = told(&mut Slow(&bytes));
    assert_eq!(slowly, told(&mut bytes.as_slice()));
    assert_eq!(slowly.len(), 2);
}

#[test]
fn gzip_is_known_when_its_first_bytes_are_damaged() {
    let mut bytes = three().map(|record| gzip(&record)).concat();
    bytes[..2].fill(0);
    assert_eq!(outline(&bytes), ["?", "http://b.test/", "http://c.test/"]);
}

#[test]
fn rubbish_between_records_is_passed_over() {
    let [a, b, c] = three();
    let plain = [
        a.clone(),
        b"rubbish WARC/1.0\r\nmore".to_vec(),
        b"\r\n".to_vec(),
        b.clone(),
    ]
    .concat();
    assert_eq!(outline(&plain), ["http://a.test/", "?", "http://b.test/"]);
    let members = [
        gzip(&a),
        vec![0; 512],
        gzip(&b),
        b"rubbish".to_vec(),
        gzip(&c),
        vec![0; 512],
    ]
    .concat();
    assert_eq!(
        outline(&members),
        [
            "http://a.test/",
            "?",
            "http://b.test/",
            "?",
            "http://c.test/",
            "?"
        ]
    );
}

#[test]
fn a_length_too_small_costs_no_other_record() {
    let short = String::from_utf8(response("http://a.test/", "hello")).unwrap();
    let short = short.replace("Content-Length: 4", "Content-Length: 3");
    assert_eq!(
        outline(&[short.into_bytes(), response("http://b.test/", "two")].concat()),
        ["http://a.test/", "?", "http://b.test/"]
    );
}

#[test]
fn a_record_without_length_is_passed_over() {
    for length in [
        "",
        "Content-Length: -1\r\n",
        "Content-Length: 12x\r\n",
        "Content-Length: 99999999999999999999\r\n",
    ] {
        let bad = format!("WARC/1.0\r\nWARC-Type: response\r\n{length}\r\n");
        let bytes = [bad.into_bytes(), response("http://b.test/", "two")].concat();
        assert_eq!(outline(&bytes), ["?", "http://b.test/"], "{length}");
    }
}

#[test]
fn headers_and_blocks_are_limited() {
    let limits = ArchiveLimits {
        block_bytes: 10,
        header_bytes: 300,
        header_fields: 8,
    };
    let read = |bytes: &[u8]| -> Vec<_> { ArchiveReader::with_limits(bytes, limits).collect() };
    let large = record("resource", "http://a.test/", &[b'x'; 200_000]);
    let items = read(&[large, record("resource", "http://b.test/", b"y")].concat());
    let first = items[0].as_ref().unwrap();
    assert_eq!(first.block, [b'x'; 10]);
    assert!(matches!(
        first.problem,
        Some(ProblemKind::TooLarge {
            expected: 200_000,
            limit: 10
        })
    ));
    assert_eq!(items[1].as_ref().unwrap().block, b"y");

    let many = format!("WARC/1.0\r\n{}", "A: b\r\n".repeat(9));
    assert!(matches!(
        read(many.as_bytes())[0].as_ref().unwrap_err().kind,
        ProblemKind::TooManyFields { limit: 8 }
    ));
    let long = format!("WARC/1.0\r\nA: {}\r\n", "b".repeat(300));
    assert!(matches!(
        read(long.as_bytes())[0].as_ref().unwrap_err().kind,
        ProblemKind::HeaderTooLong { .. }
    ));
}

/// The block claims to be as long as a number can say, and its member inflates to 50 MB.
#[test]
fn a_gzip_bomb_costs_no_more_than_the_limit() {
    let limits = ArchiveLimits {
        block_bytes: 1000,
        ..ArchiveLimits::default()
    };
    let mut bomb = format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: {}\r\n\r\n",
        u64::MAX
    )
    .into_bytes();
    bomb.resize(50_000_000, 0);
    let nested = record(
        "resource",
        "http://b.test/",
        &gzip(&response("http://c.test/", "inner")),
    );
    let bytes = [
        gzip(&bomb),
        gzip(&nested),
        gzip(&response("http://d.test/", "last")),
    ]
    .concat();
    let read: Vec<Record> = ArchiveReader::with_limits(bytes.as_slice(), limits)
        .map(Result::unwrap)
        .collect();
    let targets: Vec<&str> = read.iter().map(|record| record.target.as_str()).collect();
    assert_eq!(
        targets,
        ["", "http://b.test/", "http://d.test/"],
        "what is inside is data"
    );
    assert_eq!(read[0].block.len(), 1000);
    assert!(matches!(
        read[0].problem,
        Some(ProblemKind::CutOff {
            expected: u64::MAX,
            ..
        })
    ));
}

#[test]
fn what_is_no_archive_is_said_once() {
    for bytes in [
        b"".as_slice(),
        b"\r\n\r\n",
        b"<html>no archive</html>",
        &gzip(b"neither\nis\nthis"),
        &[0x1f, 0x8b, 8],
    ] {
        let items: Vec<_> = ArchiveReader::new(bytes).collect();
        let last = items.last().unwrap().as_ref().unwrap_err();
        assert!(matches!(last.kind, ProblemKind::NotAnArchive), "{last}");
    }
}

#[test]
fn an_error_of_the_file_is_told() {
    struct Failing(io::Cursor<Vec<u8>>);
    impl Read for Failing {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            match self.0.read(into)? {
                0 => Err(io::Error::other("disk on fire")),
                count => Ok(count),
            }
        }
    }
    for bytes in [
        response("http://a.test/", "one"),
        gzip(&response("http://a.test/", "one")),
    ] {
        let items: Vec<_> = ArchiveReader::new(Failing(io::Cursor::new(bytes))).collect();
        assert_eq!(items[0].as_ref().unwrap().target, "http://a.test/");
        assert!(matches!(items[1].as_ref().unwrap_err().kind, ProblemKind::Io(_)));
        assert_eq!(items.len(), 2);
    }
}

#[test]
fn a_file_of_nothing_but_marks_takes_bounded_time() {
    // Every mark begins a member whose data lasts far, so that each could send the reader back.
    let mark = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0, 11, 0, 0xf4, 0xff];
    let bytes: Vec<u8> = mark.iter().copied().cycle().take(2_000_000).collect();
    assert!(ArchiveReader::new(bytes.as_slice()).count() <= bytes.len());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        outline(&bytes);
    }

    #[test]
    fn damage_is_survived_and_the_last_record_found(
        packed in any::<bool>(),
        at in 0usize..100_000,
        damage in proptest::collection::vec(any::<u8>(), 1..50),
    ) {
        let pack = |bytes: Vec<u8>| if packed { gzip(&bytes) } else { bytes };
        let mut bytes = pack(response("http://a.test/", &noise(3000)));
        bytes.extend(pack(response("http://b.test/", &noise(100))));
        let last = bytes.len();
        bytes.extend(pack(response("http://c.test/", "three")));
        let at = at % (last - damage.len());
        bytes.splice(at..at + damage.len(), damage);
        let outline = outline(&bytes);
        // In a plain file a damaged length may swallow everything behind it.
        if packed {
            prop_assert_eq!(outline.last().map(String::as_str), Some("http://c.test/"));
        }
    }
}
