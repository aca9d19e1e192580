//! `until`: learning that leaves a site when most of its objects are found, beside a full crawl.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use magpie_engine::crawl::FoundShare;
use magpie_engine::recrawl::Method;
use magpie_plot::{LineChart, Point, Series};
use magpie_rows::ObjectId;

use super::trial::Trial;
use super::{Experiment, Measure, Seed, table};
use crate::figure::{Figure, Report};
use crate::mean::{Measured, share};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "until",
    about: "learning from a part of each site: pages, coverage, and the estimated share of objects",
    measure: Measure::Crawls(measure),
    report,
    spec: |_| {},
};

/// Values of `learn.until`.
const SHARES: [&str; 4] = ["0.8", "0.9", "0.95", "0.99"];

const AIMED: &str = "0.95";

/// Trials with that value by other orders than by yield: the name, and `learn.order`.
const ORDERS: [(&str, &str); 2] = [("0.95, expected", "expected"), ("0.95, walk", "walk")];

/// Returns the trials: the name, `learn.until` and `learn.order`.
fn trials() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let by_yield = SHARES.map(|until| (until, until, "yield"));
    by_yield
        .into_iter()
        .chain(ORDERS.map(|(name, order)| (name, AIMED, order)))
}

/// Minimum number of objects of a site in the calibration, since the share of fewer means
/// little.
const MIN_OBJECTS: usize = 10;

type Objects = BTreeMap<String, BTreeSet<ObjectId>>;

/// The results of learning from all pages or from a part of them.
struct Learned {
    pages: f64,
    objects: Objects,
    found: BTreeMap<String, FoundShare>,
    /// Current objects that are held after the first recrawl, a week later.
    kept: f64,
}

fn measure(seed: &Seed<'_>, measured: &mut Measured) -> Result<()> {
    seed.tell("learning from all pages");
    let full = learn(seed, "full", &[])?;
    measured.add("1", "pages", full.pages);
    for (name, until, order) in trials() {
        seed.tell(&format!("learning until {name}"));
        let changes = [
            ("learn.until", until.to_owned()),
            ("learn.order", order.to_owned()),
        ];
        let part = learn(seed, name, &changes)?;
        let until = name;
        let all = |objects: &Objects| objects.values().map(BTreeSet::len).sum::<usize>() as f64;
        measured.add(until, "pages", part.pages);
        measured.add(until, "pages of full", share(part.pages, full.pages));
        measured.add(
            until,
            "objects of full",
            share(all(&part.objects), all(&full.objects)),
        );
        measured.add(until, "coverage of full", share(part.kept, full.kept));
        calibrate(seed, until, &part, &full.objects, measured);
    }
    Ok(())
}

/// Learns in a workspace of its own, and recrawls a week later.
fn learn(seed: &Seed<'_>, name: &str, changes: &[(&str, String)]) -> Result<Learned> {
    seed.lab.go_to(0);
    let folder = seed.workspace_path(name);
    let trial = Trial::with(&seed.lab, folder.clone(), changes)?;
    let round = trial.download()?;
    trial.cluster()?;
    let objects = trial.objects_by_host()?;
    trial.patterns()?;
    trial.choose()?;
    drop(trial);
    seed.lab.go_to(1);
    let trial = Trial::reopen(&seed.lab, folder, &[])?;
    trial.recrawl(Method::Selective)?;
    let kept = trial.score_all(&seed.lab.truths())?.current.correct as f64;
    trial.discard()?;
    Ok(Learned {
        pages: round.pages,
        objects,
        found: round.found,
        kept,
    })
}

