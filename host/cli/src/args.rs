//! The command line, as clap reads it.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use magpie_engine::learn::Stage;
use magpie_terminal::process::GlobalArgs;
use magpie_terminal::settings::{RunSettingArgs, SettingArgs, WorkspaceArg};

use crate::archive::args::ArchiveCommand;
use crate::copy::WorkspaceCommand;
use crate::export::args::{ExportFileArgs, ExportRecordsArgs};
use crate::forget::ForgetArgs;
use crate::objects::ObjectsArgs;
use crate::objects::args::ExportObjectsArgs;
use crate::plugin::args::PluginCommand;
use crate::schema::SchemaArgs;
use crate::watch::args::{PlanArgs, WatchArgs};

/// Collects the objects of one vertical from the web and downloads almost nothing else to do so
#[derive(Debug, Parser)]
#[command(name = "magpie", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(InitArgs),
    Learn(LearnArgs),
    Focus(FocusArgs),
    Recrawl(RecrawlArgs),
    Watch(WatchArgs),
    Worker(WorkerArgs),
    Plan(PlanArgs),
    Report(ReportArgs),
    Serve(ServeArgs),
    Mcp(McpArgs),
    Accounts(AccountsArgs),
    Feeds(FeedsArgs),
    Webhooks(WebhooksArgs),
    Sites(SitesArgs),
    Patterns(PatternsArgs),
    Reading(ReadingArgs),
    Reread(RereadArgs),
    Forms(FormsArgs),
    Surface(SurfaceArgs),
    Crawl(CrawlArgs),
    Fetch(FetchArgs),
    Status(StatusArgs),
    Explain(ExplainArgs),
    #[command(subcommand)]
    Export(ExportCommand),
    Objects(ObjectsArgs),
    Forget(ForgetArgs),
    #[command(subcommand)]
    Archive(ArchiveCommand),
    #[command(subcommand)]
    Workspace(WorkspaceCommand),
    Config(ConfigArgs),
    Schema(SchemaArgs),
    /// Write, build and test verticals; add them to a workspace, update and remove them
    #[command(subcommand)]
    Plugin(PluginCommand),
}

/// Make a workspace: a folder with settings, a database and an archive, or the same on servers
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie init concerts --vertical events\n  \
    magpie init postgres://magpie@db.example/concerts --archive s3://concerts --vertical events\n\n\
    Components are looked for in the workspace, in $MAGPIE_VERTICALS, beside the program (verticals,\n\
    ../share/magpie/verticals), and in the build tree (target/verticals).")]
pub(crate) struct InitArgs {
    /// The folder, or the address of a database in PostgreSQL
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Keep the archive in an object store or a shared folder, as in s3://BUCKET/PREFIX or
    /// file:///mnt/archive [setting: archive.store]
    #[arg(long, value_name = "URL")]
    pub(crate) archive: Option<String>,
    /// Put this first-party vertical into it; may be repeated
    #[arg(long = "vertical", value_name = "NAME")]
    pub(crate) verticals: Vec<String>,
}

/// Learn which pages of which sites are worth fetching, from a few objects or from named sites
///
/// Stages: find (a search engine names sites with the seeds), sample (the first sites are crawled),
/// expand (their objects lead to more sites), crawl, surface (search forms are asked), cluster,
/// patterns, select, navigate. Finished stages are kept: called again, the command continues where
/// it stopped.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie learn --vertical events --seeds seeds.json\n  magpie learn https://example.org/ https://example.com/\n  magpie learn --sites sites.txt\n  \
    magpie learn --until 0.95 https://example.org/\n  magpie learn --from select --set learn.coverage=0.95"
)]
pub(crate) struct LearnArgs {
    /// First pages of the sites, instead of a search engine
    #[arg(value_name = "URL", conflicts_with_all = ["seeds", "sites"])]
    pub(crate) urls: Vec<String>,
    /// A few seed objects: JSON, JSON lines or CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Option<PathBuf>,
    /// File with the first pages of the sites, one per line
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
    pub(crate) sites: Option<PathBuf>,
    /// Leave a site when this estimated share of its objects is found, as a number up to 1
    /// [default: `learn.until`]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) until: Option<f64>,
    #[command(flatten)]
    pub(crate) learning: LearningArgs,
}

