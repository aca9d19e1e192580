//! `magpie-lab experiment`: reruns published experiments with the pipeline of real crawls, on webs
//! with known truth.

mod aging;
mod downloads;
mod drift;
mod expansion;
mod figure;
mod freshness;
mod hidden;
mod lab_server;
mod measured;
mod new_pages;
mod phases;
mod published;
mod rendering;
mod seed_objects;
mod seed_sites;
mod times;
mod trial;
mod until;
mod watching;
mod xcrawl;

use std::cell::RefCell;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use magpie_lab::{Size, Vertical, Web, WebSpec};
use magpie_terminal::{Failure, Kind, Printer, Table, format, output_file};

use crate::args::ExperimentArgs;
use figure::Report;
use lab_server::LabServer;
use measured::Measured;

/// Vertical of the published experiments.
const VERTICAL: Vertical = Vertical::Events;

/// Maximum number of webs of an experiment; more would take weeks.
const MAX_SEEDS: usize = 1_000;

/// Steps that begin earlier are reported without a time, since they are the first ones.
const MIN_REPORTED_TIME: Duration = Duration::from_millis(100);

/// An experiment.
struct Experiment {
    name: &'static str,
    /// Description for the list of experiments.
    about: &'static str,
    measure: Measure,
    /// Derives the figures from the measurements of all webs.
    report: fn(&Measured, &mut Report),
    /// Changes the specification of the web, besides its size.
    spec: fn(&mut WebSpec),
}

/// Method of measurement on one web.
enum Measure {
    /// Crawls the web, which is served, with a component that extracts its objects.
    Crawls(fn(&Seed<'_>, &mut Measured) -> Result<(), Failure>),
    /// Uses only the truth of the web. The number of sites is a default maximum.
    Truth(fn(&Web, &Progress<'_>, &mut Measured), u32),
    /// Asks searches: of deep sites, or of real servers. The number of sites is a default maximum.
    Searches(hidden::MeasureSite, u32),
    /// Replays walks on the link graphs of sites: of the lab, or of files.
    Walks(u32),
}

static ALL: [Experiment; 17] = [
    downloads::EXPERIMENT,
    times::EXPERIMENT,
    until::EXPERIMENT,
    aging::EXPERIMENT,
    drift::EXPERIMENT,
    freshness::EXPERIMENT,
    watching::EXPERIMENT,
    phases::EXPERIMENT,
    seed_objects::EXPERIMENT,
    seed_sites::EXPERIMENT,
    rendering::EXPERIMENT,
    hidden::entity::EXPERIMENT,
    hidden::empty::EXPERIMENT,
    hidden::second_level::EXPERIMENT,
    hidden::isit::EXPERIMENT,
    hidden::probing::EXPERIMENT,
    xcrawl::EXPERIMENT,
];

/// One web of an experiment, with a folder for workspaces.
struct Seed<'a> {
    lab: LabServer,
    folder: PathBuf,
    progress: Progress<'a>,
}

/// Reports the progress of an experiment.
struct Progress<'a> {
    seed: u64,
    printer: RefCell<&'a mut Printer>,
    began: Instant,
}

impl Seed<'_> {
    /// Returns the folder of a workspace.
    fn workspace_path(&self, name: &str) -> PathBuf {
        let plain = |character: char| match character {
            'a'..='z' | '0'..='9' | '.' | '=' => character,
            _ => '-',
        };
        self.folder.join(name.chars().map(plain).collect::<String>())
    }

    /// Reports the current step.
    fn tell(&self, step: &str) {
        self.progress.tell(step);
    }

    /// Prints a text with `--verbose` only.
    fn detail(&self, text: impl FnOnce() -> String) {
        self.progress.detail(text);
    }
}

impl<'a> Progress<'a> {
    fn new(seed: u64, printer: &'a mut Printer) -> Self {
        Self {
            seed,
            printer: RefCell::new(printer),
            began: Instant::now(),
        }
    }

    /// Prints a text with `--verbose` only.
    fn detail(&self, text: impl FnOnce() -> String) {
        let mut printer = self.printer.borrow_mut();
        if printer.verbose {
            printer.tell(&text());
        }
    }

