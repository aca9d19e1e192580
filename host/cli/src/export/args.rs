//! Arguments of the exports.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use magpie_terminal::settings::WorkspaceArg;

/// The file that an export writes.
#[derive(Debug, ClapArgs)]
pub(crate) struct ExportFileArgs {
    /// File to write, also as an address in an object store (s3://BUCKET/FILE); `-` for standard
    /// output [default: the table's name, in this folder]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Format of the file [default: by its extension, else jsonl]
    #[arg(long, value_enum)]
    pub(crate) format: Option<ExportFormatArg>,
    /// Only rows of this run [default: all runs]
    #[arg(long, value_name = "N")]
    pub(crate) run: Option<i64>,
    /// Describe the written file as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) workspace: WorkspaceArg,
}

/// Write the records to a file: what plugins found, one row per page and record
///
/// In CSV and Parquet each attribute has a column.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie export records --run 3 --format csv\n  \
    magpie export records --vertical events --out records.parquet")]
pub(crate) struct ExportRecordsArgs {
    /// Only records of this vertical
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    #[command(flatten)]
    pub(crate) file: ExportFileArgs,
}

/// Formats of an exported file.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportFormatArg {
    Jsonl,
    Csv,
    Parquet,
}
