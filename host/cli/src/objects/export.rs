//! `magpie objects export`.

use std::path::Path;
use std::process::ExitCode;

use magpie_store::{Reader, RunId, Selection, Table};
use serde_json::json;

use super::args::ExportArgs;
use super::clustered;
use crate::export::{format, told, write};
use crate::failure::Failure;
use crate::outlet::{STDOUT, place};
use crate::printer::Printer;
use crate::settings;

pub(crate) fn run(arguments: &ExportArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.workspace)?;
    let reader = Reader::open(&folder)?;
    clustered(&reader, arguments.vertical.as_deref())?;
    let (format, ending) = format(arguments.out.as_deref(), arguments.format)?;
    let path = place(arguments.out.as_deref(), &format!("things.{ending}"))?;
    if arguments.json && path == Path::new(STDOUT) {
        return Err(
            Failure::usage("`--json` and `--out -` both want the standard output")
                .hint("leave one of them out"),
        );
    }
    let selection = Selection {
        table: Table::Clusters,
        run: arguments.run.map(RunId),
        vertical: arguments.vertical.as_deref(),
    };
    let exported = write(&reader, selection, format, &path)?;
    if arguments.json {
        printer.json(&json!({"things": exported.rows, "file": path, "bytes": exported.bytes}))?;
    } else {
        printer.tell(&told(&exported, "thing", &path));
    }
    Ok(ExitCode::SUCCESS)
}
