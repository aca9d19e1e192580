//! Cost of a crawled page: Magpie, other crawlers, and a loop that does only the unavoidable work.
//!
//! A server in its own process, on its own core, generates the sites (`site`, `serve`) and counts
//! the fetches of each contestant (`ledger`). The contestants (`contestants`) run one after another
//! on the other core, each as a process whose time and memory the system reports (`process`).
//! `compare` measures them side by side; `scale` measures Magpie when it knows a million URLs.

mod bare;
mod compare;
mod contestants;
mod cores;
mod ledger;
pub(crate) mod process;
mod scale;
mod serve;
mod serving;
mod site;
mod words;

pub(crate) use contestants::installed;

use anyhow::{Context, Result};

use crate::figure::Report;

/// Options of a run.
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    /// Pages of the sites
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [5_000, 20_000, 50_000])]
    sizes: Vec<usize>,
    /// Kilobytes of their pages
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [8, 31])]
    kilobytes: Vec<usize>,
    /// Number of rounds; contestants that take minutes are measured once
    #[arg(long, value_name = "N", default_value_t = 3)]
    rounds: usize,
    /// Only contestants whose name contains one of these
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    contestants: Vec<String>,
    /// Measure only small sites, once: checks that everything works and gives rough figures
    #[arg(long)]
    quick: bool,
    /// Only what becomes of a crawl that knows a million URLs
    #[arg(long, conflicts_with = "contestants")]
    scale_only: bool,
    /// A process of the benchmark: `server` or `bare`
    #[arg(long, hide = true)]
    role: Option<String>,
    /// The sites that a server has
    #[arg(long, hide = true, default_value = "")]
    specification: String,
    /// First URL for a contestant
    #[arg(long, hide = true, default_value = "")]
    url: String,
}

/// Pages of the site of a quick run.
const QUICK_PAGES: usize = 2_000;

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    match options.role.as_deref() {
        Some("server") => serve::run(&serving::read(&options.specification)?),
        Some("bare") => bare::run(&options.url, contestants::CONNECTIONS),
        _ => measure(options, report),
    }
}

fn measure(options: &Options, report: &mut Report) -> Result<()> {
    let places = contestants::Places::find()?;
    let plan = compare::Plan {
        sizes: if options.quick {
            vec![QUICK_PAGES]
        } else {
            options.sizes.clone()
        },
        kilobytes: options.kilobytes.clone(),
        rounds: if options.quick { 1 } else { options.rounds.max(1) },
    };
    if !options.scale_only {
        let contestants = contestants::prepare(&places, &options.contestants)?;
        compare::run(&plan, &contestants, &places, report).context("the comparison can't be made")?;
    }
    if options.contestants.is_empty() {
        scale::run(options.quick, plan.rounds, &places, report)
            .context("what a million URLs cost can't be measured")?;
    }
    Ok(())
}
