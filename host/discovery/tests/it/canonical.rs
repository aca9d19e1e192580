//! Canonical form: each change by a table, idempotence on random URLs, and the shared sets by the
//! policies that are implemented.

use magpie_discovery::{
    CanonicalSettings, Canonicaliser, Change, LinkBase, LinkCache, MAX_URL_LEN, Resolved, Unusable, UrlRule,
};
use magpie_model::CanonicalUrl;
use magpie_test_support::cost::assert_linear;
use proptest::prelude::*;
use url::Url;

fn canonicaliser() -> Canonicaliser {
    Canonicaliser::new(&CanonicalSettings::default())
}

/// Checks the canonical form of a URL, and the codes of the changes, sorted.
fn check(written: &str, expected: &str, codes: &[&str]) {
    let canonical = canonicaliser()
        .canonicalise_text(written, None)
        .expect("a URL of a page");
    assert_eq!(canonical.url.as_str(), expected, "{written}");
    let mut found: Vec<&str> = canonical.changes.iter().map(Change::code).collect();
    found.sort_unstable();
    assert_eq!(found, codes, "{written}");
}

#[test]
fn what_is_canonical_stays() {
    for url in [
        "http://a.example/",
        "https://a.example:8080/a/b.html?a=1&b=2&b=1",
        "https://a.example/Case/Matters?Q=A",
        "https://a.example//doubled//slashes/",
        "https://a.example/%E3%83%84/a%2Fb?c%26d=%2B+",
        "https://a.example/;v=1/(draft)?page",
        "https://xn--bcher-kva.example/",
        "http://[2001:db8::1]:81/",
        "https://a.example/?amp=1&amp;",
    ] {
        check(url, url, &[]);
    }
}

#[test]
fn spellings() {
    check(
        "HTTP://A.Example/",
        "http://a.example/",
        &["host-case", "scheme-case"],
    );
    check("http://a.example:80/x", "http://a.example/x", &["default-port"]);
    check("https://a.example:443", "https://a.example/", &["default-port"]);
    check("https://a.example./x", "https://a.example/x", &["host-dot"]);
    check(
        "https://bücher.example/",
        "https://xn--bcher-kva.example/",
        &["host-form"],
    );
    check("http://0x7f.1/", "http://127.0.0.1/", &["host-form"]);
    check(
        "http://a.example/a/./b/../c/%2e%2E/d",
        "http://a.example/a/d",
        &["dot-segments"],
    );
    check("http://a.example\\x\\y", "http://a.example/x/y", &["backslashes"]);
    check(" http://a.example/a\nb ", "http://a.example/ab", &["white-space"]);
    check(
        "http://a.example/a b?c d=é",
        "http://a.example/a%20b?c%20d=%C3%A9",
        &["escaped"],
    );
    check(
        "http://a.example/x?a[]=1|2",
        "http://a.example/x?a%5B%5D=1%7C2",
        &["escaped"],
    );
    check(
        "http://a.example/%7ejoe/%41?%62=%63",
        "http://a.example/~joe/A?b=c",
        &["unescaped"],
    );
    check("http://a.example/a%2fb", "http://a.example/a%2Fb", &["hex-case"]);
    check(
        "http://a.example/100%?q=%zz%",
        "http://a.example/100%25?q=%25zz%25",
        &["stray-percent"],
    );
    check(
        "http://a.example/%%36%31",
        "http://a.example/%2561",
        &["stray-percent", "unescaped"],
    );
    check(
        "http://me:secret@a.example/",
        "http://a.example/",
        &["credentials"],
    );
    check(
        "http://me@a.example:8080/",
        "http://a.example:8080/",
        &["credentials"],
    );
    check("http://a.example/#top", "http://a.example/", &["fragment"]);
    check("http://a.example/#!/item/5", "http://a.example/", &["hash-bang"]);
}

