//! `magpie export`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use magpie_store::{ExportFormat, Reader, RunId, Table};

use crate::args::{ExportArgs, ExportFormatArg, ExportTable};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::{settings, show};

pub(crate) fn run(arguments: &ExportArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.settings)?;
    let reader = Reader::open(&folder)?;
    let (table, name) = match arguments.table {
        ExportTable::Pages => (Table::Pages, "pages"),
        ExportTable::Links => (Table::Links, "links"),
        ExportTable::Objects => (Table::Objects, "objects"),
    };
    let (format, ending) = format(arguments.out.as_deref(), arguments.format)?;
    let path = arguments
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{name}.{ending}")));
    let exported = magpie_store::export(&reader, table, arguments.run.map(RunId), format, &path)?;
    printer.tell(&format!(
        "{} {name} in {} ({})",
        show::thousands(exported.rows),
        path.display(),
        show::bytes(exported.bytes)
    ));
    Ok(ExitCode::SUCCESS)
}

/// As asked for, or as the file's name says.
pub(crate) fn format(
    out: Option<&Path>,
    format: Option<ExportFormatArg>,
) -> Result<(ExportFormat, &'static str), Failure> {
    let named = out
        .and_then(|path| path.extension())
        .and_then(|ending| ending.to_str());
    match (format, named) {
        (Some(ExportFormatArg::Jsonl), _) | (None, Some("jsonl" | "ndjson") | None) => {
            Ok((ExportFormat::Jsonl, "jsonl"))
        }
        (Some(ExportFormatArg::Csv), _) | (None, Some("csv")) => Ok((ExportFormat::Csv, "csv")),
        (Some(ExportFormatArg::Parquet), _) | (None, Some("parquet")) => {
            Ok((ExportFormat::Parquet, "parquet"))
        }
        (None, Some(other)) => Err(Failure::usage(format!(
            "`.{other}` says nothing about the form of the file"
        ))
        .hint("add --format jsonl, csv or parquet")),
    }
}
