//! The binary `magpie-lab`: serves a generated web with known truth, and scores crawls of it.

mod args;
mod output;
mod score;
mod serve;
#[cfg(feature = "train")]
mod train;
mod truth;

use std::io;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use crate::args::{Args, Command};
use crate::output::Output;

fn main() -> ExitCode {
    match run(&Args::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of a pipe, such as `head`, has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::notice(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> Result<()> {
    let mut output = Output::new();
    match command {
        Command::Serve(arguments) => serve::run(arguments, &mut output)?,
        Command::Truth(arguments) => truth::run(arguments, &mut output)?,
        Command::Seeds(arguments) => truth::seeds(arguments, &mut output)?,
        Command::Queries(arguments) => truth::queries(arguments, &mut output)?,
        Command::Score(arguments) => score::run(arguments, &mut output)?,
        #[cfg(feature = "train")]
        Command::Train(arguments) => train::run(arguments, &mut output)?,
    }
    output.flush()
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
