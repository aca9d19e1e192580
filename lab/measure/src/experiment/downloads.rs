//! `downloads`: pages and objects that each method downloads in the first recrawl.

use anyhow::Result;
use magpie_engine::recrawl::Method;
use magpie_plot::BarChart;

use super::published::{self, ALL_PATTERNS, METHODS, Reference};
use super::trial::Trial;
use super::{Experiment, Measure, Seed, table};
use crate::figure::{Figure, Report, cell, format_number};
use crate::mean::{Measured, bar, share};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "downloads",
    about: "pages, bytes and objects of a full download, all patterns, the published selections and ours",
    measure: Measure::Crawls(measure),
    report,
    spec: |_| {},
};

const FULL: &str = "full";
const OURS: &str = "ours";
const STEADY: &str = "ours, steady";

/// Variants of the paper's method, between which the requests are interpolated at the coverage of
/// ours.
const PAPER: [&str; 3] = ["paper t=0.9", "paper t=0.95", "paper t=1"];

/// Quantities given as shares of the value of all patterns. Correct objects include past ones,
/// since the published figures do so, too.
const OF_ALL: [&str; 3] = ["pages", "bytes", "all correct"];

/// Requests of ours as a share of the requests that the paper's method needs at the same coverage.
const EQUAL_COVERAGE: &str = "requests to the paper's at equal coverage";

/// Number of further weekly rounds. The last is compared with a full download of its week.
const ROUNDS: u32 = 3;

fn measure(seed: &Seed<'_>, measured: &mut Measured) -> Result<()> {
    seed.tell("learning crawl in week 0");
    let learned = Trial::new(&seed.lab, seed.workspace_path("learned"))?;
    let round = learned.download()?;
    learned.cluster()?;
    measured.add("learning", "pages", round.pages);
    let learned = learned.close();

    seed.lab.go_to(1);
    seed.tell("full download in week 1");
    let full = download(seed, "full")?;
    published::note(FULL, &full.round, &full.found, &full, measured);
    let truths = seed.lab.truths();

    seed.tell("patterns as published");
    let trial = Trial::copy(
        &seed.lab,
        &learned,
        seed.workspace_path("prefix"),
        &METHODS[0].settings(),
    )?;
    let patterns = trial.patterns()?.patterns;
    let prefix = trial.close();
    for method in &METHODS {
        seed.tell(method.name);
        let folder = seed.workspace_path(method.name);
        let trial = Trial::copy(&seed.lab, &prefix, folder, &method.settings())?;
        published::measure(method, &trial, patterns, &truths, &full, measured)?;
        trial.discard()?;
        for quantity in OF_ALL {
            let of = |name: &str| measured.last(name, quantity).unwrap_or(0.0);
            let part = share(of(method.name), of(ALL_PATTERNS));
            measured.add(method.name, &of_all(quantity), part);
        }
    }
    measure_ours(seed, &learned, &full, measured)?;
    measured.add(OURS, EQUAL_COVERAGE, equal_coverage(measured));
    Ok(())
}

fn of_all(quantity: &str) -> String {
    format!("{quantity} of all patterns")
}

/// Runs a full download of the current week.
pub(super) fn download(seed: &Seed<'_>, name: &str) -> Result<Reference> {
    let trial = Trial::new(&seed.lab, seed.workspace_path(name))?;
    let full = measure_full_download(&trial)?;
    trial.discard()?;
    Ok(full)
}

/// Runs a full download in an existing workspace.
pub(super) fn measure_full_download(trial: &Trial<'_>) -> Result<Reference> {
    let round = trial.download()?;
    trial.cluster()?;
    let truths = trial.lab.truths();
    let (found, web_pages) = (trial.score_all(&truths)?, truths.all.pages.len() as f64);
    Ok(Reference {
        round,
        found,
        web_pages,
    })
}

