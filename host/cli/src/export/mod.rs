//! `magpie export`.

pub(crate) mod args;

use magpie_engine::{Archives, StoreUrl, open_reader, put_file};
use std::fs::File;
use std::io::{self, Seek as _};
use std::path::{Path, PathBuf};

use magpie_rows::{ExportFormat, Exported, ReadStore, RunId, Selection, StoreError, Table};
use magpie_terminal::{Failure, Printer, format, settings};

use schemars::JsonSchema;
use serde::Serialize;

use args::{ExportFileArgs, ExportFormatArg, ExportRecordsArgs};
use magpie_terminal::output_file::{STDOUT, place, stdout};

/// A written file, with the number of its rows.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct ExportLine {
    /// Number of objects, of `export objects`.
    #[serde(skip_serializing_if = "Option::is_none")]
    objects: Option<u64>,
    /// Number of records, of `export records`.
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
    /// Number of pages, of `export pages`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<u64>,
    /// Number of links, of `export links`.
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<u64>,
    /// Path of the file.
    file: PathBuf,
    /// Size of the file.
    bytes: u64,
}

/// Exports the records, of one vertical or of all.
pub(crate) fn records(arguments: &ExportRecordsArgs, printer: &mut Printer) -> Result<(), Failure> {
    let reader = open_reader(&settings::required_workspace(&arguments.file.workspace)?)?;
    let selection = Selection {
        vertical: arguments.vertical.as_deref(),
        ..Selection::all(Table::Records)
    };
    write(&*reader, selection, &arguments.file, printer).map(drop)
}

/// Exports a table that has no filters of its own.
pub(crate) fn rows(table: Table, file: &ExportFileArgs, printer: &mut Printer) -> Result<(), Failure> {
    let reader = open_reader(&settings::required_workspace(&file.workspace)?)?;
    write(&*reader, Selection::all(table), file, printer).map(drop)
}

/// Writes rows to the requested file and reports their number.
pub(crate) fn write(
    reader: &dyn ReadStore,
    selection: Selection<'_>,
    file: &ExportFileArgs,
    printer: &mut Printer,
) -> Result<Exported, Failure> {
    let (format, extension) = format(file.out.as_deref(), file.format)?;
    let table = selection.table.name();
    let url = file.out.as_deref().and_then(Path::to_str);
    let url = url
        .filter(|out| StoreUrl::is_url(out))
        .map(parse_url)
        .transpose()?;
    let path = match &url {
        // Without credentials, which addresses can't have.
        Some(url) => PathBuf::from(url.to_string()),
        None => place(file.out.as_deref(), &format!("{table}.{extension}"))?,
    };
    let is_stdout = path == Path::new(STDOUT);
    if file.json && is_stdout {
        return Err(
            Failure::usage("`--json` and `--out -` both write to standard output").hint("use one of them"),
        );
    }
    let selection = Selection {
        run: run_of(reader, file.run)?,
        ..selection
    };
    let written = match &url {
        Some(url) => put_in_store(url, |file, name| reader.export(selection, format, file, name)),
        None if is_stdout => reader.export(selection, format, stdout()?, Path::new("standard output")),
        None => {
            let failed = |error| StoreError::file("can't write", &path, error);
            put_file(&path, failed, |file, name| {
                reader.export(selection, format, file, name)
            })
        }
    };
    let exported = written.map_err(|error| -> Failure {
        match error {
            // The reader of a pipe has closed it.
            StoreError::File { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => source.into(),
            error => error.into(),
        }
    })?;
    if file.json {
        let mut line = ExportLine {
            file: path,
            bytes: exported.bytes,
            ..ExportLine::default()
        };
        *match selection.table {
            Table::Objects => &mut line.objects,
            Table::Records => &mut line.records,
            Table::Pages => &mut line.pages,
            Table::Links => &mut line.links,
        } = Some(exported.rows);
        printer.json(&line)?;
        return Ok(exported);
    }
    let noun = table.strip_suffix('s').unwrap_or(table);
    let (rows, bytes) = (format::many(exported.rows, noun), format::bytes(exported.bytes));
    printer.tell(&match is_stdout {
        true => format!("{rows} ({bytes})"),
        false => format!("{rows} in {} ({bytes})", path.display()),
    });
    Ok(exported)
}

/// Writes a file into an object store, where it then is whole or as it was.
fn put_in_store<T>(
    url: &StoreUrl,
    write: impl FnOnce(File, &Path) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let name = Path::new("a temporary file");
    let failed = |error| StoreError::file("can't write", name, error);
    // An upload begins when the export has succeeded.
    let mut file = tempfile::tempfile().map_err(failed)?;
    let written = write(file.try_clone().map_err(failed)?, name)?;
    file.rewind().map_err(failed)?;
    Archives::new(PathBuf::new()).put_file(url, &mut file)?;
    Ok(written)
}

fn parse_url(text: &str) -> Result<StoreUrl, Failure> {
    StoreUrl::parse(text).map_err(|why| Failure::usage(format!("`--out` can't be used as an address: {why}")))
}

/// Returns the named run. Fails if there is no such run.
fn run_of(reader: &dyn ReadStore, named: Option<i64>) -> Result<Option<RunId>, Failure> {
    let Some(named) = named.map(RunId) else {
        return Ok(None);
    };
    match reader.runs()?.iter().any(|row| row.id == named) {
        true => Ok(Some(named)),
        false => Err(Failure::input(format!("there is no run {}", named.0))
            .hint("`magpie status` lists the runs; without `--run`, all are exported")),
    }
}

/// Returns the requested format and its extension, by default that of the file.
fn format(
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
            "the extension `.{other}` is not that of a known format"
        ))
        .hint("add `--format jsonl`, `csv` or `parquet`")),
    }
}
