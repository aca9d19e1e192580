//! The loop that decides: which site is opened, what is asked when, and what follows from answers.
//!
//! It runs on a thread of its own and owns all state. Requests run as tasks, results come through
//! a channel, and events leave through another. It opens no connection to a database: the store
//! reads windows of URLs and writes on its own thread.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use magpie_discovery::Answered;
use magpie_discovery::sitemap::{self, Sitemap, SitemapKind, SitemapLimits, is_feed};
use magpie_model::{CanonicalUrl, HostKey, PostedForm, UrlReason};
use magpie_patterns::rendering::Mode;
use magpie_rows::{FetchResult, LeaseRequest, Offer, Pending, UrlOutcome, UrlSource, UrlState};
use magpie_values::Timestamp;
use magpie_web::{Exchange, FetchError, FetchErrorKind, Validators};
use slab::Slab;
use tokio::sync::{mpsc, watch};
use url::Url;

use super::browser::Shown;
use super::cookies::SiteCookies;
use super::event::{Activity, Closure, Event, Notice, PageEvent, Progress};
use super::fetch::{Answer, Done, Fetcher, Outcome, report_response};
use super::fetch_yield::FetchYield;
use super::host::{HostSession, Job, Page, Permission, RobotsAnswer, RobotsStep};
use super::ledger::{Ledger, SiteFigures};
use super::policy::{POST, PageOffers, SitePolicy, added_keys};
use super::queries::Queries;
use super::reading::TextWanted;
use super::reason::{refusal, url_reason};
use super::rules::SiteRules;
use super::scheduler::{CrawlLimits, Scheduler, WaitingSite, sites_of};
use super::site::Site;
use super::verdict::{
    Findings, judge_answer, judge_failure, judge_not_shown, judge_permission, refused_state,
};
use super::{CrawlConfig, CrawlError, Ending, Target};
use crate::Source;
use crate::settings::RenderedPages;

/// Time that a lease lasts. It is extended long before it ends; a site of a dead process is free
/// after this time.
const LEASE: Duration = Duration::from_secs(120);

/// Time between extensions of leases.
const EXTEND_EVERY: Duration = Duration::from_secs(30);

/// Poll interval while a browser page is using the host.
const GUEST_WAIT: Duration = Duration::from_millis(20);

/// Time after which a host is looked at again that waits for a request that is worked on alone.
const ALONE_WAIT: Duration = Duration::from_millis(10);

/// Time after which a host is looked at again that may not be asked near the end of a lease.
const LEASE_WAIT: Duration = Duration::from_millis(200);

const REPORT_EVERY: Duration = Duration::from_millis(250);

/// Entries of a sitemap that are committed at once. All fifty thousand that one may have would take
/// more memory than a crawl of a million URLs has otherwise.
const MAX_ENTRIES: usize = 1_000;

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

