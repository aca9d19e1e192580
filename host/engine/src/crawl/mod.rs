//! Crawling: the loop that decides what is fetched when, and what becomes of it.
//!
//! One thread decides, and owns all state: sites, hosts, clocks. Fetching and reading pages happens on others, and each result
//! comes back through a channel. So nothing is locked, and every decision is made in one place in one order.
//!
//! The frontier is the truth. A URL that was taken from it is settled by handing in what came of it, in one piece; what was under way
//! when the process died is queued as before, and fetched again.

mod cookies;
mod count;
mod event;
mod feeds;
mod fetch;
mod handle;
mod host;
mod order;
mod reading;
mod record;
mod robots;
mod rules;
mod schedule;
mod site;
mod spelling;
mod verdict;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use magpie_discovery::{InvalidScope, TrapSettings, TrapWatch, Variety};
use magpie_model::{CanonicalUrl, Record};
use magpie_store::{Frontier, HandIn, LeaseRequest, Offer, RunId, StoreError, UrlSource};
use slab::Slab;
use tokio::sync::{Semaphore, mpsc, watch};

use crate::settings::Resolved;
use crate::{Clock, Source};

pub(crate) use fetch::ROBOTS_BYTES;
pub(crate) use reading::{Reading, TextWanted};
pub(crate) use robots::{robots_answer, robots_failure};
pub use rules::site_key;
pub(crate) use rules::{Rules, canonical_settings};

pub use event::{Event, PageEvent, Progress, SiteProgress};

use count::Finished;
use fetch::Done;
use host::Host;
use order::SiteOrder;
use schedule::Wakes;
use site::Site;

/// How long a lease lasts. It is extended long before; what is left of a dead process is free after so long.
const LEASE: i64 = 120_000;

/// How often leases are extended.
const EXTEND_EVERY: i64 = 30_000;

/// How often progress is told.
const TELL_EVERY: i64 = 250;

const MILLISECONDS_PER_DAY: i64 = 86_400_000;

/// Why a crawl can't go on.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The workspace.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The rules about what is fetched are wrong.
    #[error(transparent)]
    Scope(#[from] InvalidScope),
    /// A site can't be begun with.
    #[error("{0} is no address of a site; write it as https://example.org/")]
    Seed(String),
}

/// How a crawl ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is left to fetch.
    Finished,
    /// It was asked to stop; the rest is queued.
    Stopped,
}

/// What is to be crawled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The site of a page, beginning there.
    From(CanonicalUrl),
    /// The site of a host that was named without a scheme: beginning with this page, or with the
    /// same over `http` if the host can't be reached over `https`.
    Host(CanonicalUrl),
    /// A site that is known from before, by its name: what is queued of it.
    Known(String),
}

/// What finds objects on a page that was fetched.
pub trait Extractor: Send + Sync {
    /// What each vertical made of a page, of those that it was shown to.
    fn extract(&self, page: &Arc<magpie_page::Page>) -> Vec<magpie_store::Extraction>;

    /// Returns the identity of an object, so that it counts once however often it is listed: equal
    /// for records of one object, as far as that can be said without comparing them.
    fn identity(&self, vertical: &str, record: &Record) -> u64 {
        let _ = vertical;
        record.fingerprint() as u64
    }

    /// What happened since this was asked last that a person should know, in sentences.
    fn notices(&self) -> Vec<String>;
}

/// Says which links of a site are followed, where not all are.
pub trait Guide: Send {
    /// Whether a link on a page of the site is to be fetched. It is asked about every link of every page that was read; `is_named` where
    /// an object that was found on the page names it.
    fn wants(&mut self, page: &CanonicalUrl, link: &CanonicalUrl, is_named: bool) -> bool;

    /// Whether the site's sitemaps and feeds are read.
    fn reads_sitemaps(&self) -> bool;

    /// Whether a URL that a sitemap or feed names is to be fetched.
    fn wants_named(&mut self, url: &CanonicalUrl) -> bool;

    /// Whether a page is a list, which is about more than one thing.
    fn is_list(&self, page: &CanonicalUrl) -> bool;

    /// Whether a page is to be had whole, instead of asking whether it has changed.
    fn wants_whole(&self, page: &CanonicalUrl) -> bool;

