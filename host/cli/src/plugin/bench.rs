//! `magpie plugin bench`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use magpie_kit::bench::{BenchFailure, BenchSum, bench_page};
use magpie_kit::inputs::{InputSettings, Inputs};
use magpie_kit::run;
use magpie_terminal::format::shortened;
use magpie_terminal::process::found;
use magpie_terminal::{Failure, Printer, Table, Tone, format};

use crate::pages::{or_fixtures, warn_of_empty};
use crate::plugin::args::BenchArgs;
use crate::setup;

/// The width of the figures beside a page's name.
const FIGURES: usize = 64;

/// Time between two lines of progress.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);

pub(crate) fn run(arguments: &BenchArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let runtime = setup::runtime(&arguments.limits)?;
    let plugin = setup::load(&runtime, &arguments.plugin, &[], printer)?;
    let inputs = or_fixtures(&arguments.inputs, &[&arguments.plugin])?;
    let inputs = Inputs::new(inputs, InputSettings::default()).with_standard_input(std::io::stdin());
    let mut table = Table::default().right(&[1, 2, 3, 4, 5, 6]);
    table.row(("page", "size", "objects", "parse", "extract", "reused", "memory"));
    let mut sum = BenchSum::default();
    let mut failures = Vec::new();
    let mut told = Instant::now();
    for page in inputs.pages() {
        // Each page is measured by itself: that others fail must not leave this one out.
        plugin.breaker().reset();
        let (name, bench) = match page {
            Ok(page) => {
                let bench = bench_page(&plugin, &page.source, arguments.rounds);
                (page.name, bench.map_err(|error| run::Failure::from(&error)))
            }
            Err(problem) => (problem.name.clone(), Err(run::Failure::from(&problem))),
        };
        match bench {
            Ok(bench) => {
                sum.add(&bench);
                if arguments.json {
                    printer.json(&bench.view())?;
                }
                table.row((
                    shortened(&name, printer.room(FIGURES)),
                    format::bytes(bench.bytes as u64),
                    bench.objects.to_string(),
                    format::time(bench.parse),
                    format::time(bench.call.median),
                    format::time(bench.reused.median),
                    format::bytes(bench.peak_bytes),
                ));
            }
            Err(error) => {
                sum.failed += 1;
                let failure = BenchFailure { url: name, error };
                if arguments.json {
                    printer.json(&failure)?;
                }
                failures.push(failure);
            }
        }
        if told.elapsed() >= PROGRESS_EVERY {
            told = Instant::now();
            printer.tell(&format!("{} measured", pages(&sum)));
        }
    }
    warn_of_empty(&inputs, printer);
    if arguments.json {
        printer.json(&sum.view())?;
    } else {
        print(&table, &sum, &failures, printer)?;
    }
    Ok(found(sum.failed == 0))
}

fn pages(sum: &BenchSum) -> String {
    let pages = format::count(sum.pages(), "page");
    match sum.failed {
        0 => pages,
        failed => format!("{pages}, {failed} failed"),
    }
}

fn print(
    table: &Table,
    sum: &BenchSum,
    failures: &[BenchFailure],
    printer: &mut Printer,
) -> Result<(), Failure> {
    if sum.pages() > 0 {
        printer.table(table)?;
        printer.line("")?;
        printer.line(
            "Medians. extract: a fresh instance for each page, as in a crawl; reused: one instance for all,",
        )?;
        printer.line("to compare. parse is done once for all plugins.")?;
        printer.line(&format!(
            "{}: extract takes {} in the median, {} at the 95th percentile",
            pages(sum),
            format::time(sum.within(0.5)),
            format::time(sum.within(0.95))
        ))?;
    }
    for BenchFailure { url, error } in failures {
        let mark = printer.paint(Tone::Bad, "failed");
        let url = printer.paint(Tone::Strong, url);
        printer.line(&format!("{url}  {mark}: {}", error.short))?;
    }
    Ok(())
}