/// Measures our method: the first recrawl and further ones.
fn measure_ours(
    seed: &Seed<'_>,
    learned: &std::path::Path,
    full: &Reference,
    measured: &mut Measured,
) -> Result<()> {
    seed.tell(OURS);
    seed.lab.go_to(0);
    let folder = seed.workspace_path("ours");
    let trial = Trial::copy(&seed.lab, learned, folder.clone(), &[])?;
    trial.patterns()?;
    let (chosen, _) = trial.choose()?;
    drop(trial);
    seed.lab.go_to(1);
    let mut trial = Trial::reopen(&seed.lab, folder.clone(), &[])?;
    let round = trial.recrawl(Method::Selective)?;
    measured.add(OURS, "patterns", (chosen.patterns + chosen.queries) as f64);
    published::note(
        OURS,
        &round,
        &trial.score_all(&seed.lab.truths())?,
        full,
        measured,
    );
    let (mut pages, mut bytes) = (0.0, 0.0);
    for week in 2..2 + ROUNDS {
        drop(trial);
        seed.tell(&format!("{OURS}, week {week}"));
        seed.lab.go_to(week);
        trial = Trial::reopen(&seed.lab, folder.clone(), &[])?;
        let round = trial.recrawl(Method::Selective)?;
        pages += round.pages / f64::from(ROUNDS);
        bytes += round.bytes / f64::from(ROUNDS);
    }
    let found = trial.score_all(&seed.lab.truths())?;
    trial.discard()?;
    seed.tell(&format!("full download in week {}", 1 + ROUNDS));
    let last = download(seed, "last")?;
    let kept = share(found.current.correct as f64, last.found.current.correct as f64);
    let numbers = [
        ("pages", Some(pages)),
        ("bytes", Some(bytes)),
        ("pages of full", share(pages, last.round.pages)),
        ("pages of the web", share(pages, last.web_pages)),
        ("bytes of full", share(bytes, last.round.bytes)),
        ("distinct", Some(found.current.distinct as f64)),
        ("correct", Some(found.current.correct as f64)),
        ("precision", Some(found.current.precision)),
        ("recall", Some(found.current.recall)),
        ("phantoms", Some(found.current.phantoms as f64)),
        ("all precision", Some(found.all.precision)),
        ("all recall", Some(found.all.recall)),
        ("all phantoms", Some(found.all.phantoms as f64)),
        ("kept", kept),
    ];
    for (quantity, value) in numbers {
        measured.add(STEADY, quantity, value);
    }
    Ok(())
}

fn report(measured: &Measured, report: &mut Report) {
    let head = [
        "method",
        "patterns",
        "pages",
        "of full",
        "of the web",
        "bytes",
        "of full",
        "distinct",
        "correct",
        "kept",
        "precision",
        "recall",
        "phantoms",
    ];
    let names = [FULL]
        .into_iter()
        .chain(METHODS.iter().map(|method| method.name))
        .chain([OURS, STEADY]);
    let columns = [
        ("patterns", "count"),
        ("pages", "count"),
        ("pages of full", "share"),
        ("pages of the web", "share"),
        ("bytes", "bytes"),
        ("bytes of full", "share"),
        ("distinct", "count"),
        ("correct", "count"),
        ("kept", "share"),
        ("precision", "share"),
        ("recall", "share"),
        ("phantoms", "count"),
    ];
    table::add(
        report,
        "downloads",
        &head,
        names.clone(),
        &columns,
        measured,
        with_target,
    );
    let head = ["with past objects", "precision", "recall", "phantoms"];
    let columns = [
        ("all precision", "share"),
        ("all recall", "share"),
        ("all phantoms", "count"),
    ];
    table::add(
        report,
        "downloads",
        &head,
        names.clone(),
        &columns,
        measured,
        with_target,
    );
    report_published_shares(measured, report);
    if let Some(mean) = measured.mean(OURS, EQUAL_COVERAGE) {
        let figure = Figure::new(format!("downloads: {OURS}: {EQUAL_COVERAGE}"), mean, "ratio").at_most(0.6);
        report.add(figure.note("requests are interpolated between two coverages of the paper's method"));
    }
    published::notes(report);
    report.draw(chart(measured, names).to_svg());
}

fn with_target(name: &str, quantity: &str, figure: Figure) -> Figure {
    match (name, quantity) {
        (OURS, "kept") => figure.at_least(0.98),
        (OURS, "pages of full" | "bytes of full") => figure.at_most(0.20),
        (STEADY, "pages of full" | "bytes of full") => figure.at_most(0.08),
        (_, "distinct" | "correct" | "kept" | "precision" | "recall" | "all precision" | "all recall") => {
            figure.more_is_better()
        }
        _ => figure,
    }
}

