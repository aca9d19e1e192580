//! Definition of the command line for clap.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use magpie_terminal::process::GlobalArgs;

/// Serves a generated web with known truth, scores crawls of it, and reruns published experiments
#[derive(Debug, Parser)]
#[command(
    name = "magpie-lab",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(ServeArgs),
    Truth(TruthArgs),
    Seeds(SeedsArgs),
    Queries(QueriesArgs),
    Score(ScoreArgs),
    Experiment(ExperimentArgs),
    Train(TrainArgs),
    Schema(SchemaArgs),
}

/// Selects the web: the same values give the same bytes on every machine
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "The web")]
pub(crate) struct WebArgs {
    /// Kind of objects: events, books or products
    #[arg(long, value_name = "NAME", default_value = "events")]
    pub(crate) vertical: String,
    /// Size: small (3 sites), paper (300 sites, some 60,000 pages) or large (a million pages)
    #[arg(long, value_name = "SIZE", default_value = "small")]
    pub(crate) size: String,
    /// Seed of all random decisions
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Week of the web, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) week: u32,
    /// Number of sites; pages and objects scale in proportion
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) sites: Option<u32>,
    /// Share of sites with decoys, such as month grids, old articles and codes beside prices, in
    /// percent of the standard shares; 0 for none
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub(crate) decoys: u32,
    /// Share of deep sites, whose objects only a search form gives out, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 9, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) deep: u32,
    /// Share of sites that show their objects by scripts, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) scripted: u32,
    /// Serve pages of a few kilobytes, without the styles and scripts of real ones
    #[arg(long)]
    pub(crate) light: bool,
    /// Name objects, people and places in real languages instead of made-up syllables
    #[arg(long)]
    pub(crate) readable: bool,
}

/// Print JSON Schemas of the output of commands
///
/// With a command, prints the schema of the lines that it prints as JSON. Without one, prints a
/// line for each command with its schema. Several kinds of lines are alternatives in the schema.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie-lab schema\n  magpie-lab schema truth")]
pub(crate) struct SchemaArgs {
    /// The command, as in `truth`
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// Serve the web on this machine until Ctrl-C
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie-lab serve\n  magpie-lab serve --vertical books --size paper --seed 11 --week 2 --port 8080"
)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) web: WebArgs,
    /// Port to listen on; 0 for a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Print one JSON object that describes the web
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show the truth of the web: its objects, its pages, the objects on each page, its searches
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie-lab truth --week 3\n  magpie-lab truth --json | jq -c 'select(.object)'"
)]
pub(crate) struct TruthArgs {
    #[command(flatten)]
    pub(crate) web: WebArgs,
    /// Show only the objects of this page, as JSON; also for results of a search
    #[arg(long, value_name = "URL", conflicts_with = "json")]
    pub(crate) page: Option<String>,
    /// Print one JSON object for each object, then one for each page, one for each search of a deep
    /// site, and one for each site with its hubs and the objects that can be had without scripts
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a few objects to start from, one JSON object a line
#[derive(Debug, ClapArgs)]
pub(crate) struct SeedsArgs {
    #[command(flatten)]
    pub(crate) web: WebArgs,
    /// Number of objects
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) count: usize,
}

/// Print what users of the web search for: a query log, or the names of a knowledge base
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "A line of the log is QUERY<TAB>COUNT<TAB>HOST, the host being the one that most users chose.\n\
    A line of the knowledge base is TYPE<TAB>NAME.\n\n\
    Examples:\n  magpie-lab queries --vertical books --count 500 > queries.tsv\n  \
    magpie-lab queries --vertical books --entities > entities.tsv"
)]
pub(crate) struct QueriesArgs {
    #[command(flatten)]
    pub(crate) web: WebArgs,
    /// Print a knowledge base: names by type, some types and names foreign to the web
    #[arg(long)]
    pub(crate) entities: bool,
    /// Number of queries, or of names of each type
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) count: u32,
}