/// Arguments of `learn` and `focus` alike.
#[derive(Debug, ClapArgs)]
pub(crate) struct LearningArgs {
    /// The vertical [default: the only one in the workspace]
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// Do this stage and those after it again
    #[arg(long, value_name = "STAGE", value_parser = stage_parser())]
    pub(crate) from: Option<Stage>,
    /// One JSON object a stage
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a report to this file (HTML) [default: reports/learn-VERTICAL-RUN.html in the
    /// workspace]
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: RunSettingArgs,
}

/// Reads a share of something.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1, such as 0.95".to_owned())
}

/// Find sites by the words of sample pages, and learn from the part of each that has objects
///
/// Like `learn`, with a crawl that chooses every page of a site by what the pages before it
/// brought, and ends when an estimated share of the site's objects is found (`focus.until`). What
/// was found becomes patterns and a navigation, which `recrawl` and `watch` use.
///
/// Sites are named, or found: words that are neither too common nor too rare are sent to the search
/// engine of the settings, the pages that it names are fetched, and the sites of pages that the
/// vertical accepts are crawled. Called again, the command continues where it stopped.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie focus --vertical events https://example.org/\n  \
    magpie focus --samples pages/ --vertical reviews\n  \
    magpie focus --tokens \"review verdict sensor zoom\" --set focus.iterations=20\n  \
    magpie focus https://example.org/ --target https://example.org/event/17 --set focus.strategy=walk\n\n\
    With neither sites nor words it continues the run that was begun. If there is none, the pages of the\n\
    workspace that have objects are the samples. `magpie explain URL` shows why a page was chosen."
)]
pub(crate) struct FocusArgs {
    /// First pages of the sites
    #[arg(value_name = "URL", conflicts_with_all = ["sites", "samples", "tokens"])]
    pub(crate) urls: Vec<String>,
    /// Folder with sample pages, as HTML or text, whose words are searched for
    #[arg(long, value_name = "DIR", conflicts_with_all = ["sites", "tokens"])]
    pub(crate) samples: Option<PathBuf>,
    /// Words to search for, in one text
    #[arg(long, value_name = "WORDS", conflicts_with = "sites")]
    pub(crate) tokens: Option<String>,
    /// File with the first pages of the sites, one per line
    #[arg(long, value_name = "FILE")]
    pub(crate) sites: Option<PathBuf>,
    /// A page with objects on one of the sites, from which the crawl begins, too; may be repeated
    #[arg(long = "target", value_name = "URL")]
    pub(crate) targets: Vec<String>,
    /// Leave a site when this estimated share of its objects is found, as a number up to 1
    /// [default: `focus.until`]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) until: Option<f64>,
    #[command(flatten)]
    pub(crate) learning: LearningArgs,
}

