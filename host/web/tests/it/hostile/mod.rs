//! Servers that misbehave, one way per route. Each fetch ends with a plain reason, within bounded
//! time and bytes, and a good page can be fetched afterwards. The table is printed: `cargo test --
//! --nocapture`.

mod http2;
mod routes;

use std::net::SocketAddr;
use std::sync::LazyLock;
use std::time::Duration;

use magpie_test_support::server::{Site, unused_address};
use magpie_test_support::tls::{Authority, Flaw, accept, self_signed};
use magpie_web::{Client, Exchange, FetchError, MAX_REDIRECTS, Request, follow};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use url::Url;

use crate::client::{client_with, get, short_timeouts, url_of};
use routes::{BOMBS, misbehaving};

const BODY_LIMIT: usize = 256 * 1024;
const DECODED_LIMIT: usize = 3 * 1024 * 1024;
const HEAD_LIMIT: usize = 16 * 1024;

/// The outcome of a fetch in words, and the number of kept bytes.
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

/// Runs the cases in parallel, prints the table, and compares. The expected words may leave the end
/// out.
async fn table(client: &Client, cases: &[(&str, Url, &str)]) {
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
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_route_ends_with_a_reason() {
    LazyLock::force(&BOMBS);
    let server = Site::asked(misbehaving);
    let client = client();
    let routes: &[(&str, &str)] = &[
        ("/never-answers", "waiting for the answer took longer than 3 s"),
        (
            "/closed-at-once",
            "the server closed the connection without a response",
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
        ("/garbage", "the response is not HTTP"),
        ("/http-0.9", "the response is not HTTP"),
        ("/status-nonsense", "the response is not HTTP"),
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
            "200, the body arrived at less than 1000 bytes per second",
        ),
        ("/body-steady", "200, the whole fetch took longer than 5 s"),
        ("/reset-mid-body", "200, the body broke off"),
        ("/length-too-short", "200"),
        ("/length-too-long", "200, the body broke off"),
        ("/length-twice", "the response is not HTTP"),
        ("/length-negative", "the response is not HTTP"),
        ("/length-too-large-a-number", "the response is not HTTP"),
        ("/chunks-endless", "200, the body has more than 262144 bytes"),
        ("/chunks-cut", "200, the body broke off"),
        ("/chunks-broken", "200, the body broke off"),
        ("/chunk-huge", "200, the body broke off"),
        ("/chunk-extension", "200, the body broke off"),
        ("/trailers", "200, the body broke off"),
        (
            "/bomb-gzip",
            "200, the body inflates to more than 50 times its compressed size",
        ),
        (
            "/bomb-zlib",
            "200, the body inflates to more than 50 times its compressed size",
        ),
        (
            "/bomb-deflate",
            "200, the body inflates to more than 50 times its compressed size",
        ),
        (
            "/bomb-br",
            "200, the body inflates to more than 50 times its compressed size",
        ),
        (
            "/bomb-zstd",
            "200, the body inflates to more than 50 times its compressed size",
        ),
        (
            "/bomb-gzip-gzip",
            "200, the body inflates to more than 50 times its compressed size",
        ),
        (
            "/bomb-br-gzip",
            "200, the body inflates to more than 50 times its compressed size",
        ),
        (
            "/bomb-zstd-deflate-gzip",
            "200, the body inflates to more than 50 times its compressed size",
        ),
        (
            "/codings-without-end",
            "200, the body has more than 3 nested content codings",
        ),
        ("/coding-unknown", "200, unknown content coding \"rot13\""),
        (
            "/coding-lie",
            "200, the head names the content coding gzip, which the body does not have",
        ),
        ("/coding-broken", "200, the gzip data is corrupt"),
        ("/cookies", "200"),
    ];
    let cases: Vec<_> = routes
        .iter()
        .map(|(route, expected)| (*route, url_of(&server, route), *expected))
        .collect();
    table(&client, &cases).await;
    assert!(client.cookies().len() <= 50);
    assert_eq!(get(&client, url_of(&server, "/fine")).await.body(), b"fine");
    assert!(server.log().last().unwrap().field("cookie").unwrap().len() <= 8 * 1024);
    chains(&client, &server).await;
}

async fn chains(client: &Client, server: &Site) {
    for (route, expected) in [
        ("/redirect-loop", "the redirects form a loop"),
        (
            "/redirect-private",
            "http://10.0.0.1/admin: 10.0.0.1 is refused: 10.0.0.1 is in 10.0.0.0/8 (private networks)",
        ),
    ] {
        let request = Request::new(url_of(server, route));
        let followed = follow(client, request, MAX_REDIRECTS, async |_| Ok::<(), String>(())).await;
        let words = followed.problem.unwrap().to_string();
        println!("{route:<34} {:>8} hops   {words}", followed.exchanges.len());
        assert!(words.starts_with(expected), "{words}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_fail_end_with_a_reason() {
    let closed = unused_address();
    let secure = |config| Site::over(accept(config), misbehaving);
    let (vouching, expired, silent) = (
        secure(self_signed("shop.test")),
        secure(Authority::new().unfit("shop.test", Flaw::Expired)),
        Site::asked(misbehaving),
    );
    let https =
        |server: &Site| Url::parse(&format!("https://shop.test:{}/fine", server.address.port())).unwrap();
    let cases = [
        (
            "port closed",
            Url::parse(&format!("http://{closed}/")).unwrap(),
            "can't connect to 127.0.0.1",
        ),
        ("name unknown", Url::parse("http://nothing.invalid/").unwrap(), ""),
        (
            "self-signed",
            https(&vouching),
            "can't establish a secure connection to shop.test: its certificate is signed by no trusted authority",
        ),
        (
            "expired, by a stranger",
            https(&expired),
            "can't establish a secure connection to shop.test: its certificate",
        ),
        ("no TLS", https(&silent), "the TLS handshake took longer than 3 s"),
    ];
    table(&client(), &cases).await;
}

/// A server that resets each connection after the number of bytes of a response that its path
/// gives.
async fn resetting(response: &'static [u8]) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            let head = String::from_utf8(head).unwrap();
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
