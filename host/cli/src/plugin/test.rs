//! `magpie plugin test`: one verdict per attribute, with time and memory beside the limits.

use std::process::ExitCode;

use magpie_kit::fixture::{ObjectVerdict, Verdict};
use magpie_kit::judge::{FixtureReport, TestReport, test};
use magpie_kit::project::Project;
use magpie_runtime::Limits;

use crate::args::TestArgs;
use crate::failure::{Failure, Kind};
use crate::plugin::found;
use crate::printer::{Printer, Tone};
use crate::setup;
use crate::show;
use crate::table::{Table, shortened};

/// How wide values are shown before they are cut.
const VALUE_WIDTH: usize = 60;

pub(crate) fn run(arguments: &TestArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let runtime = setup::runtime(&arguments.limits)?;
    let path = arguments.component.as_ref().unwrap_or(&arguments.dir);
    let plugin = setup::load(&runtime, path, &arguments.options, printer)?;
    let fixtures = if arguments.component.is_some() {
        arguments.dir.join("fixtures")
    } else {
        Project::open(&arguments.dir)?.fixtures()
    };
    let report = test(&plugin, &fixtures, arguments.only.as_deref())?;
    if report.fixtures.is_empty() && report.problems.is_empty() {
        return Err(
            Failure::new(Kind::Input, format!("no fixture in {}", fixtures.display()))
                .hint("`magpie plugin record URL` saves a page as one"),
        );
    }
    if arguments.json {
        report.to_json().iter().try_for_each(|line| printer.json(line))?;
    } else {
        let head = format!("{} against {}", plugin.id(), fixtures.display());
        printer.line(&printer.paint(Tone::Strong, &head))?;
        print(&report, runtime.limits(), printer)?;
    }
    Ok(found(report.passed()))
}

fn print(report: &TestReport, limits: &Limits, printer: &mut Printer) -> Result<(), Failure> {
    for fixture in &report.fixtures {
        print_fixture(fixture, limits, printer)?;
    }
    for problem in &report.problems {
        let mark = printer.paint(Tone::Bad, "FAIL");
        printer.line(&format!("{mark}  {problem}"))?;
    }
    if let Some(clusters) = &report.clusters {
        let mark = mark(clusters.is_empty(), printer);
        printer.line(&format!("{mark}  clusters"))?;
        clusters
            .iter()
            .try_for_each(|sentence| printer.line(&format!("        {sentence}")))?;
    }
    let failed = report.fixtures.iter().filter(|one| !one.passed()).count();
    let (good, all) = report
        .fixtures
        .iter()
        .map(FixtureReport::score)
        .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    printer.line("")?;
    printer.line(&format!(
        "{} fixtures, {failed} failed; {good} of {all} attributes as expected",
        report.fixtures.len()
    ))
}

fn print_fixture(fixture: &FixtureReport, limits: &Limits, printer: &mut Printer) -> Result<(), Failure> {
    let share = |used: f64, limit: f64| format!("{:.0} %", (used / limit * 100.0).ceil());
    let cost = format!(
        "{} ({} of its limit), {} ({})",
        show::time(fixture.run.cpu),
        share(fixture.run.cpu.as_secs_f64(), limits.cpu.as_secs_f64()),
        show::bytes(fixture.run.peak_bytes),
        share(fixture.run.peak_bytes as f64, limits.memory_bytes as f64)
    );
    let (good, all) = fixture.score();
    let score = format!(
        "{}, {good}/{all} attributes",
        show::objects(fixture.run.records.len())
    );
    let mut table = Table::default();
    let mark = mark(fixture.passed(), printer);
    table.painted(vec![
        ("PASS".to_owned(), mark),
        (format!("{:28}", fixture.name), format!("{:28}", fixture.name)),
        (format!("{score:30}"), format!("{score:30}")),
        (cost.clone(), printer.paint(Tone::Quiet, &cost)),
    ]);
    table.lines().iter().try_for_each(|line| printer.line(line))?;
    if let Some(error) = &fixture.run.error {
        show::failure(error, printer)?;
    }
    if fixture.fickle {
        printer
            .line("        a second run gave another result; extract must depend on nothing but the page")?;
    }
    match &fixture.objects {
        None => printer.line("        there is no expected.json; `magpie plugin record` writes one")?,
        Some(objects) => {
            let shown = |object: &&ObjectVerdict| printer.verbose || !object.is_ok();
            let shown: Vec<&ObjectVerdict> = objects.iter().filter(shown).collect();
            shown
                .into_iter()
                .try_for_each(|object| print_object(object, printer))?;
        }
    }
    if printer.verbose || !fixture.passed() {
        for violation in &fixture.run.violations {
            printer.line(&format!("        dropped or mended: {violation}"))?;
        }
    }
    Ok(())
}

fn print_object(object: &ObjectVerdict, printer: &mut Printer) -> Result<(), Failure> {
    let head = match (object.expected, object.actual) {
        (Some(expected), Some(_)) => format!("object {expected}"),
        (Some(expected), None) => format!("object {expected} was not found"),
        (None, _) => "an object that nobody expected".to_owned(),
    };
    printer.line(&format!("      {head}"))?;
    let mut table = Table::default();
    for attribute in &object.attributes {
        let list = |values: &[String]| shortened(&values.join(" | "), VALUE_WIDTH);
        let (word, tone, text) = match &attribute.verdict {
            Verdict::Ok => ("ok", Tone::Good, String::new()),
            Verdict::Wrong { expected, actual } => (
                "wrong",
                Tone::Bad,
                format!("{}  instead of  {}", list(actual), list(expected)),
            ),
            Verdict::Missing { expected } => ("missing", Tone::Bad, list(expected)),
            Verdict::Extra { actual } => ("extra", Tone::Bad, list(actual)),
        };
        table.painted(vec![
            ("       ".to_owned(), "       ".to_owned()),
            (word.to_owned(), printer.paint(tone, word)),
            (attribute.name.clone(), attribute.name.clone()),
            (text.clone(), text),
        ]);
    }
    table.lines().iter().try_for_each(|line| printer.line(line))
}

fn mark(passed: bool, printer: &Printer) -> String {
    if passed {
        printer.paint(Tone::Good, "ok  ")
    } else {
        printer.paint(Tone::Bad, "FAIL")
    }
}
