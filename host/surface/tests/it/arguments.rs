//! Kinds of arguments by prevalence and by effect.

use std::collections::{BTreeMap, BTreeSet};

use magpie_surface::Outcome;
use magpie_surface::arguments::{ArgumentStudy, Kind, MAX_PROBES, Method, segments, semantic_key};

use crate::database::{Database, Random, Request};

const SELECTIONS: [&str; 4] = ["language", "genre", "publisher", "from"];

/// Answers a URL of the site.
fn fetch(database: &Database, url: &str) -> Outcome {
    let mut request = Request::default();
    let mut look = 0;
    for segment in segments(url) {
        match segment.name.as_str() {
            "q" => request.query = segment.value,
            "page" => request.page = segment.value.parse::<usize>().unwrap_or(1).max(1) - 1,
            "size" => request.page_size = segment.value.parse().ok(),
            "sort" => request.sort = Some(segment.value),
            "view" => look = segment.value.len() as u64,
            name if SELECTIONS.contains(&name) => {
                request.filters.insert(segment.name, segment.value);
            }
            _ => {}
        }
    }
    let mut outcome = database.request(&request).outcome;
    outcome.page_signature ^= look << 7;
    outcome
}

/// The links of a result page: facets with results, orders, pages, and tracking.
fn links(database: &Database, query: &str, outcome: &Outcome, number: usize) -> Vec<String> {
    let url = |rest: String| format!("http://a.test/s?q={query}&{rest}");
    let mut links = Vec::new();
    let found = database.matches(&Request {
        query: query.to_owned(),
        ..Request::default()
    });
    let records = || found.iter().map(|id| &database.records[*id]);
    let facets: BTreeSet<String> = records()
        .flat_map(|record| {
            [
                format!("language={}", record.language),
                format!("genre={}", record.genre),
                format!("publisher={}", record.publisher),
                format!("from={}", record.year / 10 * 10),
            ]
        })
        .collect();
    links.extend(facets.into_iter().map(url));
    links.extend(["sort=title", "sort=year", "size=50", "view=grid"].map(|rest| url(rest.to_owned())));
    let pages = match outcome.has_next {
        true => found.len().div_ceil(database.page_size),
        false => 1,
    };
    links.extend((2..=pages).map(|page| url(format!("page={page}"))));
    links.push(url(format!("from_page=results;sid=a{number}")));
    links
}

/// Studies the site with 30 queries; returns the study and the number of probes.
fn study(method: Method, states_count: bool, seed: u64) -> (ArgumentStudy, u32) {
    let mut database = Database::new(2_500, seed);
    database.states_count = states_count;
    let mut study = ArgumentStudy::new(method, "q");
    let words = database.title_words();
    let mut random = Random(seed);
    for number in 0..30 {
        let query = &words[random.below(100)];
        let url = format!("http://a.test/s?q={query}");
        let outcome = fetch(&database, &url);
        let links = links(&database, query, &outcome, number);
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        study.add_page(&url, &outcome, &links);
    }
    let mut probes = 0;
    while let Some(probe) = study.next_probe() {
        study.record(&probe, &fetch(&database, &probe.url));
        assert!(study.probes_of(&probe.argument) <= MAX_PROBES);
        probes += 1;
    }
    (study, probes)
}

#[test]
fn no_selection_is_lost_and_the_rest_is_found() {
    for states_count in [true, false] {
        for seed in 0..10 {
            let (study, probes) = study(Method::ByEffect, states_count, seed);
            let kinds = study.kinds();
            for name in SELECTIONS {
                assert_eq!(kinds[name], Kind::Selection, "{name} {states_count} {seed}");
            }
            assert_eq!(kinds["q"], Kind::Query);
            let expected = [
                ("sort", Kind::Presentation),
                ("view", Kind::Presentation),
                ("from_page", Kind::Irrelevant),
                ("sid", Kind::Irrelevant),
                ("page", Kind::Paging),
            ];
            for (name, kind) in expected {
                // Another order of many results of unknown number may be a selection, so it is kept.
                let may_keep = name == "sort" && !states_count && kinds[name] == Kind::Selection;
                assert!(
                    kinds[name] == kind || may_keep,
                    "{name} {:?} {states_count} {seed}",
                    kinds[name]
                );
            }
            assert!(!kinds["size"].is_selective(), "{states_count} {seed}");
            assert!(probes <= 30, "{probes}");
        }
    }
}

/// All pages of a site of one vertical offer the same filters, so prevalence drops them.
#[test]
fn prevalence_loses_selections_of_a_site_of_one_vertical() {
    let (study, probes) = study(Method::Published, true, 1);
    assert_eq!(probes, 0);
    let kinds = study.kinds();
    let lost = SELECTIONS
        .iter()
        .filter(|name| kinds[**name] == Kind::Irrelevant)
        .count();
    assert!(lost >= 2, "{kinds:?}");
    assert_eq!(kinds["q"], Kind::Query, "the keyword is never dropped");
    assert_eq!(kinds["sort"], Kind::Irrelevant);
}

#[test]
fn keys_reduce_the_urls_of_a_site() {
    let (study, _) = study(Method::ByEffect, true, 3);
    let kinds: BTreeMap<String, Kind> = study.kinds();
    let mut urls = 0;
    let mut keys = BTreeSet::new();
    for language in 0..6 {
        for sort in ["title", "year", ""] {
            for page in 1..5 {
                let url =
                    format!("http://a.test/s?sort={sort}&q=x&page={page}&language={language}&sid={urls}");
                keys.insert(semantic_key(&url, &kinds));
                urls += 1;
            }
        }
    }
    assert_eq!((urls, keys.len()), (72, 6));
}
