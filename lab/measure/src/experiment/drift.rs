//! `drift`: weekly recrawls of sites that are redesigned.

use std::path::Path;

use anyhow::Result;
use magpie_engine::recrawl::Method;
use magpie_lab::WebSpec;
use magpie_plot::{LineChart, Series};

use super::downloads::download;
use super::new_pages::{Learned, NewPages, PatternAccuracy, mistake};
use super::published::{METHODS, PublishedMethod};
use super::trial::Trial;
use super::{Experiment, Measure, Seed};
use crate::figure::{Figure, Report, cell};
use crate::mean::{Measured, share};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "drift",
    about: "eight weekly rounds on redesigned sites, with and without repair",
    measure: Measure::Crawls(measure),
    report,
    spec,
};

/// Number of weekly rounds.
const WEEKS: u32 = 8;

/// Webs with fewer sites are redesigned more often; otherwise nothing would happen in eight weeks.
const FEW_SITES: u32 = 30;

/// Share of sites that are redesigned in a week on such webs, in thousandths.
const FREQUENT_REDESIGNS: u32 = 60;

/// Recall of the patterns of each week, after its round, on pages that are new since week 0.
const PATTERN_RECALL: &str = "recall of patterns, weeks 2 to 8";

const RECALL_WEEKS: std::ops::RangeInclusive<u32> = 2..=WEEKS;

/// A published method without any renewal, for comparison.
const UNRENEWED: &PublishedMethod = &METHODS[4];

/// Our method with repair and exploration, and without.
const REPAIRED: &str = "ours";
const UNREPAIRED: &str = "ours without repair";

fn spec(spec: &mut WebSpec) {
    if spec.sites < FEW_SITES {
        spec.redesigns = spec.redesigns.max(FREQUENT_REDESIGNS);
    }
}

fn measure(seed: &Seed<'_>, measured: &mut Measured) -> Result<()> {
    let redesigned = seed.lab.web.sites().filter(|site| {
        let mut redesigns = site.redesigns.iter();
        redesigns.any(|redesign| (1..=WEEKS).contains(&redesign.week))
    });
    measured.add("web", "redesigned sites", redesigned.count() as f64);
    seed.tell("learning crawl in week 0");
    let learned = Trial::new(&seed.lab, seed.workspace_path("learned"))?;
    learned.download()?;
    learned.cluster()?;
    let learned = learned.close();
    let off = [
        ("recrawl.repair", "false".to_owned()),
        ("recrawl.explore", "0".to_owned()),
    ];
    let new = NewPages::new(&seed.lab.web);
    measure_rounds(seed, &learned, REPAIRED, &[], &new, measured)?;
    measure_rounds(seed, &learned, UNREPAIRED, &off, &new, measured)?;
    seed.tell(&format!("{} in week {WEEKS}", UNRENEWED.name));
    seed.lab.go_to(WEEKS);
    let folder = seed.workspace_path(UNRENEWED.name);
    let trial = Trial::copy(&seed.lab, &learned, folder, &UNRENEWED.settings())?;
    trial.patterns()?;
    let (_, round) = UNRENEWED.recrawl(&trial, 0)?;
    let found = trial.score_round(&round, &seed.lab.truths())?;
    trial.discard()?;
    seed.tell(&format!("full download in week {WEEKS}"));
    let full = download(seed, "full")?;
    let correct = full.found.current.correct as f64;
    measured.add("full", "pages", full.round.pages);
    let unrenewed = found.current.correct as f64;
    measured.add(UNRENEWED.name, "kept", share(unrenewed, correct));
    for name in [REPAIRED, UNREPAIRED] {
        let last = measured.last(&at(name, WEEKS), "correct").unwrap_or(0.0);
        measured.add(name, "kept", share(last, correct));
        let maintenance = measured.last(name, "maintenance").unwrap_or(0.0);
        measured.add(
            name,
            "maintenance of relearning",
            share(maintenance, full.round.pages),
        );
    }
    Ok(())
}

fn at(name: &str, week: u32) -> String {
    format!("{name}, week {week}")
}

