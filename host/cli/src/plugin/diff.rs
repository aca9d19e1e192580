//! `magpie plugin diff`.

use std::process::ExitCode;
use std::thread::available_parallelism;

use magpie_kit::diff::{ObjectDiff, PageDiff, diff_page};
use magpie_kit::inputs::{Input, InputSettings, Inputs};
use serde_json::json;

use crate::args::DiffArgs;
use crate::failure::Failure;
use crate::plugin::found;
use crate::printer::{Printer, Tone};
use crate::setup;
use crate::show;
use crate::table::shortened;

/// How wide values are shown before they are cut.
const VALUE_WIDTH: usize = 60;

#[derive(Default)]
struct Sum {
    pages: usize,
    differing: usize,
    unreadable: usize,
    unchanged: usize,
    added: usize,
    removed: usize,
    changed: usize,
}

pub(crate) fn run(arguments: DiffArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let runtime = setup::runtime(&arguments.limits)?;
    let old = setup::load(&runtime, &arguments.old, &[], printer)?;
    let new = setup::load(&runtime, &arguments.new, &[], printer)?;
    let inputs =
        Inputs::new(arguments.inputs, InputSettings::default()).with_standard_input(std::io::stdin());
    let threads = available_parallelism().map_or(1, usize::from);
    let work = |input: Input| input.load().map(|page| diff_page(&old, &new, page.source));
    let mut sum = Sum::default();
    let mut outcome = Ok(());
    magpie_kit::run::in_order(std::iter::from_fn(|| inputs.pull()), threads, work, |result| {
        sum.pages += 1;
        match result {
            Err(problem) => {
                sum.unreadable += 1;
                printer.warn(&problem.to_string());
            }
            Ok(diff) => {
                sum.add(&diff);
                if outcome.is_ok() && !diff.is_empty() {
                    outcome = if arguments.json {
                        printer.json(&diff.to_json())
                    } else {
                        print(&diff, printer)
                    };
                }
            }
        }
    });
    outcome?;
    if arguments.json {
        printer.json(&sum.to_json())?;
    } else {
        printer.line(&format!(
            "{} of {} pages differ: {} objects added, {} removed, {} changed, {} as they were",
            sum.differing, sum.pages, sum.added, sum.removed, sum.changed, sum.unchanged
        ))?;
    }
    Ok(found(sum.differing == 0 && sum.unreadable == 0))
}

impl Sum {
    fn add(&mut self, diff: &PageDiff) {
        self.differing += usize::from(!diff.is_empty());
        self.unchanged += diff.unchanged;
        for object in &diff.objects {
            match (&object.old, &object.new) {
                (None, _) => self.added += 1,
                (_, None) => self.removed += 1,
                _ => self.changed += 1,
            }
        }
    }

    fn to_json(&self) -> serde_json::Value {
        json!({
            "pages": self.pages,
            "differing": self.differing,
            "unreadable": self.unreadable,
            "objects": {
                "added": self.added, "removed": self.removed, "changed": self.changed, "unchanged": self.unchanged,
            },
        })
    }
}

fn print(diff: &PageDiff, printer: &mut Printer) -> Result<(), Failure> {
    printer.line(&printer.paint(Tone::Strong, &diff.url))?;
    if let Some((old, new)) = &diff.failures {
        for (mark, failure) in [("-", old), ("+", new)] {
            let text = failure
                .as_ref()
                .map_or("no failure", |failure| failure.message.as_str());
            printer.line(&format!("  {mark} {text}"))?;
        }
    }
    for object in &diff.objects {
        print_object(object, printer)?;
    }
    printer.line("")
}

fn print_object(object: &ObjectDiff, printer: &mut Printer) -> Result<(), Failure> {
    match (&object.old, &object.new) {
        (None, Some(new)) => {
            printer.line(&printer.paint(Tone::Good, "  + added"))?;
            show::object(0, new, None, printer)
        }
        (Some(old), None) => {
            printer.line(&printer.paint(Tone::Bad, "  - removed"))?;
            show::object(0, old, None, printer)
        }
        _ => {
            let name = object
                .new
                .as_ref()
                .and_then(|record| record.values.first())
                .map_or("", |value| &value.value);
            printer.line(&format!("  ~ changed: {}", shortened(name, VALUE_WIDTH)))?;
            for (attribute, old, new) in &object.attributes {
                let list = |values: &[String]| shortened(&values.join(" | "), VALUE_WIDTH);
                printer.line(&format!("      {attribute}: {}  ->  {}", list(old), list(new)))?;
            }
            Ok(())
        }
    }
}
