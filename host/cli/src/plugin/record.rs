//! `magpie plugin record`.

use std::path::Path;
use std::process::ExitCode;

use magpie_kit::fixture::{expectation, is_name, is_taken, record, save_expected, suggested_name};
use magpie_kit::inputs::Inputs;
use magpie_kit::project::Project;
use magpie_kit::run::{PageRun, run_page};
use magpie_model::Record;
use magpie_page::PageSource;
use magpie_runtime::Plugin;
use magpie_terminal::{Failure, Printer, format};

use crate::pages::check_url;
use crate::plugin::args::RecordArgs;
use crate::plugin::lines::RecordedLine;
use crate::{setup, show};
use magpie_terminal::process::found;

pub(crate) fn run(arguments: &RecordArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    check_name(arguments)?;
    check_url(arguments.url.as_ref(), std::slice::from_ref(&arguments.input))?;
    let project = Project::open(&arguments.dir)?;
    let page = single_page(arguments)?;
    let name = arguments
        .name
        .clone()
        .unwrap_or_else(|| suggested_name(&page.url));
    let folder = project.fixtures().join(&name);
    let accepting = format!(
        "magpie plugin test {} --accept {name}",
        format::typed(&arguments.dir)
    );
    if !arguments.force && is_taken(&folder) {
        return Err(Failure::usage(format!("{} already exists", folder.display())).hint(format!(
            "choose another name with --name, save the page again with --force, or type `{accepting}` to expect what is found on it now"
        )));
    }
    // Nothing is written before everything that is needed is there.
    let plugin = if arguments.page_only {
        None
    } else {
        Some(plugin(arguments, printer)?)
    };
    record(&page, &folder, arguments.force)?;
    let bytes = page.body.len();
    let run = plugin.as_ref().map(|plugin| run_page(plugin, page).of_fixture());
    let error = run.as_ref().and_then(|run| run.error.as_ref());
    if let (Some(plugin), Some(run)) = (&plugin, run.as_ref().filter(|run| run.error.is_none())) {
        save_expected(
            &expectation(&objects(run), run.judgement.as_ref()),
            plugin.info(),
            &folder,
            arguments.force,
        )?;
    }
    if arguments.json {
        printer.json(&RecordedLine::new(folder, Some(bytes), run.as_ref()))?;
    } else {
        print(&folder, bytes, run.as_ref(), &accepting, printer)?;
    }
    Ok(found(error.is_none()))
}

fn print(
    folder: &Path,
    bytes: usize,
    run: Option<&PageRun>,
    accepting: &str,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let size = format::bytes(bytes as u64);
    printer.line(&format!("{}  {size} saved", folder.display()))?;
    let Some(run) = run else { return Ok(()) };
    show::page_run(run, printer)?;
    if run.error.is_some() {
        return printer.line(&format!(
            "The plugin failed, so the page alone was saved. Write expected.json by hand, or repair the plugin and type `{accepting}`."
        ));
    }
    printer.line(&format!(
        "expected.json says what the plugin finds today ({}). Read it and correct it: it is the truth from now on.",
        show::found(run)
    ))
}

fn objects(run: &PageRun) -> Vec<serde_json::Value> {
    run.records.iter().map(Record::to_json).collect()
}

fn plugin(arguments: &RecordArgs, printer: &mut Printer) -> Result<Plugin, Failure> {
    let runtime = setup::usual_runtime()?;
    setup::load(&runtime, &arguments.dir, &[], printer)
}

fn check_name(arguments: &RecordArgs) -> Result<(), Failure> {
    match &arguments.name {
        Some(name) if !is_name(name) => Err(Failure::usage(format!(
            "{name:?} can't be a fixture's name: a fixture is one folder, so no slashes, and no dot at the beginning"
        ))),
        _ => Ok(()),
    }
}

fn single_page(arguments: &RecordArgs) -> Result<PageSource, Failure> {
    let settings = setup::inputs(arguments.url.clone(), &arguments.settings)?;
    let inputs = Inputs::new([arguments.input.clone()], settings);
    let mut pages = inputs.pages();
    let first = pages
        .next()
        .ok_or_else(|| Failure::input(format!("there is no page in {}", arguments.input)))?;
    if pages.next().is_some() {
        let message = format!("{} holds more than one page", arguments.input);
        return Err(Failure::usage(message).hint("record one page at a time: a file or a URL"));
    }
    let page = first.map_err(|problem| Failure::input(problem.to_string()))?;
    if page.source.url.scheme() == "file" {
        let message = format!(
            "{} is a file, and a fixture needs the URL its page is from",
            arguments.input
        );
        return Err(Failure::usage(message)
            .hint("add `--url https://…`: addresses on the page are read relative to it"));
    }
    Ok(page.source)
}
