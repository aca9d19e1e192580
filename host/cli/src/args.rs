//! The command line, as clap reads it.

use std::ops::{Bound, RangeBounds};
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use magpie_kit::inputs::web_url;
use magpie_runtime::Limits;

use crate::objects::ObjectsArgs;

/// Collects the objects of one vertical from the web and downloads almost nothing else to do so
#[derive(Debug, Parser)]
#[command(name = "magpie", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Args {
    /// Say nothing of what is being done
    #[arg(short, long, global = true, help_heading = "Everywhere", display_order = 900)]
    pub(crate) quiet: bool,
    /// Show more: log lines, raw values, and values in full
    #[arg(short, long, global = true, help_heading = "Everywhere", display_order = 901)]
    pub(crate) verbose: bool,
    /// Colour: auto (in a terminal, unless NO_COLOR is set), always, never
    #[arg(
        long, value_name = "WHEN", global = true, value_enum, default_value_t = ColorChoice::Auto,
        hide_possible_values = true, hide_default_value = true,
        help_heading = "Everywhere", display_order = 902
    )]
    pub(crate) color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// A whole number within bounds.
fn whole<T>(bounds: impl RangeBounds<u64>) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: TryFrom<u64>,
{
    let bound = |bound: Bound<&u64>| match bound {
        Bound::Included(&bound) => bound,
        _ => u64::MAX,
    };
    let (least, most) = (bound(bounds.start_bound()), bound(bounds.end_bound()));
    move |text| {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("it takes a whole number".to_owned());
        }
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| match most {
                u64::MAX => format!("it must be at least {least}"),
                most => format!("it must be {least} to {most}"),
            })
    }
}

/// A component's digest: its hexadecimal digits.
fn digest(text: &str) -> Result<String, String> {
    let digits = text.strip_prefix("blake3:").unwrap_or(text);
    if digits.len() == DIGEST_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(digits.to_ascii_lowercase())
    } else {
        Err(format!(
            "a digest is `blake3:` and {DIGEST_DIGITS} hexadecimal digits"
        ))
    }
}

/// BLAKE3 has 256 bits.
const DIGEST_DIGITS: usize = 64;

/// Threads that any machine can start; more do not help.
const MOST_THREADS: u64 = 1_024;

/// Rounds of a measurement that still ends.
const MOST_ROUNDS: u64 = 1_000_000;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(InitArgs),
    Learn(LearnArgs),
    Recrawl(RecrawlArgs),
    Watch(crate::watch::args::WatchArgs),
    Plan(crate::watch::args::PlanArgs),
    Report(ReportArgs),
    Sites(SitesArgs),
    Patterns(PatternsArgs),
    Crawl(CrawlArgs),
    Fetch(FetchArgs),
    Status(StatusArgs),
    Explain(ExplainArgs),
    Export(ExportArgs),
    Objects(ObjectsArgs),
    Config(ConfigArgs),
    /// Write, build, test and run verticals
    #[command(subcommand)]
    Plugin(PluginCommand),
    /// Serve a generated web with known truth, and score crawls of it
    #[command(subcommand)]
    Lab(LabCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    Serve(LabServeArgs),
    Truth(LabTruthArgs),
    Seeds(LabSeedsArgs),
    Score(LabScoreArgs),
    Experiment(LabExperimentArgs),
}

/// Which web: the same values give the same bytes on every machine.
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "The web")]
pub(crate) struct WebArgs {
    /// What its objects are: events, books or products
    #[arg(long, value_name = "NAME", default_value = "events")]
    pub(crate) vertical: String,
    /// How large it is: small (3 sites), paper (300 sites, some 60,000 pages) or large (a million pages)
    #[arg(long, value_name = "SIZE", default_value = "small")]
    pub(crate) size: String,
    /// What everything in it follows from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many weeks have passed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) week: u32,
    /// Another number of sites; pages and objects follow
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) sites: Option<u32>,
    /// Pages of a few kilobytes, without the styles and scripts that real ones carry
    #[arg(long)]
    pub(crate) light: bool,
}

