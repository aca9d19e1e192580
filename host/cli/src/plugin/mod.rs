//! `magpie plugin …`: the author's kit, one file a command, and the components of a workspace.

mod accept;
pub(crate) mod args;
mod bench;
mod build;
mod check;
mod diff;
mod inspect;
pub(crate) mod install;
pub(crate) mod lines;
mod new;
mod record;
mod run;
mod test;

use magpie_terminal::process::done;
use magpie_terminal::{Failure, Printer};
use std::process::ExitCode;

use crate::plugin::args::PluginCommand;

pub(crate) fn run(command: PluginCommand, printer: &mut Printer) -> Result<ExitCode, Failure> {
    match command {
        PluginCommand::New(arguments) => done(new::run(arguments, printer)),
        PluginCommand::Build(arguments) => done(build::run(&arguments, printer)),
        PluginCommand::Check(arguments) => check::run(&arguments, printer),
        PluginCommand::Inspect(arguments) => done(inspect::run(&arguments, printer)),
        PluginCommand::Record(arguments) => record::run(&arguments, printer),
        PluginCommand::Run(arguments) => run::run(arguments, printer),
        PluginCommand::Test(arguments) => test::run(&arguments, printer),
        PluginCommand::Bench(arguments) => bench::run(&arguments, printer),
        PluginCommand::Diff(arguments) => diff::run(&arguments, printer),
        PluginCommand::Add(arguments) => done(install::add(&arguments, printer)),
        PluginCommand::Update(arguments) => install::update(&arguments, printer),
        PluginCommand::Remove(arguments) => done(install::remove(&arguments, printer)),
        PluginCommand::List(arguments) => install::list(&arguments, printer),
    }
}
