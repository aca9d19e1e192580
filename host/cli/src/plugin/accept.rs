//! `magpie plugin test --accept`.

use std::path::Path;
use std::process::ExitCode;

use magpie_kit::accept::accept;
use magpie_kit::fixture::is_name;
use magpie_runtime::Plugin;
use magpie_terminal::{Failure, Printer};

use crate::plugin::lines::RecordedLine;
use crate::show;
use magpie_terminal::process::found;

/// Makes what is found on a fixture's page its expectation.
pub(crate) fn run(
    plugin: &Plugin,
    fixtures: &Path,
    name: &str,
    as_json: bool,
    printer: &mut Printer,
) -> Result<ExitCode, Failure> {
    let folder = fixtures.join(name);
    if !is_name(name) || !folder.is_dir() {
        let message = format!("there is no fixture `{name}` in {}", fixtures.display());
        return Err(Failure::input(message).hint("`magpie plugin record` saves a page as one"));
    }
    let run = accept(plugin, &folder)?;
    if as_json {
        printer.json(&RecordedLine::new(folder, None, Some(&run)))?;
        return Ok(found(run.error.is_none()));
    }
    show::page_run(&run, printer)?;
    let expected = folder.join("expected.json").display().to_string();
    printer.line(&match run.error {
        Some(_) => format!("The plugin failed, so {expected} is as it was."),
        None => format!(
            "{expected} says what the plugin finds today ({}). Read it: it is the truth from now on.",
            show::found(&run)
        ),
    })?;
    Ok(found(run.error.is_none()))
}
