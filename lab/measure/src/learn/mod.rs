//! Cost of learning as the web grows: selection, induction of patterns, a large site as a whole,
//! frequencies, and the queue of recrawls.
//!
//! Every part runs in a process of its own (`part`), so that its peak memory is measured
//! separately.

mod induction;
mod part;
mod schedule;
mod selection;
mod site;

use anyhow::{Result, bail, ensure};

use crate::figure::Report;
use part::{Measured, Part};

/// Options of a run.
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    /// Pairs of pattern and object that are selected from; the first is what growth is measured by
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [10_000, 100_000, 1_000_000, 10_000_000])]
    pairs: Vec<usize>,
    /// URLs that patterns are induced from
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    urls: usize,
    /// Pages whose frequencies are found
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pages: usize,
    /// Pages in the queue
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    queued: usize,
    /// Pages of the site whose patterns and navigation are learned
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    site: usize,
    /// Only parts whose name contains this: `selection`, `induction`, `site`, `frequencies` or
    /// `queue`
    #[arg(long, value_name = "TEXT", default_value = "")]
    parts: String,
    /// Everything a hundred times smaller: whether it works
    #[arg(long)]
    smaller: bool,
    /// A process of the benchmark: the part it measures
    #[arg(long, hide = true)]
    part: Option<String>,
}

/// Parts that can be measured separately.
const PARTS: [&str; 5] = ["selection", "induction", "site", "frequencies", "queue"];

/// By how much everything is smaller in a run that is to be quick.
const SMALLER: usize = 100;

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    match &options.part {
        Some(part) => part::answer(&measured(part)?),
        None => measure(options, report),
    }
}

fn measure(options: &Options, report: &mut Report) -> Result<()> {
    let factor = if options.smaller { SMALLER } else { 1 };
    let pairs: Vec<usize> = options.pairs.iter().map(|pairs| pairs.div_ceil(factor)).collect();
    let wanted = |name: &str| name.contains(&options.parts);
    ensure!(
        PARTS.iter().any(|part| wanted(part)),
        "no part is called `{}`; there are {}",
        options.parts,
        PARTS.join(", ")
    );
    if wanted("selection") {
        selection::measure(&pairs, report)?;
    }
    if wanted("induction") {
        induction::measure(options.urls.div_ceil(factor), report)?;
    }
    if wanted("site") {
        site::measure(options.site.div_ceil(factor), report)?;
    }
    if wanted("frequencies") {
        schedule::measure_frequencies(options.pages.div_ceil(factor), report)?;
    }
    if wanted("queue") {
        schedule::measure_queue(options.queued.div_ceil(factor), report)?;
    }
    Ok(())
}

/// Does the work of a part, in this process.
fn measured(name: &str) -> Result<Measured> {
    let part = Part::read(name)?;
    match part.kind() {
        "selection" => selection::run(&part),
        "induction" => induction::run(&part),
        "site" => site::run(&part),
        "frequencies" => schedule::run_frequencies(&part),
        "queue" => schedule::run_queue(&part),
        kind => bail!("there is no part `{kind}`"),
    }
}
