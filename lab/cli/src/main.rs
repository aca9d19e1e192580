//! The binary `magpie-lab`: serves a generated web with known truth, scores crawls of it, and
//! reruns published experiments.

mod args;
mod experiment;
mod schema;
mod score;
mod serve;
mod train;
mod truth;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use magpie_lab::{Size, Vertical, Web, WebSpec, Weight};
use magpie_terminal::{Failure, process};

use crate::args::{Args, Command, WebArgs};

fn main() -> ExitCode {
    let args = Args::parse();
    process::run(&args.global, |printer| match args.command {
        Command::Serve(arguments) => serve::run(&arguments, printer),
        Command::Truth(arguments) => truth::run(&arguments, printer),
        Command::Seeds(arguments) => truth::seeds(&arguments, printer),
        Command::Queries(arguments) => truth::queries(&arguments, printer),
        Command::Score(arguments) => score::run(&arguments, printer),
        Command::Experiment(arguments) => experiment::run(&arguments, printer),
        Command::Train(arguments) => train::run(&arguments, printer),
        Command::Schema(arguments) => schema::print(&arguments.command, printer),
    })
}

/// Returns the web that the arguments describe.
fn web(arguments: &WebArgs) -> Result<Arc<Web>, Failure> {
    let vertical = Vertical::parse(&arguments.vertical).ok_or_else(|| {
        let names = Vertical::ALL.map(Vertical::name).join(", ");
        Failure::usage(format!("the lab has no vertical `{}`", arguments.vertical))
            .hint(format!("the verticals are {names}"))
    })?;
    let size = Size::parse(&arguments.size).ok_or_else(|| {
        Failure::usage(format!("the lab has no size `{}`", arguments.size))
            .hint("expected small, paper or large")
    })?;
    let mut spec = WebSpec::new(vertical, size, arguments.seed);
    if let Some(sites) = arguments.sites {
        spec = spec.with_sites(sites);
    }
    spec.decoys = arguments.decoys;
    // The specification counts in thousandths.
    spec.deep = arguments.deep * 10;
    spec.scripted = arguments.scripted * 10;
    if arguments.light {
        spec.weight = Weight::Light;
    }
    spec.readable = arguments.readable;
    Ok(Arc::new(Web::new(spec)))
}
