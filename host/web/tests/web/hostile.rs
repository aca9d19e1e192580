//! Servers that misbehave, one way per route. Each fetch ends with a plain reason, within bounded time and bytes, and a
//! well-behaved page is fetched afterwards as if nothing had happened. The table is printed: `cargo test -- --nocapture`.

use std::net::SocketAddr;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use magpie_web::{Client, Exchange, FetchError, MAX_REDIRECTS, Request, follow};
use tokio::io::AsyncWriteExt;
use url::Url;

use crate::support::frames::{self, frame};
use crate::support::tls::{Authority, accept, self_signed};
use crate::support::{
    Asked, Handling, Server, Stream, client_with, get, handler, page, read_head, respond, short_timeouts,
};

const BODY_LIMIT: usize = 256 * 1024;
const DECODED_LIMIT: usize = 3 * 1024 * 1024;
const HEAD_LIMIT: usize = 16 * 1024;

/// What became of a fetch, in words, and how many bytes of it were kept.
struct Outcome {
    words: String,
    bytes: usize,
}

fn client() -> Client {
    client_with(|settings| {
        settings.timeouts = short_timeouts();
        settings.limits.body_bytes = BODY_LIMIT;
        settings.limits.decoded_bytes = DECODED_LIMIT;
        settings.limits.ratio = 50;
        settings.limits.head_bytes = HEAD_LIMIT;
        settings.dns.overrides = vec!["shop.test:*:127.0.0.1".parse().unwrap()];
    })
}

fn outcome(result: Result<Exchange, FetchError>) -> Outcome {
    let exchange = match result {
        Ok(exchange) => exchange,
        Err(error) => {
            return Outcome {
                words: error.to_string(),
                bytes: 0,
            };
        }
    };
    let mut words = format!("{}", exchange.status);
    if let Some(truncated) = &exchange.truncated {
        words.push_str(&format!(", {truncated}"));
    }
    if let Some(problem) = exchange.body_problem() {
        words.push_str(&format!(", {problem}"));
    }
    let bytes = exchange.raw_body.len().max(exchange.body().len());
    assert!(exchange.response_head().len() <= HEAD_LIMIT && bytes <= DECODED_LIMIT);
    Outcome { words, bytes }
}