#[test]
fn queries() {
    check("http://a.example/?", "http://a.example/", &["empty-query"]);
    check(
        "http://a.example/?&&a=1&&b=2&",
        "http://a.example/?a=1&b=2",
        &["empty-pairs"],
    );
    check("http://a.example/?&", "http://a.example/", &["empty-pairs"]);
    check(
        "http://a.example/?b=2&a=2&b=1&a=1",
        "http://a.example/?a=2&a=1&b=2&b=1",
        &["key-order"],
    );
    check(
        "http://a.example/?a=1&amp;b=2",
        "http://a.example/?a=1&b=2",
        &["entity-debris"],
    );
    check(
        "http://a.example/?a=1&amp;amp;amp;b=2",
        "http://a.example/?a=1&b=2",
        &["entity-debris"],
    );
    check(
        "http://a.example/?a=1&amp%3bb=2",
        "http://a.example/?a=1&b=2",
        &["entity-debris", "hex-case"],
    );
    check(
        "http://a.example/?a=1&b=2&utm_source=x&fbclid=y",
        "http://a.example/?a=1&b=2",
        &["tracking-key", "tracking-key"],
    );
    check(
        "http://a.example/?UTM_Campaign=x",
        "http://a.example/",
        &["tracking-key"],
    );
    // Arguments by which a search leads to its results.
    check(
        "http://a.example/lamp/?asp_gen%5B%5D=title&p_asid=1",
        "http://a.example/lamp/",
        &["tracking-key", "tracking-key"],
    );
    check(
        "http://a.example/doku.php?id=lamp&s[]=red&s[]=lamp",
        "http://a.example/doku.php?id=lamp",
        &["escaped", "tracking-key", "tracking-key"],
    );
    check(
        "http://a.example/list?highlight=Red%20lamps",
        "http://a.example/list",
        &["tracking-key"],
    );
    for switch in ["1", "true", ""] {
        let list = format!("http://a.example/list?highlight={switch}");
        check(&list, &list, &[]);
    }
    check(
        "http://a.example/?amp;utm%5Fid=x",
        "http://a.example/",
        &["entity-debris", "tracking-key", "unescaped"],
    );
}

#[test]
fn sessions() {
    let id = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";
    for key in ["PHPSESSID", "sid", "s", "jsessionid", "oscsid", "session_id"] {
        check(
            &format!("http://a.example/x?{key}={id}&t=5"),
            "http://a.example/x?t=5",
            &["session-key"],
        );
    }
    check("http://a.example/x?sid=17", "http://a.example/x?sid=17", &[]);
    check(
        "http://a.example/x?session=opening-keynote",
        "http://a.example/x?session=opening-keynote",
        &[],
    );
    check(
        "http://a.example/x;jsessionid=AF12.node1?a=1",
        "http://a.example/x?a=1",
        &["session-parameter"],
    );
    check(
        "http://a.example/(S(4hqa0555fwsecu455xqckv45))/x.aspx",
        "http://a.example/x.aspx",
        &["session-segment"],
    );
    check("http://a.example/(draft)/x", "http://a.example/(draft)/x", &[]);
}

#[test]
fn changes_say_what_was_done() {
    let canonical = canonicaliser()
        .canonicalise_text("http://a.example/?utm_source=x#y", None)
        .expect("a URL");
    let said: Vec<String> = canonical.changes.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "dropped the tracking key utm_source",
            "dropped the fragment, which is not sent to the server"
        ]
    );
}