    /// Hears what a page brought: how many new URLs, how many objects.
    fn fetched(&mut self, page: &CanonicalUrl, found: u64, objects: u64);
}

/// Guides for sites.
pub trait Guides: Send + Sync {
    /// The guide of a site, by its name; none where all links are followed.
    fn guide(&self, site: &str) -> Option<Box<dyn Guide>>;
}

/// What a crawl works with.
pub struct Means {
    /// What is known and what is to be fetched.
    pub frontier: Arc<dyn Frontier>,
    /// Where answers come from.
    pub source: Arc<Source>,
    /// How it is done.
    pub settings: Arc<Resolved>,
    /// The run that pages belong to.
    pub run: Option<RunId>,
    /// Finds objects, if any are looked for.
    pub extractor: Option<Arc<dyn Extractor>>,
    /// Says which links are followed, where not all are.
    pub guides: Option<Arc<dyn Guides>>,
    /// Pages that may be asked for, over all sites; what is queued beyond stays queued.
    pub most: Option<u64>,
    /// Kinds of pages take turns, so that a crawl that ends early has seen some of each; else what is found first is fetched first.
    pub varied: bool,
    /// Messages and links are kept.
    pub keep: bool,
    /// The time.
    pub clock: Clock,
    /// The moment that calendars are measured from: when the run began, so that one that is resumed or replayed goes as far.
    pub began: i64,
}

/// A crawl.
pub struct Crawl<'a> {
    means: Means,
    sites: Slab<Site>,
    hosts: Slab<Host>,
    /// Sites that have not had their turn.
    waiting: VecDeque<Waiting>,
    wakes: Wakes,
    in_flight: usize,
    /// Pages that were asked for.
    asked: u64,
    finished: Finished,
    progress: Progress,
    results: mpsc::UnboundedReceiver<Done>,
    sender: mpsc::UnboundedSender<Done>,
    /// Turns at reading pages apart from the network: more at a time than there are threads would only stand in each
    /// other's way, each with memory of its own.
    readers: Arc<Semaphore>,
    stopping: bool,
    started: Instant,
    watcher: &'a mut dyn FnMut(Event, &Progress),
}

