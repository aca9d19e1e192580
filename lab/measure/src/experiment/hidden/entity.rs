//! `entity`: the order of entity queries.

use magpie_plot::{LineChart, Point, Series};
use magpie_surface::ObjectId;
use magpie_surface::entities::{Described, EntityQueries, Ranking};

use super::super::{Experiment, Measure};
use super::grid::{self, Row};
use super::sample::Sample;
use super::site::{Record, Site};
use super::{SITES, light_deep_books, subjects};
use crate::figure::Report;
use crate::mean::{Measured, share};
use crate::random::Random;

pub(in crate::experiment) const EXPERIMENT: Experiment = Experiment {
    name: "entity",
    about: "queries for known names at search forms: objects a request by popularity, set cover and ours",
    measure: Measure::Searches(measure, SITES),
    report,
    spec: light_deep_books,
};

/// Shares of the objects of a site that the warehouse holds.
const HELD: [(f64, &str); 3] = [(0.05, "5 %"), (0.2, "20 %"), (0.5, "50 %")];

/// Numbers of requests after which objects are counted.
const BUDGETS: [u32; 4] = [10, 25, 50, 100];

/// Requests from which on the orders are compared. Earlier, some have found nothing.
const COMPARED: u32 = 50;

/// Orders of queries; ours is the last.
const RANKINGS: [(Ranking, &str); 3] = [
    (Ranking::Popularity, "popularity"),
    (Ranking::SetCover, "set cover"),
    (Ranking::Expected, "ours"),
];

/// Minimum ratios to the objects that the other orders find.
const MIN_RATIOS: [f64; 2] = [1.5, 1.2];

/// Maximum error of the claimed coverage.
const MAX_CLAIM_ERROR: f64 = 0.05;

/// Titles whose answers show the size of a page.
const SIZE_QUERIES: usize = 5;

fn measure(site: &Site<'_>, seed: u64, sample: &mut Sample) {
    let words = site.title_words();
    let frequent: Vec<String> = words
        .iter()
        .take(SIZE_QUERIES)
        .map(|(word, _)| word.clone())
        .collect();
    let page_size = site.page_size(&frequent);
    for (held, held_name) in HELD {
        let mut found = [[0.0; BUDGETS.len()]; RANKINGS.len()];
        for ((ranking, name), found) in RANKINGS.into_iter().zip(&mut found) {
            let queries = run(site, ranking, page_size, held, seed, found);
            let budgets = BUDGETS.into_iter().zip(&*found);
            for (budget, found) in budgets.filter(|(budget, _)| *budget <= site.max_requests) {
                sample.add(name, &per_request(held_name, budget), found / f64::from(budget));
                sample.add(name, &coverage(held_name, budget), share(*found, site.size()));
            }
            sample.detail(format!(
                "{held_name} held, {name}: {found:?} of {}, page of {page_size}, claimed {:?}",
                site.size(),
                queries.size()
            ));
            let true_coverage = queries.found() as f64 / site.size().max(1.0);
            let claimed = queries.size().coverage(queries.found()).value;
            sample.add(
                name,
                &format!("{held_name} held, claimed minus true coverage"),
                claimed - true_coverage,
            );
            sample.add(name, &claim_error(held_name), (claimed - true_coverage).abs());
        }
        let [popularity, cover, ours] = found;
        let budgets = BUDGETS.into_iter().enumerate();
        for (place, budget) in budgets.filter(|(_, budget)| (COMPARED..=site.max_requests).contains(budget)) {
            for (other, other_name) in [(popularity, "popularity"), (cover, "set cover")] {
                sample.add(
                    "ours",
                    &ratio(held_name, budget, other_name),
                    share(ours[place], other[place]),
                );
            }
        }
    }
}

fn per_request(held: &str, budget: u32) -> String {
    format!("{held} held, objects a request of {budget}")
}

fn coverage(held: &str, budget: u32) -> String {
    format!("{held} held, share of all objects after {budget}")
}

