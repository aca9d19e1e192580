//! Who is asked next: hosts wait in a heap for the moment their politeness allows the next request.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use magpie_model::{CanonicalUrl, UrlReason};
use magpie_store::{HandIn, Settled, UrlState};
use magpie_web::{Throttle, Validators};

use super::host::{Host, Job, Page, Permission};
use super::{Crawl, CrawlError, Guide};

/// URLs taken from the frontier at once, per site. Fewer would ask the database more often, more would hold many in memory.
const WINDOW: usize = 512;

/// The same where ranks count, which change with every page: what was taken keeps its turn.
const NARROW: usize = 8;

/// How long a URL waits whose site's robots.txt can't be had, before it is looked at again.
const ROBOTS_PATIENCE: i64 = 1_000;

/// The hosts that have something to be asked, by the moment they may be.
#[derive(Debug, Default)]
pub(super) struct Wakes(BinaryHeap<Reverse<(i64, usize)>>);

impl Wakes {
    fn push(&mut self, at: i64, host: usize) {
        self.0.push(Reverse((at, host)));
    }

    fn pop_due(&mut self, now: i64) -> Option<usize> {
        let Reverse((at, _)) = self.0.peek()?;
        if *at > now {
            return None;
        }
        self.0.pop().map(|Reverse((_, host))| host)
    }

    fn first(&self) -> Option<i64> {
        self.0.peek().map(|Reverse((at, _))| *at)
    }
}