impl<'a> Crawl<'a> {
    /// A crawl of these sites. It begins with [`Crawl::run`].
    pub fn new(
        means: Means,
        targets: &[Target],
        watcher: &'a mut dyn FnMut(Event, &Progress),
    ) -> Result<Crawl<'a>, CrawlError> {
        let (sender, results) = mpsc::unbounded_channel();
        let waiting = targets_by_site(&means.settings, targets).into();
        let readers = Arc::new(Semaphore::new(means.settings.settings.crawl.thread_count()));
        let mut crawl = Crawl {
            means,
            sites: Slab::new(),
            hosts: Slab::new(),
            waiting,
            wakes: Wakes::default(),
            in_flight: 0,
            asked: 0,
            finished: Finished::default(),
            progress: Progress::default(),
            results,
            sender,
            readers,
            stopping: false,
            started: Instant::now(),
            watcher,
        };
        crawl.turn_over()?;
        crawl.offer_waiting()?;
        Ok(crawl)
    }

    /// Goes on until nothing is left, or until it is asked to stop.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) -> Result<(Ending, Progress), CrawlError> {
        let outcome = self.go_on(&mut stop).await;
        // What came in is kept, however it ended; the first error is the one that matters.
        let flushed = self.means.frontier.flush().map_err(CrawlError::from);
        self.tell_notices();
        let released = self.release();
        self.count();
        outcome.and(flushed).and(released)?;
        let ending = if self.stopping {
            Ending::Stopped
        } else {
            Ending::Finished
        };
        Ok((ending, self.progress))
    }

    async fn go_on(&mut self, stop: &mut watch::Receiver<bool>) -> Result<(), CrawlError> {
        let mut extended_at = self.now();
        let mut told_at = extended_at;
        loop {
            let now = self.now();
            if now - extended_at >= EXTEND_EVERY {
                extended_at = now;
                self.extend(now)?;
            }
            if now - told_at >= TELL_EVERY {
                told_at = now;
                self.count();
                self.tell_notices();
                (self.watcher)(Event::Tick, &self.progress);
            }
            if !self.stopping && !self.is_spent() {
                self.refill(now)?;
                self.start(now)?;
                if self.turn_over()? {
                    continue;
                }
            }
            if self.in_flight == 0 && (self.stopping || self.is_spent() || self.sites.is_empty()) {
                return Ok(());
            }
            let wake = self.next_wake(now).min(now + TELL_EVERY);
            tokio::select! {
                biased;
                // First, or a fast crawl would never hear of it.
                changed = stop.changed(), if !self.stopping => {
                    self.stopping = changed.is_err() || *stop.borrow();
                }
                Some(done) = self.results.recv() => self.handle_all(done)?,
                () = tokio::time::sleep(until(wake, now)) => {}
            }
        }
    }

    /// Whether as many pages were asked for as may be.
    fn is_spent(&self) -> bool {
        self.means.most.is_some_and(|most| self.asked >= most)
    }

    /// What the verticals have to say.
    fn tell_notices(&mut self) {
        let Some(extractor) = &self.means.extractor else {
            return;
        };
        for text in extractor.notices() {
            (self.watcher)(Event::Notice { site: None, text }, &self.progress);
        }
    }

    /// One result, and all that wait behind it.
    fn handle_all(&mut self, first: Done) -> Result<(), CrawlError> {
        self.handle(first)?;
        while let Ok(next) = self.results.try_recv() {
            self.handle(next)?;
        }
        Ok(())
    }

    /// Leases a site and offers its first pages.
    fn open_site(&mut self, waiting: &Waiting) -> Result<bool, CrawlError> {
        let (key, seeds) = (waiting.key.as_str(), waiting.seeds.as_slice());
        let now = self.now();
        let home = CanonicalUrl::trusted(format!("https://{key}/"))
            .ok_or_else(|| CrawlError::Seed(key.to_owned()))?;
        let settings = self.means.settings.for_host(home.host());
        let rules = Arc::new(Rules::new(settings, &home, seeds, self.means.keep)?);
        let request = LeaseRequest {
            worker: &worker(),
            site: Some(self.means.frontier.site(key)?),
            now,
            until: now + LEASE,
        };
        let Some(lease) = self.means.frontier.lease(&request)? else {
            let notice = Event::Notice {
                site: Some(key.to_owned()),
                text: "somebody else works on it; it is left to them".to_owned(),
            };
            (self.watcher)(notice, &self.progress);
            return Ok(false);
        };
        let hand_in = HandIn {
            offers: seeds.iter().map(|seed| seed_offer(seed, now)).collect(),
            ..HandIn::default()
        };
        self.means.frontier.hand_in(&lease, hand_in)?;
        let standing = self.means.frontier.standing(&lease)?;
        let traps = rules
            .settings
            .traps
            .avoid
            .then(|| TrapWatch::new(trap_settings(&rules, self.means.began)));
        let lessons = self.means.frontier.lessons(&lease)?;
        let feeds = self.means.frontier.feeds(&lease)?;
        let mut site = Site::new(lease, home.host().to_owned(), rules, traps, &lessons);
        site.feeds = feeds.into_iter().filter_map(CanonicalUrl::trusted).collect();
        site.otherwise.clone_from(&waiting.otherwise);
        site.is_plain = match seeds {
            [] => !self.has_answered(home.origin())?,
            seeds => seeds.iter().all(|seed| seed.scheme() == "http"),
        };
        site.variety = self.means.varied.then(Variety::default);
        site.guide = self.means.guides.as_ref().and_then(|guides| guides.guide(key));
        if let Some(extractor) = &self.means.extractor
            && site.guide.is_none()
            && site.variety.is_none()
        {
            site.order = Some(SiteOrder::open(&*self.means.frontier, &site.lease, &**extractor)?);
        }
        self.take_up_cookies(&site, &home)?;
        self.sites.insert(site);
        let opened = Event::Site {
            site: key.to_owned(),
            queued: standing.queued,
        };
        (self.watcher)(opened, &self.progress);
        Ok(true)
    }

    /// Returns `true` if the robots.txt of an origin was ever answered.
    fn has_answered(&self, origin: &str) -> Result<bool, CrawlError> {
        let robots = self.means.frontier.robots(origin)?;
        Ok(robots.is_some_and(|robots| robots.status.is_some()))
    }

    /// Writes the first pages down of the sites that wait for their turn: it may come in another run.
    fn offer_waiting(&mut self) -> Result<(), CrawlError> {
        let Some((_, site)) = self.sites.iter().next() else {
            return Ok(());
        };
        let now = self.now();
        let mut offers = Vec::new();
        for waiting in &self.waiting {
            let of = self.means.frontier.site(&waiting.key)?;
            offers.extend(waiting.seeds.iter().map(|seed| Offer {
                site: Some(of),
                ..seed_offer(seed, now)
            }));
        }
        let hand_in = HandIn {
            offers,
            ..HandIn::default()
        };
        self.means.frontier.hand_in(&site.lease, hand_in)?;
        Ok(())
    }

    fn extend(&mut self, now: i64) -> Result<(), CrawlError> {
        let indices: Vec<_> = self.sites.iter().map(|(index, _)| index).collect();
        indices
            .into_iter()
            .try_for_each(|index| self.keep_cookies(index))?;
        for (_, site) in &mut self.sites {
            self.means.frontier.extend(&mut site.lease, now + LEASE)?;
        }
        Ok(())
    }

    /// Gives back what is leased.
    fn release(&mut self) -> Result<(), CrawlError> {
        let indices: Vec<_> = self.sites.iter().map(|(index, _)| index).collect();
        let mut outcome = Ok(());
        for index in indices {
            outcome = outcome.and(self.finish(index));
        }
        outcome
    }

    /// Gives a site back, with its numbers and its cookies written down.
    fn finish(&mut self, index: usize) -> Result<(), CrawlError> {
        let kept = self.keep_cookies(index);
        self.count_finished(index);
        let site = self.sites.remove(index);
        for host in site.hosts.values() {
            self.hosts.remove(*host);
        }
        let released = self.means.frontier.release(site.lease, self.now());
        kept.and(released.map_err(CrawlError::from))
    }

    fn now(&self) -> i64 {
        self.means.clock.now()
    }
}

