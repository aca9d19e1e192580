//! Hostile pages: the tree stays within its limits, and the page lists what was dropped.

use magpie_page::{Limits, Page, PageSource, Selector};

fn page(body: Vec<u8>, limits: Limits) -> Page {
    let url = url::Url::parse("https://evil.example/").expect("valid");
    let headers = vec![("Content-Type".to_owned(), "text/html; charset=utf-8".to_owned())];
    Page::with_limits(
        PageSource {
            url,
            status: 200,
            headers,
            fetched_at: magpie_values::Timestamp::default(),
            body: body.into(),
        },
        limits,
    )
}

fn codes(page: &Page) -> Vec<&'static str> {
    page.problems().iter().map(magpie_page::Problem::code).collect()
}

fn depth(page: &Page) -> usize {
    let outline = page.outline();
    let mut depths = vec![0_usize; outline.parents.len()];
    for node in 1..depths.len() {
        depths[node] = depths[outline.parents[node] as usize] + 1;
    }
    depths.into_iter().max().unwrap_or(0)
}

/// Everything that reads the tree must end, and ends well.
fn exercise(page: &Page) {
    let document = page.document();
    let _ = (
        document.text_of(0),
        document.html_of(0),
        page.links(),
        page.structured_data(),
        page.title(),
    );
    for css in ["a b", "p:has(b)", ":nth-child(3)", "b ~ b"] {
        let selector = Selector::parse(css).expect("valid");
        let mut asked = 0;
        let _ = document.select(0, &selector, &mut || {
            asked += 1;
            asked < 100
        });
    }
}

#[test]
fn deep_nesting_is_flattened_and_the_text_kept() {
    for tag in [
        "div", "b", "span", "font", "table", "svg", "p><i", "ul><li", "a", "button", "dl><dd", "foo",
    ] {
        let page = page(
            format!("{}<q>deep text", format!("<{tag}>").repeat(20_000)).into_bytes(),
            Limits::default(),
        );
        assert!(depth(&page) <= 1_024, "{tag}: {}", depth(&page));
        exercise(&page);
        assert!(page.document().text_of(0).contains("deep text"), "{tag}");
        // These end their likes, so that they do not nest.
        if !matches!(tag, "a" | "button" | "p><i" | "table") {
            assert!(codes(&page).contains(&"too-deep"), "{tag}: {:?}", codes(&page));
        }
    }
}

#[test]
fn closing_deep_elements_leads_back_to_the_surface() {
    let html = format!(
        "{}x{}<p id=after>y",
        "<div>".repeat(5_000),
        "</div>".repeat(5_000)
    );
    let page = page(html.into_bytes(), Limits::default());
    let document = page.document();
    let after = document.having("id")[0].0;
    assert_eq!(
        document
            .ancestors(after)
            .map(|node| document.tag(node))
            .collect::<Vec<_>>(),
        ["body", "html", "#document"]
    );
}

#[test]
fn too_many_attributes_are_left_out() {
    for between in [" ", "/", "\n", "=\"x\"", "='<b>' ", "=x "] {
        let attributes: String = (0..20_000).map(|number| format!("a{number}{between}")).collect();
        for (before, after) in [
            ("<p ", ">text<b id=later>"),
            ("<!-- x --><p a=\">\" ", ">text<b id=later>"),
        ] {
            let page = page(
                format!("{before}{attributes}{after}").into_bytes(),
                Limits::default(),
            );
            let document = page.document();
            let most = (0..document.node_count())
                .map(|node| document.attributes(node).count())
                .max();
            assert_eq!(most, Some(256), "{between:?}");
            assert_eq!(codes(&page), ["too-many-attributes"]);
            assert_eq!(document.having("id").len(), 1, "the page goes on after the tag");
            assert_eq!(document.text_of(0), "text");
        }
    }
}

#[test]
fn words_in_scripts_are_no_attributes() {
    let words = "x ".repeat(1_000);
    let html =
        format!("<script>if (a <b {words}) c();</script><title>a <b {words}</title><!-- <b {words} -->");
    let page = page(html.clone().into_bytes(), Limits::default());
    assert!(codes(&page).is_empty());
    let script = page.document().html_of(3);
    assert!(script.contains(&words), "{} of {}", script.len(), html.len());
}

