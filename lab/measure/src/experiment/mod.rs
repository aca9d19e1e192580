//! Published experiments, repeated with the pipeline of real crawls on webs with known truth.

mod aging;
mod downloads;
mod drift;
mod expansion;
pub(crate) mod freshness;
mod hidden;
pub(crate) mod lab_server;
mod new_pages;
mod phases;
mod published;
mod rendering;
mod seed_objects;
mod seed_sites;
mod table;
mod times;
mod trial;
mod until;
mod watching;
mod xcrawl;

pub(crate) use trial::copy_folder;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use magpie_lab::{Size, Vertical, Web, WebSpec};
use magpie_terminal::{Failure, format};

use crate::components::Folder;
use crate::figure::{Report, tell};
use crate::mean::Measured;
use lab_server::LabServer;

const VERTICAL: Vertical = Vertical::Events;

/// Maximum number of webs of an experiment; more would take weeks.
const MAX_SEEDS: usize = 1_000;

/// Steps that begin earlier are reported without a time, since they are the first ones.
const MIN_REPORTED_TIME: Duration = Duration::from_millis(100);

/// An experiment: a method is measured on generated webs, one for each seed.
pub(crate) struct Experiment {
    pub(crate) name: &'static str,
    /// Description for the list of measurements.
    pub(crate) about: &'static str,
    measure: Measure,
    /// Derives the figures from the measurements of all webs.
    report: fn(&Measured, &mut Report),
    /// Changes the specification of the web, besides its size.
    spec: fn(&mut WebSpec),
}

/// Method of measurement on one web.
enum Measure {
    /// Crawls the web, which is served, with a component that extracts its objects.
    Crawls(fn(&Seed<'_>, &mut Measured) -> Result<()>),
    /// Uses only the truth of the web. The number of sites is a default maximum.
    Truth(fn(&Web, &Progress, &mut Measured), u32),
    /// Asks searches: of deep sites, or of real servers. The number of sites is a default maximum.
    Searches(hidden::MeasureSite, u32),
    /// Judges labelled result pages of real services.
    Archived,
    /// Replays walks on the link graphs of sites: of the lab, or of files.
    Walks(u32),
}

pub(crate) static ALL: [Experiment; 18] = [
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
    hidden::labelled::EXPERIMENT,
    hidden::second_level::EXPERIMENT,
    hidden::isit::EXPERIMENT,
    hidden::probing::EXPERIMENT,
    xcrawl::EXPERIMENT,
];

/// The options of all experiments.
#[derive(Args)]
#[group(skip)]
struct Options {
    /// Seeds, one web each, as in 11,12,15-20
    #[arg(long, value_name = "SEEDS", default_value = "11-30", value_parser = seeds)]
    seeds: Seeds,
    /// Size of the webs: small (3 sites) or paper (300 sites, some 60,000 pages)
    #[arg(long, value_name = "SIZE", default_value = "paper")]
    size: String,
    /// Number of sites; pages and objects scale in proportion
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    sites: Option<u32>,
    /// Share of sites with decoys, such as month grids, old articles and codes beside prices, in
    /// percent of the standard shares; 0 for none
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    decoys: u32,
    /// Draw the results into this file (SVG); further charts are written beside it
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print what is found on each site
    #[arg(short, long)]
    verbose: bool,
}

/// The options of experiments that crawl.
#[derive(Args)]
#[group(skip)]
struct CrawlOptions {
    /// Keep all workspaces in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// The numbers that clap parses as one value.
type Seeds = std::sync::Arc<[u64]>;

/// One web of an experiment, with a folder for workspaces.
struct Seed<'a> {
    lab: LabServer,
    folder: PathBuf,
    progress: &'a Progress,
}

struct Progress {
    seed: u64,
    verbose: bool,
    began: Instant,
}

impl Seed<'_> {
    fn workspace_path(&self, name: &str) -> PathBuf {
        let plain = |character: char| match character {
            'a'..='z' | '0'..='9' | '.' | '=' => character,
            _ => '-',
        };
        self.folder.join(name.chars().map(plain).collect::<String>())
    }

    fn tell(&self, step: &str) {
        self.progress.tell(step);
    }

    /// Prints a text with `--verbose` only.
    fn detail(&self, text: impl FnOnce() -> String) {
        self.progress.detail(text);
    }
}

impl Progress {
    fn new(seed: u64, options: &Options) -> Self {
        Self {
            seed,
            verbose: options.verbose,
            began: Instant::now(),
        }
    }

    /// Prints a text with `--verbose` only.
    fn detail(&self, text: impl FnOnce() -> String) {
        if self.verbose {
            tell(&text());
        }
    }

    fn tell(&self, step: &str) {
        let took = self.began.elapsed();
        let took = match took < MIN_REPORTED_TIME {
            true => String::new(),
            false => format!(", {}", format::time(took)),
        };
        tell(&format!("seed {}{took}: {step}", self.seed));
    }
}

impl Experiment {
    pub(crate) fn needs_component(&self) -> bool {
        matches!(self.measure, Measure::Crawls(_))
    }

