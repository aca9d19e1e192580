//! The search for authorities, step by step.

use magpie_focus::authorities::{AuthoritySearch, AuthoritySettings, SearchEnd, SearchStep};
use magpie_focus::tokens::given;

const SETTINGS: AuthoritySettings = AuthoritySettings {
    query_tokens: 2,
    iterations: 3,
};

const WORDS: [&str; 6] = ["camera", "zoom", "review", "sensor", "verdict", "lens"];

fn search() -> AuthoritySearch {
    AuthoritySearch::new(SETTINGS, given(WORDS))
}

/// Counts hits that fall from word to word, until a query is to be asked.
fn count(search: &mut AuthoritySearch) {
    let mut hits = 1_000;
    while let SearchStep::Hits(word) = search.step() {
        assert!(WORDS.contains(&word.as_str()));
        search.count(hits);
        hits /= 4;
    }
}

fn asked(search: &mut AuthoritySearch) -> Option<(u32, String)> {
    match search.step() {
        SearchStep::Ask(query) => Some((query.number, query.text)),
        _ => None,
    }
}

#[test]
fn words_in_the_middle_are_asked_first() {
    let mut search = search();
    assert_eq!(search.step(), SearchStep::Hits("camera".to_owned()));
    assert_eq!(search.step(), search.step(), "a step stays until it is answered");
    count(&mut search);
    let (number, text) = asked(&mut search).expect("a query");
    assert_eq!(number, 0);
    // By hits: camera, zoom, review, sensor, verdict; none for lens, which is left out.
    assert_eq!(text, "review zoom");
}

#[test]
fn it_ends_when_queries_bring_no_new_authority() {
    let mut search = search();
    count(&mut search);
    let page = |url: &str, is_accepted| (url.to_owned(), is_accepted);
    let (number, _) = asked(&mut search).expect("a query");
    assert_eq!(
        search.take(
            number,
            [page("http://a.test/1", true), page("http://a.test/2", false)]
        ),
        1
    );
    // An answer that is repeated, and one to another query, count for nothing.
    assert_eq!(search.take(number, [page("http://a.test/3", true)]), 0);
    for _ in 0..SETTINGS.iterations {
        let (number, _) = asked(&mut search).expect("a query");
        assert_eq!(search.take(number, [page("http://a.test/1", true)]), 0);
    }
    assert_eq!(search.step(), SearchStep::Done(SearchEnd::NothingNew));
    assert_eq!(search.authorities(), ["http://a.test/1"]);
    assert_eq!((search.asked(), search.judged()), (4, 2));
    assert_eq!(search.verdict("http://a.test/2"), Some(false));
}

#[test]
fn it_goes_on_with_the_next_query_after_it_was_stored() {
    let mut search = search();
    search.count(5);
    let restore = |search: &AuthoritySearch| -> AuthoritySearch {
        let text = serde_json::to_string(search).expect("JSON");
        serde_json::from_str(&text).expect("a search")
    };
    let mut restored = restore(&search);
    assert_eq!(restored.step(), SearchStep::Hits("zoom".to_owned()));
    count(&mut restored);
    let mut texts = Vec::new();
    while let Some((number, text)) = asked(&mut restored) {
        texts.push(text);
        restored.take(number, [(format!("http://a.test/{number}"), true)]);
        restored = restore(&restored);
    }
    assert_eq!(restored.step(), SearchStep::Done(SearchEnd::Exhausted));
    let mut distinct = texts.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), texts.len(), "{texts:?}");
    assert!(texts.len() >= 10, "{texts:?}");
}

#[test]
fn it_ends_where_the_engine_fails_or_knows_no_word() {
    let mut failing = AuthoritySearch::new(
        AuthoritySettings {
            iterations: 100,
            ..SETTINGS
        },
        given(WORDS),
    );
    count(&mut failing);
    while let Some((number, _)) = asked(&mut failing) {
        failing.failed(number);
    }
    assert_eq!(failing.step(), SearchStep::Done(SearchEnd::Failing));
    // Without any hits all words weigh the same, so that there are queries all the same.
    let mut unknown = search();
    while let SearchStep::Hits(_) = unknown.step() {
        unknown.count(0);
    }
    assert!(asked(&mut unknown).is_some());
    let mut empty = AuthoritySearch::new(SETTINGS, Vec::new());
    assert_eq!(empty.step(), SearchStep::Done(SearchEnd::Exhausted));
}
