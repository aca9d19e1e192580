//! Archives by many programs, some broken on purpose. The counts come from an independent reader,
//! and for the broken files from their bytes.

use magpie_http::{HttpLimits, HttpProblem};
use magpie_warc::{ArchiveReader, RecordKind, is_archive_name};

/// Info, response, request, metadata, resource, revisit, conversion, others; problems.
const EXPECTED: &[(&str, [usize; 9])] = &[
    // One gzip member, a date `null`, and a length in that record that covers all but 42 bytes of
    // the next two.
    ("aut/badexample.arc.gz", [1, 2, 0, 0, 1, 0, 0, 0, 1]),
    ("aut/example.arc.gz", [1, 261, 0, 0, 38, 0, 0, 0, 0]),
    ("aut/example.docs.warc.gz", [3, 9, 9, 0, 0, 0, 0, 0, 0]),
    ("aut/example.pdf.warc.gz", [2, 35, 37, 0, 0, 2, 0, 0, 0]),
    ("aut/example.txt.warc.gz", [2, 2, 2, 0, 0, 0, 0, 0, 0]),
    ("aut/example.warc.gz", [1, 299, 261, 261, 0, 0, 0, 0, 0]),
    ("aut/issue-493.warc", [2, 10, 15, 0, 0, 5, 0, 0, 0]),
    ("aut/issue-514.warc", [1, 2, 2, 1, 2, 0, 0, 0, 0]),
    ("jwarc/cc.warc.gz", [0, 1, 0, 0, 0, 0, 0, 0, 0]),
    ("jwarc/gzip_extra_sl.warc.gz", [1, 0, 0, 0, 0, 0, 0, 0, 0]),
    (
        "ukwa/small-arcs-and-warcs/IAH-20080430204825-00000-blackbook-truncated.arc",
        [1, 7, 0, 0, 1, 0, 0, 0, 0],
    ),
    (
        "ukwa/small-arcs-and-warcs/IAH-20080430204825-00000-blackbook-truncated.arc.gz",
        [1, 7, 0, 0, 1, 0, 0, 0, 0],
    ),
    (
        "ukwa/small-arcs-and-warcs/IAH-20080430204825-00000-blackbook-truncated.warc",
        [1, 8, 7, 7, 0, 0, 0, 0, 0],
    ),
    (
        "ukwa/small-arcs-and-warcs/IAH-20080430204825-00000-blackbook-truncated.warc.gz",
        [1, 8, 7, 7, 0, 0, 0, 0, 0],
    ),
    (
        "ukwa/small-arcs-and-warcs/IAH-urls-wget.warc.gz",
        [1, 16, 16, 0, 3, 0, 0, 0, 0],
    ),
    (
        "ukwa/wikipedia-sopa-blackout-2012/wikipedia-blackout/sopa-wikipedia-homepage.warc.gz",
        [1, 74, 86, 0, 3, 0, 0, 0, 0],
    ),
    (
        "ukwa/wikipedia-sopa-blackout-2012/wikipedia-post-blackout/main-page.warc.gz",
        [1, 70, 77, 0, 3, 0, 0, 0, 0],
    ),
    (
        "ukwa/wikipedia-sopa-blackout-2012/wikipedia-post-blackout/post-blackout.warc.gz",
        [1, 51, 62, 0, 3, 0, 0, 0, 0],
    ),
    // Three lengths are no numbers; what follows the first of these lines is passed over.
    ("warcio/bad.arc", [1, 0, 0, 0, 3, 0, 0, 0, 4]),
    (
        "warcio/example-bad-non-chunked.warc.gz",
        [2, 1, 2, 0, 0, 1, 0, 0, 0],
    ),
    ("warcio/example-bad.bad.warc.gz", [1, 2, 2, 0, 0, 1, 0, 0, 0]),
    ("warcio/example-digest.warc", [0, 0, 4, 0, 0, 0, 0, 0, 0]),
    (
        "warcio/example-iana.org-chunked.warc",
        [1, 1, 1, 0, 0, 0, 0, 0, 0],
    ),
    ("warcio/example-resource.warc.gz", [2, 0, 0, 0, 1, 0, 0, 0, 0]),
    (
        "warcio/example-space-in-target-uri.warc.gz",
        [1, 0, 0, 0, 1, 0, 0, 0, 0],
    ),
    // The length of the page counts line ends that were changed since.
    ("warcio/example-space-in-url.arc", [1, 1, 0, 0, 0, 0, 0, 0, 1]),
    // A length four bytes too small.
    ("warcio/example-trunc.warc", [2, 1, 1, 0, 0, 0, 0, 0, 1]),
    (
        "warcio/example-wget-bad-target-uri.warc.gz",
        [1, 1, 1, 1, 2, 0, 0, 0, 0],
    ),
    ("warcio/example-wrong-chunks.warc.gz", [0, 1, 1, 0, 0, 0, 0, 0, 0]),
    ("warcio/example.arc", [1, 1, 0, 0, 0, 0, 0, 0, 0]),
    ("warcio/example.arc.gz", [1, 1, 0, 0, 0, 0, 0, 0, 0]),
    ("warcio/example.warc", [2, 1, 2, 0, 0, 1, 0, 0, 0]),
    ("warcio/example.warc.gz", [2, 1, 2, 0, 0, 1, 0, 0, 0]),
    ("warcio/post-test.warc.gz", [0, 3, 3, 0, 0, 0, 0, 0, 0]),
    (
        "warcspec/20130729-heritrix-original.warc.gz",
        [0, 1, 0, 0, 0, 0, 0, 0, 0],
    ),
    (
        "warcspec/20130729-heritrix-revisit-with-http-headers.warc.gz",
        [0, 0, 0, 0, 0, 1, 0, 0, 0],
    ),
    (
        "warcspec/20141124-heritrix-server-not-modified.warc.gz",
        [0, 0, 0, 0, 0, 1, 0, 0, 0],
    ),
    (
        "warcspec/20141129-heritrix-original.warc.gz",
        [0, 1, 0, 0, 0, 0, 0, 0, 0],
    ),
    (
        "warcspec/20141129-heritrix-revisit-with-http-headers-and-new-warc-headers.warc.gz",
        [0, 0, 0, 0, 0, 1, 0, 0, 0],
    ),
    ("whirlwind/whirlwind.warc", [1, 1, 1, 1, 0, 0, 0, 0, 0]),
    ("whirlwind/whirlwind.warc.gz", [1, 1, 1, 1, 0, 0, 0, 0, 0]),
    ("whirlwind/whirlwind.wat.warc", [1, 0, 0, 1, 0, 0, 0, 0, 0]),
    ("whirlwind/whirlwind.wat.warc.gz", [1, 0, 0, 1, 0, 0, 0, 0, 0]),
    ("whirlwind/whirlwind.wet.warc", [1, 0, 0, 0, 0, 0, 1, 0, 0]),
    ("whirlwind/whirlwind.wet.warc.gz", [1, 0, 0, 0, 0, 0, 1, 0, 0]),
];

