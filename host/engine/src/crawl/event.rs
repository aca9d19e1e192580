//! Events that a crawl reports to its observer.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use magpie_model::UrlReason;
use magpie_web::WaitReason;
use serde::{Deserialize, Serialize};

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
    /// A page was fetched, or could not be.
    Page(PageEvent),
    /// The figures of the crawl at this moment; several times a second.
    Progress(Box<Progress>),
    /// Something a person should know.
    Notice {
        /// The site it is about, if it is about one.
        site: Option<String>,
        /// The notice itself.
        notice: Notice,
    },
}

/// News of a crawl that a person should know. `Display` gives a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Another worker has leased the site.
    Leased,
    /// The first page of a site redirects to another site.
    LeadsElsewhere {
        /// The first page.
        page: String,
        /// The page that it redirects to.
        target: String,
    },
    /// The site is closed for this run.
    Closed(Closure),
    /// The robots.txt of an origin can't be fetched, so nothing else is fetched there for now.
    NoRobots {
        /// The origin whose robots.txt it is.
        origin: String,
        /// The cause.
        why: String,
    },
    /// A first page of the site is not used as crawls use pages, since the site forbids it.
    Refused {
        /// The page.
        page: String,
        /// The prohibition, and the setting that lifts it.
        why: String,
    },
    /// An origin can't be reached.
    Unreached {
        /// The origin whose robots.txt it is.
        origin: String,
        /// The cause.
        why: String,
        /// The page that is tried instead, if there is one.
        instead: Option<String>,
    },
    /// A host answers with the same pages as its twin, with `www.` or without.
    SameHost(String),
    /// A key in the site's URLs makes no difference.
    NeedlessKey(String),
    /// The site's server has its own order of the keys in URLs.
    OwnOrder,
    /// The site's server wants keys in URLs that no page is named by.
    WantsKeys(Vec<String>),
    /// Some pages of the site need a browser, and the settings allow none.
    NeedsBrowser,
    /// A notice of a vertical.
    Vertical(String),
}

/// Reason why nothing more of a site is fetched in this run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closure {
    /// Its server asks to be left alone for longer than a crawl waits.
    AskedToWait(Duration),
    /// As many pages are fetched as are allowed.
    Pages(u64),
    /// As many bytes are received as are allowed.
    Bytes(u64),
    /// The wanted share of its objects is found, as far as that can be estimated.
    Found(FoundShare),
    /// A walk along its links has found no new hub for a while, and what its hubs list is fetched.
    NoNewHub(FoundShare),
}

/// The objects of a site that are found, and the estimated number of all that it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundShare {
    /// Objects that are found. Records that clustering merges later may count several times.
    pub objects: u64,
    /// Estimated objects of the site, with those that are found.
    pub expected: u64,
}

impl FoundShare {
    /// The estimated share of the site's objects that is found, from 0 to 1.
    pub fn share(self) -> f64 {
        match self.expected {
            0 => 1.0,
            expected => self.objects as f64 / expected as f64,
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Leased => f.write_str("another process is crawling it; it is skipped here"),
            Notice::LeadsElsewhere { page, target } => {
                write!(
                    f,
                    "{page} redirects to {target}, which is another site; crawl that site instead"
                )
            }
            Notice::Closed(closure) => closure.fmt(f),
            Notice::NoRobots { origin, why } => {
                write!(
                    f,
                    "{origin}/robots.txt can't be fetched, so nothing is fetched there: {why}"
                )
            }
            Notice::Refused { page, why } => write!(f, "{page}: {why}"),
            Notice::Unreached { origin, why, instead } => match instead {
                Some(other) => write!(f, "{origin} can't be reached: {why}; {other} is tried instead"),
                None => write!(f, "{origin} can't be reached and is skipped: {why}"),
            },
            Notice::SameHost(origin) => write!(
                f,
                "it has the same pages with and without `www.`; {origin} is used from now on"
            ),
            Notice::NeedlessKey(key) => {
                write!(
                    f,
                    "`{key}` in its URLs makes no difference; it is dropped from now on"
                )
            }
            Notice::OwnOrder => {
                f.write_str("its server requires its own order of query keys; the order is kept from now on")
            }
            Notice::WantsKeys(keys) => {
                let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
                write!(
                    f,
                    "its server redirects to URLs with {}, which links lack; such a page takes two requests",
                    keys.join(", ")
                )
            }
            Notice::NeedsBrowser => f.write_str(
                "some of its pages have their objects only in a browser, and `render.pages` is \"never\"; \
                 set it to \"needed\" to fetch them",
            ),
            Notice::Vertical(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Closure::AskedToWait(wait) => write!(
                f,
                "it asks for a pause of {} s (Retry-After), longer than `politeness.max_wait`; \
                 the next run tries again",
                wait.as_secs()
            ),
            Closure::Pages(pages) => {
                write!(f, "{pages} pages were fetched, the maximum of `scope.pages`")
            }
            Closure::Bytes(bytes) => {
                write!(f, "{bytes} bytes were received, the maximum of `scope.bytes`")
            }
            Closure::Found(found) => write!(
                f,
                "an estimated {:.0} % of its objects are found, as many as `learn.until` wants; \
                 `focus.until` in a focused crawl",
                found.share() * 100.0
            ),
            Closure::NoNewHub(found) => write!(
                f,
                "the walk found no new hub for `focus.iterations` rounds; {:.0} % of the pages that \
                 its hubs list are fetched",
                found.share() * 100.0
            ),
        }
    }
}

/// The outcome of one fetch.
#[derive(Clone, Debug)]
pub struct PageEvent {
    /// The canonical URL of the page.
    pub url: String,
    /// The status, when there was an answer.
    pub status: Option<u16>,
    /// Bytes of the body as it is read.
    pub bytes: u64,
    /// The time it took.
    pub took: Duration,
    /// New URLs found on it.
    pub found: u64,
    /// Objects found on it.
    pub objects: u64,
    /// CPU time of each vertical that read it.
    pub extractions: Vec<(String, Duration)>,
    /// Verticals that failed on it: the vertical, the code and the sentence.
    pub failures: Vec<(String, String, String)>,
    /// The problem, if there was one, and a sentence.
    pub problem: Option<(UrlReason, String)>,
    /// The time that a browser took to show it, if one was asked to.
    pub rendered: Option<Duration>,
}

/// The figures of a crawl. Workers write them for the driver, but for those of the moment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    /// Pages that were answered.
    pub pages: u64,
    /// Requests, including robots.txt and sitemaps.
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
    pub failures: BTreeMap<String, VerticalFailures>,
    /// Problems of pages, by code.
    pub problems: BTreeMap<String, u64>,
    /// Answers by class: 2 for 200 to 299.
    pub statuses: BTreeMap<u16, u64>,
    /// URLs that are not fetched, by the code of the reason.
    pub refused: BTreeMap<String, u64>,
    /// Sites that never answered, each with the cause.
    pub unreached: BTreeMap<String, String>,
    /// Sites of which the wanted share of the objects is found.
    pub found: BTreeMap<String, FoundShare>,
    /// Pages that a browser was asked to show.
    #[serde(skip)]
    pub rendered: RenderedFigures,
    /// The sites at work.
    #[serde(skip)]
    pub sites: Vec<SiteProgress>,
    /// Sites that are through, or given back for another time.
    pub sites_finished: u64,
    /// Sites that wait to be crawled.
    pub sites_waiting: u64,
    /// Time since the start.
    #[serde(skip)]
    pub elapsed: Duration,
}

