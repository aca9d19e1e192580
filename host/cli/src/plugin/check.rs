//! `magpie plugin check`: checks of a component that need no page.

use std::path::Path;
use std::process::ExitCode;

use magpie_model::Severity;
use magpie_runtime::{LoadError, Plugin, inspect, read_component};
use magpie_terminal::{Failure, Kind, Printer, Tone, format};

use crate::plugin::args::CheckArgs;
use crate::plugin::lines::{CheckLine, FindingView};
use crate::setup;
use magpie_terminal::process::found;

/// One thing that was looked at.
struct Finding {
    state: State,
    sentence: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    Odd,
    Bad,
}

pub(crate) fn run(arguments: &CheckArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let file = setup::component(&arguments.plugin, printer)?;
    let mut findings = Vec::new();
    let hint = match read_component(&file).and_then(|bytes| inspect(&bytes)) {
        Ok(inspection) => {
            findings.push(good(format!(
                "a component of {}, built for the contract {}",
                format::bytes(inspection.bytes as u64),
                inspection.contract
            )));
            if let Some(problem) = setup::not_as_pinned(arguments.digest.as_deref(), &inspection.digest) {
                findings.push(Finding {
                    state: State::Bad,
                    sentence: problem,
                });
                Some(setup::PIN_HINT.to_owned())
            } else {
                load(arguments, &file, &mut findings)?
            }
        }
        // A missing file is a failure of the command, not a finding about a component.
        Err(LoadError::Read(error)) => {
            return Err(Failure::new(
                Kind::Input,
                format!("can't read {}: {error}", file.display()),
            ));
        }
        Err(error) => Some(bad(&mut findings, &error)),
    };
    print(arguments.json, &file, &findings, hint.as_deref(), printer)?;
    Ok(found(findings.iter().all(|finding| finding.state != State::Bad)))
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
    findings.push(good(format!("it is {}: {}", plugin.id(), info.summary)));
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
    findings.push(good(format!("it {}", able.join(", "))));
    if plugin.extracts() && !(plugin.clusters() && plugin.queries_itself()) {
        findings.push(good("the host uses the schema for the rest".to_owned()));
    }
    let closed: Vec<&String> = plugin
        .inspection()
        .imports
        .iter()
        .filter(|name| name.starts_with("wasi:"))
        .collect();
    if !closed.is_empty() {
        findings.push(good(format!(
            "it imports {} of WASI; say what a call of them does",
            format::count(closed.len(), "interface")
        )));
    }
    findings.push(good(format!(
        "its schema has {} and {}",
        format::count(info.attributes.len(), "attribute"),
        format::count(info.options.len(), "option")
    )));
    for problem in plugin.problems() {
        let state = if problem.severity == Severity::Error {
            State::Bad
        } else {
            State::Odd
        };
        findings.push(Finding {
            state,
            sentence: problem.sentence,
        });
    }
}

fn good(sentence: String) -> Finding {
    Finding {
        state: State::Good,
        sentence,
    }
}

fn bad(findings: &mut Vec<Finding>, error: &LoadError) -> String {
    findings.push(Finding {
        state: State::Bad,
        sentence: error.to_string(),
    });
    error.hint()
}

fn print(
    json: bool,
    file: &Path,
    findings: &[Finding],
    hint: Option<&str>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    if json {
        let finding = |finding: &Finding| FindingView {
            state: word(finding.state).to_owned(),
            sentence: finding.sentence.clone(),
        };
        return printer.json(&CheckLine {
            component: file.to_owned(),
            usable: findings.iter().all(|finding| finding.state != State::Bad),
            findings: findings.iter().map(finding).collect(),
            hint: hint.map(str::to_owned),
        });
    }
    printer.line(&printer.paint(Tone::Strong, &file.display().to_string()))?;
    for finding in findings {
        let tone = match finding.state {
            State::Good => Tone::Good,
            State::Odd => Tone::Odd,
            State::Bad => Tone::Bad,
        };
        let mark = printer.paint(tone, &format!("{:>7}", word(finding.state)));
        printer.line(&format!("{mark}  {}", finding.sentence))?;
    }
    hint.map_or(Ok(()), |hint| printer.line(&format!("   hint  {hint}")))
}

fn word(state: State) -> &'static str {
    match state {
        State::Good => "ok",
        State::Odd => "warning",
        State::Bad => "error",
    }
}
