//! Third-party servers on loopback, filled with objects, to crawl by hand.

#![allow(clippy::print_stdout, reason = "what it prints is what it is for")]

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use magpie_test_servers::{Catalogue, Error, Kind, Server, install};
use serde_json::json;

use crate::places::Places;
use crate::step;

/// Number of objects of the lab, unless another is given.
const LAB_OBJECTS: usize = 1_000;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask servers\n  cargo xtask servers datasette oscar --objects 200\n  \
    cargo xtask servers --data target/real-data\n  cargo xtask servers --install"
)]
pub(crate) struct Arguments {
    /// Names of servers: datasette, oscar, roundup, mediawiki; without a name all of them
    #[arg(value_name = "NAME", value_parser = parse_name)]
    names: Vec<Kind>,
    /// Maximum number of objects; 1,000 from the lab, all of a data set
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    objects: Option<u32>,
    /// Folder of unpacked data sets; the default is MAGPIE_DATA, and without that the lab's objects
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Only install the servers into target/servers
    #[arg(long)]
    install: bool,
    /// Print one JSON object for each server
    #[arg(long)]
    json: bool,
}

fn parse_name(name: &str) -> Result<Kind, String> {
    let names = Kind::ALL.map(Kind::name).join(", ");
    Kind::parse(name).ok_or_else(|| format!("expected one of {names}"))
}

pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    let mut kinds = arguments.names.clone();
    if kinds.is_empty() {
        kinds.extend(Kind::ALL);
    }
    let kinds = install_each(&kinds)?;
    ensure!(!kinds.is_empty(), "no server can be installed here");
    if arguments.install {
        return Ok(());
    }
    let catalogue = catalogue(places, arguments)?;
    let servers = start_each(&kinds, &catalogue)?;
    for server in &servers {
        print(server, &catalogue, arguments.json);
    }
    step::say("the servers run until Ctrl-C");
    // The servers end with this process.
    loop {
        thread::park();
    }
}

/// Installs all servers for the tests. Prints a line for each that is missing.
pub(crate) fn install_all() -> Result<()> {
    install_each(&Kind::ALL).map(drop)
}

/// Installs servers, and returns those that are here.
fn install_each(kinds: &[Kind]) -> Result<Vec<Kind>> {
    let mut here = Vec::new();
    for kind in kinds {
        let started = Instant::now();
        match install(*kind) {
            Ok(folder) => {
                let (name, version) = (kind.name(), kind.version());
                let seconds = started.elapsed().as_secs_f64();
                step::say(&format!(
                    "{name} {version}: {} ({seconds:.1} s)",
                    folder.display()
                ));
                here.push(*kind);
            }
            Err(missing @ Error::Missing { .. }) => step::say(&format!("skipped: {missing}")),
            Err(broken @ Error::Broken { .. }) => bail!(broken),
        }
    }
    Ok(here)
}

/// Reads the objects of the data set, or generates those of the lab.
fn catalogue(places: &Places, arguments: &Arguments) -> Result<Catalogue> {
    let variable = || std::env::var_os("MAGPIE_DATA").map(PathBuf::from);
    let limit = arguments.objects.map(|count| count as usize);
    match arguments.data.clone().or_else(variable) {
        Some(folder) => {
            let read = Catalogue::read_data(&folder);
            let read = read.with_context(|| format!("can't read the data set in {}", folder.display()))?;
            Ok(read.limited(limit.unwrap_or(usize::MAX)))
        }
        None => lab_objects(places, limit.unwrap_or(LAB_OBJECTS)),
    }
}

/// Runs the lab, which this program does not link.
fn lab_objects(places: &Places, count: usize) -> Result<Catalogue> {
    let file = tempfile::NamedTempFile::new().context("can't create a file for the objects")?;
    let mut cargo = places.cargo();
    cargo.args([
        "run",
        "--quiet",
        "--package",
        "magpie-test-servers",
        "--example",
        "lab_objects",
    ]);
    cargo
        .args(["--", "books", &count.to_string()])
        .stdout(file.reopen()?);
    step::run("objects of the lab", &mut cargo)?;
    Ok(Catalogue::read_json_lines(file.path())?)
}

/// Fills and starts servers at the same time.
fn start_each(kinds: &[Kind], catalogue: &Catalogue) -> Result<Vec<Server>> {
    thread::scope(|scope| {
        let start = |kind: &Kind| {
            let kind = *kind;
            scope.spawn(move || {
                let started = Instant::now();
                let server = Server::start(kind, catalogue)?;
                let seconds = started.elapsed().as_secs_f64();
                step::say(&format!("{}: filled and started ({seconds:.1} s)", kind.name()));
                Ok(server)
            })
        };
        let threads: Vec<_> = kinds.iter().map(start).collect();
        let joined = threads.into_iter().map(|thread| match thread.join() {
            Ok(started) => started,
            Err(_) => bail!("a thread that started a server panicked"),
        });
        joined.collect()
    })
}

fn print(server: &Server, catalogue: &Catalogue, as_json: bool) {
    let kind = server.kind();
    let count = catalogue.objects().len();
    let query = catalogue.objects().first().map_or("", |object| &object.title);
    let search = server.url_of(&kind.search_target(query));
    let log: &Path = server.log_file();
    if as_json {
        let line = json!({
            "server": kind.name(), "version": kind.version(), "url": server.url(), "objects": count,
            "search": search, "catalogue": server.folder().join("objects.jsonl"), "log": log,
        });
        println!("{line}");
        return;
    }
    println!("{} {}", kind.name(), kind.version());
    println!("  URL      {}", server.url());
    println!("  objects  {count}");
    println!("  search   {search}");
    println!("  log      {}", log.display());
}
