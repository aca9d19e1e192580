use magpie_patterns::pattern::{PatternSet, UrlPattern};

use super::url;

fn parsed(text: &str) -> UrlPattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Checks that a pattern prints as it was parsed, and matches alike by itself, in a set, and as a
/// regular expression.
fn check(pattern: &str, matches: &[&str], differs: &[&str]) {
    let read = parsed(pattern);
    assert_eq!(read.to_string(), pattern);
    let set = PatternSet::new([read.clone()]);
    let regex = regex::Regex::new(&read.to_regex()).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    for (texts, expected) in [(matches, true), (differs, false)] {
        for text in texts {
            let url = url(text);
            assert_eq!(read.matches(&url), expected, "{pattern} on {text}");
            assert_eq!(set.matches(&url), expected, "{pattern} in a set on {text}");
            assert_eq!(regex.is_match(text), expected, "{} on {text}", read.to_regex());
        }
    }
}

#[test]
fn segments_and_keys() {
    check(
        "https://hall.example/event/{number}-{slug}",
        &["https://hall.example/event/4711-rock-am-ring"],
        &[
            "https://hall.example/event/rock",
            "https://hall.example/event/4711-rock/tickets",
            "https://hall.example/event/4711-rock?print=1",
            "http://hall.example/event/4711-rock",
        ],
    );
    check(
        "http://h.example/event/{number}/tickets",
        &["http://h.example/event/1/tickets"],
        &[
            "http://h.example/event/1/reviews",
            "http://h.example/event//tickets",
        ],
    );
    check(
        "http://h.example/show.asp?id={number}&lang={word}",
        &[
            "http://h.example/show.asp?id=4&lang=en",
            "http://h.example/show.asp?lang=en&id=4",
        ],
        &[
            "http://h.example/show.asp?id=4",
            "http://h.example/show.asp?id=4&lang=en&x=1",
            "http://h.example/show.asp?id=a&lang=en",
        ],
    );
    check(
        "http://h.example/list[?page={number}]",
        &["http://h.example/list", "http://h.example/list?page=12"],
        &["http://h.example/list?page=x", "http://h.example/list?p=1"],
    );
    check(
        "http://h.example/{year}/{month}/{day}/{slug}.html",
        &["http://h.example/2026/05/31/a-night.html"],
        &[
            "http://h.example/2026/13/31/a.html",
            "http://h.example/2026/05/31/a.b.html",
        ],
    );
    check(
        "http://h.example/shop/{path}/{slug}-{number}",
        &[
            "http://h.example/shop/men/red-hat-7",
            "http://h.example/shop/men/hats/hat-7",
        ],
        &["http://h.example/shop/hat-7"],
    );
    check(
        "http://h.example/f/{hash:8}",
        &["http://h.example/f/a1b2c3d4"],
        &["http://h.example/f/a1b2c3d"],
    );
}

#[test]
fn open_queries() {
    check(
        "http://h.example/list[?page={number}][&...]",
        &["http://h.example/list", "http://h.example/list?a=1&page=2"],
        &["http://h.example/lists?a=1"],
    );
}

#[test]
fn a_query_without_keys() {
    check(
        "http://h.example/t/{number}.aspx?{slug}",
        &["http://h.example/t/12.aspx?a+question"],
        &["http://h.example/t/12.aspx", "http://h.example/t/12.aspx?a=b"],
    );
}

#[test]
fn prefixes_of_both_kinds() {
    check(
        "http://h.example/a/{rest}",
        &[
            "http://h.example/a/",
            "http://h.example/a/b/c",
            "http://h.example/a/b?c=/d",
        ],
        &["http://h.example/b/"],
    );
    check(
        "http://h.example/a/show.asp?id={file}",
        &["http://h.example/a/show.asp?id=1/2"],
        &["http://h.example/a/show.asp"],
    );
    check(
        "http://h.example/a/s{file}",
        &["http://h.example/a/s", "http://h.example/a/show?x=/1"],
        &["http://h.example/a/s/t"],
    );
}

#[test]
fn special_characters_can_be_escaped() {
    check(
        r"http://h.example/a\{b\}?c\[\]=1",
        &["http://h.example/a{b}?c[]=1"],
        &["http://h.example/ab?c[]=1"],
    );
    check(
        r"http://\[2001:db8::1\]/{number}",
        &["http://[2001:db8::1]/7"],
        &[],
    );
}

#[test]
fn errors_have_a_column_and_a_remedy() {
    let cases = [
        ("/event/{number}", 1, "https://"),
        ("http://h.example", 17, "path"),
        ("http:///a", 8, "host"),
        ("http://{word}.example/a", 8, "host can't vary"),
        ("http://h/{nummer}", 10, "number, year"),
        ("http://h/{number", 10, "never closed"),
        ("http://h/a}b", 11, "never opened"),
        ("http://h/{slug}-{text}", 10, "at most one"),
        ("http://h/a b", 11, "percent-encode"),
        ("http://h/{hash:x}", 10, "length"),
        ("http://h/{rest}/a", 10, "at the end"),
        ("http://h/{number}/{rest}", 10, "nothing can vary"),
        ("http://h/{path}/{path}", 17, "once"),
        ("http://h/a?b={number}&b={word}", 22, "twice"),
        ("http://h/a[?b={number}", 11, "never closed"),
        ("http://h/a?{word}=1", 12, "key"),
        (r"http://h/a\b", 11, "backslash"),
        (r"http://h/\d+", 10, "not a regular expression"),
        ("http://h/[0-9]+", 10, "not a regular expression"),
        ("http://h/a?b=1[c=2]", 15, "'&'"),
    ];
    for (text, column, reason) in cases {
        let error = text.parse::<UrlPattern>().expect_err(text);
        assert_eq!(error.column, column, "{text}: {error}");
        assert!(error.reason.contains(reason), "{text}: {error}");
    }
}

#[test]
fn an_invalid_pattern_in_a_file_has_a_line() {
    #[derive(Debug, serde::Deserialize)]
    struct File {
        #[expect(dead_code, reason = "only its error is looked at")]
        pattern: UrlPattern,
    }
    let text = "# a comment\npattern = \"http://h.example/{nummer}\"\n";
    let error = toml::from_str::<File>(text)
        .expect_err("nummer is not known")
        .to_string();
    assert!(error.contains("line 2") && error.contains("column 18"), "{error}");
}

#[test]
fn the_most_specific_pattern_is_found() {
    let patterns = [
        "http://h.example/{rest}",
        "http://h.example/event/{slug}",
        "http://h.example/event/{file}",
        "http://h.example/event/all",
        "http://other.example/event/all",
        "http://h.example/event/a{rest}",
    ];
    let set = PatternSet::new(patterns.map(parsed));
    let all = url("http://h.example/event/all");
    assert_eq!(set.matching(&all), [0, 1, 2, 3, 5]);
    assert_eq!(set.best(&all), Some(3));
    assert_eq!(set.matching(&url("http://h.example/news/1")), [0]);
    assert_eq!(set.best(&url("http://third.example/")), None);
}