/// Score a crawl of the web: compare the workspace with the truth
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  magpie-lab score shops --vertical products --seed 7")]
pub(crate) struct ScoreArgs {
    /// Workspace of the crawl
    pub(crate) workspace: PathBuf,
    #[command(flatten)]
    pub(crate) web: WebArgs,
    /// Draw the shares into this file (SVG)
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Rerun a published experiment on generated webs, with the published figures beside the results
#[derive(Debug, ClapArgs)]
#[command(after_help = "Without a name the experiments are listed.\n\nExamples:\n  \
    magpie-lab experiment downloads --verticals verticals --size small --seeds 11-13\n  \
    magpie-lab experiment aging --verticals verticals --json --plot aging.svg > aging.jsonl\n  \
    magpie-lab experiment freshness --seeds 11-13\n  \
    magpie-lab experiment empty --servers servers.jsonl --seeds 11-13\n  \
    magpie-lab experiment empty --pages data/search-results\n  \
    magpie-lab experiment xcrawl --pages data/sites --seeds 31-50")]
pub(crate) struct ExperimentArgs {
    /// Name of the experiment
    pub(crate) name: Option<String>,
    /// Folder with the component of the vertical, events.wasm; simulations and searches need none
    #[arg(long, value_name = "DIR")]
    pub(crate) verticals: Option<PathBuf>,
    /// Measure on real servers instead of the lab: a file with lines of `cargo xtask servers
    /// --json`, for `entity`, `empty`, `second-level`, `isit` and `probing`
    #[arg(long, value_name = "FILE")]
    pub(crate) servers: Option<PathBuf>,
    /// Measure `empty` on labelled archived result pages: the folder of the unpacked data set
    /// search-results. Replay `xcrawl` on whole saved sites: a folder of folders with `urls.tsv`
    /// (file, tabulator, URL), `site.json` and, unless the markup of pages tells it, `truth.jsonl`
    #[arg(long, value_name = "DIR", conflicts_with_all = ["servers", "requests", "sites", "keep", "graphs"])]
    pub(crate) pages: Option<PathBuf>,
    /// Replay `xcrawl` on the link graphs in this folder instead of the lab's sites: files
    /// `NAME.edges.tsv` with lines of URL, page with the link and path, and `NAME.gold.tsv` with
    /// lines of labelling, URL and class
    #[arg(long, value_name = "DIR")]
    pub(crate) graphs: Option<PathBuf>,
    /// Maximum number of requests of each run of `entity`, `isit` and `probing`, for slow servers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) requests: Option<u32>,
    /// Seeds, one web each, as in 11,12,15-20
    #[arg(long, value_name = "SEEDS", default_value = "11-30")]
    pub(crate) seeds: String,
    /// Size of the webs: small (3 sites) or paper (300 sites, some 60,000 pages)
    #[arg(long, value_name = "SIZE", default_value = "paper")]
    pub(crate) size: String,
    /// Number of sites; pages and objects scale in proportion
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) sites: Option<u32>,
    /// Share of sites with decoys, such as month grids, old articles and codes beside prices, in
    /// percent of the standard shares; 0 for none
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub(crate) decoys: u32,
    /// Print one JSON object for each figure
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw the results into this file (SVG); further charts are written beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Keep all workspaces in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
}

/// A classification that is trained or judged
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Trained {
    /// Purposes of forms
    Forms,
    /// Templates of searches; judged only
    Templates,
}

/// Train or judge a classification of the crawler on annotated pages
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  \
    magpie-lab train forms --data data/forms\n  \
    magpie-lab train forms --data data/forms --write\n  \
    magpie-lab train templates --data data/search-urls")]
pub(crate) struct TrainArgs {
    /// Classification to train
    pub(crate) what: Trained,
    /// Folder of the data set, with `forms.jsonl` or `templates.jsonl`
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Write the weights into this file; without a name, into that of the source tree
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "host/discovery/src/forms/weights.txt"
    )]
    pub(crate) write: Option<PathBuf>,
    /// List the forms or URLs that were told wrongly
    #[arg(long)]
    pub(crate) mistakes: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
