//! `seed-sites`: effect of the number of sites from which further objects are taken.

use super::expansion::{DownloadedSites, SEED_OBJECTS};
use super::{Experiment, Measure, Seed, phases, seed_objects};
use crate::figure::Report;
use crate::mean::Measured;
use anyhow::Result;
use magpie_terminal::format;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "seed-sites",
    about: "one to 20 sites from which the objects of the second phase are taken",
    measure: Measure::Crawls(measure),
    report,
    spec: |_| {},
};

const COUNTS: [usize; 5] = [1, 5, 10, 15, 20];

fn measure(seed: &Seed<'_>, measured: &mut Measured) -> Result<()> {
    let downloaded = DownloadedSites::new(seed)?;
    let subjects = downloaded.popular(SEED_OBJECTS)?;
    for count in COUNTS {
        seed.tell(&named(count));
        let reached = downloaded.expand(&subjects, Some(count))?;
        phases::note(measured, &named(count), reached, downloaded.total());
    }
    Ok(())
}

fn named(count: usize) -> String {
    format::count(count, "site")
}

fn report(measured: &Measured, report: &mut Report) {
    let names = COUNTS.map(named);
    phases::report_results(EXPERIMENT.name, &names, measured, report);
    report.note("published: hardly any difference from 1 to 20");
    report.draw(seed_objects::chart("sites to take objects from", &COUNTS, named, measured).to_svg());
}
