//! `aging`: quality of patterns that were learned weeks ago.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use magpie_engine::recrawl::Method;
use magpie_lab::SiteInfo;
use magpie_plot::{LineChart, Series};

use super::downloads::measure_full_download;
use super::lab_server::Truths;
use super::new_pages::{Learned, NewPages, PatternAccuracy, mistake};
use super::published::{self, METHODS, Reference};
use super::trial::Trial;
use super::{Experiment, Measure, Seed};
use crate::figure::{Figure, Report, cell, format_number};
use crate::mean::Measured;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "aging",
    about: "patterns of week 0 compared with new ones in weeks 1, 2, 4, 8 and 16",
    measure: Measure::Crawls(measure),
    report,
    spec: |_| {},
};

/// Weeks in which patterns are measured.
const WEEKS: [u32; 5] = [1, 2, 4, 8, 16];

/// Weeks over which learned patterns should stay valid.
const FUTURE_WEEKS: std::ops::RangeInclusive<u32> = 2..=8;

const PUBLISHED_WEEK: u32 = 2;

/// The published methods that are measured: all patterns and the paper's.
const TRIED: [usize; 4] = [0, 4, 5, 6];

const OURS: &str = "ours";

/// Future recall on sites that still have the design from which the patterns were learned.
const NOT_REDESIGNED: &str = "recall without redesigned sites";

/// Share of the wanted pages that are on redesigned sites. Patterns learned before the redesign
/// cannot know these.
const REDESIGNED: &str = "of them on redesigned sites";

/// Future recall that also counts pages on which all objects are past. Patterns are not learned for
/// such pages.
const WITH_PAST: &str = "recall with pages of past objects";

/// The two methods of inducing patterns.
const INDUCERS: [(&str, &str); 2] = [("typed", "typed patterns"), ("prefix", "prefix patterns")];

fn measure(seed: &Seed<'_>, measured: &mut Measured) -> Result<()> {
    seed.tell("learning crawl in week 0");
    let (old, _) = learned(seed, "old")?;
    let choices = ["ours-old", "prefix-old"].map(|name| seed.workspace_path(name));
    make_patterns(seed, &old, &choices)?;
    measure_future(seed, &choices, measured)?;
    for week in WEEKS {
        seed.lab.go_to(week);
        seed.tell(&format!("full download in week {week}"));
        let (new, full) = learned(seed, &named("full", week, ""))?;
        let truths = seed.lab.truths();
        seed.tell(&format!("old patterns in week {week}"));
        measure_ours(seed, &choices[0], week, &truths, &full, measured)?;
        measure_published(seed, &choices[1], (week, "old"), &truths, &full, measured)?;
        seed.tell(&format!("new patterns in week {week}"));
        let renewed = seed.workspace_path(&named("prefix", week, "new"));
        make_patterns(seed, &new, &[PathBuf::new(), renewed.clone()])?;
        measure_published(seed, &renewed, (week, "new"), &truths, &full, measured)?;
        seed.lab.discard(&renewed)?;
        seed.lab.discard(&new)?;
    }
    Ok(())
}

/// Measures our method, without maintenance since week 0.
fn measure_ours(
    seed: &Seed<'_>,
    from: &Path,
    week: u32,
    truths: &Truths,
    full: &Reference,
    measured: &mut Measured,
) -> Result<()> {
    let name = named(OURS, week, "old");
    let trial = Trial::copy(&seed.lab, from, seed.workspace_path(&name), &[])?;
    let round = trial.recrawl(Method::Selective)?;
    published::note(&name, &round, &trial.score_all(truths)?, full, measured);
    trial.discard()
}

/// Measures the published methods with old or new patterns.
fn measure_published(
    seed: &Seed<'_>,
    from: &Path,
    (week, age): (u32, &str),
    truths: &Truths,
    full: &Reference,
    measured: &mut Measured,
) -> Result<()> {
    for method in TRIED.map(|index| &METHODS[index]) {
        let name = named(method.name, week, age);
        let trial = Trial::copy(&seed.lab, from, seed.workspace_path(&name), &method.settings())?;
        let (_, round) = method.recrawl(&trial, 0)?;
        published::note(&name, &round, &trial.score_round(&round, truths)?, full, measured);
        trial.discard()?;
    }
    Ok(())
}

fn named(method: &str, week: u32, age: &str) -> String {
    format!("{method}, week {week}, {age}")
}

/// Runs a full download of the current week.
fn learned(seed: &Seed<'_>, name: &str) -> Result<(PathBuf, Reference)> {
    let trial = Trial::new(&seed.lab, seed.workspace_path(name))?;
    let full = measure_full_download(&trial)?;
    Ok((trial.close(), full))
}

/// Makes copies with typed patterns, selected by our method, and with prefix patterns; an empty
/// path skips the first.
fn make_patterns(seed: &Seed<'_>, from: &Path, [typed, prefix]: &[PathBuf; 2]) -> Result<()> {
    if !typed.as_os_str().is_empty() {
        let trial = Trial::copy(&seed.lab, from, typed.clone(), &[])?;
        trial.patterns()?;
        trial.choose()?;
    }
    let trial = Trial::copy(&seed.lab, from, prefix.clone(), &METHODS[0].settings())?;
    trial.patterns().map(drop)
}

