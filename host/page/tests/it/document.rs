//! The tree, its texts and its searches, on small pages.

use magpie_page::{Column, Document, Page, Selector};

fn page(html: &str) -> Page {
    Page::from_html("https://shop.example/list/page.html", html).expect("the URL is valid")
}

fn select<'a>(document: &'a Document, css: &str) -> Vec<&'a str> {
    let selector = Selector::parse(css).expect(css);
    let nodes = document
        .select(document.root(), &selector, &mut || true)
        .expect("never stopped");
    nodes
        .into_iter()
        .map(|node| document.attribute(node, "id").unwrap_or(document.tag(node)))
        .collect()
}

fn text(html: &str) -> String {
    let page = page(html);
    page.document().text_of(page.document().root())
}

#[test]
fn nodes_are_numbered_in_document_order() {
    let page = page("<p id=a>one <b>two</b> three</p><!-- gone --><p id=b>four</p>");
    let document = page.document();
    let tags: Vec<&str> = (0..document.node_count())
        .map(|node| document.tag(node))
        .collect();
    let expected = [
        "#document",
        "html",
        "head",
        "body",
        "p",
        "#text",
        "b",
        "#text",
        "#text",
        "p",
        "#text",
    ];
    assert_eq!(tags, expected);
    assert_eq!(document.end(4), 9);
    assert_eq!(document.parent(6), Some(4));
    assert_eq!(document.parent(0), None);
    assert_eq!(document.children(4).collect::<Vec<_>>(), [6]);
    assert_eq!(document.child_nodes(4).collect::<Vec<_>>(), [5, 6, 8]);
    assert_eq!(document.ancestors(6).collect::<Vec<_>>(), [4, 3, 1, 0]);
}

#[test]
fn numbers_that_are_no_nodes_are_answered_with_nothing() {
    let page = page("<p id=a>one</p>");
    let document = page.document();
    for node in [document.node_count(), u32::MAX] {
        assert!(!document.contains(node) && !document.is_element(node) && !document.is_text(node));
        assert_eq!(document.tag(node), "");
        assert_eq!(document.attribute(node, "id"), None);
        assert_eq!(document.attributes(node).count(), 0);
        assert_eq!(document.children(node).count(), 0);
        assert_eq!(document.parent(node), None);
        assert_eq!(
            document.text_of(node) + &document.own_text(node) + &document.html_of(node),
            ""
        );
        let all = Selector::parse("*").expect("valid");
        assert!(!document.matches(node, &all));
        assert_eq!(document.select(node, &all, &mut || true), Ok(Vec::new()));
    }
}

#[test]
fn text_is_what_a_reader_sees() {
    let cases = [
        ("<p>  one\n two\t</p>", "one two"),
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("one<br>two<br><br>three", "one\ntwo\nthree"),
        ("<b>o</b>ne<i> two</i>", "one two"),
        ("a<div>b<div>c</div></div>d", "a\nb\nc\nd"),
        ("<table><tr><td>1<td>2<tr><td>3<td>4</table>", "1 2\n3 4"),
        ("<ul><li>x<li>y</ul>", "x\ny"),
        (
            "a<script>var x</script><style>b{}</style><template>c</template><noscript>d</noscript>e",
            "ae",
        ),
        ("a<p hidden>b</p><p hidden=until-found>c", "a\nc"),
        (
            "<title>t</title><svg><title>icon</title><text>drawn</text></svg>",
            "drawn",
        ),
        ("x&nbsp;&nbsp;y &amp; z", "x y & z"),
        ("<select><option>one<option>two</select>", "one\ntwo"),
        ("before<!-- comment -->after", "beforeafter"),
        ("<iframe>fallback</iframe>seen", "seen"),
        ("", ""),
    ];
    for (html, expected) in cases {
        assert_eq!(text(html), expected, "{html}");
    }
}

