//! `magpie mcp`: the workspace as tools for a language model, over the standard streams.

use magpie_engine::open_reader;
use std::process::ExitCode;
use std::sync::Arc;

use magpie_serve::{Place, run_stdio};
use magpie_terminal::settings::CrawlSettingArgs;
use magpie_terminal::{Failure, Kind, Printer, process, settings};

use crate::args::McpArgs;

pub(crate) fn run(arguments: &McpArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.settings.place)?;
    let resolved = settings::resolve(&arguments.settings, &CrawlSettingArgs::default(), Some(&folder))?;
    // A workspace that can't be read is reported now, not at the first call.
    drop(open_reader(&folder)?);
    let place = Place {
        folder,
        settings: Arc::new(resolved),
        clock: process::clock().clone(),
    };
    printer.flush()?;
    run_stdio(&place, std::io::stdin().lock(), std::io::stdout().lock()).map_err(|error| {
        Failure::new(
            Kind::Input,
            format!("can't read or write the standard streams: {error}"),
        )
    })?;
    Ok(ExitCode::SUCCESS)
}