/// Serve the web on this machine until Ctrl-C
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie lab serve\n  magpie lab serve --vertical books --size paper --seed 11 --week 2 --port 8080"
)]
pub(crate) struct LabServeArgs {
    #[command(flatten)]
    pub(crate) web: WebArgs,
    /// The port; 0 for a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// What is served, as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what is true of the web: its objects, its pages, what is on them
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie lab truth --week 3\n  magpie lab truth --json | jq -c 'select(.object)'"
)]
pub(crate) struct LabTruthArgs {
    #[command(flatten)]
    pub(crate) web: WebArgs,
    /// Only what this page shows, as JSON
    #[arg(long, value_name = "URL", conflicts_with = "json")]
    pub(crate) page: Option<String>,
    /// One JSON object for each object, then one for each page
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a few objects to begin with, one JSON object a line
#[derive(Debug, ClapArgs)]
pub(crate) struct LabSeedsArgs {
    #[command(flatten)]
    pub(crate) web: WebArgs,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) count: usize,
}

/// Score a crawl of the web: what the workspace has against what is true
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  magpie lab score shops --vertical products --seed 7")]
pub(crate) struct LabScoreArgs {
    /// The workspace
    pub(crate) workspace: PathBuf,
    #[command(flatten)]
    pub(crate) web: WebArgs,
    /// Draw the shares into this file (SVG)
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Run a published experiment again, on generated webs, with what was published beside it
#[derive(Debug, ClapArgs)]
#[command(after_help = "Without a name the experiments are listed.\n\nExamples:\n  \
    magpie lab experiment downloads --verticals verticals --size small --seeds 11-13\n  \
    magpie lab experiment aging --verticals verticals --json --plot aging.svg > aging.jsonl\n  \
    magpie lab experiment freshness --seeds 11-13")]
pub(crate) struct LabExperimentArgs {
    /// Which one
    pub(crate) name: Option<String>,
    /// A folder with the component of the vertical, events.wasm; `freshness` needs none
    #[arg(long, value_name = "DIR")]
    pub(crate) verticals: Option<PathBuf>,
    /// One web for each of these seeds, as in 11,12,15-20
    #[arg(long, value_name = "SEEDS", default_value = "11-30")]
    pub(crate) seeds: String,
    /// How large the webs are: small (3 sites), paper (300 sites, some 60,000 pages)
    #[arg(long, value_name = "SIZE", default_value = "paper")]
    pub(crate) size: String,
    /// Another number of sites; pages and objects follow
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) sites: Option<u32>,
    /// One JSON object a figure
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw the outcome into this file (SVG)
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Keep all workspaces in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
}

/// Make a workspace: a folder with settings, a database and an archive
#[derive(Debug, ClapArgs)]
pub(crate) struct InitArgs {
    /// The folder
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
}

/// Learn which pages of which sites are worth fetching, from a few objects or from the sites themselves
///
/// Stages: find (a search engine says which sites have the seeds), sample (the first sites are crawled), expand (their objects lead
/// to more sites), crawl, cluster, patterns, select, navigate. What is done is kept: called again it goes on where it stopped.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie learn --vertical events --seeds seeds.json\n  magpie learn --sites sites.txt\n  \
    magpie learn --from select --set learn.coverage=0.95"
)]
pub(crate) struct LearnArgs {
    /// The vertical [default: the only one in the workspace]
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// A few objects to begin with: JSON, JSON lines or CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Option<PathBuf>,
    /// The first pages of the sites, one a line, instead of a search engine
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
    pub(crate) sites: Option<PathBuf>,
    /// Do this stage and those after it again
    #[arg(long, value_name = "STAGE", value_enum)]
    pub(crate) from: Option<LearnStage>,
    /// One JSON object a stage
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a report to this file (HTML) [default: reports/learn-VERTICAL.html in the workspace]
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) short: CrawlSettingArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum LearnStage {
    Find,
    Sample,
    Expand,
    Crawl,
    Cluster,
    Patterns,
    Select,
    Navigate,
}

