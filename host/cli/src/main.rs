//! The binary `magpie`: arguments become settings, settings become work, and what came of it is
//! printed. This is the only crate that prints, reads the environment, or knows the home directory.

mod args;
mod config;
mod console;
mod crawl;
mod crawl_log;
mod explain;
mod export;
mod failure;
mod fetch;
mod figures;
mod init;
mod lab;
mod learn;
mod metrics;
mod objects;
mod outlet;
mod pages;
mod patterns;
mod plan;
mod plugin;
mod printer;
mod progress;
mod recrawl;
mod render;
mod report;
mod settings;
mod setup;
mod show;
mod sites;
mod status;
mod table;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::failure::Failure;
use crate::printer::Printer;

fn main() -> ExitCode {
    let args = Args::parse();
    let mut printer = Printer::new(args.color, args.quiet, args.verbose);
    if let Err(failure) = crawl::start_clock(args.now.as_deref()) {
        return failed(&failure, &mut printer);
    }
    settings::warn_of_variables(&mut printer);
    let outcome = match args.command {
        Command::Init(arguments) => init::run(&arguments, &mut printer),
        Command::Learn(arguments) => learn::run(&arguments, &mut printer),
        Command::Recrawl(arguments) => recrawl::run(&arguments, &mut printer),
        Command::Watch(arguments) => watch::run(&arguments, &mut printer),
        Command::Plan(arguments) => plan::run(&arguments, &mut printer),
        Command::Report(arguments) => report::run(&arguments, &mut printer),
        Command::Sites(arguments) => sites::run(&arguments, &mut printer),
        Command::Patterns(arguments) => patterns::run(&arguments, &mut printer),
        Command::Crawl(arguments) => crawl::run(&arguments, &mut printer),
        Command::Fetch(arguments) => fetch::run(&arguments, &mut printer),
        Command::Status(arguments) => status::run(&arguments, &mut printer),
        Command::Explain(arguments) => explain::run(&arguments, &mut printer),
        Command::Export(arguments) => export::run(&arguments, &mut printer),
        Command::Objects(arguments) => objects::run(arguments, &mut printer),
        Command::Config(arguments) => config::run(&arguments, &mut printer),
        Command::Plugin(command) => plugin::run(command, &mut printer),
        Command::Lab(command) => lab::run(command, &mut printer),
    };
    let outcome = outcome.and_then(|code| printer.flush().map(|()| code));
    match outcome {
        Ok(code) => code,
        Err(failure) => failed(&failure, &mut printer),
    }
}

fn failed(failure: &Failure, printer: &mut Printer) -> ExitCode {
    if !failure.is_broken_pipe() {
        printer.error(failure);
    }
    failure.exit_code()
}
