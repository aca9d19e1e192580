//! Third-party servers on loopback, filled with objects, to crawl by hand: `cargo xtask servers`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a program for people"
)]

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use magpie_lab::{Size, Vertical, Web, WebSpec};
use magpie_test_servers::{Catalogue, Error, Kind, Server, install};
#[cfg(unix)]
use magpie_test_servers::{Postgres, Release};
use serde_json::json;

/// Number of objects of the lab, unless another is given.
const LAB_OBJECTS: usize = 1_000;

/// Seed of the web whose objects are served.
const LAB_SEED: u64 = 1;

/// Installs third-party servers, fills them with objects, and runs them until Ctrl-C.
#[derive(Parser)]
#[command(
    name = "cargo xtask servers",
    after_help = "Examples:\n  cargo xtask servers\n  cargo xtask servers datasette oscar --objects 200\n  \
    cargo xtask servers --data target/real-data\n  cargo xtask servers --install"
)]
struct Arguments {
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
    /// Only a PostgreSQL server, whose address is printed
    #[arg(long, conflicts_with_all = ["names", "install"])]
    postgres: bool,
    /// Print one JSON object for each server
    #[arg(long)]
    json: bool,
}

fn parse_name(name: &str) -> Result<Kind, String> {
    let names = Kind::ALL.map(Kind::name).join(", ");
    Kind::parse(name).ok_or_else(|| format!("expected one of {names}"))
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if arguments.postgres {
        return postgres();
    }
    let mut kinds = arguments.names.clone();
    if kinds.is_empty() {
        kinds.extend(Kind::ALL);
    }
    let kinds = install_each(&kinds)?;
    if arguments.install {
        return Ok(());
    }
    ensure!(!kinds.is_empty(), "no server can be installed here");
    let catalogue = catalogue(&arguments)?;
    let servers = start_each(&kinds, &catalogue)?;
    for server in &servers {
        print(server, &catalogue, arguments.json);
    }
    eprintln!("the servers run until Ctrl-C");
    // The servers end with this process.
    loop {
        thread::park();
    }
}

/// Runs a PostgreSQL server with an empty database until the standard input ends.
#[cfg(unix)]
fn postgres() -> Result<()> {
    let mut all = Release::ALL.into_iter();
    let server = all.find_map(Postgres::start_or_skip);
    let server = server.context("PostgreSQL can't be started here: install the package `postgresql`")?;
    println!("{}", server.url("postgres"));
    let mut rest = Vec::new();
    std::io::stdin().read_to_end(&mut rest)?;
    Ok(())
}

#[cfg(not(unix))]
fn postgres() -> Result<()> {
    bail!("PostgreSQL is started on Unix only")
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
                eprintln!("{name} {version}: {} ({seconds:.1} s)", folder.display());
                here.push(*kind);
            }
            Err(missing @ Error::Missing { .. }) => eprintln!("skipped: {missing}"),
            Err(broken @ Error::Broken { .. }) => bail!(broken),
        }
    }
    Ok(here)
}

/// Reads the objects of the data set, or generates those of the lab.
fn catalogue(arguments: &Arguments) -> Result<Catalogue> {
    let variable = || std::env::var_os("MAGPIE_DATA").map(PathBuf::from);
    let limit = arguments.objects.map(|count| count as usize);
    if let Some(folder) = arguments.data.clone().or_else(variable) {
        let read = Catalogue::read_data(&folder);
        let read = read.with_context(|| format!("can't read the data set in {}", folder.display()))?;
        return Ok(read.limited(limit.unwrap_or(usize::MAX)));
    }
    let web = Web::new(WebSpec::new(Vertical::Books, Size::Paper, LAB_SEED));
    let file = tempfile::NamedTempFile::new().context("can't create a file for the objects")?;
    let mut lines = String::new();
    for object in web.seeds(limit.unwrap_or(LAB_OBJECTS)) {
        lines.push_str(&serde_json::to_string(&object)?);
        lines.push('\n');
    }
    std::fs::write(file.path(), lines).context("can't write the objects")?;
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
                eprintln!("{}: filled and started ({seconds:.1} s)", kind.name());
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