/// Reads the name of a stage of learning.
fn stage_parser() -> impl TypedValueParser<Value = Stage> {
    PossibleValuesParser::new(Stage::ALL.map(Stage::as_str)).try_map(|name| name.parse::<Stage>())
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
    /// Pages to fetch: `selective` for the learned navigation, `all-patterns` for all pages that
    /// any pattern matches, `levels` for those of the published method, `full` for all pages
    #[arg(long, alias = "navigation", value_name = "METHOD", value_enum, default_value_t = RecrawlMethod::Selective, hide_possible_values = true)]
    pub(crate) method: RecrawlMethod,
    /// Find all that is new, whatever it costs: no ceiling, as with recrawl.share = 1
    #[arg(long)]
    pub(crate) over: bool,
    /// Decide what is due and what has expired as of this much later, for webs with simulated time
    #[arg(long, value_name = "TIME")]
    pub(crate) later: Option<String>,
    /// One JSON object a site, then one for all
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a report to this file (HTML) [default: reports/recrawl-RUN.html in the workspace]
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: RunSettingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecrawlMethod {
    Selective,
    AllPatterns,
    Levels,
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
    pub(crate) workspace: WorkspaceArg,
}

/// Serve the workspace as a web page: its objects, and what is done to collect them
///
/// Nothing is written into the workspace but `audit.jsonl`, and it may run beside `magpie watch`.
/// The page can be reached from this machine alone, unless `serve.listen` says otherwise; then
/// readers log in (`magpie accounts`), unless `serve.readers` says otherwise.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie serve\n  magpie serve --listen 127.0.0.1:8000")]
pub(crate) struct ServeArgs {
    /// Address and port; port 0 for any that is free [setting: serve.listen]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Offer the workspace as tools to a language model, over the standard streams (MCP)
///
/// The tools search objects and their history, explain URLs, and show sites, plan and status. They
/// change nothing. A client starts the command by itself; `magpie serve` offers the same at /mcp.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example of a client's settings:\n  \
    {\"mcpServers\": {\"magpie\": {\"command\": \"magpie\", \"args\": [\"mcp\", \"-w\", \"/data/concerts\"]}}}")]
pub(crate) struct McpArgs {
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// List, add and remove accounts: people who log in to the web page, and keys of programs
///
/// A reader sees everything that `magpie serve` shows; an operator acts as well. Once there is an
/// account, all must log in, unless `serve.readers` lets everybody read. Servers that run obey at
/// once, and sessions of an account end with it.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie accounts --add ada --role operator\n  magpie accounts --make-key exporter --role reader\n  magpie accounts --remove ada"
)]
pub(crate) struct AccountsArgs {
    /// Add an account of this name; its password is asked for, or read from stdin
    #[arg(long, value_name = "NAME", requires = "role")]
    pub(crate) add: Option<String>,
    /// Make a key of this name and print it, once: only its digest is kept
    #[arg(long, value_name = "NAME", requires = "role", conflicts_with = "add")]
    pub(crate) make_key: Option<String>,
    /// The role of the new account
    #[arg(long, value_name = "ROLE", conflicts_with_all = ["remove", "json"])]
    pub(crate) role: Option<RoleArg>,
    /// Remove the account or the key of this name
    #[arg(long, value_name = "NAME", conflicts_with_all = ["add", "make_key"])]
    pub(crate) remove: Option<String>,
    /// One JSON object an account
    #[arg(long, conflicts_with_all = ["add", "make_key", "remove"])]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) workspace: WorkspaceArg,
}

/// A role of an account.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum RoleArg {
    /// Sees everything
    Reader,
    /// Acts as well
    Operator,
}

/// List, make and revoke keys of feeds, for programs that can't say who they are
///
/// At an address that other machines can reach, `magpie serve` asks readers to log in, which
/// calendars and feed readers can't. A key in the address, `?key=`, opens feeds and calendars
/// and nothing else. Servers that run obey at once; the page /feeds of `magpie watch --serve` does
/// the same.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie feeds --make kitchen-calendar\n  magpie feeds --revoke kitchen-calendar"
)]
pub(crate) struct FeedsArgs {
    /// Make a key of this name and print it, once: only its hash is kept
    #[arg(long, value_name = "NAME")]
    pub(crate) make: Option<String>,
    /// Revoke the key of this name
    #[arg(long, value_name = "NAME", conflicts_with = "make")]
    pub(crate) revoke: Option<String>,
    /// One JSON object a key
    #[arg(long, conflicts_with_all = ["make", "revoke"])]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) workspace: WorkspaceArg,
}

