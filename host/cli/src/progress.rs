//! Progress of a crawl, for people and for programs.

use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use magpie_engine::crawl::{Ending, Event, PageEvent, Progress};
use magpie_engine::{CrawlLine, CrawlLog, Metrics};
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, format};

/// Time between lines of progress where the output is not a terminal.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// Progress for programs.
const JSON_EVERY: Duration = Duration::from_secs(1);

/// Time before the first live line: most commands end earlier.
const PATIENCE: Duration = Duration::from_millis(250);

/// Prints the events of a crawl.
pub(crate) struct Reporter<'a> {
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

impl<'a> Reporter<'a> {
    pub(crate) fn new(json: bool, printer: &'a mut Printer) -> Reporter<'a> {
        Reporter {
            live: std::io::stderr().is_terminal() && !printer.is_quiet() && !printer.verbose,
            json,
            shown: false,
            told: Instant::now(),
            log: None,
            metrics: None,
            failure: None,
            printer,
        }
    }

    /// Writes what happens into a log too.
    pub(crate) fn with_log(mut self, log: Option<CrawlLog>) -> Reporter<'a> {
        self.log = log;
        self
    }

    /// Writes what happens from now on into another log, or into none.
    pub(crate) fn set_log(&mut self, log: Option<CrawlLog>) {
        self.log = log;
    }

    /// Returns the printer, with nothing left of a live line.
    pub(crate) fn printer(&mut self) -> &mut Printer {
        self.clear();
        self.printer
    }

    /// Keeps the first failure to print something.
    pub(crate) fn fail(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
    }

    /// Returns the first failure to print something, if there was one.
    pub(crate) fn check(&mut self) -> Result<(), Failure> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Updates metrics for Prometheus, too.
    pub(crate) fn with_metrics(&mut self, metrics: Metrics) {
        self.metrics = Some(metrics);
    }

    /// Prints a message that is no event.
    pub(crate) fn say(&mut self, text: &str) {
        self.clear();
        self.printer.tell(text);
    }

    /// Prints an event. A failure to print is reported at the end, since the crawl is worth more.
    pub(crate) fn tell(&mut self, event: &Event) {
        // Figures are printed less often than they come.
        if self.json && !matches!(event, Event::Progress(_)) {
            self.print_json(&CrawlLine::of(event));
        }
        self.log(|log| log.write(event));
        if let (Some(metrics), Event::Page(page)) = (&self.metrics, event) {
            metrics.observe(page);
        }
        match event {
            Event::Notice { site, notice } => {
                self.clear();
                match site {
                    Some(site) => self.printer.warn(&format!("{site}: {notice}")),
                    None => self.printer.warn(&notice.to_string()),
                }
            }
            Event::Page(page) if self.printer.verbose && !self.json => self.page(page),
            Event::Progress(progress) => {
                if let Some(metrics) = &self.metrics {
                    metrics.update(progress);
                }
                self.tick(event, progress);
            }
            Event::Site { .. } | Event::Page(_) => {}
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
        summary(ending, progress, folder, self.printer)
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

    fn tick(&mut self, event: &Event, progress: &Progress) {
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
            self.printer.tell(&line(progress));
        }
    }

    fn live_line(&mut self, progress: &Progress) {
        let text = line(progress);
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
        if let Err(failure) = self.printer.line(&text) {
            self.failure.get_or_insert(failure);
        }
    }

    fn print_json(&mut self, line: &CrawlLine) {
        if let Err(failure) = self.printer.json(line) {
            self.failure.get_or_insert(failure);
        }
    }
}

/// Code of pages that were not shown because no browser can be started.
const NO_BROWSER: &str = "no-browser";

fn line(progress: &Progress) -> String {
    let mut text = format!(
        "{} pages  {:.0}/s  {}{}  {} in the queue",
        format::thousands(progress.pages),
        progress.rate(),
        format::bytes(progress.bytes),
        match progress.objects {
            0 => String::new(),
            objects => format!("  {} records", format::thousands(objects)),
        },
        format::thousands(progress.queued),
    );
    // Without requests under way, the time per page is no estimate of the remaining time.
    if let Some(left) = progress
        .left()
        .filter(|_| progress.queued > 0 && progress.in_flight > 0)
    {
        text.push_str(&format!("  about {} left", format::about(left)));
    }
    let busiest = progress.sites.iter().max_by_key(|site| site.queued);
    if let Some(site) = busiest {
        text.push_str(&format!("  {}: {}", site.site, site.activity));
    }
    text
}

fn summary(
    ending: Ending,
    progress: &Progress,
    folder: Option<&Path>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let (word, tone) = match ending {
        Ending::Finished if progress.pages == 0 => ("nothing fetched", Tone::Odd),
        Ending::Finished => ("done", Tone::Good),
        Ending::Stopped => ("stopped", Tone::Odd),
    };
    printer.line(&format!(
        "{}: {}, {} in {} ({:.1} pages/s), {} known, {} in the queue",
        printer.paint(tone, word),
        format::many(progress.pages, "page"),
        format::bytes(progress.bytes),
        format::about(progress.elapsed),
        progress.rate(),
        format::many(progress.known, "URL"),
        format::thousands(progress.queued),
    ))?;
    let mut table = Table::indented(2).right(&[1]);
    for (class, count) in &progress.statuses {
        table.row((format!("status {class}xx"), format::thousands(*count)));
    }
    for (code, count) in &progress.problems {
        table.row((Cell::toned(Tone::Odd, code.clone()), format::thousands(*count)));
    }
    if progress.objects > 0 {
        table.row(("records", format::thousands(progress.objects)));
    }
    let rendered = &progress.rendered;
    if rendered.pages > 0 {
        table.row(("shown by a browser", format::thousands(rendered.pages)));
    }
    for (code, count) in &rendered.failures {
        table.row((
            Cell::toned(Tone::Odd, format!("not shown: {code}")),
            format::thousands(*count),
        ));
    }
    for (what, count) in &progress.failures {
        table.row((Cell::toned(Tone::Odd, what.clone()), format::thousands(*count)));
    }
    for (code, count) in &progress.refused {
        table.row((format!("not fetched: {code}"), format::thousands(*count)));
    }
    printer.table(&table)?;
    if progress.pages > 0 {
        for (site, why) in &progress.unreached {
            printer.line(&format!("  {site} can't be reached: {why}"))?;
        }
    }
    if rendered.failures.contains_key(NO_BROWSER) {
        printer.hint("install Chromium, or set `render.browser` to its file");
    }
    if ending == Ending::Finished && progress.queued > 0 {
        printer.hint(
            "sites that reached their page limit keep their queue; raise it with `--pages N` to continue",
        );
    }
    if let (Ending::Stopped, Some(folder)) = (ending, folder) {
        printer.hint(&format!(
            "continue with `magpie crawl --workspace {}`; fetched pages are not fetched again",
            folder.display()
        ));
    } else if let Some(folder) = folder.filter(|_| progress.pages > 0) {
        let next = match progress.objects {
            0 => "the pages are in {}; `magpie export pages --workspace {}` writes them to a file",
            _ => "the objects are in {}; `magpie objects --workspace {}` lists them",
        };
        printer.tell(&next.replace("{}", &folder.display().to_string()));
    }
    Ok(())
}
