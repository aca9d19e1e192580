//! What comes before a host's pages: its robots.txt, a look at its "not found", its sitemaps and feeds.

use std::sync::Arc;

use magpie_discovery::{NotFoundProfile, Robots, RobotsFetch, RobotsOutcome, Rules, robots_outcome, sitemap};
use magpie_http::HttpProblem;
use magpie_store::{HandIn, Host as HostRow, Robots as RobotsRow, RobotsEffect};
use magpie_web::{Exchange, FetchError, FetchErrorKind, Truncation};
use url::Url;

use magpie_model::UrlReason;

use super::event::Event;
use super::fetch::{Answer, Outcome};
use super::host::Job;
use super::record::row;
use super::verdict::url_reason;
use super::{Crawl, CrawlError, seed_offer};
use crate::settings::RobotsRule;

/// Where a sitemap lies that nobody names.
const USUAL_SITEMAP: &str = "/sitemap.xml";

/// Entries of a sitemap that are handed in at once. All fifty thousand that one may have would take more memory than a crawl of a
/// million URLs has otherwise.
const ENTRIES_AT_ONCE: usize = 1_000;

/// Returns what an answer to the request for a robots.txt is.
pub(crate) fn robots_answer(exchange: &Exchange) -> RobotsFetch {
    let is_whole = match &exchange.truncated {
        Some(Truncation::Length { .. } | Truncation::Kept { word: "length" }) => true,
        Some(_) => false,
        None => matches!(
            exchange.body_problem(),
            None | Some(HttpProblem::BodyTooLarge { .. } | HttpProblem::NotCoded { .. })
        ),
    };
    RobotsFetch::Answer {
        status: exchange.status,
        has_location: matches!(exchange.redirect_target(), Some(Ok(_))),
        is_whole,
    }
}

/// Returns what it is that there was no answer.
pub(crate) fn robots_failure(error: &FetchError) -> RobotsFetch {
    match error.kind() {
        FetchErrorKind::RefusedAddress => RobotsFetch::Refused,
        _ => RobotsFetch::Unreachable,
    }
}

