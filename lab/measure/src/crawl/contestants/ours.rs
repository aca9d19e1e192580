//! Magpie itself, as users run it: the program with its default settings except for politeness,
//! connections and one thread.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result};

use super::{CONNECTIONS, Contestant, Places, QUICK, succeed};
use crate::components::Folder;
use crate::program::Program;

/// The vertical that is run where everything is done.
const VERTICAL: &str = "events";

/// The largest site that is shown to the vertical: a page takes it a millisecond or more.
const MAX_FOR_VERTICALS: usize = 5_000;

/// Amount of work for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::crawl) enum Row {
    FetchAndDiscover,
    Durable,
    Everything,
}

impl Row {
    pub(in crate::crawl) const ALL: [Row; 3] = [Row::FetchAndDiscover, Row::Durable, Row::Everything];

    pub(in crate::crawl) fn name(self) -> &'static str {
        match self {
            Row::FetchAndDiscover => "Magpie, fetch and discover",
            Row::Durable => "Magpie, durable",
            Row::Everything => "Magpie, everything",
        }
    }

    fn does(self) -> &'static str {
        match self {
            Row::FetchAndDiscover => {
                "robots.txt, links with canonical addresses, traps, keys that mean nothing, soft 404; nothing kept (--forget)"
            }
            Row::Durable => {
                "the same, and in a workspace: frontier, page and links with text and place in SQLite, request and response in WARC, gzipped"
            }
            Row::Everything => {
                "the same, and every page parsed and shown to the events vertical, its objects in SQLite; each page has an event"
            }
        }
    }
}

pub(super) fn contestant(places: &Places, row: Row) -> Result<Contestant> {
    let magpie = Magpie::find(places)?;
    if row == Row::Everything {
        magpie.compile_vertical(places)?;
    }
    Ok(Contestant {
        name: row.name(),
        does: row.does(),
        once_above: QUICK,
        largest: match row {
            Row::FetchAndDiscover | Row::Durable => usize::MAX,
            // A vertical's time for a page does not depend on the others.
            Row::Everything => MAX_FOR_VERTICALS,
        },
        command: Arc::new(move |url, scratch| {
            let mut command = magpie.crawl(row, scratch)?;
            command.arg(url);
            Ok(command)
        }),
    })
}

pub(in crate::crawl) struct Magpie(Program);

impl Magpie {
    pub(in crate::crawl) fn find(places: &Places) -> Result<Magpie> {
        Program::find(places.built.join("magpie-cache")).map(Magpie)
    }

    /// `magpie crawl` without politeness, in a workspace of that folder where anything is kept.
    pub(in crate::crawl) fn crawl(&self, row: Row, scratch: &Path) -> Result<Command> {
        let workspace = scratch.join("workspace");
        if row != Row::FetchAndDiscover && !workspace.exists() {
            succeed(self.0.command(scratch).arg("init").arg(&workspace))?;
        }
        let mut command = self.0.command(scratch);
        command.args(["crawl", "--delay", "0s", "--allow-address", "127.0.0.0/8"]);
        for setting in [
            format!("politeness.requests={CONNECTIONS}"),
            "politeness.autothrottle=false".to_owned(),
            "crawl.threads=1".to_owned(),
            // No site of the comparison ends because it is too large.
            "scope.pages=1000000000".to_owned(),
        ] {
            command.args(["--set", &setting]);
        }
        match row {
            Row::FetchAndDiscover => {
                command.arg("--forget");
            }
            Row::Durable => {
                command.arg("--no-verticals").arg("--workspace").arg(workspace);
            }
            Row::Everything => {
                let vertical = Folder::Verticals.component(VERTICAL)?;
                let dropped = workspace.join("verticals").join(VERTICAL).with_extension("wasm");
                std::fs::copy(vertical, dropped).context("can't drop the vertical into the workspace")?;
                command.arg("--workspace").arg(workspace);
            }
        }
        Ok(command)
    }

    /// Compiles the vertical once, so that no crawl is charged with it.
    fn compile_vertical(&self, places: &Places) -> Result<()> {
        let vertical = Folder::Verticals.component(VERTICAL)?;
        std::fs::create_dir_all(&places.built)?;
        let page = places.built.join("page.html");
        std::fs::write(&page, "<title>Nothing</title>")?;
        let mut command = self.0.command(&places.built);
        command.args(["plugin", "run"]).arg(vertical).arg(page);
        succeed(command.args(["--url", "http://127.0.0.1/"]))
    }
}
