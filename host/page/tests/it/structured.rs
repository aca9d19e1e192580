//! Structured data on small pages: each syntax alone, and all of them agreeing.

use magpie_page::{Page, PageSource, StructuredItem};
use magpie_values::Timestamp;
use serde_json::{Value, json};

fn read(html: &str) -> Vec<StructuredItem> {
    let page = Page::from_html("https://club.example/shows/", html).expect("the URL is valid");
    page.structured_data().to_vec()
}

/// The only item of a page, as JSON.
fn only(html: &str) -> Value {
    let mut items = read(html);
    assert_eq!(items.len(), 1, "{items:#?}");
    items.remove(0).json
}

fn json_ld(json: &str) -> String {
    format!("<script type='application/ld+json'>{json}</script>")
}

/// One show, whichever way it is written down.
fn show() -> Value {
    json!({
        "@type": ["MusicEvent"],
        "name": ["Jazz at Nine"],
        "startDate": ["2026-03-14T21:00"],
        "url": ["https://club.example/shows/9"],
        "image": ["https://club.example/i/9.jpg"],
        "location": [{"@type": ["Place"], "name": ["The Cellar"]}],
        "performer": [{"@type": ["Person"], "name": ["Ada"]}, {"@type": ["Person"], "name": ["Bo"]}],
    })
}

#[test]
fn the_three_syntaxes_agree() {
    let ld = json_ld(
        r#"{"@context": "https://schema.org", "@type": "MusicEvent", "name": "Jazz at Nine",
            "startDate": "2026-03-14T21:00", "url": "9", "image": "/i/9.jpg",
            "location": {"@type": "Place", "name": "The Cellar"},
            "performer": [{"@type": "Person", "name": "Ada"}, {"@type": "Person", "name": "Bo"}]}"#,
    );
    let microdata = "<div itemscope itemtype='http://schema.org/MusicEvent'><a itemprop=url href=9>
        <span itemprop=name>Jazz  at Nine</span></a><time itemprop=startDate datetime=2026-03-14T21:00>tonight</time>
        <img itemprop=image src=/i/9.jpg><p itemprop=location itemscope itemtype=https://schema.org/Place>
        <b itemprop=name>The Cellar</b></p>
        <i itemprop=performer itemscope itemtype=http://schema.org/Person><b itemprop=name>Ada</b></i>
        <i itemprop=performer itemscope itemtype=http://schema.org/Person><b itemprop=name>Bo</b></i></div>";
    let rdfa = "<div vocab='http://schema.org/' typeof=MusicEvent><a property=url href=9>
        <span property=name>Jazz  at Nine</span></a><time property=startDate datetime=2026-03-14T21:00>tonight</time>
        <img property=image src=/i/9.jpg><p property=location typeof=Place><b property=name>The Cellar</b></p>
        <i property=performer typeof=Person><b property=name>Ada</b></i>
        <i property='schema:performer' typeof='schema:Person'><b property=name>Bo</b></i></div>";
    for (syntax, html) in [("json-ld", ld.as_str()), ("microdata", microdata), ("rdfa", rdfa)] {
        let items = read(html);
        assert_eq!(items.len(), 1, "{syntax}");
        assert_eq!(items[0].syntax, syntax);
        assert_eq!(items[0].types, ["MusicEvent"], "{syntax}");
        assert_eq!(items[0].json, show(), "{syntax}");
        assert!(items[0].node.is_some());
    }
}