/// Show the webhooks of the settings: how far they were told, and which are parked
///
/// `magpie watch` tells webhooks of changes and alerts. One whose messages are not taken for a day
/// is parked until it is resumed.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie webhooks\n  magpie webhooks --resume shop")]
pub(crate) struct WebhooksArgs {
    /// Try a parked webhook again, from where it stopped; while no watch runs
    #[arg(long, value_name = "NAME")]
    pub(crate) resume: Option<String>,
    /// One JSON object a webhook
    #[arg(long, conflicts_with = "resume")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Show the sites that a vertical is collected from, and how they do
#[derive(Debug, ClapArgs)]
pub(crate) struct SitesArgs {
    /// Only this site
    pub(crate) site: Option<String>,
    /// Collect from this site no more, learned or only named: what was learned of it is forgotten,
    /// its pages and objects stay
    #[arg(long, requires = "site")]
    pub(crate) drop: bool,
    /// Return to the patterns, queries and navigation from before this site was last learned or
    /// repaired; given again, to those after that
    #[arg(long, requires = "site", conflicts_with_all = ["drop", "pause", "resume"])]
    pub(crate) undo: bool,
    /// Let a watch fetch nothing from this site, or from any, until `--resume`: writes the setting
    /// `watch.pause`, which a watch that runs obeys
    #[arg(long, conflicts_with = "drop")]
    pub(crate) pause: bool,
    /// Let a watch fetch from this site again, or from all
    #[arg(long, conflicts_with_all = ["drop", "pause"])]
    pub(crate) resume: bool,
    /// The vertical [default: all]
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// One JSON object a site
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) workspace: WorkspaceArg,
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
    pub(crate) workspace: WorkspaceArg,
}

/// Show how the pages of a site are read, and correct it
///
/// A vertical sees one page at a time. While a site is learned, Magpie compares its pages with each
/// other and keeps where the values of objects stand, in reading/VERTICAL/SITE.toml. The file can
/// be edited; `--apply` reads the archived pages by it. Nothing here sends a request.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie reading example.org\n  \
    magpie reading example.org --teach https://example.org/show/7 name=\"The Show\" start=2026-05-03\n  \
    magpie reading example.org --learn --diff\n  magpie reading example.org --undo")]
pub(crate) struct ReadingArgs {
    /// The site [default: all sites, in short]
    pub(crate) site: Option<String>,
    /// The vertical
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// Learn it again from the archived pages
    #[arg(long, group = "change", requires = "site")]
    pub(crate) learn: bool,
    /// State values of a page's object, and learn again; corrections outlast later learning
    #[arg(long, group = "change", requires = "site", num_args = 2.., value_names = ["PAGE", "ATTRIBUTE=VALUE"])]
    pub(crate) teach: Vec<String>,
    /// Return to the reading before
    #[arg(long, group = "change", requires = "site")]
    pub(crate) undo: bool,
    /// Read the archived pages by the file as it is now
    #[arg(long, group = "change", requires = "site")]
    pub(crate) apply: bool,
    /// Change nothing: show which objects and values would differ; alone, compare with the reading
    /// before
    #[arg(long, requires = "site")]
    pub(crate) diff: bool,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: RunSettingArgs,
}

/// Read archived pages again with the present component, without a request
///
/// Each page's newest copy is shown to the component, and what was learned of its site is applied.
/// Pages on which the component fails keep the records that they had. Objects keep their numbers.
#[derive(Debug, ClapArgs)]
pub(crate) struct RereadArgs {
    /// Only this site's
    pub(crate) site: Option<String>,
    /// The vertical
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// Only pages on which a component failed or was stopped
    #[arg(long)]
    pub(crate) failed: bool,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: RunSettingArgs,
}

/// Show the forms of the sites, what each is for, and which are asked queries
///
/// Forms are read from archived pages. Without a site, a survey of all sites comes first.
#[derive(Debug, ClapArgs)]
pub(crate) struct FormsArgs {
    /// Only this site's
    pub(crate) site: Option<String>,
    /// Also forms that are no searches and no filters
    #[arg(long)]
    pub(crate) all: bool,
    /// One JSON object a form
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) workspace: WorkspaceArg,
}

