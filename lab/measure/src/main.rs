//! `measure NAME [--json]`: everything that is measured of Magpie. Usually started by `cargo xtask
//! bench NAME`, which builds the components that a measurement loads.
//!
//! Every figure is measured on request; no results are stored here. Compared programs are measured
//! in one run with alternating samples, so that a noisy machine disturbs both sides alike.

mod baselines;
mod components;
mod crawl;
mod data;
mod experiment;
mod figure;
mod learn;
mod listing;
mod machine;
mod mean;
mod page;
mod picture;
mod plugins;
mod profile;
mod program;
mod quality;
mod random;
mod reading;
mod real;
mod render;
mod sample;
mod score;
mod site;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use crate::experiment::Experiment;
use crate::figure::{Report, print_lines, tell};

/// A benchmark or a comparison on real data.
struct Benchmark {
    name: &'static str,
    about: &'static str,
    needs: &'static [&'static str],
    options: fn(Command) -> Command,
    run: fn(&ArgMatches, &mut Report) -> Result<()>,
}

/// Defines a benchmark by its name, components, options, function and description.
macro_rules! benchmark {
    ($name:literal, $needs:expr, $options:ty, $run:path, $about:literal) => {
        Benchmark {
            name: $name,
            about: $about,
            needs: &$needs,
            options: <$options>::augment_args,
            run: |matches, report| $run(&<$options>::from_arg_matches(matches)?, report),
        }
    };
}

#[rustfmt::skip]
const BENCHMARKS: [Benchmark; 9] = [
    benchmark!("plugins", ["verticals", "guests"], plugins::Options, plugins::run,
        "what a plugin costs: instances, calls, pages, starts, limits, memory"),
    benchmark!("quality", ["verticals"], data::Options, quality::run,
        "what the verticals find on real pages, and which objects they take for one"),
    benchmark!("real", ["verticals", "guests"], real::Options, real::run,
        "whole real sites: learned once and recrawled, and the classes of their pages"),
    benchmark!("reading", ["verticals"], data::Options, reading::run,
        "what a site teaches: pages and values read by the vertical alone, and with what was learned"),
    benchmark!("crawl", ["verticals"], crawl::Options, crawl::run,
        "what a crawled page costs, beside other crawlers and with a million known URLs"),
    benchmark!("profile", ["verticals", "guests"], profile::Options, profile::run,
        "where the CPU time of a page goes, by stage, while sites are learned, recrawled and watched"),
    benchmark!("learn", [], learn::Options, learn::run,
        "what selection, induction, a large site, frequencies and the queue of recrawls cost, up to millions"),
    benchmark!("render", [], render::Options, render::run,
        "what a rendered page costs, beside Crawlee with the same browser"),
    benchmark!("freshness-gap", [], experiment::freshness::gap::Options, experiment::freshness::gap::run,
        "share of the gain from known change rates that learned rates bring, on made-up and real histories"),
];

fn command() -> Command {
    let json = Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Print one JSON object a line for each figure, instead of tables");
    let list = Command::new("list")
        .about("List all measurements")
        .arg(json.clone());
    // Options describe themselves too, so the descriptions come after them.
    let page = page::Options::augment_args(Command::new("page"))
        .about("Run all benchmarks, or the named ones, and rewrite docs/figures.md")
        .arg(json.clone().hide(true));
    let experiments = experiment::ALL.iter().map(|experiment| {
        let command = experiment.augment(Command::new(experiment.name));
        command.about(experiment.about)
    });
    let benchmarks = BENCHMARKS.iter().map(|benchmark| {
        let command = (benchmark.options)(Command::new(benchmark.name));
        command.about(benchmark.about)
    });
    let measurements = benchmarks
        .chain(experiments)
        .map(|command| command.long_about(None).arg(json.clone()));
    Command::new("measure")
        .about("Measures Magpie: benchmarks, real sites, and published experiments on generated webs")
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(list)
        .subcommand(page)
        .subcommands(measurements)
}

fn main() -> ExitCode {
    let matches = command().get_matches();
    let Some((name, matches)) = matches.subcommand() else {
        return ExitCode::FAILURE;
    };
    let mut report = Report::new(matches.get_flag("json"));
    let outcome = run(name, matches, &mut report);
    // Results before a failure are printed, too.
    report.finish();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(name: &str, matches: &ArgMatches, report: &mut Report) -> Result<()> {
    let is_called = |experiment: &&Experiment| experiment.name == name;
    if let Some(benchmark) = BENCHMARKS.iter().find(|benchmark| benchmark.name == name) {
        (benchmark.run)(matches, report)
    } else if let Some(experiment) = experiment::ALL.iter().find(is_called) {
        experiment.run(matches, report)
    } else if name == "page" {
        page::run(
            &page::Options::from_arg_matches(matches)?,
            &BENCHMARKS.map(|benchmark| benchmark.name),
        )
    } else {
        list(matches.get_flag("json"));
        Ok(())
    }
}

/// Prints the measurements with a line each.
fn list(is_json: bool) {
    let benchmarks = BENCHMARKS
        .iter()
        .map(|one| ("benchmark", one.name, one.about, one.needs));
    let experiments = experiment::ALL.iter().map(|one| {
        let needs: &[&str] = if one.needs_component() {
            &["verticals"]
        } else {
            &[]
        };
        ("experiment", one.name, one.about, needs)
    });
    print_lines(
        benchmarks
            .chain(experiments)
            .map(|(kind, name, about, needs)| match is_json {
                true => json!({"name": name, "kind": kind, "about": about, "needs": needs}).to_string(),
                false => format!("{name:15} {about}"),
            }),
    );
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_options_of_all_measurements_fit_together() {
        super::command().debug_assert();
    }
}
