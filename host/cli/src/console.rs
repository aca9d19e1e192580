//! A session as a person at a terminal, or a program that reads JSON, sees it.

use std::path::PathBuf;

use magpie_engine::settings::Resolved;
use magpie_engine::{Event, Observer, Session, SessionOptions};
use magpie_store::StoreError;
use serde_json::json;

use crate::args::{CrawlSettingArgs, SettingArgs};
use crate::crawl::{self, PROGRAM};
use crate::failure::Failure;
use crate::metrics::Metrics;
use crate::printer::{Printer, Tone};
use crate::progress::Reporter;
use crate::{render, settings, setup, show};

/// Opens the workspace of the arguments for a vertical. `change` has the last word about the
/// settings.
pub(crate) fn open_session(
    arguments: &SettingArgs,
    short: &CrawlSettingArgs,
    vertical: Option<&str>,
    change: impl FnOnce(Resolved) -> Resolved,
) -> Result<Session, Failure> {
    let folder = settings::required_workspace(&arguments.place)?;
    let resolved = settings::resolve(arguments, short, Some(&folder))?;
    open_session_at(folder, change(resolved), vertical)
}

/// Opens the workspace in a folder, with these settings.
pub(crate) fn open_session_at(
    folder: PathBuf,
    settings: Resolved,
    vertical: Option<&str>,
) -> Result<Session, Failure> {
    if !folder.join("magpie.db").exists() && !folder.join(settings::FILE).exists() {
        return Err(StoreError::NotThere { path: folder }.into());
    }
    let options = SessionOptions {
        settings,
        vertical: vertical.map(str::to_owned),
        cache: setup::cache_folder(),
        program: PROGRAM.to_owned(),
        clock: crawl::clock().clone(),
        stop: crawl::stop_on_interrupt().clone(),
    };
    Ok(Session::open(&folder, options)?)
}

/// Prints the events of a session's operations.
pub(crate) struct Console<'a> {
    reporter: Reporter<'a>,
    json: bool,
    metrics: Option<Metrics>,
}

impl<'a> Console<'a> {
    /// Opens the log and the metrics that the settings ask for.
    pub(crate) fn new(
        session: &Session,
        json: bool,
        printer: &'a mut Printer,
    ) -> Result<Console<'a>, Failure> {
        let served = crawl::serve_metrics(session.settings());
        let served = session.runtime().block_on(served)?;
        if let Some((_, address)) = &served {
            printer.tell(&crawl::metrics_are_at(*address));
        }
        let metrics = served.map(|(metrics, _)| metrics);
        let mut reporter = Reporter::new(json, printer);
        if let Some(metrics) = &metrics {
            reporter.with_metrics(metrics.clone());
        }
        let mut console = Console {
            reporter,
            json,
            metrics,
        };
        console.open_log(session)?;
        Ok(console)
    }

    /// Opens the log that the settings ask for, in place of the one before.
    pub(crate) fn open_log(&mut self, session: &Session) -> Result<(), Failure> {
        self.reporter
            .set_log(crawl::log(session.folder(), session.settings())?);
        Ok(())
    }

    /// The metrics that are served, if any are.
    pub(crate) fn metrics(&self) -> Option<&Metrics> {
        self.metrics.as_ref()
    }

    /// Returns the printer, with nothing left of a live line.
    pub(crate) fn printer(&mut self) -> &mut Printer {
        self.reporter.printer()
    }

    /// Returns the first failure to print something, if there was one.
    pub(crate) fn check(&mut self) -> Result<(), Failure> {
        self.reporter.check()
    }

    fn print(&mut self, event: Event<'_>) -> Result<(), Failure> {
        match event {
            Event::Crawl(event) => self.reporter.tell(event),
            Event::CrawlEnded => drop(self.printer()),
            Event::Clustering(sentence) => self.printer().tell(sentence),
            Event::ClusteringNotice(notice) => self.printer().warn(notice),
            Event::StageEnded(outcome, took) => {
                let stage = outcome.stage().as_str();
                let sentence = render::learn::stage(outcome);
                if self.json {
                    return self.printer().json(&json!({
                        "stage": stage, "did": sentence, "seconds": took.as_secs_f64(),
                        "kept": outcome.to_json(),
                    }));
                }
                let printer = self.printer();
                if !printer.is_quiet() {
                    let name = printer.paint(Tone::Strong, &format!("{stage:9}"));
                    let took = printer.paint(Tone::Quiet, &show::time(took));
                    printer.line(&format!("{name} {sentence}  {took}"))?;
                }
            }
            Event::QueryFailed { query, error } => self.printer().warn(&format!("{query:?}: {error}")),
            Event::NavigationKept(path) => self.printer().warn(&format!(
                "a navigation that had been edited is made anew; as it was, it is kept as {}",
                path.display()
            )),
            Event::Planned(plan, promised) => {
                for reason in &plan.left_out {
                    self.printer().warn(&format!("left out: {reason}"));
                }
                for (site, state) in &plan.idle {
                    self.printer().warn(&format!(
                        "{site}: no page that is known is of the state {state:?} in its navigation; are its \
                         patterns right?"
                    ));
                }
                let sentence = render::recrawl::plan(plan, promised);
                self.printer().tell(&sentence);
            }
            Event::Explored { kinds, pages } => self.printer().tell(&format!(
                "lists link to pages of {} nothing is known of; {} looked at",
                show::count(kinds, "kind"),
                show::many(pages, "page")
            )),
            Event::RepairBegins {
                site,
                relearn,
                lists_are_gone,
            } => {
                let cause = render::recrawl::drift(relearn, lists_are_gone);
                self.printer()
                    .warn(&format!("{site}: {cause}; it is learned again"));
            }
        }
        Ok(())
    }
}

impl Observer for Console<'_> {
    fn observe(&mut self, event: Event<'_>) {
        if let Err(failure) = self.print(event) {
            self.reporter.fail(failure);
        }
    }
}
