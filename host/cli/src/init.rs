//! `magpie init`.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use magpie_engine::settings::shipped_file;
use magpie_store::{Workspace, WorkspaceOptions, create_private};

use crate::args::InitArgs;
use crate::failure::{Failure, Kind};
use crate::printer::Printer;
use crate::settings::FILE;

/// Where the verticals of a workspace are dropped.
pub(crate) const VERTICALS: &str = "verticals";

pub(crate) fn run(arguments: &InitArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    create(&arguments.dir, printer)?;
    printer.tell(&format!(
        "{FILE} has the settings, all explained; type in that folder:"
    ));
    printer.tell(&format!(
        "to collect objects, put a component into {VERTICALS}/, then `magpie learn --seeds FILE`, and `magpie recrawl` from time to time"
    ));
    printer.tell("to crawl whole sites, `magpie crawl https://example.org/`");
    Ok(ExitCode::SUCCESS)
}

/// Makes a workspace. Settings that are there stay.
pub(crate) fn create(folder: &Path, printer: &mut Printer) -> Result<(), Failure> {
    Workspace::create(folder, &WorkspaceOptions::default())?.close()?;
    let failed = |error: std::io::Error| {
        Failure::new(
            Kind::Input,
            format!("can't make a workspace in {}: {error}", folder.display()),
        )
    };
    std::fs::create_dir_all(folder.join(VERTICALS)).map_err(failed)?;
    let settings = folder.join(FILE);
    if !settings.exists() {
        let written = create_private(&settings);
        let written = written.and_then(|mut file| file.write_all(shipped_file().as_bytes()));
        written.map_err(failed)?;
    }
    printer.tell(&format!("made the workspace {}", folder.display()));
    Ok(())
}