#[test]
fn settings_decide_what_goes_beyond_spelling() {
    let written = format!(
        "http://a.example/x;jsessionid=1?b=2&a=1&utm_id=3&sid={}&mine_1=4&ref=5",
        "0a1b".repeat(8)
    );
    let with = |settings: CanonicalSettings| {
        let canonical = Canonicaliser::new(&settings)
            .canonicalise_text(&written, None)
            .expect("a URL");
        canonical.url.as_str().to_owned()
    };
    let none = CanonicalSettings {
        drop_tracking: false,
        tracking_keys: Vec::new(),
        keep_keys: Vec::new(),
        drop_session_ids: false,
        order_keys: false,
    };
    assert_eq!(with(none), written);
    let more = CanonicalSettings {
        tracking_keys: vec!["Mine_*".to_owned(), "ref".to_owned()],
        keep_keys: vec!["utm_id".to_owned(), "sid".to_owned()],
        ..Default::default()
    };
    assert_eq!(
        with(more),
        format!("http://a.example/x?a=1&b=2&sid={}&utm_id=3", "0a1b".repeat(8))
    );
}

fn needless(key: &str) -> UrlRule {
    UrlRule::NeedlessKey(key.to_owned())
}

#[test]
fn keys_proven_to_change_nothing_are_dropped() {
    let mut canonicaliser = canonicaliser();
    let url = Url::parse("http://a.example/x?from=menu&id=5").expect("a URL");
    assert_eq!(canonicaliser.canonicalise(&url).expect("a page").changes, []);
    assert!(canonicaliser.learn(&needless("from")) && !canonicaliser.learn(&needless("from")));
    let canonical = canonicaliser.canonicalise(&url).expect("a page");
    assert_eq!(canonical.url.as_str(), "http://a.example/x?id=5");
    assert_eq!(canonical.changes, [Change::IgnoredKey("from".to_owned())]);
    assert_eq!(canonicaliser.ignored_keys().collect::<Vec<_>>(), ["from"]);
}

#[test]
fn a_host_that_has_the_same_pages_with_www_is_named_without() {
    let mut canonicaliser = canonicaliser();
    assert!(canonicaliser.learn(&needless("https://a.example")));
    let cases = [
        ("https://www.a.example/x?b=1", "https://a.example/x?b=1"),
        ("https://www.a.example./", "https://a.example/"),
        // Facts about one scheme and port may not hold for another: certificates are issued for
        // hosts.
        ("http://www.a.example/", "http://www.a.example/"),
        ("https://www.a.example:8080/", "https://www.a.example:8080/"),
        ("https://user@www.a.example/x", "https://a.example/x"),
        (
            "https://a.example/www.a.example",
            "https://a.example/www.a.example",
        ),
        ("https://www.b.a.example/", "https://www.b.a.example/"),
        ("https://www.www.a.example/", "https://www.www.a.example/"),
    ];
    let mut links = LinkCache::new(16);
    for (written, expected) in cases {
        let canonical = canonicaliser.canonicalise_text(written, None).expect("a page");
        assert_eq!(canonical.url.as_str(), expected, "{written}");
        let dropped = Change::TwinHost("https://a.example".to_owned());
        let is_other_host = !written.contains("//a.") && !expected.contains("www.");
        assert_eq!(canonical.changes.contains(&dropped), is_other_host, "{written}");
        // Links on its pages lead to pages of the other host as well.
        let base = LinkBase::new(Url::parse(written).expect("a URL"));
        let link = links.resolve("/y", &base, &canonicaliser).expect("a page");
        let page = Url::parse(expected).expect("a URL").join("/y").expect("a URL");
        let page = canonicaliser.canonicalise(&page).expect("a page");
        assert_eq!(link.fingerprint(), page.url.fingerprint(), "{written}");
    }
}

#[test]
fn of_two_hosts_one_answers_for_the_other_and_never_both() {
    let mut canonicaliser = canonicaliser();
    assert!(canonicaliser.learn(&needless("http://www.a.example:81")));
    assert!(!canonicaliser.learn(&needless("http://a.example:81")));
    for (written, expected) in [
        ("http://a.example:81/x", "http://www.a.example:81/x"),
        ("http://www.a.example:81/x", "http://www.a.example:81/x"),
        ("http://a.example/x", "http://a.example/x"),
        ("http://b.a.example/x", "http://b.a.example/x"),
    ] {
        let url = Url::parse(written).expect("a URL");
        let canonical = canonicaliser.canonicalise(&url).expect("a page");
        assert_eq!(canonical.url.as_str(), expected);
    }
}

