//! The routes of a server that misbehaves.

use std::sync::LazyLock;
use std::time::Duration;

use magpie_test_support::server::{Asked, Reply};

use crate::client::page;

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, body).unwrap();
    encoder.finish().unwrap()
}

fn zlib(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, body).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, body).unwrap();
    encoder.finish().unwrap()
}

fn brotli(body: &[u8]) -> Vec<u8> {
    let mut coded = Vec::new();
    let params = brotli::enc::BrotliEncoderParams {
        quality: 5,
        ..Default::default()
    };
    brotli::BrotliCompress(&mut &body[..], &mut coded, &params).unwrap();
    coded
}

fn zstd(body: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(body, ruzstd::encoding::CompressionLevel::Fastest)
}

/// Made once, before anything waits for them.
pub(super) static BOMBS: LazyLock<Vec<(&str, Reply)>> = LazyLock::new(|| {
    let zeros = vec![0; 16 * 1024 * 1024];
    let (gzip_once, brotli_once, zstd_once) = (gzip(&zeros), brotli(&zeros), zstd(&zeros));
    let coded = |names: &str, body: &[u8]| page(&format!("Content-Encoding: {names}\r\n"), body);
    vec![
        ("/bomb-gzip", coded("gzip", &gzip_once)),
        ("/bomb-zlib", coded("deflate", &zlib(&zeros))),
        ("/bomb-deflate", coded("deflate", &raw_deflate(&zeros))),
        ("/bomb-br", coded("br", &brotli_once)),
        ("/bomb-zstd", coded("zstd", &zstd_once)),
        ("/bomb-gzip-gzip", coded("gzip, gzip", &gzip(&gzip_once))),
        ("/bomb-br-gzip", coded("br, gzip", &gzip(&brotli_once))),
        (
            "/bomb-zstd-deflate-gzip",
            coded("zstd, deflate, gzip", &gzip(&zlib(&zstd_once))),
        ),
    ]
});

pub(super) fn misbehaving(asked: &Asked) -> Reply {
    let target = asked.path.as_str();
    let coded = |names: &str, body: &[u8]| page(&format!("Content-Encoding: {names}\r\n"), body);
    if let Some((_, response)) = BOMBS.iter().find(|(route, _)| *route == target) {
        return response.clone();
    }
    match target {
        "/fine" => page("", "fine"),
        "/many-headers" => Reply::bytes(format!(
            "HTTP/1.1 200 OK\r\n{}Content-Length: 0\r\n\r\n",
            "A: b\r\n".repeat(10_000)
        )),
        "/some-headers-too-many" => {
            Reply::bytes(format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(101)))
        }
        "/long-header" => Reply::bytes(format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "b".repeat(100_000))),
        "/codings-without-end" => coded(&"gzip, ".repeat(100), b"x"),
        "/coding-unknown" => coded("rot13", b"cntr"),
        "/coding-lie" => coded("gzip", b"<p>not gzip</p>"),
        "/coding-broken" => {
            let mut body = gzip(b"<p>a page that is long enough to be cut somewhere in the middle of it</p>");
            body.truncate(body.len() / 2);
            coded("gzip", &body)
        }
        "/length-too-short" => Reply::bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef"),
        "/length-twice" => {
            Reply::bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde")
        }
        "/length-negative" => Reply::bytes(b"HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc"),
        "/length-too-large-a-number" => {
            Reply::bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabc")
        }
        "/header-invalid" => {
            Reply::bytes(b"HTTP/1.1 200 OK\r\nno colon here\r\n\x01bad: x\r\nContent-Length: 3\r\n\r\nabc")
        }
        "/header-folded" => page("Server: a\r\n b: c\r\n\td\r\nContent-Type : text/html\r\n", "abc"),
        "/header-twice" => page(
            "Content-Type: text/html\r\nContent-Type: text/plain\r\nServer: \u{ff}\r\n",
            "abc",
        ),
        "/status-nonsense" => Reply::bytes(b"HTTP/1.1 9999 What\r\n\r\n"),
        "/garbage" => Reply::bytes(b"\x16\x03\x01 complete garbage \xff\xfe\r\n\r\n"),
        "/http-0.9" => Reply::bytes(b"<html>no head at all</html>\r\n\r\n"),
        "/cookies" => {
            let cookies: String = (0..90)
                .map(|turn| format!("Set-Cookie: name{turn}={}\r\n", "v".repeat(100)))
                .collect();
            page(&cookies, "cookies")
        }
        "/redirect-loop" => {
            Reply::bytes(b"HTTP/1.1 302 Found\r\nLocation: /redirect-loop\r\nContent-Length: 0\r\n\r\n")
        }
        "/redirect-private" => Reply::bytes(
            b"HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/admin\r\nContent-Length: 0\r\n\r\n",
        ),
        "/closed-at-once" => Reply::close(),
        "/reset-mid-body" | "/length-too-long" => {
            Reply::bytes("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc").and_close()
        }
        "/head-cut" => Reply::bytes("HTTP/1.1 200 OK\r\nContent-Le").and_close(),
        "/chunks-cut" => {
            Reply::bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc").and_close()
        }
        "/chunks-broken" => {
            Reply::bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n")
        }
        "/chunk-huge" => {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc";
            Reply::bytes(head)
        }
        "/chunk-extension" => repeat(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;",
            b"xxxxxxxxxxxxxxxx",
            0,
        ),
        "/trailers" => {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n";
            repeat(head, b"Trailer: xxxxxxx\r\n", 0)
        }
        "/never-answers" => Reply::silence(),
        "/head-drip" => repeat("HTTP/1.1 200 OK\r\nA: ", b"b", 20),
        "/head-endless" => repeat("HTTP/1.1 200 OK\r\nA: ", &[b'b'; 4096], 0),
        "/interim-endless" => repeat("", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 0),
        "/interim-drip" => repeat("", b"HTTP/1.1 100 Continue\r\n\r\n", 1000),
        "/body-endless" => repeat("HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 4096], 0),
        "/chunks-endless" => repeat(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"8\r\nabcdefgh\r\n",
            0,
        ),
        "/body-stops" => Reply::bytes("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"),
        "/body-steady" => repeat("HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 600], 100),
        "/body-drip" => repeat("HTTP/1.1 200 OK\r\n\r\n", b"x", 50),
        other => panic!("no such route: {other}"),
    }
}

/// Writes a head and then the same piece until the client leaves, with a pause in milliseconds
/// between.
fn repeat(head: &'static str, piece: &'static [u8], pause: u64) -> Reply {
    Reply::script(move |wire| {
        wire.send(head)?;
        wire.repeat(piece, Duration::from_millis(pause))
    })
}