#[test]
fn json_ld_names_values_and_lists_have_one_form() {
    let cases = [
        (
            r#"{"@type": "http://schema.org/Book", "http://schema.org/name": "A"}"#,
            json!({"@type": ["Book"], "name": ["A"]}),
        ),
        (
            r#"{"@type": ["schema:Book", "Product"], "schema:name": "A"}"#,
            json!({"@type": ["Book", "Product"], "name": ["A"]}),
        ),
        (
            r#"{"@context": {"s": "http://schema.org/", "type": "@type", "id": "@id"}, "type": "s:Book", "id": "/b", "s:name": "A"}"#,
            json!({"@type": ["Book"], "@id": "https://club.example/b", "name": ["A"]}),
        ),
        (
            r#"{"@type": "Book", "name": {"@value": "A", "@language": "en"}}"#,
            json!({"@type": ["Book"], "name": ["A"]}),
        ),
        (
            r#"{"@type": "Book", "author": {"@list": ["A", {"@value": 2}, [true, null]]}}"#,
            json!({"@type": ["Book"], "author": ["A", 2, true]}),
        ),
        (
            r#"{"@type": "Book", "name": " A ", "isbn": "", "@reverse": {"about": "x"}}"#,
            json!({"@type": ["Book"], "name": ["A"]}),
        ),
        (
            r#"{"@type": "ex:Thing", "ex:color": "red"}"#,
            json!({"@type": ["ex:Thing"], "ex:color": ["red"]}),
        ),
        (
            r#"{"@type": "Book", "url": "no url at all", "sameAs": ["//x.example/y"]}"#,
            json!({"@type": ["Book"], "url": ["no url at all"], "sameAs": ["https://x.example/y"]}),
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(only(&json_ld(source)), expected, "{source}");
    }
}

#[test]
fn json_ld_references_are_followed_once() {
    let items = read(&json_ld(
        r##"{"@graph": [
            {"@type": "Event", "@id": "#e", "name": "E", "organizer": {"@id": "#o"}, "about": {"@id": "http://far.example/"}},
            {"@type": "Organization", "@id": "#o", "name": "O", "event": {"@id": "#e"}, "founder": {"@id": "_:f"}},
            {"@type": "Person", "@id": "_:f", "name": "F"}]}"##,
    ));
    let base = "https://club.example/shows/";
    assert_eq!(items.len(), 3);
    assert_eq!(
        items[0].json,
        json!({"@type": ["Event"], "@id": format!("{base}#e"), "name": ["E"], "about": ["http://far.example/"],
            "organizer": [{"@type": ["Organization"], "@id": format!("{base}#o"), "name": ["O"], "event": [format!("{base}#e")]}]})
    );
    assert_eq!(
        items[1].json["founder"],
        json!([{"@type": ["Person"], "name": ["F"]}])
    );
}

