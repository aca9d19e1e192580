//! A server on loopback, and a crawl of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use magpie_engine::crawl::{Crawl, Ending, Event, Means, Progress, Target};
use magpie_engine::settings::{Layer, Origin, Resolved};
use magpie_engine::{Clock, Source};
use magpie_model::CanonicalUrl;
use magpie_store::{Frontier, MemoryFrontier, Workspace, WorkspaceOptions};
use tempfile::TempDir;
use tokio::sync::watch;

/// Settings for servers on loopback: no delay, no waiting for retries.
pub(crate) fn settings(more: &str) -> Arc<Resolved> {
    let quick = "[politeness]\ndelay = \"0s\"\nautothrottle = false\nrequests = 4\n\
                 [fetch]\nretry_wait = \"10ms\"\n[network]\nallow_addresses = [\"127.0.0.0/8\"]\n";
    let layers = [quick, more].map(|text| Layer::file(&Origin::Default, text).expect("settings"));
    Arc::new(Resolved::new(&layers).expect("settings"))
}

pub(crate) fn now() -> i64 {
    Clock::default().now()
}

/// A frontier that is forgotten with the crawl.
pub(crate) fn memory() -> Arc<dyn Frontier> {
    Arc::new(MemoryFrontier::new())
}

/// A workspace, its path, and the folder that goes with it.
pub(crate) fn in_a_folder() -> (TempDir, PathBuf, Arc<Workspace>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("workspace");
    let workspace = Workspace::create(&path, &WorkspaceOptions::default()).expect("a workspace");
    (folder, path, Arc::new(workspace))
}

/// What a crawl came to.
pub(crate) struct Crawled {
    pub(crate) ending: Ending,
    pub(crate) progress: Progress,
    pub(crate) notices: Vec<String>,
    /// By URL: the status and the code of the problem of its last fetch.
    pub(crate) pages: BTreeMap<String, (Option<u16>, Option<String>)>,
}

/// Crawls until nothing is left, or until a number of pages.
pub(crate) fn crawl(
    frontier: Arc<dyn Frontier>,
    settings: &Arc<Resolved>,
    seeds: &[String],
    stop_after: Option<u64>,
) -> Crawled {
    let means = means(frontier, settings);
    crawl_with(means, seeds, stop_after)
}

/// What a crawl of the web works with.
pub(crate) fn means(frontier: Arc<dyn Frontier>, settings: &Arc<Resolved>) -> Means {
    Means {
        frontier,
        source: Arc::new(Source::web(settings).expect("clients")),
        settings: Arc::clone(settings),
        run: None,
        extractor: None,
        guides: None,
        varied: false,
        most: None,
        keep: true,
        clock: Clock::default(),
        began: now(),
    }
}

/// The same with means of one's own.
pub(crate) fn crawl_with(means: Means, seeds: &[String], stop_after: Option<u64>) -> Crawled {
    crawl_hearing(means, seeds, stop_after, &mut |_| ())
}

/// The same, with somebody who hears of notices when they are given.
pub(crate) fn crawl_hearing(
    means: Means,
    seeds: &[String],
    stop_after: Option<u64>,
    hear: &mut dyn FnMut(&str),
) -> Crawled {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let targets: Vec<_> = seeds
            .iter()
            .map(|seed| Target::From(CanonicalUrl::trusted(seed.as_str()).expect("a canonical URL")))
            .collect();
        let (stop, stopped) = watch::channel(false);
        let (mut notices, mut pages) = (Vec::new(), BTreeMap::new());
        let mut watcher = |event: Event, progress: &Progress| {
            match event {
                Event::Notice { text, .. } => {
                    hear(&text);
                    notices.push(text);
                }
                Event::Page(page) => {
                    pages.insert(
                        page.url,
                        (page.status, page.problem.map(|(reason, _)| reason.to_string())),
                    );
                }
                Event::Site { .. } | Event::Tick => {}
            }
            if stop_after.is_some_and(|pages| progress.pages >= pages) {
                let _ = stop.send(true);
            }
        };
        let crawl = Crawl::new(means, &targets, &mut watcher).expect("a crawl");
        let (ending, progress) = crawl.run(stopped).await.expect("no failure");
        Crawled {
            ending,
            progress,
            notices,
            pages,
        }
    })
}
