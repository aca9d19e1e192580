//! The link scanner: what it finds, where, and what hostile pages do to it.

use magpie_discovery::{LinkKind, Relations, ScanLimits, ScanTruncation, ScannedPage, path_hash, scan};
use magpie_test_support::cost::assert_linear;
use proptest::prelude::*;
use url::Url;

fn read(html: &str) -> ScannedPage<'_> {
    scan(html, &ScanLimits::default())
}

/// `href|text|path` of each link.
fn check(html: &str, expected: &[&str]) {
    let page = read(html);
    let found: Vec<String> = page
        .links
        .iter()
        .map(|link| {
            format!(
                "{}|{}|{}",
                page.href(link),
                page.text_of(link),
                page.path(link.path)
            )
        })
        .collect();
    assert_eq!(found, expected, "{html}");
    for link in &page.links {
        assert_eq!(page.path_hash(link.path), path_hash(&page.path(link.path)));
    }
}

#[test]
fn links_have_order_text_and_path() {
    check(
        "<!doctype html><html class=js><body class='page page-7'><div id=main>\
         <ul class='list wide'><li class=first><a href='/1'>One</a><li><a href=\"/2\">  Two \n &amp; a\u{a0}half</a></ul></div>",
        &[
            "/1|One|html>body>div#main>ul.list.wide>li>a",
            "/2|Two & a half|html>body>div#main>ul.list.wide>li>a",
        ],
    );
}

#[test]
fn references_are_decoded_and_trimmed() {
    check(
        "<a href=' /a?b=1&amp;c=2&copy=3\n'>x</a><a href=/q?x&#61;1>y</a><a href=''>z</a><a>none</a><a href>w</a>",
        &[
            "/a?b=1&c=2&copy=3|x|html>body>a",
            "/q?x=1|y|html>body>a",
            "|z|html>body>a",
            "|w|html>body>a",
        ],
    );
}

#[test]
fn texts_as_a_reader_sees_them() {
    check(
        "<a href=1><div>One</div><div>Two<br>Three</div></a>\
         <a href=2><b>bo</b>ld <script>no()</script><style>no</style><span hidden>no</span></a>\
         <a href=3><img alt=''><img alt=' A  cat '></a>\
         <a href=4 title=Title aria-label=Label></a>\
         <a href=5 hidden>hidden by itself</a>\
         <a href=6><table><tr><td>a<td>b</table></a>\
         <a href=7>1 < 2 &lt; 3</a>",
        &[
            "1|One\nTwo\nThree|html>body>a",
            "2|bold|html>body>a",
            "3|A cat|html>body>a",
            "4|Label|html>body>a",
            "5|hidden by itself|html>body>a",
            "6|a b|html>body>a",
            "7|1 < 2 < 3|html>body>a",
        ],
    );
}

#[test]
fn what_is_no_markup_has_no_links() {
    check(
        "<!-- <a href=1>1</a> --><script>'<a href=2>'</script><style><a href=3></style><textarea><a href=4></textarea>\
         <title><a href=5></title><xmp><a href=6></xmp><noembed><a href=7></noembed><iframe><a href=8></iframe>\
         <noframes><a href=9></noframes><template><a href=10></a></template><a href=11 <a href=12>both</a><a href='13>",
        &["11|both|html>body>a"],
    );
}

#[test]
fn without_scripts_their_replacement_counts() {
    check(
        "<p><noscript><a href=1>go</a></noscript>",
        &["1|go|html>body>p>noscript>a"],
    );
    // In the head a link starts the body.
    check("<noscript><a href=1>go</a></noscript>", &["1|go|html>body>a"]);
}

