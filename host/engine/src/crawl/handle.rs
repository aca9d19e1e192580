//! What becomes of a request that came to an end.

use std::time::Duration;

use magpie_model::{CanonicalUrl, UrlReason};

use magpie_store::{Extraction, HandIn, Page as PageRow, Settled, UrlSource, UrlState};
use magpie_web::{Answer as ThrottleAnswer, FetchError};

use super::event::{Event, PageEvent};
use super::fetch::{Answer, Done, Outcome};
use super::host::{Job, Page};
use super::order::FetchYield;
use super::record::row;
use super::site::{Found, Origin};
use super::verdict::{Verdict, url_reason};
use super::{Crawl, CrawlError};

impl Crawl<'_> {
    /// Takes a result in.
    pub(super) fn handle(&mut self, done: Done) -> Result<(), CrawlError> {
        self.in_flight -= 1;
        let now = self.now();
        let host = done.host;
        self.tell_throttle(&done, now);
        let site = self.hosts[host].site;
        match (done.job, done.outcome) {
            (Job::Page(page), outcome) => {
                self.sites[site].taken -= 1;
                self.sites[site].under_way -= 1;
                match outcome {
                    Outcome::Answer(answer) => {
                        let asked_to_wait = asked_to_wait(&answer);
                        self.page(host, &page, *answer, now)?;
                        self.check_patience(site, asked_to_wait);
                    }
                    Outcome::Failed(error) => self.failed(site, &page, &error, done.started_at, now)?,
                    Outcome::Lost => {
                        let mut settled =
                            Settled::with(page.pending.id, UrlState::Failed, Some(UrlReason::Internal));
                        settled.detail =
                            Some("Magpie itself failed on this page; please report it".to_owned());
                        self.settle(site, settled)?;
                    }
                }
                self.check_budget(site);
            }
            (job, outcome) => {
                self.hosts[host].prepared();
                let mut asked_to_leave = None;
                if let Outcome::Answer(answer) = &outcome {
                    self.sites[site].bytes += answer.exchange.raw_body.len() as u64;
                    asked_to_leave = asked_to_wait(answer);
                }
                self.prepared(host, job, outcome, done.started_at, now)?;
                self.check_patience(site, asked_to_leave);
                self.check_budget(site);
            }
        }
        // A page without an answer leaves the budget as it was, also for the site's other hosts.
        let hosts: Vec<_> = self.sites[site].hosts.values().copied().collect();
        hosts.into_iter().for_each(|host| self.wake(host, now));
        Ok(())
    }

    fn tell_throttle(&mut self, done: &Done, now: i64) {
        let throttle = &mut self.hosts[done.host].throttle;
        match &done.outcome {
            Outcome::Answer(answer) => throttle.on_response(
                &ThrottleAnswer {
                    latency: answer.exchange.timings.first_byte,
                    status: answer.exchange.status,
                    retry_after: answer.exchange.retry_after(),
                },
                now,
            ),
            Outcome::Failed(error) => throttle.on_error(error.kind()),
            Outcome::Lost => throttle.on_abandoned(),
        }
    }

    fn page(&mut self, host: usize, page: &Page, answer: Answer, now: i64) -> Result<(), CrawlError> {
        let site = self.hosts[host].site;
        let id = page.pending.id;
        let exchange = &answer.exchange;
        if let Some(address) = self.insisted_on(site, page, exchange, now)? {
            return self.ask_at(host, page, address, &answer);
        }
        let mut row = row(exchange, answer.reading.as_ref(), self.means.keep);
        row.run = self.means.run;
        let verdict = self.verdict(host, page, &answer, now)?;
        let mut found = match &verdict {
            Verdict {
                follows: true, hops, ..
            } => self.found(site, page, &answer, *hops, now)?,
            _ => Found::default(),
        };
        let said = self.said_by_feed(site, &answer, now);
        found.queued += said.found.queued;
        found.offers.extend(said.found.offers);
        let feeds = match verdict.follows {
            true => self.take_up_feeds(host, page, &answer, now),
            false => Vec::new(),
        };
        row.problem = verdict.problem.as_ref().map(|(reason, _)| reason.clone());
        row.detail = verdict.problem.as_ref().map(|(_, detail)| detail.clone());
        let event = PageEvent {
            url: page.pending.url.clone(),
            status: Some(exchange.status),
            bytes: row.bytes,
            took: exchange.timings.total(),
            found: found.queued,
            objects: objects(&answer.extractions),
            failures: failures(&answer.extractions),
            problem: verdict.problem,
        };
        self.count_page(site, exchange, &event);
        if let Some(guide) = &mut self.sites[site].guide {
            guide.fetched(&page.url, found.queued, event.objects);
        }
        let mut settled = verdict.settled;
        settled.url = id;
        if settled.state == UrlState::Queued {
            self.wait_for(site, settled.due_at);
        }
        if found.queued > 0 {
            let site = &mut self.sites[site];
            (site.exhausted, site.empty_until) = (false, None);
        }
        let is_html = row
            .media_type
            .as_deref()
            .is_none_or(|written| written.contains("html"));
        let is_redirect = row.redirect.is_some() && found.queued > 0;
        let fetch = FetchYield {
            form: page.pending.form,
            objects: answer.identities,
            is_page: is_redirect || (answer.reading.is_some() && is_html),
        };
        if let Some(reading) = answer.reading.filter(|_| self.means.keep) {
            row.links = reading.links;
        }
        let hand_in = HandIn {
            settled: Some(settled),
            page: Some(row),
            offers: found.offers,
            hints: said.hints,
            feeds,
            extractions: answer.extractions,
            ..HandIn::default()
        };
        self.hand_in(site, hand_in, Some(fetch))?;
        (self.watcher)(Event::Page(event), &self.progress);
        Ok(())
    }

    /// What a good page, or a redirect, leads to.
    fn found(
        &mut self,
        site: usize,
        page: &Page,
        answer: &Answer,
        hops: u32,
        now: i64,
    ) -> Result<Found, CrawlError> {
        let from = Origin {
            id: page.pending.id,
            depth: page.pending.depth,
            now,
        };
        if let Some(Ok(target)) = answer.exchange.redirect_target() {
            return self.redirect(site, page, &target, hops, now);
        }
        let Some(reading) = &answer.reading else {
            return Ok(Found::default());
        };
        let mut urls = self.sites[site].led_to(reading, &*self.means.frontier)?;
        let proven = self.sites[site].learn_links(&page.url, &urls);
        if !proven.is_empty() {
            self.keep_proven(site, &proven, now)?;
            urls = self.sites[site].led_to(reading, &*self.means.frontier)?;
        }
        if self.sites[site].keep_wanted(&page.url, &mut urls, &answer.extractions) {
            return Ok(self.sites[site].follow(&urls, from));
        }
        self.keep_unknown(site, &mut urls)?;
        if let Some(variety) = &mut self.sites[site].variety {
            variety.learn(&page.url, objects(&answer.extractions));
        }
        let mut found = self.sites[site].follow_objects(&answer.extractions, from);
        let linked = self.sites[site].follow(&urls, from);
        found.queued += linked.queued;
        found.offers.extend(linked.offers);
        if let Some(canonical) = &reading.canonical {
            let more =
                self.sites[site].consider(canonical, UrlSource::Canonical, from.depth, Some(from.id), now);
            found.queued += more.queued;
            found.offers.extend(more.offers);
        }
        // A page that no vertical was shown to says nothing of its kind.
        if !answer.extractions.is_empty() {
            // A page that could not be looked at may have had some.
            let has_objects = objects(&answer.extractions) > 0 || !failures(&answer.extractions).is_empty();
            self.sites[site].learn_yield(&page.url, has_objects, &found);
        }
        Ok(found)
    }

    /// Drops the URLs that the frontier knows. On a large site that is nearly all that a page leads to, and whether they are in scope or
    /// lead into a trap was judged before.
    fn keep_unknown(&self, site: usize, urls: &mut Vec<CanonicalUrl>) -> Result<(), CrawlError> {
        let fingerprints: Vec<u64> = urls.iter().map(|url| url.fingerprint().0).collect();
        let unknown = self
            .means
            .frontier
            .unknown(&self.sites[site].lease, &fingerprints)?;
        let (mut unknown, mut position) = (unknown.into_iter().peekable(), 0..);
        urls.retain(|_| {
            let here = position.next();
            unknown.next_if(|unknown| Some(*unknown) == here).is_some()
        });
        Ok(())
    }

    fn redirect(
        &mut self,
        site: usize,
        page: &Page,
        target: &url::Url,
        hops: u32,
        now: i64,
    ) -> Result<Found, CrawlError> {
        let depth = page.pending.depth;
        let found = self.sites[site].consider(target, UrlSource::Redirect, depth, Some(page.pending.id), now);
        if found.queued > 0 {
            self.sites[site].redirected(target, hops);
        } else if page.pending.depth == 0 && found.offers.is_empty() {
            let notice = Event::Notice {
                site: Some(self.sites[site].lease.key.clone()),
                text: format!(
                    "{} redirects to {target}, which is another site: crawl that one",
                    page.pending.url
                ),
            };
            (self.watcher)(notice, &self.progress);
        }
        Ok(found)
    }

    fn failed(
        &mut self,
        site: usize,
        page: &Page,
        error: &FetchError,
        started_at: i64,
        now: i64,
    ) -> Result<(), CrawlError> {
        let reason = url_reason(error.kind());
        let verdict = if error.is_retryable() {
            self.again_or(site, page, reason.clone(), error.to_string(), None, now)
        } else {
            Verdict::failed(page, error)
        };
        let event = PageEvent {
            url: page.pending.url.clone(),
            status: None,
            bytes: 0,
            took: Duration::from_millis(u64::try_from(now - started_at).unwrap_or(0)),
            found: 0,
            objects: 0,
            failures: Vec::new(),
            problem: verdict.problem.clone(),
        };
        *self.progress.problems.entry(reason.to_string()).or_default() += 1;
        if verdict.settled.state == UrlState::Queued {
            self.wait_for(site, verdict.settled.due_at);
        }
        let row = PageRow {
            run: self.means.run,
            url: page.pending.url.clone(),
            fetched_at: started_at,
            problem: Some(reason),
            detail: Some(error.to_string()),
            duration: u32::try_from(now - started_at).ok(),
            ..PageRow::default()
        };
        let hand_in = HandIn {
            settled: Some(verdict.settled),
            page: Some(row),
            ..HandIn::default()
        };
        let fetch = FetchYield {
            form: page.pending.form,
            objects: Vec::new(),
            is_page: false,
        };
        self.hand_in(site, hand_in, Some(fetch))?;
        (self.watcher)(Event::Page(event), &self.progress);
        Ok(())
    }

    /// Closes a site that asks to be left alone for longer than anybody waits for it.
    fn check_patience(&mut self, index: usize, asked_to_wait: Option<Duration>) {
        let longest = self.sites[index].rules.settings.politeness.longest_wait;
        if let Some(wait) = asked_to_wait.filter(|wait| *wait > longest) {
            let why = format!(
                "it asks to be left alone for {} s (Retry-After), longer than `politeness.longest_wait`; the next run asks again",
                wait.as_secs()
            );
            self.close(index, why);
        }
    }

    /// Closes a site whose budget is used up.
    fn check_budget(&mut self, index: usize) {
        let site = &self.sites[index];
        let scope = &site.rules.settings.scope;
        let why = if site.pages >= scope.pages {
            format!(
                "{} pages are fetched, as many as `scope.pages` allows",
                site.pages
            )
        } else if site.bytes >= scope.bytes.0 {
            format!(
                "{} bytes are received, as many as `scope.bytes` allows",
                site.bytes
            )
        } else {
            return;
        };
        self.close(index, why);
    }

    /// Fetches nothing more of a site. What is queued stays queued.
    fn close(&mut self, index: usize, why: String) {
        if self.sites[index].closed.is_some() {
            return;
        }
        let site = &mut self.sites[index];
        for host in site.hosts.values() {
            site.taken -= self.hosts[*host].clear();
        }
        let notice = Event::Notice {
            site: Some(self.sites[index].lease.key.clone()),
            text: why.clone(),
        };
        self.sites[index].closed = Some(why);
        (self.watcher)(notice, &self.progress);
    }
}

/// How long a server asks to be left alone that has too much to do.
fn asked_to_wait(answer: &Answer) -> Option<Duration> {
    let is_asked = matches!(answer.exchange.status, 429 | 503);
    answer.exchange.retry_after().filter(|_| is_asked)
}

fn objects(extractions: &[Extraction]) -> u64 {
    extractions
        .iter()
        .map(|extraction| extraction.objects.len() as u64)
        .sum()
}

/// The verticals that failed, with the code and the sentence.
fn failures(extractions: &[Extraction]) -> Vec<(String, String, String)> {
    let failed = extractions.iter().filter_map(|extraction| {
        let code = extraction.problem.clone()?;
        let detail = extraction.detail.clone().unwrap_or_default();
        Some((extraction.component.vertical.clone(), code, detail))
    });
    failed.collect()
}