/// Ask the search forms of the sites for objects that no link leads to
///
/// Only forms that search or filter are sent, and by POST only with the setting `surface.post`.
/// `magpie forms` shows them. Queries come from the objects in the workspace; Ctrl-C stops after
/// the pages under way.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie surface --plan\n  magpie surface https://example.org/ --requests 500\n  \
    magpie surface --method isit\n  magpie surface --queries log.txt --entities entities.tsv"
)]
pub(crate) struct SurfaceArgs {
    /// Only these sites
    #[arg(value_name = "SITE")]
    pub(crate) sites: Vec<String>,
    /// The vertical [default: the only one in the workspace]
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// Requests to each template at most
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) requests: u64,
    /// Only names of objects (entities), filter forms (isit) or words (probe), or all of them, the
    /// most promising first (auto)
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = AskMethod::Auto, hide_possible_values = true)]
    pub(crate) method: AskMethod,
    /// Queries to ask besides: one a line, with its count before a tab if it has one
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: Option<PathBuf>,
    /// Names to ask for besides: a type, a tab and a name a line
    #[arg(long, value_name = "FILE")]
    pub(crate) entities: Option<PathBuf>,
    /// Show which templates would be asked, and ask nothing
    #[arg(long)]
    pub(crate) plan: bool,
    /// One JSON object a page, then one a template
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: RunSettingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AskMethod {
    Entities,
    Isit,
    Probe,
    Auto,
}

/// Fetch the pages of sites, politely, and keep them
///
/// Without a site, continue with the URLs that are queued in the workspace. Ctrl-C stops after the
/// pages under way.
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
    pub(crate) settings: RunSettingArgs,
}

/// Fetch one page exactly as a crawl would, and show all that is decided
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie fetch https://example.org/\n  magpie fetch https://example.org/ --body > page.html\n  \
    magpie fetch https://example.org/ --render"
)]
pub(crate) struct FetchArgs {
    /// The page
    pub(crate) url: String,
    /// Open it in a browser too, and show both pages side by side: objects, links, requests, cost
    #[arg(long)]
    pub(crate) render: bool,
    /// Only the page itself, as it is read
    #[arg(long, conflicts_with = "json")]
    pub(crate) body: bool,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: RunSettingArgs,
}

/// Work with other machines in a workspace in PostgreSQL, until it is stopped
///
/// A worker waits until a command such as `magpie learn` or `magpie recrawl` has work. It takes a
/// share of the sites, crawls or learns them by the settings of that command, and waits again.
/// Workers may join and leave at any time: one that is asked to stop (Ctrl-C, SIGTERM) hands in
/// what it has; what one that is killed has not handed in, the others fetch again.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  magpie worker --workspace postgres://magpie@db.example/concerts\n\n\
    The password comes from $PGPASSWORD. `magpie status` shows all workers."
)]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Show the state of a workspace, also during a crawl
#[derive(Debug, ClapArgs)]
pub(crate) struct StatusArgs {
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) workspace: WorkspaceArg,
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

/// Write a table to a file: JSON lines, CSV or Parquet
#[derive(Debug, Subcommand)]
#[command(
    after_help = "Examples:\n  magpie export objects --current --out events.csv\n  \
    magpie export records --run 3\n  magpie export links --out links.parquet"
)]
pub(crate) enum ExportCommand {
    Objects(ExportObjectsArgs),
    Records(ExportRecordsArgs),
    /// Write the fetched pages to a file, one row per fetch
    Pages(ExportFileArgs),
    /// Write the links of the fetched pages to a file
    Links(ExportFileArgs),
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
    /// Only settings that differ from the shipped ones
    #[arg(long)]
    pub(crate) changed: bool,
    /// Write this value of the setting into the file of the workspace; a watch that runs takes it
    /// over
    #[arg(long, value_name = "VALUE", requires = "name", conflicts_with = "shipped")]
    pub(crate) write: Option<String>,
    /// Add this value to the list of the setting instead
    #[arg(long, value_name = "VALUE", requires = "name", conflicts_with_all = ["write", "shipped"])]
    pub(crate) add: Option<String>,
    /// Write it for this site alone
    #[arg(long, value_name = "HOST")]
    pub(crate) site: Option<String>,
    /// The settings file of a new workspace: everything explained, nothing set
    #[arg(long)]
    pub(crate) shipped: bool,
    /// One JSON object a setting
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}