impl Crawl<'_> {
    /// Takes what the sites have next from the frontier.
    pub(super) fn refill(&mut self, now: i64) -> Result<(), CrawlError> {
        let indices: Vec<_> = self.sites.iter().map(|(index, _)| index).collect();
        for index in indices {
            let site = &mut self.sites[index];
            let is_ranked = site.variety.is_some() || site.order.is_some();
            let window = if is_ranked { NARROW } else { WINDOW };
            // The next ones are taken when half of them are left.
            let is_full = site.taken > window / 2;
            if site.closed.is_some() || is_full || site.empty_until.is_some_and(|until| until > now) {
                continue;
            }
            if site.exhausted && site.empty_until.is_none() {
                continue;
            }
            let room = window - site.taken;
            let pending = self.take(index, room, now)?;
            let site = &mut self.sites[index];
            if pending.is_empty() {
                let standing = self.means.frontier.standing(&site.lease)?;
                // What is due much later is left for a later run: nobody waits for it.
                let latest = site.rules.latest(now);
                site.empty_until = standing.next_due.filter(|due| *due <= latest);
                site.exhausted = true;
                continue;
            }
            site.exhausted = false;
            site.empty_until = None;
            site.taken += pending.len();
            for pending in pending {
                self.queue(index, pending, now)?;
            }
        }
        Ok(())
    }

    fn queue(&mut self, site: usize, pending: magpie_store::Pending, now: i64) -> Result<(), CrawlError> {
        let Some(url) = CanonicalUrl::trusted(pending.url.as_str()) else {
            let settled = Settled::with(pending.id, UrlState::Failed, Some(UrlReason::NoUrl));
            return self.settle(site, settled);
        };
        let host = self.host_of(site, &url);
        let own = &self.sites[site];
        let wants_whole = |guide: &dyn Guide| guide.wants_whole(&url);
        // A varied crawl asks again for what was read lately, to follow its links.
        let is_whole = own.variety.is_some() || own.guide.as_deref().is_some_and(wants_whole);
        let last = match is_whole {
            true => None,
            false => self.means.frontier.last_answer(pending.id)?,
        };
        self.hosts[host].push(Page {
            pending,
            url,
            spellings: Vec::new(),
            validators: last.map(|last| Validators {
                etag: last.etag,
                last_modified: last.last_modified,
            }),
        });
        self.wake(host, now);
        Ok(())
    }

    /// The host of a URL; a new one is made ready first.
    pub(super) fn host_of(&mut self, site: usize, url: &CanonicalUrl) -> usize {
        let key = magpie_model::HostKey::of(url);
        let own = &mut self.sites[site];
        *own.hosts.entry(key).or_insert_with(|| {
            let throttle = Throttle::new(own.rules.throttle());
            self.hosts.insert(Host::new(site, throttle))
        })
    }

    /// Puts a host into the heap, if it has something to be asked and lies not there already.
    pub(super) fn wake(&mut self, index: usize, now: i64) {
        if self.is_held_back(index) {
            return;
        }
        let host = &mut self.hosts[index];
        if host.waiting || !host.has_work() {
            return;
        }
        if let Some(at) = host.throttle.next(now).at {
            host.waiting = true;
            self.wakes.push(at, index);
        }
    }

    /// Whether what is under way may be all that the budget of a host's site has left, or that of the crawl.
    fn is_held_back(&self, index: usize) -> bool {
        let host = &self.hosts[index];
        let site = &self.sites[host.site];
        if host.next_page().is_none() {
            return false;
        }
        self.is_spent() || site.pages + site.under_way >= site.rules.settings.scope.pages
    }

    /// Starts all requests that may be started now.
    pub(super) fn start(&mut self, now: i64) -> Result<(), CrawlError> {
        let most = usize::try_from(self.means.settings.settings.network.connections).unwrap_or(usize::MAX);
        while self.in_flight < most {
            let Some(host) = self.wakes.pop_due(now) else {
                return Ok(());
            };
            self.hosts[host].waiting = false;
            while self.in_flight < most && self.start_one(host, now)? {}
            self.wake(host, now);
        }
        Ok(())
    }

    /// Whether a request to the host was started.
    fn start_one(&mut self, index: usize, now: i64) -> Result<bool, CrawlError> {
        self.leave_out(index, now)?;
        if self.is_held_back(index) {
            return Ok(false);
        }
        let host = &mut self.hosts[index];
        if !host.has_work() || host.throttle.try_start(now).is_err() {
            return Ok(false);
        }
        match host.take() {
            Some(job) => {
                self.asked += u64::from(matches!(job, Job::Page(_)));
                self.spawn(index, job);
                Ok(true)
            }
            None => {
                host.throttle.on_abandoned();
                Ok(false)
            }
        }
    }

    /// Settles the pages at the head of a host's queue that have another name by now, proved to be in vain, or that robots.txt does not
    /// allow, and asks for that file where it is not known.
    fn leave_out(&mut self, index: usize, now: i64) -> Result<(), CrawlError> {
        loop {
            let host = &mut self.hosts[index];
            if !host.has_work() {
                return Ok(());
            }
            let Some(page) = host.next_page() else {
                return Ok(());
            };
            if let Some(name) = self.sites[host.site].other_name(&page.url) {
                self.rename(index, &name, now)?;
                continue;
            }
            if let Some(trap) = self.sites[host.site].in_vain(&page.url) {
                let mut settled = Settled::with(page.pending.id, UrlState::Refused, Some(trap.reason()));
                settled.detail = Some(trap.to_string());
                settled.attempted = false;
                self.skip(index, settled)?;
                continue;
            }
            let permission = host.permission(page.address(), now);
            let settled = match permission {
                Permission::Allowed => return Ok(()),
                Permission::Unknown => {
                    let origin = page.url.origin().to_owned();
                    if self.recall_robots(index, &origin, now)? {
                        continue;
                    }
                    self.hosts[index].prepare(Job::Robots {
                        origin,
                        at: None,
                        hops: 0,
                    });
                    return Ok(());
                }
                Permission::Refused(why) => {
                    // What was allowed before may be allowed again: it is not refused for good.
                    let was_fetched = self.means.frontier.last_answer(page.pending.id)?.is_some();
                    let state = if was_fetched {
                        UrlState::Failed
                    } else {
                        UrlState::Refused
                    };
                    let mut settled = Settled::with(page.pending.id, state, Some(UrlReason::Robots));
                    settled.detail = Some(why);
                    settled.attempted = false;
                    settled
                }
                Permission::Closed { reason, why, until } => {
                    let tries = u64::from(page.pending.attempts) + 1;
                    let retries = self.sites[host.site].rules.settings.fetch.retries;
                    let mut settled = match until {
                        None if reason == UrlReason::RefusedAddress => {
                            Settled::with(page.pending.id, UrlState::Refused, Some(reason))
                        }
                        None => Settled::with(page.pending.id, UrlState::Failed, Some(reason)),
                        Some(until) if tries <= retries => {
                            let at = until.max(now + ROBOTS_PATIENCE);
                            Settled::again(page.pending.id, at, UrlReason::RobotsUnreachable)
                        }
                        Some(_) => Settled::with(
                            page.pending.id,
                            UrlState::Failed,
                            Some(UrlReason::RobotsUnreachable),
                        ),
                    };
                    settled.detail = Some(why);
                    settled
                }
            };
            self.skip(index, settled)?;
        }
    }

    /// Settles the page at the head of a host's queue without asking for it.
    fn skip(&mut self, index: usize, settled: Settled) -> Result<(), CrawlError> {
        let host = &mut self.hosts[index];
        let site = host.site;
        host.skip_page();
        self.sites[site].taken -= 1;
        self.settle(site, settled)
    }

    /// Leaves out the page at the head of a host's queue, since it is fetched by another name.
    fn rename(&mut self, index: usize, name: &CanonicalUrl, now: i64) -> Result<(), CrawlError> {
        let host = &mut self.hosts[index];
        let Some(page) = host.next_page() else {
            return Ok(());
        };
        let site = &mut self.sites[host.site];
        let offers = site.rename(&page.pending, name, now).offers;
        let mut settled = Settled::with(page.pending.id, UrlState::Refused, Some(UrlReason::OtherName));
        settled.detail = Some(format!("it is fetched as {name}"));
        settled.attempted = false;
        site.taken -= 1;
        host.skip_page();
        let hand_in = HandIn {
            settled: Some(settled),
            offers,
            ..HandIn::default()
        };
        let index = host.site;
        self.hand_in(index, hand_in, None)?;
        *self
            .progress
            .refused
            .entry(UrlReason::OtherName.to_string())
            .or_default() += 1;
        self.sites[index].exhausted = false;
        Ok(())
    }

    /// Hands in what became of a URL that was not fetched.
    pub(super) fn settle(&mut self, site: usize, settled: Settled) -> Result<(), CrawlError> {
        if settled.state == UrlState::Queued {
            self.wait_for(site, settled.due_at);
        } else if let Some(reason) = &settled.reason {
            *self.progress.refused.entry(reason.to_string()).or_default() += 1;
        }
        let hand_in = HandIn {
            settled: Some(settled),
            ..HandIn::default()
        };
        self.means.frontier.hand_in(&self.sites[site].lease, hand_in)?;
        Ok(())
    }

    /// A URL of a site waits for a moment: the frontier is asked again then.
    pub(super) fn wait_for(&mut self, site: usize, due_at: Option<i64>) {
        let now = self.now();
        let site = &mut self.sites[site];
        if let Some(due_at) = due_at.filter(|due| *due <= site.rules.latest(now)) {
            site.empty_until = Some(site.empty_until.map_or(due_at, |until| until.min(due_at)));
        }
    }

    /// When something can be done next.
    pub(super) fn next_wake(&self, now: i64) -> i64 {
        let open = self.sites.iter().filter(|(_, site)| site.closed.is_none());
        let sites = open.filter_map(|(_, site)| site.empty_until);
        sites.chain(self.wakes.first()).min().unwrap_or(i64::MAX).max(now)
    }

    /// Gives the sites back at which nothing is left to be done, and begins with those that wait for their turn.
    /// Whether there were some.
    pub(super) fn turn_over(&mut self) -> Result<bool, CrawlError> {
        let most = usize::try_from(self.means.settings.settings.crawl.sites).unwrap_or(usize::MAX);
        let done: Vec<_> = self
            .sites
            .iter()
            .map(|(index, _)| index)
            .filter(|index| self.is_done(*index))
            .collect();
        for index in done {
            self.finish(index)?;
        }
        let mut opened = false;
        while self.sites.len() < most
            && let Some(waiting) = self.waiting.pop_front()
        {
            opened |= self.open_site(&waiting)?;
        }
        Ok(opened)
    }

    /// Whether nothing is left to be fetched of a site, now or later, and nothing is under way.
    fn is_done(&self, index: usize) -> bool {
        let site = &self.sites[index];
        let nothing_left = site.closed.is_some() || (site.exhausted && site.empty_until.is_none());
        nothing_left
            && site.taken == 0
            && site.hosts.values().all(|host| {
                let host = &self.hosts[*host];
                !host.waiting && host.throttle.in_flight() == 0 && (site.closed.is_some() || host.is_idle())
            })
    }
}