#[test]
fn what_the_user_keeps_is_kept_against_every_proof() {
    let settings = CanonicalSettings {
        keep_keys: ["from", ";view", ";jsessionid", "http://a.example"]
            .map(String::from)
            .to_vec(),
        ..Default::default()
    };
    let mut canonicaliser = Canonicaliser::new(&settings);
    // A key of the query and a parameter of the path are two, also where their names are one.
    let proven = [
        "from",
        ";from",
        ";view",
        "view",
        "http://a.example",
        "https://a.example",
    ];
    let dropped = proven.map(|key| canonicaliser.learn(&needless(key)));
    assert_eq!(dropped, [false, true, false, true, false, true]);
    let written = "http://a.example/x;from=menu;view=all;jsessionid=0A1B2C3D?from=menu&view=all";
    let canonical = canonicaliser.canonicalise_text(written, None).expect("a URL");
    assert_eq!(
        canonical.url.as_str(),
        "http://a.example/x;view=all;jsessionid=0A1B2C3D?from=menu"
    );
}

#[test]
fn relative_references_and_what_is_no_page() {
    let base = Url::parse("https://a.example/x/y?z").expect("a URL");
    let read = |written: &str| {
        canonicaliser()
            .canonicalise_text(written, Some(&base))
            .map(|it| it.url.to_string())
    };
    assert_eq!(read("../b").as_deref(), Ok("https://a.example/b"));
    assert_eq!(read("?q").as_deref(), Ok("https://a.example/x/y?q"));
    assert_eq!(read("//b.example").as_deref(), Ok("https://b.example/"));
    assert_eq!(
        read("mailto:me@a.example"),
        Err(Unusable::OtherScheme("mailto".to_owned()))
    );
    assert!(matches!(read("http://[::1"), Err(Unusable::NotAUrl(_))));
    assert!(
        matches!(read("https://./x"), Err(Unusable::NoHost | Unusable::NotAUrl(_))),
        "{:?}",
        read("https://./x")
    );
    assert!(matches!(
        read(&"x".repeat(MAX_URL_LEN + 1)),
        Err(Unusable::TooLong(_))
    ));
}

#[test]
fn a_long_query_takes_linear_time() {
    for pair in ["a&", "&", "amp;", "b=1&a=2&", "%25", "utm_a=1&", ";sid=1"] {
        assert_linear(pair, |size| {
            let times = (MAX_URL_LEN - 100) * size / 8 / pair.len();
            let written = format!("http://a.example/x?{}", pair.repeat(times));
            for _ in 0..10 {
                let _ = canonicaliser().canonicalise_text(&written, None);
            }
        });
    }
}