/// URLs on their way to a request.
impl Decider<'_> {
    /// Takes the next URLs of the sites from the frontier.
    fn take_urls(&mut self, now: Timestamp) -> Result<(), CrawlError> {
        let sites: Vec<usize> = self.sites.iter().map(|(index, _)| index).collect();
        for site in sites {
            for pending in self.sites[site].take(&*self.config.store, now)? {
                self.queue(site, pending, now)?;
            }
        }
        Ok(())
    }

    fn queue(&mut self, index: usize, pending: Pending, now: Timestamp) -> Result<(), CrawlError> {
        // A URL that can't be read must not come again and again.
        let Some(url) = CanonicalUrl::trusted(pending.url.as_str()) else {
            let settled = UrlOutcome::with(pending.id, UrlState::Failed, Some(UrlReason::NoUrl));
            self.sites[index].note_settled(1);
            return self.ledger.settle(&mut self.sites[index], settled, now);
        };
        let site = &mut self.sites[index];
        let form = site.policy.posted(&url);
        // A condition would make a POST fail instead of saving its answer (RFC 9110, 13.1.2). What
        // scripts show may have changed though the page has not.
        let is_shown = match site.rules.settings.render.pages {
            RenderedPages::Never => false,
            RenderedPages::Needed => site.rules.reading.rendering.mode(&url) == Mode::Render,
            RenderedPages::All => true,
        };
        let last = match form.is_some() || is_shown || site.policy.wants_whole(&url) {
            true => None,
            false => pending.last_answer.clone(),
        };
        let host = *site.hosts.entry(HostKey::of(&url)).or_insert_with(|| {
            let mut session = HostSession::new(&site.rules);
            if let Some(browser) = &self.config.browser {
                session = session.paced(browser.paces().of(&url, &site.rules.throttle()));
            }
            if self.config.store.is_shared() {
                session.throttle.asked_elsewhere(site.leased_at);
            }
            self.hosts.insert(Host {
                site: index,
                session,
                is_scheduled: false,
            })
        });
        self.hosts[host].session.push(Page {
            pending,
            url,
            form,
            aliases: Vec::new(),
            validators: last.map(|last| Validators {
                etag: last.etag,
                last_modified: last.last_modified,
            }),
        });
        self.schedule(host, now);
        Ok(())
    }

    /// Schedules a host for the moment at which it may be asked, if there is something to ask.
    fn schedule(&mut self, index: usize, now: Timestamp) {
        if self.is_held_back(index) {
            return;
        }
        let host = &mut self.hosts[index];
        if host.is_scheduled || !host.session.has_work() {
            return;
        }
        let at = match host.session.throttle.has_guests() {
            // A page in a browser has a deadline, so its requests come first.
            true => Some(now + GUEST_WAIT),
            false => host.session.throttle.next(now).at,
        };
        if let Some(at) = at {
            host.is_scheduled = true;
            self.scheduler.wake_at(at, index);
        }
    }

    /// Returns `true` if the next request of a host is one too many for a budget, or waits for the
    /// answers to requests of its kind.
    fn is_held_back(&self, index: usize) -> bool {
        let host = &self.hosts[index];
        let site = &self.sites[host.site];
        host.session.next_page().is_some_and(|page| {
            self.scheduler.is_spent() || site.is_budget_taken() || site.policy.awaits_sample(&page.url)
        })
    }

    /// Starts all requests that may be started now.
    fn start_requests(&mut self, now: Timestamp) -> Result<(), CrawlError> {
        while let Some(host) = self.scheduler.next_host(now) {
            let lease = &mut self.sites[self.hosts[host].site].lease;
            if !self.config.store.may_ask(lease) {
                // Fails if another process has had the site since.
                self.config.store.extend(lease, now + LEASE)?;
                self.scheduler.wake_at(now + LEASE_WAIT, host);
                continue;
            }
            let is_careful = self.config.store.is_careful(lease);
            if is_careful && self.alone.is_some() {
                self.scheduler.wake_at(now + ALONE_WAIT, host);
                continue;
            }
            self.hosts[host].is_scheduled = false;
            while self.scheduler.has_room() && self.start_one(host, is_careful, now)? && !is_careful {}
            self.schedule(host, now);
        }
        Ok(())
    }

    /// Starts a request to a host. Returns `false` if none may be started.
    fn start_one(&mut self, index: usize, is_careful: bool, now: Timestamp) -> Result<bool, CrawlError> {
        let host = &mut self.hosts[index];
        // Sitemaps are asked in turn with pages, and a site may name any number.
        if self.sites[host.site].has_sitemaps_enough() {
            host.session.drop_sitemaps();
        }
        self.admit_next(index, now)?;
        if self.is_held_back(index) {
            return Ok(false);
        }
        // It may have read robots.txt out of the store.
        let now = self.now();
        let session = &mut self.hosts[index].session;
        if !session.has_work() || session.throttle.has_guests() || session.throttle.try_start(now).is_err() {
            return Ok(false);
        }
        let Some(job) = session.take() else {
            // The throttle counts a request that was started, so this one has to end.
            session.throttle.on_abandoned();
            return Ok(false);
        };
        if is_careful && !self.begin_alone(index, &job, now)? {
            return Ok(true);
        }
        let text_wanted = self.text_wanted(index, &job);
        let pace = self.hosts[index].session.throttle.clone();
        let site = &mut self.sites[self.hosts[index].site];
        if let Job::Page(page) = &job {
            site.under_way += 1;
            site.policy.note_asked(&page.url, true);
        }
        site.sitemaps += u64::from(matches!(job, Job::Sitemap { .. }));
        self.scheduler.request_begins(matches!(job, Job::Page(_)));
        self.ledger.count_request();
        self.fetcher
            .start((index, &pace), job, &site.rules, site.is_plain, text_wanted, now);
        Ok(true)
    }

    /// Takes note of a request that is worked on alone. Settles a page that has killed workers, and
    /// returns `false`.
    fn begin_alone(&mut self, index: usize, job: &Job, now: Timestamp) -> Result<bool, CrawlError> {
        let host = &self.hosts[index];
        let site = &mut self.sites[host.site];
        if let Job::Page(page) = job
            && !self.config.store.begin_alone(&site.lease, page.url.as_str())?
        {
            host.session.throttle.on_abandoned();
            site.note_settled(1);
            let settled = UrlOutcome {
                detail: Some("workers were killed while they worked on it alone".to_owned()),
                attempted: false,
                ..UrlOutcome::with(page.pending.id, UrlState::Refused, Some(UrlReason::KilledWorker))
            };
            self.ledger.settle(site, settled, now)?;
            self.config.store.end_alone(&site.lease)?;
            return Ok(false);
        }
        self.alone = Some(index);
        Ok(true)
    }

    fn text_wanted(&self, index: usize, job: &Job) -> TextWanted {
        let host = &self.hosts[index];
        match job {
            Job::Page(page) => {
                let mut wanted = self.sites[host.site].policy.text_wanted(&page.url);
                let not_found = host.session.not_found();
                wanted.text |= not_found.is_some_and(magpie_discovery::NotFoundProfile::reads_texts);
                wanted
            }
            Job::Probe { .. } => TextWanted {
                text: true,
                ..TextWanted::default()
            },
            Job::Robots { .. } | Job::Sitemap { .. } => TextWanted::default(),
        }
    }

    /// Settles the pages at the head of a host's queue that are not fetched after all, until the
    /// next one may be. Asks for its robots.txt where that is not known.
    fn admit_next(&mut self, index: usize, now: Timestamp) -> Result<(), CrawlError> {
        loop {
            let host = &mut self.hosts[index];
            let site = &mut self.sites[host.site];
            let Some(page) = host.session.next_page().filter(|_| host.session.has_work()) else {
                return Ok(());
            };
            let mut offers = Vec::new();
            let settled = if page.form.is_none() && PostedForm::is_marked(page.url.as_str()) {
                // An answer to a GET by the name of one to a POST would be a forgery in archives.
                UrlOutcome {
                    detail: Some(POST.to_owned()),
                    attempted: false,
                    ..UrlOutcome::with(page.pending.id, refused_state(page), Some(UrlReason::Post))
                }
            } else if let Some(name) = site.policy.other_name(&page.url) {
                offers = site.policy.offer_renamed(page, &name, now).offers;
                site.note_queued();
                UrlOutcome {
                    detail: Some(format!("it is fetched as {name}")),
                    attempted: false,
                    ..UrlOutcome::with(page.pending.id, UrlState::Refused, Some(UrlReason::OtherName))
                }
            } else if let Some((reason, detail)) = site.policy.refused_since(&page.url) {
                UrlOutcome {
                    detail: Some(detail),
                    attempted: false,
                    ..UrlOutcome::with(page.pending.id, UrlState::Refused, Some(reason))
                }
            } else {
                let permission = host.session.permission(page.address(), now);
                if matches!(permission, Permission::Unknown) {
                    let origin = page.address().origin().to_owned();
                    if self.recall_robots(index, &origin, now)? {
                        continue;
                    }
                    self.hosts[index].session.ask_robots(&origin);
                    return Ok(());
                }
                let retries = site.rules.settings.fetch.retries;
                match judge_permission(page, permission, retries, now) {
                    Some(settled) => settled,
                    None => return Ok(()),
                }
            };
            if let Some(refused) = refused_entry(page, site, &settled) {
                self.ledger.notice(site, refused);
            }
            host.session.skip_page();
            site.note_settled(1);
            if offers.is_empty() {
                self.ledger.settle(site, settled, now)?;
                continue;
            }
            self.ledger.count_refused(&UrlReason::OtherName);
            let result = FetchResult {
                settled: Some(settled),
                offers,
                ..FetchResult::default()
            };
            self.ledger.commit(site, result, None)?;
        }
    }

    /// Applies the robots.txt of an earlier crawl. Returns `false` if it is missing or too old.
    fn recall_robots(&mut self, index: usize, origin: &str, now: Timestamp) -> Result<bool, CrawlError> {
        let Some(known) = self.config.store.robots(origin)? else {
            return Ok(false);
        };
        let host = &mut self.hosts[index];
        let Some(sitemaps) = host.session.recall_robots(origin, &known, now) else {
            return Ok(false);
        };
        // A filtered crawl reads the sitemaps again each time that it reads robots.txt again.
        let policy = &self.sites[host.site].policy;
        if policy.reads_whole_site() {
            host.session
                .prepare(origin, sitemaps, policy.feeds(), policy.reads_sitemaps(), now);
        }
        Ok(true)
    }
}