#[test]
fn asked_directly_a_script_gives_its_text() {
    let page = page("<title> The  shop </title><script id=s>let a = '<b>';</script>");
    let document = page.document();
    let script = document.having("id")[0].0;
    assert_eq!(document.text_of(script), "let a = '<b>';");
    assert_eq!(document.text_content(script), "let a = '<b>';");
    assert_eq!(page.title(), Some("The shop"));
    assert_eq!(page.outline().text, " The  shop ");
}

#[test]
fn own_text_leaves_out_child_elements() {
    let page = page("<p id=a>Price: <b>12</b> EUR<br>net<span hidden>x</span></p>");
    let document = page.document();
    let node = document.having("id")[0].0;
    assert_eq!(document.own_text(node), "Price: EUR\nnet");
    assert_eq!(document.text_of(node), "Price: 12 EUR\nnet");
}

#[test]
fn html_is_written_as_the_standard_says() {
    let cases = [
        (
            "<p class='a' id=b>x<br>y</p>",
            "<p class=\"a\" id=\"b\">x<br>y</p>",
        ),
        (
            "<a href='?a=1&amp;b=\"'>&lt;tag&gt; &amp;</a>",
            "<a href=\"?a=1&amp;b=&quot;\">&lt;tag&gt; &amp;</a>",
        ),
        ("<script>if (a < b) {}</script>", "<script>if (a < b) {}</script>"),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<img src=a><p>b", "<img src=\"a\"><p>b</p>"),
    ];
    for (html, expected) in cases {
        let page = page(&format!("<body>{html}"));
        let body = page.document().html_of(3);
        assert_eq!(body, format!("<body>{expected}</body>"));
    }
}

#[test]
fn a_body_that_is_opened_again_has_the_attributes_that_are_new() {
    let page = page("<body a=1 b=2><p c=3>x</p><body b=4 d=5><body><body d=6 e=7><p f=8>y");
    let body = page.document().html_of(3);
    let expected = "<body a=\"1\" b=\"2\" d=\"5\" e=\"7\"><p c=\"3\">x</p><p f=\"8\">y</p></body>";
    assert_eq!(body, expected);
}

#[test]
fn outline_columns_agree_with_the_tree() {
    let page = page("<div>a<p>b<script>no</script>c</p></div>d");
    let (document, outline) = (page.document(), page.outline());
    assert_eq!(outline.text, "abcd");
    let text_of = |node: usize| {
        let end = outline
            .starts
            .get(outline.ends[node] as usize)
            .map_or(outline.text.len(), |&end| end as usize);
        &outline.text[outline.starts[node] as usize..end]
    };
    let div = document.children(3).next().expect("there is a div") as usize;
    assert_eq!(
        (text_of(0), text_of(div), text_of(div + 2)),
        ("abcd", "abc", "bc")
    );
    for node in 0..document.node_count() {
        let tag = usize::from(outline.tags[node as usize]);
        assert_eq!(outline.tag_names[tag], document.tag(node));
    }
}

const LIST: &str = "<main id=m><ul id=u><li id=l1 class='item new'><a id=a1 href=/1>One</a>
    <li id=l2 class=item data-price=12><a id=a2 href='2?x#y' rel=nofollow>Two</a><b id=b2>!</b>
    <li id=l3 class='Item' hidden></ul></main><p id=p>text</p>";

