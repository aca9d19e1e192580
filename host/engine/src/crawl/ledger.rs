//! The books of a crawl: results go to the store, figures and notices to the observer.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Instant;

use bytes::Bytes;
use magpie_discovery::{ProvenKey, UrlRule};
use magpie_model::{CanonicalUrl, UrlReason};
use magpie_rows::{
    CrawlStore, FetchResult, Page as PageRow, RobotsTags, RunId, Standing, Truncated, UrlOutcome, UrlState,
};
use magpie_values::Timestamp;
use magpie_web::Exchange;

use super::CrawlError;
use super::browser::Shown;
use super::event::{
    Activity, Event, FoundShare, Notice, PageEvent, Progress, SiteProgress, VerticalFailures,
};
use super::fetch_yield::FetchYield;
use super::order::QueueOrder;
use super::reading::Reading;
use super::site::Site;
use crate::client::kept;

/// Maximum number of finished sites with figures of their own. The others are in the sums.
const MAX_FINISHED: usize = 1_000;

/// Records results and keeps the figures of a crawl.
pub(super) struct Ledger {
    pub(super) store: Arc<dyn CrawlStore>,
    run: Option<RunId>,
    /// Messages and links are kept, not only figures.
    keeps_messages: bool,
    progress: Progress,
    /// The sums of sites that were given back.
    finished: FinishedSites,
    started: Instant,
    events: SyncSender<Event>,
    is_deserted: Cell<bool>,
}

#[derive(Default)]
struct FinishedSites {
    known: u64,
    queued: u64,
    /// The first of them.
    sites: Vec<SiteProgress>,
}

impl Ledger {
    pub(super) fn new(
        store: Arc<dyn CrawlStore>,
        run: Option<RunId>,
        keeps_messages: bool,
        events: SyncSender<Event>,
    ) -> Ledger {
        Ledger {
            store,
            run,
            keeps_messages,
            progress: Progress::default(),
            finished: FinishedSites::default(),
            started: Instant::now(),
            events,
            is_deserted: Cell::new(false),
        }
    }

    pub(super) fn report(&self, event: Event) {
        if self.events.send(event).is_err() {
            self.is_deserted.set(true);
        }
    }

    /// Returns `true` if the observer has panicked, so that the crawl has to end.
    pub(super) fn is_deserted(&self) -> bool {
        self.is_deserted.get()
    }

    /// Reports a notice of a site.
    pub(super) fn notice(&self, site: &Site, notice: Notice) {
        self.report(Event::Notice {
            site: Some(site.lease.key.clone()),
            notice,
        });
    }

    /// Commits a result of a site. The order of the site's queue learns from it.
    pub(super) fn commit(
        &self,
        site: &mut Site,
        result: FetchResult,
        fetch: Option<FetchYield>,
    ) -> Result<(), CrawlError> {
        let Some(order) = &mut site.policy.order else {
            self.store.commit(&site.lease, result)?;
            return Ok(());
        };
        match order {
            QueueOrder::Yield(order) => {
                let offered = result.offers.iter();
                let offered: Vec<_> = offered
                    .map(|offer| (offer.form, offer.state == UrlState::Queued))
                    .collect();
                // Learned after the commit, which alone knows which of the offers were new.
                let receipt = self.store.commit(&site.lease, result)?;
                order.learn(&offered, &receipt, fetch);
            }
            QueueOrder::Guided(order) => {
                let queued = result
                    .offers
                    .iter()
                    .filter(|offer| offer.state == UrlState::Queued);
                let offered: Vec<_> = queued
                    .filter_map(|offer| Some((offer.form, CanonicalUrl::trusted(offer.url.as_str())?)))
                    .filter(|(form, _)| *form > 0)
                    .collect();
                // A page that is asked again shows its result then.
                let is_over = result
                    .settled
                    .as_ref()
                    .is_none_or(|end| end.state != UrlState::Queued);
                self.store.commit(&site.lease, result)?;
                order.learn(&offered, fetch.as_ref().filter(|_| is_over));
            }
        }
        Ok(())
    }

    /// Commits the end of a URL that was not fetched.
    pub(super) fn settle(
        &mut self,
        site: &mut Site,
        settled: UrlOutcome,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        if settled.state == UrlState::Queued {
            site.note_retry_at(settled.due_at, now);
        } else if let Some(reason) = &settled.reason {
            self.count_refused(reason);
        }
        let result = FetchResult {
            settled: Some(settled),
            ..FetchResult::default()
        };
        self.commit(site, result, None)
    }

