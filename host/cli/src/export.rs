//! `magpie export`.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use magpie_engine::collect::NAVIGATIONS;
use magpie_store::{
    ARCHIVES, ExportFormat, Exported, Reader, RunId, Selection, StoreError, Table, export_selection,
    export_stream,
};

use crate::args::{ExportArgs, ExportFormatArg, ExportTable};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::{settings, show};

pub(crate) fn run(arguments: &ExportArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.workspace)?;
    let reader = Reader::open(&folder)?;
    let (table, noun) = match arguments.table {
        ExportTable::Pages => (Table::Pages, "page"),
        ExportTable::Links => (Table::Links, "link"),
        ExportTable::Objects => (Table::Objects, "object"),
    };
    let (format, ending) = format(arguments.out.as_deref(), arguments.format)?;
    let path = place(&folder, arguments.out.as_deref(), &format!("{noun}s.{ending}"))?;
    let selection = Selection {
        table,
        run: arguments.run.map(RunId),
        vertical: None,
    };
    let exported = write(&reader, selection, format, &path)?;
    printer.tell(&told(&exported, noun, &path));
    Ok(ExitCode::SUCCESS)
}

/// What was written, and where.
pub(crate) fn told(exported: &Exported, noun: &str, path: &Path) -> String {
    let (rows, bytes) = (show::many(exported.rows, noun), show::bytes(exported.bytes));
    match path == Path::new(STDOUT) {
        true => format!("{rows} ({bytes})"),
        false => format!("{rows} in {} ({bytes})", path.display()),
    }
}

/// The name that stands for the standard output.
pub(crate) const STDOUT: &str = "-";

/// Where something is written to: as named, unless that is a part of the workspace, or as it is called by itself.
pub(crate) fn place(folder: &Path, named: Option<&Path>, usual: &str) -> Result<PathBuf, Failure> {
    let Some(named) = named else {
        return Ok(PathBuf::from(usual));
    };
    if is_of_workspace(folder, named) {
        return Err(Failure::usage(format!(
            "{} is a part of the workspace, and would be lost",
            named.display()
        ))
        .hint("name another file"));
    }
    Ok(named.to_owned())
}

/// Whether a path leads to what the workspace itself consists of.
fn is_of_workspace(folder: &Path, path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    // What is not there yet would come into a folder that is.
    let target = real(path).or_else(|| {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        Some(real(parent.unwrap_or(Path::new(".")))?.join(path.file_name()?))
    });
    let (Some(target), Some(folder)) = (target, real(folder)) else {
        return false;
    };
    let Ok(inside) = target.strip_prefix(&folder) else {
        return false;
    };
    let first = inside.iter().next().unwrap_or_default().to_string_lossy();
    let folders = [crate::init::VERTICALS, ARCHIVES, NAVIGATIONS];
    let is_alone = inside.iter().count() == 1;
    folders.contains(&&*first)
        || (is_alone && (first.starts_with("magpie.") || first.starts_with("crawl.log")))
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

#[cfg(unix)]
fn stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
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