/// Measures the patterns of week 0 on the new pages of later weeks.
fn measure_future(seed: &Seed<'_>, folders: &[PathBuf; 2], measured: &mut Measured) -> Result<()> {
    let new = NewPages::new(&seed.lab.web);
    let redesigned = first_redesigns(seed);
    for ((_, name), folder) in INDUCERS.iter().zip(folders) {
        let trial = Trial::reopen(&seed.lab, folder.clone(), &[])?;
        let learned = Learned::of(&trial)?;
        let [mut all, mut unchanged, mut with_past] = [PatternAccuracy::default(); 3];
        for week in FUTURE_WEEKS {
            for (page, shows) in new.of(week) {
                let Some(is_matched) = learned.matches(&page) else {
                    continue;
                };
                if let Some(mistake) = mistake(&page, shows, is_matched) {
                    seed.detail(|| format!("{name}, week {week}: {mistake}"));
                }
                all.note(shows, is_matched);
                with_past.note_any(shows, is_matched);
                if redesigned.get(&page.site).is_none_or(|first| *first > week) {
                    unchanged.note(shows, is_matched);
                }
            }
        }
        measured.add(name, "future recall", all.recall());
        measured.add(name, "future precision", all.precision());
        measured.add(name, NOT_REDESIGNED, unchanged.recall());
        measured.add(name, REDESIGNED, unchanged.share_missing_from(&all));
        measured.add(name, WITH_PAST, with_past.recall());
    }
    Ok(())
}

/// Returns the week of the first redesign after week 0 of each site that has one.
fn first_redesigns(seed: &Seed<'_>) -> HashMap<u32, u32> {
    let first = |site: SiteInfo| {
        let weeks = site.redesigns.iter().map(|redesign| redesign.week);
        Some((site.index, weeks.filter(|week| *week > 0).min()?))
    };
    seed.lab.web.sites().filter_map(first).collect()
}

fn report(measured: &Measured, report: &mut Report) {
    report.table(&[
        "method",
        "week",
        "pages of full",
        "kept",
        "with new patterns",
        "kept",
        "pages, published",
        "kept",
    ]);
    let methods = TRIED.map(|index| (METHODS[index].name, METHODS[index].old));
    for (method, old) in methods.into_iter().chain([(OURS, published::Figures::default())]) {
        for week in WEEKS {
            let published = if week == PUBLISHED_WEEK {
                old
            } else {
                published::Figures::default()
            };
            let shown =
                |value: Option<f64>| value.map_or_else(String::new, |value| format_number(value, "share"));
            let of = |age: &str, quantity: &str| measured.mean(&named(method, week, age), quantity);
            report.row([
                method.to_owned(),
                week.to_string(),
                cell(of("old", "pages of full"), "share"),
                cell(of("old", "kept"), "share"),
                cell(of("new", "pages of full"), "share"),
                cell(of("new", "kept"), "share"),
                shown(published.pages),
                shown(published.correct),
            ]);
            for (quantity, value) in [("pages of full", None), ("kept", published.correct)] {
                if let Some(mean) = of("old", quantity) {
                    let name = format!("aging: {method}: {quantity}, week {week}");
                    report.add(Figure::new(name, mean, "share").published(value));
                }
            }
        }
    }
    report.table(&[
        "new pages of weeks 2 to 8",
        "recall",
        "precision",
        NOT_REDESIGNED,
        REDESIGNED,
        WITH_PAST,
    ]);
    for (_, name) in INDUCERS {
        let of = |quantity: &str| measured.mean(name, quantity);
        let (recall, precision) = (of("future recall"), of("future precision"));
        let (not_redesigned, redesigned, with_past) = (of(NOT_REDESIGNED), of(REDESIGNED), of(WITH_PAST));
        let cells =
            [recall, precision, not_redesigned, redesigned, with_past].map(|mean| cell(mean, "share"));
        report.row([name.to_owned()].into_iter().chain(cells));
        for (quantity, mean, target) in [
            ("future recall", recall, Some(0.99)),
            (NOT_REDESIGNED, not_redesigned, Some(0.99)),
            (REDESIGNED, redesigned, None),
            (WITH_PAST, with_past, None),
            ("future precision", precision, Some(0.95)),
        ] {
            let Some(mean) = mean else { continue };
            let figure = Figure::new(format!("aging: {name}: {quantity}"), mean, "share");
            report.add(match target.filter(|_| name == INDUCERS[0].1) {
                Some(target) => figure.at_least(target),
                None if quantity == REDESIGNED => figure,
                None => figure.more_is_better(),
            });
        }
    }
    report.note(
        "patterns cannot match the URLs of a later redesign; see `drift` for patterns that are maintained",
    );
    report.note("published pages: shares of the pages that all patterns fetch");
    report.note(
        "recall: over pages with current objects, without pages forbidden by robots.txt and sites whose objects are only behind forms",
    );
    published::notes(report);
    report.draw(chart(measured).to_svg());
}

fn chart(measured: &Measured) -> LineChart {
    let names = TRIED.map(|index| METHODS[index].name);
    let line = |name: &str| {
        let point = |week: u32| {
            let mean = measured.mean(&named(name, week, "old"), "kept")?;
            Some(mean.at(f64::from(week)))
        };
        Series {
            name: name.to_owned(),
            points: WEEKS.into_iter().filter_map(point).collect(),
        }
    };
    LineChart {
        title: "Correct objects kept by patterns of week 0".to_owned(),
        x: "week".to_owned(),
        y: "share of a full download".to_owned(),
        series: names.into_iter().chain([OURS]).map(line).collect(),
    }
}
