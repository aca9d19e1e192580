//! Engines against a server on this machine.

use std::time::{Duration, Instant};

use magpie_search::{
    BadEngine, EngineKind, EngineSettings, Hit, Key, MAX_QUERY_LEN, SearchEngine, SearchError,
};
use magpie_test_support::server::{Reply, Site};
use magpie_web::{AddressPolicy, Client, ClientSettings};

/// A secret that must not be seen anywhere.
const SECRET: &str = "s3cr3t-t0ken";

/// Settings that do not wait longer than a test does.
fn settings(kind: EngineKind, url: String) -> EngineSettings {
    EngineSettings {
        url: Some(url),
        delay: Duration::from_millis(1),
        retries: 1,
        longest_wait: Duration::from_secs(2),
        timeout: Duration::from_secs(20),
        ..EngineSettings::new(kind)
    }
}

fn searxng(server: &Site) -> EngineSettings {
    settings(EngineKind::Searxng, server.url(""))
}

fn brave(server: &Site) -> EngineSettings {
    EngineSettings {
        key: Some(Key::new(SECRET)),
        ..settings(EngineKind::Brave, server.url("/res"))
    }
}

fn template(server: &Site, query: &str) -> EngineSettings {
    EngineSettings {
        results: Some("hits".to_owned()),
        result_url: Some("link".to_owned()),
        ..settings(EngineKind::Template, server.url(query))
    }
}

/// A client that may talk to this machine.
fn client() -> Client {
    let settings = ClientSettings {
        addresses: AddressPolicy::allowing(["127.0.0.0/8".parse().unwrap()]),
        ..ClientSettings::default()
    };
    Client::new(settings).unwrap()
}

fn engine(settings: EngineSettings) -> SearchEngine {
    SearchEngine::new(settings, client()).unwrap()
}

fn told(hits: &[Hit]) -> Vec<String> {
    hits.iter()
        .map(|hit| format!("{} {}", hit.rank, hit.url))
        .collect()
}

/// Returns the error of one query, with the server's address as HOST. Neither it nor `Debug`
/// contains the secret.
async fn fails(
    replies: impl Into<Vec<Reply>>,
    make: impl Fn(&Site) -> EngineSettings,
    sentence: &str,
) -> SearchError {
    let server = Site::in_turn(replies);
    let mut engine = engine(make(&server));
    let error = engine.search("owls").await.unwrap_err();
    let shown = error.to_string().replace(&server.address.to_string(), "HOST");
    assert_eq!(shown, sentence);
    let debug = format!("{error:?} {engine:?} {:?}", make(&server));
    assert!(!debug.contains(SECRET) && !shown.contains(SECRET), "{debug}");
    error
}

#[tokio::test]
async fn searxng_is_asked_for_json() {
    let body = r#"{"query": "q", "results": [
        {"url": "https://a.example/1", "title": "One"}, {"url": "http://b.example/?x=1"}], "answers": []}"#;
    let server = Site::in_turn([Reply::json(body)]);
    let mut engine = engine(searxng(&server));
    let hits = engine.search("  \"Über & under\" #1+ ").await.unwrap();
    assert_eq!(told(&hits), ["1 https://a.example/1", "2 http://b.example/?x=1"]);
    let asked = server.log().remove(0).head;
    assert!(
        asked.starts_with("GET /search?q=%22%C3%9Cber%20%26%20under%22%20%231%2B&format=json HTTP/1.1\r\n"),
        "{asked}"
    );
    assert!(asked.contains("accept: application/json\r\n"), "{asked}");
    assert_eq!(engine.label(), server.url(""));
    assert_eq!(
        (
            engine.counts().queries,
            engine.counts().requests,
            engine.counts().hits
        ),
        (1, 1, 2)
    );
}

