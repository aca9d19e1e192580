//! The binary `magpie`: arguments become requests to the engine, and their outcomes are printed.

mod args;
mod complete;
mod config;
mod console;
mod crawl;
mod explain;
mod export;
mod feeds;
mod fetch;
mod focus;
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
mod recrawl;
mod render;
mod report;
mod schema;
mod serve;
mod setup;
mod show;
mod sites;
mod status;
mod surface;
mod watch;
mod webhooks;

use std::process::ExitCode;

use clap::Parser;
use magpie_rows::Table;
use magpie_terminal::process;

use crate::args::{Args, Command, ExportCommand};

fn main() -> ExitCode {
    complete::answer_shell();
    let args = Args::parse();
    process::run(&args.global, |printer| match args.command {
        Command::Init(arguments) => init::run(&arguments, printer),
        Command::Learn(arguments) => learn::run(&arguments, printer),
        Command::Focus(arguments) => focus::run(&arguments, printer),
        Command::Recrawl(arguments) => recrawl::run(&arguments, printer),
        Command::Watch(arguments) => watch::run(&arguments, printer),
        Command::Plan(arguments) => plan::run(&arguments, printer),
        Command::Report(arguments) => report::run(&arguments, printer),
        Command::Serve(arguments) => serve::run(&arguments, printer),
        Command::Mcp(arguments) => mcp::run(&arguments, printer),
        Command::Feeds(arguments) => feeds::run(&arguments, printer),
        Command::Webhooks(arguments) => webhooks::run(&arguments, printer),
        Command::Sites(arguments) => sites::run(&arguments, printer),
        Command::Patterns(arguments) => patterns::run(&arguments, printer),
        Command::Forms(arguments) => forms::run(&arguments, printer),
        Command::Surface(arguments) => surface::run(&arguments, printer),
        Command::Crawl(arguments) => crawl::run(&arguments, printer),
        Command::Fetch(arguments) => fetch::run(&arguments, printer),
        Command::Status(arguments) => status::run(&arguments, printer),
        Command::Explain(arguments) => explain::run(&arguments, printer),
        Command::Export(command) => match command {
            ExportCommand::Objects(arguments) => objects::export::run(&arguments, printer),
            ExportCommand::Records(arguments) => export::records(&arguments, printer),
            ExportCommand::Pages(file) => export::rows(Table::Pages, &file, printer),
            ExportCommand::Links(file) => export::rows(Table::Links, &file, printer),
        },
        Command::Objects(arguments) => objects::run(arguments, printer),
        Command::Config(arguments) => config::run(&arguments, printer),
        Command::Schema(arguments) => schema::run(&arguments, printer),
        Command::Plugin(command) => plugin::run(command, printer),
    })
}
