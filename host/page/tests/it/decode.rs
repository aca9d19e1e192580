//! Bytes to text: what decides the encoding, and what kind of document a body becomes.

use magpie_page::{Page, PageSource};

fn page(content_type: &str, body: &[u8]) -> Page {
    let url = url::Url::parse("https://site.example/").expect("valid");
    let headers = vec![("CONTENT-TYPE".to_owned(), content_type.to_owned())];
    Page::new(PageSource {
        url,
        status: 200,
        headers,
        fetched_at: magpie_values::Timestamp::from_seconds(7),
        body: body.to_vec().into(),
    })
}

#[test]
fn the_encoding_is_decided_in_order() {
    let cases: [(&str, &[u8], &str, &str); 16] = [
        ("text/html", b"\xef\xbb\xbf<p>\xc3\xa9", "UTF-8", "é"),
        (
            "text/html; charset=latin1",
            b"\xef\xbb\xbf<p>\xc3\xa9",
            "UTF-8",
            "é",
        ),
        ("text/html", b"\xff\xfe<\0p\0>\0\xe9\0", "UTF-16LE", "é"),
        ("text/html", b"\xfe\xff\0<\0p\0>\0\xe9", "UTF-16BE", "é"),
        (
            "text/html; charset=ISO-8859-1",
            b"<meta charset=utf-8><p>\xe9",
            "windows-1252",
            "é",
        ),
        (
            "text/html; charset=\"windows-1251\"",
            b"<p>\xe9",
            "windows-1251",
            "й",
        ),
        (
            "text/html",
            b"<meta charset=windows-1251><p>\xe9",
            "windows-1251",
            "й",
        ),
        (
            "text/html",
            b"<META http-equiv=Content-Type content='text/html; charset=koi8-r'><p>\xca",
            "KOI8-R",
            "й",
        ),
        (
            "text/html",
            b"<!-- <meta charset=koi8-r> --><meta charset='windows-1251'/><p>\xe9",
            "windows-1251",
            "й",
        ),
        ("text/html", b"<meta charset=utf-16><p>\xc3\xa9", "UTF-8", "é"),
        (
            "text/html; charset=nonsense",
            b"<meta charset=windows-1251><p>\xe9",
            "windows-1251",
            "й",
        ),
        (
            "text/html",
            b"<?xml version='1.0' encoding='windows-1251'?><p>\xe9",
            "windows-1251",
            "й",
        ),
        ("text/html", "<p>naïve café".as_bytes(), "UTF-8", "naïve café"),
        (
            "text/html; charset=utf-8",
            b"<p>caf\xe9 au lait",
            "windows-1252",
            "café au lait",
        ),
        (
            "text/html; charset=utf-8",
            b"<p>caf\xc3\xa9 \xe9",
            "UTF-8",
            "café \u{fffd}",
        ),
        ("text/html; charset=shift_jis", b"<p>\x82\xa0", "Shift_JIS", "あ"),
    ];
    for (content_type, body, encoding, text) in cases {
        let page = page(content_type, body);
        assert_eq!(
            page.encoding(),
            encoding,
            "{content_type} {}",
            body.escape_ascii()
        );
        assert_eq!(
            page.document().text_of(0),
            text,
            "{content_type} {}",
            body.escape_ascii()
        );
    }
}

#[test]
fn charsets_that_do_not_fit_are_problems() {
    for (content_type, body) in [
        ("text/html; charset=nonsense", &b"<p>a"[..]),
        ("text/html; charset=utf-8", b"<p>caf\xe9"),
        ("text/html; charset=utf-8", b"<p>caf\xc3\xa9 \xe9"),
    ] {
        let page = page(content_type, body);
        let problems: Vec<String> = page.problems().iter().map(ToString::to_string).collect();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("charset"), "{problems:?}");
    }
}

#[test]
fn a_guess_knows_the_usual_suspects() {
    let (russian, _, _) =
        encoding_rs::WINDOWS_1251.encode("<p>Съешь же ещё этих мягких французских булок, да выпей чаю");
    assert_eq!(page("text/html", &russian).encoding(), "windows-1251");
    let (japanese, _, _) = encoding_rs::EUC_JP.encode("<p>色は匂へど散りぬるを我が世誰ぞ常ならむ");
    assert_eq!(page("text/html", &japanese).encoding(), "EUC-JP");
}

#[test]
fn only_markup_becomes_a_tree() {
    let cases: [(&str, &[u8], &str); 9] = [
        ("text/html", b"<p>a", "p"),
        ("Application/XHTML+XML; charset=utf-8", b"<p>a", "p"),
        ("", b" <p>a", "p"),
        ("application/octet-stream", b"<!doctype html><p>a", "p"),
        ("application/rss+xml", b"<p>a", "p"),
        ("text/plain", b"<p>a", "pre"),
        ("application/json", b"{\"a\": \"<p>\"}", "pre"),
        ("image/png", b"<p>a", "#document"),
        ("", b"\x89PNG\0\0", "#document"),
    ];
    for (content_type, body, last) in cases {
        let page = page(content_type, body);
        let document = page.document();
        let element = (0..document.node_count())
            .rev()
            .find(|&node| !document.is_text(node));
        assert_eq!(
            document.tag(element.expect("there is a root")),
            last,
            "{content_type}"
        );
    }
    let json = page("application/json", b"{\"a\": \"<p>\"}");
    assert_eq!(json.outline().text, "{\"a\": \"<p>\"}");
}

#[test]
fn a_page_knows_its_facts() {
    let page = page(
        "Text/HTML; Charset=UTF-8",
        b"<html lang=EN-gb><title> A  page </title>",
    );
    assert_eq!(
        (page.status(), page.fetched_at().as_seconds(), page.content_type()),
        (200, 7, "text/html")
    );
    assert_eq!(page.header("content-type"), Some("Text/HTML; Charset=UTF-8"));
    assert_eq!(page.header("etag"), None);
    assert_eq!((page.language(), page.title()), (Some("en-GB"), Some("A page")));
    assert_eq!(page.url().as_str(), "https://site.example/");
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&page);
}
