//! `empty`: recognition of result pages without results.

use magpie_plot::{Bar, BarChart};
use magpie_surface::empty::{EmptyPages, Method, ResultPage, bad_queries};

use super::super::{Experiment, Measure};
use super::grid::{self, Row};
use super::sample::Sample;
use super::site::{Answer, Site};
use super::{SITES, deep_books, subjects};
use crate::figure::Report;
use crate::mean::{Measured, share};
use crate::random::Random;

pub(in crate::experiment) const EXPERIMENT: Experiment = Experiment {
    name: "empty",
    about: "result pages without results: published threshold beside one fitted to each site",
    measure: Measure::Searches(measure, SITES),
    report,
    spec: deep_books,
};

/// Ordinary queries from which a site is learned, and queries that are judged.
pub(super) const ORDINARY: usize = 6;
const JUDGED: usize = 40;

/// Published precision and recall of pages with results, on ten sites.
const PUBLISHED: [f64; 2] = [0.89, 0.90];

/// Minimum precision and recall.
const TARGET: f64 = 0.99;

/// Methods, with what is known of objects; ours is the last.
const METHODS: [(Method, bool, &str); 3] = [
    (Method::Published, false, "published"),
    (Method::Fitted, false, "fitted, text alone"),
    (Method::Fitted, true, "fitted"),
];

pub(super) const PRECISION: &str = "precision";
pub(super) const RECALL: &str = "recall";
pub(super) const EMPTIES: &str = "pages without results that are recognised";
const ACCURACY: &str = "pages judged rightly";
pub(super) const WORST: [&str; 2] = ["precision of the worst site", "recall of the worst site"];

fn measure(site: &Site<'_>, seed: u64, sample: &mut Sample) {
    let mut random = Random::new(seed, 0xe3);
    let words: Vec<String> = site.title_words().into_iter().map(|(word, _)| word).collect();
    let frequent = &words[..words.len().div_ceil(4)];
    let references: Vec<String> = bad_queries(seed).into_iter().collect();
    let pick = |random: &mut Random, words: &[String]| random.pick(words).cloned().unwrap_or_default();
    let ordinary: Vec<String> = (0..ORDINARY).map(|_| pick(&mut random, frequent)).collect();
    let judged: Vec<String> = (0..JUDGED)
        .map(|number| match number % 5 {
            0 => pick(&mut random, frequent),
            // Most rare words and titles have one result.
            1 => pick(&mut random, &words),
            2 => {
                let record = random.pick(&site.records);
                record.map(|record| record.title.clone()).unwrap_or_default()
            }
            // Two words of different objects have mostly none.
            3 => format!("{} {}", pick(&mut random, &words), pick(&mut random, &words)),
            _ => nonsense(&mut random),
        })
        .collect();
    for (method, is_read, name) in METHODS {
        let read = |query: &String| result_page(&site.ask(query), query, is_read);
        let mut pages = EmptyPages::new(method);
        references
            .iter()
            .for_each(|query| pages.add_reference(read(query)));
        ordinary.iter().for_each(|query| pages.add_ordinary(read(query)));
        let (mut hits, mut false_hits, mut misses, mut right) = (0.0, 0.0, 0.0, 0.0);
        for query in &judged {
            let answer = site.ask(query);
            // A request that failed shows nothing to judge.
            if answer.url.is_empty() {
                continue;
            }
            let has_results = !answer.shown.is_empty;
            let judgement = pages.judge(&result_page(&answer, query, is_read));
            let is_kept = !judgement.is_empty;
            match (has_results, is_kept) {
                (true, true) => hits += 1.0,
                (false, true) => false_hits += 1.0,
                (true, false) => misses += 1.0,
                (false, false) => {}
            }
            right += f64::from(u8::from(has_results == is_kept));
            if has_results != is_kept {
                let objects = answer.outcome().objects.len();
                sample.detail(format!("{name}: `{query}` has {objects} objects, {judgement:?}"));
            }
        }
        let empties = judged.len() as f64 - hits - misses;
        // A site whose queries all have results, or none, shows nothing.
        if empties < 1.0 || hits + misses < 1.0 {
            continue;
        }
        let values = [share(hits, hits + false_hits), share(hits, hits + misses)];
        for ((quantity, worst), value) in [PRECISION, RECALL].into_iter().zip(WORST).zip(values) {
            sample.add(name, quantity, value);
            sample.add_lowest(name, worst, value);
        }
        sample.add(name, ACCURACY, right / judged.len() as f64);
    }
}

fn result_page(answer: &Answer, query: &str, is_read: bool) -> ResultPage {
    let objects = answer.shown.objects.iter().filter(|_| is_read);
    ResultPage::new(&answer.text, query, objects.map(|(id, _)| *id))
}

/// Returns a word that can be pronounced and that no object has.
fn nonsense(random: &mut Random) -> String {
    const CONSONANTS: &[u8] = b"qxzvjwk";
    const VOWELS: &[u8] = b"aeiou";
    let pick = |random: &mut Random, letters: &[u8]| {
        let letter = random.pick(letters).copied();
        char::from(letter.unwrap_or(b'x'))
    };
    (0..5)
        .flat_map(|_| [pick(random, CONSONANTS), pick(random, VOWELS)])
        .collect()
}

/// Returns the quantities, with the minimum of precision and recall.
pub(super) fn rows(target: f64) -> Vec<Row> {
    let [precision, recall] = PUBLISHED;
    let mut rows = vec![
        Row::new(PRECISION, "share")
            .more_is_better()
            .published(precision)
            .target(target),
        Row::new(RECALL, "share")
            .more_is_better()
            .published(recall)
            .target(target),
        Row::new(EMPTIES, "share").more_is_better(),
        Row::new(ACCURACY, "share").more_is_better(),
    ];
    rows.extend(WORST.map(|worst| Row::new(worst, "share").more_is_better()));
    rows
}

fn report(measured: &Measured, report: &mut Report) {
    let rows = rows(TARGET);
    let names = METHODS.map(|(_, _, name)| name);
    grid::add(report, "empty", &names, &rows, measured);
    report.note("precision, recall: of pages with results; mean over sites");
    report.note("published: similarity of at least 0.85 with one of five answers to nonsense");
    report.note("fitted, text alone: no vertical reads the pages; fitted: a vertical does");
    report.draw(chart(measured, &names));
}

/// Draws precision and recall of methods at each subject.
pub(super) fn chart(measured: &Measured, names: &[&str]) -> String {
    let bar = |subject: &str, quantity: &str, name: &str| {
        let mean = grid::mean(measured, &format!("{subject}, {name}"), quantity, "share");
        Bar {
            value: mean.map_or(0.0, |mean| mean.value),
            interval: mean.and_then(|mean| mean.interval),
        }
    };
    let groups = subjects(measured).into_iter().flat_map(|subject| {
        [PRECISION, RECALL].map(|quantity| {
            let bars = names.iter().map(|name| bar(&subject, quantity, name));
            (format!("{subject}: {quantity}"), bars.collect())
        })
    });
    let chart = BarChart {
        title: "Pages with results that are recognised".to_owned(),
        y: "share".to_owned(),
        kinds: names.iter().map(|name| (*name).to_owned()).collect(),
        groups: groups.collect(),
    };
    chart.to_svg()
}
