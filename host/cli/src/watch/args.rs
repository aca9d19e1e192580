//! The arguments of `magpie watch` and `magpie plan`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use magpie_terminal::settings::{RunSettingArgs, SettingArgs};

/// Recrawl continuously on a budget, to keep objects as fresh as the budget allows
///
/// Every ten minutes (`watch.interval`) it fetches the most valuable pages: lists for new objects,
/// known pages by their probability of change and their objects, and pages that sitemaps and feeds
/// name, as far as these have been reliable. Pages with expired objects are not fetched again. Stop
/// it with Ctrl-C or SIGTERM, start it again, change settings and verticals while it runs: it
/// continues from the workspace.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie watch\n  magpie watch --budget 20000/day\n  magpie watch --budget '2 GB/week' --set crawl.metrics=127.0.0.1:9464\n  magpie watch --serve\n  magpie watch --once        from a timer of your own"
)]
pub(crate) struct WatchArgs {
    /// The vertical [default: the only one in the workspace]
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// Pages or bytes in a time, as 5000/day, 200/hour or '2 GB/week' [default: `watch.budget`]
    #[arg(long, value_name = "BUDGET")]
    pub(crate) budget: Option<String>,
    /// Fetch what is due now, and end
    #[arg(long)]
    pub(crate) once: bool,
    /// Visit the list pages of this site, due or not
    #[arg(long, value_name = "SITE", requires = "once")]
    pub(crate) site: Option<String>,
    /// Begin as if it were so much later: for webs whose time is simulated
    #[arg(long, value_name = "TIME")]
    pub(crate) later: Option<String>,
    /// Serve the workspace as a web page at this address, from which the watch can be paused and
    /// changed [default: `serve.listen`]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "")]
    pub(crate) serve: Option<String>,
    /// One JSON object per cycle
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: RunSettingArgs,
}

/// Show what `magpie watch` would fetch next and why, and what the budget reaches
///
/// Nothing is fetched; it may be asked while `magpie watch` runs.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie plan\n  magpie plan --budget 20000/day --next 50\n  magpie plan --plot budget.svg\n  magpie plan --curve\n  magpie plan --json | jq 'select(.due)'"
)]
pub(crate) struct PlanArgs {
    /// The vertical [default: the only one that something was learned of]
    #[arg(long, value_name = "NAME")]
    pub(crate) vertical: Option<String>,
    /// Pages or bytes in a time, as 5000/day, 200/hour or '2 GB/week' [default: `watch.budget`]
    #[arg(long, value_name = "BUDGET")]
    pub(crate) budget: Option<String>,
    /// Pages that are shown
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) next: usize,
    /// Show how many objects a round sees by how many lists of each site, and its choice
    #[arg(long, conflicts_with_all = ["budget", "next", "plot"])]
    pub(crate) curve: bool,
    /// Draw what budgets reach into this file (SVG)
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// As if it were so much later: for webs whose time is simulated
    #[arg(long, value_name = "TIME")]
    pub(crate) later: Option<String>,
    /// One JSON object a page, then one a budget
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}
