//! Scrapy and Crawlee, from PyPI: each in an environment of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::Result;

use super::{CONNECTIONS, CRAWLEE, Contestant, Places, SCRAPY, succeed};
use crate::figure::tell;

/// The largest site they are measured with: half a minute each.
const LARGEST: usize = 5_000;

pub(super) fn scrapy(places: &Places) -> Result<Contestant> {
    contestant(
        places,
        SCRAPY,
        "scrapy",
        "scrapy==2.19.0",
        "robots.txt, links by lxml, a set of fingerprints; keeps nothing",
    )
}

pub(super) fn crawlee(places: &Places) -> Result<Contestant> {
    contestant(
        places,
        CRAWLEE,
        "crawlee",
        "crawlee[parsel]==1.11.0",
        "robots.txt, a tree by parsel, links; requests and results in its storage, as it ships",
    )
}

/// Largest site that is measured several times. It takes a minute or two. Magpie is compared on
/// it, and a single round would depend on the state of the machine.
const OFTEN: usize = 5_000;

fn contestant(
    places: &Places,
    name: &'static str,
    folder: &str,
    package: &str,
    does: &'static str,
) -> Result<Contestant> {
    let python = installed(&places.built.join(folder), package)?;
    let script = places.sources.join(folder).join("crawl.py");
    Ok(Contestant {
        name,
        does,
        once_above: OFTEN,
        largest: LARGEST,
        command: Arc::new(move |url, scratch| {
            let mut command = Command::new(&python);
            command
                .arg(&script)
                .arg(url)
                .arg(CONNECTIONS.to_string())
                .current_dir(scratch);
            Ok(command)
        }),
    })
}

/// Returns the interpreter of an environment with the package; creates it if missing.
pub(crate) fn installed(environment: &Path, package: &str) -> Result<PathBuf> {
    let python = environment.join("bin/python");
    // Written last, so that an installation that was interrupted is done again.
    let mark = environment.join("installed");
    if std::fs::read_to_string(&mark).is_ok_and(|installed| installed == package) {
        return Ok(python);
    }
    tell(&format!("installing {package}"));
    succeed(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(environment),
    )?;
    succeed(Command::new(&python).args(["-m", "pip", "install", "--quiet", package]))?;
    std::fs::write(&mark, package)?;
    Ok(python)
}
