//! A workspace of `magpie`, worked with as users do, and read afterwards.

use std::time::Duration;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use magpie_rows::{Learned as _, Objects as _, Pages as _, RunId, Runs as _};
use magpie_sqlite::Reader;
use magpie_values::Timestamp;
use serde_json::Value;
use url::Url;

use super::serve::{Server, Traffic};
use crate::components::Folder;
use crate::experiment::copy_folder;
use crate::figure::tell;
use crate::program::Program;
use crate::site::mirror::{FileNumber, Mirror};

/// The server is local, so it can be requested as fast as it answers. All other settings are the
/// defaults.
pub(super) const NEAR: [&str; 5] = [
    "politeness.delay=0s",
    "politeness.max_crawl_delay=0s",
    "politeness.robots_wait=1s",
    "politeness.requests=8",
    "politeness.autothrottle=false",
];

pub(super) struct Desk<'a> {
    pub(super) program: Program,
    pub(super) server: &'a Server,
    pub(super) mirror: &'a Arc<Mirror>,
    /// Settings of the site beyond [`NEAR`].
    pub(super) settings: &'static [&'static str],
    /// Who vouches for the server.
    pub(super) authority: PathBuf,
    /// Folder in which workspaces are made.
    pub(super) scratch: PathBuf,
    /// Prints the output of the commands.
    pub(super) verbose: bool,
}

/// A workspace of one vertical and one site.
pub(super) struct Workspace<'a> {
    desk: &'a Desk<'a>,
    folder: PathBuf,
    vertical: &'static str,
    /// The time that commands take for the present, in seconds since 1970; none for the machine's.
    now: Option<Timestamp>,
}

pub(super) struct Round {
    /// The pages that it promised to fetch before it began, and those that it fetched.
    pub(super) promised: u64,
    pub(super) fetched: u64,
    pub(super) traffic: Traffic,
    /// Pages that were fetched, or found unchanged.
    pub(super) files: BTreeSet<FileNumber>,
}

pub(super) type Objects = BTreeMap<i64, BTreeSet<FileNumber>>;

impl<'a> Workspace<'a> {
    pub(super) fn new(desk: &'a Desk<'a>, name: &str, vertical: &'static str) -> Result<Workspace<'a>> {
        let workspace = Workspace {
            folder: desk.scratch.join(name),
            desk,
            vertical,
            now: None,
        };
        let mut command = desk.program.command(&desk.scratch);
        workspace.run(command.arg("init").arg(&workspace.folder))?;
        let component = Folder::vertical(vertical)?;
        let into = workspace
            .folder
            .join("verticals")
            .join(vertical)
            .with_extension("wasm");
        std::fs::copy(component, into).context("can't drop the vertical into the workspace")?;
        Ok(workspace)
    }

    /// Copies the workspace, so that something can be tried on it.
    pub(super) fn copied(&self, name: &str) -> Result<Workspace<'a>> {
        let copy = Workspace {
            folder: self.desk.scratch.join(name),
            ..*self
        };
        copy_folder(&self.folder, &copy.folder).context("can't copy the workspace")?;
        Ok(copy)
    }

    pub(super) fn crawl(&self, home: &Url) -> Result<Traffic> {
        let mut command = self.command("crawl");
        self.run(command.arg("--no-verticals").arg(home.as_str()))
    }

    /// Sets the time that commands take for the present, in seconds since 1970.
    pub(super) fn set_clock(&mut self, now: Timestamp) {
        self.now = Some(now);
    }

    pub(super) fn advance(&mut self, hours: u32) {
        self.now = self.now.map(|now| now + Duration::from_secs(3_600) * hours);
    }

    pub(super) fn reader(&self) -> Result<Reader> {
        Ok(Reader::open(&self.folder)?)
    }

    pub(super) fn watch_once(&self) -> Result<Traffic> {
        let mut command = self.command("watch");
        self.run(command.args(["--once", "--vertical", self.vertical]))
    }

    /// The files that were fetched, in order, by one run or by all; none for what is no file.
    pub(super) fn fetched(&self, run: Option<RunId>) -> Result<Vec<Option<FileNumber>>> {
        let reader = self.reader()?;
        let rows = reader.all_fetches(run)?;
        let files = rows
            .iter()
            .map(|page| self.desk.mirror.file(&page.url.parse().ok()?));
        Ok(files.collect())
    }

