//! `times`: duration of every stage.

use anyhow::Result;
use magpie_engine::recrawl::Method;
use magpie_engine::site::Snapshots;
use magpie_plot::BarChart;

use super::trial::{Elapsed, Trial, timed};
use super::{Experiment, Measure, Seed};
use crate::figure::{Figure, Report, cell, format_number};
use crate::mean::{Measured, bar};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "times",
    about: "seconds and CPU seconds of every stage of learning, and of recrawls",
    measure: Measure::Crawls(measure),
    report,
    spec: |_| {},
};

/// The stages with the seconds that were published for one core of 3 GHz. Downloading and
/// extraction took 38 and 11 hours, patterns and selection 94.7 seconds together.
const STAGES: [(&str, Option<f64>); 7] = [
    ("download and extraction", Some(49.0 * 3_600.0)),
    ("clustering", None),
    ("patterns", Some(94.7)),
    ("selection", None),
    ("navigation", Some(15.0)),
    ("recrawl, ours", None),
    ("recrawl, full", None),
];

fn measure(seed: &Seed<'_>, measured: &mut Measured) -> Result<()> {
    let [download, clustering, patterns, selection, navigation, ours, full] = STAGES.map(|(name, _)| name);
    seed.tell(download);
    let folder = seed.workspace_path("learned");
    let trial = Trial::new(&seed.lab, folder.clone())?;
    let round = trial.download()?;
    note(measured, download, round.took);
    measured.add(download, "pages", round.pages);
    seed.tell(clustering);
    let (took, done) = timed(|| trial.cluster());
    done?;
    note(measured, clustering, took);
    seed.tell("patterns, selection, navigation");
    let (took, done) = timed(|| trial.patterns());
    done?;
    note(measured, patterns, took);
    let collection = trial.session.collection();
    let (took, done) = timed(|| collection.choose_anew(&mut Snapshots::default()));
    done?;
    note(measured, selection, took);
    let sites = collection.learned_sites()?;
    let (took, done) = timed(|| collection.find_navigations(&sites, &mut Snapshots::default()));
    done?;
    note(measured, navigation, took);
    drop(trial);
    seed.lab.go_to(1);
    for (name, method) in [(ours, Method::Selective), (full, Method::Full)] {
        seed.tell(name);
        let trial = Trial::copy(&seed.lab, &folder, seed.workspace_path(name), &[])?;
        let (took, round) = timed(|| trial.recrawl(method));
        let round = round?;
        note(measured, name, took);
        measured.add(name, "pages", round.pages);
        trial.discard()?;
    }
    Ok(())
}

fn note(measured: &mut Measured, stage: &str, took: Elapsed) {
    measured.add(stage, "seconds", took.seconds);
    if let Some(cpu) = took.cpu {
        measured.add(stage, "CPU seconds", cpu);
    }
}

fn report(measured: &Measured, report: &mut Report) {
    report.table(&["stage", "pages", "seconds", "CPU seconds", "published"]);
    for (stage, published) in STAGES {
        report.row([
            stage.to_owned(),
            cell(measured.mean(stage, "pages"), ""),
            cell(measured.mean(stage, "seconds"), "s"),
            cell(measured.mean(stage, "CPU seconds"), "s"),
            published.map_or_else(String::new, |seconds| format_number(seconds, "s")),
        ]);
        for quantity in ["seconds", "CPU seconds"] {
            if let Some(mean) = measured.mean(stage, quantity) {
                let figure = Figure::new(format!("times: {stage}: {quantity}"), mean, "s");
                report.add(figure.published(published));
            }
        }
    }
    report.note("downloads and recrawls include the time of the web server, which runs in the same process");
    report.note("published: one core of 3 GHz over the internet; 94.7 s are patterns and selection together");
    let group = |(stage, _): (&str, Option<f64>)| {
        let bars = ["seconds", "CPU seconds"].map(|quantity| bar(measured.mean(stage, quantity)));
        (stage.to_owned(), bars.to_vec())
    };
    let chart = BarChart {
        title: "Duration of every stage".to_owned(),
        y: "seconds".to_owned(),
        kinds: ["seconds", "CPU seconds"].map(str::to_owned).to_vec(),
        groups: STAGES.map(group).to_vec(),
    };
    report.draw(chart.to_svg());
}
