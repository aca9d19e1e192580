//! `magpie schema`: JSON Schemas of the output of commands.

mod notation;

use std::process::ExitCode;

use clap::Args as ClapArgs;
use magpie_terminal::{Failure, Printer};
use serde_json::json;

use notation::Output;

/// Print JSON Schemas of what commands print with `--json`
///
/// With a command, prints the schema of its lines. Without one, prints a line for each command with
/// its schema. A command prints several kinds of lines if its schema has several alternatives.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie schema\n  magpie schema objects show")]
pub(crate) struct SchemaArgs {
    /// The command, as in `objects show`
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

pub(crate) fn run(arguments: &SchemaArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let output = Output::parse(include_str!("output.txt")).expect("a test of the command reads it");
    if arguments.command.is_empty() {
        for command in output.commands() {
            printer.json(&json!({"command": command, "schema": output.schema(command)}))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let command = arguments.command.join(" ");
    let Some(schema) = output.schema(&command) else {
        return Err(
            Failure::usage(format!("`{command}` is no command with JSON output"))
                .hint("`magpie schema` lists all schemas with their commands"),
        );
    };
    printer.line(&format!("{schema:#}"))?;
    Ok(ExitCode::SUCCESS)
}
