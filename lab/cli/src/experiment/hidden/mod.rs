//! Experiments with searches that only a form gives access to: on deep sites of the lab, and on
//! real servers.

pub(super) mod empty;
pub(super) mod entity;
mod grid;
pub(super) mod isit;
mod lab;
pub(super) mod labelled;
pub(super) mod probing;
mod random;
mod sample;
pub(super) mod second_level;
mod server;
mod site;

use magpie_lab::{Vertical, Web, WebSpec, Weight};
use magpie_terminal::Failure;

use super::measured::Measured;
use super::{Experiment, Progress, spec};
use crate::args::ExperimentArgs;
use magpie_terminal::Printer;
pub(super) use random::Random;
use sample::Sample;
use site::Site;

/// Name of the lab in figures.
const LAB: &str = "lab";

/// Number of sites of a web, all of them deep.
const SITES: u32 = 10;

/// Factor for the number of objects: a deep site has some hundred.
const SCALE: f64 = 12.0;

/// Subject under which the names of the lab and the servers are recorded.
const SUBJECTS: &str = "subjects";

/// Measures one site with a seed.
pub(super) type MeasureSite = fn(&Site<'_>, u64, &mut Sample);

/// Makes all sites of a web deep.
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

/// Measures on the lab, or on the servers that the arguments name. Each seed gives one value for a
/// subject: the mean over its sites.
pub(super) fn measure(
    arguments: &ExperimentArgs,
    experiment: &Experiment,
    measure: MeasureSite,
    seeds: &[u64],
    printer: &mut Printer,
) -> Result<Measured, Failure> {
    let mut measured = Measured::default();
    let Some(file) = &arguments.servers else {
        measured.add(SUBJECTS, LAB, 1.0);
        for seed in seeds {
            let web = Web::new(spec(arguments, experiment, *seed)?);
            let progress = Progress::new(*seed, printer);
            let mut sites = lab::sites(&web);
            limit(&mut sites, arguments);
            progress.tell(&magpie_terminal::format::count(sites.len(), "site"));
            measure_sites(LAB, &sites, measure, &progress, &mut measured);
            progress.tell("done");
        }
        return Ok(measured);
    };
    let mut servers = server::sites(file)?;
    limit(servers.iter_mut().map(|(_, site)| site), arguments);
    for (name, site) in &servers {
        measured.add(SUBJECTS, name, 1.0);
        for seed in seeds {
            let progress = Progress::new(*seed, printer);
            progress.tell(name);
            measure_sites(
                name,
                std::slice::from_ref(site),
                measure,
                &progress,
                &mut measured,
            );
            progress.tell("done");
        }
    }
    Ok(measured)
}

fn limit<'s, 'a: 's>(sites: impl IntoIterator<Item = &'s mut Site<'a>>, arguments: &ExperimentArgs) {
    for site in sites {
        site.max_requests = arguments.requests.unwrap_or(u32::MAX);
    }
}

fn measure_sites(
    name: &str,
    sites: &[Site<'_>],
    measure: MeasureSite,
    progress: &Progress<'_>,
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