/// URLs made of what canonicalisation looks at.
fn urls() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("/"),
        Just("a"),
        Just("."),
        Just(".."),
        Just("%2e"),
        Just("%41"),
        Just("%2f"),
        Just("%zz"),
        Just("%"),
        Just("%25"),
        Just(";jsessionid=1A2B"),
        Just(";sid="),
        Just("(S(4hqa0555fwsecu455xqckv45))"),
        Just("(4hqa0555fwsecu455xqckv45)"),
        Just(";"),
        Just("("),
        Just(")"),
        Just("é"),
        Just(" "),
        Just("|"),
        Just("["),
        Just("\\"),
        Just("\t"),
        Just("="),
        Just("6"),
        Just("'"),
    ];
    let query = prop_oneof![
        Just("a=1"),
        Just("b"),
        Just("&"),
        Just("amp;"),
        Just("amp%3B"),
        Just("am%70;"),
        Just("utm_x=1"),
        Just("utm%5Fx=1"),
        Just("sid=0a1b2c3d4e5f60718293a4b5c6d7e8f9"),
        Just("="),
        Just("%26"),
        Just("%zz"),
        Just("?"),
        Just("[]"),
        Just("+"),
        Just("é"),
        Just("phpsessid=1"),
        Just("'"),
        Just("%"),
        Just("61"),
    ];
    let host = prop_oneof![
        Just("a.example"),
        Just("A.Example."),
        Just("1.2.3.4"),
        Just("[::1]"),
        Just("bücher.example"),
        Just("a..")
    ];
    let port = prop_oneof![Just(""), Just(":80"), Just(":8080"), Just(":443")];
    (
        prop_oneof![Just("http://"), Just("https://"), Just("HTTPS://u:p@")],
        host,
        port,
        proptest::collection::vec(piece, 0..12),
        proptest::option::of(proptest::collection::vec(query, 0..12)),
        proptest::option::of("[a-z!]{0,3}"),
    )
        .prop_map(|(scheme, host, port, path, query, fragment)| {
            let query = query.map_or(String::new(), |query| format!("?{}", query.concat()));
            let fragment = fragment.map_or(String::new(), |fragment| format!("#{fragment}"));
            format!("{scheme}{host}{port}/{}{query}{fragment}", path.concat())
        })
}

fn assert_idempotent(canonicaliser: &Canonicaliser, url: &Url) -> Result<(), TestCaseError> {
    let Ok(once) = canonicaliser.canonicalise(url) else {
        return Ok(());
    };
    let parsed = once.url.to_url().expect("a canonical URL is a URL");
    prop_assert_eq!(parsed.as_str(), once.url.as_str(), "parsing changes nothing");
    let twice = canonicaliser.canonicalise(&parsed).expect("still a page");
    prop_assert_eq!(&twice.url, &once.url);
    prop_assert!(twice.changes.is_empty(), "{:?}", twice.changes);
    prop_assert_eq!(CanonicalUrl::trusted(once.url.as_str()), Some(once.url));
    Ok(())
}