    pub(crate) fn augment(&self, command: Command) -> Command {
        let command = Options::augment_args(command);
        match self.measure {
            Measure::Crawls(_) => CrawlOptions::augment_args(command),
            Measure::Searches(..) => hidden::Options::augment_args(command),
            Measure::Archived => hidden::labelled::Options::augment_args(command),
            Measure::Walks(_) => xcrawl::Options::augment_args(command),
            Measure::Truth(..) => command,
        }
    }

    pub(crate) fn run(&self, matches: &ArgMatches, report: &mut Report) -> Result<()> {
        let options = Options::from_arg_matches(matches)?;
        let measured = self.measured(&options, matches, report)?;
        (self.report)(&measured, report);
        match &options.plot {
            Some(path) => report.write_plots(path),
            None => Ok(()),
        }
    }

    fn measured(&self, options: &Options, matches: &ArgMatches, report: &mut Report) -> Result<Measured> {
        let mut noun = "web";
        let mut count = options.seeds.len();
        let measured = match self.measure {
            Measure::Crawls(measure) => {
                let more = CrawlOptions::from_arg_matches(matches)?;
                self.by_crawls(options, &more, measure)?
            }
            Measure::Truth(measure, _) => {
                let mut measured = Measured::default();
                for seed in options.seeds.iter() {
                    let web = Web::new(self.spec(options, *seed)?);
                    let progress = Progress::new(*seed, options);
                    measure(&web, &progress, &mut measured);
                    progress.tell("done");
                }
                measured
            }
            Measure::Searches(measure, _) => {
                let more = hidden::Options::from_arg_matches(matches)?;
                if more.servers.is_some() {
                    noun = "run";
                }
                hidden::measure(self, options, &more, measure)?
            }
            Measure::Archived => {
                let more = hidden::labelled::Options::from_arg_matches(matches)?;
                noun = "service";
                let (measured, services) = hidden::labelled::measure(&more, &Progress::new(0, options))?;
                count = services;
                measured
            }
            Measure::Walks(_) => {
                let more = xcrawl::Options::from_arg_matches(matches)?;
                if more.are_real() {
                    noun = "run";
                }
                xcrawl::measure(self, options, &more)?
            }
        };
        report.set_runs(count, noun);
        Ok(measured)
    }

    /// Measures on one web for each seed, each with its own workspaces.
    fn by_crawls(
        &self,
        options: &Options,
        more: &CrawlOptions,
        measure: fn(&Seed<'_>, &mut Measured) -> Result<()>,
    ) -> Result<Measured> {
        let component = Folder::Verticals.component(VERTICAL.name())?;
        let temporary = tempfile::tempdir().context("can't make a folder")?;
        let root = more.keep.as_deref().unwrap_or(temporary.path());
        std::fs::create_dir_all(root).with_context(|| format!("can't make {}", root.display()))?;
        let mut measured = Measured::default();
        for seed in options.seeds.iter() {
            let progress = Progress::new(*seed, options);
            let spec = self.spec(options, *seed)?;
            let seed = Seed {
                lab: LabServer::open(spec, component.clone(), more.keep.is_some())?,
                folder: root.join(format!("{}-{seed}", self.name)),
                progress: &progress,
            };
            measure(&seed, &mut measured)?;
            seed.tell("done");
            if more.keep.is_none() && seed.folder.exists() {
                lab_server::remove(&seed.folder)?;
            }
        }
        Ok(measured)
    }

    fn spec(&self, options: &Options, seed: u64) -> Result<WebSpec> {
        let size = Size::parse(&options.size)
            .with_context(|| format!("the lab has no size `{}`: expected small or paper", options.size))?;
        let mut spec = WebSpec::new(VERTICAL, size, seed);
        let enough = match self.measure {
            Measure::Crawls(_) | Measure::Archived => None,
            Measure::Truth(_, sites) | Measure::Searches(_, sites) | Measure::Walks(sites) => {
                Some(sites).filter(|sites| *sites < spec.sites)
            }
        };
        if let Some(sites) = options.sites.or(enough) {
            spec = spec.with_sites(sites);
        }
        spec.decoys = options.decoys;
        (self.spec)(&mut spec);
        Ok(spec)
    }
}

/// Turns a failure of a command line into an error.
fn plain(failure: Failure) -> anyhow::Error {
    match failure.hint {
        Some(hint) => anyhow!("{}\nhint: {hint}", failure.message),
        None => anyhow!(failure.message),
    }
}

/// Parses numbers and ranges of numbers, as in 11,12,15-20.
fn seeds(text: &str) -> Result<Seeds, String> {
    let wrong = || "expected numbers, such as 11,12,15-20".to_owned();
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
    Ok(seeds.into())
}

#[cfg(test)]
mod tests {
    use super::seeds;

    #[test]
    fn seeds_are_numbers_and_spans() {
        assert_eq!(*seeds("11,12,15-17").expect("seeds"), [11, 12, 15, 16, 17]);
        assert_eq!(*seeds(" 3 , 1-3 ").expect("seeds"), [1, 2, 3]);
        for wrong in ["", "a", "3-1", "1,,2", "1-99999999999"] {
            assert!(seeds(wrong).is_err(), "{wrong}");
        }
    }
}
