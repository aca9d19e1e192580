//! `rendering`: sites that show their objects by scripts, with and without a browser.

use std::collections::BTreeMap;

use magpie_engine::collect::{LearnedRules, Method};
use magpie_lab::{Web, WebSpec};
use magpie_model::CanonicalUrl;
use magpie_patterns::rendering::{Mode, RenderingRules};
use magpie_plot::{Bar, BarChart};

use super::figure::{Figure, Report, cell};
use super::lab_server::LabServer;
use super::measured::{Measured, share};
use super::trial::{Round, Trial};
use super::{Experiment, Measure, Seed};
use magpie_terminal::Failure;

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

/// The same sites without scripts.
const TWIN: &str = "the same sites without scripts";
const WITHOUT: &str = "without a browser";
const WITH: &str = "with a browser";

const LEARNED: &str = "objects after learning";
const STEADY: &str = "objects after the steady round";
const RELATIVE: &str = "objects beside those without scripts";
const FETCHES: &str = "fetches of the steady round";
const RENDERED: &str = "rendered";
const TOUCHED: &str = "plain sites with a rendered page";

/// Ways that sites end with, by the most expensive rule of each.
const WAYS: [Mode; 4] = [Mode::Plain, Mode::Embedded, Mode::Endpoint, Mode::Render];

fn measure(seed: &Seed<'_>, measured: &mut Measured) -> Result<(), Failure> {
    let spec = seed.lab.web.spec().clone();
    let twin = seed.lab.beside(WebSpec { scripted: 0, ..spec })?;
    let plain = steady(seed, &twin, TWIN, true, measured)?;
    let touched = plain.rules.rules.len();
    measured.add(
        TWIN,
        TOUCHED,
        share(touched as f64, twin.web.sites().count() as f64),
    );
    for (name, has_browser) in [(WITHOUT, false), (WITH, true)] {
        let run = steady(seed, &seed.lab, name, has_browser, measured)?;
        measured.add(name, RELATIVE, share(run.recall, plain.recall));
        if has_browser {
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
}

/// Learns in week 0, recrawls in the weeks after it, and measures the last round.
fn steady(
    seed: &Seed<'_>,
    lab: &LabServer,
    name: &str,
    has_browser: bool,
    measured: &mut Measured,
) -> Result<Steady, Failure> {
    let changes = [("render.enabled", has_browser.to_string())];
    lab.go_to(0);
    seed.tell(&format!("learning {name}"));
    let trial = Trial::with(lab, seed.workspace_path(name), &changes)?;
    trial.learn()?;
    measured.add(name, LEARNED, trial.score_all(&lab.truths())?.current.recall);
    let folder = trial.close();
    let trial = Trial::reopen(lab, folder, &changes)?;
    let mut round = Round::default();
    for week in 1..=WEEKS {
        lab.go_to(week);
        seed.tell(&format!("round of week {week} {name}"));
        round = trial.recrawl(Method::Selective)?;
    }
    let recall = trial.score_all(&lab.truths())?.current.recall;
    let session = &trial.session;
    let rules = LearnedRules::read(session.store(), session.vertical())?;
    measured.add(name, STEADY, recall);
    measured.add(name, FETCHES, round.pages);
    let urls = trial.urls_of(&round)?;
    let rendered = rendered(&trial, &rules, &urls);
    measured.add(name, RENDERED, share(rendered as f64, urls.len() as f64));
    trial.discard()?;
    Ok(Steady { rules, recall })
}

/// Counts the pages that a browser shows.
fn rendered(trial: &Trial<'_>, learned: &LearnedRules, urls: &[String]) -> usize {
    let keys = learned.rules.keys();
    let rules: BTreeMap<&String, RenderingRules> = keys
        .map(|key| (key, RenderingRules::new(learned.of(key).to_vec())))
        .collect();
    let is_rendered = |url: &&String| {
        let url = CanonicalUrl::trusted(url.as_str());
        url.is_some_and(|url| {
            let rules = rules.get(&trial.session.site_key(&url));
            rules.is_some_and(|rules| rules.mode(&url) == Mode::Render)
        })
    };
    urls.iter().filter(is_rendered).count()
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
    report.table(&["", LEARNED, STEADY, RELATIVE, FETCHES, RENDERED]);
    for name in [TWIN, WITHOUT, WITH] {
        let of = |quantity, unit| cell(measured.mean(name, quantity), unit);
        report.row([
            name.to_owned(),
            of(LEARNED, "share"),
            of(STEADY, "share"),
            of(RELATIVE, "share"),
            of(FETCHES, "pages"),
            of(RENDERED, "share"),
        ]);
    }
    report.table(&["sites that end as", ""]);
    for mode in WAYS {
        report.row([
            mode.to_string(),
            cell(measured.mean("sites", mode.as_str()), "share"),
        ]);
        if let Some(mean) = measured.mean("sites", mode.as_str()) {
            let figure = Figure::new(format!("rendering: sites that end as {mode}"), mean, "share");
            report.figure(figure.more_is_better());
        }
    }
    for name in [TWIN, WITHOUT, WITH] {
        for quantity in [LEARNED, STEADY, RELATIVE, RENDERED] {
            let Some(mean) = measured.mean(name, quantity) else {
                continue;
            };
            let figure = Figure::new(format!("rendering: {name}: {quantity}"), mean, "share");
            report.figure(match (name, quantity) {
                (WITH, RELATIVE) => figure.at_least(0.95),
                (WITH, RENDERED) => figure.at_most(0.05),
                (_, RENDERED) => figure,
                _ => figure.more_is_better(),
            });
        }
    }
    if let Some(mean) = measured.mean(TWIN, TOUCHED) {
        report.figure(Figure::new(format!("rendering: {TOUCHED}"), mean, "share").at_most(0.0));
    }
    report.note("objects: share of the current objects of the web that were found");
    let group = |quantity: &str| {
        let bars = [TWIN, WITHOUT, WITH].map(|name| {
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
        y: "share of the current objects, in percent".to_owned(),
        kinds: [TWIN, WITHOUT, WITH].map(str::to_owned).to_vec(),
        groups: vec![group(LEARNED), group(STEADY)],
    };
    report.draw(chart.to_svg());
}
