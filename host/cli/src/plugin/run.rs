//! `magpie plugin run`: also the batch extractor over saved pages.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::thread::available_parallelism;

use magpie_kit::inputs::{Input, Inputs};
use magpie_kit::run::{PageRun, UNREADABLE, run_page};
use magpie_model::{Consequence, ObjectViolation, lacks};
use magpie_terminal::{Failure, Kind, Printer, format};

use crate::pages::{check_url, each, warn_of_empty};
use crate::plugin::args::RunArgs;
use crate::{setup, show};
use magpie_terminal::process::found;

pub(crate) fn run(arguments: RunArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    check_url(arguments.url.as_ref(), &arguments.inputs)?;
    let runtime = setup::runtime(&arguments.limits)?;
    let plugin = setup::load(&runtime, &arguments.plugin, &arguments.options, printer)?;
    let digest = &plugin.inspection().digest;
    if let Some(problem) = setup::not_as_pinned(arguments.digest.as_deref(), digest) {
        return Err(Failure::new(Kind::Plugin, problem).hint(setup::PIN_HINT));
    }
    let settings = setup::inputs(arguments.url, &arguments.settings)?;
    let inputs = Inputs::new(arguments.inputs, settings).with_standard_input(std::io::stdin());
    let threads = arguments
        .threads
        .unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
    let json = arguments.json;
    let work = |input: Input| {
        let mut run = match input.load() {
            Ok(page) => run_page(&plugin, page.source),
            Err(problem) => PageRun::unreadable(&problem),
        };
        if json {
            // Nodes are not used any more, and a parsed page is large.
            run.page = None;
        }
        run
    };
    let mut sum = Sum::default();
    each(&inputs, threads, work, |run| {
        sum.add(&run);
        match json {
            true => printer.json(&run.view()),
            // The first stop is reported in full; the summary has the number of pages it cost.
            false if sum.stopped > 1 && is_stopped(&run) => Ok(()),
            false => show::page_run(&run, printer).and_then(|()| printer.flush()),
        }
    })?;
    warn_of_empty(&inputs, printer);
    if !json {
        printer.line(&sum.sentence())?;
        sum.hints.iter().for_each(|hint| printer.hint(hint));
    }
    if sum.pages > 0 && sum.unreadable == sum.pages {
        return Ok(ExitCode::from(Kind::Input as u8));
    }
    Ok(found(sum.failed + sum.stopped == 0))
}

/// Hint for pages from files: relative URLs on them resolve to the file, not to the web.
const NO_URL: &str = "a page from a file has no address on the web, so relative ones on it are of no use: \
    give it with `--url https://…`, or in a list (.jsonl) of {\"url\", \"file\"} a line";

fn is_stopped(run: &PageRun) -> bool {
    run.error.as_ref().is_some_and(|error| error.code == "stopped")
}

fn is_address_of_a_file(violation: &ObjectViolation) -> bool {
    violation.consequence() == Consequence::ValueDropped && violation.violation.raw.starts_with("file://")
}

#[derive(Default)]
struct Sum {
    pages: usize,
    objects: usize,
    /// Judged pages, and those that were accepted.
    judged: usize,
    accepted: usize,
    not_shown: usize,
    failed: usize,
    /// Those of them that could not even be read.
    unreadable: usize,
    /// Pages left out after the plugin was stopped.
    stopped: usize,
    dropped: usize,
    mended: usize,
    /// Objects that were dropped, by what they lack.
    lost: BTreeMap<String, usize>,
    /// Hints for pages that could not be read or whose URL is unknown.
    hints: BTreeSet<String>,
}

impl Sum {
    fn add(&mut self, run: &PageRun) {
        self.pages += 1;
        self.objects += run.records.len();
        self.judged += usize::from(run.judgement.is_some());
        self.accepted += usize::from(run.judgement.as_ref().is_some_and(|one| one.accepted));
        self.not_shown += usize::from(run.left_out.is_some());
        let stopped = is_stopped(run);
        self.stopped += usize::from(stopped);
        self.failed += usize::from(run.error.is_some() && !stopped);
        let count = |outcome| {
            run.violations
                .iter()
                .filter(|one| one.consequence() == outcome)
                .count()
        };
        self.dropped += count(Consequence::ValueDropped);
        self.mended += count(Consequence::ValueMended);
        for lack in lacks(&run.violations) {
            *self.lost.entry(lack).or_default() += 1;
        }
        if let Some(error) = run.error.as_ref().filter(|error| error.code == UNREADABLE) {
            self.unreadable += 1;
            self.hints
                .extend((!error.hint.is_empty()).then(|| error.hint.clone()));
        }
        if run.violations.iter().any(is_address_of_a_file) {
            self.hints.insert(NO_URL.to_owned());
        }
    }

    fn sentence(&self) -> String {
        let pages = format::count(self.pages, "page");
        let accepted = format!(
            "{} of {} accepted",
            self.accepted,
            format::count(self.judged, "page")
        );
        let mut parts = match (self.judged, self.objects) {
            (0, objects) => vec![format!("{} on {pages}", format::objects(objects))],
            (_, 0) => vec![accepted],
            (_, objects) => vec![format!("{} on {pages}", format::objects(objects)), accepted],
        };
        let value = |count| format::count(count, "value");
        let stopped = format::count(self.stopped, "page");
        let others = [
            (
                self.not_shown,
                format!("{} not shown to the plugin", self.not_shown),
            ),
            (self.failed, format!("{} failed", self.failed)),
            (
                self.stopped,
                format!("{stopped} left out after the plugin was stopped"),
            ),
            (self.dropped, format!("{} dropped", value(self.dropped))),
            (self.mended, format!("{} mended", value(self.mended))),
        ];
        parts.extend(
            others
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(_, text)| text),
        );
        let lost = self.lost.iter();
        parts
            .extend(lost.map(|(lack, count)| format!("{} dropped: {lack}", format::count(*count, "object"))));
        parts.join(" · ")
    }
}
