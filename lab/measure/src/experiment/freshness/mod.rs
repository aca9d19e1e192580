//! `freshness`: freshness of the held data, by the policy that distributes visits.
//!
//! This is a simulation without any requests. The state of every page of the lab's web is known at
//! all times, and a visit shows it as a crawl would see it. A change is a change of the page's
//! statements about objects.

pub(crate) mod gap;
mod policy;
mod prediction;
mod simulation;
mod tally;
mod world;

use magpie_lab::Web;
use magpie_plot::{LineChart, Series};

use super::trial::timed;
use super::{Experiment, Measure, Progress, table};
use crate::figure::{Figure, Report, format_number};
use crate::mean::{Measured, share};
use policy::{POLICIES, Policy};
use simulation::{Discovery, Outcome, Scenario, simulate};
use world::World;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "freshness",
    about: "uniform, proportional and our schedules beside an oracle: freshness, age, objects, delay",
    measure: Measure::Truth(measure, SITES),
    report,
    // Redesigns are tested by another experiment; here pages keep their URLs.
    spec: |spec| spec.redesigns = 0,
};

/// Number of sites of a web, for about 6,000 pages.
const SITES: u32 = 30;

const WEEKS: u32 = 40;

/// Weeks at the beginning for learning; excluded from the measurements of all policies.
const LEARNING_WEEKS: u32 = 10;

/// Visits per page from which all policies learn in the same way, one a week. Afterwards each
/// policy runs for `AFTERWARDS` weeks with `PER_PAGE` visits a page and week.
const LESSONS: [u32; 3] = [2, 10, 30];
const AFTERWARDS: u32 = 10;
const PER_PAGE: f64 = 0.4;

/// Number of visits after which most of the gap should be closed.
const TARGET_LESSONS: u32 = 10;

/// Only new objects that appear at least this many weeks before the end count. An object that is
/// not found counts as found at the end.
const WAIT: f64 = 4.0;

/// Visits a week for each watched page, if crawlers are notified of new pages.
const VISITS: [(f64, &str); 3] = [(0.1, "0.1"), (0.25, "0.25"), (1.0, "1")];

/// Shares of the requests of a full weekly recrawl, if crawlers follow links. Such a recrawl
/// requests every page.
const REQUESTS: [(f64, &str); 3] = [(0.05, "5 %"), (0.1, "10 %"), (0.25, "25 %")];

/// Budget at which new objects should be found soon.
const SMALL_BUDGET: &str = "10 %";

/// Days in a week; ages and delays are given in days.
const DAYS: f64 = 7.0;

/// Half of the period of a weekly recrawl.
const HALF_WEEK: f64 = DAYS / 2.0;

/// Share of the gap that should be closed after ten visits a page.
const MIN_GAP_CLOSED: f64 = 0.85;

/// Minimum gain of the oracle in freshness for which shares of it are reported. Random times of
/// page changes alone cause differences of some tenths of a percent.
const MIN_GAP: f64 = 0.01;

/// Policies that are notified of new pages. Ours for objects is excluded, since its
/// strength is to find new pages.
const TOLD_POLICIES: [Policy; 5] = [
    Policy::Uniform,
    Policy::Proportional,
    Policy::PerPage,
    Policy::Pattern,
    Policy::Oracle,
];

fn measure(web: &Web, progress: &Progress, measured: &mut Measured) {
    let (took, ()) = timed(|| {
        progress.tell("building the histories of all pages");
        let world = World::of(web, WEEKS);
        let there: Vec<u32> = (0..WEEKS).map(|week| world.count(f64::from(week))).collect();
        for lessons in LESSONS {
            progress.tell(&after(lessons));
            let mut visits = there[..(lessons + AFTERWARDS) as usize].to_vec();
            let rest = budget(&visits[lessons as usize..], PER_PAGE);
            visits.splice(lessons as usize.., rest);
            let scenario = Scenario {
                visits,
                learning: lessons,
                has_uniform_learning: true,
                discovery: Discovery::Told,
            };
            let outcomes = TOLD_POLICIES.map(|policy| simulate(&world, &scenario, policy));
            note_pages(measured, &after(lessons), &outcomes);
        }
        for (share, name) in VISITS {
            progress.tell(&told(name));
            let scenario = Scenario::by_own(budget(&there, share), Discovery::Told);
            let outcomes = TOLD_POLICIES.map(|policy| simulate(&world, &scenario, policy));
            note_pages(measured, &told(name), &outcomes);
        }
        for (share, name) in REQUESTS {
            progress.tell(&linked(name));
            let scenario = Scenario::by_own(budget(&world.full[..WEEKS as usize], share), Discovery::Linked);
            for policy in POLICIES {
                let outcome = simulate(&world, &scenario, policy);
                note_objects(measured, &world, &named(policy, &linked(name)), &outcome);
            }
        }
    });
    if let Some(cpu) = took.cpu {
        measured.add("simulation", "CPU seconds", cpu);
    }
}