fn ratio(held: &str, budget: u32, other: &str) -> String {
    format!("{held} held, ratio to {other} after {budget}")
}

fn claim_error(held: &str) -> String {
    format!("{held} held, error of the claimed coverage")
}

/// Asks in one order, and counts the objects found within each budget.
fn run(
    site: &Site<'_>,
    ranking: Ranking,
    page_size: u32,
    held: f64,
    seed: u64,
    found: &mut [f64; BUDGETS.len()],
) -> EntityQueries {
    let mut random = Random::new(seed, 0xe7);
    let mut queries = EntityQueries::new(ranking, page_size);
    // The warehouse holds the same share of what other sites have.
    for record in site.records.iter().chain(&site.elsewhere) {
        if random.share() < held {
            queries.add_known(&record.described);
        }
    }
    for candidate in &site.logged {
        queries.add_candidate(candidate.clone());
    }
    let last = BUDGETS.into_iter().max().unwrap_or(0).min(site.max_requests);
    while queries.requests() < last {
        let Some((_, candidate)) = queries.next_rated(1).pop() else {
            break;
        };
        let candidate = candidate.clone();
        let answer = site.ask(&candidate.query);
        let outcome = answer.outcome();
        let described: Vec<Described> = outcome
            .objects
            .iter()
            .filter_map(|id| described(&site.records, *id))
            .collect();
        queries.record(&candidate.kind, &candidate.query, &outcome, &described);
        for (budget, found) in BUDGETS.into_iter().zip(found.iter_mut()) {
            if queries.requests() <= budget {
                *found = queries.found() as f64;
            }
        }
    }
    queries
}

fn described(records: &[Record], id: ObjectId) -> Option<Described> {
    let place = records.binary_search_by_key(&id, |record| record.described.id);
    place.ok().map(|place| records[place].described.clone())
}

fn report(measured: &Measured, report: &mut Report) {
    let mut rows = Vec::new();
    for (_, held) in HELD {
        for budget in BUDGETS {
            rows.push(Row::new(per_request(held, budget), "objects").more_is_better());
            rows.push(Row::new(coverage(held, budget), "share").more_is_better());
        }
        for budget in BUDGETS.into_iter().filter(|budget| *budget >= COMPARED) {
            for (other, target) in ["popularity", "set cover"].into_iter().zip(MIN_RATIOS) {
                rows.push(
                    Row::new(ratio(held, budget, other), "ratio")
                        .more_is_better()
                        .target(target),
                );
            }
        }
        rows.push(Row::new(claim_error(held), "share").target(MAX_CLAIM_ERROR));
        rows.push(Row::new(
            format!("{held} held, claimed minus true coverage"),
            "difference",
        ));
    }
    let names = RANKINGS.map(|(_, name)| name);
    grid::add(report, "entity", &names, &rows, measured);
    report.note("objects: distinct ones on first pages of answers; queries for names of objects that the warehouse holds");
    report
        .note("the lab has a query log, and the warehouse objects of other sites; the servers have neither");
    report.note("no figure was published for the order of queries");
    let subject = subjects(measured).into_iter().next().unwrap_or_default();
    let line = |(_, name): (Ranking, &str)| Series {
        name: name.to_owned(),
        points: BUDGETS
            .into_iter()
            .filter_map(|budget| {
                let of = format!("{subject}, {name}");
                let mean = grid::mean(measured, &of, &coverage("20 %", budget), "share")?;
                Some(Point {
                    x: f64::from(budget),
                    y: mean.value,
                    interval: mean.interval,
                })
            })
            .collect(),
    };
    let chart = LineChart {
        title: format!("Objects found by entity queries, 20 % held: {subject}"),
        x: "requests".to_owned(),
        y: "share of all objects".to_owned(),
        series: RANKINGS.map(line).to_vec(),
    };
    report.draw(chart.to_svg());
}