#[test]
fn json_ld_from_several_scripts_has_no_node() {
    let html = json_ld(r##"{"@type": "Event", "name": "E", "location": {"@id": "#p"}}"##)
        + &json_ld(r##"[{"@type": "Place", "@id": "#p", "name": "P"}]"##);
    let items = read(&html);
    assert_eq!(items[0].json["location"][0]["name"], json!(["P"]));
    assert_eq!((items[0].node, items[1].node.is_some()), (None, true));
}

#[test]
fn broken_json_ld_is_a_problem_and_the_rest_goes_on() {
    let html = json_ld("{\"@type\": \"Event\", ")
        + &json_ld(r#"{"@type": "Event", "name": "E",}"#)
        + "<script type='Application/LD+JSON; charset=utf-8'>{\"@type\": \"Book\"}</script>";
    let page = Page::from_html("https://club.example/", &html).expect("the URL is valid");
    let types: Vec<&str> = page
        .structured_data()
        .iter()
        .map(|item| item.types[0].as_str())
        .collect();
    assert_eq!(types, ["Event", "Book"]);
    let problems = page.problems();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].code(), "broken-json-ld");
    assert_eq!(
        problems[0].to_string(),
        "JSON-LD script 1 can't be parsed: it ends too early"
    );
}

#[test]
fn microdata_values_depend_on_the_element() {
    let html = "<div itemscope itemtype='https://schema.org/Product https://schema.org/Book' itemid=/p/1>
        <meta itemprop=sku content=' 12 '><link itemprop=availability href=http://schema.org/InStock>
        <data itemprop=weight value=5>five</data><meter itemprop=score value=0.5>half</meter>
        <object itemprop=model data=m.bin></object><time itemprop=releaseDate>2026-01-02</time>
        <span itemprop='price lowPrice' content=9.90>9,90 EUR</span><a itemprop=brand>Acme</a>
        <span itemprop=description hidden>hidden <b>words</b></span><span itemprop='https://schema.org/color'>red</span>
        <span itemprop></span></div>";
    assert_eq!(
        only(html),
        json!({"@type": ["Product", "Book"], "@id": "https://club.example/p/1", "sku": ["12"],
            "availability": ["http://schema.org/InStock"], "weight": ["5"], "score": ["0.5"],
            "model": ["https://club.example/shows/m.bin"], "releaseDate": ["2026-01-02"], "price": ["9.90"],
            "lowPrice": ["9.90"], "brand": ["Acme"], "description": ["hidden words"], "color": ["red"]})
    );
}

#[test]
fn microdata_references_are_followed_and_circles_end() {
    let html = "<div itemscope itemtype=http://schema.org/Event itemref='a b missing' id=e><i itemprop=name>E</i></div>
        <p id=a><b itemprop=startDate>2026</b></p>
        <div id=b itemprop=subEvent itemscope itemtype=http://schema.org/Event itemref=b><i itemprop=name>S</i></div>";
    assert_eq!(
        only(html),
        json!({"@type": ["Event"], "name": ["E"], "startDate": ["2026"],
            "subEvent": [{"@type": ["Event"], "name": ["S"]}]})
    );
}

#[test]
fn a_microdata_item_can_be_referenced_for_its_properties() {
    let items = read(
        "<div itemscope itemtype=http://schema.org/Product itemref=more><b itemprop=name>Kettle</b></div>
        <div id=more itemscope itemtype=http://schema.org/Thing><i itemprop=color>red</i></div>",
    );
    let json: Vec<_> = items.iter().map(|item| &item.json).collect();
    assert_eq!(
        json,
        [
            &json!({"@type": ["Product"], "name": ["Kettle"], "color": ["red"]}),
            &json!({"@type": ["Thing"], "color": ["red"]})
        ]
    );
}

#[test]
fn a_microdata_property_of_nothing_is_an_item() {
    let items =
        read("<p itemprop=offers itemscope itemtype=http://schema.org/Offer><b itemprop=price>5</b></p>");
    assert_eq!(items[0].types, ["Offer"]);
}

#[test]
fn rdfa_resources_and_prefixes() {
    let html = "<div vocab=http://schema.org/ prefix='dc: http://purl.org/dc/terms/' resource=#b typeof=Book>
        <span property='name dc:title'>A</span><meta property=isbn content=123>
        <div property=author resource=#w></div><link property=url href=b.html></div>
        <div vocab=http://schema.org/ about=#w typeof=Person><b property=name>W</b></div>
        <div resource=#b><i vocab=http://schema.org/ property=pages>10</i></div>
        <p vocab='http://xmlns.com/foaf/0.1/' typeof=Person><b property=name>F</b></p>";
    let items = read(html);
    assert_eq!(
        items[0].json,
        json!({"@type": ["Book"], "@id": "https://club.example/shows/#b", "name": ["A"],
            "http://purl.org/dc/terms/title": ["A"], "isbn": ["123"], "pages": ["10"],
            "url": ["https://club.example/shows/b.html"],
            "author": [{"@type": ["Person"], "@id": "https://club.example/shows/#w", "name": ["W"]}]})
    );
    let types: Vec<&str> = items.iter().map(|item| item.types[0].as_str()).collect();
    assert_eq!(types, ["Book", "http://xmlns.com/foaf/0.1/Person"]);
}

#[test]
fn open_graph_is_one_item() {
    let html = "<meta property=og:title content=' A '><meta property=og:type content=article>
        <meta property=og:image content=/i.jpg><meta property=og:image content=/j.jpg><meta property=og:image:width content=9>
        <meta name=twitter:card content=summary><meta property=article:published_time content=2026-01-01>
        <meta name=description content=no><meta property=product:price:amount content=5>";
    let items = read(html);
    assert_eq!(items.len(), 1);
    assert_eq!(
        (items[0].syntax, items[0].types.as_slice()),
        ("open-graph", &["og:article".to_owned()][..])
    );
    assert_eq!(
        items[0].json,
        json!({"@type": ["og:article"], "og:title": ["A"], "og:type": ["article"], "og:image:width": ["9"],
            "og:image": ["https://club.example/i.jpg", "https://club.example/j.jpg"], "twitter:card": ["summary"],
            "article:published_time": ["2026-01-01"], "product:price:amount": ["5"]})
    );
    assert!(read("<meta property=fb:app_id content=1><meta name=author content=x>").is_empty());
}

#[test]
fn microformats_have_values_by_prefix() {
    let html = "<article class=h-event><a class='u-url p-name' href=9>Jazz</a>
        <time class=dt-start datetime='2026-03-14 21:00'>tonight</time> to <time class=dt-end>23:00</time>
        <span class='p-location h-card'><b class=p-name>The Cellar</b><span class='p-adr h-adr'><i class=p-locality>Ghent</i></span></span>
        <abbr class=p-category title=music>m</abbr><img class=u-photo src=/i.jpg alt=x>
        <div class=e-content>Come <b>all</b></div><div class=h-item>child</div></article>";
    assert_eq!(
        only(html),
        json!({"@type": ["h-event"], "name": ["Jazz"], "url": ["https://club.example/shows/9"],
            "start": ["2026-03-14 21:00"], "end": ["2026-03-14 23:00"], "category": ["music"],
            "location": [{"@type": ["h-card"], "name": ["The Cellar"], "adr": [{"@type": ["h-adr"], "locality": ["Ghent"]}]}],
            "photo": ["https://club.example/i.jpg"], "content": ["Come all"],
            "children": [{"@type": ["h-item"], "name": ["child"]}]})
    );
}

#[test]
fn microformats_imply_name_photo_and_url() {
    let cases = [
        (
            "<a class=h-card href=/a>Ada</a>",
            json!({"@type": ["h-card"], "name": ["Ada"], "url": ["https://club.example/a"]}),
        ),
        (
            "<div class=h-card><a href=/a><img src=a.jpg alt='Ada L'></a></div>",
            json!({"@type": ["h-card"], "name": ["Ada L"], "url": ["https://club.example/a"],
                "photo": ["https://club.example/shows/a.jpg"]}),
        ),
        (
            "<p class=h-card><b class=p-org>O</b>",
            json!({"@type": ["h-card"], "org": ["O"]}),
        ),
    ];
    for (html, expected) in cases {
        assert_eq!(only(html), expected, "{html}");
    }
    assert!(
        read("<div class='h-full h-10 p-4'><b class=p-name>x</b></div>").is_empty(),
        "heights are no items"
    );
}

#[test]
fn classic_microformats_are_read_as_their_successors() {
    let html = "<div class=vevent><a class='summary url' href=/9>Jazz</a><abbr class=dtstart title=2026-03-14>14th</abbr>
        <span class='location vcard'><b class='fn org'>The Cellar</b><span class=tel><i class=type>work</i>
        <i class=value>+32</i><i class=value>55</i></span></span></div>";
    assert_eq!(
        only(html),
        json!({"@type": ["h-event"], "name": ["Jazz"], "url": ["https://club.example/9"], "start": ["2026-03-14"],
            "location": [{"@type": ["h-card"], "name": ["The Cellar"], "org": ["The Cellar"], "tel": ["+3255"]}]})
    );
    let html = "<div class=hproduct><b class=fn>Pi</b><span class=price>5</span>
        <p class='review hreview'><span class=item><i class=fn>Pi</i></span><b class=rating>4</b><a rel=tag href=/t>small</a></p></div>";
    assert_eq!(
        only(html),
        json!({"@type": ["h-product"], "name": ["Pi"], "price": ["5"],
            "review": [{"@type": ["h-review"], "item": [{"@type": ["h-item"], "name": ["Pi"]}], "rating": ["4"], "category": ["small"]}]})
    );
}

#[test]
fn items_come_in_document_order() {
    let html = json_ld(r#"{"@type": "A"}"#) + "<p itemscope itemtype=B></p>" + &json_ld(r#"{"@type": "C"}"#);
    let types: Vec<String> = read(&html).into_iter().flat_map(|item| item.types).collect();
    assert_eq!(types, ["A", "B", "C"]);
}

/// Types and ids have their own places, which no property takes.
#[test]
fn a_page_can_not_call_a_property_type_or_id() {
    let pages = [
        "<p itemscope itemtype=A><b itemprop='@type name'>x</b><b itemprop=@id>y</b>",
        "<p vocab='http://schema.org/' typeof=A><b property='@type name'>x</b><b property=@id>y</b>",
    ];
    for html in pages {
        let page = Page::from_html("https://any.example/", html).expect("valid");
        let items = page.structured_data();
        assert_eq!(items.len(), 1, "{html}");
        assert_eq!(
            items[0].json,
            serde_json::json!({"@type": ["A"], "name": ["x"]}),
            "{html}"
        );
    }
}

#[test]
fn the_state_of_scripts_has_objects() {
    let state = r#"{"props": {"pageProps": {"locale": "en", "events": [
        {"title": "Jazz at Nine", "start": "2026-03-14T21:00", "price": 12.5, "isFree": false, "notes": null,
         "venue": {"name": "The Cellar", "city": "Ghent", "zip": "9000"}, "tags": ["jazz", "late"]},
        {"title": "Late Folk", "start": "2026-03-15T22:00", "__typename": "Concert", "venue": {"name": "The Cellar"}}
    ]}}}"#;
    let first = json!({"@type": ["events"], "title": ["Jazz at Nine"], "start": ["2026-03-14T21:00"], "price": [12.5],
        "isFree": [false], "tags": ["jazz", "late"],
        "venue": [{"@type": ["venue"], "name": ["The Cellar"], "city": ["Ghent"], "zip": ["9000"]}]});
    let pages = [
        format!("<script id=__NEXT_DATA__ type=application/json>{state}</script>"),
        format!("<script>var a = 1; window.__STATE__ = {state}; start()</script>"),
        format!("<script>self['__DATA__']={state}</script>"),
    ];
    for html in pages {
        let items = read(&html);
        let types: Vec<&str> = items
            .iter()
            .flat_map(|item| &item.types)
            .map(String::as_str)
            .collect();
        assert_eq!(types, ["events", "venue", "Concert"], "{html}");
        assert!(
            items
                .iter()
                .all(|item| item.syntax == "inline-state" && item.node.is_some())
        );
        assert_eq!(items[0].json, first);
    }
    // Scripts that load, other data, and code are no state.
    for html in [
        format!("<script src=/x.js type=application/json>{}</script>", "{"),
        format!("<script type=text/template>window.__STATE__ = {state}</script>"),
        "<script>window.go = function() { return {a: 1, b: 2, c: 3} }</script>".to_owned(),
        "<script type=application/json>{\"a\": 1, \"b\": [1, 2, 3], \"c\": {}}</script>".to_owned(),
    ] {
        assert_eq!(read(&html), [], "{html}");
    }
}