impl Crawl<'_> {
    /// Something that comes before a host's pages is done.
    pub(super) fn prepared(
        &mut self,
        host: usize,
        job: Job,
        outcome: Outcome,
        started_at: i64,
        now: i64,
    ) -> Result<(), CrawlError> {
        match job {
            Job::Robots { origin, hops, .. } => self.robots(host, origin, hops, &outcome, started_at, now),
            Job::Probe { .. } => {
                self.probed(host, outcome);
                Ok(())
            }
            Job::Sitemap { level, .. } => self.sitemap(host, level, outcome, now),
            Job::Page(_) => Ok(()),
        }
    }

    /// Goes by the robots file that was read in an earlier crawl, while it is believed. Whether there is one.
    pub(super) fn recall_robots(&mut self, index: usize, origin: &str, now: i64) -> Result<bool, CrawlError> {
        let Some(known) = self.means.frontier.robots(origin)? else {
            return Ok(false);
        };
        let site = self.hosts[index].site;
        let settings = &self.sites[site].rules.settings;
        let age = i64::try_from(settings.politeness.robots_age.as_millis()).unwrap_or(i64::MAX);
        let until = known.fetched_at.saturating_add(age);
        // A file from the future was read by a clock that was wrong.
        if known.fetched_at > now || until <= now {
            return Ok(false);
        }
        let robots = match (known.outcome, &known.text) {
            (RobotsEffect::Rules, Some(text)) => Some(Robots::parse(text.as_bytes())),
            (RobotsEffect::AllAllowed, _) => None,
            (RobotsEffect::Rules | RobotsEffect::AllRefused | RobotsEffect::Ignored, _) => return Ok(false),
        };
        let obeyed = settings.politeness.robots == RobotsRule::Obey;
        let rules = robots
            .as_ref()
            .filter(|_| obeyed)
            .map(|robots| Arc::new(robots.rules(&settings.identity.robots_name)));
        self.hosts[index].set_rules(origin.to_owned(), rules, until);
        // Where the ways are known, a site's sitemaps are news as often as its robots file is.
        if self.sites[site].guide.is_none() {
            let sitemaps = robots.map_or_else(Vec::new, |robots| robots.sitemaps().to_vec());
            self.prepare_host(index, origin, sitemaps, now);
        }
        Ok(true)
    }

    fn robots(
        &mut self,
        index: usize,
        origin: String,
        hops: u32,
        outcome: &Outcome,
        started_at: i64,
        now: i64,
    ) -> Result<(), CrawlError> {
        if let Outcome::Failed(error) = outcome
            && self.is_unreachable(index, &origin, error)?
        {
            return self.unreached(index, origin, error, started_at, now);
        }
        let site = self.hosts[index].site;
        let politeness = self.sites[site].rules.settings.politeness.clone();
        let fetched = match outcome {
            Outcome::Answer(answer) => robots_answer(&answer.exchange),
            Outcome::Failed(error) => robots_failure(error),
            Outcome::Lost => RobotsFetch::Unreachable,
        };
        let wait = i64::try_from(politeness.robots_wait.as_millis()).unwrap_or(i64::MAX);
        let until = now + i64::try_from(politeness.robots_age.as_millis()).unwrap_or(i64::MAX);
        let mut record = RobotsRow {
            fetched_at: started_at,
            status: match &fetched {
                RobotsFetch::Answer { status, .. } => Some(*status),
                _ => None,
            },
            outcome: RobotsEffect::AllRefused,
            text: None,
        };
        let mut sitemaps = Vec::new();
        match robots_outcome(fetched, hops) {
            RobotsOutcome::Follow => {
                let target = match outcome {
                    Outcome::Answer(answer) => answer.exchange.redirect_target().and_then(Result::ok),
                    _ => None,
                };
                if let Some(target) = target {
                    self.hosts[index].prepare(Job::Robots {
                        origin,
                        at: Some(target),
                        hops: hops + 1,
                    });
                    return Ok(());
                }
                record.outcome = RobotsEffect::AllAllowed;
                self.hosts[index].set_rules(origin.clone(), None, until);
            }
            RobotsOutcome::Read => {
                let body = match outcome {
                    Outcome::Answer(answer) => answer.exchange.body(),
                    _ => &[],
                };
                let robots = Robots::parse(body);
                sitemaps = robots.sitemaps().to_vec();
                record.outcome = RobotsEffect::Rules;
                record.text = Some(String::from_utf8_lossy(body).into_owned());
                let rules: Rules = robots.rules(&self.sites[site].rules.settings.identity.robots_name);
                let obeyed = politeness.robots == RobotsRule::Obey;
                self.hosts[index].set_rules(origin.clone(), obeyed.then(|| Arc::new(rules)), until);
            }
            RobotsOutcome::AllowAll(_) => {
                record.outcome = RobotsEffect::AllAllowed;
                self.hosts[index].set_rules(origin.clone(), None, until);
            }
            RobotsOutcome::DisallowAll(why) if politeness.robots == RobotsRule::Obey => {
                record.outcome = RobotsEffect::AllRefused;
                let why = match outcome {
                    Outcome::Failed(error) => error.to_string(),
                    _ => why.to_string(),
                };
                let notice = Event::Notice {
                    site: Some(self.sites[site].lease.key.clone()),
                    text: format!("{origin}/robots.txt can't be had, so nothing is fetched there: {why}"),
                };
                (self.watcher)(notice, &self.progress);
                let (code, again) = match fetched == RobotsFetch::Refused {
                    true => (UrlReason::RefusedAddress, None),
                    false => (UrlReason::RobotsUnreachable, Some(now.saturating_add(wait))),
                };
                self.hosts[index].close(origin.clone(), (code, why), again);
            }
            RobotsOutcome::DisallowAll(_) => {
                record.outcome = RobotsEffect::Ignored;
                self.hosts[index].set_rules(origin.clone(), None, until);
            }
        }
        let is_closed = record.outcome == RobotsEffect::AllRefused;
        self.record_host(index, &origin, record, outcome)?;
        if !is_closed {
            self.prepare_host(index, &origin, sitemaps, now);
        }
        Ok(())
    }

    /// Returns `true` if an error says that there is no server behind an address that never
    /// answered: most such addresses are mistyped. A server that is known and does not answer is
    /// waited for.
    fn is_unreachable(&self, index: usize, origin: &str, error: &FetchError) -> Result<bool, CrawlError> {
        use FetchErrorKind::{Connect, Dns, Timeout, Tls};
        let host = &self.hosts[index];
        if self.sites[host.site].pages > 0 || !matches!(error.kind(), Connect | Dns | Timeout | Tls) {
            return Ok(false);
        }
        if self.has_answered(origin)? {
            return Ok(false);
        }
        let page = host.next_page().map(|page| page.pending.id);
        let answer = page
            .map(|page| self.means.frontier.last_answer(page))
            .transpose()?;
        Ok(answer.flatten().is_none())
    }

    /// Gives up an origin that never answered, after one more try where that may help. A host that
    /// was named without a scheme is then asked by the other one.
    fn unreached(
        &mut self,
        index: usize,
        origin: String,
        error: &FetchError,
        started_at: i64,
        now: i64,
    ) -> Result<(), CrawlError> {
        let host = &mut self.hosts[index];
        if error.is_retryable() && !host.tried_again.contains(&origin) {
            host.tried_again.push(origin.clone());
            host.prepare(Job::Robots {
                origin,
                at: None,
                hops: 0,
            });
            return Ok(());
        }
        let index_of_site = host.site;
        let record = RobotsRow {
            fetched_at: started_at,
            status: None,
            outcome: RobotsEffect::AllRefused,
            text: None,
        };
        let why = error.to_string();
        host.close(origin.clone(), (url_reason(error.kind()), why.clone()), None);
        self.record_host(index, &origin, record, &Outcome::Lost)?;
        let site = &mut self.sites[index_of_site];
        let key = site.lease.key.clone();
        let otherwise = match error.kind() {
            // A name is there or not, whatever is spoken behind it.
            FetchErrorKind::Dns => Vec::new(),
            _ => std::mem::take(&mut site.otherwise),
        };
        let text = match otherwise.first() {
            Some(other) => format!("{origin} can't be reached: {why}; {other} is tried instead"),
            None => {
                self.progress.unreached.insert(key.clone(), why.clone());
                format!("{origin} can't be reached, and is left out: {why}")
            }
        };
        if !otherwise.is_empty() {
            (site.exhausted, site.empty_until) = (false, None);
            site.is_plain = true;
            let hand_in = HandIn {
                offers: otherwise.iter().map(|seed| seed_offer(seed, now)).collect(),
                ..HandIn::default()
            };
            self.means.frontier.hand_in(&site.lease, hand_in)?;
        }
        let notice = Event::Notice {
            site: Some(key),
            text,
        };
        (self.watcher)(notice, &self.progress);
        Ok(())
    }

    /// Writes a host's robots file down, with the messages it came by.
    fn record_host(
        &mut self,
        index: usize,
        origin: &str,
        robots: RobotsRow,
        outcome: &Outcome,
    ) -> Result<(), CrawlError> {
        let host = &self.hosts[index];
        let state = host.throttle.state();
        let record = HostRow {
            origin: origin.to_owned(),
            next_ok_at: state.not_before.unwrap_or_default(),
            delay: i64::try_from(host.throttle.delay().as_millis()).unwrap_or(i64::MAX),
            failures: state.failures,
            robots: Some(robots),
        };
        let page = match outcome {
            Outcome::Answer(answer) => Some(self.row_beside(&answer.exchange)),
            _ => None,
        };
        let hand_in = HandIn {
            hosts: vec![record],
            page,
            ..HandIn::default()
        };
        let site = self.hosts[index].site;
        self.means.frontier.hand_in(&self.sites[site].lease, hand_in)?;
        Ok(())
    }

    /// The row of a page that is no URL of the frontier.
    fn row_beside(&self, exchange: &Exchange) -> magpie_store::Page {
        let mut row = row(exchange, None, self.means.keep);
        row.run = self.means.run;
        row
    }

    fn prepare_host(&mut self, index: usize, origin: &str, mut sitemaps: Vec<String>, now: i64) {
        let host = &mut self.hosts[index];
        let site = &self.sites[host.site];
        if site.rules.settings.traps.soft_404 {
            host.prepare(Job::Probe {
                origin: origin.to_owned(),
            });
        }
        if !site.reads_sitemaps() {
            return;
        }
        if sitemaps.is_empty() {
            sitemaps.push(format!("{origin}{USUAL_SITEMAP}"));
        }
        host.renew_sitemaps(site.rules.settings.politeness.robots_age, now);
        let base = Url::parse(origin).ok();
        let urls = sitemaps.iter().filter_map(|url| match &base {
            Some(base) => base.join(url).ok(),
            None => None,
        });
        for url in urls {
            // What robots.txt forbids is forbidden to be read as a sitemap too, but naming it there is a permission.
            if url.origin().ascii_serialization() == origin {
                host.prepare_sitemap(url, 0);
            }
        }
        for feed in &site.feeds {
            if feed.origin() == origin {
                host.prepare_feed(feed, now);
            }
        }
    }

    fn probed(&mut self, index: usize, outcome: Outcome) {
        if let Outcome::Answer(answer) = outcome {
            let text = answer
                .reading
                .as_ref()
                .map_or("", |reading| reading.text.as_str());
            self.hosts[index].not_found = Some(NotFoundProfile::learn(answer.exchange.status, text, None));
        }
    }

    fn sitemap(&mut self, index: usize, level: u32, outcome: Outcome, now: i64) -> Result<(), CrawlError> {
        let Outcome::Answer(answer) = outcome else {
            return Ok(());
        };
        let Answer { exchange, .. } = *answer;
        if exchange.status == 200 {
            let read = sitemap::read(exchange.body(), &sitemap::SitemapLimits::default());
            if read.kind == sitemap::SitemapKind::Index {
                self.prepare_sitemaps(index, &read, &exchange.url, level + 1);
            } else {
                self.take_in(self.hosts[index].site, &read, &exchange.url, now)?;
            }
        }
        // The file counts as read when all that it names is known.
        let hand_in = HandIn {
            page: Some(self.row_beside(&exchange)),
            ..HandIn::default()
        };
        let site = &self.sites[self.hosts[index].site];
        self.means.frontier.hand_in(&site.lease, hand_in)?;
        Ok(())
    }

    /// Hands in what a sitemap or feed says.
    fn take_in(
        &mut self,
        site: usize,
        said_by: &sitemap::Sitemap,
        base: &Url,
        now: i64,
    ) -> Result<(), CrawlError> {
        for entries in said_by.entries.chunks(ENTRIES_AT_ONCE) {
            let own = &mut self.sites[site];
            let said = own.said(said_by.kind, entries, base, now);
            if !said.found.offers.is_empty() {
                (own.exhausted, own.empty_until) = (false, None);
            }
            let hand_in = HandIn {
                offers: said.found.offers,
                hints: said.hints,
                ..HandIn::default()
            };
            self.hand_in(site, hand_in, None)?;
        }
        Ok(())
    }

    /// Lets the sitemaps be read that an index names.
    fn prepare_sitemaps(&mut self, index: usize, named: &sitemap::Sitemap, base: &Url, level: u32) {
        let urls = named
            .entries
            .iter()
            .filter_map(|entry| base.join(&entry.location).ok());
        for url in urls.filter(|url| url.origin() == base.origin()) {
            self.hosts[index].prepare_sitemap(url, level);
        }
    }
}