/// Reports the published methods as shares of all patterns, as in the publications.
fn report_published_shares(measured: &Measured, report: &mut Report) {
    report.table(&[
        "of all patterns",
        "pages",
        "bytes",
        "published",
        "correct",
        "published",
        "precision",
        "published",
    ]);
    for method in &METHODS {
        let [pages, bytes, correct] = OF_ALL.map(|quantity| measured.mean(method.name, &of_all(quantity)));
        let precision = measured.mean(method.name, "all precision");
        let published =
            |value: Option<f64>| value.map_or_else(String::new, |value| format_number(value, "share"));
        report.row([
            method.name.to_owned(),
            cell(pages, "share"),
            cell(bytes, "share"),
            published(method.new.pages),
            cell(correct, "share"),
            published(method.new.correct),
            cell(precision, "share"),
            published(method.new.precision),
        ]);
        let figures = [
            ("pages of all patterns'", pages, method.new.pages),
            ("bytes of all patterns'", bytes, method.new.pages),
            (
                "correct of all patterns', bygone ones included",
                correct,
                method.new.correct,
            ),
            ("precision, bygone ones included", precision, method.new.precision),
        ];
        for (quantity, mean, published) in figures {
            if let Some(mean) = mean {
                let figure = Figure::new(format!("downloads: {}: {quantity}", method.name), mean, "share");
                report.add(figure.published(published));
            }
        }
    }
    if let Some(mean) = measured.mean(ALL_PATTERNS, "bytes of full") {
        let figure = Figure::new("downloads: all patterns: bytes of a full download", mean, "share");
        report.add(figure.published(Some(949.0 / 5_790.0)));
    }
}

/// Returns the requests of ours as a share of those that the paper's method needs at the coverage
/// of ours, in the last web.
fn equal_coverage(measured: &Measured) -> Option<f64> {
    let point = |name: &str| Some((measured.last(name, "kept")?, measured.last(name, "requests")?));
    let points: Vec<(f64, f64)> = PAPER.iter().filter_map(|name| point(name)).collect();
    let (kept, requests) = point(OURS)?;
    share(requests, requests_for(kept, &points)?)
}

/// Returns the requests that a method needs for a coverage, interpolated between measured points.
/// Beyond the largest coverage the requests are those of the last point.
fn requests_for(kept: f64, points: &[(f64, f64)]) -> Option<f64> {
    let mut points = points.to_vec();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let above = points.iter().find(|point| point.0 >= kept).or(points.last())?;
    let below = points.iter().rev().find(|point| point.0 < kept).unwrap_or(above);
    let span = above.0 - below.0;
    let part = if span > 0.0 {
        ((kept - below.0) / span).min(1.0)
    } else {
        1.0
    };
    Some(below.1 + (above.1 - below.1) * part)
}

fn chart<'a>(measured: &Measured, names: impl Iterator<Item = &'a str>) -> BarChart {
    let quantities = ["pages of full", "bytes of full", "kept"];
    let group = |name: &str| {
        let bars = quantities
            .map(|quantity| bar(measured.mean(name, quantity)))
            .to_vec();
        (name.to_owned(), bars)
    };
    BarChart {
        title: "Downloads and objects of each method".to_owned(),
        y: "share of a full download".to_owned(),
        kinds: ["pages", "bytes", "correct objects"].map(str::to_owned).to_vec(),
        groups: names.map(group).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::requests_for;

    #[test]
    fn between_two_coverages_requests_are_interpolated() {
        let points = [(0.9, 300.0), (1.0, 700.0)];
        for (kept, expected) in [
            (0.9, 300.0),
            (0.95, 500.0),
            (1.0, 700.0),
            (1.02, 700.0),
            (0.5, 300.0),
        ] {
            let requests = requests_for(kept, &points).expect("points");
            assert!((requests - expected).abs() < 1e-9, "{kept}: {requests}");
        }
        assert_eq!(requests_for(0.9, &[]), None);
    }
}