#[test]
fn json_documents_are_data() {
    let source = |content_type: &str, body: &str| {
        Page::new(PageSource {
            url: "https://hall.example/api/events".parse().expect("a URL"),
            status: 200,
            headers: vec![("Content-Type".to_owned(), content_type.to_owned())],
            fetched_at: Timestamp::default(),
            body: body.as_bytes().to_vec().into(),
        })
    };
    let body = r#"{"data": {"events": [{"title": "Night Music", "id": 1, "link": "/events/1"}]}, "meta": {
        "page": 1, "pages": 2, "next": "/api/events?page=2", "logoUrl": "/logo.png", "note": "/not a link"}}"#;
    for content_type in ["application/json", "application/vnd.api+json; charset=utf-8"] {
        let page = source(content_type, body);
        let items = page.structured_data();
        assert_eq!(items.len(), 2, "{items:?}");
        assert!(
            items
                .iter()
                .all(|item| item.syntax == "inline-state" && item.node.is_none())
        );
        assert_eq!(items[0].types, ["events"]);
        assert_eq!(
            page.data_urls(),
            [
                "https://hall.example/events/1",
                "https://hall.example/api/events?page=2"
            ]
        );
    }
    // Two values and an object are enough; two values alone are not.
    let page = source(
        "application/json",
        r#"[{"name": "Night Music", "start": "2026-05-03", "venue": {"name": "Old Mill"}}, {"en": "a", "de": "b"}]"#,
    );
    assert_eq!(page.structured_data().len(), 1);
    // What claims to be JSON and is not has no data, and neither has text that looks like it.
    for (content_type, body) in [("application/json", "{\"title\": "), ("text/plain", body)] {
        let page = source(content_type, body);
        assert!(page.structured_data().is_empty(), "{content_type}");
        assert!(page.data_urls().is_empty(), "{content_type}");
    }
}