/// Learns in week 0 and recrawls every week.
fn measure_rounds(
    seed: &Seed<'_>,
    learned: &Path,
    name: &str,
    changes: &[(&str, String)],
    new: &NewPages,
    measured: &mut Measured,
) -> Result<()> {
    seed.lab.go_to(0);
    let folder = seed.workspace_path(name);
    let trial = Trial::copy(&seed.lab, learned, folder.clone(), changes)?;
    trial.patterns()?;
    trial.choose()?;
    drop(trial);
    let (mut pages, mut maintenance) = (0.0, 0.0);
    let mut accuracy = PatternAccuracy::default();
    for week in 1..=WEEKS {
        seed.tell(&at(name, week));
        seed.lab.go_to(week);
        let trial = Trial::reopen(&seed.lab, folder.clone(), changes)?;
        let round = trial.recrawl(Method::Selective)?;
        let found = trial.score_all(&seed.lab.truths())?;
        pages += round.pages;
        maintenance += round.maintenance;
        measured.add(&at(name, week), "pages", round.pages);
        measured.add(&at(name, week), "maintenance", round.maintenance);
        measured.add(&at(name, week), "correct", found.current.correct as f64);
        measured.add(&at(name, week), "precision", found.current.precision);
        measured.add(&at(name, week), "recall", found.current.recall);
        if RECALL_WEEKS.contains(&week) {
            let learned = Learned::of(&trial)?;
            for (page, shows) in new.of(week) {
                let Some(is_matched) = learned.matches(&page) else {
                    continue;
                };
                accuracy.note(shows, is_matched);
                if let Some(mistake) = mistake(&page, shows, is_matched) {
                    seed.detail(|| format!("{}: {mistake}", at(name, week)));
                }
            }
        }
    }
    measured.add(name, PATTERN_RECALL, accuracy.recall());
    measured.add(name, "pages", pages);
    measured.add(name, "maintenance", maintenance);
    seed.lab.discard(&folder)
}

fn report(measured: &Measured, report: &mut Report) {
    report.table(&[
        "week",
        "pages",
        "to keep up",
        "recall",
        "precision",
        "without repair: pages",
        "recall",
    ]);
    for week in 1..=WEEKS {
        let of = |name: &str, quantity: &str| measured.mean(&at(name, week), quantity);
        report.row([
            week.to_string(),
            cell(of(REPAIRED, "pages"), ""),
            cell(of(REPAIRED, "maintenance"), ""),
            cell(of(REPAIRED, "recall"), "share"),
            cell(of(REPAIRED, "precision"), "share"),
            cell(of(UNREPAIRED, "pages"), ""),
            cell(of(UNREPAIRED, "recall"), "share"),
        ]);
    }
    report.table(&[
        "after eight weeks",
        "kept",
        "maintenance pages",
        "of learning again",
        PATTERN_RECALL,
    ]);
    for name in [REPAIRED, UNREPAIRED, UNRENEWED.name] {
        report.row([
            name.to_owned(),
            cell(measured.mean(name, "kept"), "share"),
            cell(measured.mean(name, "maintenance"), ""),
            cell(measured.mean(name, "maintenance of relearning"), "share"),
            cell(measured.mean(name, PATTERN_RECALL), "share"),
        ]);
    }
    let figures = [
        (REPAIRED, "kept", "share", Some(0.95)),
        (REPAIRED, "maintenance of relearning", "share", Some(0.10)),
        (REPAIRED, PATTERN_RECALL, "share", None),
        (UNREPAIRED, "kept", "share", None),
        (UNREPAIRED, PATTERN_RECALL, "share", None),
        (UNRENEWED.name, "kept", "share", None),
        ("web", "redesigned sites", "count", None),
    ];
    for (name, quantity, unit, target) in figures {
        let Some(mean) = measured.mean(name, quantity) else {
            continue;
        };
        let figure = Figure::new(format!("drift: {name}: {quantity}"), mean, unit);
        report.add(match (quantity, target) {
            ("kept", Some(target)) => figure.at_least(target),
            ("kept", None) => figure
                .more_is_better()
                .published((name == UNRENEWED.name).then_some(0.9)),
            (_, Some(target)) => figure.at_most(target),
            (PATTERN_RECALL, None) => figure.more_is_better(),
            _ => figure,
        });
    }
    report.note("kept: correct current objects, as a share of those of a full download in the last week; webs without any are excluded");
    report.note("published: about 90 % after two weeks; renewal by learning from scratch");
    report.note("recall of patterns: over pages that are new since week 0 and have current objects");
    let line = |name: &str| {
        let point = |week: u32| Some(measured.mean(&at(name, week), "recall")?.at(f64::from(week)));
        Series {
            name: name.to_owned(),
            points: (1..=WEEKS).filter_map(point).collect(),
        }
    };
    let chart = LineChart {
        title: "Known current objects on changing sites".to_owned(),
        x: "week".to_owned(),
        y: "share of what is on the web".to_owned(),
        series: [REPAIRED, UNREPAIRED].map(line).to_vec(),
    };
    report.draw(chart.to_svg());
}