#[test]
fn ends_that_nobody_wrote() {
    check(
        "<p>one<p><a href=1>1</a><div><a href=2>2</a></div>\
         <dl><dt>t<dd><a href=3>3</a><dt><a href=4>4</a></dl>\
         <table><tr><td><a href=5>5</a><td><a href=6>6</a><tr><th><a href=7>7</a></table>\
         <ul><li>x<ul><li><a href=8>8</a></ul><li><a href=9>9</a></ul>\
         <a href=10>ten<a href=11>eleven</a>",
        &[
            "1|1|html>body>p>a",
            "2|2|html>body>div>a",
            "3|3|html>body>dl>dd>a",
            "4|4|html>body>dl>dt>a",
            "5|5|html>body>table>tbody>tr>td>a",
            "6|6|html>body>table>tbody>tr>td>a",
            "7|7|html>body>table>tbody>tr>th>a",
            "8|8|html>body>ul>li>ul>li>a",
            "9|9|html>body>ul>li>a",
            "10|ten|html>body>a",
            "11|eleven|html>body>a",
        ],
    );
}

#[test]
fn ends_that_nobody_opened() {
    check(
        "<div></span></p></div></div></body></html><p><a href=1>1</a></li></p>\
         <b><i></b></i><section><a href=2>2</section>after<a href=3>3</a>\
         <div><a href=4><div>4</a></div>rest</div><p><a href=5>5</a>",
        &[
            "1|1|html>body>p>a",
            "2|2|html>body>section>a",
            "3|3|html>body>a",
            "4|4|html>body>div>a",
            "5|5|html>body>p>a",
        ],
    );
}

#[test]
fn the_head_and_what_is_in_it() {
    let html = "<title> A &amp; B\n</title><base href=/deep/><base href=/not/><link rel=stylesheet href=s.css>\
                <link rel=canonical href=c><link rel='alternate' hreflang=de href=de><link rel=next href=n>\
                <link rel='home Alternate' type='application/Atom+xml; charset=utf-8' href=f.xml>\
                <link rel=alternate type=text/html href=m><link rel=self type=application/rss+xml href=r.xml>\
                <meta name=robots content='noindex, nofollow'><meta name=Magpie content=noarchive>\
                <meta name=otherbot content=nosnippet><meta http-equiv=Refresh content='3; URL=later'><body><a href=x>x</a>";
    let limits = ScanLimits {
        product_token: "magpie".to_owned(),
        ..Default::default()
    };
    let page = scan(html, &limits);
    assert_eq!(page.title, "A & B");
    assert_eq!(page.canonical_href(), Some("c"));
    let url = Url::parse("https://a.example/x").expect("a URL");
    assert_eq!(page.base_url(&url).as_str(), "https://a.example/deep/");
    let kinds: Vec<(LinkKind, &str)> = page
        .links
        .iter()
        .map(|link| (link.kind, page.href(link)))
        .collect();
    let expected = [
        (LinkKind::Head, "c"),
        (LinkKind::Head, "de"),
        (LinkKind::Head, "n"),
        (LinkKind::Feed, "f.xml"),
        (LinkKind::Head, "m"),
        (LinkKind::Refresh, "later"),
        (LinkKind::Anchor, "x"),
    ];
    assert_eq!(kinds, expected);
    assert_eq!(page.language(&page.links[1]), "de");
    assert!(page.links[2].relations.contains(Relations::NEXT));
    assert_eq!(page.path(page.links[0].path), "html>head>link");
    let refresh = page.refresh.expect("a refresh");
    assert_eq!((refresh.seconds, refresh.link), (3, 5));
    let robots = page.robots;
    assert!(!robots.index && !robots.follow && !robots.archive && robots.snippet);
}

#[test]
fn descriptions_for_programs_are_no_links() {
    let html = "<link rel=alternate type='application/json+oembed' href=/api/embed?url=1>\
                <link rel='https://api.example/' href=/api/><link rel=EditURI type=application/rsd+xml href=/rsd>\
                <link rel=alternate type='application/json' href=/api/post/1><link rel=alternate type=text/calendar href=/c.ics>\
                <link rel=next type='Text/HTML; charset=utf-8' href=/2><link rel=prev href=/1><a href=/api/>for people</a>";
    let page = read(html);
    let found: Vec<&str> = page.links.iter().map(|link| page.href(link)).collect();
    assert_eq!(found, ["/2", "/1", "/api/"]);
}