    pub(super) fn count_refused(&mut self, reason: &UrlReason) {
        *self.progress.refused.entry(reason.to_string()).or_default() += 1;
    }

    pub(super) fn count_request(&mut self) {
        self.progress.requests += 1;
    }

    /// Counts a problem of a page that had no answer.
    pub(super) fn count_failure(&mut self, reason: &UrlReason) {
        *self.progress.problems.entry(reason.to_string()).or_default() += 1;
    }

    /// Takes note of a site that can't be reached.
    pub(super) fn note_unreached(&mut self, site: &Site, why: &str) {
        self.progress
            .unreached
            .insert(site.lease.key.clone(), why.to_owned());
    }

    /// Takes note of a site of which the wanted share of the objects is found.
    pub(super) fn note_found(&mut self, site: &Site, found: FoundShare) {
        self.progress.found.insert(site.lease.key.clone(), found);
    }

    pub(super) fn count_page(&mut self, site: &mut Site, exchange: &Exchange, event: &PageEvent) {
        let received = exchange.raw_body.len() as u64;
        site.pages += 1;
        site.bytes += received;
        let progress = &mut self.progress;
        progress.pages += 1;
        progress.bytes += received;
        progress.objects += event.objects;
        for (vertical, code, detail) in &event.failures {
            let failures = progress.failures.entry(format!("{vertical}: {code}"));
            let failures = failures.or_insert_with(|| VerticalFailures {
                pages: 0,
                first: event.url.clone(),
                detail: detail.clone(),
            });
            failures.pages += 1;
        }
        *progress.statuses.entry(exchange.status / 100).or_default() += 1;
        if let Some((reason, _)) = &event.problem {
            *progress.problems.entry(reason.to_string()).or_default() += 1;
        }
    }

    /// Counts a page that a browser was asked to show.
    pub(super) fn count_shown(&mut self, site: &mut Site, shown: &Shown) {
        let figures = &mut self.progress.rendered;
        match &shown.document {
            Ok(_) => {
                figures.pages += 1;
                site.rendered += 1;
            }
            Err(reason) => *figures.failures.entry(reason.code).or_default() += 1,
        }
        figures.requests += shown.requests;
        figures.took += shown.took;
        figures.cpu += shown.cpu;
        let bytes: usize = shown.exchanges.iter().map(|answer| answer.raw_body.len()).sum();
        self.progress.requests += shown.exchanges.len() as u64;
        self.progress.bytes += bytes as u64;
        site.bytes += bytes as u64;
    }

    /// Records and reports the keys of a site's URLs that were proven needless.
    pub(super) fn keep_proven(
        &self,
        site: &Site,
        proven: &[ProvenKey],
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        // Later runs need no proof of their own.
        if proven.is_empty() {
            return Ok(());
        }
        let url_rules = proven.iter().map(|proven| {
            let url_rule = UrlRule::NeedlessKey(proven.key.clone());
            kept(&url_rule, proven.evidence.to_string(), now)
        });
        self.store.keep_url_rules(&site.lease, url_rules.collect())?;
        // URLs are asked for by their new names from now on. After a crash without the rule they
        // would be asked for by the old ones again.
        self.store.flush()?;
        for proven in proven {
            let key = proven.key.clone();
            let notice = match key.contains("://") {
                true => Notice::SameHost(key),
                false => Notice::NeedlessKey(key),
            };
            self.notice(site, notice);
        }
        Ok(())
    }

    /// Records and reports that a site's server only answers to its own order of keys.
    pub(super) fn keep_order(
        &self,
        site: &Site,
        page: &CanonicalUrl,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        let evidence = format!("{page} redirects to the same with its keys in another order");
        let url_rule = kept(&UrlRule::OwnOrder, evidence, now);
        self.store.keep_url_rules(&site.lease, vec![url_rule])?;
        // As above: without the rule a crash would lead to the old names again.
        self.store.flush()?;
        self.notice(site, Notice::OwnOrder);
        Ok(())
    }

    /// Keeps the cookies of a site, if they have changed.
    pub(super) fn keep_cookies(&self, site: &mut Site, source: &crate::Source) -> Result<(), CrawlError> {
        if let Some(cookies) = site.cookies.changed(source) {
            self.store.keep_cookies(&site.lease, cookies)?;
        }
        Ok(())
    }

