//! The loop that decides: which site is opened, what is asked when, and what follows from answers.
//!
//! It runs on a thread of its own and owns all state. Requests run as tasks, results come through
//! a channel, and events leave through another. It opens no connection to a database: the store
//! reads windows of URLs and writes on its own thread.

mod answers;
mod requests;

use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use magpie_model::CanonicalUrl;
use magpie_patterns::rendering::Mode;
use magpie_rows::{FetchResult, LeaseRequest, Offer, UrlOutcome, UrlSource};
use magpie_values::Timestamp;
use slab::Slab;
use tokio::sync::{mpsc, watch};

use super::cookies::SiteCookies;
use super::event::{Activity, Closure, Event, Notice, Progress};
use super::fetch::{Done, Fetcher};
use super::host::{HostSession, Page};
use super::ledger::{Ledger, SiteFigures};
use super::policy::SitePolicy;
use super::queries::Queries;
use super::reason::refusal;
use super::rules::SiteRules;
use super::scheduler::{CrawlLimits, Scheduler, WaitingSite, sites_of};
use super::site::Site;
use super::{CrawlConfig, CrawlError, Ending, Target};
use crate::Source;

/// Time that a lease lasts. It is extended long before it ends; a site of a dead process is free
/// after this time.
const LEASE: Duration = Duration::from_secs(120);

/// Time between extensions of leases.
const EXTEND_EVERY: Duration = Duration::from_secs(30);

const REPORT_EVERY: Duration = Duration::from_millis(250);

pub(super) struct Decider<'q> {
    pub(super) config: CrawlConfig,
    pub(super) queries: Option<&'q mut dyn Queries>,
    sites: Slab<Site>,
    hosts: Slab<Host>,
    pub(super) scheduler: Scheduler,
    fetcher: Fetcher,
    ledger: Ledger,
    /// The host of a request that is worked on alone among those of careful sites.
    alone: Option<usize>,
    is_stopping: bool,
}

/// A host, and its place in the crawl.
struct Host {
    site: usize,
    session: HostSession,
    /// The scheduler knows it.
    is_scheduled: bool,
}

/// Crawls until nothing is left, or until it is asked to stop.
pub(super) async fn decide(
    config: CrawlConfig,
    queries: Option<&mut dyn Queries>,
    targets: &[Target],
    events: SyncSender<Event>,
    mut stop: watch::Receiver<bool>,
) -> Result<(Ending, Progress), CrawlError> {
    let settings = &config.settings.settings;
    let limit = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let limits = CrawlLimits {
        max_connections: limit(settings.network.connections),
        max_sites: limit(settings.crawl.sites),
        max_pages: config.max_pages,
    };
    let (fetcher, mut results) = Fetcher::new(
        Arc::clone(&config.source),
        config.extractor.clone(),
        config.guide.is_some(),
        config.browser.clone(),
        config.clock.clone(),
        settings.crawl.thread_count(),
    );
    let mut decider = Decider {
        scheduler: Scheduler::new(limits, sites_of(&config.settings, targets)),
        ledger: Ledger::new(Arc::clone(&config.store), config.run, config.keep, events),
        fetcher,
        config,
        queries,
        sites: Slab::new(),
        hosts: Slab::new(),
        alone: None,
        is_stopping: false,
    };
    let outcome = decider.run(&mut results, &mut stop).await;
    // Results are kept, however the crawl ended. The first error is the one that matters.
    let flushed = decider.ledger.store.flush().map_err(CrawlError::from);
    decider.report_notices();
    let released = decider.release_all();
    decider.refresh_figures();
    outcome.and(flushed).and(released)?;
    let ending = match decider.is_stopping {
        true => Ending::Stopped,
        false => Ending::Finished,
    };
    Ok((ending, decider.ledger.into_progress()))
}

