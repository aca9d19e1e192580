//! `rendering`: sites that show their objects by scripts: without a browser, with one for all
//! pages, and with one where learning finds it needed.

use std::collections::BTreeMap;

use anyhow::Result;
use magpie_engine::recrawl::Method;
use magpie_engine::site::LearnedRules;
use magpie_lab::{Web, WebSpec};
use magpie_patterns::rendering::Mode;
use magpie_plot::{Bar, BarChart};

use super::lab_server::LabServer;
use super::trial::{Round, Trial};
use super::{Experiment, Measure, Seed, table};
use crate::figure::{Figure, Report, cell};
use crate::mean::{Measured, share};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "rendering",
    about: "sites made by scripts, with and without a browser; pages that a steady round renders",
    measure: Measure::Crawls(measure),
    report,
    spec: |spec| {
        spec.scripted = 1_000;
        spec.deep = 0;
    },
};

/// Weeks after that of learning, each with a round. The last is the steady one.
const WEEKS: u32 = 3;

/// The same sites without scripts, where a browser is allowed.
const TWIN: &str = "the same sites without scripts";
const WITHOUT: &str = "no page rendered";
const EVERYTHING: &str = "every page rendered";
const SELECTIVE: &str = "rendered where needed";

const ALL: [&str; 4] = [TWIN, WITHOUT, EVERYTHING, SELECTIVE];

const LEARNED: &str = "objects after learning";
const STEADY: &str = "objects after the steady round";
const RELATIVE: &str = "objects beside those without scripts";
const FETCHES: &str = "fetches of the steady round";
const SECONDS: &str = "its seconds";
const RENDERED: &str = "rendered in it";
const TOUCHED: &str = "pages rendered on sites without scripts";

/// Ways that sites end with, by the most expensive rule of each.
const WAYS: [Mode; 4] = [Mode::Plain, Mode::Embedded, Mode::Endpoint, Mode::Render];

fn measure(seed: &Seed<'_>, measured: &mut Measured) -> Result<()> {
    let spec = seed.lab.web.spec().clone();
    let twin = seed.lab.beside(WebSpec { scripted: 0, ..spec })?;
    let plain = steady(seed, &twin, TWIN, "needed", measured)?;
    measured.add(TWIN, TOUCHED, plain.rendered as f64);
    for (name, pages) in [(WITHOUT, "never"), (EVERYTHING, "all"), (SELECTIVE, "needed")] {
        let run = steady(seed, &seed.lab, name, pages, measured)?;
        measured.add(name, RELATIVE, share(run.recall, plain.recall));
        if name == SELECTIVE {
            note_ways(&seed.lab.web, &run.rules, measured);
        }
    }
    Ok(())
}

/// A workspace after its steady round.
struct Steady {
    rules: LearnedRules,
    /// Share of the current objects that were found.
    recall: f64,
    /// Pages that were opened in a browser, from the beginning.
    rendered: u64,
}

/// Learns in week 0, recrawls in the weeks after it, and measures the last round.
fn steady(
    seed: &Seed<'_>,
    lab: &LabServer,
    name: &str,
    pages: &str,
    measured: &mut Measured,
) -> Result<Steady> {
    let changes = [
        ("render.pages", pages.to_owned()),
        ("render.browsers", "2".to_owned()),
    ];
    lab.go_to(0);
    seed.tell(&format!("learning: {name}"));
    let trial = Trial::with(lab, seed.workspace_path(name), &changes)?;
    trial.learn()?;
    measured.add(name, LEARNED, trial.score_all(&lab.truths())?.current.recall);
    let mut rendered = trial.session.rendered_pages();
    let trial = Trial::reopen(lab, trial.close(), &changes)?;
    let (mut round, mut in_round) = (Round::default(), 0);
    for week in 1..=WEEKS {
        lab.go_to(week);
        seed.tell(&format!("round of week {week}: {name}"));
        let before = trial.session.rendered_pages();
        round = trial.recrawl(Method::Selective)?;
        in_round = trial.session.rendered_pages() - before;
    }
    rendered += trial.session.rendered_pages();
    let recall = trial.score_all(&lab.truths())?.current.recall;
    let session = &trial.session;
    let rules = LearnedRules::read(session.store(), session.vertical())?;
    measured.add(name, STEADY, recall);
    measured.add(name, FETCHES, round.pages);
    measured.add(name, SECONDS, round.took.seconds);
    measured.add(name, RENDERED, share(in_round as f64, round.pages));
    trial.discard()?;
    Ok(Steady {
        rules,
        recall,
        rendered,
    })
}

/// Notes the share of sites that end with each way.
fn note_ways(web: &Web, learned: &LearnedRules, measured: &mut Measured) {
    let sites = web.sites().count() as f64;
    let mut counts = BTreeMap::from(WAYS.map(|mode| (mode, 0_u32)));
    for rules in learned.rules.values() {
        let way = rules.iter().map(|rule| rule.mode).max().unwrap_or(Mode::Plain);
        *counts.entry(way).or_default() += 1;
    }
    let with_rules = learned.rules.len() as f64;
    *counts.entry(Mode::Plain).or_default() += (sites - with_rules) as u32;
    for (mode, count) in counts {
        measured.add("sites", mode.as_str(), share(f64::from(count), sites));
    }
}

fn report(measured: &Measured, report: &mut Report) {
    let columns = [
        (LEARNED, "share"),
        (STEADY, "share"),
        (RELATIVE, "share"),
        (FETCHES, "pages"),
        (RENDERED, "share"),
        (SECONDS, "s"),
    ];
    let names = columns.map(|(name, _)| name);
    let head = [["sites made by scripts"].as_slice(), &names].concat();
    table::add(
        report,
        "rendering",
        &head,
        ALL,
        &columns,
        measured,
        |name, quantity, figure| match (name, quantity) {
            (SELECTIVE, RELATIVE) => figure.at_least(0.95),
            (SELECTIVE, RENDERED) => figure.at_most(0.05),
            (_, RENDERED | FETCHES | SECONDS) => figure,
            _ => figure.more_is_better(),
        },
    );
    report.table(&["sites that end as", ""]);
    for mode in WAYS {
        report.row([
            mode.to_string(),
            cell(measured.mean("sites", mode.as_str()), "share"),
        ]);
        if let Some(mean) = measured.mean("sites", mode.as_str()) {
            let figure = Figure::new(format!("rendering: sites that end as {mode}"), mean, "share");
            report.add(figure.more_is_better());
        }
    }
    if let Some(mean) = measured.mean(TWIN, TOUCHED) {
        report.add(Figure::new(format!("rendering: {TOUCHED}"), mean, "pages").at_most(0.0));
    }
    report.note("objects: share of the current objects of the web that were found");
    report.note("rendered: pages opened in a browser, with samples, per fetched page");
    let group = |quantity: &str| {
        let bars = ALL.map(|name| {
            let mean = measured.mean(name, quantity);
            Bar {
                value: mean.map_or(0.0, |mean| 100.0 * mean.value),
                interval: mean
                    .and_then(|mean| mean.interval)
                    .map(|(low, high)| (100.0 * low, 100.0 * high)),
            }
        });
        (quantity.to_owned(), bars.to_vec())
    };
    let chart = BarChart {
        title: "Sites made by scripts".to_owned(),
        y: "percent".to_owned(),
        kinds: ALL.map(str::to_owned).to_vec(),
        groups: vec![group(LEARNED), group(STEADY), group(RENDERED)],
    };
    report.draw(chart.to_svg());
}
