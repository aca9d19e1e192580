//! How far a crawl is.

use magpie_store::Standing;
use magpie_web::Exchange;

use super::Crawl;
use super::event::{PageEvent, SiteProgress};

/// The sums of sites that were given back.
#[derive(Default)]
pub(super) struct Finished {
    known: u64,
    queued: u64,
    /// The first of them one by one.
    sites: Vec<SiteProgress>,
}

/// Finished sites that are told one by one; the others are in the sums.
const TOLD: usize = 1_000;

impl Crawl<'_> {
    pub(super) fn count_page(&mut self, site: usize, exchange: &Exchange, event: &PageEvent) {
        let received = exchange.raw_body.len() as u64;
        self.sites[site].pages += 1;
        self.sites[site].bytes += received;
        self.progress.pages += 1;
        self.progress.bytes += received;
        self.progress.objects += event.objects;
        for (vertical, code, _) in &event.failures {
            let failures = self.progress.failures.entry(format!("{vertical}: {code}"));
            *failures.or_default() += 1;
        }
        *self.progress.statuses.entry(exchange.status / 100).or_default() += 1;
        if let Some((reason, _)) = &event.problem {
            *self.progress.problems.entry(reason.to_string()).or_default() += 1;
        }
    }

    /// Brings the numbers up to date that nobody counts along.
    pub(super) fn count(&mut self) {
        self.progress.elapsed = self.started.elapsed();
        self.progress.in_flight = self.in_flight as u64;
        let now = self.now();
        let (mut known, mut queued) = (self.finished.known, self.finished.queued);
        let mut sites = Vec::new();
        for (index, site) in &self.sites {
            let Ok(standing) = self.means.frontier.standing(&site.lease) else {
                continue;
            };
            known += standing.known;
            let site = self.site_progress(index, &standing, now);
            queued += site.queued;
            sites.push(site);
        }
        sites.extend_from_slice(&self.finished.sites);
        let progress = &mut self.progress;
        (progress.known, progress.queued, progress.sites) = (known, queued, sites);
        progress.sites_waiting = self.waiting.len() as u64;
    }

    /// Adds a site that is given back to what is through.
    pub(super) fn count_finished(&mut self, index: usize) {
        if let Ok(standing) = self.means.frontier.standing(&self.sites[index].lease) {
            let site = self.site_progress(index, &standing, self.now());
            self.finished.known += standing.known;
            self.finished.queued += site.queued;
            if self.finished.sites.len() < TOLD {
                self.finished.sites.push(site);
            }
        }
        self.progress.sites_finished += 1;
    }

    fn site_progress(&self, index: usize, standing: &Standing, now: i64) -> SiteProgress {
        let site = &self.sites[index];
        SiteProgress {
            site: site.lease.key.clone(),
            pages: site.pages,
            queued: standing.queued + standing.taken,
            state: self.state_of(index, now),
        }
    }

    fn state_of(&self, index: usize, now: i64) -> String {
        let site = &self.sites[index];
        if let Some(why) = &site.closed {
            return format!("closed: {why}");
        }
        let hosts: Vec<_> = site.hosts.values().map(|host| &self.hosts[*host]).collect();
        if hosts.iter().any(|host| host.throttle.in_flight() > 0) {
            return "fetching".to_owned();
        }
        let waiting = hosts
            .iter()
            .filter(|host| host.has_work())
            .map(|host| host.throttle.next(now));
        match waiting.min_by_key(|next| next.at) {
            Some(next) => next.reason.to_string(),
            None => match site.empty_until {
                Some(until) => {
                    let seconds = (until - now).max(0).div_euclid(1_000) + 1;
                    match hosts.iter().any(|host| host.closed_until(now).is_some()) {
                        true => format!("waits {seconds} s: its robots.txt can't be had"),
                        false => format!("waits {seconds} s to try again what failed"),
                    }
                }
                None => "done".to_owned(),
            },
        }
    }
}
