//! Magpie itself, as users run it: the program, with its shipped settings but for politeness, connections and one thread.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use anyhow::Result;

use super::{CONNECTIONS, Contestant, Places, QUICK};

/// How much is done with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::crawl) enum Row {
    FetchAndDiscover,
    Durable,
}

impl Row {
    pub(in crate::crawl) const ALL: [Row; 2] = [Row::FetchAndDiscover, Row::Durable];

    pub(in crate::crawl) fn name(self) -> &'static str {
        match self {
            Row::FetchAndDiscover => "Magpie, fetch and discover",
            Row::Durable => "Magpie, durable",
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
        }
    }
}

pub(super) fn contestant(places: &Places, row: Row) -> Result<Contestant> {
    let program = places.magpie()?;
    Ok(Contestant {
        name: row.name(),
        does: row.does(),
        once_above: QUICK,
        largest: usize::MAX,
        command: Arc::new(move |url, scratch| {
            let mut command = magpie(&program, row, scratch);
            command.arg(url);
            command
        }),
    })
}

/// `magpie crawl` without politeness. What settings the user of this machine has are not asked.
pub(in crate::crawl) fn magpie(program: &Path, row: Row, scratch: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MAGPIE_")) {
        command.env_remove(name);
    }
    command.env("XDG_CONFIG_HOME", scratch);
    command.args(["--quiet", "crawl", "--delay", "0s", "--allow-address", "127.0.0.0/8"]);
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
        Row::FetchAndDiscover => command.arg("--forget"),
        Row::Durable => command.arg("--workspace").arg(scratch.join("workspace")),
    };
    command
}
