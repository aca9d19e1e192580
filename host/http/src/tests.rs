use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use proptest::prelude::*;

use super::*;

const PAGE: &[u8] = b"<title>Concert</title><p>On Friday.</p><p>On Saturday.</p>";

/// `PAGE`, made with the brotli tool's library, quality 5.
const PAGE_BROTLI: &str = include_str!("page.br.hex");

fn response(head: &str, body: &[u8]) -> Vec<u8> {
    let mut message = format!("HTTP/1.1 200 OK\r\n{head}\r\n").into_bytes();
    message.extend_from_slice(body);
    message
}

fn parse(message: &[u8]) -> HttpResponse {
    HttpResponse::parse(message, &HttpLimits::default()).unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn unhex(text: &str) -> Vec<u8> {
    let text = text.trim();
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

fn check_coding(name: &str, body: &[u8], expected: &[u8], problem: Option<HttpProblem>) {
    let response = parse(&response(&format!("Content-Encoding: {name}\r\n"), body));
    assert_eq!(
        (response.body.as_slice(), response.problem),
        (expected, problem),
        "{name}"
    );
}

#[test]
fn a_plain_response_is_split() {
    let response = parse(&response("Content-Type: text/html\r\n", PAGE));
    assert_eq!(
        (response.status, response.headers.get("content-type")),
        (200, Some("text/html"))
    );
    assert_eq!((response.body.as_slice(), response.problem), (PAGE, None));
}

#[test]
fn status_lines_without_reason_and_bare_newlines_are_read() {
    for (message, status) in [("HTTP/2 404\nA: b\n\nx", 404), ("HTTP/1.0  301 \r\n\r\nx", 301)] {
        let response = parse(message.as_bytes());
        assert_eq!(
            (response.status, response.body.as_slice()),
            (status, b"x".as_slice())
        );
    }
}

#[test]
fn what_is_no_response_is_refused() {
    for message in [
        "",
        "GET / HTTP/1.1\r\n\r\n",
        "HTTP/1.1\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 99999 x\r\n",
    ] {
        let outcome = HttpResponse::parse(message.as_bytes(), &HttpLimits::default());
        assert_eq!(outcome.unwrap_err(), HttpProblem::NoStatusLine, "{message}");
    }
}

#[test]
fn interim_answers_are_passed_over() {
    let mut message = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".to_vec();
    message.extend(response("A: b\r\n", PAGE));
    let response = parse(&message);
    assert_eq!(
        (response.status, response.headers.len(), response.body.as_slice()),
        (200, 1, PAGE)
    );
}

#[test]
fn heads_are_limited() {
    let limits = HttpLimits {
        head_bytes: 100,
        head_fields: 2,
        ..HttpLimits::default()
    };
    let long = response(&format!("A: {}\r\n", "x".repeat(100)), b"");
    assert_eq!(
        HttpResponse::parse(&long, &limits).unwrap_err(),
        HttpProblem::HeadTooLong { limit: 100 }
    );
    let many = response("A: 1\r\nB: 2\r\nC: 3\r\n", b"body");
    let read = HttpResponse::parse(&many, &limits).unwrap();
    assert_eq!(
        (read.headers.len(), read.body.as_slice()),
        (2, b"body".as_slice())
    );
    assert_eq!(read.problem, Some(HttpProblem::TooManyFields { limit: 2 }));
}

#[test]
fn every_coding_is_undone() {
    check_coding("gzip", &gzip(PAGE), PAGE, None);
    check_coding("X-GZIP", &gzip(PAGE), PAGE, None);
    check_coding("deflate", &zlib(PAGE), PAGE, None);
    check_coding("deflate", &deflate(PAGE), PAGE, None);
    check_coding("br", &unhex(PAGE_BROTLI), PAGE, None);
    check_coding("zstd", &zstd(PAGE), PAGE, None);
    check_coding("identity", PAGE, PAGE, None);
    check_coding("deflate, gzip", &gzip(&zlib(PAGE)), PAGE, None);
}

#[test]
fn a_coding_that_was_already_undone_is_noted() {
    for coding in ["gzip", "zstd", "br", "deflate"] {
        check_coding(coding, PAGE, PAGE, Some(HttpProblem::NotCoded { coding }));
    }
}

#[test]
fn a_cut_coding_gives_what_was_read() {
    let page: Vec<u8> = (0..20_000u32)
        .flat_map(|number| format!("<li>{}", number * 7919).into_bytes())
        .collect();
    let packed = gzip(&page);
    let response = parse(&response(
        "Content-Encoding: gzip\r\n",
        &packed[..packed.len() / 2],
    ));
    assert_eq!(
        response.problem,
        Some(HttpProblem::BrokenCoding { coding: "gzip" })
    );
    assert!(response.body.len() > page.len() / 4 && page.starts_with(&response.body));
}

#[test]
fn unknown_and_stacked_codings_are_problems() {
    let unknown = Some(HttpProblem::UnknownCoding {
        coding: "sdch".to_owned(),
    });
    check_coding("sdch", PAGE, PAGE, unknown);
    let stacked = Some(HttpProblem::TooManyCodings { limit: 3 });
    check_coding("gzip, gzip, gzip, gzip", PAGE, PAGE, stacked);
}

#[test]
fn bombs_are_cut() {
    let zeros = vec![0; 20 * 1024 * 1024];
    for (name, packed) in [("gzip", gzip(&zeros)), ("zstd", zstd(&zeros))] {
        let response = parse(&response(&format!("Content-Encoding: {name}\r\n"), &packed));
        assert_eq!(response.problem, Some(HttpProblem::Bomb { limit: 300 }), "{name}");
        assert!(response.body.len() < zeros.len());
    }
}

#[test]
fn bodies_are_limited_whatever_their_coding() {
    let limits = HttpLimits {
        body_bytes: 20,
        ..HttpLimits::default()
    };
    let chunked = format!(
        "{:x}\r\n{}\r\n0\r\n\r\n",
        PAGE.len(),
        String::from_utf8_lossy(PAGE)
    );
    for message in [
        response("", PAGE),
        response("Content-Encoding: gzip\r\n", &gzip(PAGE)),
        response("Transfer-Encoding: chunked\r\n", chunked.as_bytes()),
    ] {
        let response = HttpResponse::parse(&message, &limits).unwrap();
        assert_eq!(response.body, &PAGE[..20]);
        assert_eq!(response.problem, Some(HttpProblem::BodyTooLarge { limit: 20 }));
    }
}

fn check_chunks(body: &str, expected: &str, problem: Option<HttpProblem>) {
    let response = parse(&response("Transfer-Encoding: chunked\r\n", body.as_bytes()));
    assert_eq!(
        (String::from_utf8_lossy(&response.body).as_ref(), response.problem),
        (expected, problem),
        "{body:?}"
    );
}

#[test]
fn chunks_are_joined() {
    check_chunks(
        "3\r\nabc\r\n2;name=value\r\nde\r\n0\r\nTrailer: x\r\n\r\n",
        "abcde",
        None,
    );
    check_chunks("00A \r\n0123456789\r\n0\r\n\r\n", "0123456789", None);
    check_chunks("3\nabc\n0\n\n", "abc", None);
    check_chunks("", "", None);
}

#[test]
fn broken_chunks_give_what_was_read() {
    check_chunks("3\r\nabc\r\n9\r\nde", "abcde", Some(HttpProblem::BrokenChunks));
    check_chunks("3\r\nabc\r\nxyz\r\nde", "abc", Some(HttpProblem::BrokenChunks));
    check_chunks("ffffffffffffffff\r\nabc", "abc", Some(HttpProblem::BrokenChunks));
    check_chunks("<html>\nabc", "<html>\nabc", Some(HttpProblem::NotChunked));
    check_chunks("+3\r\nabc\r\n", "+3\r\nabc\r\n", Some(HttpProblem::NotChunked));
}

#[test]
fn chunks_are_joined_before_they_are_inflated() {
    let packed = gzip(PAGE);
    let (first, second) = packed.split_at(10);
    let mut body = Vec::new();
    for part in [first, second] {
        body.extend(format!("{:X}\r\n", part.len()).into_bytes());
        body.extend_from_slice(part);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"0\r\n\r\n");
    let read = parse(&response(
        "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n",
        &body,
    ));
    assert_eq!((read.body.as_slice(), read.problem), (PAGE, None));
}

proptest! {
    #[test]
    fn any_body_is_survived(coding in 0usize..5, body in proptest::collection::vec(any::<u8>(), 0..400)) {
        let names = ["gzip", "deflate", "br", "zstd", "zstd, br"];
        let head = format!("Transfer-Encoding: chunked\r\nContent-Encoding: {}\r\n", names[coding]);
        parse(&response(&head, &body));
    }

    #[test]
    fn damaged_codings_are_survived(coding in 0usize..4, at in 0usize..1000, value in any::<u8>()) {
        let mut body = [gzip(PAGE), zlib(PAGE), unhex(PAGE_BROTLI), zstd(PAGE)][coding].clone();
        let at = at % body.len();
        body[at] = value;
        let head = format!("Content-Encoding: {}\r\n", ["gzip", "deflate", "br", "zstd"][coding]);
        parse(&response(&head, &body));
    }
}