/// Compares the estimates at the stop with the objects of the full crawl.
fn calibrate(seed: &Seed<'_>, until: &str, part: &Learned, full: &Objects, measured: &mut Measured) {
    let (mut errors, mut biases) = (Vec::new(), Vec::new());
    let (mut estimated, mut expected, mut found, mut all) = (0.0, 0.0, 0.0, 0.0);
    for (site, estimate) in &part.found {
        // A site has all hosts of its domain.
        let is_own = |host: &str| {
            host == site
                || host
                    .strip_suffix(site.as_str())
                    .is_some_and(|sub| sub.ends_with('.'))
        };
        let of = |objects: &Objects| {
            let own = objects.iter().filter(|(host, _)| is_own(host));
            own.flat_map(|(_, objects)| objects)
                .collect::<BTreeSet<_>>()
                .len()
        };
        let (own, whole) = (of(&part.objects), of(full));
        seed.detail(|| {
            let FoundShare { objects, expected } = estimate;
            format!("{until} {site}: {objects} of {expected} estimated, {own} of {whole} true")
        });
        if whole < MIN_OBJECTS {
            continue;
        }
        // A full crawl may have fewer objects, since clustering merges records of one object.
        let truth = (own as f64 / whole as f64).min(1.0);
        errors.push((estimate.share() - truth).abs());
        biases.push(estimate.share() - truth);
        estimated += estimate.objects as f64;
        expected += estimate.expected as f64;
        found += own as f64;
        all += whole as f64;
    }
    let mean = |numbers: &[f64]| share(numbers.iter().sum(), numbers.len() as f64);
    let near = errors.iter().filter(|error| **error <= 0.05).count() as f64;
    measured.add(until, "sites left", part.found.len() as f64);
    measured.add(until, "error", mean(&errors));
    measured.add(until, "bias", mean(&biases));
    measured.add(until, "within .05", share(near, errors.len() as f64));
    measured.add(until, "estimated", share(estimated, expected));
    measured.add(until, "true", share(found.min(all), all));
}

const COLUMNS: [(&str, &str); 10] = [
    ("pages", "count"),
    ("pages of full", "share"),
    ("objects of full", "share"),
    ("coverage of full", "share"),
    ("sites left", "count"),
    ("estimated", "share"),
    ("true", "share"),
    ("bias", "difference"),
    ("error", "difference"),
    ("within .05", "share"),
];

fn report(measured: &Measured, report: &mut Report) {
    let names = COLUMNS.map(|(quantity, _)| quantity);
    let head = [["until"].as_slice(), &names].concat();
    let subjects = trials().map(|(name, ..)| name);
    table::add(report, "until", &head, subjects, &COLUMNS, measured, with_target);
    report.note("coverage: current objects held after the first recrawl, beside those of a full learning");
    report.note("expected and walk choose each page by itself (`learn.order`), the others by the yield of kinds of pages");
    report.note("estimated and true: shares of the objects of the sites that were left early");
    report.draw(chart(measured).to_svg());
}

fn with_target(until: &str, quantity: &str, figure: Figure) -> Figure {
    match (until, quantity) {
        (AIMED, "pages of full") => figure.at_most(0.25),
        (AIMED, "coverage of full") => figure.at_least(0.95),
        (AIMED, "error") => figure.at_most(0.05),
        (_, "pages" | "pages of full" | "error" | "bias") => figure,
        _ => figure.more_is_better(),
    }
}

fn chart(measured: &Measured) -> LineChart {
    let series = |name: &str, quantity: &str| {
        let points = SHARES.iter().filter_map(|until| {
            let x = measured.mean(until, "pages of full")?;
            Some(measured.mean(until, quantity)?.at(x.value))
        });
        let mut points: Vec<Point> = points.collect();
        points.push(Point::new(1.0, 1.0));
        points.sort_by(|one, other| one.x.total_cmp(&other.x));
        Series {
            name: name.to_owned(),
            points,
        }
    };
    LineChart {
        title: "Learning from a part of each site".to_owned(),
        x: "share of the pages of a full crawl".to_owned(),
        y: "share of a full crawl".to_owned(),
        series: vec![
            series("objects found", "objects of full"),
            series("coverage of the selection", "coverage of full"),
        ],
    }
}
