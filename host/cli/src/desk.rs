//! A workspace opened for work on one vertical: what `learn` and `recrawl` share.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use magpie_engine::collect::Collection;
use magpie_engine::crawl::{Crawl, Ending, Event, Extractor, Guides, Means, Progress, Target};
use magpie_engine::settings::Resolved;
use magpie_engine::warehouse::{self, cluster_new};
use magpie_engine::{Source, Verticals};
use magpie_store::{Frontier, RunId, StoreError, Workspace};
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::args::{CrawlSettingArgs, SettingArgs};
use crate::crawl::{self, PROGRAM, now};
use crate::failure::{Failure, Kind};
use crate::metrics::Metrics;
use crate::printer::Printer;
use crate::progress::Reporter;
use crate::settings;

/// A workspace opened for work on one vertical.
pub(crate) struct Desk {
    pub(crate) folder: PathBuf,
    pub(crate) resolved: Arc<Resolved>,
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) vertical: String,
    verticals: Arc<Verticals>,
    runtime: Runtime,
    /// Becomes true when somebody wants it all to stop.
    stop: OnceCell<watch::Receiver<bool>>,
    metrics: OnceCell<Option<Metrics>>,
}

/// What is to be crawled for the desk.
pub(crate) struct Errand {
    pub(crate) run: RunId,
    pub(crate) began: i64,
    pub(crate) targets: Vec<Target>,
    pub(crate) guides: Option<Arc<dyn Guides>>,
    /// Kinds of pages take turns.
    pub(crate) varied: bool,
    /// Pages that may be asked for.
    pub(crate) most: Option<u64>,
    pub(crate) json: bool,
}

/// How a crawl for the desk went.
pub(crate) struct Crawled {
    pub(crate) ending: Ending,
    pub(crate) progress: Progress,
}

impl Desk {
    /// Opens the workspace of the arguments for a vertical: the one that is named, or the only one there is. `change` has the last
    /// word about the settings.
    pub(crate) fn open(
        arguments: &SettingArgs,
        short: &CrawlSettingArgs,
        vertical: Option<&str>,
        change: impl FnOnce(&mut Resolved),
    ) -> Result<Desk, Failure> {
        let folder = settings::required_workspace(&arguments.place)?;
        let mut resolved = settings::resolve(arguments, short, Some(&folder))?;
        change(&mut resolved);
        Desk::open_at(folder, resolved, vertical)
    }

    /// Opens the workspace in a folder, with these settings.
    pub(crate) fn open_at(
        folder: PathBuf,
        mut resolved: Resolved,
        vertical: Option<&str>,
    ) -> Result<Desk, Failure> {
        if !folder.join("magpie.db").exists() && !folder.join(settings::FILE).exists() {
            return Err(StoreError::NotThere { path: folder }.into());
        }
        resolved.settings.verticals.run = true;
        let resolved = Arc::new(resolved);
        let verticals = crawl::verticals_of(&folder, &resolved)?.ok_or_else(|| no_vertical(&folder))?;
        let vertical = chosen(&verticals, vertical, &folder)?;
        Ok(Desk {
            workspace: crawl::open(&folder, &resolved)?,
            runtime: crawl::runtime(&resolved)?,
            verticals: Arc::new(verticals),
            folder,
            resolved,
            vertical,
            stop: OnceCell::new(),
            metrics: OnceCell::new(),
        })
    }

    /// Goes on with other settings, if they are others. What the workspace and the runtime were opened with stays.
    pub(crate) fn take_settings(&mut self, mut resolved: Resolved) -> Result<bool, Failure> {
        resolved.settings.verticals.run = true;
        if resolved == *self.resolved {
            return Ok(false);
        }
        let verticals =
            crawl::verticals_of(&self.folder, &resolved)?.ok_or_else(|| no_vertical(&self.folder))?;
        self.verticals = Arc::new(verticals);
        self.resolved = Arc::new(resolved);
        Ok(true)
    }