impl Decider<'_> {
    fn now(&self) -> Timestamp {
        self.config.clock.now()
    }

    async fn run(
        &mut self,
        results: &mut mpsc::UnboundedReceiver<Done>,
        stop: &mut watch::Receiver<bool>,
    ) -> Result<(), CrawlError> {
        self.rotate_sites()?;
        self.offer_waiting()?;
        let mut extended_at = self.now();
        let mut reported_at = extended_at;
        loop {
            let now = self.now();
            // The observer has panicked: the crawl ends as if a stop had been requested.
            self.is_stopping |= self.ledger.is_deserted();
            if now.since(extended_at) >= EXTEND_EVERY {
                extended_at = now;
                self.extend_leases(now)?;
            }
            if now.since(reported_at) >= REPORT_EVERY {
                reported_at = now;
                self.refresh_figures();
                self.report_notices();
                self.ledger.report_progress();
                // Hosts of a crawl that is spent are not scheduled any more.
                if !self.is_stopping && !self.scheduler.is_spent() {
                    self.let_join()?;
                }
            }
            if !self.is_stopping && !self.scheduler.is_spent() {
                self.take_urls(now)?;
                self.start_requests(now)?;
                if self.rotate_sites()? {
                    continue;
                }
            }
            let is_ending = self.is_stopping || self.scheduler.is_spent();
            // Requests under way end first, or their URLs would be fetched again by the next run.
            if self.scheduler.in_flight() == 0 && (is_ending || self.sites.is_empty()) {
                if is_ending || !self.ask_queries()? {
                    return Ok(());
                }
                continue;
            }
            let wake = self.next_wake(now).min(now + REPORT_EVERY);
            let sleep = wake.since(now);
            tokio::select! {
                biased;
                // A fast crawl always has results, so the request to stop is polled first.
                changed = stop.changed(), if !self.is_stopping => {
                    self.is_stopping = changed.is_err() || *stop.borrow();
                }
                Some(done) = results.recv() => {
                    self.handle(done)?;
                    while let Ok(done) = results.try_recv() {
                        self.handle(done)?;
                    }
                }
                () = tokio::time::sleep(sleep) => {}
            }
        }
    }

    /// Returns the moment at which something can be done next.
    fn next_wake(&self, now: Timestamp) -> Timestamp {
        let sites = self.sites.iter().filter_map(|(_, site)| site.wake_at());
        let next = sites.chain(self.scheduler.next_wake()).min();
        next.unwrap_or(Timestamp::MAX).max(now)
    }

    /// Reports news of the verticals.
    fn report_notices(&self) {
        let extractors = self.config.extractor.iter();
        for text in extractors.flat_map(|extractor| extractor.notices()) {
            let notice = Notice::Vertical(text);
            self.ledger.report(Event::Notice { site: None, notice });
        }
    }
}

