//! `magpie schema`: JSON Schemas of the output of commands.

use std::process::ExitCode;

use clap::Args as ClapArgs;
use magpie_engine::CrawlLine;
use magpie_engine::recrawl::ListCurve;
use magpie_engine::watch::CycleLine;
use magpie_kit::bench::{BenchFailure, BenchSummaryView, PageBenchView};
use magpie_kit::diff::PageDiffView;
use magpie_kit::install::{InstalledView, ListedView};
use magpie_kit::judge::{ClustersView, FixtureView, TestSummary};
use magpie_kit::run::PageRunView;
use magpie_report::views::change::{ChangeView, ChangesEnd};
use magpie_report::views::explain::{
    ClusterLine, DifferentObjects, DoubtView, ExplainView, ObjectLinks, SameObject, SplitLine,
};
use magpie_report::views::figures::{LearnedLine, ReportLine, StageLine};
use magpie_report::views::hidden::{FormLine, PlannedTemplate, SurfaceLine, TemplateLine};
use magpie_report::views::object::{ObjectView, WholeObjectView};
use magpie_report::views::patterns::{PatternLine, QueryLine, RenderingLine};
use magpie_report::views::plan::{ForecastLine, VisitLine};
use magpie_report::views::reading::{ReadingDifference, ReadingView, RereadLine};
use magpie_report::views::recrawl::{RecrawlLine, SiteOutcomeLine};
use magpie_report::views::sites::{BegunSiteLine, DroppedSiteLine, PausedSiteLine, SiteLine, UndoneSiteLine};
use magpie_report::views::status::StatusView;
use magpie_serve::{AccountLine, FeedKeyLine, WebhookLine};
use magpie_terminal::schema::{self, Command, LineType, line};
use magpie_terminal::{Failure, Printer};

use crate::archive::{CompactedLine, OrphanLine, PrunedLine, VerifiedLine};
use crate::config::{OptionLine, SettingLine};
use crate::export::ExportLine;
use crate::fetch::FetchLine;
use crate::forget::{AllowedLine, ForgottenBefore, ForgottenLine};
use crate::plugin::lines::{
    BuiltLine, CheckLine, DiffSummary, InspectLine, NewLine, RecordedLine, RemovedLine,
};

/// Print JSON Schemas of the output of commands
///
/// With a command, prints the schema of the lines that it prints as JSON. Without one, prints a
/// line for each command with its schema. Several kinds of lines are alternatives in the schema.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie schema\n  magpie schema objects show")]
pub(crate) struct SchemaArgs {
    /// The command, as in `objects show`
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// Print the reference of the documentation
    #[arg(long, hide = true, conflicts_with = "command")]
    pub(crate) reference: bool,
}

pub(crate) fn run(arguments: &SchemaArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    if arguments.reference {
        printer.line(&schema::reference(&COMMANDS, ""))?;
        return Ok(ExitCode::SUCCESS);
    }
    schema::print("magpie", &COMMANDS, &arguments.command, printer)
}

/// The types of the lines of each command with `--json`.
const COMMANDS: [Command; 49] = [
    lines("plugin new", &[line::<NewLine>]),
    lines("plugin build", &[line::<BuiltLine>]),
    lines("plugin check", &[line::<CheckLine>]),
    lines("plugin inspect", &[line::<InspectLine>]),
    lines("plugin record", &[line::<RecordedLine>]),
    lines("plugin run", &[line::<PageRunView>]),
    lines(
        "plugin test",
        &[
            line::<FixtureView>,
            line::<ClustersView>,
            line::<TestSummary>,
            line::<RecordedLine>,
        ],
    ),
    lines(
        "plugin bench",
        &[
            line::<PageBenchView>,
            line::<BenchFailure>,
            line::<BenchSummaryView>,
        ],
    ),
    lines("plugin diff", &[line::<PageDiffView>, line::<DiffSummary>]),
    lines("plugin add", &[line::<InstalledView>]),
    lines("plugin update", &[line::<InstalledView>]),
    lines("plugin remove", &[line::<RemovedLine>]),
    lines("plugin list", &[line::<ListedView>]),
    lines("crawl", &[line::<CrawlLine>]),
    lines("fetch", &[line::<FetchLine>]),
    lines("explain", &[line::<ExplainView>]),
    lines("status", &[line::<StatusView>]),
    lines(
        "learn",
        &[line::<CrawlLine>, line::<StageLine>, line::<LearnedLine>],
    ),
    lines(
        "focus",
        &[line::<CrawlLine>, line::<StageLine>, line::<LearnedLine>],
    ),
    lines(
        "recrawl",
        &[line::<CrawlLine>, line::<SiteOutcomeLine>, line::<RecrawlLine>],
    ),
    lines("watch", &[line::<CrawlLine>, line::<CycleLine>]),
    lines(
        "plan",
        &[line::<VisitLine>, line::<ForecastLine>, line::<ListCurve>],
    ),
    lines(
        "sites",
        &[
            line::<SiteLine>,
            line::<BegunSiteLine>,
            line::<DroppedSiteLine>,
            line::<UndoneSiteLine>,
            line::<PausedSiteLine>,
        ],
    ),
    lines(
        "patterns",
        &[line::<PatternLine>, line::<QueryLine>, line::<RenderingLine>],
    ),
    lines("reading", &[line::<ReadingView>, line::<ReadingDifference>]),
    lines("reread", &[line::<RereadLine>]),
    lines("forms", &[line::<FormLine>]),
    lines(
        "surface",
        &[
            line::<PlannedTemplate>,
            line::<CrawlLine>,
            line::<TemplateLine>,
            line::<SurfaceLine>,
        ],
    ),
    lines("report", &[line::<ReportLine>]),
    lines("objects", &[line::<ObjectView>]),
    lines("objects show", &[line::<WholeObjectView>]),
    lines("objects changes", &[line::<ChangeView>, line::<ChangesEnd>]),
    lines(
        "objects explain",
        &[line::<ObjectLinks>, line::<SameObject>, line::<DifferentObjects>],
    ),
    lines("objects cluster", &[line::<ClusterLine>]),
    lines("objects doubts", &[line::<DoubtView>]),
    lines("objects split", &[line::<SplitLine>]),
    lines("export objects", &[line::<ExportLine>]),
    lines("export records", &[line::<ExportLine>]),
    lines("export pages", &[line::<ExportLine>]),
    lines("export links", &[line::<ExportLine>]),
    lines(
        "forget",
        &[
            line::<ForgottenLine>,
            line::<ForgottenBefore>,
            line::<AllowedLine>,
        ],
    ),
    lines("archive verify", &[line::<VerifiedLine>]),
    lines("archive compact", &[line::<CompactedLine>]),
    lines("archive prune", &[line::<PrunedLine>]),
    lines("archive reconcile", &[line::<OrphanLine>]),
    lines("config", &[line::<SettingLine>, line::<OptionLine>]),
    lines("accounts", &[line::<AccountLine>]),
    lines("feeds", &[line::<FeedKeyLine>]),
    lines("webhooks", &[line::<WebhookLine>]),
];

const fn lines(name: &'static str, lines: &'static [LineType]) -> Command {
    Command { name, lines }
}
