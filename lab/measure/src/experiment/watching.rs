//! `watching`: `magpie watch` itself, cycle by cycle over simulated weeks, at shares of the
//! requests of a full weekly recrawl.
//!
//! [`freshness`](super::freshness) simulates policies. This experiment runs the real code:
//! requests, pages, the component, the clusters.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use magpie_engine::settings::Budget;
use magpie_lab::Truth;

use super::downloads::download;
use super::trial::Trial;
use super::{Experiment, Measure, Seed, table};
use crate::figure::Report;
use crate::mean::{Measured, share};
use magpie_engine::watch::cycle;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "watching",
    about: "`magpie watch` over twelve weeks, at shares of the requests of a weekly recrawl: delay, objects",
    measure: Measure::Crawls(measure),
    report,
    // Redesigns are tested by another experiment.
    spec: |spec| spec.redesigns = 0,
};

const WEEKS: u32 = 12;

/// Last week. The objects held after it are compared with those of a full download.
const LAST: u32 = WEEKS - 1;

/// Number of weeks at the beginning for learning. Objects that are new in them are not counted.
const LEARNING_WEEKS: u32 = 4;

/// Number of weeks at the end whose new objects are not counted, as no time is left to find them.
const UNCOUNTED_WEEKS: u32 = 2;

/// Cycles a day. The lab's webs change at once on Mondays, from which delays are counted.
const CYCLES_PER_DAY: u32 = 4;

/// Budgets, as shares of the requests of a full recrawl every week.
const SHARES: [(f64, &str); 3] = [(0.05, "5 %"), (0.1, "10 %"), (0.25, "25 %")];

/// Budget at which new objects should be found within half a period.
const SMALL_BUDGET: &str = "10 %";

/// Half a week, in days.
const HALF_WEEK: f64 = 3.5;

const WEEK: Duration = Duration::from_secs(7 * 86_400);

const HOURS_PER_CYCLE: i64 = 24 / CYCLES_PER_DAY as i64;

fn measure(seed: &Seed<'_>, measured: &mut Measured) -> Result<()> {
    seed.tell("learning crawl in week 0");
    let learned = Trial::new(&seed.lab, seed.workspace_path("learned"))?;
    learned.download()?;
    learned.cluster()?;
    learned.patterns()?;
    learned.choose()?;
    let learned = learned.close();
    seed.lab.go_to(LAST);
    seed.tell(&format!("full download in week {LAST}"));
    let full = download(seed, "full")?;
    measured.add("full", "requests", full.round.requests);
    for (part, name) in SHARES {
        let budget = Budget::pages(full.round.requests * part, WEEK);
        let watched = watched(seed, &learned, name, budget)?;
        let weekly = watched.requests / f64::from(WEEKS);
        measured.add(name, "requests", weekly);
        measured.add(name, "requests of full", share(weekly, full.round.requests));
        let kept = share(watched.current, full.found.current.correct as f64);
        measured.add(name, "kept", kept);
        measured.add(name, "new objects", watched.delays.len() as f64);
        let found = watched.delays.iter().filter(|delay| delay.is_finite()).count();
        measured.add(name, "found", share(found as f64, watched.delays.len() as f64));
        if let Some(median) = median(watched.delays) {
            measured.add(name, "delay", median);
        }
    }
    seed.lab.discard(&learned)
}

struct Watched {
    requests: f64,
    /// Number of correct current objects that it holds at the end.
    current: f64,
    /// Days from the appearance of each object until it was found; infinite if it was not.
    delays: Vec<f64>,
}

fn watched(seed: &Seed<'_>, learned: &Path, name: &str, budget: Budget) -> Result<Watched> {
    let folder = seed.workspace_path(name);
    seed.lab.go_to(0);
    drop(Trial::copy(&seed.lab, learned, folder.clone(), &[])?);
    let mut known: HashSet<u32> = within_reach(&seed.lab.web.truth(0)).collect();
    let mut waiting: BTreeMap<u32, u32> = BTreeMap::new();
    let mut delays = Vec::new();
    let mut requests = 0.0;
    for week in 0..WEEKS {
        seed.tell(&format!("watch at {name}, week {week}"));
        seed.lab.go_to(week);
        let trial = Trial::reopen(&seed.lab, folder.clone(), &[])?;
        let truth = seed.lab.web.truth(week);
        for object in within_reach(&truth).filter(|object| known.insert(*object)) {
            if (LEARNING_WEEKS..WEEKS - UNCOUNTED_WEEKS).contains(&week) {
                waiting.insert(object, week);
            }
        }
        for step in 0..7 * CYCLES_PER_DAY {
            seed.lab.go_to_hour(week, i64::from(step) * HOURS_PER_CYCLE);
            let before = seed.lab.traffic().requests;
            cycle(&trial.session, budget, &mut ())?;
            requests += (seed.lab.traffic().requests - before) as f64;
            for object in trial.recognised(&truth)? {
                if let Some(since) = waiting.remove(&object) {
                    let hours = i64::from(week - since) * 7 * 24 + i64::from(step) * HOURS_PER_CYCLE;
                    delays.push(hours as f64 / 24.0);
                }
            }
        }
        // Objects that were cancelled or removed from the web again are no longer waited for.
        let still: HashSet<u32> = within_reach(&truth).collect();
        let gone = waiting.keys().filter(|object| !still.contains(object));
        let gone: Vec<u32> = gone.copied().collect();
        for object in gone {
            waiting.remove(&object);
            delays.push(f64::INFINITY);
        }
    }
    delays.extend(waiting.iter().map(|_| f64::INFINITY));
    seed.lab.go_to(LAST);
    let trial = Trial::reopen(&seed.lab, folder, &[])?;
    let current = trial.score_all(&seed.lab.truths())?.current.correct as f64;
    trial.discard()?;
    Ok(Watched {
        requests,
        current,
        delays,
    })
}

/// Iterates over the current objects on pages that work.
fn within_reach(truth: &Truth) -> impl Iterator<Item = u32> + '_ {
    let works = |page: &u32| {
        truth
            .pages
            .get(*page as usize)
            .is_some_and(|page| !page.is_broken)
    };
    let objects = truth.objects.iter().filter(|object| !object.is_gone);
    objects
        .filter(move |object| object.pages.iter().any(works))
        .map(|object| object.id)
}

fn median(mut delays: Vec<f64>) -> Option<f64> {
    delays.sort_by(f64::total_cmp);
    let middle = delays.get(delays.len() / 2).copied()?;
    // The median is infinite if more than half were not found; it is then given as the whole time.
    Some(middle.min(f64::from(WEEKS) * 7.0))
}

fn report(measured: &Measured, report: &mut Report) {
    let head = [
        "budget",
        "requests a week",
        "of full",
        "new objects",
        "found",
        "median delay, days",
        "kept",
    ];
    let columns = [
        ("requests", "count"),
        ("requests of full", "share"),
        ("new objects", "count"),
        ("found", "share"),
        ("delay", "days"),
        ("kept", "share"),
    ];
    let names = SHARES.map(|(_, name)| name);
    table::add(
        report,
        "watching",
        &head,
        names,
        &columns,
        measured,
        |name, quantity, figure| match quantity {
            "delay" if name == SMALL_BUDGET => figure.at_most(HALF_WEEK),
            "found" | "kept" => figure.more_is_better(),
            _ => figure,
        },
    );
    report.note("requests: including robots.txt and sitemaps; a full weekly recrawl requests every page");
    report.note("delay: from the Monday on which an object appeared until it was found; objects never found count as the whole time");
    report.note("kept: correct current objects, as a share of those of a full download in the last week");
}
