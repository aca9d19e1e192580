//! HTTP/2 servers that misbehave.

use std::time::Duration;

use magpie_test_support::server::{Reply, Site, Wire};
use magpie_test_support::tls::{Authority, accept};
use magpie_web::Request;
use url::Url;

use super::routes::misbehaving;
use super::{client, table};
use crate::client::{client_with, get};
use crate::frames::{self, frame};

/// A server of hand-written frames, and where it is.
fn framed(
    authority: &Authority,
    script: impl Fn(&mut Wire, u32) -> Option<()> + Send + Sync + 'static,
) -> Url {
    let address = frames::start(authority.server("shop.test", &["h2"]), script);
    Url::parse(&format!("https://shop.test:{}/", address.port())).unwrap()
}

/// Writes frames, then one more again and again. Several floods at once must leave the client some
/// time of the processors, so each pauses.
fn flood(wire: &mut Wire, first: Vec<u8>, again: &[u8]) -> Option<()> {
    wire.send(first)?;
    let many = again.repeat(1 + 16 * 1024 / again.len());
    wire.repeat(many, Duration::from_millis(1))
}

fn headers(stream: u32, flags: u8) -> Vec<u8> {
    frame(
        frames::HEADERS,
        flags | frames::END_HEADERS,
        stream,
        frames::STATUS_200,
    )
}

/// A form is larger than what may be sent at first, and the server never permits more.
#[tokio::test]
async fn a_server_that_takes_no_form_does_not_hold_the_client() {
    let authority = Authority::new();
    let url = framed(&authority, |_, _| Some(()));
    let client = client_with(|settings| {
        *settings = client().settings().clone();
        settings.tls.ca_files = vec![authority.path().to_owned()];
    });
    let mut request = Request::new(url);
    request.form = Some("q=".to_owned() + &"x".repeat(200_000));
    let error = client.fetch(&request).await.unwrap_err();
    assert_eq!(error.kind().code(), "timeout", "{error}");
}

/// Another server named as an alternative (RFC 7838) could answer for this one, at any address.
#[tokio::test]
async fn an_alternative_service_is_not_asked() {
    let other = Site::always(Reply::html("other"));
    let alternative = format!("h2=\"{0}\"; ma=3600, http/1.1=\"{0}\"; ma=3600", other.address);
    let site = Site::start(move |_| Reply::html("own").with("Alt-Svc", &alternative));
    for _ in 0..3 {
        let page = get(&client(), Url::parse(&site.url("/")).unwrap()).await;
        assert_eq!(page.body(), b"own");
    }
    assert!(other.log().is_empty());
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
        framed(&authority, |wire, id| {
            wire.send(frame(frames::RESET, 0, id, &[0, 0, 0, 7]))
        }),
        framed(&authority, |wire, id| {
            wire.send([headers(id, 0), frame(frames::RESET, 0, id, &[0, 0, 0, 2])].concat())
        }),
        framed(&authority, |wire, id| {
            flood(wire, Vec::new(), &frame(frames::RESET, 0, id, &[0, 0, 0, 8]))
        }),
        framed(&authority, move |wire, _| {
            wire.send(frame(frames::GO_AWAY, 0, 0, &go_away))
        }),
        framed(&authority, |wire, _| {
            flood(wire, Vec::new(), &frame(frames::SETTINGS, 0, 0, &[]))
        }),
        framed(&authority, |wire, _| {
            flood(wire, Vec::new(), &frame(frames::PING, 0, 0, &[0; 8]))
        }),
        framed(&authority, |wire, id| {
            flood(wire, headers(id, 0), &frame(frames::PING, 0, 0, &[0; 8]))
        }),
        framed(&authority, |wire, id| {
            flood(wire, headers(id, 0), &frame(frames::DATA, 0, id, &[]))
        }),
        framed(&authority, |wire, id| {
            wire.send(frame(
                frames::PUSH_PROMISE,
                frames::END_HEADERS,
                id,
                &[&[0, 0, 0, 2], frames::STATUS_200].concat(),
            ))
        }),
        framed(&authority, move |wire, id| {
            flood(
                wire,
                frame(frames::HEADERS, 0, id, frames::STATUS_200),
                &continuation,
            )
        }),
        framed(&authority, move |wire, id| {
            let block = [frames::STATUS_200, &large_fields].concat();
            wire.send(frame(
                frames::HEADERS,
                frames::END_HEADERS | frames::END_STREAM,
                id,
                &block,
            ))
        }),
        framed(&authority, |wire, id| {
            // 30 MB in 13 KB: each byte repeats the field.
            let block = [frames::STATUS_200, &frames::tabled("a"), &[0xbe; 10_000]].concat();
            wire.send(frame(
                frames::HEADERS,
                frames::END_HEADERS | frames::END_STREAM,
                id,
                &block,
            ))
        }),
        framed(&authority, |wire, id| {
            flood(wire, headers(id, 0), &frame(frames::DATA, 0, id, &[b'x'; 1000]))
        }),
        framed(&authority, |wire, id| wire.send(headers(id, 0))),
        framed(&authority, |wire, _| {
            wire.send(b"this is no frame at all, not by any measure")
        }),
        framed(&authority, |_, _| Some(())),
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
        ("h2 fields out of the table", "the server"),
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
    let server = Site::over(accept(authority.server("shop.test", &[])), misbehaving);
    let url = Url::parse(&format!("https://shop.test:{}/fine", server.address.port())).unwrap();
    assert_eq!(get(&client, url).await.body(), b"fine");
}
