//! `probing`: keywords for a text box, and the estimated size of the source.

use std::collections::BTreeSet;

use magpie_plot::{LineChart, Point, Series};
use magpie_surface::probe::{Method, Settings, TextProbe};
use magpie_surface::size::{Draw, PoolEstimate};
use magpie_surface::{ObjectId, Outcome, text};

use super::super::{Experiment, Measure};
use super::grid::{self, Row};
use super::sample::Sample;
use super::site::{Answer, Site};
use super::{SITES, light_deep_books, subjects};
use crate::figure::Report;
use crate::mean::{Measured, share};
use crate::random::Random;

pub(in crate::experiment) const EXPERIMENT: Experiment = Experiment {
    name: "probing",
    about: "keywords for a text box: share of objects found, published rounds beside ours",
    measure: Measure::Searches(measure, SITES),
    report,
    spec: light_deep_books,
};

/// Numbers of requests after which objects are counted.
const BUDGETS: [usize; 6] = [25, 50, 100, 200, 350, 500];

const LAST: usize = 500;

/// Queries before the size is estimated, and those of them that find a pool of words.
const ESTIMATE_QUERIES: usize = 100;
const POOL_QUERIES: usize = 30;

/// Number of objects that the operator names.
const NAMED: usize = 10;

/// Maximum number of pages from which a page of an answer is drawn.
const MAX_DRAWN_PAGES: u32 = 5;

/// Error of the size that is small enough.
const SMALL_ERROR: f64 = 0.2;

/// Published shares of records on first pages of answers, at seven sites with 382 to 21,200
/// records: 91, 94, 87, 45, 82, 29 and 13 %.
const PUBLISHED: [f64; 7] = [0.91, 0.94, 0.87, 0.45, 0.82, 0.29, 0.13];

const ROUNDS: &str = "published";
const FIRST_PAGES: &str = "ours, first pages";
const PAGING: &str = "ours, with paging";

const RUNS: [(Method, bool, &str); 3] = [
    (Method::Published, false, ROUNDS),
    (Method::Adaptive, false, FIRST_PAGES),
    (Method::Adaptive, true, PAGING),
];

const KEYWORDS: &str = "keywords asked";
const TO_80: &str = "requests to 80 %, of sites that reach it";
const REACHED_80: &str = "sites that reach 80 %";
const REACHED_95: &str = "sites that reach 95 %";

const CAPTURES: &str = "captures";
const POOL: &str = "by degree";

fn after(budget: usize) -> String {
    format!("share of all objects after {budget}")
}

fn measure(site: &Site<'_>, seed: u64, sample: &mut Sample) {
    let start = Start::new(site, seed);
    for (method, follows_pages, name) in RUNS {
        let settings = Settings {
            follows_pages,
            max_requests: LAST.min(site.max_requests as usize),
            ..Settings::new(method)
        };
        let mut probe = start.probe(settings);
        let mut keywords = BTreeSet::new();
        let mut found = [0; BUDGETS.len()];
        let mut to_80 = None;
        while let Some(query) = probe.next() {
            let Some(answer) = page_of(site, &query.keyword, query.page) else {
                probe.record(&query, &Outcome::new([]), "", &[]);
                continue;
            };
            probe.record(&query, &answer.outcome(), &answer.text, &answer.objects());
            keywords.insert(query.keyword);
            for (budget, found) in BUDGETS.into_iter().zip(&mut found) {
                if probe.requests() <= budget {
                    *found = probe.found();
                }
            }
            if probe.found() as f64 >= 0.8 * site.size() {
                to_80 = to_80.or(Some(probe.requests() as f64));
            }
        }
        let budgets = BUDGETS.into_iter().zip(found);
        for (budget, found) in budgets.filter(|(budget, _)| *budget <= site.max_requests as usize) {
            // A method that stopped early keeps what it found.
            let found = found.max(if probe.requests() <= budget {
                probe.found()
            } else {
                0
            });
            sample.add(name, &after(budget), share(found as f64, site.size()));
        }
        let is_reached = |share: f64| f64::from(u8::from(probe.found() as f64 >= share * site.size()));
        let (found, requests) = (probe.found(), probe.requests());
        sample.detail(format!(
            "{name}: {found} of {} objects by {requests} requests",
            site.size()
        ));
        sample.add(name, KEYWORDS, keywords.len() as f64);
        sample.add(name, TO_80, to_80);
        sample.add(name, REACHED_80, is_reached(0.8));
        sample.add(name, REACHED_95, is_reached(0.95));
    }
    if site.max_requests as usize >= ESTIMATE_QUERIES {
        estimate(site, &start, seed, sample);
    }
}

/// Words from which probing starts: of the first page that may have the form, and of objects that
/// the operator names.
struct Start {
    form_page: String,
    named: Vec<String>,
}

impl Start {
    fn new(site: &Site<'_>, seed: u64) -> Start {
        let mut random = Random::new(seed, 0x9b);
        let page = site.form_pages.first();
        let named = (0..NAMED).filter_map(|_| random.pick(&site.records));
        Start {
            form_page: page.map(|page| site.get(page).text.clone()).unwrap_or_default(),
            named: named.map(|record| record.text.clone()).collect(),
        }
    }

    fn probe(&self, settings: Settings) -> TextProbe {
        let named: Vec<&str> = self.named.iter().map(String::as_str).collect();
        TextProbe::new(settings, &self.form_page, &named)
    }
}

/// Requests a page of an answer, the pages before it included.
fn page_of(site: &Site<'_>, keyword: &str, page: u32) -> Option<std::rc::Rc<Answer>> {
    let mut answer = site.ask(keyword);
    for _ in 0..page {
        answer = site.get(&answer.next()?);
    }
    Some(answer)
}

