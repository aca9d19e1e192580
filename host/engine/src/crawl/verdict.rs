//! What an answer means for its URL.

use std::time::Duration;

use magpie_discovery::{ProvenKey, UrlLesson};
use magpie_model::{CanonicalUrl, UrlReason};
use magpie_store::{Settled, UrlState};
use magpie_web::{Backoff, Exchange, FetchError, FetchErrorKind, Truncation};

use super::event::Event;
use super::fetch::Answer;
use super::host::Page;
use super::{Crawl, CrawlError};
use crate::client::kept;

/// Statuses that may be another the next time.
const PASSING: [u16; 7] = [408, 425, 429, 500, 502, 503, 504];

/// What an answer means.
pub(super) struct Verdict {
    pub(super) settled: Settled,
    /// What it leads to counts.
    pub(super) follows: bool,
    /// Redirects that led there, where it is one more.
    pub(super) hops: u32,
    pub(super) problem: Option<(UrlReason, String)>,
}

impl Verdict {
    pub(super) fn fetched() -> Verdict {
        Verdict {
            settled: Settled::fetched(magpie_store::UrlId(0)),
            follows: false,
            hops: 0,
            problem: None,
        }
    }

    fn follow() -> Verdict {
        Verdict {
            follows: true,
            ..Verdict::fetched()
        }
    }

    pub(super) fn failed(page: &Page, error: &FetchError) -> Verdict {
        let reason = url_reason(error.kind());
        let state = match error.kind() {
            FetchErrorKind::RefusedAddress => UrlState::Refused,
            _ => UrlState::Failed,
        };
        let mut settled = Settled::with(page.pending.id, state, Some(reason.clone()));
        settled.detail = Some(error.to_string());
        Verdict {
            settled,
            problem: Some((reason, error.to_string())),
            ..Verdict::fetched()
        }
    }
}

/// Returns the reason that is kept with a URL whose request failed.
pub(super) fn url_reason(kind: FetchErrorKind) -> UrlReason {
    match kind {
        FetchErrorKind::Request => UrlReason::Request,
        FetchErrorKind::Dns => UrlReason::Dns,
        FetchErrorKind::RefusedAddress => UrlReason::RefusedAddress,
        FetchErrorKind::Connect => UrlReason::Connect,
        FetchErrorKind::Proxy => UrlReason::Proxy,
        FetchErrorKind::Tls => UrlReason::Tls,
        FetchErrorKind::Timeout => UrlReason::Timeout,
        FetchErrorKind::Disconnected => UrlReason::Disconnected,
        FetchErrorKind::Protocol => UrlReason::Protocol,
        FetchErrorKind::TooLarge => UrlReason::TooLarge,
        FetchErrorKind::NotKept => UrlReason::NotArchived,
    }
}

