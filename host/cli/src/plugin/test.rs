//! `magpie plugin test`: one verdict per attribute, with time and memory beside the limits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

use magpie_kit::fixture::{AttributeVerdict, ObjectVerdict, Verdict};
use magpie_kit::judge::{FixtureReport, JudgementVerdict, TemplateCell, TestReport, meant, test};
use magpie_kit::project::Project;
use magpie_kit::run::PageRun;
use magpie_model::{VerticalInfo, grouped};
use magpie_runtime::Limits;
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, beside, format};

use crate::plugin::accept;
use crate::plugin::args::TestArgs;
use crate::{setup, show};
use magpie_terminal::process::found;

pub(crate) fn run(arguments: &TestArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    // A component is tested on the fixtures of any folder; without one the folder is a project.
    let (path, fixtures) = match &arguments.component {
        Some(component) => (component, arguments.dir.join("fixtures")),
        None => (&arguments.dir, Project::open(&arguments.dir)?.fixtures()),
    };
    let runtime = setup::runtime(&arguments.limits)?;
    let plugin = setup::load(&runtime, path, &arguments.options, printer)?;
    if let Some(name) = &arguments.accept {
        return accept::run(&plugin, &fixtures, name, arguments.json, printer);
    }
    let report = test(&plugin, &fixtures, arguments.only.as_deref(), arguments.in_order)?;
    if report.fixtures.is_empty() && report.problems.is_empty() {
        return Err(no_fixture(&fixtures, arguments.only.as_deref()));
    }
    if arguments.table && report.templates.is_empty() {
        return Err(Failure::input(format!("no template in {}", fixtures.display()))
            .hint("a fixture whose page.json names a table of words is one"));
    }
    if arguments.json {
        let lines = report.lines();
        let from = if arguments.table { lines.len() - 1 } else { 0 };
        lines[from..].iter().try_for_each(|line| printer.json(line))?;
    } else if arguments.table {
        printer.table(&languages(&report))?;
        if !report.passed() {
            let failed = match report.failed() {
                0 => "what is not in the table failed".to_owned(),
                failed => format!("{} failed", format::count(failed, "fixture")),
            };
            printer.line(&format!("{failed}; `{}` shows why", command(arguments)))?;
        }
    } else {
        let head = format!("{} against {}", plugin.id(), fixtures.display());
        printer.line(&format!(
            "{}  time and memory in % of their limits",
            printer.paint(Tone::Strong, &head)
        ))?;
        let told = Told {
            info: plugin.info(),
            accepting: command(arguments) + " --accept",
        };
        print(&report, runtime.limits(), &told, printer)?;
    }
    Ok(found(report.passed()))
}

/// The languages of templates beside each other, with a line for each template: names of
/// templates are longer than codes of languages.
fn languages(report: &TestReport) -> Table {
    let mut table = Table::default();
    let languages: BTreeSet<&String> = report.templates.values().flat_map(BTreeMap::keys).collect();
    let head = languages
        .iter()
        .map(|language| Cell::toned(Tone::Strong, *language));
    table.row(std::iter::once(Cell::from("")).chain(head).collect::<Vec<_>>());
    for (name, cells) in &report.templates {
        let cell = |language: &&String| match cells.get(*language) {
            Some(TemplateCell::Ok) => Cell::toned(Tone::Good, "ok"),
            Some(TemplateCell::Failed) => Cell::toned(Tone::Bad, "FAIL"),
            Some(TemplateCell::NoWord) => Cell::toned(Tone::Bad, "no word"),
            None => Cell::toned(Tone::Quiet, "-"),
        };
        let cells = languages.iter().map(cell);
        table.row(std::iter::once(Cell::from(name)).chain(cells).collect::<Vec<_>>());
    }
    table
}

/// Context for the lines about a fixture.
struct Told<'a> {
    info: &'a VerticalInfo,
    /// The command that writes an expectation, without the fixture's name.
    accepting: String,
}

fn command(arguments: &TestArgs) -> String {
    let mut command = format!("magpie plugin test {}", format::typed(&arguments.dir));
    if let Some(component) = &arguments.component {
        command.push_str(&format!(" --component {}", format::typed(component)));
    }
    command
}

