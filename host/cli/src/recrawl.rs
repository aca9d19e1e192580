//! `magpie recrawl`: what is new and what is due, and nothing else.

use std::process::ExitCode;

use magpie_engine::collect::Method;
use magpie_engine::recrawl::{RecrawlOutcome, recrawl, recrawl_settings};

use crate::args::{RecrawlArgs, RecrawlMethod};
use crate::console::{Console, open_session};
use crate::crawl;
use crate::failure::{Failure, Kind};
use crate::printer::Printer;
use crate::{outlet, render, report, show};

/// What to do about a navigation that can't be read.
pub(crate) const NAVIGATION_REMEDY: &str = "correct the file; or `magpie learn --from navigate` makes all of them anew and keeps edited ones beside them";

pub(crate) fn run(arguments: &RecrawlArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    outlet::check(arguments.report.as_deref())?;
    let session = open_session(
        &arguments.settings,
        &arguments.short,
        arguments.vertical.as_deref(),
        recrawl_settings,
    )?;
    crawl::move_clock(arguments.later.as_deref())?;
    let method = match arguments.method {
        RecrawlMethod::Selective => Method::Selective,
        RecrawlMethod::AllPatterns => Method::AllPatterns,
        RecrawlMethod::Full => Method::Full,
    };
    let mut console = Console::new(&session, arguments.json, printer)?;
    let outcome = recrawl(&session, method, &mut console)?;
    console.check()?;
    let Some(outcome) = outcome else {
        printer.tell("stopped; `magpie recrawl` goes on");
        return Ok(ExitCode::from(Kind::Stopped as u8));
    };
    let reported = report::after_recrawl(&session, &outcome, arguments.report.as_deref())?;
    // What was done is told, whether its report could be written or not.
    render::recrawl::outcome(&outcome, arguments, &reported, printer)?;
    reported.path?;
    check_sites(&outcome)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns an error if sites were left out, or if nothing answered at all, which is hardly the
/// fault of the sites.
pub(crate) fn check_sites(outcome: &RecrawlOutcome) -> Result<(), Failure> {
    if !outcome.left_out.is_empty() {
        return Err(left_out(Kind::Found, &outcome.left_out));
    }
    let rounds = || outcome.recorded.sites.iter().map(|site| &site.round);
    let pages: u64 = rounds().map(|round| round.pages).sum();
    let failures: u64 = rounds().map(|round| round.failures).sum();
    let is_mended = outcome.repaired.iter().any(|repaired| !repaired.in_vain);
    if outcome.planned == 0 || failures < pages || is_mended {
        return Ok(());
    }
    let what = format!(
        "none of {} of {} could be had",
        show::count(outcome.planned, "page"),
        show::count(rounds().count(), "site")
    );
    Err(Failure::new(Kind::Found, what).hint(
        "`magpie explain URL` says why; look after the network, and after `network.proxy` if there is one",
    ))
}

/// An error that says why sites are left out.
pub(crate) fn left_out(kind: Kind, reasons: &[String]) -> Failure {
    let sites = show::count(reasons.len(), "site");
    Failure::new(kind, format!("{sites} left out: {}", reasons.join("\n"))).hint(NAVIGATION_REMEDY)
}
