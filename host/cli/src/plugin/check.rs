//! `magpie plugin check`: checks of a component that need no page.

use std::path::Path;
use std::process::ExitCode;

use magpie_model::Severity;
use magpie_runtime::{LoadError, Plugin, inspect, read_component};
use magpie_terminal::{Failure, Printer, Tone, format};

use crate::plugin::args::CheckArgs;
use crate::plugin::lines::{CheckLine, Finding};
use crate::setup;
use magpie_terminal::process::found;

/// States of findings.
const GOOD: &str = "ok";
const ODD: &str = "warning";
const BAD: &str = "error";

pub(crate) fn run(arguments: &CheckArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let file = setup::component(&arguments.plugin, printer)?;
    let mut findings = Vec::new();
    let hint = match read_component(&file).and_then(|bytes| inspect(&bytes)) {
        Ok(inspection) => {
            findings.push(finding(
                GOOD,
                format!(
                    "a component of {}, built for the contract {}",
                    format::bytes(inspection.bytes as u64),
                    inspection.contract
                ),
            ));
            if let Some(problem) = setup::not_as_pinned(arguments.digest.as_deref(), &inspection.digest) {
                findings.push(finding(BAD, problem));
                Some(setup::PIN_HINT.to_owned())
            } else {
                load(arguments, &file, &mut findings)?
            }
        }
        // A missing file is a failure of the command, not a finding about a component.
        Err(LoadError::Read(error)) => {
            return Err(Failure::unreadable(&file, &error));
        }
        Err(error) => Some(bad(&mut findings, &error)),
    };
    let line = CheckLine {
        component: file,
        usable: findings.iter().all(|finding| finding.state != BAD),
        findings,
        hint,
    };
    match arguments.json {
        true => printer.json(&line)?,
        false => print(&line, printer)?,
    }
    Ok(found(line.usable))
}

/// Loads the component; gives what to do when that fails.
fn load(arguments: &CheckArgs, file: &Path, findings: &mut Vec<Finding>) -> Result<Option<String>, Failure> {
    let runtime = setup::runtime(&arguments.limits)?;
    Ok(match runtime.load(file) {
        Ok(plugin) => {
            describe(&plugin, findings);
            None
        }
        Err(error) => Some(bad(findings, &error)),
    })
}

fn describe(plugin: &Plugin, findings: &mut Vec<Finding>) {
    let info = plugin.info();
    findings.push(finding(GOOD, format!("it is {}: {}", plugin.id(), info.summary)));
    let abilities = [
        (plugin.extracts(), "finds objects"),
        (plugin.clusters(), "says which are the same"),
        (plugin.queries_itself(), "makes queries"),
        (plugin.judges(), "judges pages"),
    ];
    let able: Vec<&str> = abilities
        .iter()
        .filter(|(able, _)| *able)
        .map(|(_, what)| *what)
        .collect();
    findings.push(finding(GOOD, format!("it {}", able.join(", "))));
    if plugin.extracts() && !(plugin.clusters() && plugin.queries_itself()) {
        findings.push(finding(GOOD, "the host uses the schema for the rest".to_owned()));
    }
    let closed: Vec<&String> = plugin
        .inspection()
        .imports
        .iter()
        .filter(|name| name.starts_with("wasi:"))
        .collect();
    if !closed.is_empty() {
        findings.push(finding(
            GOOD,
            format!(
                "it imports {} of WASI; say what a call of them does",
                format::count(closed.len(), "interface")
            ),
        ));
    }
    findings.push(finding(
        GOOD,
        format!(
            "its schema has {} and {}",
            format::count(info.attributes.len(), "attribute"),
            format::count(info.options.len(), "option")
        ),
    ));
    for problem in plugin.problems() {
        let state = match problem.severity {
            Severity::Error => BAD,
            _ => ODD,
        };
        findings.push(finding(state, problem.sentence));
    }
}

fn finding(state: &'static str, sentence: String) -> Finding {
    Finding { state, sentence }
}

fn bad(findings: &mut Vec<Finding>, error: &LoadError) -> String {
    findings.push(finding(BAD, error.to_string()));
    error.hint()
}

fn print(line: &CheckLine, printer: &mut Printer) -> Result<(), Failure> {
    printer.heading(&line.component.display().to_string())?;
    for finding in &line.findings {
        let tone = match finding.state {
            GOOD => Tone::Good,
            BAD => Tone::Bad,
            _ => Tone::Odd,
        };
        let mark = printer.paint(tone, &format!("{:>7}", finding.state));
        printer.line(&format!("{mark}  {}", finding.sentence))?;
    }
    let hint = line.hint.as_ref();
    hint.map_or(Ok(()), |hint| printer.line(&format!("   hint  {hint}")))
}