/// A site that has not had its turn.
#[derive(Default)]
struct Waiting {
    key: String,
    /// Its first pages.
    seeds: Vec<CanonicalUrl>,
    /// Those that are asked for if these can't be reached.
    otherwise: Vec<CanonicalUrl>,
}

/// Returns the sites in the order they were named.
fn targets_by_site(settings: &Resolved, targets: &[Target]) -> Vec<Waiting> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut sites: Vec<Waiting> = Vec::new();
    for target in targets {
        let (key, seed) = match target {
            Target::From(seed) | Target::Host(seed) => {
                (site_key(settings.for_host(seed.host()), seed), Some(seed.clone()))
            }
            Target::Known(key) => (key.clone(), None),
        };
        let place = *places.entry(key.clone()).or_insert(sites.len());
        if place == sites.len() {
            sites.push(Waiting {
                key,
                ..Waiting::default()
            });
        }
        sites[place].seeds.extend(seed);
        if let Target::Host(seed) = target {
            let plain = seed.as_str().strip_prefix("https://");
            let plain = plain.and_then(|rest| CanonicalUrl::trusted(format!("http://{rest}")));
            sites[place].otherwise.extend(plain);
        }
    }
    sites
}

fn seed_offer(seed: &CanonicalUrl, now: i64) -> Offer {
    Offer {
        source: UrlSource::Seed,
        ..Offer::queued(seed.as_str(), seed.fingerprint().0, 0, now)
    }
}

/// Who holds a lease, for people.
fn worker() -> String {
    format!("process {}", std::process::id())
}

fn trap_settings(rules: &Rules, began: i64) -> TrapSettings {
    let days = rules.settings.traps.calendar.as_secs() / 86_400;
    TrapSettings {
        today: began.div_euclid(MILLISECONDS_PER_DAY),
        future_days: i64::try_from(days).unwrap_or(i64::MAX),
        ..TrapSettings::default()
    }
}

fn until(wake: i64, now: i64) -> std::time::Duration {
    std::time::Duration::from_millis(u64::try_from(wake - now).unwrap_or(0))
}
