//! Writing of archives: the input is a URL, a response's head, a request, and a body.

use std::cell::RefCell;
use std::path::Path;

use magpie_http::{HttpHead, HttpLimits};
use magpie_values::Timestamp;
use magpie_warc::{
    ArchiveReader, ArchiveSettings, ArchiveWriter, Compression, Exchange, Kept, PayloadDigest, Record,
    RecordKind, Target, read_archived,
};
use tempfile::TempDir;

const FILE: &str = "test.warc.gz";

/// One file per compression, reused and truncated for each input, so that the disk does not slow
/// the fuzzer down.
struct Files {
    folder: TempDir,
    writers: Vec<ArchiveWriter>,
}

thread_local! {
    static FILES: RefCell<Files> = RefCell::new(Files::create());
}

impl Files {
    fn create() -> Files {
        // In memory if possible.
        let memory = Path::new("/dev/shm");
        let folder = match memory.is_dir() {
            true => TempDir::new_in(memory),
            false => TempDir::new(),
        };
        let folder = folder.expect("a folder can be made");
        let compressions = [Compression::Stored, Compression::Fast, Compression::Small];
        let writers = compressions.into_iter().enumerate().map(|(index, compression)| {
            let folder = folder.path().join(index.to_string());
            std::fs::create_dir(&folder).expect("a folder can be made");
            let settings = ArchiveSettings {
                compression,
                ..ArchiveSettings::default()
            };
            ArchiveWriter::create(&folder, FILE, &settings, 7).expect("a file can be made")
        });
        Files {
            writers: writers.collect(),
            folder,
        }
    }
}

/// Checks that written exchanges are read back unchanged and without problems.
pub fn check(data: &[u8]) {
    let [url, head, request, body] = crate::parts(data);
    let url = crate::text(url);
    let exchange = Exchange {
        remote: None,
        request: request.to_vec().into(),
        response_head: head.to_vec().into(),
        body: body.to_vec().into(),
        truncated: None,
    };
    FILES.with_borrow_mut(|files| {
        let index = body.len() % files.writers.len();
        let path = files.folder.path().join(index.to_string()).join(FILE);
        let writer = &mut files.writers[index];
        writer.roll_back(0).expect("the file can be emptied");
        let target = Target {
            url: &url,
            date: Timestamp::from_millis(1_000),
        };
        let digest = PayloadDigest::of(body);
        let location = writer
            .append(target, &exchange, &digest, Kept::Whole)
            .expect("it can be written");
        let length = writer.sync().expect("it can be written");
        assert_eq!(length, std::fs::metadata(&path).expect("it is there").len());
        let records = ArchiveReader::open(&path).expect("it is there");
        let records: Vec<Record> = records.map(|record| record.expect("a record")).collect();
        assert_records(&records, &url, &exchange);
        let alone = read_archived(&path, location).expect("it is where it was said to be");
        assert_eq!(format!("{alone:?}"), format!("{:?}", records[1]));
    });
}

fn assert_records(records: &[Record], url: &str, exchange: &Exchange) {
    assert!(records.iter().all(|record| record.problem.is_none()));
    let kinds: Vec<&RecordKind> = records.iter().map(|record| &record.kind).collect();
    match exchange.request.is_empty() {
        true => assert_eq!(kinds, [&RecordKind::Info, &RecordKind::Response]),
        false => {
            assert_eq!(
                kinds,
                [&RecordKind::Info, &RecordKind::Response, &RecordKind::Request]
            );
            assert_eq!(records[2].block, exchange.request);
        }
    }
    let response = &records[1];
    assert!(response.block.ends_with(&exchange.body));
    if url.bytes().all(|byte| byte.is_ascii_graphic()) && !url.starts_with('<') {
        assert_eq!(response.target, url);
    }
    let limits = HttpLimits::default();
    let Ok(head) = HttpHead::parse(&exchange.response_head, &limits) else {
        return;
    };
    // An interim response is followed by another one, or by bytes that look like one.
    let is_final = head.status >= 200;
    if is_final
        && head.length == exchange.response_head.len()
        && head.headers.get("transfer-encoding").is_none()
    {
        let kept = HttpHead::parse(&response.block, &limits).expect("the head is kept");
        assert_eq!((kept.status, kept.headers), (head.status, head.headers));
        assert_eq!(&response.block[kept.length..], &exchange.body[..]);
    }
}