/// Fetch what is new and what is due, along the learned ways, and nothing else
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie recrawl\n  magpie recrawl --set recrawl.refresh=2w\n  magpie recrawl --method full --json"
)]
pub(crate) struct RecrawlArgs {
    /// The vertical [default: the only one in the workspace]
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// What is fetched: `selective` what is worth it, `all-patterns` everything that any pattern matches, `full` everything
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = RecrawlMethod::Selective, hide_possible_values = true)]
    pub(crate) method: RecrawlMethod,
    /// Judge what is due and what is over as if it were so much later: for webs whose time is simulated
    #[arg(long, value_name = "TIME")]
    pub(crate) later: Option<String>,
    /// One JSON object a site, then one for all
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a report to this file (HTML) [default: reports/recrawl-RUN.html in the workspace]
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) short: CrawlSettingArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecrawlMethod {
    Selective,
    AllPatterns,
    Full,
}

/// Write the report of what was learned, or of a recrawl, as one HTML file
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie report\n  magpie report --run 12 --out recrawl.html")]
pub(crate) struct ReportArgs {
    /// The run [default: the last `learn` or `recrawl`]
    #[arg(long, value_name = "N")]
    pub(crate) run: Option<i64>,
    /// The file [default: in the folder reports of the workspace, as those commands name it]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The vertical [default: that of the run]
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Show the sites that a vertical is collected from, and how they do
#[derive(Debug, ClapArgs)]
pub(crate) struct SitesArgs {
    /// Only this site
    pub(crate) site: Option<String>,
    /// The vertical [default: all]
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// One JSON object a site
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Show the URL patterns of the sites, which are chosen, and how they do
#[derive(Debug, ClapArgs)]
pub(crate) struct PatternsArgs {
    /// Only this site's
    pub(crate) site: Option<String>,
    /// The vertical [default: all]
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// Also the patterns of pages without objects, and regular expressions
    #[arg(long)]
    pub(crate) all: bool,
    /// One JSON object a pattern
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Fetch the pages of sites, politely, and keep them
///
/// Without a site it goes on with what is queued in the workspace. Ctrl-C stops after the pages under way.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie crawl https://example.org/ --workspace shops\n  magpie crawl --workspace shops\n  \
    magpie crawl http://localhost:8000/ --allow-address 127.0.0.0/8 --delay 0s --forget --verbose\n  \
    magpie crawl --replay shops --workspace again"
)]
pub(crate) struct CrawlArgs {
    /// First pages of sites
    #[arg(value_name = "SITE")]
    pub(crate) sites: Vec<String>,
    /// Fetch again what was fetched before
    #[arg(long, conflicts_with = "forget")]
    pub(crate) again: bool,
    /// Keep nothing: for looking at a site
    #[arg(long)]
    pub(crate) forget: bool,
    /// Get all answers out of the archive of this workspace instead of the web
    #[arg(long, value_name = "DIR")]
    pub(crate) replay: Option<PathBuf>,
    /// Only the answers of this run of it
    #[arg(long, value_name = "RUN", requires = "replay")]
    pub(crate) replay_run: Option<i64>,
    /// Leave the workspace's verticals out [setting: verticals.run]
    #[arg(long)]
    pub(crate) no_verticals: bool,
    /// One JSON object an event
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) short: CrawlSettingArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Settings that are asked for so often that they have a flag of their own.
#[derive(Clone, Debug, Default, ClapArgs)]
#[command(next_help_heading = "Settings for this run")]
pub(crate) struct CrawlSettingArgs {
    /// The least time between two requests to a host [setting: politeness.delay]
    #[arg(long, value_name = "TIME")]
    pub(crate) delay: Option<String>,
    /// Pages of each site [setting: scope.pages]
    #[arg(long, value_name = "N")]
    pub(crate) pages: Option<String>,
    /// Links away from the first page [setting: scope.depth]
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<String>,
    /// Only URLs in which this regular expression is found; may be repeated [setting: scope.include]
    #[arg(long, value_name = "REGEX")]
    pub(crate) include: Vec<String>,
    /// No URLs in which this regular expression is found; may be repeated [setting: scope.exclude]
    #[arg(long, value_name = "REGEX")]
    pub(crate) exclude: Vec<String>,
    /// Connect to this address for a name; may be repeated [setting: network.resolve]
    #[arg(long, value_name = "HOST:PORT:ADDRESS")]
    pub(crate) resolve: Vec<String>,
    /// Allow a private address range; may be repeated [setting: network.allow_addresses]
    #[arg(long, value_name = "RANGE")]
    pub(crate) allow_address: Vec<String>,
    /// Go through a proxy [setting: network.proxy]
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Introduce yourself so [setting: identity.user_agent]
    #[arg(long, value_name = "TEXT")]
    pub(crate) user_agent: Option<String>,
}

/// Fetch one page exactly as a crawl would, and show all that is decided
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie fetch https://example.org/\n  magpie fetch https://example.org/ --body > page.html"
)]
pub(crate) struct FetchArgs {
    /// The page
    pub(crate) url: String,
    /// Only the page itself, as it is read
    #[arg(long, conflicts_with = "json")]
    pub(crate) body: bool,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) short: CrawlSettingArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Show how a workspace stands, also while a crawl goes on
