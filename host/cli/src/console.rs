//! A session as a person at a terminal, or a program that reads JSON, sees it.

use magpie_engine::{Event, Metrics, Observer, Session};
use magpie_report::sentences;
use magpie_report::views::figures::StageLine;
use magpie_terminal::{Failure, Printer, Tone, format};

use crate::crawl;
use crate::progress::Reporter;

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
                let sentence = sentences::learn::stage(outcome);
                if self.json {
                    return self.printer().json(&StageLine {
                        stage: stage.to_owned(),
                        did: sentence,
                        seconds: took.as_secs_f64(),
                        kept: serde_json::from_value(outcome.to_json()).unwrap_or_default(),
                    });
                }
                let printer = self.printer();
                if !printer.is_quiet() {
                    let name = printer.paint(Tone::Strong, &format!("{stage:9}"));
                    let took = printer.paint(Tone::Quiet, &format::time(took));
                    printer.line(&format!("{name} {sentence}  {took}"))?;
                }
            }
            Event::QueryFailed { query, error } => self.printer().warn(&format!("{query:?}: {error}")),
            Event::NavigationKept(path) => self.printer().warn(&format!(
                "replaced an edited navigation; the edited file is now {}",
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
                let sentence = sentences::recrawl::plan(plan, promised);
                self.printer().tell(&sentence);
            }
            Event::Explored { kinds, pages } => self.printer().tell(&format!(
                "lists link to pages of {} without a pattern; explored {}",
                format::count(kinds, "kind"),
                format::many(pages, "page")
            )),
            Event::CoverageFell { site, falls } => {
                for fall in falls {
                    let sentence = sentences::recrawl::coverage_fall(fall);
                    self.printer().warn(&format!("{site}: {sentence}"));
                }
            }
            Event::WaysLearned { site, rules } => {
                for rule in rules {
                    let way = sentences::learn::way(rule);
                    self.printer().tell(&format!("{site}: {way}"));
                }
            }
            Event::RepairBegins {
                site,
                relearn,
                lists_are_gone,
            } => {
                let cause = sentences::recrawl::drift(relearn, lists_are_gone);
                self.printer()
                    .warn(&format!("{site}: {cause}; learning it again"));
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
