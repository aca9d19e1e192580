//! Runs of the methods against generated databases.

use std::collections::BTreeSet;

use magpie_surface::entities::{Candidate, EntityQueries, Ranking};
use magpie_surface::isit::{Decision, Input, Isit, Settings, Signature};
use magpie_surface::probe::{Method, Query, Settings as ProbeSettings, TextProbe};
use magpie_surface::size::{Draw, Estimate, PoolEstimate};

use crate::database::{self, Database, Random, numbers};

/// The inputs of a form of the database: some of its selects, keywords, a range.
pub(crate) fn form(database: &Database, seed: u64) -> Vec<Input> {
    let mut random = Random(seed ^ 0xf0);
    let keywords = database.title_words();
    // Keywords from frequent to rare.
    let step = 1 + random.below(6);
    let keywords = keywords.iter().step_by(step).take(60);
    let bounds: Vec<String> = database::YEARS.step_by(5).map(|year| year.to_string()).collect();
    let mut inputs = vec![
        Input::new("q", keywords.cloned()),
        numbers("language", database::LANGUAGES),
        numbers("genre", database::GENRES),
        numbers("publisher", database::PUBLISHERS),
        Input::range("from", "to", &bounds),
        numbers("series", database::SERIES),
        Input::new("tracking", ["a", "b", "c", "d", "e", "f", "g", "h"]),
    ];
    // Two to five inputs.
    for _ in 0..2 + random.below(4) {
        let place = random.below(inputs.len());
        inputs.remove(place);
    }
    inputs
}

/// The informative templates, all tried ones, and the number of requests.
pub(crate) struct Templates {
    pub(crate) informative: BTreeSet<Vec<usize>>,
    pub(crate) tried: BTreeSet<Vec<usize>>,
    pub(crate) requests: u32,
}

pub(crate) fn search_templates(
    database: &Database,
    inputs: &[Input],
    settings: Settings,
    seed: u64,
) -> Templates {
    let mut search = Isit::new(inputs, settings, seed);
    while let Some(submission) = search.next() {
        let outcome = database.submit(inputs, &submission);
        search.record(&submission, &outcome);
        assert!(search.requests() < 100_000, "the search ends");
    }
    let of = |wanted: &dyn Fn(Decision) -> bool| {
        let decided = search
            .decided()
            .iter()
            .filter(|template| wanted(template.decision));
        decided.map(|template| template.inputs.clone()).collect()
    };
    Templates {
        informative: of(&|decision| decision == Decision::Informative),
        tried: of(&|decision| decision != Decision::TooLarge),
        requests: search.requests(),
    }
}

/// The published method, with signatures of objects as the oracle.
pub(crate) fn oracle() -> Settings {
    Settings {
        signature: Signature::Objects,
        ..Settings::published()
    }
}

/// The numbers of templates with the same and with another decision.
pub(crate) fn agreement(one: &Templates, other: &Templates) -> (u32, u32) {
    let tried: BTreeSet<&Vec<usize>> = one.tried.union(&other.tried).collect();
    let is_same =
        |inputs: &&&Vec<usize>| one.informative.contains(**inputs) == other.informative.contains(**inputs);
    let same = tried.iter().filter(is_same).count() as u32;
    (same, tried.len() as u32 - same)
}

/// The numbers of objects found and of requests, with the claimed coverage.
pub(crate) fn probe(
    database: &Database,
    method: Method,
    follows_pages: bool,
    requests: usize,
    seed: u64,
) -> TextProbe {
    let settings = ProbeSettings {
        follows_pages,
        max_requests: requests,
        ..ProbeSettings::new(method)
    };
    let mut random = Random(seed ^ 0x9b);
    // The page with the form shows ten books.
    let shown: Vec<String> = (0..10)
        .map(|_| database.text(random.below(database.records.len())))
        .collect();
    let mut probe = TextProbe::new(settings, &shown.join("\n"), &[]);
    while let Some(query) = probe.next() {
        answer(database, &mut probe, &query);
    }
    probe
}

/// The numbers of requests and keywords until a share of the objects is found by a box with paging.
pub(crate) fn requests_to(database: &Database, share: f64, seed: u64) -> (usize, usize) {
    let wanted = (share * database.records.len() as f64) as usize;
    let mut random = Random(seed ^ 0x9b);
    let shown: Vec<String> = (0..10)
        .map(|_| database.text(random.below(database.records.len())))
        .collect();
    let settings = ProbeSettings {
        follows_pages: true,
        max_requests: 2_000,
        ..ProbeSettings::new(Method::Adaptive)
    };
    let mut probe = TextProbe::new(settings, &shown.join("\n"), &[]);
    let mut keywords = BTreeSet::new();
    while probe.found() < wanted {
        let Some(query) = probe.next() else {
            break;
        };
        answer(database, &mut probe, &query);
        keywords.insert(query.keyword);
    }
    (probe.requests(), keywords.len())
}

