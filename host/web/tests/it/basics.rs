//! Requests and responses.

use std::sync::Arc;

use magpie_test_support::server::{Asked, Reply, Site};
use magpie_web::{Credentials, MediaTypes, Protocol, RedirectKind, Request, Truncation, Validators};
use url::Url;

use crate::client::{client, client_with, get, page, url_of};

#[tokio::test]
async fn a_page_comes_with_everything_about_it() {
    let server = Site::always(page(
        "Content-Type: Text/HTML; charset=utf-8\r\nETag: \"a\"\r\nX-Odd: caf\u{e9}\r\n",
        "body",
    ));
    let exchange = get(&client(), url_of(&server, "/a?b#c")).await;
    assert_eq!((exchange.status, exchange.protocol), (200, Protocol::Http11));
    assert_eq!(
        (exchange.body(), &exchange.raw_body[..]),
        (&b"body"[..], &b"body"[..])
    );
    assert_eq!(exchange.remote, server.address);
    assert_eq!(exchange.url, url_of(&server, "/a?b#c"));
    assert_eq!((exchange.reused, exchange.truncated.as_ref()), (false, None));
    assert_eq!(exchange.media_type().as_deref(), Some("text/html"));
    assert_eq!(exchange.header("x-odd").as_deref(), Some("café"));
    assert_eq!(
        exchange.response_head().as_ref(),
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Type: Text/HTML; charset=utf-8\r\nETag: \"a\"\r\nX-Odd: café\r\n\r\n".as_bytes()
    );
    let asked = server.log().remove(0);
    assert_eq!(asked.path, "/a?b");
    assert_eq!(exchange.request().as_ref(), asked.head.as_bytes());
}

#[tokio::test]
async fn the_request_says_who_asks_and_for_what() {
    let server = Site::always(page("", ""));
    let client = client_with(|settings| {
        settings.user_agent = "owl/1 (+https://owl.example)".to_owned();
        settings.accept_language = "de, en;q=0.5".to_owned();
        settings.headers = vec![("X-From".to_owned(), "here".to_owned())];
    });
    let mut request = Request::new(url_of(&server, "/"));
    request.headers = vec![
        ("x-two".to_owned(), "a".to_owned()),
        ("X-Two".to_owned(), "b".to_owned()),
    ];
    client.fetch(&request).await.unwrap();
    assert_eq!(
        server.log()[0].head,
        format!(
            "GET / HTTP/1.1\r\nhost: {}\r\nuser-agent: owl/1 (+https://owl.example)\r\naccept-language: de, en;q=0.5\r\n\
             accept: {}\r\naccept-encoding: gzip, zstd, br, deflate\r\nx-from: here\r\nx-two: a\r\nx-two: b\r\n\r\n",
            server.address,
            Request::ACCEPT
        )
    );
}

#[tokio::test]
async fn every_url_that_the_parser_gives_can_be_sent() {
    let server = Site::always(page("", ""));
    let client = client();
    for byte in 0..=255u8 {
        let character = char::from(byte);
        let url = Url::parse(&format!("http://{}/a{character}b?c{character}d", server.address)).unwrap();
        let exchange = client.fetch(&Request::new(url.clone())).await.unwrap();
        assert_eq!(exchange.status, 200, "{url}");
    }
}

#[tokio::test]
async fn fields_that_can_t_be_sent_are_refused() {
    let client = client();
    for (name, value) in [
        ("a b", "c"),
        ("a", "b\r\nc: d"),
        ("Transfer-Encoding", "chunked"),
        ("Content-Length", "5"),
    ] {
        let mut request = Request::new(Url::parse("http://127.0.0.1/").unwrap());
        request.headers = vec![(name.to_owned(), value.to_owned())];
        let error = client.fetch(&request).await.unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert!(!error.is_retryable());
    }
}

#[tokio::test]
async fn other_urls_are_refused() {
    for url in [
        "ftp://ann:secret@example.org/",
        "file:///etc/passwd",
        "data:text/plain,a",
    ] {
        let error = client()
            .fetch(&Request::new(Url::parse(url).unwrap()))
            .await
            .unwrap_err();
        assert_eq!(error.kind().code(), "request");
        assert!(!format!("{error} {error:?}").contains("secret"));
    }
}

fn validated(asked: &Asked) -> Reply {
    let is_known = asked.field("if-none-match") == Some("\"a\"")
        || asked.field("if-modified-since") == Some("Sun, 06 Nov 1994 08:49:37 GMT");
    match is_known {
        true => Reply::bytes("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n"),
        false => page(
            "ETag: \"a\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
            "body",
        ),
    }
}

