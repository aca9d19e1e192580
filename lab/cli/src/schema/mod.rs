//! `magpie-lab schema`: JSON Schemas of the output of commands, from a short notation.

mod notation;

use std::process::ExitCode;

use serde_json::json;

use magpie_terminal::{Failure, Printer};
use notation::Output;

const PROGRAM: &str = "magpie-lab";

/// Prints the schema of the lines of a command, or without a command a line for each with its
/// schema.
///
/// # Panics
///
/// Panics if the notation has a mistake. It is part of the program, and tests read it.
pub(crate) fn print(
    command: &[String],
    printer: &mut Printer,
) -> Result<ExitCode, Failure> {
    let output = Output::parse(PROGRAM, include_str!("output.txt")).expect("a test of the command reads it");
    if command.is_empty() {
        for command in output.commands() {
            printer.json(&json!({"command": command, "schema": output.schema(command)}))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let command = command.join(" ");
    let Some(schema) = output.schema(&command) else {
        return Err(
            Failure::usage(format!("`{command}` is no command with JSON output")).hint(format!(
                "`{PROGRAM} schema` lists all schemas with their commands"
            )),
        );
    };
    printer.line(&format!("{schema:#}"))?;
    Ok(ExitCode::SUCCESS)
}