#[test]
fn a_tag_in_what_only_looks_like_a_script_is_cut_too() {
    // In a frameset a text area is dropped, so that what follows is tags, not text.
    let attributes: String = (0..20_000).map(|number| format!("a{number} ")).collect();
    let page = page(
        format!("<frameset><textarea><frame {attributes}>").into_bytes(),
        Limits::default(),
    );
    let document = page.document();
    let most = (0..document.node_count())
        .map(|node| document.attributes(node).count())
        .max();
    assert!(most <= Some(256), "{most:?}");
}

#[test]
fn nodes_are_counted_and_the_rest_left_out() {
    let limits = Limits {
        max_nodes: 5_000,
        ..Limits::default()
    };
    for (piece, times) in [
        ("<b></b>", 20_000),
        ("<br>", 20_000),
        ("x<!-- y -->", 20_000),
        ("<p>a", 20_000),
        ("<table>a", 5_000),
    ] {
        let page = page(piece.repeat(times).into_bytes(), limits.clone());
        assert!(
            page.document().node_count() < 7_000,
            "{piece}: {}",
            page.document().node_count()
        );
        assert!(codes(&page).contains(&"too-many-nodes"), "{piece}");
        exercise(&page);
    }
}

#[test]
fn repeated_formatting_is_bounded() {
    // Each paragraph repeats all elements that were left open in the ones before.
    let limits = Limits {
        max_nodes: 50_000,
        ..Limits::default()
    };
    let mut html: String = (0..400)
        .map(|number| format!("<p><b class={number} title={}></p>", "x".repeat(1000)))
        .collect();
    html.push_str(&"<p>y".repeat(10_000));
    let page = page(html.into_bytes(), limits);
    assert!(
        page.document().node_count() < 60_000,
        "{}",
        page.document().node_count()
    );
    let problems = codes(&page);
    assert!(
        problems.contains(&"too-many-nodes") && problems.contains(&"too-many-attributes"),
        "{problems:?}"
    );
    exercise(&page);
}

#[test]
fn tangled_markup_ends() {
    let limits = Limits {
        max_tree_work: 3_000_000,
        max_nodes: 100_000,
        ..Limits::default()
    };
    let cases = [
        "<a>".repeat(50_000),
        "<b><p>".repeat(20_000),
        "<b>".repeat(500) + &"<p></b>".repeat(20_000),
        "<span>".repeat(500) + &"</x>".repeat(50_000),
        "<table><tr><td><a><b>".repeat(2_000),
        "<nobr>x</p>".repeat(20_000),
        "<font size=1><i><u><s></p><p>".repeat(5_000),
        "<select><option>".repeat(10_000),
        "<math><mi><svg><desc>".repeat(5_000),
        "<template>".repeat(10_000),
        "<form><button><button>".repeat(10_000),
        "<frameset>".repeat(10_000),
        "<ruby><rtc><rt>".repeat(10_000),
        (0..20_000)
            .map(|number| format!("<b a{}=1>", number % 300))
            .collect(),
        (0..70_000)
            .map(|number| format!("<t{number} n{number}>"))
            .collect(),
    ];
    for html in cases {
        let page = page(html.clone().into_bytes(), limits.clone());
        exercise(&page);
        assert!(depth(&page) <= 1_024, "{}: {}", &html[..20], depth(&page));
    }
}

#[test]
fn an_element_that_is_opened_again_has_no_more_attributes_than_others() {
    for tag in ["html", "body"] {
        let html: String = (0..20_000).map(|number| format!("<{tag} a{number}=1>")).collect();
        let limits = Limits::default();
        let page = page(html.into_bytes(), limits.clone());
        let document = page.document();
        let most = (0..document.node_count()).map(|node| document.attributes(node).count());
        assert_eq!(most.max(), Some(limits.max_attributes), "{tag}");
        assert!(codes(&page).contains(&"too-many-attributes"));
    }
}