#[tokio::test]
async fn the_url_of_searxng_may_be_written_in_several_ways() {
    let server = Site::in_turn([Reply::json(r#"{"results": []}"#)]);
    for path in ["", "/", "/search", "/searx", "/searx/", "/searx/search"] {
        let url = server.url(path).replace("http://", "http://ann:pass@");
        let mut engine = engine(settings(EngineKind::Searxng, url));
        assert_eq!(engine.search("a").await.unwrap(), []);
        assert!(!format!("{engine:?} {}", engine.label()).contains("pass"));
    }
    let asked = server.log();
    let targets: Vec<_> = asked
        .iter()
        .map(|asked| asked.path.split('?').next().unwrap())
        .collect();
    assert_eq!(
        targets,
        [
            "/search",
            "/search",
            "/search",
            "/searx/search",
            "/searx/search",
            "/searx/search"
        ]
    );
    assert!(
        asked
            .iter()
            .all(|asked| asked.head.contains("authorization: Basic "))
    );
}

#[tokio::test]
async fn brave_gets_its_key_in_a_field() {
    let body = r#"{"type": "search", "query": {}, "web": {"results": [{"url": "https://a.example/"}]}}"#;
    let server = Site::in_turn([
        Reply::json(body),
        Reply::json(r#"{"type": "search", "query": {}}"#),
    ]);
    let mut engine = engine(brave(&server));
    assert_eq!(
        told(&engine.search("two owls").await.unwrap()),
        ["1 https://a.example/"]
    );
    assert_eq!(engine.search("nothing").await.unwrap(), []);
    let asked = server.log().remove(0).head;
    assert!(
        asked.starts_with("GET /res?q=two%20owls&count=10 HTTP/1.1\r\n"),
        "{asked}"
    );
    assert!(
        asked.contains(&format!("x-subscription-token: {SECRET}\r\n")),
        "{asked}"
    );
}

#[tokio::test]
async fn a_template_asks_any_engine() {
    let server = Site::in_turn([
        Reply::json(r#"{"hits": [{"link": "https://a.example/"}]}"#),
        // An engine that finds nothing may leave out the list.
        Reply::json(r#"{"total": 0}"#),
    ]);
    let mut settings = template(&server, "/find/{query}?n={count}&key={key}");
    settings.key = Some(Key::new("a&b=c"));
    settings.header = Some(("Authorization".to_owned(), "Bearer {key}".to_owned()));
    let mut engine = engine(settings);
    assert_eq!(
        told(&engine.search("a/b?c").await.unwrap()),
        ["1 https://a.example/"]
    );
    assert_eq!(engine.search("nothing").await.unwrap(), []);
    let asked = server.log().remove(0).head;
    assert!(
        asked.starts_with("GET /find/a%2Fb%3Fc?n=10&key=a%26b%3Dc HTTP/1.1\r\n"),
        "{asked}"
    );
    assert!(asked.contains("authorization: Bearer a&b=c\r\n"), "{asked}");
}

#[tokio::test]
async fn results_and_their_addresses_are_found_anywhere() {
    let urls = async |body: &str, results: &str, result_url: &str| {
        let server = Site::in_turn([Reply::json(body)]);
        let mut settings = template(&server, "/?q={query}");
        settings.results = Some(results.to_owned());
        settings.result_url = Some(result_url.to_owned());
        told(&engine(settings).search("a").await.unwrap())
    };
    let expected = ["1 https://a.example/"];
    assert_eq!(urls(r#"["https://a.example/"]"#, "", "").await, expected);
    assert_eq!(
        urls(
            r#"{"a": {"b": [{"c": {"d": "https://a.example/"}}]}}"#,
            "/a/b",
            "/c/d"
        )
        .await,
        expected
    );
    assert_eq!(
        urls(r#"{"a/b": [["x", "https://a.example/"]]}"#, "/a~1b", "/1").await,
        expected
    );
    assert_eq!(
        urls("\u{feff}[{\"url\": \"https://a.example/\"}]", "", "url").await,
        expected
    );
}

#[tokio::test]
async fn what_is_no_page_is_left_out_and_counted() {
    let body = r#"{"results": [{"url": "https://a.example/"}, {"url": "ftp://b.example/"}, {"url": "/c"}, {"title": "d"},
        {"url": 5}, {"url": "javascript:alert(1)"}, {"url": "https://ann:pass@e.example/"}, null,
        {"url": "https://f.example/"}, {"url": ""}, {"url": "https://late.example/"}]}"#;
    let server = Site::in_turn([Reply::json(body)]);
    let mut engine = engine(searxng(&server));
    let hits = engine.search("a").await.unwrap();
    assert_eq!(told(&hits), ["1 https://a.example/", "9 https://f.example/"]);
    assert_eq!(
        (engine.counts().hits, engine.counts().skipped),
        (2, 8),
        "ten are looked at"
    );
}

#[tokio::test]
async fn searxng_without_json_says_how_to_switch_it_on() {
    let how = "JSON is not among its formats; in its settings.yml write `- json` below `- html` in the list `formats:` of `search:`, and restart it";
    let forbidden = Reply::html("<h1>Forbidden</h1>").with_status(403);
    let error = fails(
        [forbidden],
        searxng,
        &format!("http://HOST refuses to answer (status 403): {how}"),
    )
    .await;
    assert!(error.is_final());
    let page = Reply::html("<!DOCTYPE html><p>results");
    let error = fails(
        [page],
        searxng,
        &format!("http://HOST answered with a web page instead of JSON: {how}"),
    )
    .await;
    assert!(error.is_final());
}

#[tokio::test]
async fn refusals_say_what_may_be_wrong() {
    // Engines like to repeat the key.
    let body = format!("{{\"error\": \"{SECRET} is not valid\"}}");
    for status in [401, 403] {
        let sentence = format!(
            "http://HOST refuses to answer (status {status}): the key is wrong, has expired or belongs to another plan"
        );
        let error = fails([Reply::json(body.as_str()).with_status(status)], brave, &sentence).await;
        assert!(error.is_final());
    }
    let quota = "http://HOST refuses to answer (status 402): its quota is used up, or it requires a payment";
    fails([Reply::json(body.as_str()).with_status(402)], brave, quota).await;
    let unprocessable = "http://HOST answered with status 422: it rejected the query, or the key, for which Brave answers 422 as well";
    fails(
        [Reply::json(body.as_str()).with_status(422)],
        brave,
        unprocessable,
    )
    .await;
    let password = "http://HOST refuses to answer (status 401): its server requires a user name and password; add them to `search.url`";
    fails([Reply::status(401)], searxng, password).await;
    let elsewhere = "http://HOST answered with status 404: check that a SearXNG runs there; `search.url` is the URL of its front page";
    fails([Reply::status(404)], searxng, elsewhere).await;
}

#[tokio::test]
async fn a_redirect_is_told_and_the_key_stays_here() {
    let to = format!("https://other.example/search?key={SECRET}");
    let sentence = "http://HOST redirects to https://other.example (status 302); redirects are not followed, since the key is for this host only; set `search.url` to the target";
    let error = fails([Reply::redirect(&to)], brave, sentence).await;
    assert!(error.is_final());
}

#[tokio::test]
async fn junk_is_told() {
    let junk = |body: &str| [Reply::json(body)];
    let sentence =
        "http://HOST answered with something else instead of JSON: expected value at line 1 column 1";
    let error = fails(junk("owls"), searxng, sentence).await;
    assert!(!error.is_final());
    fails(junk(""), searxng, "http://HOST answered with something else instead of JSON: EOF while parsing a value at line 1 column 0").await;
    let deep = "[".repeat(100_000);
    fails(junk(&deep), searxng, "http://HOST answered with something else instead of JSON: recursion limit exceeded at line 1 column 128").await;
    for body in ["{}", "[]", "5", r#"{"results": {}}"#] {
        fails(
            junk(body),
            searxng,
            "the response of http://HOST has no list at \"/results\": check that a SearXNG runs there",
        )
        .await;
    }
    fails(
        junk("{}"),
        brave,
        "the response of http://HOST has no list at \"/web/results\": check that `search.url` is Brave's web search",
    )
    .await;
    let any = |server: &Site| template(server, "/?q={query}");
    fails(junk("{}"), any, "the response of http://HOST has no list at \"/hits\": nothing was found, or `search.results_at` points elsewhere").await;
    let none = "none of the 2 results of http://HOST has an http or https URL at \"/link\"; set `search.url_at` to its JSON pointer";
    fails(
        junk(r#"{"hits": [{"url": "https://a.example/"}, {}]}"#),
        any,
        none,
    )
    .await;
    fails(
        [Reply::json(b"\x1f\x8b\x08owls").with("Content-Encoding", "gzip")],
        searxng,
        "http://HOST answered with something else instead of JSON: the gzip data is corrupt",
    )
    .await;
}

#[tokio::test]
async fn answers_are_bounded() {
    let bounded = |server: &Site| EngineSettings {
        body_bytes: 2000,
        ..searxng(server)
    };
    let body = format!("{{\"results\": [], \"more\": \"{}\"}}", "x".repeat(4000));
    fails(
        [Reply::json(body)],
        bounded,
        "the response of http://HOST is longer than 2000 bytes",
    )
    .await;
}

#[tokio::test]
async fn a_query_has_words_and_an_end() {
    let server = Site::in_turn([Reply::json(r#"{"results": []}"#)]);
    let mut engine = engine(searxng(&server));
    assert!(matches!(engine.search(" \t").await, Err(SearchError::EmptyQuery)));
    let long = "x".repeat(MAX_QUERY_LEN + 1);
    assert!(matches!(
        engine.search(&long).await,
        Err(SearchError::LongQuery { .. })
    ));
    assert_eq!(engine.search(&"ü".repeat(MAX_QUERY_LEN / 2)).await.unwrap(), []);
    assert_eq!(server.log().len(), 1);
}

#[tokio::test]
async fn a_busy_engine_is_asked_again_when_it_says() {
    let busy = Reply::status(429).with("Retry-After", "1");
    let server = Site::in_turn([busy, Reply::json(r#"{"results": []}"#)]);
    let mut engine = engine(searxng(&server));
    let began = Instant::now();
    assert_eq!(engine.search("a").await.unwrap(), []);
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
    assert_eq!((engine.counts().queries, engine.counts().requests), (1, 2));
}

#[tokio::test]
async fn an_engine_that_stays_busy_is_left_alone() {
    let busy = [Reply::status(429)];
    let sentence = "http://HOST received too many queries (status 429) after 2 tries; a longer delay between queries helps";
    let error = fails(busy, searxng, sentence).await;
    assert!(!error.is_final());
    let month = [Reply::status(429).with("Retry-After", "86400")];
    let sentence = "http://HOST received too many queries (status 429) and asks for a pause of 86400 s, longer than the maximum of 2 s; its quota may be used up";
    let error = fails(month, searxng, sentence).await;
    assert!(error.is_final());
}

#[tokio::test]
async fn a_failing_engine_is_asked_again() {
    let broken = Reply::status(503);
    let server = Site::in_turn([broken.clone(), Reply::json(r#"{"results": []}"#)]);
    assert_eq!(engine(searxng(&server)).search("a").await.unwrap(), []);
    fails(
        [broken],
        searxng,
        "http://HOST failed after 2 tries: it answered with status 503",
    )
    .await;
}

#[tokio::test]
async fn a_silent_engine_is_not_waited_for() {
    let hasty = |server: &Site| EngineSettings {
        timeout: Duration::from_millis(100),
        ..searxng(server)
    };
    fails(
        [Reply::silence()],
        hasty,
        "http://HOST is too slow after 2 tries: no answer within 0.1 s",
    )
    .await;
    let cut = Reply::bytes("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{").and_close();
    let server = Site::in_turn([cut, Reply::json(r#"{"results": []}"#)]);
    assert_eq!(
        engine(searxng(&server)).search("a").await.unwrap(),
        [],
        "what breaks off is asked again"
    );
}

#[tokio::test]
async fn an_engine_that_is_down_is_told() {
    fails(
        [Reply::close()],
        searxng,
        "http://HOST can't be reached after 2 tries: the server closed the connection without a response",
    )
    .await;
    let strict = Client::new(ClientSettings::default()).unwrap();
    let local = settings(EngineKind::Searxng, "http://127.0.0.1:9".to_owned());
    let error = SearchEngine::new(local, strict)
        .unwrap()
        .search("a")
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("--set network.allow_addresses=127.0.0.0/8 would allow it"),
        "{error}"
    );
    assert!(error.is_final());
}

#[tokio::test]
async fn queries_keep_their_distance() {
    let server = Site::in_turn([Reply::json(r#"{"results": []}"#)]);
    let delay = Duration::from_millis(200);
    let mut engine = engine(EngineSettings {
        delay,
        ..searxng(&server)
    });
    let began = Instant::now();
    for _ in 0..3 {
        engine.search("a").await.unwrap();
    }
    assert!(began.elapsed() >= 2 * delay, "{:?}", began.elapsed());
    // Also after a dropped query.
    let began = Instant::now();
    assert!(
        tokio::time::timeout(Duration::from_millis(1), engine.search("a"))
            .await
            .is_err()
    );
    engine.search("a").await.unwrap();
    assert!(began.elapsed() >= delay / 2, "{:?}", began.elapsed());
}

/// The sentence that settings give.
fn bad(change: impl FnOnce(&mut EngineSettings), kind: EngineKind, sentence: &str) {
    let mut settings = EngineSettings::new(kind);
    if kind == EngineKind::Template {
        settings.url = Some("https://example.org/?q={query}".to_owned());
        settings.results = Some("/hits".to_owned());
    }
    change(&mut settings);
    let error: BadEngine = SearchEngine::new(settings, client()).unwrap_err();
    assert_eq!(error.to_string(), sentence);
    assert!(!format!("{error} {error:?}").contains(SECRET));
}

fn url(url: &str) -> impl FnOnce(&mut EngineSettings) {
    move |settings| settings.url = Some(url.to_owned())
}

#[test]
fn every_setting_says_what_to_write() {
    use EngineKind::{Brave, Searxng, Template};
    let local = "expected a URL such as http://localhost:8888";
    bad(
        |_| (),
        Searxng,
        "`search.url` is not set: a searxng engine needs one, such as http://localhost:8888",
    );
    for (text, reason) in [
        ("localhost:8888", "it begins with neither http:// nor https://"),
        ("find.test", "relative URL without a base"),
        (
            "http://find.test/?q=",
            "it contains ? or #, but the query is appended to it",
        ),
    ] {
        bad(
            url(text),
            Searxng,
            &format!("invalid `search.url`: {reason}; {local}"),
        );
    }
    bad(
        |settings| {
            settings.url = Some("http://find.test".to_owned());
            settings.key = Some(Key::new(SECRET));
        },
        Searxng,
        "`search.key` is set but not used: SearXNG has no key; write a user name and password of its server into `search.url`",
    );
    bad(
        |settings| settings.results = Some("/web".to_owned()),
        Searxng,
        "a searxng engine has no `search.results_at`; remove it, or set `search.engine` to \"template\"",
    );
    bad(
        |_| (),
        Brave,
        "`search.key` is not set: get one at https://api-dashboard.search.brave.com",
    );
    bad(
        |settings| settings.count = 21,
        Brave,
        "invalid value `21` for `search.results`: expected 1 to 20",
    );
    bad(
        |settings| settings.body_bytes = 5,
        Template,
        "invalid value `5` for `body_bytes`: expected 1024 to 16777216",
    );
    bad(
        |settings| settings.timeout = Duration::ZERO,
        Template,
        "invalid value `0s` for the timeout: expected a longer time, such as 20 s",
    );
    bad(
        |settings| settings.key = Some(Key::new(format!("{SECRET}\n"))),
        Brave,
        "`search.key` is invalid: it has a space, a line break or a character that keys do not have; check whether it was copied correctly",
    );
}

#[test]
fn templates_say_what_to_write() {
    use EngineKind::Template;
    bad(
        |settings| settings.url = None,
        Template,
        "`search.url` is not set: a template engine needs one, such as https://example.org/search?q={query}&n={count}",
    );
    bad(
        url("https://example.org/?q="),
        Template,
        "`search.url` has no {query}; write it in place of the query, such as https://example.org/search?q={query}&n={count}",
    );
    bad(
        url("https://example.org/?q={querry}"),
        Template,
        "`search.url` has the unknown placeholder {querry}: expected {query}, {count} or {key}",
    );
    bad(
        url("https://example.org/?q={query"),
        Template,
        "`search.url` has a { without a }; write %7B for the brace itself",
    );
    for host in [
        "https://{query}.example.org/",
        "https://a@{key}/?q={query}",
        "https://example.org:{count}/?q={query}",
    ] {
        bad(
            url(host),
            Template,
            "`search.url` has a placeholder in its scheme, user or host; placeholders are allowed only after the host",
        );
    }
    bad(
        url("https://example.org/?q={query}&k={key}"),
        Template,
        "`search.key` is not set: `search.url` or `search.header` contains {key}",
    );
    bad(
        |settings| settings.key = Some(Key::new(SECRET)),
        Template,
        "`search.key` is set but not used: write {key} into `search.url`, or into `search.header`, such as Authorization with the value Bearer {key}",
    );
    bad(
        |settings| settings.header = Some(("X-A".to_owned(), "{query}".to_owned())),
        Template,
        "`search.header` has the unknown placeholder {query}: expected only {key}",
    );
    bad(
        |settings| settings.header = Some(("X A".to_owned(), "b".to_owned())),
        Template,
        "the header field \"X A\" of `search.header` can't be sent: a name has letters, digits and dashes, a value has no line breaks",
    );
    bad(
        |settings| settings.results = None,
        Template,
        "`search.results_at` is not set: set it to the JSON pointer of the list in the response, such as /web/results, or to \"\" if the response is the list",
    );
    bad(
        |settings| settings.results = Some("/a~b".to_owned()),
        Template,
        "invalid JSON pointer \"/a~b\": a ~ must precede 0 or 1; write ~0 for the ~ itself",
    );
}

#[test]
fn kinds_have_names() {
    for kind in EngineKind::ALL {
        assert_eq!(EngineKind::parse(kind.name()), Some(kind));
    }
    assert_eq!(EngineKind::parse("google"), None);
}

#[tokio::test]
async fn the_number_of_all_results_is_read_where_answers_have_it() {
    let server = Site::in_turn([
        Reply::json(r#"{"results": [{"url": "https://a.example/"}], "number_of_results": 1234}"#),
        // Some engines behind it do not count.
        Reply::json(r#"{"results": [{"url": "https://a.example/"}], "number_of_results": 0}"#),
        Reply::json(r#"{"results": [], "number_of_results": 0}"#),
    ]);
    let mut plain = engine(searxng(&server));
    assert!(plain.counts_results());
    for expected in [Some(1234), None, Some(0)] {
        assert_eq!(plain.count("zoom").await.unwrap(), expected);
    }
    let server = Site::in_turn([
        Reply::json(r#"{"hits": [{"link": "https://a.example/"}], "found": {"all": "56"}}"#),
        Reply::json(r#"{"hits": [{"link": "https://a.example/"}], "found": {"all": "many"}}"#),
    ]);
    let own = template(&server, "/?q={query}");
    assert!(!engine(own.clone()).counts_results());
    let mut counting = engine(EngineSettings {
        total: Some("/found/all".to_owned()),
        ..own
    });
    for expected in [Some(56), None] {
        assert_eq!(counting.count("zoom").await.unwrap(), expected);
    }
    let settings = EngineSettings {
        total: Some("/all".to_owned()),
        ..searxng(&server)
    };
    let refused = SearchEngine::new(settings, client()).unwrap_err();
    assert!(
        matches!(
            refused,
            BadEngine::Unneeded {
                setting: "total_at",
                ..
            }
        ),
        "{refused}"
    );
}
