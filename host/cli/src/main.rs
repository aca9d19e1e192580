//! The binary `magpie`: arguments become requests to the engine, and their outcomes are printed.

mod accounts;
mod archive;
mod args;
mod complete;
mod config;
mod console;
mod copy;
mod crawl;
mod explain;
mod export;
mod feeds;
mod fetch;
mod files;
mod focus;
mod forget;
mod forms;
mod init;
mod learn;
mod mcp;
mod objects;
mod pages;
mod patterns;
mod plan;
mod plugin;
mod progress;
mod reading;
mod recrawl;
mod render;
mod report;
mod reread;
mod schema;
mod serve;
mod setup;
mod show;
mod sites;
mod status;
mod surface;
mod watch;
mod webhooks;
mod worker;

use std::process::ExitCode;

use clap::Parser;
use magpie_rows::Table;
use magpie_terminal::process::{self, done};

use crate::args::{Args, Command, ExportCommand};
use crate::copy::WorkspaceCommand;

fn main() -> ExitCode {
    complete::answer_shell();
    let args = Args::parse();
    process::run(&args.global, |printer| match args.command {
        Command::Init(arguments) => done(init::run(&arguments, printer)),
        Command::Learn(arguments) => learn::run(&arguments, printer),
        Command::Focus(arguments) => focus::run(&arguments, printer),
        Command::Recrawl(arguments) => recrawl::run(&arguments, printer),
        Command::Watch(arguments) => watch::run(&arguments, printer),
        Command::Worker(arguments) => worker::run(&arguments, printer),
        Command::Plan(arguments) => done(plan::run(&arguments, printer)),
        Command::Report(arguments) => done(report::run(&arguments, printer)),
        Command::Serve(arguments) => done(serve::run(&arguments, printer)),
        Command::Mcp(arguments) => done(mcp::run(&arguments, printer)),
        Command::Accounts(arguments) => done(accounts::run(&arguments, printer)),
        Command::Feeds(arguments) => done(feeds::run(&arguments, printer)),
        Command::Webhooks(arguments) => done(webhooks::run(&arguments, printer)),
        Command::Sites(arguments) => done(sites::run(&arguments, printer)),
        Command::Patterns(arguments) => done(patterns::run(&arguments, printer)),
        Command::Reading(arguments) => done(reading::run(&arguments, printer)),
        Command::Reread(arguments) => done(reread::run(&arguments, printer)),
        Command::Forms(arguments) => done(forms::run(&arguments, printer)),
        Command::Surface(arguments) => surface::run(&arguments, printer),
        Command::Crawl(arguments) => crawl::run(&arguments, printer),
        Command::Fetch(arguments) => fetch::run(&arguments, printer),
        Command::Status(arguments) => done(status::run(&arguments, printer)),
        Command::Explain(arguments) => explain::run(&arguments, printer),
        Command::Export(command) => match command {
            ExportCommand::Objects(arguments) => done(objects::export::run(&arguments, printer)),
            ExportCommand::Records(arguments) => done(export::records(&arguments, printer)),
            ExportCommand::Pages(file) => done(export::rows(Table::Pages, &file, printer)),
            ExportCommand::Links(file) => done(export::rows(Table::Links, &file, printer)),
        },
        Command::Objects(arguments) => objects::run(arguments, printer),
        Command::Forget(arguments) => forget::run(&arguments, printer),
        Command::Archive(command) => archive::run(&command, printer),
        Command::Workspace(command) => done(match command {
            WorkspaceCommand::Copy(arguments) => copy::run(&arguments, printer),
            WorkspaceCommand::Files(arguments) => files::files(&arguments, printer),
            WorkspaceCommand::Edit(arguments) => files::edit(&arguments, printer),
            WorkspaceCommand::Export(arguments) => files::export(&arguments, printer),
            WorkspaceCommand::Import(arguments) => files::import(&arguments, printer),
        }),
        Command::Config(arguments) => done(config::run(&arguments, printer)),
        Command::Schema(arguments) => schema::run(&arguments, printer),
        Command::Plugin(command) => plugin::run(command, printer),
    })
}