#[test]
fn giant_values_are_plain_work() {
    let giant = "x".repeat(2_000_000);
    let cases = [
        format!("<p title=\"{giant}\">a"),
        format!("<{giant}>a"),
        format!("<p {giant}>a"),
        format!("<!--{giant}"),
        format!("<!doctype {giant}>"),
        format!("<plaintext>{giant}"),
        format!("<p class=\"{}\">a", "c ".repeat(1_000_000)),
        "&amp;".repeat(400_000),
        "&".repeat(1_000_000),
        "&#x".repeat(500_000),
        "<".repeat(1_000_000),
        "</".repeat(500_000),
        "<a b=\"".repeat(200_000),
        "\0".repeat(1_000_000),
        "<script><!--<script>".repeat(50_000),
    ];
    for html in cases {
        let page = page(html.into_bytes(), Limits::default());
        exercise(&page);
        assert!(page.document().node_count() < 1_100_000);
    }
}

#[test]
fn a_long_body_is_cut() {
    let limits = Limits {
        max_source_bytes: 1_000,
        ..Limits::default()
    };
    let page = page("aé".repeat(1_000).into_bytes(), limits);
    assert!(page.text().len() <= 1_003);
    assert_eq!(codes(&page)[0], "truncated");
    assert_eq!(
        page.problems()[0].to_string(),
        "the body has 3000 bytes; only the first 1000 were read"
    );
}

#[test]
fn structured_data_is_bounded() {
    let limits = Limits {
        max_structured_items: 100,
        max_structured_bytes: 10_000,
        ..Limits::default()
    };
    let deep = format!(
        "<script type=application/ld+json>{}1{}</script>",
        "{\"@type\":\"A\",\"b\":".repeat(60),
        "}".repeat(60)
    );
    let many = "<p itemscope itemtype=A><b itemprop=x>y</b></p>".repeat(1_000);
    let shared = format!(
        "<div id=s><p itemprop=a>{}</p></div>{}",
        "z".repeat(900),
        "<i itemscope itemref=s></i>".repeat(50)
    );
    let nested = "<div itemprop='x y' itemscope>".repeat(200);
    let cards = "<div class=h-card>".repeat(300);
    let linked: String = (0..200)
        .map(|number| format!("{{\"@type\":\"A\",\"@id\":\"#{number}\",\"b\":{{\"@id\":\"#0\"}}}},"))
        .collect();
    let linked = format!("<script type=application/ld+json>[{linked}]</script>");
    let circles = "<p vocab=http://schema.org/ typeof=A resource=#a><b property=x resource=#b></b></p>
        <p vocab=http://schema.org/ typeof=A resource=#b><b property=x resource=#a></b></p>"
        .repeat(50);
    for html in [deep, many, shared, nested, cards, linked, circles] {
        let page = page(html.clone().into_bytes(), limits.clone());
        let bytes: usize = page
            .structured_data()
            .iter()
            .map(|item| item.json.to_string().len())
            .sum();
        assert!(bytes < 40_000, "{}: {bytes}", &html[..40]);
        assert!(
            codes(&page).contains(&"too-much-structured-data"),
            "{}",
            &html[..40]
        );
    }
}