    /// The vertical's steps of learning, as of a moment.
    pub(crate) fn collection(&self, now: i64) -> Collection<'_> {
        Collection {
            workspace: &self.workspace,
            folder: &self.folder,
            settings: &self.resolved,
            vertical: &self.vertical,
            now,
        }
    }

    /// What the vertical says of itself.
    pub(crate) fn plugin(&self) -> Result<magpie_runtime::Plugin, Failure> {
        let plugins = self.verticals.plugins();
        let found = plugins
            .into_iter()
            .find(|plugin| plugin.info().name == self.vertical);
        found.ok_or_else(|| no_vertical(&self.folder))
    }

    /// Goes on with a run of this kind that was interrupted, or begins one: its number and when it began.
    pub(crate) fn run(&self, kind: &str) -> Result<(RunId, i64), Failure> {
        let now = now();
        let run = match self.workspace.resume_run(kind, now)? {
            Some(run) => run,
            None => {
                let settings = crawl::settings_of_run(&self.resolved);
                self.workspace.begin_run(kind, PROGRAM, &settings, now)?
            }
        };
        let runs = self.workspace.reader()?.runs()?;
        let began = runs
            .iter()
            .find(|row| row.id == run)
            .map_or(now, |row| row.started_at);
        Ok((run, began))
    }

    /// Ends a run that is through.
    pub(crate) fn end(&self, run: RunId) -> Result<(), Failure> {
        Ok(self.workspace.end_run(run, "finished", now())?)
    }

    /// Crawls what is queued of the errand's sites.
    pub(crate) fn crawl(&self, errand: &Errand, printer: &mut Printer) -> Result<Crawled, Failure> {
        let means = Means {
            frontier: Arc::clone(&self.workspace) as Arc<dyn Frontier>,
            source: Arc::new(Source::web(&self.resolved)?),
            settings: Arc::clone(&self.resolved),
            run: Some(errand.run),
            extractor: Some(Arc::clone(&self.verticals) as Arc<dyn Extractor>),
            guides: errand.guides.clone(),
            varied: errand.varied,
            most: errand.most,
            keep: self.resolved.settings.archive.keep,
            clock: now,
            began: errand.began,
        };
        let metrics = self.metrics(printer)?.clone();
        let log = crawl::log(&self.folder, &self.resolved)?;
        let mut reporter = Reporter::new(errand.json, printer).with_log(log);
        if let Some(metrics) = metrics {
            reporter.with_metrics(metrics);
        }
        let stop = self.stop();
        let outcome = self.runtime.block_on(async {
            let mut watcher = |event: Event, progress: &Progress| reporter.tell(&event, progress);
            let crawl = Crawl::new(means, &errand.targets, &mut watcher)?;
            Ok::<_, Failure>(crawl.run(stop).await?)
        });
        let (ending, progress) = outcome?;
        reporter.close()?;
        Ok(Crawled { ending, progress })
    }

    /// The numbers that are given out, where the settings say so.
    pub(crate) fn metrics(&self, printer: &mut Printer) -> Result<&Option<Metrics>, Failure> {
        if let Some(metrics) = self.metrics.get() {
            return Ok(metrics);
        }
        let served = self.runtime.block_on(crawl::serve_metrics(&self.resolved))?;
        if let Some((_, address)) = &served {
            printer.tell(&crawl::metrics_are_at(*address));
        }
        Ok(self.metrics.get_or_init(|| served.map(|(metrics, _)| metrics)))
    }

    /// Waits. Whether somebody wants it all to stop.
    pub(crate) fn wait(&self, time: Duration) -> bool {
        let mut stop = self.stop();
        self.runtime.block_on(async {
            let stopped = stop.wait_for(|stop| *stop);
            tokio::time::timeout(time, stopped).await.is_ok()
        })
    }

    fn stop(&self) -> watch::Receiver<bool> {
        let begin = || {
            let _within = self.runtime.enter();
            crawl::interrupts()
        };
        self.stop.get_or_init(begin).clone()
    }

    /// Clusters the objects that were found since this was done last.
    pub(crate) fn cluster(&self, printer: &mut Printer) -> Result<Option<warehouse::Report>, Failure> {
        self.workspace.flush()?;
        self.collection(now()).withdraw_renamed()?;
        let plugins = self.verticals.plugins();
        let options = warehouse::Options::default();
        let mut tell = |line: &str| printer.tell(line);
        let reports = cluster_new(
            &self.workspace,
            &plugins,
            Some(&self.vertical),
            &options,
            &mut tell,
        )?;
        Ok(reports
            .into_iter()
            .find(|report| report.vertical == self.vertical))
    }

    /// The runtime that network work goes on in.
    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }
}

/// The vertical that is meant.
fn chosen(verticals: &Verticals, named: Option<&str>, folder: &std::path::Path) -> Result<String, Failure> {
    let plugins = verticals.plugins();
    let names: Vec<String> = plugins.iter().map(|plugin| plugin.info().name.clone()).collect();
    match (named, names.as_slice()) {
        (_, []) => Err(match verticals.notices() {
            notices if notices.is_empty() => no_vertical(folder),
            notices => unusable(folder, &notices),
        }),
        (Some(named), names) if names.iter().any(|name| name == named) => Ok(named.to_owned()),
        (Some(named), names) => {
            let mut what = format!("there is no vertical `{named}` in {}", folder.display());
            for notice in verticals.notices() {
                what.push('\n');
                what.push_str(&notice);
            }
            Err(Failure::usage(what).hint(format!("there is {}", names.join(", "))))
        }
        (None, [only]) => Ok(only.clone()),
        (None, names) => Err(Failure::usage("which vertical is meant?").hint(format!(
            "name it with `--vertical NAME`: there are {}",
            names.join(", ")
        ))),
    }
}

fn no_vertical(folder: &std::path::Path) -> Failure {
    Failure::new(
        Kind::Plugin,
        format!(
            "there is no vertical in {}",
            folder.join(crate::init::VERTICALS).display()
        ),
    )
    .hint("put a component there, as `magpie plugin build` makes it")
}

/// There is something, and it is no vertical.
fn unusable(folder: &std::path::Path, notices: &[String]) -> Failure {
    let folder = folder.join(crate::init::VERTICALS);
    let what = format!(
        "no vertical in {} can be used: {}",
        folder.display(),
        notices.join("; ")
    );
    Failure::new(Kind::Plugin, what).hint(
        "`magpie plugin check FILE` says more; put a component there, as `magpie plugin build` makes it",
    )
}

/// Whether a crawl was stopped before it was through.
pub(crate) fn stopped(crawled: &Crawled) -> bool {
    crawled.ending == Ending::Stopped
}