/// Estimates the size by two methods after the same number of queries.
fn estimate(site: &Site<'_>, start: &Start, seed: u64, sample: &mut Sample) {
    let settings = |max_requests| Settings {
        max_requests,
        ..Settings::new(Method::Adaptive)
    };
    let mut probe = start.probe(settings(ESTIMATE_QUERIES));
    let mut early = start.probe(settings(POOL_QUERIES));
    for probe in [&mut probe, &mut early] {
        while let Some(query) = probe.next() {
            let answer = site.ask(&query.keyword);
            probe.record(&query, &answer.outcome(), &answer.text, &answer.objects());
        }
    }
    note_size(sample, CAPTURES, site, probe.size());
    let pool = early.pool();
    let total: f64 = pool.iter().map(|(_, weight)| weight).sum();
    let mut random = Random::new(seed, 0x51);
    let mut estimate = PoolEstimate::default();
    let page_size = pool
        .iter()
        .take(10)
        .map(|(word, _)| site.ask(word).shown.objects.len());
    let page_size = page_size.max().unwrap_or(1).max(1);
    for _ in POOL_QUERIES..ESTIMATE_QUERIES {
        let mut place = random.share() * total;
        let drawn = pool.iter().find(|(_, weight)| {
            place -= weight;
            place <= 0.0
        });
        let Some((word, weight)) = drawn else {
            break;
        };
        let pages = (weight / page_size as f64)
            .ceil()
            .clamp(1.0, f64::from(MAX_DRAWN_PAGES)) as u32;
        let page = random.below(pages as usize) as u32;
        let answer = page_of(site, word, page);
        let outcome = answer.as_ref().map(|answer| answer.outcome()).unwrap_or_default();
        let objects: Vec<(ObjectId, u32)> = answer
            .iter()
            .flat_map(|answer| answer.objects())
            .map(|(id, text)| (id, degree(pool.as_slice(), text)))
            .collect();
        let draw = Draw {
            probability: weight / total,
            page,
            pages,
            page_size: page_size as u32,
        };
        estimate.add(draw, &objects, &outcome);
    }
    note_size(sample, POOL, site, estimate.estimate());
}

/// Returns the number of words of the pool that an object has.
fn degree(pool: &[(String, f64)], text: &str) -> u32 {
    let words: BTreeSet<String> = text::words(text).into_iter().collect();
    let is_in_pool = |word: &&String| pool.binary_search_by(|(other, _)| other.cmp(word)).is_ok();
    words.iter().filter(is_in_pool).count() as u32
}

fn note_size(sample: &mut Sample, name: &str, site: &Site<'_>, size: magpie_surface::size::Estimate) {
    let error = size.value / site.size().max(1.0) - 1.0;
    let is = |test: bool| f64::from(u8::from(test));
    sample.detail(format!("{name}: size {size:?} of {}", site.size()));
    sample.add(name, "relative error of the size", error.abs());
    sample.add(name, "sites within 20 %", is(error.abs() <= SMALL_ERROR));
    sample.add(
        name,
        "intervals with the true size",
        is(size.low <= site.size() && site.size() <= size.high),
    );
    sample.add(name, "estimate, of the true size", error + 1.0);
}

fn report(measured: &Measured, report: &mut Report) {
    let names = RUNS.map(|(_, _, name)| name);
    let mut sorted = PUBLISHED;
    sorted.sort_by(f64::total_cmp);
    let mut rows: Vec<Row> = BUDGETS
        .into_iter()
        .map(|budget| {
            let row = Row::new(after(budget), "share").more_is_better();
            match budget {
                LAST => row.published(sorted[sorted.len() / 2]).target(0.95),
                _ => row,
            }
        })
        .collect();
    rows.extend([
        Row::new(KEYWORDS, "count"),
        Row::new(REACHED_80, "share").more_is_better(),
        Row::new(TO_80, "requests"),
        Row::new(REACHED_95, "share").more_is_better(),
    ]);
    grid::add(report, "probing", &names, &rows, measured);
    let sizes = [
        Row::new("relative error of the size", "ratio").target(SMALL_ERROR),
        Row::new("sites within 20 %", "share").more_is_better(),
        Row::new("intervals with the true size", "share")
            .more_is_better()
            .target(0.95),
        Row::new("estimate, of the true size", "ratio"),
    ];
    grid::add(
        report,
        "probing, size after 100 queries",
        &[CAPTURES, POOL],
        &sizes,
        measured,
    );
    report.note("publication: 91, 94, 87, 45, 82, 29, 13 % at seven sites with 382 to 21,200 records; the table has the median");
    report.note("published, and ours on first pages: first pages of answers to at most 500 keywords");
    report.note(
        "by degree: 30 queries find a pool of words, 70 are drawn from it; captures: 100 queries as asked",
    );
    let subject = subjects(measured).into_iter().next().unwrap_or_default();
    let line = |name: &str| Series {
        name: name.to_owned(),
        points: BUDGETS
            .into_iter()
            .filter_map(|budget| {
                let mean = grid::mean(measured, &format!("{subject}, {name}"), &after(budget), "share")?;
                Some(Point {
                    x: budget as f64,
                    y: mean.value,
                    interval: mean.interval,
                })
            })
            .collect(),
    };
    let chart = LineChart {
        title: format!("Objects found by a text box: {subject}"),
        x: "requests".to_owned(),
        y: "share of all objects".to_owned(),
        series: names.map(line).to_vec(),
    };
    report.draw(chart.to_svg());
}