#[tokio::test]
async fn what_is_known_is_not_sent_again() {
    let server = Site::asked(validated);
    let client = client();
    let mut request = Request::new(url_of(&server, "/"));
    let first = client.fetch(&request).await.unwrap();
    let validators = first.validators();
    let only_date = Validators {
        etag: None,
        ..validators.clone()
    };
    for validators in [validators, only_date] {
        request.validators = Some(validators);
        let again = client.fetch(&request).await.unwrap();
        assert_eq!((again.status, again.body(), again.reused), (304, &b""[..], true));
    }
    // Validators that can't be sent are left out, and the page comes whole.
    request.validators = Some(Validators {
        etag: Some("\"a\"\n".to_owned()),
        last_modified: None,
    });
    assert_eq!(client.fetch(&request).await.unwrap().status, 200);
}

#[tokio::test]
async fn credentials_go_where_they_belong() {
    let server = Site::always(page("", ""));
    let other = Site::always(page("", ""));
    let origin = format!("http://{}", server.address);
    let client = client_with(|settings| {
        settings.credentials = vec![(origin, Credentials::new("site", "secret"))];
    });
    let with_url = Url::parse(&format!("http://url:s%40cret@{}/", server.address)).unwrap();
    get(&client, url_of(&server, "/")).await;
    let exchange = get(&client, with_url.clone()).await;
    let mut request = Request::new(with_url.clone());
    request.credentials = Some(Credentials::new("request", "secret"));
    client.fetch(&request).await.unwrap();
    get(&client, url_of(&other, "/")).await;
    let sent: Vec<_> = server
        .log()
        .iter()
        .map(|asked| asked.field("authorization").unwrap().to_owned())
        .collect();
    // site:secret, url:s@cret, request:secret
    assert_eq!(
        sent,
        [
            "Basic c2l0ZTpzZWNyZXQ=",
            "Basic dXJsOnNAY3JldA==",
            "Basic cmVxdWVzdDpzZWNyZXQ="
        ]
    );
    assert_eq!(other.log()[0].field("authorization"), None);
    // They share a connection, and nothing that is kept shows them.
    assert!(server.log().iter().all(|asked| asked.connection == 0));
    assert_eq!(exchange.url, url_of(&server, "/"));
    let head = String::from_utf8(exchange.request().into_owned()).unwrap();
    assert!(
        head.contains("authorization: ***\r\n") && !head.contains("Basic"),
        "{head}"
    );
    assert!(!format!("{exchange:?} {request:?} {:?}", client.settings().credentials).contains("cret"));
}

#[tokio::test]
async fn a_form_is_sent_by_post_over_a_connection_that_was_never_idle() {
    let server = Site::always(page("", ""));
    let client = client();
    get(&client, url_of(&server, "/")).await;
    let mut request = Request::new(url_of(&server, "/find?a=b"));
    request.form = Some("q=big+dogs".to_owned());
    let exchange = client.fetch(&request).await.unwrap();
    let asked = server.log();
    let connections: Vec<usize> = asked.iter().map(|asked| asked.connection).collect();
    assert_eq!(connections, [0, 1]);
    assert!(
        asked[1].head.starts_with("POST /find?a=b HTTP/1.1\r\n"),
        "{}",
        asked[1].head
    );
    assert_eq!(
        asked[1].field("content-type"),
        Some("application/x-www-form-urlencoded")
    );
    assert_eq!(asked[1].field("content-length"), Some("10"));
    let sent = format!("{}q=big+dogs", asked[1].head);
    assert_eq!(exchange.request().as_ref(), sent.as_bytes());
    assert_eq!(exchange.url, url_of(&server, "/find?a=b"));
}

#[tokio::test]
async fn cookies_come_back_to_their_site() {
    let server = Site::always(page(
        "Set-Cookie: a=1; path=/\r\nSet-Cookie: b=2; path=/x\r\n",
        "",
    ));
    let client = client();
    get(&client, url_of(&server, "/")).await;
    get(&client, url_of(&server, "/x")).await;
    let again = client_with(|_| ());
    again.import_cookies(client.cookies());
    get(&again, url_of(&server, "/x")).await;
    let without = client_with(|settings| settings.cookies = None);
    get(&without, url_of(&server, "/")).await;
    get(&without, url_of(&server, "/")).await;
    let sent: Vec<_> = server
        .log()
        .iter()
        .map(|asked| asked.field("cookie").map(str::to_owned))
        .collect();
    let expected = [None, Some("b=2; a=1"), Some("b=2; a=1"), None, None];
    assert_eq!(sent, expected.map(|field| field.map(str::to_owned)));
}

