//! `magpie plugin run`: also the batch extractor over saved pages.

use std::process::ExitCode;
use std::thread::available_parallelism;

use magpie_kit::inputs::{InputSettings, Inputs};
use magpie_kit::run::{PageRun, in_order, run_page};

use crate::args::RunArgs;
use crate::failure::{Failure, Kind};
use crate::plugin::found;
use crate::printer::Printer;
use crate::setup;
use crate::show;

/// What a run came to.
#[derive(Default)]
struct Sum {
    pages: usize,
    objects: usize,
    left_out: usize,
    failed: usize,
    mended: usize,
}

pub(crate) fn run(arguments: RunArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let runtime = setup::runtime(&arguments.limits)?;
    let plugin = setup::load(&runtime, &arguments.plugin, &arguments.options, printer)?;
    let digest = &plugin.inspection().digest;
    if let Some(problem) = setup::not_as_pinned(arguments.digest.as_deref(), digest) {
        return Err(Failure::new(Kind::Plugin, problem).hint(setup::PIN_HINT));
    }
    let settings = InputSettings {
        url: arguments.url,
        ..InputSettings::default()
    };
    let inputs = Inputs::new(arguments.inputs, settings).with_standard_input(std::io::stdin());
    let threads = arguments
        .threads
        .or_else(|| available_parallelism().ok())
        .map_or(1, usize::from);
    let json = arguments.json;
    let work = |input: magpie_kit::inputs::Input| {
        let mut run = match input.load() {
            Ok(page) => run_page(&plugin, page.source),
            Err(problem) => PageRun::unreadable(&problem.name, problem.to_string()),
        };
        if json {
            // Nobody looks at nodes; a parsed page is large.
            run.page = None;
        }
        run
    };
    let mut sum = Sum::default();
    let mut outcome = Ok(());
    in_order(
        std::iter::from_fn(|| inputs.pull()),
        threads,
        work,
        |run: PageRun| {
            sum.add(&run);
            if outcome.is_ok() {
                outcome = if json {
                    printer.json(&run.to_json())
                } else {
                    show::page_run(&run, printer)
                };
            }
        },
    );
    outcome?;
    if !json {
        printer.line(&sum.sentence())?;
    }
    Ok(found(sum.failed == 0))
}

impl Sum {
    fn add(&mut self, run: &PageRun) {
        self.pages += 1;
        self.objects += run.records.len();
        self.left_out += usize::from(run.left_out.is_some());
        self.failed += usize::from(run.error.is_some());
        self.mended += run.violations.len();
    }

    fn sentence(&self) -> String {
        let pages = if self.pages == 1 {
            "1 page".to_owned()
        } else {
            format!("{} pages", self.pages)
        };
        let mut text = format!("{} on {pages}", show::objects(self.objects));
        for (count, what) in [
            (self.left_out, "not shown to the plugin"),
            (self.failed, "failed"),
            (self.mended, "values dropped or mended"),
        ] {
            if count > 0 {
                text.push_str(&format!(" · {count} {what}"));
            }
        }
        text
    }
}