    /// Reports the current step.
    fn tell(&self, step: &str) {
        let took = self.began.elapsed();
        let took = match took < MIN_REPORTED_TIME {
            true => String::new(),
            false => format!(", {}", format::time(took)),
        };
        self.printer
            .borrow_mut()
            .tell(&format!("seed {}{took}: {step}", self.seed));
    }
}

pub(crate) fn run(arguments: &ExperimentArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    output_file::check(arguments.plot.as_deref())?;
    let Some(name) = &arguments.name else {
        list(printer)?;
        return Ok(ExitCode::SUCCESS);
    };
    let experiment = ALL
        .iter()
        .find(|experiment| experiment.name == name)
        .ok_or_else(|| {
            let line = |experiment: &Experiment| format!("\n  {:13} {}", experiment.name, experiment.about);
            let lines: String = ALL.iter().map(line).collect();
            Failure::usage(format!("there is no experiment `{name}`")).hint(format!("there are{lines}"))
        })?;
    let seeds = seeds(&arguments.seeds)?;
    if arguments.servers.is_some() && !matches!(experiment.measure, Measure::Searches(..)) {
        let asks = ALL
            .iter()
            .filter(|other| matches!(other.measure, Measure::Searches(..)));
        let names: Vec<&str> = asks.map(|other| other.name).collect();
        return Err(
            Failure::usage(format!("`{name}` can't be measured on `--servers`"))
                .hint(format!("these can: {}", names.join(", "))),
        );
    }
    if arguments.graphs.is_some() && !matches!(experiment.measure, Measure::Walks(_)) {
        return Err(Failure::usage(format!("`{name}` can't be measured on `--graphs`")).hint("`xcrawl` can"));
    }
    let is_labelled = name == hidden::empty::EXPERIMENT.name;
    let is_walk = matches!(experiment.measure, Measure::Walks(_));
    if arguments.pages.is_some() && !is_labelled && !is_walk {
        let names = [&hidden::empty::EXPERIMENT, &xcrawl::EXPERIMENT].map(|can| format!("`{}`", can.name));
        return Err(Failure::usage(format!("`{name}` can't be measured on `--pages`"))
            .hint(format!("{} can", names.join(" and "))));
    }
    let (report, count) = match arguments.pages.as_ref().filter(|_| is_labelled) {
        Some(folder) => {
            let (measured, services) = hidden::labelled::measure(folder, &Progress::new(0, printer))?;
            let mut report = Report::new(experiment.name, "service");
            hidden::labelled::report(&measured, &mut report);
            (report, services)
        }
        None => {
            let measured = match experiment.measure {
                Measure::Crawls(measure) => by_crawls(arguments, experiment, measure, &seeds, printer)?,
                Measure::Truth(measure, _) => by_truth(arguments, experiment, measure, &seeds, printer)?,
                Measure::Searches(measure, _) => {
                    hidden::measure(arguments, experiment, measure, &seeds, printer)?
                }
                Measure::Walks(_) => xcrawl::measure(arguments, experiment, &seeds, printer)?,
            };
            let is_real =
                arguments.servers.is_some() || arguments.graphs.is_some() || arguments.pages.is_some();
            let noun = if is_real { "run" } else { "web" };
            let mut report = Report::new(experiment.name, noun);
            (experiment.report)(&measured, &mut report);
            (report, seeds.len())
        }
    };
    report.print(arguments.json, count, printer)?;
    if let Some(path) = &arguments.plot {
        for path in report.write_plots(path)? {
            printer.tell(&format!("the plot is in {}", path.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Measures on one web for each seed, each with its own workspaces.
fn by_crawls(
    arguments: &ExperimentArgs,
    experiment: &Experiment,
    measure: fn(&Seed<'_>, &mut Measured) -> Result<(), Failure>,
    seeds: &[u64],
    printer: &mut Printer,
) -> Result<Measured, Failure> {
    let component = component(arguments)?;
    let root = WorkspaceRoot::new(arguments)?;
    let mut measured = Measured::default();
    for seed in seeds {
        let spec = spec(arguments, experiment, *seed)?;
        let folder = root.folder().join(format!("{}-{seed}", experiment.name));
        let seed = Seed {
            lab: LabServer::open(spec, component.clone(), arguments.keep.is_some())?,
            folder,
            progress: Progress::new(*seed, printer),
        };
        measure(&seed, &mut measured)?;
        seed.tell("done");
        root.clear(&seed.folder)?;
    }
    Ok(measured)
}

/// Like [`by_crawls`], but without servers, components and workspaces.
fn by_truth(
    arguments: &ExperimentArgs,
    experiment: &Experiment,
    measure: fn(&Web, &Progress<'_>, &mut Measured),
    seeds: &[u64],
    printer: &mut Printer,
) -> Result<Measured, Failure> {
    let mut measured = Measured::default();
    for seed in seeds {
        let web = Web::new(spec(arguments, experiment, *seed)?);
        let progress = Progress::new(*seed, printer);
        measure(&web, &progress, &mut measured);
        progress.tell("done");
    }
    Ok(measured)
}

fn list(printer: &mut Printer) -> Result<(), Failure> {
    let mut table = Table::default().cut(1);
    for experiment in &ALL {
        table.row([experiment.name, experiment.about]);
    }
    printer.table(&table)
}

/// Returns the path of the component.
fn component(arguments: &ExperimentArgs) -> Result<PathBuf, Failure> {
    let file = format!("{}.wasm", VERTICAL.name());
    let Some(folder) = &arguments.verticals else {
        return Err(
            Failure::usage(format!("no component for {} was given", VERTICAL.name()))
                .hint(format!("pass the folder with {file} as `--verticals DIR`")),
        );
    };
    let path = folder.join(&file);
    match path.is_file() {
        true => Ok(path),
        false => Err(
            Failure::new(Kind::Input, format!("there is no {}", path.display()))
                .hint("build it with `magpie plugin build`"),
        ),
    }
}

fn spec(arguments: &ExperimentArgs, experiment: &Experiment, seed: u64) -> Result<WebSpec, Failure> {
    let size = Size::parse(&arguments.size).ok_or_else(|| {
        Failure::usage(format!("the lab has no size `{}`", arguments.size)).hint("expected small or paper")
    })?;
    let mut spec = WebSpec::new(VERTICAL, size, seed);
    let enough = match experiment.measure {
        Measure::Crawls(_) => None,
        Measure::Truth(_, sites) | Measure::Searches(_, sites) | Measure::Walks(sites) => {
            Some(sites).filter(|sites| *sites < spec.sites)
        }
    };
    if let Some(sites) = arguments.sites.or(enough) {
        spec = spec.with_sites(sites);
    }
    spec.decoys = arguments.decoys;
    (experiment.spec)(&mut spec);
    Ok(spec)
}

/// Parses numbers and ranges of numbers, as in 11,12,15-20.
fn seeds(text: &str) -> Result<Vec<u64>, Failure> {
    let wrong = || {
        Failure::usage(format!("invalid value `{text}` for `--seeds`"))
            .hint("expected numbers, such as 11,12,15-20")
    };
    let mut seeds = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: u64 = first.trim().parse().map_err(|_| wrong())?;
        let last: u64 = last.trim().parse().map_err(|_| wrong())?;
        if first > last || last - first >= MAX_SEEDS as u64 || seeds.len() >= MAX_SEEDS {
            return Err(wrong());
        }
        seeds.extend(first..=last);
    }
    seeds.sort_unstable();
    seeds.dedup();
    Ok(seeds)
}

/// Location of the workspaces.
enum WorkspaceRoot {
    Kept(PathBuf),
    Temporary(tempfile::TempDir),
}

impl WorkspaceRoot {
    fn new(arguments: &ExperimentArgs) -> Result<WorkspaceRoot, Failure> {
        if let Some(folder) = &arguments.keep {
            std::fs::create_dir_all(folder).map_err(|error| {
                Failure::new(Kind::Input, format!("can't make {}: {error}", folder.display()))
            })?;
            return Ok(WorkspaceRoot::Kept(folder.clone()));
        }
        let folder = tempfile::Builder::new().prefix("magpie-experiment-").tempdir();
        let failed = |error| Failure::new(Kind::Input, format!("can't make a temporary folder: {error}"));
        folder.map(WorkspaceRoot::Temporary).map_err(failed)
    }

    fn folder(&self) -> &std::path::Path {
        match self {
            WorkspaceRoot::Kept(folder) => folder,
            WorkspaceRoot::Temporary(folder) => folder.path(),
        }
    }

    /// Removes the workspaces of a seed, unless they are kept.
    fn clear(&self, folder: &std::path::Path) -> Result<(), Failure> {
        match self {
            WorkspaceRoot::Temporary(_) if folder.exists() => lab_server::remove(folder),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::seeds;

    #[test]
    fn seeds_are_numbers_and_spans() {
        assert_eq!(seeds("11,12,15-17").expect("seeds"), [11, 12, 15, 16, 17]);
        assert_eq!(seeds(" 3 , 1-3 ").expect("seeds"), [1, 2, 3]);
        for wrong in ["", "a", "3-1", "1,,2", "1-99999999999"] {
            assert!(seeds(wrong).is_err(), "{wrong}");
        }
    }
}