#[tokio::test]
async fn what_is_not_wanted_is_not_read() {
    let server = Site::start(|path| match path {
        "/long" => Reply::bytes(format!(
            "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 99999999\r\n\r\n{}",
            "v".repeat(1000)
        )),
        _ => page("Content-Type: Video/MP4; codecs=x\r\n", "v".repeat(1000)),
    });
    let client = client();
    let mut request = Request::new(url_of(&server, "/short"));
    request.media_types = Some(Arc::new(MediaTypes::new(["text/*", "application/xml"])));
    let exchange = client.fetch(&request).await.unwrap();
    let expected = Truncation::NotWanted {
        media_type: "video/mp4".to_owned(),
    };
    assert_eq!(
        (exchange.status, exchange.truncated.as_ref()),
        (200, Some(&expected))
    );
    assert!(exchange.raw_body.is_empty());
    request.url = url_of(&server, "/long");
    let exchange = client.fetch(&request).await.unwrap();
    assert_eq!(exchange.truncated, Some(expected));
    assert!(exchange.reused, "a short body is read to keep the connection");
    request.media_types = Some(Arc::new(MediaTypes::new(["video/*"])));
    request.url = url_of(&server, "/short");
    let exchange = client.fetch(&request).await.unwrap();
    assert_eq!((exchange.body().len(), exchange.reused), (1000, false));
}

#[tokio::test]
async fn bodies_are_decoded_and_kept_as_they_came() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"<p>hello</p>").unwrap();
    let coded = encoder.finish().unwrap();
    let server = Site::always(page("Content-Encoding: gzip\r\n", &coded));
    let exchange = get(&client(), url_of(&server, "/")).await;
    assert_eq!(exchange.body(), b"<p>hello</p>");
    assert_eq!(exchange.raw_body, coded);
    assert_eq!(exchange.body_problem(), None);
}

#[tokio::test]
async fn chunks_and_bodies_up_to_the_end_are_whole() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n";
    let server = Site::start(move |path| match path {
        "/chunked" => Reply::bytes(chunked),
        _ => Reply::bytes("HTTP/1.0 200 OK\r\n\r\nabcde").and_close(),
    });
    let client = client();
    let exchange = get(&client, url_of(&server, "/chunked")).await;
    assert_eq!(
        (exchange.body(), exchange.truncated.as_ref()),
        (&b"abcde"[..], None)
    );
    let exchange = get(&client, url_of(&server, "/old")).await;
    assert!(exchange.reused);
    assert_eq!(
        (exchange.body(), exchange.truncated.as_ref()),
        (&b"abcde"[..], None)
    );
    assert_eq!(exchange.protocol, Protocol::Http10);
    assert!(!get(&client, url_of(&server, "/chunked")).await.reused);
}

#[tokio::test]
async fn the_body_is_cut_at_the_limit() {
    let server = Site::always(page("", "x".repeat(100_000)));
    let client = client_with(|settings| settings.limits.body_bytes = 50_000);
    let mut request = Request::new(url_of(&server, "/"));
    for limit in [50_000, 1000, 0] {
        request.body_bytes = Some(limit);
        let exchange = client.fetch(&request).await.unwrap();
        assert_eq!(
            (exchange.raw_body.len(), exchange.truncated),
            (limit, Some(Truncation::Length { limit }))
        );
    }
    // One that just fits is whole.
    let client = client_with(|settings| settings.limits.body_bytes = 100_000);
    assert_eq!(get(&client, url_of(&server, "/")).await.truncated, None);
}

#[tokio::test]
async fn redirects_are_told_and_not_followed() {
    let server = Site::always(Reply::bytes(
        "HTTP/1.1 301 Moved\r\nLocation: /b?c\r\nContent-Length: 0\r\n\r\n",
    ));
    let exchange = get(&client(), url_of(&server, "/a#d")).await;
    assert_eq!(exchange.redirect_kind(), Some(RedirectKind::Permanent));
    assert_eq!(
        exchange.redirect_target().unwrap().unwrap(),
        url_of(&server, "/b?c#d")
    );
    assert_eq!(server.log().len(), 1);
}

#[tokio::test]
async fn servers_that_ask_to_wait_are_heard() {
    let server = Site::always(Reply::bytes(
        "HTTP/1.1 429 Slow down\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n",
    ));
    let exchange = get(&client(), url_of(&server, "/")).await;
    assert_eq!(exchange.retry_after(), Some(std::time::Duration::from_secs(120)));
}
