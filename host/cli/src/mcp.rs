//! `magpie mcp`: the workspace as tools for a language model, over the standard streams.

use std::sync::Arc;

use magpie_serve::{Place, run_stdio};
use magpie_terminal::workspace::Opened;
use magpie_terminal::{Failure, Printer, process};

use crate::args::McpArgs;

pub(crate) fn run(arguments: &McpArgs, printer: &mut Printer) -> Result<(), Failure> {
    // A workspace that can't be read is reported now, not at the first call.
    let Opened { folder, settings, .. } = Opened::by(&arguments.settings)?;
    let place = Place {
        folder,
        settings: Arc::new(settings),
        clock: process::clock().clone(),
    };
    printer.flush()?;
    run_stdio(&place, std::io::stdin().lock(), std::io::stdout().lock())
        .map_err(|error| Failure::input(format!("can't read or write the standard streams: {error}")))?;
    Ok(())
}
