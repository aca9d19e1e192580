//! Definition of the command line for clap.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args as ClapArgs, Parser, Subcommand};
use magpie_lab::{Habit, Size, Vertical, Web, WebSpec, Weight};

/// Serves a generated web with known truth, and scores crawls of it
#[derive(Debug, Parser)]
#[command(
    name = "magpie-lab",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub(crate) struct Args {
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
    #[cfg(feature = "train")]
    Train(TrainArgs),
}

/// Selects the web: the same values give the same bytes on every machine
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "The web")]
pub(crate) struct WebArgs {
    /// Kind of objects: events, books or products
    #[arg(long, value_name = "NAME", default_value = "events", value_parser = vertical)]
    pub(crate) vertical: Vertical,
    /// Size: small (3 sites), paper (300 sites, some 60,000 pages) or large (a million pages)
    #[arg(long, value_name = "SIZE", default_value = "small", value_parser = size)]
    pub(crate) size: Size,
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
    /// Misleading habit of all sites: dated-teasers, day-headings, late-hours, publishing-times,
    /// cart-on-every-page, staging-host, empty-days, norms or language-versions; may be given
    /// several times
    #[arg(long, value_name = "NAME", value_parser = habit)]
    pub(crate) habit: Vec<Habit>,
    /// Serve pages of a few kilobytes, without the styles and scripts of real ones
    #[arg(long)]
    pub(crate) light: bool,
    /// Serve no site that fails or is slow
    #[arg(long)]
    pub(crate) calm: bool,
    /// Name objects, people and places in real languages instead of made-up syllables
    #[arg(long)]
    pub(crate) readable: bool,
}

impl WebArgs {
    /// Returns the web that the arguments describe.
    pub(crate) fn web(&self) -> Arc<Web> {
        let mut spec = WebSpec::new(self.vertical, self.size, self.seed);
        if let Some(sites) = self.sites {
            spec = spec.with_sites(sites);
        }
        spec.decoys = self.decoys;
        // The specification counts in thousandths.
        spec.deep = self.deep * 10;
        spec.scripted = self.scripted * 10;
        if self.light {
            spec.weight = Weight::Light;
        }
        spec.readable = self.readable;
        spec.hazards = !self.calm;
        spec.habits.clone_from(&self.habit);
        Arc::new(Web::new(spec))
    }
}

fn vertical(name: &str) -> Result<Vertical, String> {
    let names = || Vertical::ALL.map(Vertical::name).join(", ");
    Vertical::parse(name).ok_or_else(|| format!("the verticals are {}", names()))
}

fn habit(name: &str) -> Result<Habit, String> {
    let names = || Habit::ALL.map(Habit::name).join(", ");
    Habit::parse(name).ok_or_else(|| format!("the habits are {}", names()))
}

fn size(name: &str) -> Result<Size, String> {
    Size::parse(name).ok_or_else(|| "expected small, paper or large".to_owned())
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
///
/// The program `magpie` beside this one, or else in the PATH, clusters and exports the workspace.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  magpie-lab score shops --vertical products --seed 7")]
pub(crate) struct ScoreArgs {
    /// Workspace of the crawl, or a folder with `objects.jsonl` and `pages.jsonl` as `magpie
    /// export` writes them
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

/// A classification that is trained or judged
#[cfg(feature = "train")]
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Trained {
    /// Purposes of forms
    Forms,
    /// Templates of searches; judged only
    Templates,
}

/// Train or judge a classification of the crawler on annotated pages
#[cfg(feature = "train")]
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