impl Scenario {
    /// Each policy chooses its visits from the beginning.
    fn by_own(visits: Vec<u32>, discovery: Discovery) -> Self {
        Self {
            visits,
            learning: LEARNING_WEEKS,
            has_uniform_learning: false,
            discovery,
        }
    }
}

/// Returns the number of visits in each week, in proportion to the number of pages.
fn budget(pages: &[u32], share: f64) -> Vec<u32> {
    pages
        .iter()
        .map(|pages| (f64::from(*pages) * share).round() as u32)
        .collect()
}

fn after(lessons: u32) -> String {
    format!("after {lessons} visits a page")
}

fn told(visits: &str) -> String {
    format!("{visits} visits a page and week")
}

fn linked(requests: &str) -> String {
    format!("{requests} of a full weekly recrawl")
}

fn named(policy: Policy, budget: &str) -> String {
    format!("{}, {budget}", policy.name())
}

/// Records the freshness of pages, and the share of the gap between uniform and the oracle that is
/// closed.
fn note_pages(measured: &mut Measured, budget: &str, outcomes: &[Outcome; TOLD_POLICIES.len()]) {
    let fresh = outcomes.each_ref().map(|outcome| outcome.tally.freshness());
    let gap = fresh[TOLD_POLICIES.len() - 1] - fresh[0];
    for ((policy, outcome), reached) in TOLD_POLICIES.iter().zip(outcomes).zip(fresh) {
        let name = named(*policy, budget);
        measured.add(&name, "requests", outcome.requests);
        measured.add(&name, "freshness", reached);
        measured.add(&name, "age", outcome.tally.age() * DAYS);
        if gap >= MIN_GAP {
            measured.add(&name, "gap closed", (reached - fresh[0]) / gap);
        }
    }
}

/// Records the correctness of the held objects, and the delay until new ones are found.
fn note_objects(measured: &mut Measured, world: &World, name: &str, outcome: &Outcome) {
    let full: u32 = world.full[..WEEKS as usize].iter().sum();
    measured.add(name, "requests", outcome.requests);
    measured.add(
        name,
        "requests of a full recrawl",
        share(outcome.requests, f64::from(full)),
    );
    measured.add(name, "objects right", outcome.tally.objects());
    let found = found(world, outcome);
    if let Some(delay) = median(found.iter().map(|(_, delay)| *delay).collect()) {
        measured.add(name, "delay", delay * DAYS);
    }
    let seen = found.iter().filter(|(is_seen, _)| *is_seen).count();
    measured.add(name, "new objects found", share(seen as f64, found.len() as f64));
}

/// Returns, for each new object, whether it was found by the end, and the delay.
fn found(world: &World, outcome: &Outcome) -> Vec<(bool, f64)> {
    let (from, upto) = (f64::from(LEARNING_WEEKS), f64::from(WEEKS) - WAIT);
    let new = world.objects.iter().zip(&outcome.seen);
    let new = new.filter(|(time, _)| (from..upto).contains(&time.start));
    new.map(|(time, seen)| (seen.is_some(), seen.unwrap_or(f64::from(WEEKS)) - time.start))
        .collect()
}

fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() % 2 {
        _ if numbers.is_empty() => None,
        1 => Some(numbers[middle]),
        _ => Some((numbers[middle - 1] + numbers[middle]) / 2.0),
    }
}

/// Quantities measured of pages, and of objects.
const OF_PAGES: [(&str, &str); 4] = [
    ("freshness", "share"),
    ("age", "days"),
    ("gap closed", "share"),
    ("requests", "count"),
];
const OF_OBJECTS: [(&str, &str); 5] = [
    ("objects right", "share"),
    ("delay", "days"),
    ("new objects found", "share"),
    ("requests of a full recrawl", "share"),
    ("requests", "count"),
];