#[test]
fn a_refresh_for_those_without_scripts_is_a_link_only() {
    let page = read("<noscript><meta http-equiv=refresh content='0;url=/plain'></noscript>");
    assert_eq!(page.refresh, None);
    assert_eq!(page.links.len(), 1);
}

#[test]
fn all_kinds_of_links() {
    let html = "<map><area href=1 alt=Area rel='nofollow ugc'></map><iframe src=2 title=Frame></iframe>\
                <form action=3 method=get><input></form><form action=4 method=POST></form><form action=5></form>\
                <svg><a href=6><text>drawn</text></a><title>no</title></svg><a href=7 rel=next>7</a>";
    let page = read(html);
    let found: Vec<(LinkKind, &str, &str)> = page
        .links
        .iter()
        .map(|link| (link.kind, page.href(link), page.text_of(link)))
        .collect();
    let expected = [
        (LinkKind::Anchor, "1", "Area"),
        (LinkKind::Frame, "2", "Frame"),
        (LinkKind::Form, "3", ""),
        (LinkKind::Form, "5", ""),
        (LinkKind::Anchor, "6", "drawn"),
        (LinkKind::Anchor, "7", "7"),
    ];
    assert_eq!(found, expected);
    assert!(page.links[0].relations.asks_not_to_follow());
    assert_eq!(page.rel(&page.links[0]), "nofollow ugc");
    let frames = read("<frameset><frame src=1><frame src=2></frameset>");
    assert_eq!(
        frames
            .links
            .iter()
            .map(|link| frames.href(link))
            .collect::<Vec<_>>(),
        ["1", "2"]
    );
}

#[test]
fn drawings_end_where_html_goes_on() {
    check(
        "<svg><path/><g><style> a > b </style><![CDATA[<a href=0>]]></g><div><a href=1>1</a></div>",
        &["1|1|html>body>div>a"],
    );
}

#[test]
fn the_text_of_the_page() {
    let limits = ScanLimits {
        keep_text: true,
        ..Default::default()
    };
    let html = "<title>T</title><body><h1>Head</h1>some <b>bo</b>ld <a href=1>text</a><script>no</script>\
                <p>more<div hidden>no</div><noscript>no</noscript><ul><li>a<li>b</ul>";
    assert_eq!(scan(html, &limits).text, "Head\nsome bold text\nmore\na\nb");
}

#[test]
fn a_million_links_are_cut() {
    let html = "<a href=/x>x</a>".repeat(1_000_000);
    let page = read(&html);
    assert_eq!(page.links.len(), 5_000);
    assert_eq!(page.truncated, Some(ScanTruncation::TooManyLinks(5_000)));
    let all = ScanLimits {
        max_links: usize::MAX,
        ..Default::default()
    };
    assert_eq!(scan(&html, &all).links.len(), 1_000_000);
}

#[test]
fn long_references_are_counted_and_left_out() {
    let html = format!(
        "<a href='/{}'>long</a><a href=/x title='{0}'>short</a>",
        "a".repeat(7_000_000)
    );
    let page = read(&html);
    assert_eq!((page.links.len(), page.oversized), (1, 1));
}

#[test]
fn a_base_that_is_too_long_is_none() {
    let html = format!(
        "<base href=\"/{}\"><base href=/b/><a href=c>d</a>",
        "x/".repeat(10_000)
    );
    let page = read(&html);
    let url = Url::parse("https://a.example/").expect("a URL");
    assert_eq!(page.base_url(&url).as_str(), "https://a.example/b/");
}

#[test]
fn long_pages_are_cut_between_characters() {
    let limits = ScanLimits {
        max_bytes: 20,
        ..Default::default()
    };
    let page = scan("<a href=1>äääääääääääää</a><a href=2>", &limits);
    assert_eq!(page.truncated, Some(ScanTruncation::TooLong(20)));
    assert_eq!(page.links.len(), 1);
    assert_eq!(page.text_of(&page.links[0]), "äääää");
}

