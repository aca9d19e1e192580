//! HTTP/2 servers that misbehave.

use std::net::SocketAddr;

use tokio::io::AsyncWriteExt;
use url::Url;

use super::routes::misbehaving;
use super::{client, table};
use crate::support::frames::{self, frame};
use crate::support::tls::{Authority, accept};
use crate::support::{Handling, Server, Stream, client_with, get, handler, respond};

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
        ("h2 stream refused", "the server aborted the HTTP/2 stream"),
        ("h2 reset after the head", "200, the body broke off"),
        ("h2 resets without end", "the server"),
        ("h2 GOAWAY", "the server aborted the HTTP/2 stream"),
        ("h2 settings without end", "the server"),
        ("h2 pings without end", "the server"),
        ("h2 pings within the body", "200, "),
        ("h2 empty data without end", "200, "),
        ("h2 push", "the server aborted the HTTP/2 stream"),
        ("h2 continuation without end", "the server"),
        ("h2 fields without end", "the server"),
        ("h2 body without end", "200, the body has more than 262144 bytes"),
        (
            "h2 body that stops",
            "200, waiting for more of the body took longer than 2 s",
        ),
        ("h2 garbage", "the server aborted the HTTP/2 stream"),
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
