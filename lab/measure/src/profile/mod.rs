//! The CPU time of a page by stage, the allocations and the bytes copied, while `magpie` learns,
//! recrawls and watches a generated web and saved real sites.
//!
//! `perf` samples the program, which needs symbols and frame pointers, so `cargo xtask profile`
//! builds it apart. Another run counts allocations and copies (`count.c`). An earlier program is
//! measured in turns with the present one.

mod stages;
mod subjects;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::components::Folder;
use crate::crawl::process::{self, Usage};
use crate::figure::{Figure, Report, tell};
use crate::program::Program;
use crate::sample::Samples;
use stages::{ORDER, Seconds};
use subjects::Subject;

/// Options of a run.
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    /// Sites of the generated web; 0 leaves it out
    #[arg(long, value_name = "N", default_value_t = 10)]
    lab: u32,
    /// Saved real sites, by their names in `measure real`
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', default_values_t = ["conference", "books", "clothes"].map(str::to_owned))]
    sites: Vec<String>,
    /// A folder with the real data sets, already unpacked; without it they are looked for beside
    /// the repository
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The program to measure, with symbols and frame pointers; the one beside this without it
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// An earlier program to compare it with, built in the same way
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
    /// A folder with the verticals of the earlier program; without it those of the present one
    #[arg(long, value_name = "DIR", requires = "before")]
    before_verticals: Option<PathBuf>,
    /// Number of runs, of which the medians count
    #[arg(long, value_name = "N", default_value_t = 1)]
    rounds: usize,
    /// Only the CPU time and the memory of whole commands, without stages
    #[arg(long)]
    whole: bool,
}

const VERBS: [&str; 3] = ["learn", "recrawl", "watch"];

const WEEK: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Longest time of a command.
const LIMIT: Duration = Duration::from_secs(3_600);

/// A program with the verticals that it was built with.
#[derive(Clone)]
struct Version {
    program: Program,
    verticals: Option<PathBuf>,
}

impl Version {
    fn vertical(&self, name: &str) -> Result<PathBuf> {
        let own = self
            .verticals
            .as_ref()
            .map(|folder| folder.join(name).with_extension("wasm"));
        own.filter(|own| own.is_file())
            .map_or_else(|| Folder::vertical(name), Ok)
    }

    fn with(&self, program: Program) -> Version {
        Version {
            program,
            verticals: self.verticals.clone(),
        }
    }
}

/// The resources that one verb used.
#[derive(Default)]
struct Used {
    pages: u64,
    /// CPU time as the system reports it, in seconds, without a profiler.
    cpu: f64,
    /// Most memory, in MB.
    memory: f64,
    seconds: Seconds,
    allocations: f64,
    allocated: f64,
    copied: f64,
}

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let temporary = tempfile::tempdir().context("can't make a folder for workspaces")?;
    let counter = match options.whole {
        true => None,
        false => Some(counter(temporary.path())?),
    };
    let cache = |name: &str| temporary.path().join(name);
    let mut versions = vec![Version {
        program: match &options.program {
            Some(path) => Program::at(path, cache("cache"))?,
            None => Program::find(cache("cache"))?,
        },
        verticals: None,
    }];
    if let Some(before) = &options.before {
        versions.push(Version {
            program: Program::at(before, cache("cache-before"))?,
            verticals: options.before_verticals.clone(),
        });
    }
    for subject in subjects::all(options, temporary.path())? {
        tell(&format!("profiling {}", subject.name));
        // Compiles the vertical, which users do once.
        for version in &versions {
            work(version, &subject, temporary.path(), 1, |_, _, _| Ok(()))?;
        }
        let mut runs: Vec<[Vec<Used>; 3]> = versions.iter().map(|_| Default::default()).collect();
        for _ in 0..options.rounds.max(1) {
            for (version, runs) in versions.iter().zip(&mut runs) {
                for (verb, used) in measure(version, &subject, counter.as_deref(), temporary.path())?
                    .into_iter()
                    .enumerate()
                {
                    runs[verb].push(used);
                }
            }
        }
        for (place, verb) in VERBS.into_iter().enumerate() {
            let now = &runs[0][place];
            let before = runs.get(1).map(|runs| &runs[place]);
            add(&format!("{}, {verb}", subject.name), now, before, report);
        }
    }
    Ok(())
}

/// Adds the figures of one verb.
fn add(title: &str, now: &[Used], before: Option<&Vec<Used>>, report: &mut Report) {
    let samples =
        |runs: &[Used], value: &dyn Fn(&Used) -> f64| Samples::new(runs.iter().map(value).collect());
    let mut figure = |what: &str, unit: &'static str, value: &dyn Fn(&Used) -> f64| {
        let values = samples(now, value);
        if values.median() == 0.0 {
            return;
        }
        let mut figure = Figure::of(format!("{title}: {what}"), &values, unit);
        if let Some(before) = before {
            let earlier = samples(before, value);
            figure = figure.beside("before", earlier.median());
            if earlier.median() > 0.0 {
                let ratios = values.over(&earlier);
                let [low, high] = ratios.quartiles();
                figure = figure
                    .beside("ratio", ratios.median())
                    .beside("ratio from", low)
                    .beside("ratio to", high);
            }
        }
        report.add(figure);
    };
    let page = |used: &Used| used.pages.max(1) as f64;
    let micros = |used: &Used, seconds: f64| seconds * 1e6 / page(used);
    figure("requests", "requests", &|used| used.pages as f64);
    figure("CPU", "µs a page", &|used| micros(used, used.cpu));
    figure("memory", "MB", &|used| used.memory);
    for stage in ORDER {
        let of = |used: &Used| used.seconds.get(stage).copied().unwrap_or_default();
        figure(stage, "µs a page", &|used| micros(used, of(used)));
    }
    figure("allocations", "a page", &|used| used.allocations / page(used));
    figure("allocated", "bytes a page", &|used| used.allocated / page(used));
    figure("copied", "bytes a page", &|used| used.copied / page(used));
}

