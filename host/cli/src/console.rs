//! Operations as a person at a terminal, or a program that reads JSON, sees them.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use magpie_engine::crawl::{self, Ending, PageEvent, Progress};
use magpie_engine::settings::Resolved;
use magpie_engine::{CrawlLine, CrawlLog, Event, Metrics, Observer, Session};
use magpie_patterns::drift::Relearn;
use magpie_report::sentences;
use magpie_report::views::figures::StageLine;
use magpie_terminal::{Failure, Printer, Tone, format, process};
use tokio::runtime::Runtime;

use crate::progress;

/// Time between lines of progress where the output is not a terminal.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// Progress for programs.
const JSON_EVERY: Duration = Duration::from_secs(1);

/// Time before the first live line: most commands end earlier.
const PATIENCE: Duration = Duration::from_millis(250);

/// Prints the events of operations, and updates the log and the metrics.
pub(crate) struct Console<'a> {
    printer: &'a mut Printer,
    json: bool,
    live: bool,
    /// The terminal shows a live line.
    shown: bool,
    told: Instant,
    log: Option<CrawlLog>,
    metrics: Option<Metrics>,
    failure: Option<Failure>,
}

impl<'a> Console<'a> {
    /// Opens the log and the metrics that the settings of a session ask for.
    pub(crate) fn new(
        session: &Session,
        json: bool,
        printer: &'a mut Printer,
    ) -> Result<Console<'a>, Failure> {
        let (folder, settings) = (session.folder(), session.settings());
        Console::open(Some(folder), settings, session.runtime(), json, printer)
    }

    /// Opens the log and the metrics that settings ask for. There is a log only in a workspace.
    pub(crate) fn open(
        folder: Option<&Path>,
        settings: &Resolved,
        runtime: &Runtime,
        json: bool,
        printer: &'a mut Printer,
    ) -> Result<Console<'a>, Failure> {
        let served = runtime.block_on(serve_metrics(settings))?;
        if let Some((_, address)) = &served {
            printer.tell(&format!("serving metrics at http://{address}/metrics"));
        }
        Ok(Console {
            live: std::io::stderr().is_terminal() && !printer.is_quiet() && !printer.verbose,
            json,
            shown: false,
            told: Instant::now(),
            log: folder.map_or(Ok(None), |folder| open_log(folder, settings))?,
            metrics: served.map(|(metrics, _)| metrics),
            failure: None,
            printer,
        })
    }

    /// Opens the log that the settings ask for, in place of the one before.
    pub(crate) fn open_log(&mut self, session: &Session) -> Result<(), Failure> {
        self.log = open_log(session.folder(), session.settings())?;
        Ok(())
    }

    /// The metrics that are served, if any are.
    pub(crate) fn metrics(&self) -> Option<&Metrics> {
        self.metrics.as_ref()
    }

    /// Returns the printer, with nothing left of a live line.
    pub(crate) fn printer(&mut self) -> &mut Printer {
        self.clear();
        self.printer
    }

    /// Returns the first failure to print something, if there was one.
    pub(crate) fn check(&mut self) -> Result<(), Failure> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Keeps the first failure to print something.
    fn keep(&mut self, printed: Result<(), Failure>) {
        if let Err(failure) = printed {
            self.failure.get_or_insert(failure);
        }
    }

    /// Prints an event. A failure to print is reported at the end, since the crawl is worth more.
    pub(crate) fn tell(&mut self, event: &crawl::Event) {
        // Figures are printed less often than they come.
        if self.json && !matches!(event, crawl::Event::Progress(_)) {
            self.print_json(&CrawlLine::of(event));
        }
        self.log(|log| log.write(event));
        if let (Some(metrics), crawl::Event::Page(page)) = (&self.metrics, event) {
            metrics.observe(page);
        }
        match event {
            crawl::Event::Notice { site, notice } => {
                self.clear();
                match site {
                    Some(site) => self.printer.warn(&format!("{site}: {notice}")),
                    None => self.printer.warn(&notice.to_string()),
                }
            }
            crawl::Event::Page(page) if self.printer.verbose && !self.json => self.page(page),
            crawl::Event::Progress(progress) => {
                if let Some(metrics) = &self.metrics {
                    metrics.update(progress);
                }
                self.tick(event, progress);
            }
            crawl::Event::Site { .. } | crawl::Event::Page(_) => {}
        }
    }

    pub(crate) fn finish(
        mut self,
        ending: Ending,
        progress: &Progress,
        folder: Option<&Path>,
    ) -> Result<(), Failure> {
        self.clear();
        let line = CrawlLine::end(ending, progress);
        self.log(|log| log.end(&line));
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if self.json {
            return self.printer.json(&line);
        }
        progress::summary(ending, progress, folder, self.printer)
    }

    /// Writes into the log, if there is one. A log that fails is reported once and closed.
    fn log(&mut self, write: impl FnOnce(&mut CrawlLog) -> std::io::Result<()>) {
        if let Some(log) = &mut self.log
            && let Err(error) = write(log)
        {
            self.log = None;
            self.clear();
            self.printer.warn(&format!(
                "can't write the log: {error}; the crawl continues without it"
            ));
        }
    }

    fn tick(&mut self, event: &crawl::Event, progress: &Progress) {
        if self.live {
            if progress.elapsed >= PATIENCE {
                self.live_line(progress);
            }
            return;
        }
        let every = if self.json { JSON_EVERY } else { LOG_EVERY };
        if self.told.elapsed() < every {
            return;
        }
        self.told = Instant::now();
        if self.json {
            self.print_json(&CrawlLine::of(event));
        } else {
            self.printer.tell(&progress::line(progress));
        }
    }

    fn live_line(&mut self, progress: &Progress) {
        let text = progress::line(progress);
        let text = format::shortened(&text, self.printer.room(1));
        self.printer.live(&text);
        self.shown = true;
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            self.printer.live("");
        }
    }

    fn page(&mut self, page: &PageEvent) {
        let status = page.status.map_or("---".to_owned(), |status| status.to_string());
        let tone = if page.problem.is_some() {
            Tone::Odd
        } else {
            Tone::Good
        };
        let mut text = format!("{} {}", self.printer.paint(tone, &status), page.url);
        if page.found > 0 {
            text.push_str(&format!("  +{} URLs", page.found));
        }
        if let Some(took) = page.rendered {
            text.push_str(&format!("  in a browser for {:.1} s", took.as_secs_f64()));
        }
        if page.objects > 0 {
            text.push_str(&format!("  {}", format::many(page.objects, "record")));
        }
        for (_, _, sentence) in &page.failures {
            text.push_str(&format!("  {sentence}"));
        }
        if let Some((_, problem)) = &page.problem {
            text.push_str(&format!("  {problem}"));
        }
        let printed = self.printer.line(&text);
        self.keep(printed);
    }

    fn print_json(&mut self, line: &CrawlLine) {
        let printed = self.printer.json(line);
        self.keep(printed);
    }

    fn print(&mut self, event: Event<'_>) -> Result<(), Failure> {
        match event {
            Event::Crawl(event) => self.tell(event),
            Event::CrawlEnded => drop(self.printer()),
            Event::Clustering(sentence) => self.printer().tell(sentence),
            Event::ClusteringNotice(notice) => self.printer().warn(notice),
            Event::SiteRead(site, read) => {
                if read.changed > 0 {
                    self.printer()
                        .tell(&format!("{site}: {}", sentences::reading::read(read)));
                }
            }
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
            Event::Checked(pages) => self.printer().tell(&format!(
                "lists show objects otherwise, or no longer; fetched {}",
                format::many(pages, "known page")
            )),
            Event::Explored { kinds, pages } => self.printer().tell(&format!(
                "lists link to pages of {} without a pattern; explored {}",
                format::count(kinds, "kind"),
                format::many(pages, "page")
            )),
            Event::PicturesFetched(fetched) => self
                .printer()
                .tell(&format!("pictures: {}", sentences::pictures(&fetched))),
            Event::Pruned(pruned) => self.printer().tell(&sentences::pruned(pruned)),
            Event::NotPruned(error) => self.printer().warn(&sentences::not_pruned(&error.to_string())),
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
                let what = match relearn {
                    Relearn::Folders(_) => "learning them again, and nothing else of the site",
                    _ => "learning it again",
                };
                self.printer().warn(&format!("{site}: {cause}; {what}"));
            }
        }
        Ok(())
    }
}

