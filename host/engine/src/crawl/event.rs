//! What a crawl tells while it goes on.

use magpie_model::UrlReason;

use std::collections::BTreeMap;
use std::time::Duration;

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A site is being worked on.
    Site {
        /// Its name.
        site: String,
        /// URLs that are waiting from before.
        queued: u64,
    },
    /// Something came of a page, or nothing.
    Page(PageEvent),
    /// Time went on; the progress has changed.
    Tick,
    /// Something a person should know.
    Notice {
        /// The site it is about, if it is about one.
        site: Option<String>,
        /// A sentence.
        text: String,
    },
}

/// What became of one URL.
#[derive(Clone, Debug)]
pub struct PageEvent {
    /// The URL.
    pub url: String,
    /// The status, when there was an answer.
    pub status: Option<u16>,
    /// Bytes of the body as it is read.
    pub bytes: u64,
    /// How long it took.
    pub took: Duration,
    /// New URLs found on it.
    pub found: u64,
    /// Objects found on it.
    pub objects: u64,
    /// Verticals that failed on it: the vertical, the code and the sentence.
    pub failures: Vec<(String, String, String)>,
    /// The problem with it, and a sentence.
    pub problem: Option<(UrlReason, String)>,
}

/// How far a crawl is.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Pages with an answer.
    pub pages: u64,
    /// Requests of all kinds.
    pub requests: u64,
    /// Bytes received, as they came over the wire.
    pub bytes: u64,
    /// URLs that wait.
    pub queued: u64,
    /// Requests under way.
    pub in_flight: u64,
    /// URLs known.
    pub known: u64,
    /// Objects found.
    pub objects: u64,
    /// Failures of verticals, by vertical and code: `events: cpu`.
    pub failures: BTreeMap<String, u64>,
    /// What went wrong, by code.
    pub problems: BTreeMap<String, u64>,
    /// Answers by class: 2 for 200 to 299.
    pub statuses: BTreeMap<u16, u64>,
    /// URLs that are not fetched, by the code of the reason.
    pub refused: BTreeMap<String, u64>,
    /// Sites that never answered, each with the cause.
    pub unreached: BTreeMap<String, String>,
    /// The sites at work.
    pub sites: Vec<SiteProgress>,
    /// Sites that are through, or given back for another time.
    pub sites_finished: u64,
    /// Sites that wait for their turn.
    pub sites_waiting: u64,
    /// Time since the start.
    pub elapsed: Duration,
}

impl Progress {
    /// The time that is left, if things go on as they did: found pages keep growing, so it is an estimate.
    pub fn left(&self) -> Option<Duration> {
        if self.pages == 0 {
            return None;
        }
        let per_page = self.elapsed.as_secs_f64() / self.pages as f64;
        Duration::try_from_secs_f64(per_page * self.queued as f64).ok()
    }

    /// Pages in a second, over the whole run.
    pub fn rate(&self) -> f64 {
        self.pages as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }
}

/// How far one site is.
#[derive(Clone, Debug)]
pub struct SiteProgress {
    /// Its name.
    pub site: String,
    /// Pages with an answer, in this run.
    pub pages: u64,
    /// URLs that wait.
    pub queued: u64,
    /// What it is doing, in words: `fetching`, `waits 4 s: its robots.txt asks for a delay of 5 s`.
    pub state: String,
}