/// Bytes that a part encodes.
fn decoded(part: &str) -> Vec<u8> {
    let bytes = part.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let escape = part.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match escape
            .and_then(|hex| u8::from_str_radix(hex, 16).ok())
            .filter(|_| !part[at + 1..].starts_with('+'))
        {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn canonical_form_is_its_own(written in urls()) {
        if let Ok(url) = Url::parse(&written) {
            assert_idempotent(&canonicaliser(), &url)?;
        }
    }

    #[test]
    fn any_text_is_taken_or_refused(written in ".*") {
        let base = Url::parse("https://a.example/x/").expect("a URL");
        let _ = canonicaliser().canonicalise_text(&written, Some(&base));
        if let Ok(url) = base.join(&written) {
            assert_idempotent(&canonicaliser(), &url)?;
        }
    }

    /// Spelling alone never changes what is asked of the server.
    #[test]
    fn spelling_keeps_the_resource(written in urls()) {
        let spelling = CanonicalSettings {
            drop_tracking: false,
            tracking_keys: Vec::new(),
            keep_keys: Vec::new(),
            drop_session_ids: false,
            order_keys: false,
        };
        if let Ok(url) = Url::parse(&written) && let Ok(canonical) = Canonicaliser::new(&spelling).canonicalise(&url) {
            prop_assert_eq!(decoded(canonical.url.path()), decoded(url.path()));
            // `&` separates the pairs of a query, so it is compared by its pairs. Pairs without a
            // key carry no data, and `amp;` is debris.
            let bare = |pair: &str| {
                let mut pair = decoded(pair);
                while pair.starts_with(b"amp;") && pair.len() > 4 {
                    pair.drain(..4);
                }
                pair
            };
            let pairs = |query: &str| -> Vec<Vec<u8>> {
                query.split('&').filter(|pair| !pair.is_empty()).map(bare).collect()
            };
            prop_assert_eq!(pairs(canonical.url.query().unwrap_or_default()), pairs(url.query().unwrap_or_default()));
        }
    }

    /// The cache answers what it would have computed.
    #[test]
    fn the_cache_agrees(hrefs in proptest::collection::vec("(https?:)?/{0,2}[a-c./?#: \\\\]{0,6}", 1..20), folder in "[ab]/[ab]") {
        let canonicaliser = canonicaliser();
        let mut cache = LinkCache::new(8);
        let pages = [format!("https://a.example/{folder}"), "https://a.example/a/b?q".to_owned(), "http://b.example/".to_owned()];
        for page in &pages {
            let base = LinkBase::new(Url::parse(page).expect("a URL"));
            for href in &hrefs {
                let expected = base.url().join(href).ok().and_then(|url| canonicaliser.canonicalise(&url).ok());
                match (cache.resolve(href, &base, &canonicaliser), expected) {
                    (Ok(resolved), Some(expected)) => {
                        prop_assert_eq!(resolved.fingerprint(), expected.url.fingerprint(), "{} on {}", href, page);
                        if let Resolved::New(canonical) = resolved {
                            prop_assert_eq!(canonical, expected);
                        }
                    }
                    (Err(_), None) => {}
                    (found, expected) => prop_assert!(false, "{} on {}: {:?}, not {:?}", href, page, found, expected),
                }
            }
        }
    }
}

fn json(folder: &std::path::Path, file: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(folder.join(file)).expect("readable");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn wpt_urls_are_idempotent() {
    let Some(folder) = magpie_test_support::data::find("url-tests") else {
        return;
    };
    let canonicaliser = canonicaliser();
    let (mut seen, mut pages) = (0, 0);
    for file in ["wpt/urltestdata.json", "urlcanon/urltestdata.json"] {
        for case in json(&folder, file).as_array().expect("a list") {
            let Some(input) = case["input"].as_str() else {
                continue;
            };
            let base = case["base"].as_str().and_then(|base| Url::parse(base).ok());
            seen += 1;
            let parsed = match &base {
                Some(base) => base.join(input),
                None => Url::parse(input),
            };
            let _ = canonicaliser.canonicalise_text(input, base.as_ref());
            if let Ok(url) = parsed
                && canonicaliser.canonicalise(&url).is_ok()
            {
                assert_idempotent(&canonicaliser, &url).unwrap_or_else(|error| panic!("{input}: {error}"));
                pages += 1;
            }
        }
    }
    for input in json(&folder, "urlcanon/idempotence.json")
        .as_array()
        .expect("a list")
    {
        seen += 1;
        if let Ok(url) = Url::parse(input.as_str().unwrap_or_default()) {
            assert_idempotent(&canonicaliser, &url).unwrap_or_else(|error| panic!("{input}: {error}"));
        }
    }
    println!("url-tests: {seen} inputs, {pages} of them pages, all idempotent");
}

/// The two fields of a line; the first may be quoted.
fn fields(line: &str) -> Option<(String, String)> {
    match line.strip_prefix('"') {
        Some(quoted) => {
            let (first, second) = quoted.rsplit_once("\",")?;
            Some((first.replace("\"\"", "\""), second.trim().to_owned()))
        }
        None => {
            let (first, second) = line.rsplit_once(',')?;
            Some((first.to_owned(), second.trim().to_owned()))
        }
    }
}

/// Name of the policy of other canonicalisers that a case tests, where ours differs on purpose.
fn other_policy(input: &str, expected: &str) -> Option<&'static str> {
    let (_, rest) = expected.split_once("://").unwrap_or(("", ""));
    let after_host = input
        .split_once("://")
        .map_or("", |(_, rest)| rest)
        .split_once('/')
        .map_or("", |(_, path)| path);
    let query = input
        .split('#')
        .next()
        .and_then(|url| url.split_once('?'))
        .map_or("", |(_, query)| query);
    let path = after_host.split('?').next().unwrap_or_default();
    if !input.trim().to_ascii_lowercase().starts_with("http") || rest.is_empty() {
        return Some("other schemes and none");
    }
    if path.contains("//") || path.starts_with('/') {
        return Some("doubled slashes count");
    }
    let is_empty = |pair: &str| pair.starts_with('=') || pair.ends_with('=');
    query
        .split('&')
        .any(is_empty)
        .then_some("empty keys and values count")
}

#[test]
fn crawler_commons_urls() {
    let Some(folder) = magpie_test_support::data::find("url-tests") else {
        return;
    };
    let text =
        std::fs::read_to_string(folder.join("crawler-commons/weirdToNormalizedUrls.csv")).expect("readable");
    let canonicaliser = canonicaliser();
    let (mut passed, mut other, mut failed) = (0, std::collections::BTreeMap::new(), Vec::new());
    for line in text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let Some((input, expected)) = fields(line) else {
            continue;
        };
        if let Some(policy) = other_policy(&input, &expected) {
            *other.entry(policy).or_insert(0) += 1;
            continue;
        }
        let found = canonicaliser
            .canonicalise_text(&input, None)
            .map(|canonical| canonical.url.to_string());
        match found {
            Ok(found) if found == expected => passed += 1,
            found => failed.push(format!("{input} -> {expected}, not {found:?}")),
        }
    }
    println!("crawler-commons: {passed} cases passed, of another policy {other:?}, failed {failed:#?}");
    let invalid = std::fs::read_to_string(folder.join("crawler-commons/invalidUrls.csv")).expect("readable");
    for line in invalid
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let _ = canonicaliser.canonicalise_text(line, None);
    }
    assert!(failed.is_empty());
}

