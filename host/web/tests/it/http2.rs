//! HTTP/2, with servers that keep to it.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use magpie_test_support::tls::Authority;
use magpie_web::{Client, Protocol, Request};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use url::Url;

use crate::client::{client_with, get};

/// Answers with what it was asked, slowly enough that several requests are under way at once.
async fn server(authority: &Authority) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = TlsAcceptor::from(authority.server("shop.test", &["h2", "http/1.1"]));
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            counted.fetch_add(1, Ordering::SeqCst);
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let stream = acceptor.accept(stream).await.ok()?;
                hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                    .serve_connection(TokioIo::new(stream), service_fn(answer))
                    .await
                    .ok()
            });
        }
    });
    (address, connections)
}

async fn answer(
    request: http::Request<hyper::body::Incoming>,
) -> Result<http::Response<Full<Bytes>>, Infallible> {
    tokio::time::sleep(Duration::from_millis(30)).await;
    let fields: Vec<&str> = request.headers().keys().map(http::HeaderName::as_str).collect();
    let text = format!("{} {}\n", request.uri(), fields.join(" "));
    let body = match request.uri().path() {
        "/large" => Bytes::from(vec![b'x'; 3_000_000]),
        "/find" => request.into_body().collect().await.unwrap().to_bytes(),
        _ => Bytes::from(text),
    };
    Ok(http::Response::builder()
        .header("x-a", "b")
        .header("set-cookie", "c=d")
        .body(Full::new(body))
        .unwrap())
}

fn client(authority: &Authority, address: SocketAddr, http2: bool) -> Client {
    client_with(|settings| {
        settings.tls.ca_files = vec![authority.path().to_owned()];
        settings.dns.overrides = vec![format!("shop.test:443:{address}").parse().unwrap()];
        settings.connections.http2 = http2;
    })
}

fn url(path: &str) -> Url {
    Url::parse(&format!("https://shop.test{path}")).unwrap()
}

#[tokio::test]
async fn http_2_is_spoken_where_both_can() {
    let authority = Authority::new();
    let (address, _) = server(&authority).await;
    let exchange = get(&client(&authority, address, true), url("/a?b#c")).await;
    assert_eq!((exchange.protocol, exchange.status), (Protocol::Http2, 200));
    assert_eq!(
        exchange.body(),
        b"https://shop.test/a?b user-agent accept accept-encoding\n"
    );
    let head = String::from_utf8(exchange.request().into_owned()).unwrap();
    assert!(
        head.starts_with("GET /a?b HTTP/1.1\r\nhost: shop.test\r\nuser-agent: magpie/"),
        "{head}"
    );
    let head = String::from_utf8(exchange.response_head().into_owned()).unwrap();
    assert!(
        head.starts_with("HTTP/1.1 200 OK\r\nx-a: b\r\nset-cookie: c=d\r\n") && head.ends_with("\r\n\r\n"),
        "{head}"
    );
}

#[tokio::test]
async fn a_form_is_sent_over_http_2() {
    let authority = Authority::new();
    let (address, _) = server(&authority).await;
    let mut request = Request::new(url("/find"));
    request.form = Some("q=big+dogs".to_owned());
    let exchange = client(&authority, address, true).fetch(&request).await.unwrap();
    assert_eq!(
        (exchange.protocol, exchange.body()),
        (Protocol::Http2, &b"q=big+dogs"[..])
    );
    let sent = String::from_utf8(exchange.request().into_owned()).unwrap();
    assert!(
        sent.starts_with("POST /find HTTP/1.1\r\nhost: shop.test\r\n")
            && sent.ends_with("\r\n\r\nq=big+dogs"),
        "{sent}"
    );
}

#[tokio::test]
async fn http_1_is_spoken_where_it_is_wanted() {
    let authority = Authority::new();
    let (address, _) = server(&authority).await;
    // The server speaks only HTTP/2, whatever was negotiated, so only the offer is checked.
    let client = client(&authority, address, false);
    let error = client.fetch(&Request::new(url("/"))).await.unwrap_err();
    assert_ne!(error.kind().code(), "tls", "{error}");
}

#[tokio::test]
async fn one_connection_carries_many_requests() {
    let authority = Authority::new();
    let (address, connections) = server(&authority).await;
    let client = client(&authority, address, true);
    get(&client, url("/first")).await;
    let (one, two, three) = tokio::join!(
        get(&client, url("/1")),
        get(&client, url("/2")),
        get(&client, url("/large"))
    );
    assert!(one.reused && two.reused && three.reused);
    assert!(
        one.body().starts_with(b"https://shop.test/1 ") && two.body().starts_with(b"https://shop.test/2 ")
    );
    assert_eq!((three.raw_body.len(), three.truncated), (3_000_000, None));
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn bodies_are_cut_at_the_limit() {
    let authority = Authority::new();
    let (address, connections) = server(&authority).await;
    let client = client(&authority, address, true);
    let mut request = Request::new(url("/large"));
    request.body_bytes = Some(1000);
    for _ in 0..5 {
        let exchange = client.fetch(&request).await.unwrap();
        assert_eq!(
            (exchange.raw_body.len(), exchange.truncated.is_some()),
            (1000, true)
        );
    }
    assert_eq!(get(&client, url("/large")).await.raw_body.len(), 3_000_000);
    assert_eq!(connections.load(Ordering::SeqCst), 1, "the other streams go on");
}