#[test]
fn selectors_find_what_css_says() {
    let page = page(LIST);
    let cases: [(&str, &[&str]); 28] = [
        ("li", &["l1", "l2", "l3"]),
        ("LI", &["l1", "l2", "l3"]),
        (".item", &["l1", "l2"]),
        ("li.item.new", &["l1"]),
        ("#u", &["u"]),
        ("#u > li > a", &["a1", "a2"]),
        ("main a", &["a1", "a2"]),
        ("[href]", &["a1", "a2"]),
        ("[data-price='12']", &["l2"]),
        ("a[href^='/']", &["a1"]),
        ("a[href$='y'], b", &["a2", "b2"]),
        ("b, a", &["a1", "a2", "b2"]),
        ("li, .item, *.new", &["l1", "l2", "l3"]),
        ("li:nth-child(2)", &["l2"]),
        ("li:nth-child(odd)", &["l1", "l3"]),
        ("li:nth-last-child(1 of .item)", &["l2"]),
        ("li:first-child", &["l1"]),
        ("li:not(.item)", &["l3"]),
        ("li:has(b)", &["l2"]),
        ("li:has(> a[rel])", &["l2"]),
        ("li:has(+ .item)", &["l1"]),
        (":is(b, p)", &["b2", "p"]),
        ("a + b", &["b2"]),
        ("li ~ li", &["l2", "l3"]),
        ("li:empty", &["l3"]),
        (":root", &["html"]),
        ("a:any-link", &["a1", "a2"]),
        ("nothing", &[]),
    ];
    for (css, expected) in cases {
        assert_eq!(select(page.document(), css), expected, "{css}");
    }
}

#[test]
fn selectors_are_relative_to_their_scope() {
    let page = page("<div id=a><p id=b><span id=c></span></p><span id=d></span></div><span id=e></span>");
    let document = page.document();
    let scope = document.having("id")[0].0;
    let ids = |css: &str| -> Vec<&str> {
        let selector = Selector::parse(css).expect(css);
        let nodes = document
            .select(scope, &selector, &mut || true)
            .expect("never stopped");
        nodes
            .into_iter()
            .filter_map(|node| document.attribute(node, "id"))
            .collect()
    };
    assert_eq!(ids("span"), ["c", "d"]);
    assert_eq!(ids("> span"), ["d"]);
    assert_eq!(ids(":scope > span"), ["d"]);
    assert_eq!(ids("> p > span, > span"), ["c", "d"]);
    assert_eq!(
        ids("~ span"),
        Vec::<&str>::new(),
        "siblings of the scope are not below it"
    );
    assert_eq!(
        ids("[id='> x'], :is(p, > a) > span, [id=d]"),
        ["c", "d"],
        "only leading combinators are the scope's"
    );
    assert_eq!(
        ids("body span"),
        ["c", "d"],
        "ancestors of the scope may be named, as in browsers"
    );
    assert_eq!(
        ids("div"),
        Vec::<&str>::new(),
        "the scope itself is not below itself"
    );
    assert!(document.matches(scope, &Selector::parse(":scope").expect("valid")));
}

#[test]
fn invalid_selectors_say_where_and_why() {
    let cases = [
        ("li..a", 5),
        ("", 1),
        ("a >", 3),
        ("a:hover", 7),
        ("a[", 2),
        ("é::x", 4),
        ("b, > a:x", 8),
    ];
    for (css, position) in cases {
        let error = Selector::parse(css).expect_err(css);
        assert_eq!((error.css.as_str(), error.position), (css, position), "{error}");
        assert!(error.to_string().contains(&format!("{css:?}")), "{error}");
    }
    assert!(Selector::parse(&":not(".repeat(2000)).is_err());
    assert!(Selector::parse(&"a ".repeat(1_000_000)).is_err());
}

#[test]
fn a_search_ends_when_it_is_told_to() {
    let page = page(&"<p><b></b></p>".repeat(5_000));
    let document = page.document();
    for css in ["b", "*", "p:has(i)", "p:has(~ i)", ":nth-child(7n) ~ p"] {
        let selector = Selector::parse(css).expect(css);
        let mut asked = 0;
        let result = document.select(0, &selector, &mut || {
            asked += 1;
            asked < 3
        });
        assert!(result.is_err(), "{css}");
        assert_eq!(asked, 3, "{css}: it is asked once more only");
    }
}

