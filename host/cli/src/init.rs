//! `magpie init`.

use std::process::ExitCode;

use magpie_terminal::settings::FILE;
use magpie_terminal::workspace;
use magpie_terminal::{Failure, Printer};

use crate::args::InitArgs;

/// Folder of a workspace into which verticals are dropped.
pub(crate) const VERTICALS: &str = "verticals";

pub(crate) fn run(arguments: &InitArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    workspace::create(&arguments.dir, printer)?;
    printer.tell(&format!(
        "{FILE} has the settings, all explained; type in that folder:"
    ));
    printer.tell(&format!(
        "to collect objects, put a component into {VERTICALS}/, then `magpie learn --seeds FILE`, and `magpie recrawl` from time to time"
    ));
    printer.tell("to crawl whole sites, `magpie crawl https://example.org/`");
    Ok(ExitCode::SUCCESS)
}
