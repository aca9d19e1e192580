//! Arguments of the commands about objects.

use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, Subcommand};
use magpie_rows::ChangeKind;
use magpie_terminal::settings::{SettingArgs, WorkspaceArg};

use crate::export::args::ExportFileArgs;

/// List, show, explain and correct objects
///
/// An object is merged from all records of it, which may be many and on many sites. Its number does
/// not change.
#[derive(Debug, ClapArgs)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  magpie objects --vertical events --where 'start>=2026-06-01' --sort start\n  \
    magpie objects --where 'jazz venue:\"Old Mill\" start:weekend price<=20' --json\n  \
    magpie objects --new-since 7d --current\n  magpie objects changes --since 7d\n  \
    magpie objects show 17\n  magpie objects explain 17 23\n  magpie objects doubts\n  magpie objects split r203 r511\n\n\
    A query has words, \"phrases\" and conditions: attribute:words, =value, !=value, ~part, < <= > >= a date, a \
    price or a number, site:HOST, is:new, has:attribute. A hyphen before a term excludes what it finds."
)]
pub(crate) struct ObjectsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ObjectsCommand>,
    #[command(flatten)]
    pub(crate) list: ListArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ObjectsCommand {
    Changes(ChangesArgs),
    Show(ShowArgs),
    Explain(ExplainArgs),
    Doubts(DoubtsArgs),
    Split(SplitArgs),
    Cluster(ClusterArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FilterArgs {
    /// Only of this vertical
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// Only those that match this query; may be repeated, and then all must hold
    #[arg(long = "where", value_name = "QUERY")]
    pub(crate) conditions: Vec<String>,
    /// Only those found on this site
    #[arg(long, value_name = "HOST")]
    pub(crate) site: Option<String>,
    /// Only those seen for the first time since: a date, or an age such as 36h, 7d or 2w
    #[arg(long, value_name = "DATE")]
    pub(crate) new_since: Option<String>,
    /// Only those that are of no more interest: their last date has passed
    #[arg(long, conflicts_with = "current")]
    pub(crate) expired: bool,
    /// Only those that have not expired
    #[arg(long)]
    pub(crate) current: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Maximum number of rows; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
    /// By id, label, records, first-seen, last-seen, changed, expires, soonest, relevance, or an
    /// attribute [default: id; with `--current` soonest]
    #[arg(long, value_name = "BY")]
    pub(crate) sort: Option<String>,
    /// The other way round
    #[arg(long)]
    pub(crate) reverse: bool,
    /// Attributes that have a column, separated by commas [default: those that identify, and that
    /// of `--sort`]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "json")]
    pub(crate) columns: Vec<String>,
    /// One JSON object per line for each object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) workspace: WorkspaceArg,
}

/// List changes of objects: new, changed, gone, back, merged, expired
///
/// Each line is a change, the oldest first. With `--json` the last line has the cursor for the next
/// call, which then lists only what happened since.
#[derive(Debug, ClapArgs)]
pub(crate) struct ChangesArgs {
    /// Only those after a cursor, or since a date, or an age such as 36h, 7d or 2w [default: all]
    #[arg(long, value_name = "CURSOR")]
    pub(crate) since: Option<String>,
    /// Only of this vertical
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// Only of objects that match this query now; may be repeated, and then all must hold
    #[arg(long = "where", value_name = "QUERY")]
    pub(crate) conditions: Vec<String>,
    /// Only of this kind; may be repeated
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(ChangeKind::WORDS))]
    pub(crate) kind: Vec<String>,
    /// Maximum number of rows; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
    /// One JSON object per line for each change, then one with the cursor
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) workspace: WorkspaceArg,
}

/// Show an object: its attributes, the records they come from, and earlier values
#[derive(Debug, ClapArgs)]
pub(crate) struct ShowArgs {
    /// Its number, or one of its records as in r203
    pub(crate) id: String,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) workspace: WorkspaceArg,
}

/// Explain why records are one object, or why two objects or records are not
#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    /// Its number, or a record as in r203
    pub(crate) id: String,
    /// Another object or record
    pub(crate) other: Option<String>,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Write objects to a file, with the records and pages they come from
///
/// In CSV and Parquet each attribute has a column.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie export objects --vertical events --out events.parquet\n  \
    magpie export objects --where 'start>=2026-06-01' --site example.org --out june.csv"
)]
pub(crate) struct ExportObjectsArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) file: ExportFileArgs,
}

/// List all objects by the weakest link that holds them together, the weakest first
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie objects doubts --limit 20\n  magpie objects split r203 r511")]
pub(crate) struct DoubtsArgs {
    /// Only of this vertical
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// Maximum number of rows; 0 for all
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) limit: usize,
    /// One JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) workspace: WorkspaceArg,
}

/// Separate two records or objects that are not the same, now and for later clusterings
#[derive(Debug, ClapArgs)]
pub(crate) struct SplitArgs {
    /// A record as in r203, or the number of an object
    pub(crate) one: String,
    /// The one that is something else; it gets the new number
    pub(crate) other: String,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Cluster the records found since the last time into objects
#[derive(Debug, ClapArgs)]
pub(crate) struct ClusterArgs {
    /// Only of this vertical [default: of all]
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// One JSON object a vertical
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}
