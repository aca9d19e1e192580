//! `phases`: search for sites in one phase and in two.

use anyhow::Result;
use magpie_plot::BarChart;

use super::expansion::{DownloadedSites, ExpansionResult, SEED_OBJECTS, SEED_SITES};
use super::{Experiment, Measure, Seed, table};
use crate::figure::{Figure, Report};
use crate::mean::{Measured, bar, share};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "phases",
    about: "sites and objects found from five objects, in one phase and in two",
    measure: Measure::Crawls(measure),
    report,
    spec: |_| {},
};

const PHASES: [(&str, Option<usize>); 2] = [("one phase", None), ("two phases", Some(SEED_SITES))];

fn measure(seed: &Seed<'_>, measured: &mut Measured) -> Result<()> {
    let downloaded = DownloadedSites::new(seed)?;
    let subjects = downloaded.popular(SEED_OBJECTS)?;
    let mut found = Vec::new();
    for (name, seed_sites) in PHASES {
        seed.tell(name);
        let reached = downloaded.expand(&subjects, seed_sites)?;
        note(measured, name, reached, downloaded.total());
        found.push(reached.objects);
    }
    measured.add("one phase", "objects of two phases", share(found[0], found[1]));
    Ok(())
}

pub(super) fn note(measured: &mut Measured, name: &str, reached: ExpansionResult, total: f64) {
    measured.add(name, "queries", reached.queries);
    measured.add(name, "sites", reached.sites);
    measured.add(name, "objects", reached.objects);
    measured.add(name, "objects of all", share(reached.objects, total));
}

/// Reports the results of expansions as a table with figures.
pub(super) fn report_results(experiment: &str, names: &[String], measured: &Measured, report: &mut Report) {
    let head = [experiment, "queries", "sites", "objects", "of all"];
    let columns = [
        ("queries", "count"),
        ("sites", "count"),
        ("objects", "count"),
        ("objects of all", "share"),
    ];
    table::add(
        report,
        experiment,
        &head,
        names,
        &columns,
        measured,
        |_, quantity, figure| match quantity {
            "queries" => figure,
            _ => figure.more_is_better(),
        },
    );
}

fn report(measured: &Measured, report: &mut Report) {
    let names = PHASES.map(|(name, _)| name.to_owned());
    report_results("phases", &names, measured, report);
    if let Some(mean) = measured.mean("one phase", "objects of two phases") {
        let figure = Figure::new(
            "phases: objects of one phase, as a share of two phases",
            mean,
            "share",
        );
        report.add(figure.published(Some(0.5)));
    }
    report.note("published: one phase finds less than half of the objects of two");
    let group = |name: &String| (name.clone(), vec![bar(measured.mean(name, "objects of all"))]);
    let chart = BarChart {
        title: "Objects on the sites found from five objects".to_owned(),
        y: "share of all objects".to_owned(),
        kinds: vec!["objects".to_owned()],
        groups: names.iter().map(group).collect(),
    };
    report.draw(chart.to_svg());
}
