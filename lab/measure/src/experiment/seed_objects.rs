//! `seed-objects`: effect of the number of seed objects.

use anyhow::Result;
use magpie_plot::{LineChart, Series};
use magpie_search::Subject;

use super::expansion::{DownloadedSites, SEED_SITES};
use super::{Experiment, Measure, Seed, phases};
use crate::figure::Report;
use crate::mean::Measured;
use crate::random::mix;
use magpie_terminal::format;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "seed-objects",
    about: "one to 25 seed objects, drawn ten times from the 50 most popular",
    measure: Measure::Crawls(measure),
    report,
    spec: |_| {},
};

const COUNTS: [usize; 7] = [1, 3, 5, 10, 15, 20, 25];

const POOL: usize = 50;

const DRAWS: u64 = 10;

fn measure(seed: &Seed<'_>, measured: &mut Measured) -> Result<()> {
    let downloaded = DownloadedSites::new(seed)?;
    let pool = downloaded.popular(POOL)?;
    for count in COUNTS {
        seed.tell(&named(count));
        for draw in 0..DRAWS {
            let subjects = drawn(&pool, count, draw);
            let reached = downloaded.expand(&subjects, Some(SEED_SITES))?;
            phases::note(measured, &named(count), reached, downloaded.total());
        }
    }
    Ok(())
}

fn named(count: usize) -> String {
    format::count(count, "object")
}

/// Draws some of the pool, different ones at every draw and the same on every machine.
fn drawn(pool: &[Subject], count: usize, draw: u64) -> Vec<Subject> {
    let mut indexes: Vec<usize> = (0..pool.len()).collect();
    indexes.sort_by_key(|index| mix(draw << 32 | *index as u64));
    indexes
        .into_iter()
        .take(count)
        .map(|index| pool[index].clone())
        .collect()
}

fn report(measured: &Measured, report: &mut Report) {
    let names = COUNTS.map(named);
    phases::report_results(EXPERIMENT.name, &names, measured, report);
    report.note("published: hardly any difference from 1 to 25");
    report.draw(chart("seed objects", &COUNTS, named, measured).to_svg());
}

/// Draws objects found against the number of seeds.
pub(super) fn chart(x: &str, counts: &[usize], named: fn(usize) -> String, measured: &Measured) -> LineChart {
    let point = |count: &usize| Some(measured.mean(&named(*count), "objects of all")?.at(*count as f64));
    LineChart {
        title: format!("Objects found by {x}"),
        x: x.to_owned(),
        y: "share of all objects".to_owned(),
        series: vec![Series {
            name: "objects".to_owned(),
            points: counts.iter().filter_map(point).collect(),
        }],
    }
}