#[test]
fn long_texts_are_cut() {
    let html = format!("<a href=1>{}</a>", "ä ".repeat(10_000));
    let page = read(&html);
    let text = page.text_of(&page.links[0]);
    assert!(text.len() <= 1024 && text.starts_with("ä ä"), "{}", text.len());
}

#[test]
fn texts_of_several_parts_are_as_long_as_the_limit_at_most() {
    let limits = ScanLimits {
        max_text_bytes: 10,
        ..Default::default()
    };
    let page = scan("<a href=/>one <b>two</b> <i>three and four</i></a>", &limits);
    let text = page.text_of(&page.links[0]);
    assert!(text.starts_with("one two t") && text.len() <= 10, "{text:?}");
}

/// Pages on which a careless scanner takes long, by size.
fn hostile_pages(size: usize) -> [String; 24] {
    [
        "<div>".repeat(12_500 * size) + "<a href=1>deep</a>",
        "<a href=x>".repeat(12_500 * size),
        "<b>".repeat(12_500 * size) + &"</i>".repeat(12_500 * size),
        "<b><div>".repeat(12_500 * size) + &"</b>".repeat(12_500 * size),
        "<table><tr><td>".repeat(12_500 * size) + &"</p>".repeat(12_500 * size),
        "<div>".repeat(500) + &"</span>".repeat(125_000 * size),
        "<x-a>".repeat(500) + &"</x-b>".repeat(125_000 * size),
        "<table>".repeat(400) + &"<td>".repeat(125_000 * size),
        "<p>".repeat(125_000 * size),
        "<li>".repeat(125_000 * size),
        "<svg>".repeat(12_500 * size) + &"<p>".repeat(12_500 * size),
        "<!--".repeat(125_000 * size),
        "<!-- -".repeat(125_000 * size),
        "<script><!--".to_owned() + &"<script></script>".repeat(37_500 * size),
        "<title>".to_owned() + &"</titl".repeat(125_000 * size),
        "<".repeat(500_000 * size),
        "</".repeat(250_000 * size),
        "<a ".to_owned() + &"b=c ".repeat(125_000 * size),
        "<a ".to_owned() + &"=".repeat(500_000 * size),
        "<a href='".to_owned() + &"&".repeat(500_000 * size),
        "&amp".repeat(125_000 * size),
        "<a href=x>".to_owned() + &"&notit;".repeat(62_500 * size),
        (0..25_000 * size)
            .map(|number| format!("<i id=a{number}x{}><a href=1>", number * 7))
            .collect(),
        (0..12_500 * size)
            .map(|number| {
                format!(
                    "<p class=c{}><a href=1></a>",
                    char::from(b'a' + (number % 26) as u8)
                )
            })
            .collect(),
    ]
}

#[test]
fn hostile_pages_take_linear_time() {
    let limits = ScanLimits {
        max_links: usize::MAX,
        keep_text: true,
        ..Default::default()
    };
    let (small, large) = (hostile_pages(1), hostile_pages(8));
    for (small, large) in small.iter().zip(&large) {
        let start = &small[..small.len().min(20)];
        assert_linear(start, |size| {
            let _ = scan(if size == 1 { small } else { large }, &limits);
        });
    }
}

#[test]
fn depth_beyond_the_limit_does_not_confuse_what_follows() {
    let html = format!(
        "{}<a href=1>deep</a>{}<p><a href=2>after</a>",
        "<div>".repeat(5_000),
        "</div>".repeat(5_000)
    );
    let page = read(&html);
    assert_eq!(page.links.len(), 2);
    assert_eq!(page.path(page.links[1].path), "html>body>p>a");
    assert_eq!(page.text_of(&page.links[1]), "after");
}

