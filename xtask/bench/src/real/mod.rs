//! Real sites: whole ones, learned once and recrawled, and the classes of the pages of larger ones.
//!
//! The sites lie beside the repository and are not part of it; what is not at hand is left out with a line that says so. They are served
//! on this machine under their own names (`mirror`, `serve`), and `magpie` works on them as a user would have it (`workspace`, `whole`).
//! Page classes need no server: their set has links and labels (`graph`, `classes`, `agreement`).

mod agreement;
mod classes;
mod graph;
mod mirror;
mod serve;
mod whole;
mod workspace;

use std::path::Path;

use anyhow::{Context, Result};

use crate::data::{Options, Sets};
use crate::figure::{Report, tell};
use crate::program::Program;
use mirror::Mirror;
use serve::Server;
use workspace::Desk;

/// A site: what it is called, its set, and the vertical of its objects.
const SITES: [(&str, &str, &str); 4] = [
    ("conference", "site-fossasia2017", "events"),
    ("books", "site-medical-books", "books"),
    ("clothes", "site-capybara-shop", "products"),
    ("tickets", "site-iticket", "products"),
];

/// The set of link graphs.
const GRAPHS: &str = "urlgraph";

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let sets = Sets::new(options.data.clone());
    if options.wants("classes", GRAPHS)
        && let Some(folder) = sets.find(GRAPHS)
    {
        tell("measuring classes");
        classes::run(&folder, report).context("page classes can't be measured")?;
    }
    for (name, set, vertical) in SITES.into_iter().filter(|site| options.wants(site.0, site.1)) {
        if let Some(folder) = sets.find(set) {
            tell(&format!("measuring {name}"));
            site(&folder, name, vertical, options, report)
                .with_context(|| format!("{name} ({set}) can't be measured"))?;
        }
    }
    Ok(())
}

/// Measures a whole site.
fn site(
    folder: &Path,
    name: &str,
    vertical: &'static str,
    options: &Options,
    report: &mut Report,
) -> Result<()> {
    let mirror = Mirror::read(folder)?;
    let temporary = tempfile::tempdir().context("can't make a folder for workspaces")?;
    let scratch = options.keep.as_deref().unwrap_or(temporary.path());
    std::fs::create_dir_all(scratch).with_context(|| format!("can't make {}", scratch.display()))?;
    let authority = temporary.path().join("authority.pem");
    let server = Server::start(&[mirror.host().to_owned()], &authority)?;
    let desk = Desk {
        program: Program::find(temporary.path().join("cache"))?,
        server: &server,
        authority,
        scratch: scratch.to_owned(),
        verbose: options.verbose,
    };
    whole::measure(&desk, name, &mirror, vertical, report)
}