#[test]
fn places_that_scripts_fill_are_known_by_id_or_data_attribute() {
    let check = |html: &str, expected: &[&str]| {
        let page = Page::from_html("https://hall.example/", html).expect("a URL");
        assert_eq!(page.script_places(), expected, "{html}");
    };
    let script = "<script src=/app.js></script>";
    check(&format!("<div id=app></div>{script}"), &["div#app"]);
    check(
        &format!("<ul data-list=1> </ul><my-shop></my-shop>{script}"),
        &["ul[data-list]", "my-shop"],
    );
    check(
        &format!("<div id=app>{script}<noscript>No script</noscript></div>"),
        &["div#app"],
    );
    // Content, a name that nothing has, hidden elements, and pages without scripts.
    check(
        &format!("<div id=app>x</div><div id=b><p></p></div><div></div>{script}"),
        &[],
    );
    check(
        &format!("<div id=a hidden></div><div id=b style='display: none'></div>{script}"),
        &[],
    );
    check("<div id=app></div>", &[]);
}

#[test]
fn elements_that_act_by_script_are_counted_by_tag_and_class() {
    let check = |html: &str, expected: &[(&str, usize)]| {
        let page = Page::from_html("https://hall.example/", html).expect("a URL");
        let actions = page.script_actions();
        let found: Vec<(&str, usize)> = actions
            .iter()
            .map(|(name, count)| (name.as_str(), *count))
            .collect();
        assert_eq!(found, expected, "{html}");
    };
    let script = "<script src=/app.js></script>";
    check(
        &format!(
            "<ul><li class=item><span role=link>A</span><li class=item><span role=link>B</span></ul>{script}"
        ),
        &[("li.item>span", 2)],
    );
    check(
        &format!(
            "<p><a href='#'>more</a><a href=' JavaScript:go()'>go</a><a onclick='go()'>on</a></p>{script}"
        ),
        &[("p>a", 3)],
    );
    check(
        &format!("<div><button class='a b'>more</button></div>{script}"),
        &[("div>button.a.b", 1)],
    );
    // Anchors with an address or a name, buttons of forms and what is hidden are none.
    for other in [
        "<a href='/x' role=button>x</a>",
        "<a name=top></a>",
        "<a href='#part'>part</a>",
        "<form><button>send</button><p><span onclick='go()'>x</span></p></form>",
        "<button hidden>x</button>",
        "<p>x</p>",
    ] {
        check(&format!("{other}{script}"), &[]);
    }
    // Without a script nothing acts.
    check("<button>more</button>", &[]);
}
