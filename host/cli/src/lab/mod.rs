//! `magpie lab`: a generated web to try everything on, with its truth.

pub(crate) mod args;
mod experiment;
mod score;
mod serve;
mod truth;

use std::process::ExitCode;
use std::sync::Arc;

use magpie_lab::{Size, Vertical, Web, WebSpec, Weight};

use crate::failure::Failure;
use crate::lab::args::{LabCommand, WebArgs};
use crate::printer::Printer;

pub(crate) fn run(command: LabCommand, printer: &mut Printer) -> Result<ExitCode, Failure> {
    match command {
        LabCommand::Serve(arguments) => serve::run(&arguments, printer),
        LabCommand::Truth(arguments) => truth::run(&arguments, printer),
        LabCommand::Seeds(arguments) => truth::seeds(&arguments, printer),
        LabCommand::Score(arguments) => score::run(&arguments, printer),
        LabCommand::Experiment(arguments) => experiment::run(&arguments, printer),
    }
}

/// The web that the arguments describe.
fn web(arguments: &WebArgs) -> Result<Arc<Web>, Failure> {
    let vertical = Vertical::parse(&arguments.vertical).ok_or_else(|| {
        let names = Vertical::ALL.map(Vertical::name).join(", ");
        Failure::usage(format!("the lab has no vertical `{}`", arguments.vertical))
            .hint(format!("it has {names}"))
    })?;
    let size = Size::parse(&arguments.size).ok_or_else(|| {
        Failure::usage(format!("the lab has no size `{}`", arguments.size))
            .hint("it has small, paper and large")
    })?;
    let mut spec = WebSpec::new(vertical, size, arguments.seed);
    if let Some(sites) = arguments.sites {
        spec = spec.with_sites(sites);
    }
    spec.decoys = arguments.decoys;
    if arguments.light {
        spec.weight = Weight::Light;
    }
    Ok(Arc::new(Web::new(spec)))
}