    /// Runs `magpie learn` on a named site. Returns `None` if it found no object: there is nothing
    /// to recrawl then.
    pub(super) fn learn(&self, home: &Url, pages: u64) -> Result<Option<Traffic>> {
        let sites = self.folder.join("sites.txt");
        std::fs::write(&sites, format!("{home}\n"))?;
        let mut command = self.command("learn");
        command.args(["--pages", &pages.to_string()]);
        command.args(["--vertical", self.vertical, "--sites"]).arg(sites);
        match self.run(&mut command) {
            Err(_) if self.has_pages_only()? => Ok(None),
            outcome => outcome.map(Some),
        }
    }

    /// Returns `true` if pages were fetched and nothing was learned from them.
    fn has_pages_only(&self) -> Result<bool> {
        let reader = self.reader()?;
        let has_pages = !reader.all_fetches(None)?.is_empty();
        Ok(has_pages && reader.learned_sites(self.vertical)?.is_empty())
    }

    /// `magpie recrawl` with a clock that is some weeks ahead.
    pub(super) fn recrawl(&self, mirror: &Mirror, weeks: u32, method: &str) -> Result<Round> {
        let mut command = self.command("recrawl");
        command.args(["--vertical", self.vertical, "--method", method, "--json"]);
        if weeks > 0 {
            command.args(["--later", &format!("{weeks}w")]);
        }
        let (traffic, printed) = self.run_and_read(&mut command)?;
        let last = printed.lines().last().context("magpie recrawl printed nothing")?;
        let summary: Value = serde_json::from_str(last).context("magpie recrawl printed no JSON")?;
        let pages = |key: &str| summary[key].as_u64().unwrap_or_default();
        let reader = Reader::open(&self.folder)?;
        let run = reader.runs()?.into_iter().map(|run| run.id).max();
        let rows = reader.all_fetches(run)?;
        let had = rows
            .iter()
            .filter(|page| matches!(page.status, Some(200..=299 | 304)));
        let files: BTreeSet<_> = had
            .filter_map(|page| mirror.file(&page.url.parse().ok()?))
            .collect();
        Ok(Round {
            promised: pages("promised_pages"),
            fetched: pages("round_fetched_pages"),
            traffic,
            files,
        })
    }

    /// All objects with the pages that had them when they were looked at last.
    pub(super) fn objects(&self, mirror: &Mirror) -> Result<Objects> {
        let mut objects = Objects::new();
        for row in Reader::open(&self.folder)?.all_objects_on_pages(self.vertical)? {
            let files = objects.entry(row.object.0).or_default();
            files.extend(row.url.parse().ok().and_then(|url| mirror.file(&url)));
        }
        Ok(objects)
    }

    fn command(&self, verb: &str) -> Command {
        let mut command = self.desk.program.command(&self.desk.scratch);
        command.arg(verb).arg("--workspace").arg(&self.folder);
        command.args(["--proxy", &self.desk.server.proxy()]);
        if let Some(now) = self.now {
            command.args(["--now", &now.to_string()]);
        }
        let authority = format!("fetch.certificates={}", self.desk.authority.display());
        let settings = NEAR.into_iter().chain(self.desk.settings.iter().copied());
        for setting in settings.chain([authority.as_str()]) {
            command.args(["--set", setting]);
        }
        command
    }

    /// Runs a command; what the server was asked for meanwhile.
    fn run(&self, command: &mut Command) -> Result<Traffic> {
        Ok(self.run_and_read(command)?.0)
    }

    /// Runs a command; what the server was asked for meanwhile, and what the command printed.
    fn run_and_read(&self, command: &mut Command) -> Result<(Traffic, String)> {
        self.desk.server.take_traffic();
        let output = command.output().context("can't start magpie")?;
        let said = String::from_utf8_lossy(&output.stderr);
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if self.desk.verbose {
            tell(printed.trim_end());
            tell(said.trim_end());
        }
        if !output.status.success() {
            bail!(
                "magpie {} ended with {}: {}",
                verb(command),
                output.status,
                said.trim()
            );
        }
        Ok((self.desk.server.take_traffic(), printed))
    }
}

fn verb(command: &Command) -> String {
    let verb = command.get_args().find(|argument| *argument != "--quiet");
    verb.map_or_else(String::new, |verb| verb.to_string_lossy().into_owned())
}
