//! Work on many pages: on all cores, with results in order, until the output is closed.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use magpie_kit::inputs::{Input, Inputs, is_page_file};
use magpie_kit::project::Project;
use magpie_kit::run::in_order;
use magpie_terminal::{Failure, Printer};
use url::Url;

/// Processes each input and passes on the results in the order of the inputs. The first result
/// that `take` refuses ends the work.
pub(crate) fn each<T: Send>(
    inputs: &Inputs,
    threads: usize,
    work: impl Fn(Input) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let ended = AtomicBool::new(false);
    let mut outcome = Ok(());
    let next = || (!ended.load(Ordering::Relaxed)).then(|| inputs.pull()).flatten();
    in_order(std::iter::from_fn(next), threads, work, |result| {
        if outcome.is_ok() {
            outcome = take(result);
            ended.store(outcome.is_err(), Ordering::Relaxed);
        }
    });
    outcome
}

/// Returns the pages to work on: those named, or the fixtures of the first of these that is a
/// project.
pub(crate) fn or_fixtures(named: &[String], plugins: &[&Path]) -> Result<Vec<String>, Failure> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let project = plugins.iter().find(|plugin| plugin.is_dir()).ok_or_else(|| {
        Failure::usage("there are no pages to work on")
            .hint("name some after the component, or give the project's folder to use its fixtures")
    })?;
    Ok(vec![Project::open(project)?.fixtures().display().to_string()])
}

/// Warns of inputs without pages.
pub(crate) fn warn_of_empty(inputs: &Inputs, printer: &mut Printer) {
    for argument in inputs.empty() {
        let name = if argument == "-" {
            "standard input"
        } else {
            &argument
        };
        printer.warn(&format!("there is no page in {name}"));
    }
}

/// Refuses a `--url` that no page can have, or that several would share.
pub(crate) fn check_url(url: Option<&Url>, inputs: &[String]) -> Result<(), Failure> {
    let problem = match inputs {
        _ if url.is_none() => return Ok(()),
        [file] if is_page_file(file) => return Ok(()),
        [other] => format!("`--url` is the URL of a page in one file, and {other} is no such file"),
        several => format!(
            "`--url` is the URL of a page in one file, and there are {} inputs",
            several.len()
        ),
    };
    Err(Failure::usage(problem)
        .hint("a list (.jsonl) gives each file its URL: {\"url\": \"https://…\", \"file\": \"…\"} a line"))
}