#[test]
fn urlcanon_urls() {
    let Some(folder) = magpie_test_support::data::find("url-tests") else {
        return;
    };
    let canonicaliser = canonicaliser();
    let (mut passed, mut other, mut failed) = (0, 0, Vec::new());
    for (input, expected) in json(&folder, "urlcanon/semantic_precise.json")
        .as_object()
        .expect("an object")
    {
        let expected = expected.as_str().unwrap_or_default();
        if !input.trim().starts_with("http") || !expected.starts_with("http") {
            other += 1;
            continue;
        }
        // Fragments and credentials are kept there.
        let expected = expected.split('#').next().unwrap_or_default();
        let found = canonicaliser
            .canonicalise_text(input, None)
            .map(|canonical| canonical.url.to_string());
        match found {
            Ok(found) if found == expected => passed += 1,
            found => failed.push(format!("{input} -> {expected}, not {found:?}")),
        }
    }
    // The other implementation differs: it decodes escapes repeatedly, decodes reserved characters,
    // keeps hosts that no resolver accepts, merges double slashes, and repairs text that was read
    // in a wrong encoding.
    println!(
        "urlcanon: {passed} passed, {other} of other schemes, decided otherwise {}: {failed:#?}",
        failed.len()
    );
    assert!(passed >= 100);
}

#[test]
fn tracking_keys_of_the_registry() {
    let Some(folder) = magpie_test_support::data::find("url-tests") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("tracking-params/params.csv")).expect("readable");
    let canonicaliser = canonicaliser();
    let (mut known, mut unknown) = (0, Vec::new());
    for name in text
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').next())
        .map(str::trim)
    {
        let url = Url::parse(&format!("http://a.example/?{name}=1")).expect("a URL");
        match canonicaliser
            .canonicalise(&url)
            .expect("a page")
            .changes
            .is_empty()
        {
            false => known += 1,
            true => unknown.push(name),
        }
    }
    println!("tracking-params: {known} known, not dropped {unknown:?}");
    assert!(known * 10 >= (known + unknown.len()) * 7, "{unknown:?}");
}