/// A long part of a page that is referenced many times: as a value of many properties, of many
/// entities, or before many names. Reading it at every reference would take hours.
#[test]
fn what_is_named_many_times_is_not_read_as_often() {
    let long = "x".repeat(1_000_000);
    let spaces = " ".repeat(1_000_000);
    let names = |prefix: &str| -> String {
        (0..100_000)
            .map(|number| format!("{prefix}{} ", letters(number)))
            .collect()
    };
    let values = |value: &str| value.repeat(10_000);
    let json = |target: &str| {
        let references = values("{\"@id\":\"#a\"},");
        format!(
            "<script type=application/ld+json>[{{\"@type\":\"A\",\"b\":[{references}]}},{{\"@id\":\"#a\",{target}}}]</script>"
        )
    };
    let cases = [
        format!(
            "<p class=h-card><a class=\"{}\" href=\"{long}\">{long}</a>",
            names("u-")
        ),
        format!(
            "<p class=h-card><abbr class=\"{}\" title=\"{spaces}\">",
            names("p-")
        ),
        format!(
            "<p class=h-card><time class=\"{}\" datetime=\"{spaces}\">",
            names("dt-")
        ),
        format!("<p class=h-card><b class=\"{}\">{long}</b>", names("p-")),
        format!("<p class=\"{}\">x", names("h-x-")),
        format!(
            "<p typeof=A vocab=\"http://{long}/\"><b property=\"{}\">x",
            names("")
        ),
        format!("<p typeof=\"{}\">x", names("")),
        format!("<p typeof=A><b property=\"{}\" content=\"{spaces}\">", names("")),
        format!("<p typeof=A><a property=\"{}\" href=\"{long}\">", names("")),
        format!(
            "<p typeof=A prefix=\"a: {long}\">{}",
            values("<b prefix='b: c'></b>")
        ),
        format!(
            "<p typeof=\"{}\" resource='#a'></p><p typeof=B>{}",
            names(""),
            values("<a property=x href='#a'></a>")
        ),
        format!("<p itemscope><b itemprop=\"{}\">{long}</b>", names("")),
        format!(
            "<p id=a itemprop=b itemscope itemtype=\"{}\"></p>{}",
            names(""),
            values("<i itemscope itemref=a></i>")
        ),
        json(&format!("\"url\":\"{long}\",\"name\":\"{spaces}\"")),
        json(&format!(
            "\"@type\":\"B\",{}\"c\":1",
            (0..50_000)
                .map(|number| format!("\"n{number}\":1,"))
                .collect::<String>()
        )),
        json(&format!("\"@type\":[{}\"B\"]", "\"C\",".repeat(200_000))),
    ];
    for html in cases {
        let page = page(html.clone().into_bytes(), Limits::default());
        let bytes: usize = page
            .structured_data()
            .iter()
            .map(|item| item.json.to_string().len())
            .sum();
        let start: String = html.chars().take(40).collect();
        // The limit is 8 MiB, and JSON puts quotation marks and the like around it.
        assert!(bytes < 24 << 20, "{start}: {bytes} bytes");
    }
}

/// A name of letters alone for each number.
fn letters(number: usize) -> String {
    let letter = |digit: usize| char::from(b'a' + u8::try_from(digit % 10).unwrap_or_default());
    [10_000, 1_000, 100, 10, 1]
        .iter()
        .map(|place| letter(number / place))
        .collect()
}

#[test]
fn contexts_inside_one_another_are_bounded() {
    let terms: String = (0..50_000)
        .map(|number| format!("\"term{number}\":\"meaning{number}\","))
        .collect();
    let inner = "{\"@context\":{\"a\":\"b\"},\"@type\":\"A\"},".repeat(60);
    let script = format!("{{\"@context\":{{{terms}\"z\":\"z\"}},\"@graph\":[{inner}{{\"@type\":\"A\"}}]}}");
    let html = format!("<script type=application/ld+json>{script}</script>");
    let page = page(html.into_bytes(), Limits::default());
    assert_eq!(page.structured_data().len(), 61);
    assert!(codes(&page).contains(&"too-much-structured-data"));
}

#[test]
fn a_base_of_a_megabyte_is_none() {
    let long = "x/".repeat(500_000);
    let html = format!("<base href='/{long}'>{}", "<a href=y>z</a>".repeat(10_000));
    let page = page(html.into_bytes(), Limits::default());
    let links = page.links();
    assert_eq!(links.len(), 10_000);
    assert!(links.iter().all(|link| link.href == "https://evil.example/y"));
}

#[test]
fn the_state_of_scripts_is_bounded() {
    let object = "{\"a\": \"1\", \"b\": \"2\", \"c\": \"3\"},";
    let many = format!("<script>window.__S__ = [{}]</script>", object.repeat(50_000));
    let deep = format!(
        "<script type=application/json>{}1{}</script>",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let nested = "{\"a\": 1, \"b\": 2, \"c\": 3, \"d\": ".repeat(2_000);
    let nested = format!("<script>window.__S__ = {nested}0{}</script>", "}".repeat(2_000));
    let huge = format!("<script>window.__S__ = [\"{}\"]</script>", "x".repeat(9 << 20));
    let open = "window.__S__ = {\"a\": ".repeat(100_000);
    let open = format!("<script>{open}</script>");
    for html in [many, deep, nested, huge, open] {
        let page = Page::from_html("https://club.example/", &html).expect("the URL is valid");
        assert!(page.structured_data().len() <= 5_000);
    }
}