    /// Brings those figures up to date that are not counted along.
    pub(super) fn refresh(&mut self, sites: Vec<SiteFigures>, in_flight: usize, waiting: usize) {
        let progress = &mut self.progress;
        progress.elapsed = self.started.elapsed();
        progress.in_flight = in_flight as u64;
        progress.sites_waiting = waiting as u64;
        progress.known = self.finished.known + sites.iter().map(|site| site.known).sum::<u64>();
        progress.sites = sites.into_iter().map(|site| site.progress).collect();
        progress.queued = self.finished.queued + progress.sites.iter().map(|site| site.queued).sum::<u64>();
        progress.sites.extend_from_slice(&self.finished.sites);
    }

    /// Reports the current figures.
    pub(super) fn report_progress(&self) {
        self.report(Event::Progress(Box::new(self.progress.clone())));
    }

    /// Adds a site that is given back to the sums.
    pub(super) fn count_finished(&mut self, site: Option<SiteFigures>) {
        if let Some(site) = site {
            self.finished.known += site.known;
            self.finished.queued += site.progress.queued;
            if self.finished.sites.len() < MAX_FINISHED {
                self.finished.sites.push(site.progress);
            }
        }
        self.progress.sites_finished += 1;
    }

    pub(super) fn into_progress(self) -> Progress {
        self.progress
    }

    pub(super) fn row(&self, exchange: &Exchange, reading: Option<&Reading>) -> PageRow {
        let mut row = page_row(exchange, self.run, self.keeps_messages);
        if let Some(reading) = reading {
            row.charset = Some(reading.page.encoding().to_owned());
            row.title.clone_from(&reading.title);
            row.canonical = reading.canonical.as_ref().map(ToString::to_string);
            row.tags = RobotsTags {
                nofollow: !reading.directives.follow,
                noindex: !reading.directives.index,
            };
            row.simhash = reading
                .fingerprints
                .and_then(|fingerprints| Some(fingerprints.print?.simhash.bits));
            row.text_hash = reading.fingerprints.map(|fingerprints| fingerprints.exact);
        }
        row
    }

    /// Returns the record of a request that had no answer.
    pub(super) fn failed_row(
        &self,
        url: &str,
        reason: UrlReason,
        detail: String,
        started_at: Timestamp,
        now: Timestamp,
    ) -> PageRow {
        PageRow {
            run: self.run,
            url: url.to_owned(),
            fetched_at: started_at,
            problem: Some(reason),
            detail: Some(detail),
            duration: u32::try_from(now.since(started_at).as_millis()).ok(),
            ..PageRow::default()
        }
    }

    /// Returns `true` if the links of pages are kept.
    pub(super) fn keeps_links(&self) -> bool {
        self.keeps_messages
    }
}

/// The figures of a site that is worked on.
pub(super) struct SiteFigures {
    known: u64,
    progress: SiteProgress,
}

impl SiteFigures {
    pub(super) fn new(site: &Site, standing: &Standing, activity: Activity) -> SiteFigures {
        SiteFigures {
            known: standing.known,
            progress: SiteProgress {
                site: site.lease.key.clone(),
                pages: site.pages,
                rendered: site.rendered,
                queued: standing.queued + standing.taken,
                activity,
            },
        }
    }
}

/// Returns the record of an exchange in a run, with its messages if they are kept.
pub(crate) fn page_row(exchange: &Exchange, run: Option<RunId>, keeps_messages: bool) -> PageRow {
    let validators = exchange.validators();
    PageRow {
        run,
        url: exchange.url.to_string(),
        fetched_at: exchange.started_at.into(),
        status: Some(exchange.status),
        media_type: exchange.media_type(),
        bytes: exchange.body().len() as u64,
        etag: validators.etag,
        last_modified: validators.last_modified,
        redirect: exchange.redirect_target().and_then(Result::ok).map(String::from),
        duration: u32::try_from(exchange.timings.total().as_millis()).ok(),
        exchange: keeps_messages.then(|| message(exchange)),
        ..PageRow::default()
    }
}

/// Returns an exchange as it is archived.
fn message(exchange: &Exchange) -> magpie_rows::Exchange {
    magpie_rows::Exchange {
        remote: Some(exchange.remote.ip()),
        request: Bytes::from(exchange.request().into_owned()),
        response_head: Bytes::from(exchange.response_head().into_owned()),
        body: exchange.raw_body.clone(),
        truncated: exchange
            .truncated
            .as_ref()
            .map(|truncation| match truncation.warc_token() {
                "length" => Truncated::Length,
                "time" => Truncated::Time,
                "disconnect" => Truncated::Disconnect,
                _ => Truncated::Unspecified,
            }),
    }
}
