//! URL templates: text, sources, examples, and what is filled in.

use magpie_discovery::forms::query_field;
use magpie_discovery::{FilterTemplate, InvalidTemplate, MAX_TEMPLATE_BYTES, UrlTemplate};
use magpie_page::Page;
use magpie_test_support::cost::assert_linear;
use proptest::prelude::*;
use serde_json::json;
use url::Url;

fn template(text: &str) -> UrlTemplate {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn filled(text: &str, query: &str, arguments: &[(&str, &str)]) -> String {
    let url = template(text).fill(query, arguments);
    url.map_or("none".to_owned(), String::from)
}

#[test]
fn values_are_encoded_as_their_place_wants() {
    let table = [
        (
            "https://a.example/s?q={query}",
            "ipad 2",
            "https://a.example/s?q=ipad+2",
        ),
        (
            "https://a.example/s?q={query}&x=1",
            "a&b=c#d",
            "https://a.example/s?q=a%26b%3Dc%23d&x=1",
        ),
        (
            "https://a.example/s?q={query:percent}",
            "ipad 2",
            "https://a.example/s?q=ipad%202",
        ),
        (
            "https://a.example/s/{query}/all",
            "big dogs/cats",
            "https://a.example/s/big%20dogs%2Fcats/all",
        ),
        (
            "https://a.example/s/{query:dash}.html",
            "big dogs",
            "https://a.example/s/big-dogs.html",
        ),
        (
            "https://a.example/s/{query:underscore}",
            "big dogs",
            "https://a.example/s/big_dogs",
        ),
        (
            "https://a.example/s/{query:plus}",
            "big dogs",
            "https://a.example/s/big+dogs",
        ),
        (
            "https://a.example/#!/s?q={query}",
            "big dogs",
            "https://a.example/#!/s?q=big%20dogs",
        ),
        (
            "https://a.example/s?q={query:windows-1251}",
            "дом",
            "https://a.example/s?q=%E4%EE%EC",
        ),
        (
            "https://a.example/s?q={query}",
            "дом",
            "https://a.example/s?q=%D0%B4%D0%BE%D0%BC",
        ),
        (
            "https://a.example/s?q={query}&again={query}",
            "a",
            "https://a.example/s?q=a&again=a",
        ),
        (
            "https://a.example/s?q={query}&p={page=1}",
            "a",
            "https://a.example/s?q=a&p=1",
        ),
        ("https://a.example/s/{query}", "..", "none"),
        ("https://a.example/s?q={query}&p={page}", "a", "none"),
    ];
    for (text, query, expected) in table {
        assert_eq!(filled(text, query, &[]), expected, "{text}");
    }
    assert_eq!(
        filled("https://a.example/s?q={query}", &"x".repeat(100_000), &[]),
        "none"
    );
}

#[test]
fn further_arguments_fill_places_or_replace_arguments() {
    type Row = (
        &'static str,
        &'static [(&'static str, &'static str)],
        &'static str,
    );
    let table: [Row; 6] = [
        (
            "https://a.example/s?q={query}&p={page=1}",
            &[("page", "2")],
            "https://a.example/s?q=x&p=2",
        ),
        (
            "https://a.example/s?q={query}",
            &[("page", "2")],
            "https://a.example/s?q=x&page=2",
        ),
        (
            "https://a.example/s?page=1&q={query}",
            &[("page", "2")],
            "https://a.example/s?page=2&q=x",
        ),
        (
            "https://a.example/s?a=1&q={query}&a=2",
            &[("a", "3 4")],
            "https://a.example/s?a=3+4&q=x",
        ),
        (
            "https://a.example/s/{query}",
            &[("a", "&")],
            "https://a.example/s/x?a=%26",
        ),
        (
            "https://a.example/s?f%5B%5D=1&q={query}#x",
            &[("f[]", "2")],
            "https://a.example/s?f%5B%5D=2&q=x#x",
        ),
    ];
    for (text, arguments, expected) in table {
        assert_eq!(filled(text, "x", arguments), expected, "{text}");
    }
}

#[test]
fn templates_are_printed_as_they_are_written() {
    for text in [
        "https://shop.example/search?cat=0&q={query}",
        "https://shop.example/s/{query:dash}/{page=1}",
        "http://shop.example:8080/?q={query:windows-1251}&n={count=20}#top",
        "https://shop.example/#q={query:plus}",
    ] {
        assert_eq!(template(text).to_string(), text);
    }
}

#[test]
fn texts_that_are_no_templates_are_refused() {
    use InvalidTemplate::*;
    let table = [
        ("https://a.example/s?q=x", NoQuery),
        ("https://a.example/s?q={page}", NoQuery),
        ("https://a.example/s?q={query", OpenBrace),
        ("https://a.example/s?q=query}", OpenBrace),
        ("https://a.example/s?q={Query!}", Place("Query!".to_owned())),
        (
            "https://a.example/s?q={query:nothing}",
            Place("query:nothing".to_owned()),
        ),
        ("https://{query}.example/s", NotUrl),
        ("https://a.example{query}/s", NotUrl),
        ("https://a.example:{query}/s", NotUrl),
        ("{query}", NotUrl),
        ("/s?q={query}", NotUrl),
        ("ftp://a.example/{query}", NotUrl),
        ("javascript:alert({query})", NotUrl),
    ];
    for (text, expected) in table {
        assert_eq!(text.parse::<UrlTemplate>(), Err(expected), "{text}");
    }
    let long = format!(
        "https://a.example/?q={{query}}&x={}",
        "x".repeat(MAX_TEMPLATE_BYTES)
    );
    assert_eq!(long.parse::<UrlTemplate>(), Err(TooLong));
    let many = format!("https://a.example/?q={}", "{query}".repeat(100));
    assert_eq!(many.parse::<UrlTemplate>(), Err(TooManyPlaces));
}

#[test]
fn the_keyword_argument_is_known() {
    let table = [
        ("https://a.example/s?cat=0&_nkw={query}", Some("_nkw")),
        ("https://a.example/s?{query}", None),
        ("https://a.example/s;q={query}?x=1", None),
        ("https://a.example/s/{query}", None),
        ("https://a.example/#/s?q={query}", Some("q")),
        ("https://a.example/#/{query}", None),
    ];
    for (text, expected) in table {
        assert_eq!(template(text).keyword_argument(), expected, "{text}");
    }
}

fn from_form(html: &str) -> Option<String> {
    let page = Page::from_html("https://shop.example/home", html).expect("the URL is valid");
    let form = page.forms().forms.first()?;
    let template = UrlTemplate::from_form(form, query_field(form)?)?;
    Some(template.to_string())
}

#[test]
fn forms_give_templates_with_their_defaults() {
    let table = [
        (
            "<form action=/search><input name=q><select name=cat><option value=0>All</select></form>",
            Some("https://shop.example/search?q={query}&cat=0"),
        ),
        (
            "<form><input name=q value=old></form>",
            Some("https://shop.example/home?q={query}"),
        ),
        (
            "<form action='/s?a=1#x'><input type=hidden name=l value='{en}'><input name=q><button name=go value=1>Go</button></form>",
            Some("https://shop.example/s?l=%7Ben%7D&q={query}&go=1#x"),
        ),
        (
            "<form accept-charset=windows-1251><input name=q></form>",
            Some("https://shop.example/home?q={query:windows-1251}"),
        ),
        (
            "<form action=/s><input name='a[b]'></form>",
            Some("https://shop.example/s?a%5Bb%5D={query}"),
        ),
        ("<form method=post><input name=q></form>", None),
        (
            "<form><input name=q><button formmethod=post>x</button></form>",
            None,
        ),
        ("<form action=javascript:go()><input name=q></form>", None),
        ("<form><input placeholder=Search></form>", None),
    ];
    for (html, expected) in table {
        assert_eq!(from_form(html).as_deref(), expected, "{html}");
    }
}

#[test]
fn forms_that_are_sent_by_post_give_templates_of_their_answers() {
    let table = [
        (
            "<form method=post action=/search><input name=q><input type=hidden name=c value='a b'></form>",
            Some("https://shop.example/search?__wb_method=POST&q={query}&c=a+b"),
        ),
        (
            "<form method=post action='/s?shop=2#top'><input name=q></form>",
            Some("https://shop.example/s?shop=2&__wb_method=POST&q={query}"),
        ),
        (
            "<form><input name=q><button formmethod=post formaction=/find name=go value=1>x</button></form>",
            Some("https://shop.example/find?__wb_method=POST&q={query}&go=1"),
        ),
        (
            "<form method=post accept-charset=windows-1251><input name=q></form>",
            Some("https://shop.example/home?__wb_method=POST&q={query:windows-1251}"),
        ),
        ("<form action=/search><input name=q></form>", None),
        (
            "<form method=post action=javascript:go()><input name=q></form>",
            None,
        ),
    ];
    for (html, expected) in table {
        let page = Page::from_html("https://shop.example/home", html).expect("the URL is valid");
        let form = page.forms().forms.first().expect("a form").clone();
        let field = query_field(&form).expect("a field");
        let found = UrlTemplate::from_post_form(&form, field);
        assert_eq!(
            found.as_ref().map(ToString::to_string).as_deref(),
            expected,
            "{html}"
        );
        assert!(found.is_none_or(|template| template.is_post()), "{html}");
    }
    assert!(!template("https://shop.example/s?q={query}").is_post());
    let posted = template("https://shop.example/s?__wb_method=POST&q={query}");
    assert_eq!(posted.keyword_argument(), Some("q"));
}

fn opensearch(urls: &str) -> Option<String> {
    let xml = format!(
        "\u{feff}<?xml version='1.0'?><OpenSearchDescription xmlns='http://a9.com/-/spec/opensearch/1.1/'>\
         <ShortName>Shop &amp; more</ShortName>{urls}</OpenSearchDescription>"
    );
    UrlTemplate::from_opensearch(&xml).map(|template| template.to_string())
}

#[test]
fn opensearch_descriptions_give_templates() {
    let table = [
        (
            "<Url type='text/html' template='https://a.example/?q={searchTerms}'/>",
            Some("https://a.example/?q={query}"),
        ),
        (
            "<Url type='application/rss+xml' template='https://a.example/rss?q={searchTerms}'/>\
             <Url type='text/html' method='POST' template='https://a.example/post?q={searchTerms}'/>\
             <Url type='text/html' rel='suggestions' template='https://a.example/hint?q={searchTerms}'/>\
             <Url type='text/html' rel='results' template='https://a.example/?a=1&amp;q={searchTerms}'></Url>",
            Some("https://a.example/?a=1&q={query}"),
        ),
        (
            "<Url type='text/html' pageOffset='0' template='https://a.example/?q={searchTerms}&amp;p={startPage?}&amp;c={count?}&amp;s={startIndex?}'/>",
            Some("https://a.example/?q={query}&p={page=0}&s={offset=1}"),
        ),
        (
            "<Url type='text/html' template='https://a.example/?l={language?}&amp;q={searchTerms}'/>",
            Some("https://a.example/?q={query}"),
        ),
        (
            "<Url type='text/html' template='https://a.example/?q={searchTerms}&amp;e={inputEncoding}'/>",
            Some("https://a.example/?q={query}&e=UTF-8"),
        ),
        (
            "<os:Url type='text/html' template='https://a.example/'><Param name='q' value='{searchTerms}'/></os:Url>",
            Some("https://a.example/?q={query}"),
        ),
        (
            "<Url type='text/html' template='https://a.example/?q={searchTerms}&amp;x={geo:box}'/>",
            None,
        ),
        ("<Url type='text/html' template='https://a.example/'/>", None),
        (
            "<Url type='text/html' template='javascript:{searchTerms}'/>",
            None,
        ),
        ("<Url type='text/html' template='https://{searchTerms}/'/>", None),
    ];
    for (urls, expected) in table {
        assert_eq!(opensearch(urls).as_deref(), expected, "{urls}");
    }
    assert_eq!(opensearch(&"<Url>".repeat(100_000)), None);
    assert_eq!(opensearch(&"<Param name='a' value='b'/>".repeat(100_000)), None);
}

#[test]
fn search_actions_give_templates() {
    let table = [
        (
            json!({"@type": "SearchAction", "target": "https://a.example/?q={search_term_string}", "query-input": "required name=search_term_string"}),
            Some("https://a.example/?q={query}"),
        ),
        (
            json!({"@type": "WebSite", "potentialAction": {"@type": "SearchAction",
                "target": {"@type": "EntryPoint", "urlTemplate": "https://a.example/find/{words}"},
                "query-input": {"@type": "PropertyValueSpecification", "valueRequired": true, "valueName": "words"}}}),
            Some("https://a.example/find/{query}"),
        ),
        (
            json!({"@graph": [{"@type": ["WebSite"], "potentialAction": [{"@type": ["schema:SearchAction"], "target": ["https://a.example/?s={search_term_string}"]}]}]}),
            Some("https://a.example/?s={query}"),
        ),
        (
            json!({"@type": "SearchAction", "target": "https://a.example/?q={anything}"}),
            Some("https://a.example/?q={query}"),
        ),
        (
            json!({"@type": "SearchAction", "target": "https://a.example/?q={a}&r={b}", "query-input": "required name=a"}),
            None,
        ),
        (
            json!({"@type": "SearchAction", "target": "https://a.example/"}),
            None,
        ),
        (
            json!({"@type": "BuyAction", "target": "https://a.example/?q={search_term_string}"}),
            None,
        ),
        (
            json!({"@type": "SearchAction", "target": "android-app://x/{search_term_string}"}),
            None,
        ),
        (json!(null), None),
    ];
    for (data, expected) in table {
        let found = UrlTemplate::from_search_action(&data).map(|template| template.to_string());
        assert_eq!(found.as_deref(), expected, "{data}");
    }
    let wide = json!((0..100_000).collect::<Vec<_>>());
    assert_eq!(UrlTemplate::from_search_action(&wide), None);
}

#[test]
fn examples_give_templates() {
    let table = [
        (
            "https://a.example/s?q=big+dogs&page=2",
            "big dogs",
            Some("https://a.example/s?q={query}&page=2"),
        ),
        (
            "https://a.example/s?q=big%20dogs",
            "Big Dogs",
            Some("https://a.example/s?q={query:percent}"),
        ),
        (
            "https://a.example/s?q=dogs",
            "dogs",
            Some("https://a.example/s?q={query}"),
        ),
        (
            "https://a.example/s?cat=dogs&q=dogs",
            "dogs",
            Some("https://a.example/s?cat={query}&q={query}"),
        ),
        (
            "https://a.example/dogs?q=dogs",
            "dogs",
            Some("https://a.example/dogs?q={query}"),
        ),
        (
            "https://a.example/s/big%20dogs/2",
            "big dogs",
            Some("https://a.example/s/{query}/2"),
        ),
        (
            "https://a.example/s/big-dogs/2",
            "big dogs",
            Some("https://a.example/s/{query:dash}/2"),
        ),
        (
            "https://a.example/s/big+dogs/2",
            "big dogs",
            Some("https://a.example/s/{query:plus}/2"),
        ),
        (
            "https://a.example/s/big_dogs.html",
            "big dogs",
            Some("https://a.example/s/{query:underscore}.html"),
        ),
        (
            "https://a.example/s-dogs/k0",
            "dogs",
            Some("https://a.example/s-{query}/k0"),
        ),
        (
            "https://a.example/#q=big%20dogs",
            "big dogs",
            Some("https://a.example/#q={query}"),
        ),
        (
            "https://a.example/s?q=%E4%EE%EC",
            "дом",
            Some("https://a.example/s?q={query:windows-1251}"),
        ),
        (
            "https://a.example/s?q=%D0%B4%D0%BE%D0%BC",
            "дом",
            Some("https://a.example/s?q={query}"),
        ),
        (
            "https://a.example/s?q=caf%E9",
            "café",
            Some("https://a.example/s?q={query:windows-1252}"),
        ),
        (
            "https://a.example/s?x={1}&q=dogs",
            "dogs",
            Some("https://a.example/s?x=%7B1%7D&q={query}"),
        ),
        (
            "https://a.example/s/big+dogs/2",
            "big+dogs",
            Some("https://a.example/s/{query:plus}/2"),
        ),
        (
            "https://a.example/s?q=c%2B%2B&x=1",
            "c++",
            Some("https://a.example/s?q={query:percent}&x=1"),
        ),
        ("https://a.example/hotdogs", "dogs", None),
        ("https://dogs.example/", "dogs", None),
        ("https://a.example/s?q=cats", "dogs", None),
        ("https://a.example/s?q=", "", None),
    ];
    for (url, query, expected) in table {
        let url = Url::parse(url).expect("valid");
        let found = UrlTemplate::from_example(&url, query).map(|template| template.to_string());
        assert_eq!(found.as_deref(), expected, "{url} {query}");
    }
}

#[test]
fn hostile_urls_take_linear_time() {
    for unit in ["a=b&", "a/", "%", "a-", "{}", "&&", "=;"] {
        assert_linear(unit, |size| {
            let text = format!("https://evil.example/?{}", unit.repeat(size * 1_000 / unit.len()));
            let url = Url::parse(&text).expect("valid");
            let _ = (
                UrlTemplate::from_example(&url, "a b"),
                UrlTemplate::from_example(&url, "é"),
            );
            let _ = text.parse::<UrlTemplate>();
            if let Ok(template) = format!("https://a.example/?{text}&{{arguments}}").parse::<FilterTemplate>()
            {
                let url = template.fill("a=b");
                assert!(url.is_none_or(|url| url.host_str() == Some("a.example")));
                assert_eq!(template.to_string().parse::<FilterTemplate>(), Ok(template));
            }
        });
    }
}

#[test]
fn arguments_of_a_filter_replace_those_of_their_name() {
    let table = [
        // Each in the place of its name, others at the end.
        ("a=1&b=&{arguments}", "b=2", "?a=1&b=2"),
        ("a=1&b=&{arguments}", "c=3", "?a=1&b=&c=3"),
        ("a=1&b=&{arguments}", "", "?a=1&b="),
        ("{arguments}", "c=3&d=4", "?c=3&d=4"),
        ("{arguments}", "", ""),
        // Several of one name, in the template or given.
        ("a=1&a=2&b=&{arguments}", "a=3", "?a=3&b="),
        ("a=1&b=&{arguments}", "a=3&a=4", "?a=3&a=4&b="),
        // Names are compared as they are meant.
        ("price%5Bmin%5D=0&{arguments}", "price[min]=5", "?price[min]=5"),
        ("a=1&{arguments}", "a=x%26y#z", "?a=x%26y%23z"),
    ];
    for (template, arguments, expected) in table {
        let text = format!("https://a.example/list?{template}");
        let template: FilterTemplate = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let url = template.fill(arguments).map(String::from);
        assert_eq!(
            url,
            Some(format!("https://a.example/list{expected}")),
            "{text} {arguments}"
        );
        assert_eq!(template.to_string(), text);
    }
    let long = "a=".to_owned() + &"x".repeat(10_000);
    let template: FilterTemplate = "https://a.example/?{arguments}".parse().expect("a template");
    assert_eq!(template.fill(&long), None);
}

#[test]
fn filter_templates_are_read_from_forms_and_texts() {
    let of = |html: &str| {
        let page = Page::from_html("https://a.example/", html).expect("the URL is valid");
        let forms = page.forms();
        FilterTemplate::from_form(forms.forms.first()?).map(|template| template.to_string())
    };
    assert_eq!(
        of(
            "<form action=/list?old=1><select name=make><option value=''>Any<option>Audi</select>\
            <input type=hidden name=lang value=en><input type=checkbox name=new value=1></form>"
        ),
        Some("https://a.example/list?make=&lang=en&{arguments}".to_owned())
    );
    assert_eq!(
        of("<form action=/list><input type=checkbox name=new value=1></form>"),
        Some("https://a.example/list?{arguments}".to_owned())
    );
    assert_eq!(
        of("<form method=post action=/list><select name=a><option>1</select></form>"),
        None
    );
    for text in [
        "https://a.example/list?{query}",
        "https://a.example/{arguments}",
        "https://a.example/?a=1",
    ] {
        assert_eq!(
            text.parse::<FilterTemplate>(),
            Err(InvalidTemplate::NoArguments),
            "{text}"
        );
    }
    assert_eq!(
        "{a}?{arguments}".parse::<FilterTemplate>(),
        Err(InvalidTemplate::OpenBrace)
    );
    assert_eq!(
        "file:///etc?{arguments}".parse::<FilterTemplate>(),
        Err(InvalidTemplate::NotUrl)
    );
}

proptest! {
    #[test]
    fn what_is_printed_is_read_again(
        head in "[a-z?&=#/%{}.é -]{0,30}", tail in "[a-z?&=#/%{}.é -]{0,20}", option in "(|:dash|:percent|:plus|:underscore|:shift_jis)",
    ) {
        let text = format!("https://a.example/{head}{{query{option}}}{tail}");
        if let Ok(template) = text.parse::<UrlTemplate>() {
            let again: UrlTemplate = template.to_string().parse().expect("printed templates are read");
            prop_assert_eq!(again.to_string(), template.to_string());
            let url = template.fill("big dogs", &[("page", "2")]);
            prop_assert!(url.is_none_or(|url| url.host_str() == Some("a.example")));
        }
    }

    #[test]
    fn queries_never_leave_their_place(query in "\\PC{0,20}") {
        let template = template("https://a.example/s/{query}?q={query}&end=1");
        if let Some(url) = template.fill(&query, &[]) {
            prop_assert_eq!(url.host_str(), Some("a.example"));
            prop_assert!(url.as_str().ends_with("&end=1") && url.path().starts_with("/s/"));
            let pairs: Vec<_> = url.query_pairs().collect();
            prop_assert_eq!(pairs.len(), 2);
            prop_assert_eq!(pairs[0].1.as_ref(), query.as_str());
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}", query in "\\PC{0,8}") {
        let _ = text.parse::<UrlTemplate>();
        if let Ok(template) = format!("https://a.example/?{text}&{{arguments}}").parse::<FilterTemplate>() {
            let url = template.fill("a=b");
            assert!(url.is_none_or(|url| url.host_str() == Some("a.example")));
            assert_eq!(template.to_string().parse::<FilterTemplate>(), Ok(template));
        }
        let _ = UrlTemplate::from_opensearch(&text);
        if let Ok(url) = Url::parse(&format!("https://a.example/{text}")) {
            let _ = UrlTemplate::from_example(&url, &query);
        }
    }
}
