//! The ends of requests, and their consequences.

use std::time::Duration;

use magpie_discovery::Answered;
use magpie_discovery::sitemap::{self, Sitemap, SitemapKind, SitemapLimits, is_feed};
use magpie_model::{CanonicalUrl, UrlReason};
use magpie_rows::{FetchResult, UrlOutcome, UrlState};
use magpie_values::Timestamp;
use magpie_web::{Exchange, FetchError, FetchErrorKind};
use url::Url;

use super::{Decider, refused_entry, seed_offer};
use crate::crawl::CrawlError;
use crate::crawl::browser::Shown;
use crate::crawl::event::{Closure, Event, Notice, PageEvent};
use crate::crawl::fetch::{Answer, Done, Outcome, report_response};
use crate::crawl::fetch_yield::FetchYield;
use crate::crawl::host::{Job, Page, RobotsAnswer, RobotsStep};
use crate::crawl::ledger::Ledger;
use crate::crawl::policy::{PageOffers, added_keys};
use crate::crawl::reason::url_reason;
use crate::crawl::site::Site;
use crate::crawl::verdict::{Findings, judge_answer, judge_failure, judge_not_shown};

/// Entries of a sitemap that are committed at once. All fifty thousand that one may have would take
/// more memory than a crawl of a million URLs has otherwise.
const MAX_ENTRIES: usize = 1_000;

impl Decider<'_> {
    /// Takes in the end of a request.
    pub(super) fn handle(&mut self, done: Done) -> Result<(), CrawlError> {
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