/// Sites: opened, given back, and looked after.
impl Decider<'_> {
    /// Gives the sites back at which nothing is left to be done, and opens those that wait. Returns
    /// `true` if one was opened.
    pub(super) fn rotate_sites(&mut self) -> Result<bool, CrawlError> {
        let sites = self.sites.iter().map(|(index, _)| index);
        let done: Vec<usize> = sites.filter(|site| self.is_done(*site)).collect();
        for site in done {
            self.release(site)?;
        }
        let mut is_opened = false;
        while let Some(waiting) = self.scheduler.next_site(self.sites.len()) {
            is_opened |= self.open(waiting)?;
        }
        Ok(is_opened)
    }

    fn is_done(&self, index: usize) -> bool {
        let site = &self.sites[index];
        site.is_through()
            && site.hosts.values().all(|host| {
                let host = &self.hosts[*host];
                !host.is_scheduled
                    && host.session.throttle.in_flight() == 0
                    && (site.closure.is_some() || host.session.is_idle())
            })
    }

    /// Leases a site and offers its first pages. Returns `false` if another worker has it.
    fn open(&mut self, waiting: WaitingSite) -> Result<bool, CrawlError> {
        let WaitingSite {
            key,
            seeds,
            alternatives,
        } = waiting;
        let now = self.now();
        let store = Arc::clone(&self.config.store);
        let home =
            CanonicalUrl::trusted(format!("https://{key}/")).ok_or_else(|| CrawlError::Seed(key.clone()))?;
        let settings = self.config.settings.for_host(home.host());
        let rendering = self.config.rendering.get(&key).cloned().unwrap_or_default();
        let rules_need_browser = rendering.rules().iter().any(|rule| rule.mode == Mode::Render);
        let rules = SiteRules::new(settings, &home, &seeds, self.config.keep)?.with_rendering(rendering);
        let rules = Arc::new(rules);
        let request = LeaseRequest {
            worker: &format!("process {}", std::process::id()),
            site: Some(store.site(&key)?),
            now,
            until: now + LEASE,
        };
        // Leased by name: the caller has named the site, so its turn does not matter.
        let Some(lease) = store.lease(&request)? else {
            let (site, notice) = (Some(key), Notice::Leased);
            self.ledger.report(Event::Notice { site, notice });
            return Ok(false);
        };
        let result = FetchResult {
            offers: seeds.iter().map(|seed| seed_offer(seed, now)).collect(),
            ..FetchResult::default()
        };
        store.commit(&lease, result)?;
        // Counted after the first pages are committed, which may be new.
        let queued = store.standing(&lease)?.queued;
        let known = store.known_site(&lease)?;
        let filter = self
            .config
            .filters
            .as_ref()
            .and_then(|filters| filters.filter(&key));
        let mut policy = SitePolicy::new(&rules, &known.url_rules, self.config.began).with(
            filter,
            self.config.is_varied,
            known.feeds,
        );
        if let Some(extractor) = &self.config.extractor
            && !policy.is_filtered()
            && !policy.is_varied()
        {
            policy.order_queue(&*store, &lease, &**extractor, self.config.guide.as_ref())?;
        }
        let cookies = SiteCookies::import(home.host(), known.cookies, &self.config.source, settings, now);
        let is_plain = match seeds.is_empty() {
            true => !self.has_answered(home.origin())?,
            false => seeds.iter().all(|seed| seed.scheme() == "http"),
        };
        self.sites.insert(Site::new(
            lease,
            self.now(),
            rules,
            policy,
            cookies,
            alternatives,
            is_plain,
        ));
        let needs_browser = rules_need_browser && self.config.browser.is_none();
        self.ledger.report(Event::Site {
            site: key.clone(),
            queued,
        });
        if needs_browser && matches!(*self.config.source, Source::Web(_)) {
            let (site, notice) = (Some(key), Notice::NeedsBrowser);
            self.ledger.report(Event::Notice { site, notice });
        }
        Ok(true)
    }

    /// Returns `true` if the robots.txt of an origin was ever answered.
    fn has_answered(&self, origin: &str) -> Result<bool, CrawlError> {
        let robots = self.config.store.robots(origin)?;
        Ok(robots.is_some_and(|robots| robots.status.is_some()))
    }

    /// Records the first pages of the sites that wait: their turn may come in another run.
    pub(super) fn offer_waiting(&mut self) -> Result<(), CrawlError> {
        let Some((_, site)) = self.sites.iter().next() else {
            return Ok(());
        };
        let now = self.now();
        let mut offers = Vec::new();
        for waiting in self.scheduler.waiting_sites() {
            let of = self.config.store.site(&waiting.key)?;
            offers.extend(waiting.seeds.iter().map(|seed| Offer {
                site: Some(of),
                ..seed_offer(seed, now)
            }));
        }
        let result = FetchResult {
            offers,
            ..FetchResult::default()
        };
        // Under the lease of any site, since offers of other sites need no lease of their own.
        self.config.store.commit(&site.lease, result)?;
        Ok(())
    }

    fn extend_leases(&mut self, now: Timestamp) -> Result<(), CrawlError> {
        for (_, site) in &mut self.sites {
            self.ledger.keep_cookies(site, &self.config.source)?;
            self.config.store.extend(&mut site.lease, now + LEASE)?;
        }
        Ok(())
    }

    fn release_all(&mut self) -> Result<(), CrawlError> {
        let sites: Vec<usize> = self.sites.iter().map(|(index, _)| index).collect();
        let released = sites.into_iter().map(|site| self.release(site));
        // An error of one site must not keep the others leased.
        released.fold(Ok(()), Result::and)
    }

    /// Gives a site back, with its figures counted and its cookies recorded.
    fn release(&mut self, index: usize) -> Result<(), CrawlError> {
        let now = self.now();
        // Taken before the lease is given back, since the figures are read by it.
        let figures = self.figures_of(index, now);
        self.ledger.count_finished(figures);
        let mut site = self.sites.remove(index);
        for host in site.hosts.values() {
            self.hosts.remove(*host);
        }
        let kept = self.ledger.keep_cookies(&mut site, &self.config.source);
        let released = self.config.store.release(site.lease, now);
        kept.and(released.map_err(CrawlError::from))
    }

    /// Fetches nothing more of a site in this run. URLs that are queued stay queued.
    fn close(&mut self, index: usize, closure: Closure) {
        let site = &mut self.sites[index];
        if site.closure.is_some() {
            return;
        }
        let hosts = site.hosts.values();
        // URLs that were taken and not fetched stay queued in the store: nothing is committed for
        // them.
        let dropped = hosts.map(|host| self.hosts[*host].session.clear()).sum();
        site.note_settled(dropped);
        self.ledger.notice(site, Notice::Closed(closure.clone()));
        site.closure = Some(closure);
    }

    /// Closes a site if the wanted share of its objects is found.
    fn close_if_found(&mut self, index: usize) {
        let Some(until) = self.config.until else { return };
        let site = &self.sites[index];
        let order = site.policy.order.as_ref();
        if let Some((closure, found)) = order.and_then(|order| order.ending(until)) {
            self.ledger.note_found(site, found);
            self.close(index, closure);
        }
    }

    fn refresh_figures(&mut self) {
        let now = self.now();
        let sites = self.sites.iter().map(|(index, _)| index);
        let figures = sites.filter_map(|site| self.figures_of(site, now)).collect();
        let waiting = self.scheduler.waiting_sites().len();
        self.ledger.refresh(figures, self.scheduler.in_flight(), waiting);
    }

    fn figures_of(&self, index: usize, now: Timestamp) -> Option<SiteFigures> {
        let site = &self.sites[index];
        let standing = self.config.store.standing(&site.lease).ok()?;
        Some(SiteFigures::new(site, &standing, self.activity_of(site, now)))
    }

    fn activity_of(&self, site: &Site, now: Timestamp) -> Activity {
        if let Some(closure) = &site.closure {
            return Activity::Closed(closure.clone());
        }
        let hosts = || site.hosts.values().map(|host| &self.hosts[*host].session);
        if hosts().any(|host| host.throttle.in_flight() > 0) {
            return Activity::Fetching;
        }
        let ready = hosts().filter(|host| host.has_work());
        let next = ready
            .map(|host| host.throttle.next(now))
            .min_by_key(|next| next.at);
        match (next, site.empty_until()) {
            (Some(next), _) => Activity::Waiting(next.reason),
            (None, Some(until)) => {
                let seconds = until.since(now).as_secs() + 1;
                match hosts().any(|host| host.closed_until(now).is_some()) {
                    true => Activity::WaitingForRobots(seconds),
                    false => Activity::WaitingToRetry(seconds),
                }
            }
            (None, None) => Activity::Done,
        }
    }
}

fn seed_offer(seed: &CanonicalUrl, now: Timestamp) -> Offer {
    Offer {
        source: UrlSource::Seed,
        ..Offer::queued(seed.as_str(), seed.fingerprint().0, 0, now)
    }
}

/// Returns the notice that a first page of a site may not be used, if its site says so.
fn refused_entry(page: &Page, site: &Site, settled: &UrlOutcome) -> Option<Notice> {
    // A round knows its pages; what they forbid was reported when the site was learned.
    if page.pending.depth > 0 || site.policy.is_filtered() {
        return None;
    }
    Some(Notice::Refused {
        page: page.pending.url.clone(),
        why: refusal(settled.reason.as_ref()?)?,
    })
}
