//! `magpie plugin diff`.

use std::process::ExitCode;
use std::thread::available_parallelism;

use magpie_kit::diff::{ObjectDiff, PageDiff, diff_page};
use magpie_kit::inputs::{Input, InputPage, InputSettings, Inputs};
use magpie_kit::run;
use magpie_model::Judgement;
use magpie_runtime::Plugin;
use magpie_terminal::format::shortened;
use magpie_terminal::{Failure, Printer, Table, Tone, beside};

use crate::pages::{each, or_fixtures, warn_of_empty};
use crate::plugin::args::DiffArgs;
use crate::plugin::lines::DiffSummary;
use crate::{setup, show};
use magpie_terminal::process::found;

pub(crate) fn run(arguments: &DiffArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let runtime = setup::runtime(&arguments.limits)?;
    let old = setup::load(&runtime, &arguments.old, &[], printer)?;
    let new = setup::load(&runtime, &arguments.new, &[], printer)?;
    warn_of_strangers(&old, &new, printer);
    let inputs = or_fixtures(&arguments.inputs, &[&arguments.new, &arguments.old])?;
    let inputs = Inputs::new(inputs, InputSettings::default()).with_standard_input(std::io::stdin());
    let threads = available_parallelism().map_or(1, usize::from);
    let work = |input: Input| {
        let diff = |page: InputPage| diff_page(&old, &new, page.source, arguments.in_order);
        input.load().map(diff)
    };
    let mut sum = DiffSummary::default();
    each(&inputs, threads, work, |result| {
        sum.pages += 1;
        match result {
            Err(problem) => {
                sum.unreadable += 1;
                printer.warn(&problem.to_string());
                Ok(())
            }
            Ok(diff) => {
                sum.add(&diff);
                show(&diff, arguments.json, printer)
            }
        }
    })?;
    warn_of_empty(&inputs, printer);
    if arguments.json {
        printer.json(&sum)?;
    } else {
        printer.line(&sum.sentence())?;
    }
    Ok(found(sum.differing == 0 && sum.unreadable == 0))
}

/// Versions of one vertical have something to compare.
fn warn_of_strangers(old: &Plugin, new: &Plugin, printer: &mut Printer) {
    let (old, new) = (&old.info().name, &new.info().name);
    if old != new {
        printer.warn(&format!(
            "{old} and {new} are different verticals, so all their objects will differ"
        ));
    }
}

impl DiffSummary {
    fn sentence(&self) -> String {
        let mut sentence = format!(
            "differing pages: {} of {} · objects: {} added, {} removed, {} changed, {} as before",
            self.differing,
            self.pages,
            self.objects.added,
            self.objects.removed,
            self.objects.changed,
            self.objects.unchanged
        );
        let judged = &self.judgements;
        if judged.accepted + judged.rejected + judged.changed > 0 {
            sentence.push_str(&format!(
                " · judgements: {} pages accepted that were not, {} no longer accepted, {} with another confidence \
                 or reason",
                judged.accepted, judged.rejected, judged.changed
            ));
        }
        sentence
    }

    fn add(&mut self, diff: &PageDiff) {
        if let Some((old, new)) = &diff.judgements {
            let is_accepted = |one: &Option<Judgement>| one.as_ref().is_some_and(|one| one.accepted);
            match (is_accepted(old), is_accepted(new)) {
                (false, true) => self.judgements.accepted += 1,
                (true, false) => self.judgements.rejected += 1,
                _ => self.judgements.changed += 1,
            }
        }
        self.differing += usize::from(!diff.is_empty());
        self.objects.unchanged += diff.unchanged;
        for object in &diff.objects {
            match (&object.old, &object.new) {
                (None, _) => self.objects.added += 1,
                (_, None) => self.objects.removed += 1,
                _ => self.objects.changed += 1,
            }
        }
    }
}

fn show(diff: &PageDiff, json: bool, printer: &mut Printer) -> Result<(), Failure> {
    match json {
        _ if diff.is_empty() => Ok(()),
        true => printer.json(&diff.view()),
        false => print(diff, printer).and_then(|()| printer.flush()),
    }
}

fn print(diff: &PageDiff, printer: &mut Printer) -> Result<(), Failure> {
    printer.heading(&diff.url)?;
    if let Some((old, new)) = &diff.failures {
        let told = |words: &str, failure: &run::Failure| format!("  {words}: {}", failure.message);
        let (tone, text) = match (old, new) {
            (Some(old), None) => (Tone::Good, told("fails no more", old)),
            (None, Some(new)) => (Tone::Bad, told("now fails", new)),
            (Some(old), Some(new)) => (
                Tone::Bad,
                format!("{}\n{}", told("failed", old), told("now fails otherwise", new)),
            ),
            (None, None) => (Tone::Quiet, String::new()),
        };
        printer.line(&printer.paint(tone, &text))?;
    }
    if let Some((old, new)) = &diff.judgements {
        let told =
            |one: &Option<Judgement>| one.as_ref().map_or_else(|| "not judged".to_owned(), show::judged);
        printer.line(&format!("  ~ judgement: {} -> {}", told(old), told(new)))?;
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
            printer.line(&format!("  ~ changed: {}", shortened(name, printer.room(13))))?;
            changes(object, printer)
        }
    }
}

fn changes(object: &ObjectDiff, printer: &mut Printer) -> Result<(), Failure> {
    let mut table = Table::indented(6).cut(1);
    for (attribute, old, new) in &object.attributes {
        let changed = |old: &str, new: &str, room| beside(old, "->", new, room);
        let texts = show::differences(old, new, printer.room(24), changed);
        for (line, text) in texts.into_iter().enumerate() {
            table.row((
                if line == 0 {
                    attribute.clone()
                } else {
                    String::new()
                },
                text,
            ));
        }
    }
    printer.table(&table)
}
