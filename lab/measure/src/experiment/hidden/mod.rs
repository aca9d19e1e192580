//! Experiments with searches that only a form gives access to: on deep sites of the lab, and on
//! real servers.

pub(super) mod empty;
pub(super) mod entity;
mod grid;
pub(super) mod isit;
mod lab;
pub(super) mod labelled;
pub(super) mod probing;
mod sample;
pub(super) mod second_level;
mod server;
mod site;

use std::path::PathBuf;

use anyhow::Result;
use magpie_lab::{Vertical, Web, WebSpec, Weight};

use super::{Experiment, Progress};
use crate::mean::Measured;
use sample::Sample;
use site::Site;

const LAB: &str = "lab";

/// Number of sites of a web, all of them deep.
const SITES: u32 = 10;

/// Factor for the number of objects: a deep site has some hundred.
const SCALE: f64 = 12.0;

/// Subject under which the names of the lab and the servers are recorded.
const SUBJECTS: &str = "subjects";

pub(super) type MeasureSite = fn(&Site<'_>, u64, &mut Sample);

fn deep_books(spec: &mut WebSpec) {
    spec.vertical = Vertical::Books;
    spec.deep = 1_000;
    spec.redesigns = 0;
    *spec = spec.clone().with_scale(SCALE);
}

/// Like [`deep_books`], with small pages, for methods that do not look at the text of pages.
fn light_deep_books(spec: &mut WebSpec) {
    deep_books(spec);
    spec.weight = Weight::Light;
}

/// The options of experiments that ask searches.
#[derive(clap::Args)]
#[group(skip)]
pub(super) struct Options {
    /// Measure on real servers instead of the lab: a file with lines of `cargo xtask servers
    /// --json`
    #[arg(long, value_name = "FILE")]
    pub(super) servers: Option<PathBuf>,
    /// Maximum number of requests of each run, for slow servers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    requests: Option<u32>,
}

/// Measures on the lab, or on the servers that the options name. Each seed gives one value for a
/// subject: the mean over its sites.
pub(super) fn measure(
    experiment: &Experiment,
    options: &super::Options,
    more: &Options,
    measure: MeasureSite,
) -> Result<Measured> {
    let mut measured = Measured::default();
    let Some(file) = &more.servers else {
        measured.add(SUBJECTS, LAB, 1.0);
        for seed in options.seeds.iter() {
            let web = Web::new(experiment.spec(options, *seed)?);
            let progress = Progress::new(*seed, options);
            let mut sites = lab::sites(&web);
            limit(&mut sites, more);
            progress.tell(&magpie_terminal::format::count(sites.len(), "site"));
            measure_sites(LAB, &sites, measure, &progress, &mut measured);
            progress.tell("done");
        }
        return Ok(measured);
    };
    let mut servers = server::sites(file)?;
    limit(servers.iter_mut().map(|(_, site)| site), more);
    for (name, site) in &servers {
        measured.add(SUBJECTS, name, 1.0);
        for seed in options.seeds.iter() {
            let progress = Progress::new(*seed, options);
            progress.tell(name);
            let sites = std::slice::from_ref(site);
            measure_sites(name, sites, measure, &progress, &mut measured);
            progress.tell("done");
        }
    }
    Ok(measured)
}

fn limit<'s, 'a: 's>(sites: impl IntoIterator<Item = &'s mut Site<'a>>, options: &Options) {
    for site in sites {
        site.max_requests = options.requests.unwrap_or(u32::MAX);
    }
}

fn measure_sites(
    name: &str,
    sites: &[Site<'_>],
    measure: MeasureSite,
    progress: &Progress,
    measured: &mut Measured,
) {
    let mut sample = Sample::default();
    for site in sites {
        measure(site, progress.seed, &mut sample);
        for line in sample.take_details() {
            progress.detail(|| format!("{}: {line}", site.name));
        }
    }
    sample.add_to(name, measured);
}

/// Returns the names of the lab or of the servers.
fn subjects(measured: &Measured) -> Vec<String> {
    measured.quantities(SUBJECTS)
}