fn no_fixture(fixtures: &Path, only: Option<&str>) -> Failure {
    match only {
        Some(only) => Failure::input(format!(
            "no fixture's name in {} contains `{only}`",
            fixtures.display()
        )),
        None => Failure::input(format!("no fixture in {}", fixtures.display()))
            .hint("`magpie plugin record URL` saves a page as one"),
    }
}

fn print(
    report: &TestReport,
    limits: &Limits,
    told: &Told<'_>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let heads = heads(report, limits, printer);
    for (fixture, head) in report.fixtures.iter().zip(&heads) {
        print_fixture(fixture, head, told, printer)?;
    }
    for problem in &report.problems {
        line([mark(false), Cell::from(problem)], printer)?;
    }
    if let Some(clusters) = &report.clusters {
        line([mark(clusters.is_empty()), Cell::from("clusters")], printer)?;
        clusters
            .iter()
            .try_for_each(|sentence| printer.line(&format!("        {sentence}")))?;
    }
    let clusters = match &report.clusters {
        _ if report.clusters_broken() => ", clusters failed",
        Some(clusters) if !clusters.is_empty() => ", clusters failed",
        _ => "",
    };
    let (good, all) = report
        .fixtures
        .iter()
        .map(FixtureReport::score)
        .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    printer.line("")?;
    let judges_alone = all == 0 && report.fixtures.iter().any(|one| one.run.judgement.is_some());
    let attributes = match judges_alone {
        true => String::new(),
        false => format!("; {good} of {all} attributes as expected"),
    };
    printer.line(&format!(
        "{}, {} failed{clusters}{attributes}",
        format::count(report.count(), "fixture"),
        report.failed()
    ))
}

/// A line for each fixture, aligned with those of the others.
fn heads(report: &TestReport, limits: &Limits, printer: &Printer) -> Vec<String> {
    let mut table = Table::default();
    for fixture in &report.fixtures {
        let (good, all) = fixture.score();
        table.row((
            mark(fixture.passed()),
            &fixture.name,
            match fixture.run.judgement {
                Some(_) if all == 0 => show::found(&fixture.run),
                _ => format!("{}, {good}/{all} attributes", show::found(&fixture.run)),
            },
            Cell::toned(Tone::Quiet, cost(&fixture.run, limits)),
        ));
    }
    printer.lines(&table)
}

fn cost(run: &PageRun, limits: &Limits) -> String {
    let share = |used: f64, limit: f64| format!("{:.0} %", (used / limit * 100.0).ceil());
    format!(
        "{} ({}), {} ({})",
        format::time(run.cpu),
        share(run.cpu.as_secs_f64(), limits.cpu.as_secs_f64()),
        format::bytes(run.peak_bytes),
        share(run.peak_bytes as f64, limits.memory_bytes as f64)
    )
}