#[derive(Debug, ClapArgs)]
pub(crate) struct StatusArgs {
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Say why a URL was fetched or was not
#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    /// The URL
    pub(crate) url: String,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Write pages, links or objects to a file
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie export pages\n  magpie export links --out links.parquet\n  \
    magpie export objects --run 3 --format csv"
)]
pub(crate) struct ExportArgs {
    /// What
    #[arg(value_enum)]
    pub(crate) table: ExportTable,
    /// The file [default: the table's name, in this folder]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Its form [default: as its name ends, else jsonl]
    #[arg(long, value_enum)]
    pub(crate) format: Option<ExportFormatArg>,
    /// Only of this run [default: of all]
    #[arg(long, value_name = "N")]
    pub(crate) run: Option<i64>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportTable {
    Pages,
    Links,
    Objects,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportFormatArg {
    Jsonl,
    Csv,
    Parquet,
}

/// Show the settings in force, and who set them
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie config politeness\n  magpie config --changed\n  \
    magpie config --shipped > magpie.toml"
)]
pub(crate) struct ConfigArgs {
    /// Only this setting, or this group of them
    pub(crate) name: Option<String>,
    /// Only what somebody set
    #[arg(long)]
    pub(crate) changed: bool,
    /// The settings file of a new workspace: everything explained, nothing set
    #[arg(long)]
    pub(crate) shipped: bool,
    /// One JSON object a setting
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Where the settings come from, besides files and variables.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct SettingArgs {
    /// The workspace's folder [default: $MAGPIE_WORKSPACE, else this folder or the nearest above with a magpie.toml]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Set any setting, as in --set politeness.delay=2s; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PluginCommand {
    New(NewArgs),
    Build(BuildArgs),
    Check(CheckArgs),
    Inspect(InspectArgs),
    Record(RecordArgs),
    Run(RunArgs),
    Test(TestArgs),
    Bench(BenchArgs),
    Diff(DiffArgs),
}

/// Start a project that builds and passes its own tests at once
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  magpie plugin new job-offers\n  magpie plugin test job-offers")]
pub(crate) struct NewArgs {
    /// The folder to make
    pub(crate) dir: PathBuf,
    /// The language to write it in
    #[arg(long, value_enum, default_value_t = Language::Rust)]
    pub(crate) lang: Language,
    /// The vertical's name [default: the folder's]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// What one object is called, as in `JobOffer` [default: from the name]
    #[arg(long)]
    pub(crate) object: Option<String>,
    /// Use the package in this folder (guest-sdk, guest-js, guest-python/magpie_vertical) instead of a copy of it
    #[arg(long, value_name = "DIR")]
    pub(crate) sdk: Option<PathBuf>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Language {
    /// Built by cargo
    Rust,
    /// JavaScript, built by npm
    Js,
    /// Built by pip's componentize-py
    Python,
}

impl From<Language> for magpie_kit::scaffold::Language {
    fn from(language: Language) -> Self {
        match language {
            Language::Rust => Self::Rust,
            Language::Js => Self::JavaScript,
            Language::Python => Self::Python,
        }
    }
}

/// Build a project into a component
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "The WebAssembly target is provided when it is missing: by rustup, else (for root) by Debian's packages.\n\
    MAGPIE_WASM_TOOLCHAIN=rustup|debian chooses one of them.\n\
    Projects in JavaScript need npm, those in Python python3; what else they take is installed into the project."
)]
pub(crate) struct BuildArgs {
    /// The project
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Where to put the component [default: DIR/dist/NAME.wasm]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Say whether a component can be used, and what is odd about it
#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    /// A component, or a project to build
    pub(crate) plugin: PathBuf,
    /// Refuse any other component than the one with this digest, as `build` and `inspect` print it
    #[arg(long, value_name = "blake3:HEX", value_parser = digest)]
    pub(crate) digest: Option<String>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Show what a component says of itself: contract, schema, options, routing
#[derive(Debug, ClapArgs)]
pub(crate) struct InspectArgs {
    /// A component, or a project to build
    pub(crate) plugin: PathBuf,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Save a page as a fixture
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  magpie plugin record https://example.org/programme --dir events\n\n\
    The page is saved as it came, with what the plugin finds on it now as the expectation.\n\
    Read expected.json and correct it: a fixture is worth what its expectation is worth."
)]
pub(crate) struct RecordArgs {
    /// Where the page is: a URL, or a file
    pub(crate) input: String,
    /// The project whose fixtures it joins
    #[arg(long, default_value = ".")]
    pub(crate) dir: PathBuf,
    /// The fixture's name, which is its folder's [default: from the URL]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The URL of a page that is given as a file
    #[arg(long, value_parser = web_url)]
    pub(crate) url: Option<url::Url>,
    /// Write the page alone, without asking the plugin what is on it
    #[arg(long)]
    pub(crate) page_only: bool,
    /// Write over a fixture of that name
    #[arg(long)]
    pub(crate) force: bool,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Run a component over pages and print the objects
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Inputs are files, folders, WARC files, URLs, and lists (.jsonl, or - for stdin) of\n\
    {\"url\", \"file\"} a line. With --json one line a page, in the order of the inputs:\n  \
    {\"url\", \"objects\", \"error\", \"cpu_ms\", \"peak_bytes\", …}\n\nExamples:\n  \
    magpie plugin run events.wasm page.html --url https://example.org/programme\n  \
    magpie plugin run events.wasm crawl.warc.gz --json > objects.jsonl"
)]
pub(crate) struct RunArgs {
    /// A component, or a project to build
    pub(crate) plugin: PathBuf,
    /// What to run it on
    #[arg(required = true)]
    pub(crate) inputs: Vec<String>,
    /// The URL of the page, when the input is one file
    #[arg(long, value_parser = web_url)]
    pub(crate) url: Option<url::Url>,
    /// Refuse any other component than the one with this digest, as `build` and `inspect` print it
    #[arg(long, value_name = "blake3:HEX", value_parser = digest)]
    pub(crate) digest: Option<String>,
    /// An option of the plugin; may be given several times
    #[arg(short = 'o', long = "option", value_name = "NAME=VALUE")]
    pub(crate) options: Vec<String>,
    /// Pages worked on at once [default: one for each core]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=MOST_THREADS))]
    pub(crate) threads: Option<usize>,
    /// One JSON object a page
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Run the fixtures against the compiled component, one verdict per attribute
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie plugin test job-offers --only list -v\n  \
    magpie plugin test job-offers --accept list")]
pub(crate) struct TestArgs {
    /// The project
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Only fixtures whose name contains this; clusters are then left out
    #[arg(long)]
    pub(crate) only: Option<String>,
    /// Instead of testing, write what is found on this fixture's page as its expected.json
    #[arg(long, value_name = "FIXTURE", conflicts_with = "only")]
    pub(crate) accept: Option<String>,
    /// Test this component instead of building the project
    #[arg(long, value_name = "FILE")]
    pub(crate) component: Option<PathBuf>,
    /// An option of the plugin; may be given several times
    #[arg(short = 'o', long = "option", value_name = "NAME=VALUE")]
    pub(crate) options: Vec<String>,
    /// One JSON object a fixture, one for the clusters, one for the whole
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Measure what a component costs on pages
#[derive(Debug, ClapArgs)]
pub(crate) struct BenchArgs {
    /// A component, or a project to build
    pub(crate) plugin: PathBuf,
    /// Pages; the project's fixtures when none
    pub(crate) inputs: Vec<String>,
    /// How often each page is extracted
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole::<usize>(1..=MOST_ROUNDS))]
    pub(crate) rounds: usize,
    /// One JSON object a page
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Compare what two versions of a component find
#[derive(Debug, ClapArgs)]
pub(crate) struct DiffArgs {
    /// The old component, or project
    pub(crate) old: PathBuf,
    /// The new component, or project
    pub(crate) new: PathBuf,
    /// What to run them on; as for `plugin run`
    #[arg(required = true)]
    pub(crate) inputs: Vec<String>,
    /// One JSON object a page that differs, and one for the whole
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// What a plugin may use for one page. None of the limits can be switched off. They stand last in each command, since their
/// heading covers what follows.
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Limits for each page")]
pub(crate) struct LimitArgs {
    /// CPU time
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = whole::<u64>(Limits::CPU_MS))]
    pub(crate) cpu_ms: u64,
    /// Memory
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = whole::<u64>(1..=Limits::MEMORY_BYTES.end() >> 20))]
    pub(crate) memory_mib: u64,
    /// Objects found
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = whole::<usize>(1..))]
    pub(crate) objects: usize,
    /// Size of the result
    #[arg(long, value_name = "MIB", default_value_t = 4, value_parser = whole::<usize>(1..=(Limits::RESULT_BYTES.end() >> 20) as u64))]
    pub(crate) result_mib: usize,
    /// Log lines kept
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole::<usize>(1..))]
    pub(crate) log_lines: usize,
    /// Compile anew instead of taking compiled code from the cache
    #[arg(long)]
    pub(crate) no_cache: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_say_what_they_may_be() {
        let rounds = whole::<usize>(1..=600);
        assert_eq!(rounds("600"), Ok(600));
        for (text, sentence) in [
            ("0", "it must be 1 to 600"),
            ("601", "it must be 1 to 600"),
            ("99999999999999999999999", "it must be 1 to 600"),
            ("many", "it takes a whole number"),
            ("1.5", "it takes a whole number"),
            ("", "it takes a whole number"),
        ] {
            assert_eq!(rounds(text), Err(sentence.to_owned()), "{text}");
        }
        let digits = "0123456789abcdef".repeat(4);
        assert_eq!(
            digest(&format!("blake3:{}", digits.to_uppercase())),
            Ok(digits.clone())
        );
        for text in [
            &format!("sha256:{digits}"),
            "blake3:8aa1",
            "",
            &digits[1..],
            &format!("{digits}0"),
        ] {
            assert!(digest(text).is_err(), "{text}");
        }
        assert_eq!(whole::<usize>(1..)("0"), Err("it must be at least 1".to_owned()));
    }
}
