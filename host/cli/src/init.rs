//! `magpie init`.

use magpie_engine::is_on_server;
use magpie_kit::install::{Candidate, Source};
use magpie_terminal::settings::{self, FILE, SettingArgs};
use magpie_terminal::{Failure, Printer, workspace};

use crate::args::InitArgs;
use crate::plugin;

pub(crate) fn run(arguments: &InitArgs, printer: &mut Printer) -> Result<(), Failure> {
    if is_on_server(&arguments.dir) && arguments.archive.is_none() {
        return Err(
            Failure::usage("a workspace in PostgreSQL needs a place for the pages").hint(
                "name an object store or a folder that all machines have: `--archive s3://BUCKET/PREFIX`",
            ),
        );
    }
    // Without its verticals no workspace is made.
    let found = find(arguments)?;
    let folder = workspace::create(&arguments.dir, printer)?;
    if let Some(store) = &arguments.archive {
        settings::write(&folder, None, "archive.store", Some(toml_edit::value(store)))?;
    }
    if let Some(candidates) = &found {
        let resolved = settings::resolve(&SettingArgs::default(), Some(&folder))?;
        let installer = workspace::installer(&folder, &resolved)?;
        for candidate in candidates {
            let installed = installer.put(candidate, false)?;
            printer.tell(&plugin::install::sentence(&installed));
        }
    }
    match is_on_server(&arguments.dir) {
        true => printer.tell(
            "`magpie config` shows all settings and changes them. With that address in $MAGPIE_WORKSPACE, run:",
        ),
        false => printer.tell(&format!("{FILE} explains all settings. In that folder, run:")),
    }
    let first = if arguments.verticals.is_empty() {
        "get a vertical with `magpie plugin add SOURCE`, then "
    } else {
        ""
    };
    printer.tell(&format!(
        "to collect objects, {first}`magpie learn URL` with the first pages of sites, and `magpie recrawl` \
         from time to time"
    ));
    printer.tell("to crawl whole sites, `magpie crawl https://example.org/`");
    Ok(())
}

/// Loads the verticals that are not in the workspace yet.
fn find(arguments: &InitArgs) -> Result<Option<Vec<Candidate>>, Failure> {
    if arguments.verticals.is_empty() {
        return Ok(None);
    }
    let resolved = settings::resolve(&SettingArgs::default(), Some(&arguments.dir))?;
    let installer = workspace::installer(&arguments.dir, &resolved)?;
    let there = installer.list()?;
    let is_there = |name: &String| there.iter().any(|listed| listed.is_usable(name));
    let places = workspace::component_places();
    let mut candidates = Vec::new();
    for name in arguments.verticals.iter().filter(|name| !is_there(name)) {
        let file = places.find(name)?;
        let candidate = installer.fetch(&Source::file(&file)?)?;
        candidate.expect(name)?;
        candidates.push(candidate);
    }
    Ok(Some(candidates))
}