#[test]
fn a_table_takes_columns_from_rows() {
    let page = page(LIST);
    let document = page.document();
    let rows = Selector::parse("li").expect("valid");
    let columns = [
        ("a", "text"),
        ("a", "url:href"),
        ("", "@class"),
        ("> b", "html"),
        ("", "own-text"),
        ("i, a", "@rel"),
    ];
    let columns = columns.map(|(css, take)| Column::parse(css, take).expect(css));
    let table = page
        .table(0, &rows, &columns, &mut || true)
        .expect("never stopped");
    let cells: Vec<Vec<Option<&str>>> = table
        .iter()
        .map(|row| {
            row.cells
                .iter()
                .map(|cell| cell.as_ref().map(|cell| cell.text.as_str()))
                .collect()
        })
        .collect();
    assert_eq!(
        cells,
        [
            vec![
                Some("One"),
                Some("https://shop.example/1"),
                Some("item new"),
                None,
                Some(""),
                None
            ],
            vec![
                Some("Two"),
                Some("https://shop.example/list/2?x#y"),
                Some("item"),
                Some("<b id=\"b2\">!</b>"),
                Some(""),
                Some("nofollow")
            ],
            vec![None, None, Some("Item"), None, Some(""), None],
        ]
    );
    assert_eq!(document.attribute(table[1].node, "id"), Some("l2"));
    assert!(Column::parse("a", "words").is_err() && Column::parse("a", "@").is_err());
    assert!(Column::parse("a..", "text").is_err());
}

#[test]
fn attributes_keep_their_order_and_are_found() {
    let page =
        page("<p ID=x Data-A=1 b='&eacute;'>t</p><p b=2>u</p><svg viewBox='0 0 1 1' xlink:href=#q></svg>");
    let document = page.document();
    let node = document.having("id")[0].0;
    let all: Vec<_> = document.attributes(node).collect();
    assert_eq!(all, [("id", "x"), ("data-a", "1"), ("b", "é")]);
    let values: Vec<&str> = document.having("b").into_iter().map(|(_, value)| value).collect();
    assert_eq!(values, ["é", "2"]);
    let columns = document.having_columns("b");
    assert_eq!(columns.nodes, [node, document.having("b")[1].0]);
    assert_eq!((columns.values.as_str(), columns.ends), ("é2", vec![2, 3]));
    assert_eq!(document.having("viewbox").len(), 1);
    assert_eq!(document.having("xlink:href")[0].1, "#q");
    assert!(document.having("nothing").is_empty());
}

#[test]
fn references_follow_the_base_element() {
    let plain = page("<p>");
    assert_eq!(
        plain.resolve(" ../x?y ").as_deref(),
        Some("https://shop.example/x?y")
    );
    assert_eq!(
        plain.resolve("//cdn.example/a b").as_deref(),
        Some("https://cdn.example/a%20b")
    );
    assert_eq!(plain.resolve("http://[bad"), None);
    let based = page("<base target=_top><base href=/deep/er/><base href=/no/>");
    assert_eq!(
        based.resolve("x").as_deref(),
        Some("https://shop.example/deep/er/x")
    );
    assert_eq!(
        page("<base href='data:x'>").resolve("x").as_deref(),
        Some("https://shop.example/list/x")
    );
}

#[test]
fn links_lead_to_other_pages() {
    let page = page(
        "<link rel=Next href=?p=2><link rel=stylesheet href=a.css><a href=/a rel='NoFollow ugc'> A <b>1</b></a>
         <a href=mailto:x@y.example>m</a><a href='javascript:void(0)'>j</a><a href=/b><img alt='The bee'></a>
         <a href=/c aria-label=see></a><a name=x>no</a><map><area href=/d></map><iframe src=/e></iframe>",
    );
    let links = page.links();
    let found: Vec<(&str, &str, &str)> = links
        .iter()
        .map(|link| (&link.href[20..], link.text.as_str(), link.rel.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("/list/page.html?p=2", "", "next"),
            ("/a", "A 1", "nofollow ugc"),
            ("/b", "The bee", ""),
            ("/c", "see", ""),
            ("/d", "", ""),
            ("/e", "", ""),
        ]
    );
}