fn answer(database: &Database, probe: &mut TextProbe, query: &Query) {
    let page = database.search(&query.keyword, query.page as usize);
    let objects: Vec<(u64, &str)> = page
        .objects
        .iter()
        .map(|(id, text)| (*id, text.as_str()))
        .collect();
    probe.record(query, &page.outcome, &page.text, &objects);
}

/// The number of objects that the best of all entities find, by their true answers.
pub(crate) fn clairvoyant(database: &Database, requests: u32) -> usize {
    let entities: BTreeSet<(String, String)> = (0..database.records.len() as u64)
        .flat_map(|id| database.described(id).entities)
        .collect();
    let mut answers: Vec<Vec<u64>> = entities
        .iter()
        .map(|(_, name)| database.search(name, 0).outcome.objects)
        .collect();
    let mut found = BTreeSet::new();
    for _ in 0..requests {
        answers
            .iter_mut()
            .for_each(|answer| answer.retain(|id| !found.contains(id)));
        let best = answers.iter().max_by_key(|answer| answer.len());
        found.extend(best.into_iter().flatten().copied());
    }
    found.len()
}

/// Queries a source with the entities of a warehouse that has a share of its objects.
pub(crate) fn query_entities(
    database: &Database,
    ranking: Ranking,
    share: f64,
    requests: u32,
    seed: u64,
) -> EntityQueries {
    let mut random = Random(seed ^ 0xe7);
    let mut queries = EntityQueries::new(ranking, database.page_size as u32);
    for id in 0..database.records.len() as u64 {
        let is_known = random.share() < share;
        if is_known {
            queries.add_known(&database.described(id));
        }
    }
    // Objects that other sites have and this one lacks.
    let elsewhere = Database::new((database.records.len() as f64 * share) as usize, seed ^ 0x77);
    for id in 0..elsewhere.records.len() as u64 {
        let mut described = elsewhere.described(id);
        described.id += 1_000_000;
        queries.add_known(&described);
    }
    // A query log asks for popular titles more than once.
    for id in 0..database.records.len() as u64 {
        let record = &database.records[id as usize];
        if record.popularity > 8.0 {
            queries.add_candidate(Candidate {
                query: record.title.join(" "),
                kind: "title".to_owned(),
                popularity: record.popularity,
            });
        }
    }
    while queries.requests() < requests {
        let Some((_, candidate)) = queries.next_rated(1).pop() else {
            break;
        };
        let candidate = candidate.clone();
        let page = database.search(&candidate.query, 0);
        let described: Vec<_> = page
            .outcome
            .objects
            .iter()
            .map(|id| database.described(*id))
            .collect();
        queries.record(&candidate.kind, &candidate.query, &page.outcome, &described);
    }
    queries
}

/// Estimates the size of a source: some queries find a pool of words, others are drawn from it.
pub(crate) fn estimate_size(database: &Database, requests: usize, seed: u64) -> (Estimate, Estimate) {
    let first = requests * 3 / 10;
    let probe = probe(database, Method::Adaptive, false, first, seed);
    let pool = probe.pool();
    let total: f64 = pool.iter().map(|(_, weight)| weight).sum();
    let mut random = Random(seed ^ 0x51);
    let mut estimate = PoolEstimate::default();
    // Places at equal distances spread the draws over the pool.
    let mut by_weight: Vec<&(String, f64)> = pool.iter().collect();
    by_weight.sort_by(|one, other| other.1.total_cmp(&one.1));
    let draws = requests - first;
    let start = random.share();
    for number in 0..draws {
        let mut place = (number as f64 + start) / draws as f64 * total;
        let drawn = by_weight.iter().find(|(_, weight)| {
            place -= weight;
            place <= 0.0
        });
        let (word, weight) = drawn.expect("a pool");
        let pages = (weight / database.page_size as f64).ceil().max(1.0) as u32;
        let number = random.below(pages as usize);
        let page = database.search(word, number);
        let degree = |text: &str| {
            let words: BTreeSet<String> = magpie_surface::text::words(text).into_iter().collect();
            let is_in_pool = |word: &&String| pool.binary_search_by(|(other, _)| other.cmp(word)).is_ok();
            words.iter().filter(is_in_pool).count() as u32
        };
        let objects: Vec<(u64, u32)> = page
            .objects
            .iter()
            .map(|(id, text)| (*id, degree(text)))
            .collect();
        let draw = Draw {
            probability: weight / total,
            page: number as u32,
            pages,
            page_size: database.page_size as u32,
        };
        estimate.add(draw, &objects, &page.outcome);
    }
    (probe.size(), estimate.estimate())
}
