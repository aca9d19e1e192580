//! URLs on their way to a request.

use std::time::Duration;

use magpie_model::{CanonicalUrl, HostKey, PostedForm, UrlReason};
use magpie_patterns::rendering::Mode;
use magpie_rows::{FetchResult, Pending, UrlOutcome, UrlState};
use magpie_values::Timestamp;
use magpie_web::Validators;

use super::{Decider, Host, LEASE, refused_entry};
use crate::crawl::CrawlError;
use crate::crawl::host::{HostSession, Job, Page, Permission};
use crate::crawl::policy::POST;
use crate::crawl::reading::TextWanted;
use crate::crawl::verdict::{judge_permission, refused_state};
use crate::settings::RenderedPages;

/// Poll interval while a browser page is using the host.
const GUEST_WAIT: Duration = Duration::from_millis(20);

/// Time after which a host is looked at again that waits for a request that is worked on alone.
const ALONE_WAIT: Duration = Duration::from_millis(10);

/// Time after which a host is looked at again that may not be asked near the end of a lease.
const LEASE_WAIT: Duration = Duration::from_millis(200);

impl Decider<'_> {
    /// Takes the next URLs of the sites from the frontier.
    pub(super) fn take_urls(&mut self, now: Timestamp) -> Result<(), CrawlError> {
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
    pub(super) fn schedule(&mut self, index: usize, now: Timestamp) {
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
    pub(super) fn start_requests(&mut self, now: Timestamp) -> Result<(), CrawlError> {
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