fn print_fixture(
    fixture: &FixtureReport,
    head: &str,
    told: &Told<'_>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    printer.line(head)?;
    if let Some(error) = &fixture.run.error {
        show::failure(error, 8, printer)?;
    }
    if fixture.fickle {
        printer
            .line("        a second run gave another result; extract must depend on nothing but the page")?;
    }
    if !fixture.by_clock.is_empty() {
        printer.line("        the time of the fetch changes the result; use the page's own date instead")?;
        for difference in &fixture.by_clock {
            printer.line(&format!("          {difference}"))?;
        }
    }
    for name in &fixture.unknown_ignored {
        printer.line(&format!("        to ignore: {}", no_attribute(name, told.info)))?;
    }
    match &fixture.objects {
        None => printer.line(&format!(
            "        there is no expected.json; `{} {}` writes what is found now",
            told.accepting, fixture.name
        ))?,
        Some(_) if fixture.run.error.is_some() => {
            let attributes = format::count(fixture.score().1, "attribute");
            printer.line(&format!("        {attributes} not compared"))?;
        }
        Some(objects) => {
            let shown = |object: &&ObjectVerdict| printer.verbose || !object.is_ok();
            let shown: Vec<&ObjectVerdict> = objects.iter().filter(shown).collect();
            shown
                .into_iter()
                .try_for_each(|object| print_object(object, told.info, printer))?;
        }
    }
    match &fixture.judgement {
        JudgementVerdict::None | JudgementVerdict::Ok => {}
        JudgementVerdict::Unstated if fixture.objects.is_none() => {}
        JudgementVerdict::Unstated => printer.line(&format!(
            "        expected.json has no `judgement`; `{} {}` writes that of now",
            told.accepting, fixture.name
        ))?,
        JudgementVerdict::Wrong { expected, actual } => {
            let word = if expected.accepted {
                "accepted"
            } else {
                "not accepted"
            };
            let reason = expected.reason.iter().map(|reason| format!(": {reason}"));
            let actual = actual.as_ref().map_or("no judgement".to_owned(), show::judged);
            printer.line(&format!(
                "        {actual}; expected {word}{}",
                reason.collect::<String>()
            ))?;
        }
    }
    // Also for a fixture that passes: its expected.json was written without the dropped values.
    for sentence in grouped(&fixture.run.violations) {
        printer.line(&format!("        {}", printer.paint(Tone::Odd, &sentence)))?;
    }
    if printer.verbose || !fixture.passed() {
        for line in show::log(&fixture.run, printer) {
            printer.line(&format!("        {line}"))?;
        }
    }
    Ok(())
}

fn print_object(object: &ObjectVerdict, info: &VerticalInfo, printer: &mut Printer) -> Result<(), Failure> {
    let head = match (object.expected, object.actual) {
        (Some(expected), Some(actual)) if expected == actual => format!("object #{expected}"),
        (Some(expected), Some(actual)) => format!("object #{expected}, found as #{actual}"),
        (Some(expected), None) => format!("object #{expected} was not found"),
        (None, Some(actual)) => format!("#{actual}, an unexpected object"),
        (None, _) => "an unexpected object".to_owned(),
    };
    printer.line(&format!("      {head}"))?;
    let mut table = Table::indented(9).cut(2);
    for attribute in &object.attributes {
        let (word, tone, texts) = judged(attribute, info, printer.room(32));
        for (line, text) in texts.into_iter().enumerate() {
            let (word, name) = if line == 0 {
                (word, attribute.name.as_str())
            } else {
                ("", "")
            };
            table.row((Cell::toned(tone, word), name, text));
        }
    }
    printer.table(&table)
}

/// A verdict as a word, with lines of details.
fn judged(
    attribute: &AttributeVerdict,
    info: &VerticalInfo,
    room: usize,
) -> (&'static str, Tone, Vec<String>) {
    let unknown = |name: &str| name != "type" && info.attribute(name).is_none();
    let list = |values: &[String]| values.join(" | ");
    let changed = |expected: &str, actual: &str, room| beside(actual, "instead of", expected, room);
    match &attribute.verdict {
        Verdict::Ok => ("ok", Tone::Good, vec![String::new()]),
        Verdict::Wrong { expected, actual } => (
            "wrong",
            Tone::Bad,
            show::differences(expected, actual, room, changed),
        ),
        Verdict::Missing { .. } if unknown(&attribute.name) => {
            ("missing", Tone::Bad, vec![no_attribute(&attribute.name, info)])
        }
        Verdict::Missing { expected } => ("missing", Tone::Bad, vec![list(expected)]),
        Verdict::Extra { actual } => ("extra", Tone::Bad, vec![list(actual)]),
    }
}

fn no_attribute(name: &str, info: &VerticalInfo) -> String {
    let known = |name: &str| format!("; it has `{name}`");
    let meant = meant(name, info).map(known).unwrap_or_default();
    format!("the schema has no attribute `{name}`{meant}")
}

fn mark(passed: bool) -> Cell {
    if passed {
        Cell::toned(Tone::Good, "ok  ")
    } else {
        Cell::toned(Tone::Bad, "FAIL")
    }
}

fn line(cells: [Cell; 2], printer: &mut Printer) -> Result<(), Failure> {
    let mut table = Table::default();
    table.row(cells);
    printer.table(&table)
}