#[test]
fn every_record_is_read() {
    let Some(samples) = magpie_test_support::data::find("warc-samples") else {
        return;
    };
    for (name, expected) in EXPECTED {
        let reader = ArchiveReader::open(&samples.join(name)).unwrap();
        assert_eq!(crate::common::counts(reader), *expected, "{name}");
    }
}

#[test]
fn every_archive_of_the_set_is_expected() {
    let Some(samples) = magpie_test_support::data::find("warc-samples") else {
        return;
    };
    let mut found = Vec::new();
    let mut folders = vec![samples.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if is_archive_name(&path.to_string_lossy()) {
                found.push(
                    path.strip_prefix(&samples)
                        .unwrap()
                        .to_string_lossy()
                        .into_owned(),
                );
            }
        }
    }
    found.sort();
    let expected: Vec<&str> = EXPECTED.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, expected);
}

#[test]
fn pages_come_out_of_responses() {
    let Some(samples) = magpie_test_support::data::find("warc-samples") else {
        return;
    };
    let mut pages = 0;
    for (name, expected) in EXPECTED {
        for record in ArchiveReader::open(&samples.join(name)).unwrap().flatten() {
            if record.kind != RecordKind::Response || !record.target.starts_with("http") {
                continue;
            }
            let response = record.http_response(&HttpLimits::default()).unwrap();
            let spoiled = response.problem.as_ref().is_some_and(HttpProblem::spoils_body);
            assert!(!spoiled, "{name} {}: {:?}", record.target, response.problem);
            let html = response
                .headers
                .get("content-type")
                .is_some_and(|kind| kind.contains("text/html"));
            if html && !response.body.is_empty() && response.status == 200 && expected[8] == 0 {
                let body = String::from_utf8_lossy(&response.body);
                assert!(body.contains('<'), "{name} {}: {:.200}", record.target, body);
                pages += 1;
            }
        }
    }
    assert!(pages > 100, "{pages}");
}