impl Decider<'_> {
    /// Takes in the end of a request.
    fn handle(&mut self, done: Done) -> Result<(), CrawlError> {
        self.scheduler.request_ended();
        let now = self.now();
        let Done {
            host,
            job,
            started_at,
            outcome,
        } = done;
        self.report_outcome(host, &outcome, now);
        let index = self.hosts[host].site;
        let site = &mut self.sites[index];
        let asked_to_wait = match &outcome {
            Outcome::Answer(answer) => asked_to_wait(&answer.exchange),
            _ => None,
        };
        if let Job::Page(page) = &job {
            site.under_way -= 1;
            site.policy.note_asked(&page.url, false);
            site.note_settled(1);
            match outcome {
                Outcome::Answer(answer) => self.handle_page(host, page, *answer, now)?,
                Outcome::Failed(error) => self.handle_failure(index, page, &error, started_at, now)?,
                Outcome::Lost => {
                    let settled = UrlOutcome {
                        detail: Some("Magpie itself failed on this page; please report it".to_owned()),
                        ..UrlOutcome::with(page.pending.id, UrlState::Failed, Some(UrlReason::Internal))
                    };
                    self.ledger.settle(site, settled, now)?;
                }
            }
        } else {
            self.hosts[host].session.prepared();
            if let Outcome::Answer(answer) = &outcome {
                site.bytes += answer.exchange.raw_body.len() as u64;
            }
            self.handle_preparation(host, job, outcome, started_at, now)?;
        }
        let longest = self.sites[index].rules.settings.politeness.max_wait;
        if let Some(wait) = asked_to_wait.filter(|wait| *wait > longest) {
            self.close(index, Closure::AskedToWait(wait));
        }
        if let Some(closure) = self.sites[index].used_up() {
            self.close(index, closure);
        }
        self.close_if_found(index);
        if self.alone == Some(host) {
            self.alone = None;
            self.config.store.end_alone(&self.sites[index].lease)?;
        }
        // A page without an answer leaves the budget as it was, also for the site's other hosts.
        let hosts: Vec<usize> = self.sites[index].hosts.values().copied().collect();
        hosts.into_iter().for_each(|host| self.schedule(host, now));
        Ok(())
    }

    fn report_outcome(&mut self, host: usize, outcome: &Outcome, now: Timestamp) {
        let pace = &self.hosts[host].session.throttle;
        match outcome {
            // It was reported before the browser showed the page.
            Outcome::Answer(answer) if answer.shown.is_some() => {}
            Outcome::Answer(answer) => report_response(pace, &answer.exchange, now),
            Outcome::Failed(error) => pace.on_error(error.kind()),
            Outcome::Lost => pace.on_abandoned(),
        }
    }

    fn handle_page(
        &mut self,
        host: usize,
        page: &Page,
        answer: Answer,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        let exchange = &answer.exchange;
        let index = self.hosts[host].site;
        // Before anything is learned from the answer: it is about the name and not about the page.
        if let Some(address) = self.server_alias(index, page, exchange, now)? {
            return self.ask_alias(host, page, address, exchange);
        }
        if let Some(shown) = &answer.shown {
            self.keep_shown(index, shown)?;
        }
        let exchange = &answer.exchange;
        let findings = self.study(host, page, &answer, now)?;
        let session = &mut self.hosts[host].session;
        let site = &mut self.sites[index];
        let max_redirects = site.rules.settings.fetch.redirects;
        let not_shown = answer
            .shown
            .as_ref()
            .and_then(|shown| shown.document.as_ref().err());
        let verdict = match not_shown {
            Some(reason) => judge_not_shown(page, reason),
            None => judge_answer(page, exchange, &findings, &site.rules.retries, max_redirects, now),
        };

        let mut found = PageOffers::default();
        if verdict.follows {
            if let Some(Ok(target)) = exchange.redirect_target() {
                found = site.policy.offer_redirect(page, &target, findings.hops, now);
                // A person has named this page and would wait for a site that has moved.
                if page.pending.depth == 0 && found.offers.is_empty() {
                    let notice = Notice::LeadsElsewhere {
                        page: page.pending.url.clone(),
                        target: target.to_string(),
                    };
                    self.ledger.notice(site, notice);
                }
            } else if let Some(reading) = &answer.reading {
                let (store, lease) = (&self.config.store, &site.lease);
                let unknown = |fingerprints: &[u64]| store.unknown(lease, fingerprints);
                found = site
                    .policy
                    .offers(page, reading, &answer.extractions, &unknown, now)?;
            }
        }
        if let Some(refused) = refused_entry(page, site, &verdict.settled) {
            self.ledger.notice(site, refused);
        }
        self.ledger.keep_proven(site, &found.proven, now)?;
        if is_feed_answer(exchange) && site.rules.settings.scope.sitemaps {
            let read = sitemap::read(exchange.body(), &SitemapLimits::default());
            if read.kind.is_feed() {
                found.append(
                    site.policy
                        .offer_entries(read.kind, &read.entries, &exchange.url, now),
                );
            }
        }
        let mut feeds = Vec::new();
        if let (true, Some(reading)) = (verdict.follows, &answer.reading) {
            if is_feed_answer(exchange) {
                // A site's own feed is linked from its first page.
                let is_own = page.pending.depth <= 1 && !site.policy.is_filtered();
                feeds.extend((is_own && site.policy.add_feed(&page.url)).then(|| page.url.clone()));
            } else {
                feeds = site.policy.offer_feeds(page, reading);
                if site.policy.reads_whole_site() && site.rules.settings.scope.sitemaps {
                    feeds.iter().for_each(|feed| session.offer_feed(feed, now));
                }
            }
        }

        let mut row = self.ledger.row(exchange, answer.reading.as_ref());
        (row.problem, row.detail) = verdict.problem.clone().unzip();
        // A conversion record refers to the response that it was made from.
        row.rendering = answer.rendering.filter(|_| row.exchange.is_some());
        let failures = answer.extractions.iter().filter_map(|extraction| {
            let code = extraction.problem.clone()?;
            let detail = extraction.detail.clone().unwrap_or_default();
            Some((extraction.component.vertical.clone(), code, detail))
        });
        let times = answer.extractions.iter();
        let times = times.map(|extraction| (extraction.component.vertical.clone(), extraction.cpu));
        let objects = answer.extractions.iter();
        let event = PageEvent {
            url: page.pending.url.clone(),
            status: Some(exchange.status),
            bytes: row.bytes,
            took: exchange.timings.total(),
            found: found.queued,
            objects: objects.map(|extraction| extraction.records.len() as u64).sum(),
            extractions: times.collect(),
            failures: failures.collect(),
            problem: verdict.problem,
            rendered: answer.shown.as_ref().map(|shown| shown.took),
        };
        self.ledger.count_page(site, exchange, &event);
        site.policy.fetched(&page.url, found.queued, event.objects);
        if verdict.settled.state == UrlState::Queued {
            site.note_retry_at(verdict.settled.due_at, now);
        }
        if found.queued > 0 {
            site.note_queued();
        }
        let media_type = row.media_type.as_deref();
        let is_html = media_type.is_none_or(|written| written.contains("html"));
        let is_redirect = row.redirect.is_some() && found.queued > 0;
        let is_page = answer.reading.is_some() && is_html;
        let problem = event.problem.as_ref().map(|(reason, _)| reason);
        // An error that may pass says nothing yet.
        if verdict.settled.state != UrlState::Queued {
            site.policy
                .learn_answer(&page.url, Answered::of(problem, is_page));
        }
        let fetch = FetchYield {
            form: page.pending.form,
            is_accepted: match answer.judgements.is_empty() {
                true => site.policy.accepts(&answer.extractions),
                false => answer.judgements.iter().any(|judged| judged.judgement.accepted),
            },
            objects: answer.identities,
            is_page: is_redirect || is_page,
        };
        if let Some(reading) = answer.reading.filter(|_| self.ledger.keeps_links()) {
            row.links = reading.links;
        }
        let result = FetchResult {
            settled: Some(verdict.settled),
            page: Some(row),
            offers: found.offers,
            hints: found.hints,
            feeds: feeds.iter().map(|feed| feed.as_str().to_owned()).collect(),
            extractions: answer.extractions,
            judgements: answer.judgements,
            ..FetchResult::default()
        };
        // Page, links, records and new URLs in one result: after a crash all of it is there, or the
        // URL is still queued.
        self.ledger.commit(site, result, Some(fetch))?;
        self.ledger.report(Event::Page(event));
        Ok(())
    }

    /// Counts a page that a browser was asked to show, and records the answers that its scripts
    /// got.
    fn keep_shown(&mut self, index: usize, shown: &Shown) -> Result<(), CrawlError> {
        let site = &mut self.sites[index];
        self.ledger.count_shown(site, shown);
        for exchange in &shown.exchanges {
            let result = FetchResult {
                page: Some(self.ledger.row(exchange, None)),
                ..FetchResult::default()
            };
            self.ledger.commit(site, result, None)?;
        }
        Ok(())
    }

    /// Learns from an answer what the verdict on it needs.
    fn study(
        &mut self,
        host: usize,
        page: &Page,
        answer: &Answer,
        now: Timestamp,
    ) -> Result<Findings, CrawlError> {
        let exchange = &answer.exchange;
        let mut findings = Findings::default();
        if exchange.truncated.is_some() {
            return Ok(findings);
        }
        let host = &self.hosts[host];
        let site = &mut self.sites[host.site];
        match (exchange.status, &answer.reading) {
            (200..300, Some(reading)) => {
                findings.tag = site.policy.obeyed_tag(reading);
                // Many sites answer with their first page what they do not know. It is a page all
                // the same.
                let profile = host.session.not_found().filter(|_| !page.is_entry());
                findings.soft_404 = profile.and_then(|profile| {
                    let title = reading.title.as_deref().unwrap_or_default();
                    let not_found = profile.judge(&page.url, exchange.status, title, &reading.text);
                    not_found.map(|not_found| not_found.to_string())
                });
                // Names in the body of a form are not those of URLs.
                if findings.soft_404.is_none() && page.form.is_none() {
                    let proven = site.policy.learn_page(&page.url, reading);
                    self.ledger.keep_proven(site, &proven, now)?;
                    findings.near_duplicate = site.policy.near_duplicate(reading, page.pending.id);
                }
            }
            (300..400, _) if exchange.redirect_kind().is_some() => {
                findings.hops = site.policy.take_redirects(&page.url) + 1;
                findings.leads_to_itself = match exchange.redirect_target() {
                    Some(Ok(target)) => site.policy.is_name_of(&target, &page.url),
                    _ => false,
                };
            }
            _ => {}
        }
        Ok(findings)
    }

    /// Returns the address to ask for instead, by [`SitePolicy::server_alias`].
    fn server_alias(
        &mut self,
        site: usize,
        page: &Page,
        exchange: &Exchange,
        now: Timestamp,
    ) -> Result<Option<CanonicalUrl>, CrawlError> {
        let Some(Ok(target)) = exchange.redirect_target() else {
            return Ok(None);
        };
        let site = &mut self.sites[site];
        if site.policy.learn_order(&page.url, &target) {
            self.ledger.keep_order(site, &page.url, now)?;
        }
        let proven = site.policy.learn_redirect(&page.url, &target);
        self.ledger.keep_proven(site, &proven, now)?;
        let sets_cookie = exchange.header("set-cookie").is_some();
        Ok(site.policy.server_alias(page, target, sets_cookie))
    }

    /// Asks for a page again, by the server's own name. The redirect is recorded.
    fn ask_alias(
        &mut self,
        host: usize,
        page: &Page,
        address: CanonicalUrl,
        exchange: &Exchange,
    ) -> Result<(), CrawlError> {
        let host = &mut self.hosts[host];
        let site = &mut self.sites[host.site];
        let row = self.ledger.row(exchange, None);
        let event = PageEvent {
            url: page.pending.url.clone(),
            status: Some(exchange.status),
            bytes: row.bytes,
            took: exchange.timings.total(),
            found: 0,
            objects: 0,
            extractions: Vec::new(),
            failures: Vec::new(),
            problem: None,
            rendered: None,
        };
        self.ledger.count_page(site, exchange, &event);
        let result = FetchResult {
            page: Some(row),
            ..FetchResult::default()
        };
        self.ledger.commit(site, result, None)?;
        self.ledger.report(Event::Page(event));
        let keys = added_keys(&page.url, &address);
        if !keys.is_empty() && !std::mem::replace(&mut site.has_reported_keys, true) {
            self.ledger.notice(site, Notice::WantsKeys(keys));
        }
        let mut page = page.clone();
        page.aliases.push(address);
        site.note_taken();
        host.session.push_first(page);
        Ok(())
    }

    fn handle_failure(
        &mut self,
        index: usize,
        page: &Page,
        error: &FetchError,
        started_at: Timestamp,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        let site = &mut self.sites[index];
        let verdict = judge_failure(page, error, &site.rules.retries, now);
        let reason = url_reason(error.kind());
        let event = PageEvent {
            url: page.pending.url.clone(),
            status: None,
            bytes: 0,
            took: now.since(started_at),
            found: 0,
            objects: 0,
            extractions: Vec::new(),
            failures: Vec::new(),
            problem: verdict.problem,
            rendered: None,
        };
        self.ledger.count_failure(&reason);
        if verdict.settled.state == UrlState::Queued {
            site.note_retry_at(verdict.settled.due_at, now);
        }
        let url = &page.pending.url;
        let result = FetchResult {
            page: Some(
                self.ledger
                    .failed_row(url, reason, error.to_string(), started_at, now),
            ),
            settled: Some(verdict.settled),
            ..FetchResult::default()
        };
        let fetch = FetchYield {
            form: page.pending.form,
            objects: Vec::new(),
            is_accepted: false,
            is_page: false,
        };
        self.ledger.commit(site, result, Some(fetch))?;
        self.ledger.report(Event::Page(event));
        Ok(())
    }

    /// Takes in the end of a request that comes before the pages.
    fn handle_preparation(
        &mut self,
        host: usize,
        job: Job,
        outcome: Outcome,
        started_at: Timestamp,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        match job {
            Job::Robots { origin, hops, .. } => {
                self.handle_robots(host, &origin, hops, &outcome, started_at, now)?;
            }
            Job::Probe { .. } => {
                if let Outcome::Answer(answer) = outcome {
                    let reading = answer.reading.as_ref();
                    let text = reading.map_or("", |reading| reading.text.as_str());
                    let session = &mut self.hosts[host].session;
                    session.learn_not_found(answer.exchange.status, text);
                }
            }
            Job::Sitemap { level, .. } => {
                if let Outcome::Answer(answer) = outcome {
                    self.handle_sitemap(host, level, &answer.exchange, now)?;
                }
            }
            Job::Page(_) => {}
        }
        Ok(())
    }

    fn handle_robots(
        &mut self,
        index: usize,
        origin: &str,
        hops: u32,
        outcome: &Outcome,
        started_at: Timestamp,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        let host = &self.hosts[index];
        let site = &self.sites[host.site];
        let next_page = host.session.next_page();
        let answer = RobotsAnswer {
            result: match outcome {
                Outcome::Answer(answer) => Ok(&answer.exchange),
                Outcome::Failed(error) => Err(Some(error)),
                Outcome::Lost => Err(None),
            },
            started_at,
            // A server that is known and does not answer is waited for.
            is_new: matches!(outcome, Outcome::Failed(_))
                && site.pages == 0
                && next_page.is_none_or(|page| page.pending.last_answer.is_none())
                && !self.has_answered(origin)?,
            has_alternative: !site.alternatives.is_empty(),
        };
        let host = &mut self.hosts[index];
        let site = &mut self.sites[host.site];
        // The state of the host changes first. The row that is written below has its clock.
        let step = host.session.answer_robots(origin, hops, &answer, now);
        let (record, sitemaps) = match step {
            RobotsStep::AskAgain => return Ok(()),
            RobotsStep::Unreached { record, why } => {
                let result = FetchResult {
                    hosts: vec![host.session.row(origin, record)],
                    ..FetchResult::default()
                };
                self.ledger.commit(site, result, None)?;
                let is_dns = matches!(outcome, Outcome::Failed(error) if error.kind() == FetchErrorKind::Dns);
                return self.leave_unreached(index, origin, &why, is_dns, now);
            }
            RobotsStep::Closed { record, why } => {
                let origin = origin.to_owned();
                self.ledger.notice(site, Notice::NoRobots { origin, why });
                (record, None)
            }
            RobotsStep::Ready { record, sitemaps } => (record, Some(sitemaps)),
        };
        let result = FetchResult {
            hosts: vec![host.session.row(origin, record)],
            page: answer.result.ok().map(|exchange| self.ledger.row(exchange, None)),
            ..FetchResult::default()
        };
        self.ledger.commit(site, result, None)?;
        if let Some(sitemaps) = sitemaps {
            let policy = &site.policy;
            host.session
                .prepare(origin, sitemaps, policy.feeds(), policy.reads_sitemaps(), now);
        }
        Ok(())
    }

    /// Leaves an origin that can't be reached.
    fn leave_unreached(
        &mut self,
        index: usize,
        origin: &str,
        why: &str,
        is_dns: bool,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        let site = &mut self.sites[self.hosts[index].site];
        // A host that was named without a scheme is asked by the other one, unless its name does
        // not exist.
        let alternatives = match is_dns {
            true => Vec::new(),
            false => std::mem::take(&mut site.alternatives),
        };
        let notice = Notice::Unreached {
            origin: origin.to_owned(),
            why: why.to_owned(),
            instead: alternatives.first().map(ToString::to_string),
        };
        if alternatives.is_empty() {
            self.ledger.note_unreached(site, why);
        } else {
            site.note_queued();
            site.is_plain = true;
            let result = FetchResult {
                offers: alternatives.iter().map(|seed| seed_offer(seed, now)).collect(),
                ..FetchResult::default()
            };
            self.ledger.commit(site, result, None)?;
        }
        self.ledger.notice(site, notice);
        Ok(())
    }

    fn handle_sitemap(
        &mut self,
        index: usize,
        level: u32,
        exchange: &Exchange,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        let host = &mut self.hosts[index];
        let site = &mut self.sites[host.site];
        if exchange.status == 200 {
            let read = sitemap::read(exchange.body(), &SitemapLimits::default());
            match read.kind {
                SitemapKind::Index => {
                    let entries = read.entries.iter();
                    let urls = entries.filter_map(|entry| exchange.url.join(&entry.location).ok());
                    // As in robots.txt, a site may name sitemaps of other hosts. It is not known if
                    // these agree.
                    for url in urls.filter(|url| url.origin() == exchange.url.origin()) {
                        host.session.offer_sitemap(url, level + 1);
                    }
                }
                _ => offer_sitemap_entries(&self.ledger, site, &read, &exchange.url, now)?,
            }
        }
        // The file counts as read when all that it names is known.
        let result = FetchResult {
            page: Some(self.ledger.row(exchange, None)),
            ..FetchResult::default()
        };
        self.ledger.commit(site, result, None)
    }
}

/// Offers the entries of a sitemap or feed, some at a time.
fn offer_sitemap_entries(
    ledger: &Ledger,
    site: &mut Site,
    read: &Sitemap,
    base: &Url,
    now: Timestamp,
) -> Result<(), CrawlError> {
    for entries in read.entries.chunks(MAX_ENTRIES) {
        let found = site.policy.offer_entries(read.kind, entries, base, now);
        if !found.offers.is_empty() {
            site.note_queued();
        }
        let result = FetchResult {
            offers: found.offers,
            hints: found.hints,
            ..FetchResult::default()
        };
        ledger.commit(site, result, None)?;
    }
    Ok(())
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

/// Returns the time that a server asks to be left alone for because it has too much to do.
fn asked_to_wait(exchange: &Exchange) -> Option<Duration> {
    let is_asked = matches!(exchange.status, 429 | 503);
    exchange.retry_after().filter(|_| is_asked)
}

fn is_feed_answer(exchange: &Exchange) -> bool {
    exchange.status == 200
        && exchange.truncated.is_none()
        && exchange.media_type().is_some_and(|written| is_feed(&written))
}
