//! `magpie schema`: JSON Schemas of the output of commands.

use std::process::ExitCode;

use clap::Args as ClapArgs;
use magpie_terminal::{Failure, Printer, schema};

/// Print JSON Schemas of the output of commands
///
/// With a command, prints the schema of the lines that it prints as JSON. Without one, prints a
/// line for each command with its schema. Several kinds of lines are alternatives in the schema.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie schema\n  magpie schema objects show")]
pub(crate) struct SchemaArgs {
    /// The command, as in `objects show`
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

pub(crate) fn run(arguments: &SchemaArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    schema::print("magpie", include_str!("output.txt"), &arguments.command, printer)
}
