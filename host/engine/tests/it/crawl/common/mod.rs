//! A server on loopback, and a crawl of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use magpie_engine::crawl::{CrawlConfig, Ending, Event, Progress, Target, crawl as run_crawl};
use magpie_engine::settings::{Layer, Origin, Resolved};
use magpie_engine::{Clock, Source};
use magpie_model::CanonicalUrl;
use magpie_rows::{CrawlStore, MemoryFrontier};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_values::Timestamp;
use tempfile::TempDir;
use tokio::sync::watch;

/// Settings for servers on loopback: no delay, no waiting for retries.
pub(crate) fn settings(more: &str) -> Arc<Resolved> {
    let quick = "[politeness]\ndelay = \"0s\"\nautothrottle = false\nrequests = 4\n\
                 [fetch]\nretry_wait = \"10ms\"\n[network]\nallow_addresses = [\"127.0.0.0/8\"]\n";
    let layers = [quick, more].map(|text| Layer::file(&Origin::Default, text).expect("settings"));
    Arc::new(Resolved::new(&layers).expect("settings"))
}

pub(crate) fn now() -> Timestamp {
    Clock::default().now()
}

/// A frontier that is forgotten with the crawl.
pub(crate) fn memory() -> Arc<dyn CrawlStore> {
    Arc::new(MemoryFrontier::new())
}

/// A workspace, its path, and the folder that goes with it.
pub(crate) fn in_a_folder() -> (TempDir, PathBuf, Arc<Workspace>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("workspace");
    let workspace = Workspace::create(&path, &WorkspaceOptions::default()).expect("a workspace");
    (folder, path, Arc::new(workspace))
}

pub(crate) struct Crawled {
    pub(crate) ending: Ending,
    pub(crate) progress: Progress,
    pub(crate) notices: Vec<String>,
    /// By URL: the status and the code of the problem of its last fetch.
    pub(crate) pages: BTreeMap<String, (Option<u16>, Option<String>)>,
}

/// Crawls until nothing is left, or until a number of pages.
pub(crate) fn crawl(
    frontier: Arc<dyn CrawlStore>,
    settings: &Arc<Resolved>,
    seeds: &[String],
    stop_after: Option<u64>,
) -> Crawled {
    crawl_with(config(frontier, settings), seeds, stop_after)
}

/// A crawl of the web that looks for no objects.
pub(crate) fn config(frontier: Arc<dyn CrawlStore>, settings: &Arc<Resolved>) -> CrawlConfig {
    CrawlConfig {
        store: frontier,
        source: Arc::new(Source::web(settings).expect("clients")),
        settings: Arc::clone(settings),
        run: None,
        extractor: None,
        filters: None,
        rendering: std::collections::HashMap::new(),
        browser: None,
        is_varied: false,
        guide: None,
        max_pages: None,
        until: None,
        keep: true,
        clock: Clock::default(),
        began: now(),
    }
}

/// Crawls by a configuration.
pub(crate) fn crawl_with(config: CrawlConfig, seeds: &[String], stop_after: Option<u64>) -> Crawled {
    crawl_hearing(config, seeds, stop_after, &mut |_| ())
}

/// Crawls by a configuration, and calls `hear` with notices as they come.
pub(crate) fn crawl_hearing(
    config: CrawlConfig,
    seeds: &[String],
    stop_after: Option<u64>,
    hear: &mut dyn FnMut(&str),
) -> Crawled {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let targets: Vec<_> = seeds
        .iter()
        .map(|seed| Target::From(CanonicalUrl::trusted(seed.as_str()).expect("a canonical URL")))
        .collect();
    let (stop, stopped) = watch::channel(false);
    let (mut notices, mut pages) = (Vec::new(), BTreeMap::new());
    let mut answered = 0;
    let mut watcher = |event: Event| {
        match event {
            Event::Notice { notice, .. } => {
                let text = notice.to_string();
                hear(&text);
                notices.push(text);
            }
            Event::Page(page) => {
                answered += u64::from(page.status.is_some());
                pages.insert(
                    page.url,
                    (page.status, page.problem.map(|(reason, _)| reason.to_string())),
                );
            }
            Event::Site { .. } | Event::Progress(_) => {}
        }
        if stop_after.is_some_and(|pages| answered >= pages) {
            let _ = stop.send(true);
        }
    };
    let outcome = run_crawl(config, &targets, &runtime, stopped, &mut watcher);
    let (ending, progress) = outcome.expect("no failure");
    Crawled {
        ending,
        progress,
        notices,
        pages,
    }
}
