//! Links of result pages of a generated site.

use std::collections::BTreeSet;

use magpie_surface::Outcome;
use magpie_surface::arguments::{ArgumentStudy, MAX_PROBES, Method, segments};

use crate::database::{Database, Random, Request};

/// The arguments that select.
pub(crate) const SELECTIONS: [&str; 4] = ["language", "genre", "publisher", "from"];

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
pub(crate) fn study(method: Method, states_count: bool, seed: u64) -> (ArgumentStudy, u32) {
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
