//! `magpie worker`: a share of the work in a workspace on a server.

use std::process::ExitCode;

use magpie_engine::{Event, Observer, Worker, crawl, workspace_name};
use magpie_terminal::process::stop_on_interrupt;
use magpie_terminal::{Failure, Printer, format, settings, workspace};

use crate::args::WorkerArgs;

pub(crate) fn run(arguments: &WorkerArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.settings.place)?;
    let own = settings::resolve(&arguments.settings, Some(&folder))?;
    let worker = Worker::join(&folder, &own)?;
    printer.tell(&format!("works in {}; waiting for work", workspace_name(&folder)));
    while let Some(order) = worker.next(stop_on_interrupt())? {
        let resolved = settings::resolve_for_driver(&arguments.settings, &folder, order.settings())?;
        printer.tell(&format!(
            "takes part in {} for {}",
            order.what(),
            order.vertical()
        ));
        let options = workspace::session_options(resolved, None);
        let done = worker.work(&order, options, &mut Notices(printer))?;
        printer.tell(&format!(
            "fetched {} with {}; waiting for work",
            format::counted(done.pages, "page", "pages"),
            format::counted(done.objects, "record", "records"),
        ));
    }
    worker.leave()?;
    printer.tell("left the workspace");
    Ok(ExitCode::SUCCESS)
}

/// Prints the notices of crawls.
struct Notices<'p>(&'p mut Printer);

impl Observer for Notices<'_> {
    fn observe(&mut self, event: Event<'_>) {
        if let Event::Crawl(crawl::Event::Notice { site, notice }) = event {
            let site = site.as_ref().map(|site| format!("{site}: ")).unwrap_or_default();
            self.0.warn(&format!("{site}{notice}"));
        }
    }
}
