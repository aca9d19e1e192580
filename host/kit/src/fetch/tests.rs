use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use magpie_test_support::server::{Reply, Site, unused_address};

use magpie_web::AddressPolicy;

use super::*;
use crate::causes::with_causes;
use magpie_values::Timestamp;

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

/// Settings that allow servers on this machine.
pub(crate) fn on_this_machine() -> FetchSettings {
    FetchSettings {
        network: ClientSettings {
            addresses: AddressPolicy::allowing(["127.0.0.0/8".parse().unwrap()]),
            ..ClientSettings::default()
        },
        ..FetchSettings::default()
    }
}

/// Fetches the first page of a site.
fn fetched(site: &Site) -> Result<PageSource, FetchError> {
    fetch(&url(&site.url("/")), &on_this_machine())
}

#[test]
fn a_page_is_fetched_under_our_name() {
    let site = Site::always(Reply::of("text/html", "hello"));
    let page = fetch(&url(&site.url("/x?y")), &on_this_machine()).unwrap();
    assert_eq!((page.status, &*page.body), (200, b"hello".as_slice()));
    assert_eq!(page.url.path(), "/x");
    assert!(page.fetched_at > Timestamp::from_seconds(1_700_000_000));
    assert!(
        page.headers
            .contains(&("content-type".to_owned(), "text/html".to_owned()))
    );
    let head = site.log()[0].head.to_lowercase();
    assert!(head.starts_with("get /x?y http/1.1"), "{head}");
    assert!(
        head.contains("user-agent: magpie/") && head.contains("(+https://"),
        "{head}"
    );
}

#[test]
fn an_error_page_is_a_page() {
    let page = fetched(&Site::always(Reply::html("gone").with_status(404))).unwrap();
    assert_eq!((page.status, &*page.body), (404, b"gone".as_slice()));
}

#[test]
fn a_compressed_body_is_inflated_and_its_head_says_so_no_more() {
    let coded = Reply::html(gzip(b"hello")).with("Content-Encoding", "gzip");
    let page = fetched(&Site::always(coded)).unwrap();
    assert_eq!(page.body, b"hello".as_slice());
    let names: Vec<&str> = page.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["content-type"]);
}

#[test]
fn redirects_are_followed_and_the_last_url_counts() {
    let site = Site::in_turn([Reply::redirect("/b/"), Reply::redirect("c"), Reply::html("hello")]);
    let page = fetch(&url(&site.url("/a#part")), &on_this_machine()).unwrap();
    assert_eq!((page.url.path(), page.url.fragment()), ("/b/c", Some("part")));
}

#[test]
fn redirects_end() {
    let site = Site::start(|path| Reply::redirect(&format!("{path}x")));
    let settings = FetchSettings {
        max_redirects: 2,
        ..on_this_machine()
    };
    let error = fetch(&url(&site.url("/")), &settings).unwrap_err();
    assert_eq!(
        with_causes(&error),
        format!(
            "{} can't be fetched: there are more than 2 redirects",
            site.url("/")
        )
    );
    assert_eq!(site.log().len(), 3);
}

#[test]
fn a_redirect_to_another_scheme_is_refused() {
    let error = fetched(&Site::always(Reply::redirect("file:///etc/passwd"))).unwrap_err();
    assert!(matches!(error, FetchError::Redirects { .. }), "{error}");
}

#[test]
fn a_private_address_is_refused_unless_the_settings_allow_it() {
    let private = Site::always(Reply::html("secret"));
    let error = fetch(&url(&private.url("/")), &FetchSettings::default()).unwrap_err();
    assert_eq!(kind(&error), Some(FetchErrorKind::RefusedAddress), "{error}");
    let sentence = with_causes(&error);
    assert!(
        sentence.contains("--set network.allow_addresses=127.0.0.0/8"),
        "{sentence}"
    );
    assert!(private.log().is_empty(), "the private server was asked");
    assert_eq!(fetched(&private).unwrap().body, b"secret".as_slice());
}

#[test]
fn a_redirect_leads_to_no_address_that_a_crawl_refuses() {
    for address in [
        "10.1.2.3",
        "168.63.129.16",
        "192.88.99.1",
        "[3fff::1]",
        "[2001:10::1]",
        "[64:ff9b::10.0.0.1]",
        "[2001:0:4136:e378:8000:63bf:3f57:fffe]",
        "[2a00:1450::5efe:10.0.0.1]",
    ] {
        let site = Site::always(Reply::redirect(&format!("http://{address}/")));
        let error = fetched(&site).unwrap_err();
        assert_eq!(
            kind(&error),
            Some(FetchErrorKind::RefusedAddress),
            "{address}: {error}"
        );
        assert!(error.to_string().contains(&site.url("/")), "{error}");
    }
}

#[test]
fn bodies_are_limited_before_and_after_they_are_inflated() {
    let settings = FetchSettings {
        body_bytes: 1000,
        ..on_this_machine()
    };
    let site = Site::in_turn([
        Reply::html([b'x'; 1001]),
        Reply::html(gzip(&[0; 100_000])).with("Content-Encoding", "gzip"),
        Reply::html([b'x'; 1000]),
    ]);
    let start = url(&site.url("/"));
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
    let site = Site::always(Reply::html("").with("A", &"x".repeat(10_000)));
    let settings = FetchSettings {
        head_bytes: 5000,
        ..on_this_machine()
    };
    let error = fetch(&url(&site.url("/")), &settings).unwrap_err();
    assert_eq!(kind(&error), Some(FetchErrorKind::TooLarge), "{error}");
}

#[test]
fn time_is_limited() {
    let settings = FetchSettings {
        timeout: Duration::from_millis(200),
        ..on_this_machine()
    };
    let site = Site::always(Reply::silence());
    let error = fetch(&url(&site.url("/")), &settings).unwrap_err();
    assert!(matches!(error, FetchError::Timeout { .. }), "{error}");
}

#[test]
fn a_server_that_is_not_there_is_told() {
    for (start, expected) in [
        (format!("http://{}/", unused_address()), FetchErrorKind::Connect),
        ("http://name.invalid/".to_owned(), FetchErrorKind::Dns),
    ] {
        let error = fetch(&url(&start), &on_this_machine()).unwrap_err();
        assert_eq!(kind(&error), Some(expected), "{error:?}");
    }
}

#[test]
fn a_password_is_sent_to_its_origin_only_and_never_printed() {
    let other = Site::always(Reply::status(500));
    let elsewhere = Reply::redirect(&format!("http://someone:else@{}/", other.address));
    let site = Site::in_turn([Reply::redirect("/again"), elsewhere]);
    let start = url(&format!("http://me:sec%20ret@{}/", site.address));
    let page = fetch(&start, &on_this_machine()).unwrap();
    assert_eq!(page.url.as_str(), other.url("/"));
    let sent: Vec<_> = site
        .log()
        .iter()
        .map(|asked| asked.field("authorization").map(str::to_owned))
        .collect();
    assert_eq!(sent, vec![Some("Basic bWU6c2VjIHJldA==".to_owned()); 2]);
    assert_eq!(other.log()[0].field("authorization"), None);
    let error = fetch(&url("ftp://me:secret@a.test/"), &on_this_machine()).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
}
