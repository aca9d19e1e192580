//! Prints the published methods beside ours, on generated databases.
//!
//! `cargo run -p magpie-surface --example compare [SEEDS]`
#![expect(clippy::print_stdout, reason = "an example prints")]

#[path = "../tests/it/database.rs"]
mod database;
#[path = "../tests/it/links.rs"]
mod links;
#[path = "../tests/it/pages.rs"]
mod pages;
#[path = "../tests/it/trials.rs"]
mod trials;

use database::Database;
use magpie_surface::entities::Ranking;
use magpie_surface::isit::Settings;
use magpie_surface::probe::Method;
use magpie_surface::{arguments, empty};

const DEFAULT_SEEDS: u64 = 20;

/// The mean of a figure with its 95 % interval.
fn figure(values: &[f64]) -> String {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let reach = 1.96 * (squares / (count - 1.0).max(1.0) / count).sqrt();
    format!("{mean:9.3} ± {reach:.3}")
}

fn print(name: &str, values: &[f64]) {
    println!("  {name:<62}{}", figure(values));
}

fn main() {
    let seeds = std::env::args()
        .nth(1)
        .and_then(|seeds| seeds.parse().ok())
        .unwrap_or(DEFAULT_SEEDS);
    empty_pages(seeds);
    arguments(seeds);
    templates(seeds);
    probing(seeds);
    entities(seeds);
    sizes(seeds);
}

fn empty_pages(seeds: u64) {
    println!("Empty pages, 40 queries to each site, of which most have one or no result");
    for (number, style) in pages::STYLES.into_iter().enumerate() {
        for method in [empty::Method::Published, empty::Method::Fitted] {
            let right = |seed| {
                let (missed, wrong) = pages::errors(style, method, false, seed);
                1.0 - f64::from(missed + wrong) / 40.0
            };
            let name = format!("style {number}, {method:?}, share judged rightly");
            print(&name, &(0..seeds).map(right).collect::<Vec<_>>());
        }
    }
}

fn arguments(seeds: u64) {
    println!("Arguments, 30 queries to each site");
    for method in [arguments::Method::Published, arguments::Method::ByEffect] {
        for states_count in [true, false] {
            let mut lost = Vec::new();
            let mut found = Vec::new();
            let mut requests = Vec::new();
            for seed in 0..seeds {
                let (study, probes) = links::study(method, states_count, seed);
                let kinds = study.kinds();
                let is_dropped = |name: &str| kinds.get(name).is_some_and(|kind| !kind.is_selective());
                let share = |names: &[&str]| {
                    names.iter().filter(|name| is_dropped(name)).count() as f64 / names.len() as f64
                };
                lost.push(share(&links::SELECTIONS));
                found.push(share(&["sort", "size", "view", "page", "from_page", "sid"]));
                requests.push(f64::from(probes));
            }
            let name = |what: &str| format!("{method:?}, number of results stated {states_count}, {what}");
            print(&name("selections lost"), &lost);
            print(&name("others found"), &found);
            print(&name("probes"), &requests);
        }
    }
}

fn templates(seeds: u64) {
    let mut figures: [Vec<f64>; 8] = Default::default();
    for seed in 0..seeds {
        let database = Database::new(400 << (seed % 5), seed);
        let inputs = trials::form(&database, seed);
        let run = |settings, seed| trials::search_templates(&database, &inputs, settings, seed);
        let oracle = run(trials::oracle(), seed);
        let second = run(trials::oracle(), seed + 1_000);
        let plain = Settings {
            recognises: false,
            ..Settings::sequential()
        };
        let plain = run(plain, seed + 2_000);
        let ours = run(Settings::sequential(), seed + 2_000);
        let share = |(same, other): (u32, u32)| f64::from(same) / f64::from(same + other);
        let values = [
            oracle.tried.len() as f64,
            f64::from(oracle.requests),
            f64::from(plain.requests),
            f64::from(ours.requests),
            f64::from(ours.requests) / f64::from(oracle.requests),
            share(trials::agreement(&oracle, &second)),
            share(trials::agreement(&oracle, &plain)),
            share(trials::agreement(&oracle, &ours)),
        ];
        for (figures, value) in figures.iter_mut().zip(values) {
            figures.push(value);
        }
    }
    println!("Informative templates, forms of 2 to 5 inputs, 400 to 6,400 records");
    let names = [
        "templates tried, published",
        "requests a form, published",
        "requests a form, sequential test alone",
        "requests a form, with dependent and inert inputs",
        "ratio to published",
        "agreement of the published method with itself",
        "agreement of the sequential test with it",
        "agreement with dependent and inert inputs left out",
    ];
    for (name, figures) in names.iter().zip(&figures) {
        print(name, figures);
    }
}

