//! `magpie reread`: archived pages shown to the present component again.

use magpie_engine::reading::{RereadRequest, reread};
use magpie_report::sentences::reading as sentences;
use magpie_report::views::reading::RereadLine;
use magpie_terminal::workspace::open_session;
use magpie_terminal::{Failure, Printer};

use crate::args::RereadArgs;
use crate::console::Console;
use crate::objects::cluster::told;
use crate::reading::sites_named;

pub(crate) fn run(arguments: &RereadArgs, printer: &mut Printer) -> Result<(), Failure> {
    let session = open_session(&arguments.settings, arguments.vertical.as_deref(), |settings| {
        settings
    })?;
    let request = RereadRequest {
        sites: sites_named(session.store(), arguments.site.as_deref())?,
        only_failed: arguments.failed,
    };
    let done = reread(&session, &request)?;
    if !arguments.json {
        printer.line(&sentences::reread(&done))?;
    }
    let mut console = Console::new(&session, arguments.json, printer)?;
    let report = session.cluster(&mut console)?.unwrap_or_default();
    console.check()?;
    match arguments.json {
        true => printer.json(&RereadLine::new(session.vertical(), &done, report.objects)),
        false => printer.line(&told(&report)),
    }
}