impl Crawl<'_> {
    /// What an answer means for its URL.
    pub(super) fn verdict(
        &mut self,
        host: usize,
        page: &Page,
        answer: &Answer,
        now: i64,
    ) -> Result<Verdict, CrawlError> {
        let exchange = &answer.exchange;
        let site = self.hosts[host].site;
        if let Some(truncation) = &exchange.truncated {
            return Ok(self.cut_off(site, page, exchange, truncation, now));
        }
        Ok(match exchange.status {
            200..300 => self.judge_page(host, page, answer, now)?,
            304 => Verdict::fetched(),
            300..400 if exchange.redirect_kind().is_some() => self.judge_redirect(site, page, exchange),
            status if PASSING.contains(&status) => {
                let sentence = format!("the server answered {status}");
                self.again_or(
                    site,
                    page,
                    UrlReason::Status(status),
                    sentence,
                    exchange.retry_after(),
                    now,
                )
            }
            status => Verdict {
                problem: Some((UrlReason::Status(status), format!("the server answered {status}"))),
                follows: page.is_gone_start(status),
                ..Verdict::fetched()
            },
        })
    }

    fn judge_page(
        &mut self,
        host: usize,
        page: &Page,
        answer: &Answer,
        now: i64,
    ) -> Result<Verdict, CrawlError> {
        let Some(reading) = &answer.reading else {
            return Ok(Verdict::fetched());
        };
        // What could be read of it counts, and what could not is told.
        let coding = answer.exchange.body_problem();
        let coding = coding.map(|problem| (UrlReason::Coding, problem.to_string()));
        // Many sites answer with their first page what they do not know; it is a page all the same.
        let is_first = page.pending.depth == 0 || page.url.path_and_query() == "/";
        let profile = self.hosts[host].not_found.as_ref().filter(|_| !is_first);
        let not_found = profile.and_then(|profile| {
            let title = reading.title.as_deref().unwrap_or_default();
            profile.judge(&page.url, answer.exchange.status, title, &reading.text)
        });
        if let Some(not_found) = not_found {
            return Ok(Verdict {
                problem: Some((UrlReason::SoftNotFound, not_found.to_string())),
                ..Verdict::fetched()
            });
        }
        let site = self.hosts[host].site;
        let proven = self.sites[site].learn(&page.url, reading);
        if !proven.is_empty() {
            self.keep_proven(site, &proven, now)?;
        }
        Ok(match self.sites[site].near_duplicate(reading, page.pending.id) {
            Some(sentence) => Verdict {
                problem: Some((UrlReason::NearDuplicate, sentence)),
                ..Verdict::fetched()
            },
            None => Verdict {
                problem: coding,
                ..Verdict::follow()
            },
        })
    }

    /// Writes down and tells which keys in a site's URLs were proven to change nothing: later runs need no proof of their own.
    pub(super) fn keep_proven(
        &mut self,
        site: usize,
        proven: &[ProvenKey],
        now: i64,
    ) -> Result<(), CrawlError> {
        let lease = &self.sites[site].lease;
        let lessons = proven.iter().map(|proven| {
            let lesson = UrlLesson::NeedlessKey(proven.key.clone());
            kept(&lesson, proven.evidence.to_string(), now)
        });
        self.means.frontier.keep_lessons(lease, lessons.collect())?;
        // Whatever is asked for from now on goes by the new names, and would be asked for by the old ones again after a crash.
        self.means.frontier.flush()?;
        for proven in proven {
            let key = &proven.key;
            let text = match key.contains("://") {
                true => {
                    format!("it has the same pages with `www.` and without, and {key} is asked from now on")
                }
                false => format!("`{key}` in its URLs makes no difference, and is dropped from now on"),
            };
            let notice = Event::Notice {
                site: Some(lease.key.clone()),
                text,
            };
            (self.watcher)(notice, &self.progress);
        }
        Ok(())
    }

    /// Tells and writes down that a site's server answers to its own order of keys alone.
    pub(super) fn keep_order(
        &mut self,
        site: usize,
        page: &CanonicalUrl,
        now: i64,
    ) -> Result<(), CrawlError> {
        let lease = &self.sites[site].lease;
        let evidence = format!("{page} redirects to the same with its keys in another order");
        let lesson = kept(&UrlLesson::OwnOrder, evidence, now);
        self.means.frontier.keep_lessons(lease, vec![lesson])?;
        self.means.frontier.flush()?;
        let notice = Event::Notice {
            site: Some(lease.key.clone()),
            text: "its server has its own order of the keys in URLs, which is kept from now on".to_owned(),
        };
        (self.watcher)(notice, &self.progress);
        Ok(())
    }

    /// A redirect is followed as a URL of its own, unless it leads nowhere or is one too many.
    fn judge_redirect(&mut self, site: usize, page: &Page, exchange: &Exchange) -> Verdict {
        let most = self.sites[site].rules.settings.fetch.redirects;
        let hops = self.sites[site].redirects_before(page.url.fingerprint().0) + 1;
        let problem = match exchange.redirect_target() {
            Some(Err(bad)) => Some((UrlReason::BadRedirect, bad.to_string())),
            Some(Ok(target)) if self.sites[site].is_name_of(&target, &page.url) => Some((
                UrlReason::RedirectCircle,
                "it redirects to itself again and again".to_owned(),
            )),
            _ if u64::from(hops) > most => Some((
                UrlReason::TooManyRedirects,
                format!("more than {most} redirects lead here one after the other"),
            )),
            _ => None,
        };
        Verdict {
            follows: problem.is_none(),
            problem,
            hops,
            ..Verdict::fetched()
        }
    }

    /// A body that is not whole: tried again where that may help, else kept as far as it came.
    fn cut_off(
        &mut self,
        site: usize,
        page: &Page,
        exchange: &Exchange,
        truncation: &Truncation,
        now: i64,
    ) -> Verdict {
        if let Truncation::NotWanted { .. } = truncation {
            return Verdict {
                problem: Some((UrlReason::MediaType, truncation.to_string())),
                ..Verdict::fetched()
            };
        }
        let reason = UrlReason::from(&*format!("cut-{}", truncation.warc_token()));
        if truncation.is_retryable() {
            return self.again_or(
                site,
                page,
                reason,
                truncation.to_string(),
                exchange.retry_after(),
                now,
            );
        }
        Verdict {
            problem: Some((reason, truncation.to_string())),
            ..Verdict::fetched()
        }
    }

    /// Tried again, or given up when that was enough.
    pub(super) fn again_or(
        &mut self,
        site: usize,
        page: &Page,
        reason: UrlReason,
        sentence: String,
        retry_after: Option<Duration>,
        now: i64,
    ) -> Verdict {
        let backoff = Backoff::new(self.sites[site].rules.retries.clone(), page.url.fingerprint().0);
        let settled = match backoff.wait(page.pending.attempts + 1, retry_after) {
            Some(wait) => {
                let wait = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
                Settled::again(page.pending.id, now.saturating_add(wait), reason.clone())
            }
            None => Settled::with(page.pending.id, UrlState::Failed, Some(reason.clone())),
        };
        Verdict {
            settled: Settled {
                detail: Some(sentence.clone()),
                ..settled
            },
            problem: Some((reason, sentence)),
            ..Verdict::fetched()
        }
    }
}
