use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;
use magpie_values::Timestamp;

/// Serves the answers in turn, one a connection, and hands over the heads of the requests.
fn serve(host: &str, answers: Vec<Vec<u8>>) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind((host, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = sender.send(request_head(&mut stream));
            let _ = stream.write_all(&answer);
        }
    });
    (port, receiver)
}

fn request_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

fn answer(status: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{head}\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

fn redirect(to: &str) -> Vec<u8> {
    answer("302 Found", &format!("Location: {to}\r\n"), b"")
}

fn page(body: &[u8]) -> Vec<u8> {
    answer("200 OK", "Content-Type: text/html\r\n", body)
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn kind(error: &FetchError) -> Option<FetchErrorKind> {
    match error {
        FetchError::Fetch { cause, .. } => Some(cause.kind()),
        _ => None,
    }
}

#[test]
fn a_page_is_fetched_under_our_name() {
    let (port, requests) = serve("127.0.0.1", vec![page(b"hello")]);
    let page = fetch(
        &url(&format!("http://127.0.0.1:{port}/x?y")),
        &FetchSettings::default(),
    )
    .unwrap();
    assert_eq!((page.status, &*page.body), (200, b"hello".as_slice()));
    assert_eq!(page.url.path(), "/x");
    assert!(page.fetched_at > Timestamp::from_seconds(1_700_000_000));
    assert!(
        page.headers
            .contains(&("content-type".to_owned(), "text/html".to_owned()))
    );
    let head = requests.recv().unwrap().to_lowercase();
    assert!(head.starts_with("get /x?y http/1.1"), "{head}");
    assert!(
        head.contains("user-agent: magpie/") && head.contains("(+https://"),
        "{head}"
    );
}

#[test]
fn an_error_page_is_a_page() {
    let (port, _requests) = serve("127.0.0.1", vec![answer("404 Not Found", "", b"gone")]);
    let page = fetch(
        &url(&format!("http://127.0.0.1:{port}/")),
        &FetchSettings::default(),
    )
    .unwrap();
    assert_eq!((page.status, &*page.body), (404, b"gone".as_slice()));
}

#[test]
fn a_compressed_body_is_inflated_and_its_head_says_so_no_more() {
    let (port, _requests) = serve(
        "127.0.0.1",
        vec![answer("200 OK", "Content-Encoding: gzip\r\n", &gzip(b"hello"))],
    );
    let page = fetch(
        &url(&format!("http://127.0.0.1:{port}/")),
        &FetchSettings::default(),
    )
    .unwrap();
    assert_eq!(page.body, b"hello".as_slice());
    let names: Vec<&str> = page.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["connection"]);
}

#[test]
fn redirects_are_followed_and_the_last_url_counts() {
    let (port, _requests) = serve("127.0.0.1", vec![redirect("/b/"), redirect("c"), page(b"hello")]);
    let page = fetch(
        &url(&format!("http://127.0.0.1:{port}/a#part")),
        &FetchSettings::default(),
    )
    .unwrap();
    assert_eq!((page.url.path(), page.url.fragment()), ("/b/c", Some("part")));
}

#[test]
fn redirects_end() {
    let (port, _requests) = serve("127.0.0.1", vec![redirect("/"); 3]);
    let settings = FetchSettings {
        max_redirects: 2,
        ..FetchSettings::default()
    };
    let error = fetch(&url(&format!("http://127.0.0.1:{port}/")), &settings).unwrap_err();
    assert!(
        matches!(error, FetchError::TooManyRedirects { limit: 2, .. }),
        "{error}"
    );
}

#[test]
fn a_redirect_to_another_scheme_is_refused() {
    let (port, _requests) = serve("127.0.0.1", vec![redirect("file:///etc/passwd")]);
    let error = fetch(
        &url(&format!("http://127.0.0.1:{port}/")),
        &FetchSettings::default(),
    )
    .unwrap_err();
    assert!(matches!(error, FetchError::BadRedirect { .. }), "{error}");
}

/// For the tests, the second address of this machine is out on the internet.
fn second_is_public() -> AddressPolicy {
    AddressPolicy::allowing(["127.0.0.2/32".parse().unwrap()])
}

#[test]
fn a_public_page_may_lead_to_no_address_that_a_crawl_refuses() {
    for address in [
        "168.63.129.16",
        "192.88.99.1",
        "[3fff::1]",
        "[2001:10::1]",
        "[64:ff9b::10.0.0.1]",
        "[2001:0:4136:e378:8000:63bf:3f57:fffe]",
        "[2a00:1450::5efe:10.0.0.1]",
    ] {
        let (public, _requests) = serve("127.0.0.2", vec![redirect(&format!("http://{address}/"))]);
        let start = url(&format!("http://127.0.0.2:{public}/"));
        let error = fetch_judging(&start, &FetchSettings::default(), second_is_public()).unwrap_err();
        assert!(
            matches!(error, FetchError::RedirectToPrivate { .. }),
            "{address}: {error}"
        );
    }
}

#[test]
fn a_public_page_may_not_lead_to_a_private_address() {
    let (private, requests) = serve("127.0.0.1", vec![page(b"secret")]);
    let (public, _requests) = serve(
        "127.0.0.2",
        vec![redirect(&format!("http://127.0.0.1:{private}/"))],
    );
    let start = url(&format!("http://127.0.0.2:{public}/"));
    let error = fetch_judging(&start, &FetchSettings::default(), second_is_public()).unwrap_err();
    assert!(matches!(error, FetchError::RedirectToPrivate { .. }), "{error}");
    assert!(error.to_string().contains("127.0.0.1"), "{error}");
    assert!(requests.try_recv().is_err(), "the private server was asked");
}

#[test]
fn a_private_page_may_lead_anywhere() {
    let (public, _requests) = serve("127.0.0.2", vec![page(b"hello")]);
    let (private, _requests) = serve(
        "127.0.0.1",
        vec![redirect(&format!("http://127.0.0.2:{public}/"))],
    );
    let start = url(&format!("http://127.0.0.1:{private}/"));
    let page = fetch_judging(&start, &FetchSettings::default(), second_is_public()).unwrap();
    assert_eq!(page.body, b"hello".as_slice());
}

#[test]
fn bodies_are_limited_before_and_after_they_are_inflated() {
    let settings = FetchSettings {
        body_bytes: 1000,
        ..FetchSettings::default()
    };
    let bomb = answer("200 OK", "Content-Encoding: gzip\r\n", &gzip(&[0; 100_000]));
    let (port, _requests) = serve("127.0.0.1", vec![page(&[b'x'; 1001]), bomb, page(&[b'x'; 1000])]);
    let start = url(&format!("http://127.0.0.1:{port}/"));
    for _ in 0..2 {
        let error = fetch(&start, &settings).unwrap_err();
        assert!(
            matches!(error, FetchError::TooLarge { limit: 1000, .. }),
            "{error}"
        );
    }
    assert_eq!(fetch(&start, &settings).unwrap().body.len(), 1000);
}

#[test]
fn heads_are_limited() {
    let long = answer("200 OK", &format!("A: {}\r\n", "x".repeat(10_000)), b"");
    let (port, _requests) = serve("127.0.0.1", vec![long]);
    let settings = FetchSettings {
        head_bytes: 5000,
        ..FetchSettings::default()
    };
    let error = fetch(&url(&format!("http://127.0.0.1:{port}/")), &settings).unwrap_err();
    assert_eq!(kind(&error), Some(FetchErrorKind::TooLarge), "{error}");
}

#[test]
fn time_is_limited() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let start = url(&format!("http://{}/", listener.local_addr().unwrap()));
    let settings = FetchSettings {
        timeout: Duration::from_millis(200),
        ..FetchSettings::default()
    };
    let error = fetch(&start, &settings).unwrap_err();
    assert!(matches!(error, FetchError::Timeout { .. }), "{error}");
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let error = fetch(
        &url(&format!("http://127.0.0.1:{port}/")),
        &FetchSettings::default(),
    )
    .unwrap_err();
    assert_eq!(kind(&error), Some(FetchErrorKind::Connect), "{error}");
    let error = fetch(&url("http://name.invalid/"), &FetchSettings::default()).unwrap_err();
    assert_eq!(kind(&error), Some(FetchErrorKind::Dns), "{error:?}");
}

#[test]
fn a_password_is_sent_to_its_origin_only_and_never_printed() {
    let (other, other_requests) = serve("127.0.0.1", vec![answer("500 Sorry", "", b"")]);
    let elsewhere = redirect(&format!("http://someone:else@127.0.0.1:{other}/"));
    let (port, requests) = serve("127.0.0.1", vec![redirect("/again"), elsewhere]);
    let start = url(&format!("http://me:sec%20ret@127.0.0.1:{port}/"));
    let page = fetch(&start, &FetchSettings::default()).unwrap();
    assert_eq!(page.url.as_str(), format!("http://127.0.0.1:{other}/"));
    for _ in 0..2 {
        let head = requests.recv().unwrap().to_lowercase();
        assert!(
            head.contains("authorization: basic bwu6c2vjihjldA==".to_lowercase().as_str()),
            "{head}"
        );
    }
    assert!(
        !other_requests
            .recv()
            .unwrap()
            .to_lowercase()
            .contains("authorization")
    );
    let error = fetch(&url("ftp://me:secret@a.test/"), &FetchSettings::default()).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
}
