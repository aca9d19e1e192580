//! The benchmarks: `magpie-bench NAME [--json]`, usually through `cargo xtask bench NAME`, which
//! builds the components they load.
//!
//! Every figure is measured on request; no results are stored here. Compared programs are measured
//! in one run with alternating samples, so that a noisy machine disturbs both sides alike.

mod components;
mod crawl;
mod data;
mod figure;
mod learn;
mod listing;
mod plugins;
mod program;
mod quality;
mod real;
mod render;
mod sample;

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Parser;

use crate::figure::Report;

/// A benchmark: its name, what it is about, and its work.
type Benchmark = (
    &'static str,
    &'static str,
    fn(&Arguments, &mut Report) -> Result<()>,
);

const BENCHMARKS: [Benchmark; 6] = [
    (
        "plugins",
        "what a plugin costs: instances, calls, pages, starts, limits, memory",
        |_, report| plugins::run(report),
    ),
    (
        "quality",
        "what the verticals find on real pages, and which objects they take for one",
        |arguments, report| quality::run(&arguments.data, report),
    ),
    (
        "real",
        "whole real sites: learned once and recrawled, and the classes of their pages",
        |arguments, report| real::run(&arguments.data, report),
    ),
    (
        "crawl",
        "what a crawled page costs, beside other crawlers and with a million known URLs",
        |arguments, report| crawl::run(&arguments.crawl, report),
    ),
    (
        "learn",
        "what selection, induction, frequencies and the queue of recrawls cost, up to millions",
        |arguments, report| learn::run(&arguments.learn, report),
    ),
    (
        "render",
        "what a rendered page costs, beside Crawlee with the same browser",
        |arguments, report| render::run(&arguments.render, report),
    ),
];

#[derive(Parser)]
#[command(name = "magpie-bench")]
struct Arguments {
    /// Name of the benchmark; `list` names them all
    name: String,
    /// One JSON object a line for each figure, instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten, next_help_heading = "For `quality` and `real`")]
    data: data::Options,
    #[command(flatten, next_help_heading = "For `crawl`")]
    crawl: crawl::Options,
    #[command(flatten, next_help_heading = "For `learn`")]
    learn: learn::Options,
    #[command(flatten, next_help_heading = "For `render`")]
    render: render::Options,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            figure::tell(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    if arguments.name == "list" {
        figure::print_lines(BENCHMARKS.iter().map(|benchmark| benchmark.0));
        return Ok(());
    }
    let Some((_, _, work)) = BENCHMARKS.iter().find(|benchmark| benchmark.0 == arguments.name) else {
        let known: Vec<String> = BENCHMARKS
            .iter()
            .map(|(name, about, _)| format!("{name}: {about}"))
            .collect();
        bail!(
            "there is no benchmark `{}`; there are\n{}",
            arguments.name,
            known.join("\n")
        );
    };
    let mut report = Report::new(arguments.json);
    // What was measured before a failure is shown all the same.
    let outcome = work(arguments, &mut report);
    report.finish();
    outcome
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    #[test]
    fn the_options_of_all_benchmarks_fit_together() {
        Arguments::command().debug_assert();
    }
}
