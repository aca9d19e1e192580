//! Crawling: sites are fetched by their policies and within their limits, and results recorded.
//!
//! A URL passes these parts: the `scheduler` opens its site, the `site` takes it from the
//! frontier, a session of its `host` holds it until robots.txt is known and the host may be asked,
//! `fetch` gets and reads the page, `verdict` judges the answer, the `policy` decides which
//! of the URLs on it are offered, and the `ledger` commits all of it as one result. `decide` is the
//! loop that moves it from one to the next.
//!
//! The frontier is the truth. A URL that was taken from it is settled by committing its result as
//! a whole. URLs that were under way when the process died are queued as before, and fetched again.

mod browser;
mod config;
mod cookies;
mod decide;
mod event;
mod fetch;
mod fetch_yield;
mod guided;
mod host;
mod ledger;
mod order;
mod pace;
mod policy;
mod queries;
mod reading;
mod reason;
mod rules;
mod scheduler;
mod site;
mod verdict;

use std::sync::mpsc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::watch;

pub(crate) use fetch::request;
pub(crate) use host::{HostSession, Job, Permission, RobotsAnswer, RobotsStep};
pub(crate) use policy::SitePolicy;
pub(crate) use reading::{Reading, TextWanted, source};
pub(crate) use reason::refusal;
pub use rules::site_key;
pub(crate) use rules::{SiteRules, canonical_settings};

pub use browser::{Browser, Fetching, NotShown, Showing, Shown, ShownDocument};
pub(crate) use browser::{as_answer, is_html};
pub use config::{CrawlConfig, CrawlError, Ending, Extractor, LinkFilter, LinkFilters, Target};
pub use event::{
    Activity, Closure, Event, FoundShare, Notice, PageEvent, Progress, RenderedFigures, SiteProgress,
    VerticalFailures,
};
pub use guided::{
    ByConfidence, Explanation, Guide, GuideOrder, PageWeights, SeenObjects, Validator, explain,
};
pub use host::RobotsVerdict;
pub(crate) use ledger::page_row;
pub use pace::Paces;
pub(crate) use pace::{Guest, Pace};
pub use queries::{Joining, Queries};

/// Events that wait for the one who watches. A crawl that is further ahead waits for them.
const MAX_EVENTS: usize = 1_024;

/// Time for which events gather before they are passed on together. To wake the watching thread
/// for each of them costs 5 % of the CPU time of a crawl that keeps nothing.
const GATHER: Duration = Duration::from_millis(10);

/// Crawls targets until nothing is left, or until it is asked to stop. Returns the ending and the
/// last figures.
///
/// Decisions are made on a thread of their own; requests run in `runtime`. Events reach `watch` on
/// the calling thread, which is blocked until the crawl has ended.
pub fn crawl(
    config: CrawlConfig,
    targets: &[Target],
    runtime: &Runtime,
    stop: watch::Receiver<bool>,
    watch: &mut dyn FnMut(Event),
) -> Result<(Ending, Progress), CrawlError> {
    crawl_by(config, None, targets, runtime, stop, watch)
}

/// Crawls targets, and then what a strategy makes of the answers.
pub(crate) fn crawl_by(
    config: CrawlConfig,
    queries: Option<&mut dyn Queries>,
    targets: &[Target],
    runtime: &Runtime,
    stop: watch::Receiver<bool>,
    watch: &mut dyn FnMut(Event),
) -> Result<(Ending, Progress), CrawlError> {
    let (events, heard) = mpsc::sync_channel(MAX_EVENTS);
    std::thread::scope(|scope| {
        let decider = std::thread::Builder::new()
            .name("crawl".to_owned())
            .spawn_scoped(scope, || {
                runtime.block_on(decide::decide(config, queries, targets, events, stop))
            })
            .map_err(CrawlError::Thread)?;
        // If `watch` panics, the channel must close before the scope waits for the decider.
        let heard = heard;
        // It also closes when the decider fails or panics.
        while let Ok(event) = heard.recv() {
            watch(event);
            heard.try_iter().for_each(&mut *watch);
            std::thread::sleep(GATHER);
        }
        match decider.join() {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
