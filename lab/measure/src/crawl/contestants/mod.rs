//! Crawlers that are compared. Each is fetched from its registry; if that fails, it is skipped with
//! a message.

mod ours;
mod python;
mod spider;
mod wget;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use crate::figure::tell;

pub(super) use ours::{Magpie, Row};
pub(crate) use python::installed;

/// Maximum number of open connections of each contestant.
pub(super) const CONNECTIONS: usize = 64;

/// Makes the command that crawls a site, from the URL of its first page and a folder for output.
pub(super) type MakeCommand = Arc<dyn Fn(&str, &Path) -> Result<Command>>;

#[derive(Clone)]
pub(super) struct Contestant {
    pub(super) name: &'static str,
    /// Work that it does for a page.
    pub(super) does: &'static str,
    /// With sites larger than this it takes minutes and is measured once.
    pub(super) once_above: usize,
    /// With sites larger than this it takes too long and is left out.
    pub(super) largest: usize,
    pub(super) command: MakeCommand,
}

/// Beyond, a single round takes long enough that what disturbs it evens out.
const QUICK: usize = 20_000;

/// Names, which figures are made of.
pub(super) const BARE: &str = "bare loop";
pub(super) const SPIDER: &str = "spider";
pub(super) const SCRAPY: &str = "Scrapy";
pub(super) const CRAWLEE: &str = "Crawlee";
pub(super) const WGET: &str = "wget";

/// Folders in which contestants are built and installed.
pub(super) struct Places {
    sources: PathBuf,
    built: PathBuf,
}

impl Places {
    pub(super) fn find() -> Result<Places> {
        let program = std::env::current_exe().context("can't tell where this program lies")?;
        // target/release/measure
        let target = program
            .ancestors()
            .nth(2)
            .context("this program lies in no target folder")?;
        Ok(Places {
            sources: Path::new(env!("CARGO_MANIFEST_DIR")).join("contestants"),
            built: target.join("contestants"),
        })
    }

    /// A folder for files that contestants write while they crawl: on the disk where programs are
    /// built, not in memory.
    pub(super) fn scratch(&self) -> PathBuf {
        self.built.join("scratch")
    }
}

/// Name of another crawler, and the function that prepares it.
type Other = (&'static str, fn(&Places) -> Result<Contestant>);

/// Prepares the contestants whose name contains one of these words; all if there are no words.
pub(super) fn prepare(places: &Places, wanted: &[String]) -> Result<Vec<Contestant>> {
    let is_wanted = |name: &str| {
        let name = name.to_lowercase();
        wanted.is_empty() || wanted.iter().any(|word| name.contains(&word.to_lowercase()))
    };
    let mut ready = Vec::new();
    if is_wanted(BARE) {
        ready.push(bare()?);
    }
    for row in Row::ALL.into_iter().filter(|row| is_wanted(row.name())) {
        ready.extend(provided(row.name(), ours::contestant(places, row)));
    }
    let others: [Other; 4] = [
        (SPIDER, spider::contestant),
        (WGET, wget::contestant),
        (SCRAPY, python::scrapy),
        (CRAWLEE, python::crawlee),
    ];
    for (name, contestant) in others.into_iter().filter(|(name, _)| is_wanted(name)) {
        ready.extend(provided(name, contestant(places)));
    }
    Ok(ready)
}

fn provided(name: &str, contestant: Result<Contestant>) -> Option<Contestant> {
    contestant
        .map_err(|error| tell(&format!("left out: {name}, since it can't be had: {error:#}")))
        .ok()
}

fn bare() -> Result<Contestant> {
    let program = std::env::current_exe()?;
    Ok(Contestant {
        name: BARE,
        does: "hyper, lol_html, url, a set of hashes: fetches, finds links, knows which are new; no robots.txt, no limits, nothing kept",
        once_above: QUICK,
        largest: usize::MAX,
        command: Arc::new(move |url, _| {
            let mut command = Command::new(&program);
            command.args(["crawl", "--role", "bare", "--url", url]);
            Ok(command)
        }),
    })
}

/// Does something that has to go well, without showing what it prints.
fn succeed(command: &mut Command) -> Result<()> {
    let program = command.get_program().display().to_string();
    let output = command.output().with_context(|| format!("can't run {program}"))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        bail!("{program}: {}", words.lines().last().unwrap_or("it failed"));
    }
    Ok(())
}
