//! Sitemaps and feeds: all forms, the shared set, and what hostile files do.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use magpie_discovery::sitemap::{
    ChangeFrequency, Sitemap, SitemapKind, SitemapLimits, SitemapProblem, is_feed, read as read_within,
};
use magpie_test_support::cost::assert_linear;
use magpie_values::Timestamp;
use proptest::prelude::*;

fn read(bytes: impl AsRef<[u8]>) -> Sitemap {
    read_within(bytes.as_ref(), &SitemapLimits::default())
}

fn locations(sitemap: &Sitemap) -> Vec<&str> {
    sitemap
        .entries
        .iter()
        .map(|entry| entry.location.as_str())
        .collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

const PAGES: &str = "<?xml version='1.0' encoding='UTF-8'?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' \
    xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>\n<url><loc> https://a.example/?x=1&amp;y=2 </loc>\
    <lastmod>2024-05-01</lastmod><changefreq>Weekly</changefreq><priority>0.8</priority><image:image><image:loc>\
    https://a.example/i.jpg</image:loc></image:image></url>\n<url><loc><![CDATA[https://a.example/b?c&d]]></loc></url></urlset>";

#[test]
fn a_list_of_pages() {
    let sitemap = read(PAGES);
    assert_eq!(sitemap.kind, SitemapKind::UrlSet);
    assert_eq!(
        locations(&sitemap),
        ["https://a.example/?x=1&y=2", "https://a.example/b?c&d"]
    );
    let first = &sitemap.entries[0];
    assert_eq!(first.last_modified, Some(Timestamp::from_seconds(1_714_521_600)));
    assert_eq!(first.change_frequency, Some(ChangeFrequency::Weekly));
    assert_eq!(first.priority, Some(0.8));
    assert_eq!(sitemap.problems, []);
}

#[test]
fn a_list_of_sitemaps() {
    let sitemap = read(
        "<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc><lastmod>2024-05-01T10:00:00+02:00</lastmod>\
         </sitemap><sitemap><loc>https://a.example/2.xml</loc></sitemap></sitemapindex>",
    );
    assert_eq!(sitemap.kind, SitemapKind::Index);
    assert_eq!(
        locations(&sitemap),
        ["https://a.example/1.xml.gz", "https://a.example/2.xml"]
    );
    assert_eq!(
        sitemap.entries[0].last_modified,
        Some(Timestamp::from_seconds(1_714_521_600 + 8 * 3600))
    );
}

#[test]
fn entries_without_the_element_for_the_url() {
    let sitemap = read(
        "<sitemapindex><sitemap>\nhttps://a.example/?a=1&amp;b=2\n</sitemap><sitemap>x</sitemap></sitemapindex>",
    );
    assert_eq!(locations(&sitemap), ["https://a.example/?a=1&b=2"]);
    assert_eq!(sitemap.problems, [SitemapProblem::NoLocation(2)]);
}

#[test]
fn feeds() {
    let rss = read(
        "<rss version='2.0'><channel><link>https://a.example/</link><item><title>A &nbsp; title</title>\
         <link>https://a.example/1</link><pubDate>Wed, 01 May 2024 00:00:00 GMT</pubDate></item>\
         <item><guid isPermaLink='true'>https://a.example/2</guid></item><item><guid>not-a-url</guid></item></channel></rss>",
    );
    assert_eq!(rss.kind, SitemapKind::Rss);
    assert_eq!(locations(&rss), ["https://a.example/1", "https://a.example/2"]);
    assert_eq!(
        rss.entries[0].last_modified,
        Some(Timestamp::from_seconds(1_714_521_600))
    );
    assert_eq!(rss.problems, [SitemapProblem::NoLocation(3)]);
    let rdf = read(
        "<rdf:RDF xmlns:rdf='r' xmlns='http://purl.org/rss/1.0/' xmlns:dc='d'><item rdf:about='x'>\
         <link>https://a.example/3</link><dc:date>2024-05-01</dc:date></item></rdf:RDF>",
    );
    assert_eq!(
        (rdf.kind, locations(&rdf)),
        (SitemapKind::Rss, vec!["https://a.example/3"])
    );
    let atom = read(
        "<feed xmlns='http://www.w3.org/2005/Atom'><link href='https://a.example/'/><entry><link rel='replies' href='/r'/>\
         <link rel='alternate' href='/4?a=1&amp;b=2'/><link href='/5'/><published>2024-04-01</published>\
         <updated>2024-05-01T00:00:00Z</updated></entry></feed>",
    );
    assert_eq!(
        (atom.kind, locations(&atom)),
        (SitemapKind::Atom, vec!["/4?a=1&b=2"])
    );
    assert_eq!(
        atom.entries[0].last_modified,
        Some(Timestamp::from_seconds(1_714_521_600))
    );
}

#[test]
fn feeds_in_json() {
    let feed = read(
        r#"{"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": [
            {"id": "1", "url": " https://a.example/1 ", "date_published": "2024-04-01T00:00:00Z",
             "date_modified": "2024-05-01T00:00:00Z", "content_html": "<p>text</p>"},
            {"id": "https://a.example/2", "date_published": "2024-05-01T00:00:00Z", "date_modified": "lately"},
            {"id": 3, "url": ["https://a.example/3"]},
            {"id": 4, "url": "/4", "date_published": {"day": 1}}]}"#,
    );
    assert_eq!(feed.kind, SitemapKind::JsonFeed);
    assert!(feed.kind.is_feed());
    assert_eq!(
        locations(&feed),
        ["https://a.example/1", "https://a.example/2", "/4"]
    );
    let may = Timestamp::from_seconds(1_714_521_600);
    let dates: Vec<_> = feed.entries.iter().map(|entry| entry.last_modified).collect();
    assert_eq!(dates, [Some(may), Some(may), None]);
    let bad_date = SitemapProblem::BadDate {
        entry: 2,
        written: "lately".to_owned(),
    };
    assert_eq!(feed.problems, [bad_date, SitemapProblem::NoLocation(3)]);
    let cut = read(r#"{"version": "https://jsonfeed.org/version/1", "items": [{"url": "/1"}, "#);
    assert_eq!((cut.kind, cut.entries.len()), (SitemapKind::Unknown, 0));
    assert!(
        matches!(cut.problems[..], [SitemapProblem::BrokenJson(_)]),
        "{:?}",
        cut.problems
    );
    let limits = SitemapLimits {
        max_entries: 2,
        ..SitemapLimits::default()
    };
    let items = [r#"{"url": "/1"}"#; 3].join(",");
    let many = format!(r#"{{"items": [{items}], "version": "https://jsonfeed.org/version/1"}}"#);
    let many = read_within(many.as_bytes(), &limits);
    assert_eq!(many.entries.len(), 2);
    assert_eq!(many.problems, [SitemapProblem::TooManyEntries(2)]);
}

#[test]
fn media_types_of_feeds() {
    for (written, expected) in [
        ("application/rss+xml", true),
        (" Application/Atom+XML ; charset=utf-8", true),
        ("application/feed+json", true),
        ("application/xml", false),
        ("text/html", false),
        ("", false),
    ] {
        assert_eq!(is_feed(written), expected, "{written}");
    }
}

#[test]
fn lines_of_text() {
    let sitemap =
        read("\u{feff}https://a.example/1\r\n\r\n  HTTP://a.example/2 \nnonsense\nhttps://a.example/3");
    assert_eq!(sitemap.kind, SitemapKind::Text);
    assert_eq!(
        locations(&sitemap),
        ["https://a.example/1", "HTTP://a.example/2", "https://a.example/3"]
    );
    assert_eq!(sitemap.problems, [SitemapProblem::BadLine(4)]);
}

#[test]
fn encodings() {
    let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>https://a.example/\xe9</loc></url></urlset>";
    assert_eq!(locations(&read(latin)), ["https://a.example/é"]);
    let lying = PAGES.replace("UTF-8", "UTF-16");
    assert_eq!(read(&lying).entries.len(), 2);
    let wide: Vec<u8> = PAGES.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(&wide).entries.len(), 2, "UTF-16 without a mark");
    let marked: Vec<u8> = "\u{feff}"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .chain(PAGES.encode_utf16().flat_map(u16::to_be_bytes))
        .collect();
    assert_eq!(read(&marked).entries.len(), 2, "UTF-16 with a mark");
    let broken = b"<urlset><url><loc>https://a.example/\xff</loc></url></urlset>";
    assert_eq!(locations(&read(broken)), ["https://a.example/\u{fffd}"]);
}

#[test]
fn compressed_once_and_twice() {
    let once = gzip(PAGES.as_bytes());
    assert_eq!(read(&once).entries.len(), 2);
    assert_eq!(read(gzip(&once)).entries.len(), 2);
    let members: Vec<u8> = [gzip(&PAGES.as_bytes()[..100]), gzip(&PAGES.as_bytes()[100..])].concat();
    assert_eq!(read(&members).entries.len(), 2, "two members are one file");
    assert_eq!(
        read(gzip(&gzip(&once))).kind,
        SitemapKind::Unknown,
        "three times is too often"
    );
}

#[test]
fn what_breaks_off_is_read_as_far_as_it_goes() {
    let pages: String = (0..2_000)
        .map(|number| format!("<url><loc>https://a.example/{}</loc></url>", number * 7919))
        .collect();
    let whole = gzip(format!("<urlset>{pages}</urlset>").as_bytes());
    let cut = read(&whole[..whole.len() / 2]);
    assert!(cut.entries.len() > 100 && cut.entries.len() < 2_000);
    assert!(matches!(cut.problems[..], [SitemapProblem::BrokenGzip(_), ..]));
    for (number, entry) in cut.entries.iter().enumerate() {
        assert_eq!(
            entry.location,
            format!("https://a.example/{}", number * 7919),
            "no URL is cut"
        );
    }
    let open = read(
        "<urlset><url><loc>https://a.example/1</loc><url><loc>https://a.example/2</loc></url><url><loc>https://a.exa",
    );
    assert_eq!(locations(&open), ["https://a.example/1", "https://a.example/2"]);
}

#[test]
fn markup_that_is_wrong() {
    let sitemap = read(
        "<urlset><url><loc>https://a.example/1?a=1&b=2</loc><priority>high</priority><lastmod>lately</lastmod></url></wrong>\
         <url><loc>https://a.example/2</loc></url><url><loc></loc></url></urlset></urlset>",
    );
    assert_eq!(
        locations(&sitemap),
        ["https://a.example/1?a=1&b=2", "https://a.example/2"]
    );
    let bad_date = SitemapProblem::BadDate {
        entry: 1,
        written: "lately".to_owned(),
    };
    assert_eq!(sitemap.problems, [bad_date, SitemapProblem::NoLocation(3)]);
    for other in [
        "",
        "hello",
        "<!doctype html><html><body>not found</body></html>",
        "<svg></svg>",
        "{\"a\":1}",
        "{\"version\":\"1\",\"items\":[]}",
    ] {
        let sitemap = read(other);
        assert_eq!(
            (sitemap.kind, sitemap.entries.len()),
            (SitemapKind::Unknown, 0),
            "{other}"
        );
        assert!(
            matches!(sitemap.problems[..], [SitemapProblem::NotASitemap(_)]),
            "{other}: {:?}",
            sitemap.problems
        );
    }
}

#[test]
fn limits() {
    let limits = SitemapLimits {
        max_bytes: 1_000,
        max_entries: 3,
    };
    let many = "<urlset>".to_owned() + &"<url><loc>https://a.example/</loc></url>".repeat(10) + "</urlset>";
    let sitemap = read_within(many.as_bytes(), &limits);
    assert_eq!(sitemap.entries.len(), 3);
    assert_eq!(sitemap.problems, [SitemapProblem::TooManyEntries(3)]);
    let lines = read_within("https://a.example/\n".repeat(10).as_bytes(), &limits);
    assert_eq!(
        (lines.entries.len(), &lines.problems[..]),
        (3, &[SitemapProblem::TooManyEntries(3)][..])
    );
    let long = format!("<urlset><!--{}--></urlset>", "x".repeat(2_000));
    assert_eq!(
        read_within(long.as_bytes(), &limits).problems[0],
        SitemapProblem::TooLong(1_000)
    );
    assert_eq!(
        read_within(&gzip(long.as_bytes()), &limits).problems[0],
        SitemapProblem::TooLong(1_000)
    );
    let location = format!(
        "<urlset><url><loc>https://a.example/{}</loc></url></urlset>",
        "x".repeat(10_000)
    );
    assert_eq!(
        read(&location).problems,
        [SitemapProblem::LongLocation(1), SitemapProblem::NoLocation(1)]
    );
}

#[test]
fn hostile_files_take_linear_time() {
    let mut entities = String::from("<?xml version='1.0'?><!DOCTYPE u [<!ENTITY a0 'lol'>");
    for level in 1..10 {
        entities.push_str(&format!(
            "<!ENTITY a{level} '{}'>",
            format!("&a{};", level - 1).repeat(10)
        ));
    }
    entities.push_str("]><urlset><url><loc>https://a.example/&a9;&lt;</loc></url></urlset>");
    let bomb = read(&entities);
    assert_eq!(locations(&bomb), ["https://a.example/<"]);
    assert_eq!(bomb.problems, [SitemapProblem::Entity("a9".to_owned())]);

    let external = read(
        "<!DOCTYPE u SYSTEM 'file:///etc/passwd'><urlset><url><loc>&x;https://a.example/</loc></url></urlset>",
    );
    assert_eq!(locations(&external), ["https://a.example/"]);

    let zeros = gzip(&vec![b' '; 200 * 1024 * 1024]);
    assert!(zeros.len() < 1024 * 1024);
    assert_eq!(
        read(&zeros).problems[0],
        SitemapProblem::TooLong(50 * 1024 * 1024)
    );

    for (start, repeated) in [
        ("<urlset>", "<url>"),
        ("<urlset>", "<a>"),
        ("<urlset>", "</a>"),
        ("<urlset><url><loc>", "&amp;"),
        ("<urlset><url><loc>", "&"),
        ("<urlset ", "a='b' "),
        ("<feed><entry><link ", "href='b' "),
        ("<urlset>", "<![CDATA["),
        ("<!DOCTYPE ", "[<"),
        ("", "<"),
        ("", "x\n"),
    ] {
        assert_linear(repeated, |size| {
            let sitemap = read(format!("{start}{}", repeated.repeat(size * 100_000)));
            assert!(sitemap.problems.len() <= 20, "{}", sitemap.problems.len());
        });
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..500)) {
        read(&bytes);
    }

    #[test]
    fn any_xml_is_read(pieces in proptest::collection::vec(prop_oneof![
        Just("<urlset>"), Just("<url>"), Just("<loc>"), Just("</loc>"), Just("</url>"), Just("<rss>"), Just("<item>"),
        Just("<link>"), Just("<link href='x'/>"), Just("<feed>"), Just("<entry>"), Just("&amp;"), Just("&#x41;"), Just("&#0;"),
        Just("http://a.example/"), Just("<![CDATA["), Just("]]>"), Just("<!--"), Just("-->"), Just("<lastmod>2024"), Just("<"),
    ], 0..40)) {
        let sitemap = read(pieces.concat());
        prop_assert!(sitemap.entries.iter().all(|entry| !entry.location.is_empty()));
    }
}

#[test]
fn the_shared_set() {
    let Some(folder) = magpie_test_support::data::find("sitemaps") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("expected.json")).expect("readable");
    let expected: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).expect("JSON");
    let mut passed = 0;
    for (file, expected) in &expected {
        let sitemap = read(std::fs::read(folder.join(file)).expect("readable"));
        let kind = match sitemap.kind {
            SitemapKind::UrlSet => "urlset",
            SitemapKind::Index => "sitemapindex",
            SitemapKind::Rss => "rss",
            SitemapKind::Atom => "feed",
            SitemapKind::Text => "text",
            _ => "unknown",
        };
        // Entries without a URL count as elements there; here they are problems.
        let without = sitemap
            .problems
            .iter()
            .filter(|problem| matches!(problem, SitemapProblem::NoLocation(_)))
            .count();
        let entries = sitemap.entries.len() + without;
        println!("{file}: {kind} {} {:?}", sitemap.entries.len(), sitemap.problems);
        assert_eq!(expected["kind"], kind, "{file}");
        assert_eq!(expected["entries"], entries, "{file}: {:?}", sitemap.problems);
        passed += 1;
    }
    println!("sitemaps: {passed} of {} files passed", expected.len());
}