/// Runs the cases at the same time, prints the table, and compares. The expected words may leave the end out.
async fn table(client: &Client, cases: &[(&str, Url, &str)]) {
    let started = Instant::now();
    let fetches: Vec<_> = cases
        .iter()
        .map(|(_, url, _)| {
            let (client, request) = (client.clone(), Request::new(url.clone()));
            tokio::spawn(async move { outcome(client.fetch(&request).await) })
        })
        .collect();
    let mut wrong = Vec::new();
    for ((name, _, expected), fetch) in cases.iter().zip(fetches) {
        let outcome = fetch.await.unwrap();
        println!("{name:<34} {:>8} bytes  {}", outcome.bytes, outcome.words);
        if !outcome.words.starts_with(expected) {
            wrong.push(format!("{name}: expected {expected:?}, got {:?}", outcome.words));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        started.elapsed() < Duration::from_secs(30),
        "bounded by the time of a fetch"
    );
}

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
static BOMBS: LazyLock<Vec<(&str, Vec<u8>)>> = LazyLock::new(|| {
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

/// The answer of a route that can be written down at once.
fn written(target: &str) -> Option<Vec<u8>> {
    let coded = |names: &str, body: &[u8]| page(&format!("Content-Encoding: {names}\r\n"), body);
    if let Some((_, response)) = BOMBS.iter().find(|(route, _)| *route == target) {
        return Some(response.clone());
    }
    Some(match target {
        "/fine" => page("", "fine"),
        "/many-headers" => format!(
            "HTTP/1.1 200 OK\r\n{}Content-Length: 0\r\n\r\n",
            "A: b\r\n".repeat(10_000)
        )
        .into_bytes(),
        "/some-headers-too-many" => format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(101)).into_bytes(),
        "/long-header" => format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "b".repeat(100_000)).into_bytes(),
        "/codings-without-end" => coded(&"gzip, ".repeat(100), b"x"),
        "/coding-unknown" => coded("rot13", b"cntr"),
        "/coding-lie" => coded("gzip", b"<p>not gzip</p>"),
        "/coding-broken" => {
            let mut body = gzip(b"<p>a page that is long enough to be cut somewhere in the middle of it</p>");
            body.truncate(body.len() / 2);
            coded("gzip", &body)
        }
        "/length-too-short" => b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef".to_vec(),
        "/length-twice" => b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde".to_vec(),
        "/length-negative" => b"HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc".to_vec(),
        "/length-too-large-a-number" => {
            b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabc".to_vec()
        }
        "/header-invalid" => {
            b"HTTP/1.1 200 OK\r\nno colon here\r\n\x01bad: x\r\nContent-Length: 3\r\n\r\nabc".to_vec()
        }
        "/header-folded" => page("Server: a\r\n b: c\r\n\td\r\nContent-Type : text/html\r\n", "abc"),
        "/header-twice" => page(
            "Content-Type: text/html\r\nContent-Type: text/plain\r\nServer: \u{ff}\r\n",
            "abc",
        ),
        "/status-nonsense" => b"HTTP/1.1 9999 What\r\n\r\n".to_vec(),
        "/garbage" => b"\x16\x03\x01 complete garbage \xff\xfe\r\n\r\n".to_vec(),
        "/http-0.9" => b"<html>no head at all</html>\r\n\r\n".to_vec(),
        "/cookies" => {
            let cookies: String = (0..90)
                .map(|turn| format!("Set-Cookie: name{turn}={}\r\n", "v".repeat(100)))
                .collect();
            page(&cookies, "cookies")
        }
        "/redirect-loop" => {
            b"HTTP/1.1 302 Found\r\nLocation: /redirect-loop\r\nContent-Length: 0\r\n\r\n".to_vec()
        }
        "/redirect-private" => {
            b"HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/admin\r\nContent-Length: 0\r\n\r\n".to_vec()
        }
        _ => return None,
    })
}

fn misbehaving<'a>(asked: &'a Asked, stream: &'a mut dyn Stream) -> Handling<'a> {
    if let Some(response) = written(&asked.target) {
        return respond(stream, response, true);
    }
    match asked.target.as_str() {
        "/closed-at-once" => Box::pin(async { Ok(false) }),
        "/reset-mid-body" | "/length-too-long" => {
            respond(stream, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", false)
        }
        "/head-cut" => respond(stream, "HTTP/1.1 200 OK\r\nContent-Le", false),
        "/chunks-cut" => respond(
            stream,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
            false,
        ),
        "/chunks-broken" => respond(
            stream,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n",
            true,
        ),
        "/chunk-huge" => {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc";
            respond(stream, head, true)
        }
        "/chunk-extension" => repeat(
            stream,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;",
            b"xxxxxxxxxxxxxxxx",
            0,
        ),
        "/trailers" => {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n";
            repeat(stream, head, b"Trailer: xxxxxxx\r\n", 0)
        }
        "/never-answers" => repeat(stream, "", b"", 60_000),
        "/head-drip" => repeat(stream, "HTTP/1.1 200 OK\r\nA: ", b"b", 20),
        "/head-endless" => repeat(stream, "HTTP/1.1 200 OK\r\n", b"A: bbbbbbbbbbbbbbbb\r\n", 0),
        "/interim-endless" => repeat(stream, "", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 0),
        "/interim-drip" => repeat(stream, "", b"HTTP/1.1 100 Continue\r\n\r\n", 1000),
        "/body-endless" => repeat(stream, "HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 4096], 0),
        "/chunks-endless" => repeat(
            stream,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"8\r\nabcdefgh\r\n",
            0,
        ),
        "/body-stops" => repeat(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
            b"",
            60_000,
        ),
        "/body-steady" => repeat(stream, "HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 600], 100),
        "/body-drip" => repeat(stream, "HTTP/1.1 200 OK\r\n\r\n", b"x", 50),
        other => panic!("no such route: {other}"),
    }
}

/// Writes a head and then the same piece until the client goes, with a pause of so many milliseconds between.
fn repeat<'a>(stream: &'a mut dyn Stream, head: &'a str, piece: &'a [u8], pause: u64) -> Handling<'a> {
    Box::pin(async move {
        stream.write_all(head.as_bytes()).await?;
        loop {
            stream.write_all(piece).await?;
            stream.flush().await?;
            if pause > 0 {
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
        }
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_route_ends_with_a_reason() {
    LazyLock::force(&BOMBS);
    let server = Server::start(handler(misbehaving)).await;
    let client = client();
    let routes: &[(&str, &str)] = &[
        ("/never-answers", "waiting for the answer took longer than 3 s"),
        (
            "/closed-at-once",
            "the server closed the connection without an answer",
        ),
        (
            "/head-cut",
            "the connection broke before the head of the response was complete",
        ),
        ("/head-drip", "waiting for the answer took longer than 3 s"),
        (
            "/head-endless",
            "the head of the response has more than 16384 bytes",
        ),
        (
            "/long-header",
            "the head of the response has more than 16384 bytes",
        ),
        (
            "/many-headers",
            "the head of the response has more than 100 fields",
        ),
        (
            "/some-headers-too-many",
            "the head of the response has more than 100 fields",
        ),
        (
            "/interim-endless",
            "more than 16 interim responses (1xx) came before the response",
        ),
        ("/interim-drip", "waiting for the answer took longer than 3 s"),
        ("/garbage", "the answer is not HTTP"),
        ("/http-0.9", "the answer is not HTTP"),
        ("/status-nonsense", "the answer is not HTTP"),
        ("/header-invalid", "200"),
        ("/header-folded", "200"),
        ("/header-twice", "200"),
        ("/body-endless", "200, the body has more than 262144 bytes"),
        (
            "/body-stops",
            "200, waiting for more of the body took longer than 2 s",
        ),
        (
            "/body-drip",
            "200, the body came with less than 1000 bytes per second",
        ),
        ("/body-steady", "200, the whole fetch took longer than 5 s"),
        ("/reset-mid-body", "200, the body broke off"),
        ("/length-too-short", "200"),
        ("/length-too-long", "200, the body broke off"),
        ("/length-twice", "the answer is not HTTP"),
        ("/length-negative", "the answer is not HTTP"),
        ("/length-too-large-a-number", "the answer is not HTTP"),
        ("/chunks-endless", "200, the body has more than 262144 bytes"),
        ("/chunks-cut", "200, the body broke off"),
        ("/chunks-broken", "200, the body broke off"),
        ("/chunk-huge", "200, the body broke off"),
        ("/chunk-extension", "200, the body broke off"),
        ("/trailers", "200, the body broke off"),
        (
            "/bomb-gzip",
            "200, the body inflates to more than 50 times its size, which no page does",
        ),
        (
            "/bomb-zlib",
            "200, the body inflates to more than 50 times its size",
        ),
        (
            "/bomb-deflate",
            "200, the body inflates to more than 50 times its size",
        ),
        (
            "/bomb-br",
            "200, the body inflates to more than 50 times its size",
        ),
        (
            "/bomb-zstd",
            "200, the body inflates to more than 50 times its size",
        ),
        (
            "/bomb-gzip-gzip",
            "200, the body inflates to more than 50 times its size",
        ),
        (
            "/bomb-br-gzip",
            "200, the body inflates to more than 50 times its size",
        ),
        (
            "/bomb-zstd-deflate-gzip",
            "200, the body inflates to more than 50 times its size",
        ),
        (
            "/codings-without-end",
            "200, the body has more than 3 content codings",
        ),
        (
            "/coding-unknown",
            "200, the content coding \"rot13\" is not known",
        ),
        (
            "/coding-lie",
            "200, the head names the content coding gzip, which the body does not have",
        ),
        ("/coding-broken", "200, the gzip data is broken"),
        ("/cookies", "200"),
    ];
    let cases: Vec<_> = routes
        .iter()
        .map(|(route, expected)| (*route, server.url(route), *expected))
        .collect();
    table(&client, &cases).await;
    assert!(client.cookies().len() <= 50);
    assert_eq!(get(&client, server.url("/fine")).await.body(), b"fine");
    assert!(server.asked().last().unwrap().field("cookie").unwrap().len() <= 8 * 1024);
    chains(&client, &server).await;
}

async fn chains(client: &Client, server: &Server) {
    for (route, expected) in [
        ("/redirect-loop", "the redirects lead in a circle"),
        (
            "/redirect-private",
            "http://10.0.0.1/admin: 10.0.0.1 is refused: 10.0.0.1 is in 10.0.0.0/8 (private networks)",
        ),
    ] {
        let request = Request::new(server.url(route));
        let followed = follow(client, request, MAX_REDIRECTS, async |_| Ok::<(), String>(())).await;
        let words = followed.problem.unwrap().to_string();
        println!("{route:<34} {:>8} hops   {words}", followed.exchanges.len());
        assert!(words.starts_with(expected), "{words}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_fail_end_with_a_reason() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let secure = |acceptor| Server::start_over(handler(misbehaving), accept(acceptor));
    let (vouching, expired, silent) = (
        secure(self_signed("shop.test")).await,
        secure(Authority::new().expired("shop.test")).await,
        Server::start(handler(misbehaving)).await,
    );
    let https =
        |server: &Server| Url::parse(&format!("https://shop.test:{}/fine", server.address.port())).unwrap();
    let cases = [
        (
            "port closed",
            Url::parse(&format!("http://{closed}/")).unwrap(),
            "no connection to 127.0.0.1",
        ),
        ("name unknown", Url::parse("http://nothing.invalid/").unwrap(), ""),
        (
            "self-signed",
            https(&vouching),
            "no secure connection to shop.test: its certificate is signed by nobody",
        ),
        (
            "expired, by a stranger",
            https(&expired),
            "no secure connection to shop.test: its certificate",
        ),
        ("no TLS", https(&silent), "the TLS handshake took longer than 3 s"),
    ];
    table(&client(), &cases).await;
}

/// A server that breaks each connection with a reset, after so many bytes of a response as its path says.
async fn resetting(response: &'static [u8]) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let head = read_head(&mut stream).await.unwrap();
            let length: usize = head.split(['/', ' ']).nth(2).unwrap().parse().unwrap();
            stream.write_all(&response[..length]).await.unwrap();
            // Not before the bytes were read: a reset throws away what is on its way.
            tokio::time::sleep(Duration::from_millis(20)).await;
            stream.set_zero_linger().unwrap();
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reset_at_any_byte_is_told() {
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome body";
    let head = response.len() - 9;
    let address = resetting(response).await;
    let client = client();
    for length in 0..=response.len() {
        let url = Url::parse(&format!("http://{address}/{length}")).unwrap();
        match client.fetch(&Request::new(url)).await {
            Err(error) => {
                assert!(length < head, "{length}: {error}");
                assert_eq!(
                    (error.kind().code(), error.is_retryable()),
                    ("disconnected", true),
                    "{error}"
                );
            }
            Ok(exchange) => {
                assert!(length >= head, "{length}");
                assert_eq!(exchange.body(), &response[head..length]);
                let is_cut = exchange
                    .truncated
                    .is_some_and(|truncated| truncated.is_retryable());
                assert_eq!(is_cut, length < response.len(), "{length}");
            }
        }
    }
}

/// A server of hand-written frames, and where it is.
async fn framed(
    authority: &Authority,
    script: impl for<'a> Fn(&'a mut dyn Stream, u32) -> Handling<'a> + Send + Sync + 'static,
) -> Url {
    let address: SocketAddr = frames::start(authority.server("shop.test", &["h2"]), script).await;
    Url::parse(&format!("https://shop.test:{}/", address.port())).unwrap()
}

/// Writes frames, then one more again and again.
fn flood<'a>(stream: &'a mut dyn Stream, first: Vec<u8>, again: Vec<u8>) -> Handling<'a> {
    Box::pin(async move {
        stream.write_all(&first).await?;
        let many = again.repeat(1 + 16 * 1024 / again.len());
        loop {
            stream.write_all(&many).await?;
            stream.flush().await?;
        }
    })
}

fn once<'a>(stream: &'a mut dyn Stream, bytes: Vec<u8>) -> Handling<'a> {
    respond(stream, bytes, true)
}

fn headers(stream: u32, flags: u8) -> Vec<u8> {
    frame(
        frames::HEADERS,
        flags | frames::END_HEADERS,
        stream,
        frames::STATUS_200,
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn http_2_servers_that_misbehave_end_with_a_reason() {
    let authority = Authority::new();
    let go_away = [0u32.to_be_bytes(), 0u32.to_be_bytes()].concat();
    let continuation = frame(
        frames::CONTINUATION,
        0,
        1,
        &frames::literal("a", &"b".repeat(100)),
    );
    let large_fields: Vec<u8> = (0..2000).flat_map(|_| frames::literal("a", "b")).collect();
    let urls = [
        framed(&authority, |stream, id| {
            once(stream, frame(frames::RESET, 0, id, &[0, 0, 0, 7]))
        })
        .await,
        framed(&authority, |stream, id| {
            once(
                stream,
                [headers(id, 0), frame(frames::RESET, 0, id, &[0, 0, 0, 2])].concat(),
            )
        })
        .await,
        framed(&authority, |stream, id| {
            flood(stream, Vec::new(), frame(frames::RESET, 0, id, &[0, 0, 0, 8]))
        })
        .await,
        framed(&authority, move |stream, _| {
            once(stream, frame(frames::GO_AWAY, 0, 0, &go_away))
        })
        .await,
        framed(&authority, |stream, _| {
            flood(stream, Vec::new(), frame(frames::SETTINGS, 0, 0, &[]))
        })
        .await,
        framed(&authority, |stream, _| {
            flood(stream, Vec::new(), frame(frames::PING, 0, 0, &[0; 8]))
        })
        .await,
        framed(&authority, |stream, id| {
            flood(stream, headers(id, 0), frame(frames::PING, 0, 0, &[0; 8]))
        })
        .await,
        framed(&authority, |stream, id| {
            flood(stream, headers(id, 0), frame(frames::DATA, 0, id, &[]))
        })
        .await,
        framed(&authority, |stream, id| {
            once(
                stream,
                frame(
                    frames::PUSH_PROMISE,
                    frames::END_HEADERS,
                    id,
                    &[&[0, 0, 0, 2], frames::STATUS_200].concat(),
                ),
            )
        })
        .await,
        framed(&authority, move |stream, id| {
            flood(
                stream,
                frame(frames::HEADERS, 0, id, frames::STATUS_200),
                continuation.clone(),
            )
        })
        .await,
        framed(&authority, move |stream, id| {
            let block = [frames::STATUS_200, &large_fields].concat();
            once(
                stream,
                frame(
                    frames::HEADERS,
                    frames::END_HEADERS | frames::END_STREAM,
                    id,
                    &block,
                ),
            )
        })
        .await,
        framed(&authority, |stream, id| {
            flood(stream, headers(id, 0), frame(frames::DATA, 0, id, &[b'x'; 1000]))
        })
        .await,
        framed(&authority, |stream, id| once(stream, headers(id, 0))).await,
        framed(&authority, |stream, _| {
            once(stream, b"this is no frame at all, not by any measure".to_vec())
        })
        .await,
        framed(&authority, |stream, _| once(stream, Vec::new())).await,
    ];
    let expected = [
        ("h2 stream refused", "the server broke off the HTTP/2 exchange"),
        ("h2 reset after the head", "200, the body broke off"),
        ("h2 resets without end", "the server"),
        ("h2 GOAWAY", "the server broke off the HTTP/2 exchange"),
        ("h2 settings without end", "the server"),
        ("h2 pings without end", "the server"),
        ("h2 pings within the body", "200, "),
        ("h2 empty data without end", "200, "),
        ("h2 push", "the server broke off the HTTP/2 exchange"),
        ("h2 continuation without end", "the server"),
        ("h2 fields without end", "the server"),
        ("h2 body without end", "200, the body has more than 262144 bytes"),
        (
            "h2 body that stops",
            "200, waiting for more of the body took longer than 2 s",
        ),
        ("h2 garbage", "the server broke off the HTTP/2 exchange"),
        ("h2 never answers", "waiting for the answer took longer than 3 s"),
    ];
    let client = client_with(|settings| {
        *settings = client().settings().clone();
        settings.tls.ca_files = vec![authority.path().to_owned()];
    });
    let cases: Vec<_> = expected
        .iter()
        .zip(urls)
        .map(|((name, words), url)| (*name, url, *words))
        .collect();
    table(&client, &cases).await;
    let server = Server::start_over(handler(misbehaving), accept(authority.server("shop.test", &[]))).await;
    let url = Url::parse(&format!("https://shop.test:{}/fine", server.address.port())).unwrap();
    assert_eq!(get(&client, url).await.body(), b"fine");
}
