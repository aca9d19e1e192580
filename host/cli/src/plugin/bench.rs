//! `magpie plugin bench`.

use magpie_kit::bench::bench_page;
use magpie_kit::inputs::{InputSettings, Inputs};
use magpie_kit::project::Project;
use magpie_terminal::format::shortened;
use magpie_terminal::{Failure, Printer, Table, format};

use crate::pages::warn_of_empty;
use crate::plugin::args::BenchArgs;
use crate::setup;

/// The width of the figures beside a page's name.
const FIGURES: usize = 64;

pub(crate) fn run(arguments: &BenchArgs, printer: &mut Printer) -> Result<(), Failure> {
    let runtime = setup::runtime(&arguments.limits)?;
    let plugin = setup::load(&runtime, &arguments.plugin, &[], printer)?;
    let inputs = if arguments.inputs.is_empty() {
        fixtures(arguments)?
    } else {
        arguments.inputs.clone()
    };
    let inputs = Inputs::new(inputs, InputSettings::default());
    let mut table = Table::default().right(&[1, 2, 3, 4, 5, 6]);
    table.row(("page", "size", "objects", "parse", "extract", "reused", "memory"));
    for page in inputs.pages() {
        let page = page.map_err(|problem| Failure::input(problem.to_string()))?;
        let bench = bench_page(&plugin, &page.source, arguments.rounds)?;
        if arguments.json {
            printer.json(&bench.view())?;
            continue;
        }
        table.row((
            shortened(&page.name, printer.room(FIGURES)),
            format::bytes(bench.bytes as u64),
            bench.objects.to_string(),
            format::time(bench.parse),
            format::time(bench.call.median),
            format::time(bench.reused.median),
            format::bytes(bench.peak_bytes),
        ));
    }
    warn_of_empty(&inputs, printer);
    if !arguments.json {
        printer.table(&table)?;
        printer.line("")?;
        printer.line(
            "Medians. extract: a fresh instance for each page, as in a crawl; reused: one instance for all,",
        )?;
        printer.line("to compare. parse is done once for all plugins.")?;
    }
    Ok(())
}

fn fixtures(arguments: &BenchArgs) -> Result<Vec<String>, Failure> {
    if !arguments.plugin.is_dir() {
        return Err(Failure::usage("there are no pages to measure on")
            .hint("name some after the component, or give the project's folder to use its fixtures"));
    }
    Ok(vec![
        Project::open(&arguments.plugin)?.fixtures().display().to_string(),
    ])
}
