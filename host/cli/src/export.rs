//! `magpie export`.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use magpie_store::{
    ExportFormat, Exported, Reader, RunId, Runs as _, Selection, StoreError, Table, export_selection,
    export_stream,
};
use magpie_terminal::{Failure, Kind, Printer, format, settings};

use crate::args::{ExportArgs, ExportTable};
use crate::objects::args::ExportFormatArg;
use magpie_terminal::output_file::{STDOUT, place, stdout};

pub(crate) fn run(arguments: &ExportArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.workspace)?;
    let reader = Reader::open(&folder)?;
    let (table, noun) = match arguments.table {
        ExportTable::Pages => (Table::Pages, "page"),
        ExportTable::Links => (Table::Links, "link"),
        ExportTable::Objects => (Table::Objects, "object"),
    };
    let run = run_of(&reader, arguments.run)?;
    let (format, ending) = format(arguments.out.as_deref(), arguments.format)?;
    let path = place(arguments.out.as_deref(), &format!("{noun}s.{ending}"))?;
    let selection = Selection {
        run,
        ..Selection::all(table)
    };
    let exported = write(&reader, selection, format, &path)?;
    printer.tell(&told(&exported, noun, &path));
    Ok(ExitCode::SUCCESS)
}

/// The run that was named, if there is such a run.
pub(crate) fn run_of(reader: &Reader, named: Option<i64>) -> Result<Option<RunId>, Failure> {
    let Some(named) = named.map(RunId) else {
        return Ok(None);
    };
    match reader.runs()?.iter().any(|row| row.id == named) {
        true => Ok(Some(named)),
        false => Err(Failure::new(Kind::Input, format!("there is no run {}", named.0))
            .hint("`magpie status` lists the runs; without `--run` all are exported")),
    }
}

/// Formats the number of rows written and their file.
pub(crate) fn told(exported: &Exported, noun: &str, path: &Path) -> String {
    let (rows, bytes) = (format::many(exported.rows, noun), format::bytes(exported.bytes));
    match path == Path::new(STDOUT) {
        true => format!("{rows} ({bytes})"),
        false => format!("{rows} in {} ({bytes})", path.display()),
    }
}

/// Writes chosen rows to a place.
pub(crate) fn write(
    reader: &Reader,
    selection: Selection<'_>,
    format: ExportFormat,
    path: &Path,
) -> Result<Exported, Failure> {
    let written = match path == Path::new(STDOUT) {
        true => export_stream(
            reader,
            selection,
            format,
            stdout()?,
            Path::new("the standard output"),
        ),
        false => export_selection(reader, selection, format, path),
    };
    written.map_err(|error| match error {
        // Who read it has had enough.
        StoreError::File { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => source.into(),
        error => error.into(),
    })
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