/// Learns, recrawls and watches: once as users do, and unless only whole commands are wanted once
/// under the sampler and once with the counter.
fn measure(
    version: &Version,
    subject: &Subject,
    counter: Option<&Path>,
    scratch: &Path,
) -> Result<[Used; 3]> {
    let mut used: [Used; 3] = Default::default();
    work(version, subject, scratch, VERBS.len(), |verb, pages, usage| {
        used[verb].pages = pages;
        used[verb].cpu = usage.cpu;
        used[verb].memory = usage.memory;
        Ok(())
    })?;
    let Some(counter) = counter else {
        return Ok(used);
    };
    let samples = scratch.join("samples");
    let sampled = version.with(version.program.under(stages::sampler(&samples)));
    work(&sampled, subject, scratch, VERBS.len(), |verb, _, _| {
        used[verb].seconds = stages::read(&samples)?;
        Ok(())
    })?;
    let counts = scratch.join("counts");
    let counted = version.with(version.program.with(vec![
        ("LD_PRELOAD", counter.to_owned()),
        ("MAGPIE_COUNTS", counts.clone()),
    ]));
    work(&counted, subject, scratch, VERBS.len(), |verb, _, _| {
        let text = std::fs::read_to_string(&counts).context("the counter wrote nothing")?;
        let numbers: Vec<f64> = text
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        let [allocations, allocated, copied] = numbers[..] else {
            bail!("the counter wrote {text:?}");
        };
        used[verb].allocations = allocations;
        used[verb].allocated = allocated;
        used[verb].copied = copied;
        Ok(())
    })?;
    Ok(used)
}

/// Works through the first verbs in a new workspace, and hands over the number of requests and the
/// resources of each.
fn work(
    version: &Version,
    subject: &Subject,
    scratch: &Path,
    verbs: usize,
    mut after: impl FnMut(usize, u64, Usage) -> Result<()>,
) -> Result<()> {
    let workspace = tempfile::tempdir_in(scratch).context("can't make a folder for a workspace")?;
    let folder = workspace.path().join("workspace");
    let program = &version.program;
    succeed(program.command(scratch).arg("init").arg(&folder))?;
    let component = version.vertical(subject.vertical)?;
    let name = component.file_name().context("a component has a name")?;
    std::fs::copy(&component, folder.join("verticals").join(name)).context("can't copy the vertical")?;
    let sites = folder.join("sites.txt");
    std::fs::write(&sites, subject.homes.join("\n") + "\n")?;
    for (place, verb) in VERBS.into_iter().enumerate().take(verbs) {
        let week = u32::try_from(place)?;
        subject.go_to_week(week);
        let mut command = program.command(scratch);
        command.arg(verb).arg("--workspace").arg(&folder);
        command.args(["--vertical", subject.vertical, "--proxy", &subject.proxy]);
        command.args(["--now", &(subject.begins + WEEK * week).to_string()]);
        for setting in &subject.settings {
            command.args(["--set", setting]);
        }
        match verb {
            "learn" => command.arg("--sites").arg(&sites),
            "watch" => command.arg("--once"),
            _ => &mut command,
        };
        let requests = subject.requests();
        let log = scratch.join("log");
        let usage = process::run(&mut command, &log, LIMIT)?;
        ensure!(
            usage.status.is_some_and(|status| status.success()),
            "magpie {verb} failed on {}: {}",
            subject.name,
            process::last_words(&log)
        );
        after(place, subject.requests() - requests, usage)?;
    }
    Ok(())
}

fn succeed(command: &mut Command) -> Result<()> {
    let output = command
        .output()
        .with_context(|| format!("can't start {}", command.get_program().display()))?;
    if !output.status.success() {
        bail!(
            "{:?} ended with {}: {}",
            command,
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(())
}

/// Compiles the library that counts allocations.
fn counter(folder: &Path) -> Result<PathBuf> {
    let (source, library) = (folder.join("count.c"), folder.join("count.so"));
    std::fs::write(&source, include_str!("count.c"))?;
    let mut compiler = Command::new("cc");
    // The loop of memcpy must not become a call of memcpy.
    compiler.args([
        "-O3",
        "-shared",
        "-fPIC",
        "-fno-builtin",
        "-fno-tree-loop-distribute-patterns",
        "-o",
    ]);
    succeed(compiler.arg(&library).arg(&source)).context("can't compile the counter of allocations")?;
    Ok(library)
}
