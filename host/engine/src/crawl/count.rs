//! How far a crawl is.

use magpie_web::Exchange;

use super::Crawl;
use super::event::{PageEvent, SiteProgress};

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
        if let Some((code, _)) = &event.problem {
            *self.progress.problems.entry(code.clone()).or_default() += 1;
        }
    }

    /// Brings the numbers up to date that nobody counts along.
    pub(super) fn count(&mut self) {
        self.progress.elapsed = self.started.elapsed();
        self.progress.in_flight = self.in_flight as u64;
        let now = self.now();
        let mut sites = Vec::new();
        for (index, site) in self.sites.iter().enumerate() {
            let Ok(standing) = self.means.frontier.standing(&site.lease) else {
                continue;
            };
            sites.push((
                standing,
                SiteProgress {
                    site: site.lease.key.clone(),
                    pages: site.pages,
                    queued: standing.queued + standing.taken,
                    state: self.state_of(index, now),
                },
            ));
        }
        if !sites.is_empty() {
            self.progress.known = sites.iter().map(|(standing, _)| standing.known).sum();
            self.progress.queued = sites.iter().map(|(_, site)| site.queued).sum();
            self.progress.sites = sites.into_iter().map(|(_, site)| site).collect();
        }
    }

    fn state_of(&self, index: usize, now: i64) -> String {
        let site = &self.sites[index];
        if let Some(why) = &site.closed {
            return format!("closed: {why}");
        }
        let hosts: Vec<_> = self.hosts.iter().filter(|host| host.site == index).collect();
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
                Some(until) => format!(
                    "waits {} s to try again what failed",
                    (until - now).max(0).div_euclid(1_000) + 1
                ),
                None => "done".to_owned(),
            },
        }
    }
}