fn probing(seeds: u64) {
    println!("Text box, 4,000 records, share of records found");
    let runs = [
        ("published, 500 queries", Method::Published, false, 500),
        ("adaptive, 500 queries, first pages", Method::Adaptive, false, 500),
        ("adaptive, with paging, 260 requests", Method::Adaptive, true, 260),
    ];
    for (name, method, follows_pages, requests) in runs {
        let found = |seed| {
            let database = Database::new(4_000, seed);
            trials::probe(&database, method, follows_pages, requests, seed).found() as f64 / 4_000.0
        };
        print(name, &(0..seeds).map(found).collect::<Vec<_>>());
    }
    let to = |seed| trials::requests_to(&Database::new(4_000, seed), 0.95, seed);
    let (requests, keywords): (Vec<f64>, Vec<f64>) = (0..seeds)
        .map(to)
        .map(|(requests, keywords)| (requests as f64, keywords as f64))
        .unzip();
    print("adaptive, with paging, requests to 95 %", &requests);
    print("adaptive, with paging, keywords to 95 %", &keywords);
}

fn entities(seeds: u64) {
    let best = |seed| trials::clairvoyant(&Database::new(4_000, seed), 300) as f64;
    let best: Vec<f64> = (0..seeds).map(best).collect();
    for share in [0.05, 0.2, 0.5] {
        println!("Entity queries, warehouse with {share} of the site, objects of 300 queries");
        let found = |ranking, seed| {
            let database = Database::new(4_000, seed);
            trials::query_entities(&database, ranking, share, 300, seed).found() as f64
        };
        let all = |ranking| (0..seeds).map(|seed| found(ranking, seed)).collect::<Vec<f64>>();
        let [popularity, cover, expected] =
            [Ranking::Popularity, Ranking::SetCover, Ranking::Expected].map(all);
        let claim = |seed| {
            let database = Database::new(4_000, seed);
            let queries = trials::query_entities(&database, Ranking::Expected, share, 300, seed);
            let claimed = queries.size().coverage(queries.found()).value;
            claimed - queries.found() as f64 / 4_000.0
        };
        print(
            "claimed minus true coverage",
            &(0..seeds).map(claim).collect::<Vec<_>>(),
        );
        print("popularity", &popularity);
        print("set cover", &cover);
        print("expected new objects", &expected);
        let ratio = |others: &[f64]| -> Vec<f64> {
            expected
                .iter()
                .zip(others)
                .map(|(one, other)| one / other)
                .collect()
        };
        print("ratio to popularity", &ratio(&popularity));
        print("ratio to set cover", &ratio(&cover));
        print("ratio to a greedy choice that knows all answers", &ratio(&best));
    }
}

fn sizes(seeds: u64) {
    for states_count in [true, false] {
        println!("Size after 100 queries, 4,000 records, number of results stated: {states_count}");
        size(seeds, states_count);
    }
}

fn size(seeds: u64, states_count: bool) {
    let mut figures: [Vec<f64>; 5] = Default::default();
    for seed in 0..seeds {
        let mut database = Database::new(4_000, seed);
        database.states_count = states_count;
        let (plain, weighted) = trials::estimate_size(&database, 100, seed);
        let error = |value: f64| (value / 4_000.0 - 1.0).abs();
        let is_within = |error: f64| f64::from(u8::from(error <= 0.2));
        let holds = weighted.low <= 4_000.0 && weighted.high >= 4_000.0;
        let values = [
            error(plain.value),
            error(weighted.value),
            is_within(error(plain.value)),
            is_within(error(weighted.value)),
            f64::from(u8::from(holds)),
        ];
        for (figures, value) in figures.iter_mut().zip(values) {
            figures.push(value);
        }
    }
    let names = [
        "relative error, captures alone",
        "relative error, weighted by degree",
        "within 20 %, captures alone",
        "within 20 %, weighted by degree",
        "interval has the true size",
    ];
    for (name, figures) in names.iter().zip(&figures) {
        print(name, figures);
    }
}
