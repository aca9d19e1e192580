//! `magpie recrawl`: what is new and what is due, and nothing else.

use std::process::ExitCode;

use magpie_engine::recrawl::{Method, recrawl, recrawl_settings};
use magpie_terminal::workspace::open_session;
use magpie_terminal::{Failure, Kind, Printer, errors, output_file, process};

use crate::args::{RecrawlArgs, RecrawlMethod};
use crate::console::Console;
use crate::{render, report};

pub(crate) fn run(arguments: &RecrawlArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    output_file::check(arguments.report.as_deref())?;
    let session = open_session(&arguments.settings, arguments.vertical.as_deref(), |settings| {
        let mut settings = recrawl_settings(settings);
        if arguments.over {
            settings.change_all(|settings| settings.recrawl.share = 1.0);
        }
        settings
    })?;
    process::move_clock(arguments.later.as_deref())?;
    let method = match arguments.method {
        RecrawlMethod::Selective => Method::Selective,
        RecrawlMethod::AllPatterns => Method::AllPatterns,
        RecrawlMethod::Levels => Method::Levels,
        RecrawlMethod::Full => Method::Full,
    };
    let mut console = Console::new(&session, arguments.json, printer)?;
    let outcome = recrawl(&session, method, &mut console)?;
    console.check()?;
    let Some(outcome) = outcome else {
        printer.tell("stopped; `magpie recrawl` continues where it stopped");
        return Ok(ExitCode::from(Kind::Stopped as u8));
    };
    let reported = report::after_recrawl(&session, &outcome, arguments.report.as_deref())?;
    // The result is printed even if the report could not be written.
    render::recrawl::outcome(&outcome, arguments, &reported, printer)?;
    reported.path?;
    errors::check_sites(&outcome)?;
    Ok(ExitCode::SUCCESS)
}