fn report(measured: &Measured, report: &mut Report) {
    let lessons = LESSONS.map(after);
    let budgets = VISITS.map(|(_, name)| told(name));
    for budget in lessons.iter().chain(&budgets) {
        let head = [budget, "pages fresh", "age, days", "gap closed", "requests"];
        let subjects = TOLD_POLICIES.map(|policy| named(policy, budget));
        table::add(
            report,
            "freshness",
            &head,
            subjects,
            &OF_PAGES,
            measured,
            with_target,
        );
    }
    for (_, name) in REQUESTS {
        let budget = linked(name);
        let head = [
            &budget,
            "objects right",
            "new ones after, days",
            "new ones found",
            "requests of a full recrawl",
            "requests",
        ];
        let subjects = POLICIES.map(|policy| named(policy, &budget));
        table::add(
            report,
            "freshness",
            &head,
            subjects,
            &OF_OBJECTS,
            measured,
            with_target,
        );
    }
    published(report);
    if let Some(mean) = measured.mean("simulation", "CPU seconds") {
        report.add(Figure::new("freshness: simulation: CPU seconds", mean, "s"));
    }
    report.note("after N visits a page: uniform visits, one a week; then measured at 0.4 a week");
    report.note("visits a page: crawlers are told of new pages; requests of a recrawl: they follow links");
    report.note(
        "gap closed: over webs where the oracle gains at least one percent of freshness over uniform visits",
    );
    report.note("all changes of a week to an object on a site happen at one random time of the week");
    report.note(
        "the oracle knows mean rates, not times: one for each list, one for the detail pages of a site,",
    );
    report.note("before and after their date; many visits to single pages can yield better estimates");
    report.draw(chart(measured).to_svg());
}

fn with_target(subject: &str, quantity: &str, figure: Figure) -> Figure {
    match quantity {
        "delay" if subject == named(Policy::Objects, &linked(SMALL_BUDGET)) => figure.at_most(HALF_WEEK),
        "gap closed" if subject == named(Policy::Pattern, &after(TARGET_LESSONS)) => {
            figure.at_least(MIN_GAP_CLOSED)
        }
        "delay" | "age" | "requests" | "requests of a full recrawl" => figure,
        _ => figure.more_is_better(),
    }
}

/// Reports the published table beside the results of our schedules for similar rates.
fn published(report: &mut Report) {
    report.table(&[
        "visits once a month",
        "published",
        "computed",
        "age, days, published",
        "computed",
    ]);
    for published in &prediction::PUBLISHED {
        let (freshness, age) = prediction::computed(published);
        for (distribution, name) in prediction::DISTRIBUTIONS.iter().enumerate() {
            let name = format!("{}, {name}", published.name);
            let numbers = [
                (
                    "freshness",
                    published.freshness[distribution],
                    freshness[distribution],
                    "ratio",
                ),
                ("age", published.age[distribution], age[distribution], "days"),
            ];
            let cells = numbers.map(|(_, published, computed, unit)| {
                [format_number(published, unit), format_number(computed, unit)]
            });
            report.row([name.clone()].into_iter().chain(cells.into_iter().flatten()));
            for (quantity, published, value, unit) in numbers {
                let figure = Figure::new(format!("freshness: published, {name}: {quantity}"), value, unit);
                let figure = match quantity {
                    "freshness" => figure.more_is_better(),
                    _ => figure,
                };
                report.add(figure.published(Some(published)).note(
                    "computed for log-normal rates with the published freshness of proportional and uniform visits",
                ));
            }
        }
    }
}

fn chart(measured: &Measured) -> LineChart {
    let line = |policy: Policy| {
        let point = |(visits, name): (f64, &str)| {
            let mean = measured.mean(&named(policy, &told(name)), "freshness")?;
            Some(mean.at(visits))
        };
        Series {
            name: policy.name().to_owned(),
            points: VISITS.into_iter().filter_map(point).collect(),
        }
    };
    LineChart {
        title: "Share of fresh pages".to_owned(),
        x: "visits a week for each page".to_owned(),
        y: "share of pages and time".to_owned(),
        series: TOLD_POLICIES.map(line).to_vec(),
    }
}
