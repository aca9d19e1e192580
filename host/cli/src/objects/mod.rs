//! `magpie objects …`: the warehouse, one file a command.

pub(crate) mod args;
mod changes;
pub(crate) mod cluster;
mod doubts;
mod explain;
pub(crate) mod export;
mod list;
mod named;
mod search;
mod show;
mod split;

use std::process::ExitCode;

use magpie_terminal::process::done;
use magpie_terminal::{Failure, Printer};

use args::ObjectsCommand;

pub(crate) use args::ObjectsArgs;

pub(crate) fn run(arguments: ObjectsArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    match arguments.command {
        None => list::run(&arguments.list, printer),
        Some(ObjectsCommand::Changes(arguments)) => changes::run(&arguments, printer),
        Some(ObjectsCommand::Show(arguments)) => done(show::run(&arguments, printer)),
        Some(ObjectsCommand::Explain(arguments)) => done(explain::run(&arguments, printer)),
        Some(ObjectsCommand::Doubts(arguments)) => doubts::run(&arguments, printer),
        Some(ObjectsCommand::Split(arguments)) => done(split::run(&arguments, printer)),
        Some(ObjectsCommand::Cluster(arguments)) => done(cluster::run(&arguments, printer)),
    }
}