fn fragments() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<a href='/x'>"),
        Just("</a>"),
        Just("<p>"),
        Just("</p>"),
        Just("<div class='a b' id=c>"),
        Just("</div>"),
        Just("<table>"),
        Just("<tr>"),
        Just("<td>"),
        Just("</table>"),
        Just("<b>"),
        Just("</b>"),
        Just("<li>"),
        Just("</ul>"),
        Just("<ul>"),
        Just("<svg>"),
        Just("</svg>"),
        Just("<template>"),
        Just("</template>"),
        Just("<script>"),
        Just("</script>"),
        Just("<!--"),
        Just("-->"),
        Just("<form action=f>"),
        Just("</form>"),
        Just("<base href=b>"),
        Just("<meta http-equiv=refresh content='1;url=r'>"),
        Just("<iframe src=i>"),
        Just("</iframe>"),
        Just("text &amp; "),
        Just("<img alt=i>"),
        Just("<select><option>"),
        Just("<head>"),
        Just("<body>"),
        Just("</body>"),
        Just("<title>"),
        Just("</title>"),
        Just("<h1>"),
        Just("<"),
        Just("'"),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn read_everything(html: &str) -> Vec<(String, String)> {
    let limits = ScanLimits {
        keep_text: true,
        ..Default::default()
    };
    let page = scan(html, &limits);
    let links = page.links.iter();
    links
        .map(|link| {
            let _ = (page.rel(link), page.language(link), page.text_of(link));
            (page.href(link).to_owned(), page.path(link.path))
        })
        .collect()
}

proptest! {
    #[test]
    fn any_text_is_read(html in ".*") {
        read_everything(&html);
    }

    #[test]
    fn any_markup_is_read(html in fragments()) {
        for (_, path) in read_everything(&html) {
            prop_assert!(path.starts_with("html>"), "{}", path);
        }
    }

    /// Asking for the page's text does not change its links, nor does cutting off the end.
    #[test]
    fn the_same_links_whatever_else_is_asked(html in fragments(), more in fragments()) {
        let with_text = read_everything(&html);
        let page = scan(&html, &ScanLimits::default());
        let plain: Vec<String> = page.links.iter().map(|link| page.href(link).to_owned()).collect();
        prop_assert_eq!(&with_text.iter().map(|link| link.0.clone()).collect::<Vec<_>>(), &plain);
        let longer = format!("{html}{more}");
        let all = read_everything(&longer);
        // An unfinished tag, comment or attribute may swallow the end, but never what was complete
        // before.
        let cut = scan(&longer, &ScanLimits { max_bytes: html.len(), ..Default::default() });
        prop_assert_eq!(cut.links.len(), plain.len());
        prop_assert!(all.len() >= plain.len());
    }
}

#[test]
fn documents_in_attributes_are_kept_within_bounds() {
    let html = "<iframe srcdoc='<a href=&quot;x&quot;>X</a>' src=covered></iframe><iframe src=2></iframe>";
    let page = scan(html, &ScanLimits::default());
    assert_eq!(page.srcdocs, ["<a href=\"x\">X</a>"]);
    let hrefs: Vec<&str> = page.links.iter().map(|link| page.href(link)).collect();
    assert_eq!(hrefs, ["2"]);
    let many = "<iframe srcdoc=x></iframe>".repeat(1_000);
    assert_eq!(scan(&many, &ScanLimits::default()).srcdocs.len(), 10);
    let long = format!("<iframe srcdoc='{}'></iframe>", "x".repeat(2 << 20));
    assert!(scan(&long, &ScanLimits::default()).srcdocs.is_empty());
}

#[test]
fn forms_without_text_fields_are_noted() {
    let has = |html: &str| scan(html, &ScanLimits::default()).has_form_without_text;
    assert!(has(
        "<form action=/a><button>Go</button></form><form action=/b><input name=q></form>"
    ));
    assert!(has(
        "<form><input name=q></form><form><input type=hidden name=x><select name=y></select></form>"
    ));
    assert!(has("<form><input type=Submit></form>"));
    for html in [
        "<form action=/b><input name=q></form>",
        "<form action=/b><input type=date name=q></form>",
        "<form method=post><button>Go</button></form>",
        "<form><textarea name=q></textarea></form>",
        "<button>Go</button>",
    ] {
        assert!(!has(html), "{html}");
    }
}
