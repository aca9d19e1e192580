//! `magpie plugin record`.

use std::path::Path;
use std::process::ExitCode;

use magpie_kit::fixture::{expectation, record, save_expected, suggested_name};
use magpie_kit::inputs::{InputSettings, Inputs};
use magpie_kit::project::Project;
use magpie_kit::run::{PageRun, run_page};
use magpie_model::Record;
use magpie_page::PageSource;
use serde_json::json;

use crate::args::RecordArgs;
use crate::failure::{Failure, Kind};
use crate::printer::Printer;
use crate::setup;
use crate::show;

pub(crate) fn run(arguments: &RecordArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let project = Project::open(&arguments.dir)?;
    let page = single_page(arguments)?;
    let name = arguments
        .name
        .clone()
        .unwrap_or_else(|| suggested_name(&page.url));
    let folder = project.fixtures().join(&name);
    record(&page, &folder, arguments.force)?;
    let bytes = page.body.len();
    let found = if arguments.page_only {
        None
    } else {
        Some(expect(arguments, page, &folder, printer)?)
    };
    if arguments.json {
        let objects = found.map(|run| run.records.iter().map(Record::to_json).collect::<Vec<_>>());
        printer.json(&json!({"fixture": folder, "bytes": bytes, "objects": objects}))?;
        return Ok(ExitCode::SUCCESS);
    }
    printer.line(&format!(
        "{}  {} saved",
        folder.display(),
        show::bytes(bytes as u64)
    ))?;
    if let Some(run) = found {
        show::page_run(&run, printer)?;
        printer.line(&format!(
            "expected.json says what the plugin finds today ({}). Read it and correct it: it is the truth from now on.",
            show::objects(run.records.len())
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes what the plugin finds today as the expectation.
fn expect(
    arguments: &RecordArgs,
    page: PageSource,
    folder: &Path,
    printer: &mut Printer,
) -> Result<PageRun, Failure> {
    let runtime = setup::runtime(&setup::default_limits())?;
    let plugin = setup::load(&runtime, &arguments.dir, &[], printer)?;
    let run = run_page(&plugin, page);
    let found: Vec<serde_json::Value> = run.records.iter().map(Record::to_json).collect();
    save_expected(&expectation(&found), folder, arguments.force)?;
    Ok(run)
}

fn single_page(arguments: &RecordArgs) -> Result<PageSource, Failure> {
    let settings = InputSettings {
        url: arguments.url.clone(),
        ..InputSettings::default()
    };
    let inputs = Inputs::new([arguments.input.clone()], settings);
    let mut pages = inputs.pages();
    let first = pages
        .next()
        .ok_or_else(|| Failure::new(Kind::Input, format!("{}: no page in it", arguments.input)))?;
    if pages.next().is_some() {
        let message = format!("{} holds more than one page", arguments.input);
        return Err(Failure::new(Kind::Usage, message).hint("record one page at a time: a file or a URL"));
    }
    Ok(first
        .map_err(|problem| Failure::new(Kind::Input, problem.to_string()))?
        .source)
}