impl Observer for Console<'_> {
    fn observe(&mut self, event: Event<'_>) {
        let printed = self.print(event);
        self.keep(printed);
    }
}

fn open_log(folder: &Path, resolved: &Resolved) -> Result<Option<CrawlLog>, Failure> {
    CrawlLog::open(folder, &resolved.settings.crawl, process::clock()).map_err(|error| {
        Failure::input(format!("can't write the log in {}: {error}", folder.display()))
            .hint("disable the log with `--set crawl.log=nothing`")
    })
}

/// Serves the metrics page if the settings have an address for it. Port 0 takes a free port, so the
/// address in use is returned with the metrics.
async fn serve_metrics(resolved: &Resolved) -> Result<Option<(Metrics, SocketAddr)>, Failure> {
    let wanted = &resolved.settings.crawl.metrics;
    if wanted.is_empty() {
        return Ok(None);
    }
    let address = wanted.parse().map_err(|_| {
        Failure::usage(format!(
            "invalid value `{wanted}` for `crawl.metrics`: expected an address and a port, such as 127.0.0.1:9464"
        ))
    })?;
    let metrics = Metrics::default();
    metrics.update(&Progress::default());
    let bound = metrics.serve(address).await.map_err(|error| {
        Failure::input(format!("can't serve metrics at {wanted}: {error}"))
            .hint("name another port in `crawl.metrics`; a port of 0 takes a free one")
    })?;
    Ok(Some((metrics, bound)))
}