/// Failures of a vertical for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerticalFailures {
    /// Number of pages on which it failed.
    pub pages: u64,
    /// URL of the first of them.
    pub first: String,
    /// Sentence about the failure on that page.
    pub detail: String,
}

impl Progress {
    /// Returns the time that is left at the current rate. It is an estimate, since pages
    /// keep being found.
    pub fn left(&self) -> Option<Duration> {
        if self.pages == 0 {
            return None;
        }
        let per_page = self.elapsed.as_secs_f64() / self.pages as f64;
        Duration::try_from_secs_f64(per_page * self.queued as f64).ok()
    }

    /// Adds what another process has done.
    pub(crate) fn absorb(&mut self, other: Progress) {
        self.pages += other.pages;
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.known += other.known;
        self.objects += other.objects;
        self.sites_finished += other.sites_finished;
        for (name, failures) in other.failures {
            match self.failures.get_mut(&name) {
                Some(known) => known.pages += failures.pages,
                None => drop(self.failures.insert(name, failures)),
            }
        }
        let add = |mine: &mut BTreeMap<String, u64>, others: BTreeMap<String, u64>| {
            for (name, count) in others {
                *mine.entry(name).or_default() += count;
            }
        };
        add(&mut self.problems, other.problems);
        add(&mut self.refused, other.refused);
        for (class, count) in other.statuses {
            *self.statuses.entry(class).or_default() += count;
        }
        self.unreached.extend(other.unreached);
        self.found.extend(other.found);
    }

    /// Returns the pages per second, over the whole run.
    pub fn rate(&self) -> f64 {
        self.pages as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }
}

/// Figures of pages that a browser was asked to show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RenderedFigures {
    /// Pages that it showed.
    pub pages: u64,
    /// Pages that it could not show, by the code of the reason.
    pub failures: BTreeMap<&'static str, u64>,
    /// Answered requests of their scripts. They count as requests of the crawl, too.
    pub requests: u64,
    /// Time that the pages took.
    pub took: Duration,
    /// CPU time of the browser.
    pub cpu: Duration,
}

/// The figures of one site.
#[derive(Clone, Debug)]
pub struct SiteProgress {
    /// Its name.
    pub site: String,
    /// Pages with an answer, in this run.
    pub pages: u64,
    /// Pages of them that a browser showed.
    pub rendered: u64,
    /// URLs that wait.
    pub queued: u64,
    /// The present activity of the site.
    pub activity: Activity,
}

/// The activity of a site at a moment. `Display` gives words.
#[derive(Clone, Debug, PartialEq)]
pub enum Activity {
    /// Requests are under way.
    Fetching,
    /// The next request waits, and why.
    Waiting(WaitReason),
    /// Its robots.txt failed, and is asked for again after this number of seconds.
    WaitingForRobots(u64),
    /// URLs failed, and are tried again after this number of seconds.
    WaitingToRetry(u64),
    /// Nothing more is fetched in this run.
    Closed(Closure),
    /// Nothing is left to fetch.
    Done,
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Activity::Fetching => f.write_str("fetching"),
            Activity::Waiting(why) => why.fmt(f),
            Activity::WaitingForRobots(seconds) => {
                write!(f, "waits {seconds} s: its robots.txt can't be fetched")
            }
            Activity::WaitingToRetry(seconds) => write!(f, "waits {seconds} s to retry failed pages"),
            Activity::Closed(closure) => write!(f, "closed: {closure}"),
            Activity::Done => f.write_str("done"),
        }
    }
}
