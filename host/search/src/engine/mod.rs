//! Search engines that answer with JSON.
//!
//! Queries are sent one at a time, with a delay between them, because engines count requests and
//! refuse fast clients. Answers are untrusted: lengths are bounded, and values that are not URLs of
//! pages are dropped.

mod answer;
mod error;
mod plan;
mod settings;
mod template;

use std::time::Duration;

use magpie_web::{
    Backoff, BackoffSettings, Client, Exchange, FetchError, FetchErrorKind, Request, Truncation,
};
use tokio::time::{Instant, sleep_until, timeout};
use url::Url;

use answer::{Answer, Junk};
use plan::Plan;

pub use error::SearchError;
pub use plan::BadEngine;
pub use settings::{EngineKind, EngineSettings, Key};

/// Maximum length of a query, in bytes. Engines use some dozens of words.
pub const MAX_QUERY_LEN: usize = 2048;
/// Maximum length of the URL of a request. Servers refuse heads beyond 8 to 64 KiB.
const MAX_REQUEST_LEN: usize = 32 * 1024;
/// The first retry comes no sooner, whatever the delay is: a server that restarts takes a moment.
const MIN_RETRY: Duration = Duration::from_millis(250);

/// One page that an engine names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its address: `http` or `https`, with a host and without a password.
    pub url: Url,
    /// Its place among the results, from 1. Results that were left out keep theirs.
    pub rank: u32,
}

/// Counts of the queries so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineCounts {
    pub queries: u64,
    /// Requests that were made for them.
    pub requests: u64,
    pub hits: u64,
    /// Results that were left out because they have no address of a page.
    pub skipped: u64,
}

/// A search engine that is asked one query after the other.
#[derive(Debug)]
pub struct SearchEngine {
    client: Client,
    plan: Plan,
    backoff: Backoff,
    counts: EngineCounts,
    /// Not before then is it asked again.
    next: Option<Instant>,
    /// True if an answer had a list of results, so that one without a list has no results.
    has_seen_list: bool,
}

/// A failed request, and when it may be repeated.
struct Failure {
    error: SearchError,
    again: Again,
}

enum Again {
    /// The same request gets the same answer.
    Never,
    /// It may pass by itself.
    Later,
    /// The engine asked for a pause.
    After(Duration),
}

impl SearchEngine {
    /// Creates an engine that is queried through a client. The client decides which addresses may
    /// be connected to.
    ///
    /// # Errors
    /// If the settings are incomplete or contradictory.
    pub fn new(settings: EngineSettings, client: Client) -> Result<SearchEngine, BadEngine> {
        let plan = Plan::new(settings)?;
        let backoff = BackoffSettings {
            first: (plan.delay * 2).max(MIN_RETRY),
            longest: plan.longest_wait,
            retries: plan.retries,
            ..BackoffSettings::default()
        };
        Ok(SearchEngine {
            client,
            // The waits need not differ from run to run, since no other client waits for the same
            // engine.
            backoff: Backoff::new(backoff, 0),
            plan,
            counts: EngineCounts::default(),
            next: None,
            has_seen_list: false,
        })
    }

    /// Label of the engine in errors: its URL without secrets.
    pub fn label(&self) -> &str {
        &self.plan.label
    }

    /// Counts of the queries so far.
    pub fn counts(&self) -> EngineCounts {
        self.counts
    }

    /// Searches for pages, the best first. Waits for its turn, and for retries.
    ///
    /// Dropping the future ends the request; the delay before the next one is kept.
    ///
    /// # Errors
    /// If there is no usable answer; [`SearchError::is_final`] returns true if other queries would
    /// fail too.
    pub async fn search(&mut self, query: &str) -> Result<Vec<Hit>, SearchError> {
        Ok(self.ask(query).await?.hits)
    }

    /// Returns the number of pages that the engine knows for a query; `None` if its answers do not
    /// have it. Waits as [`search`](SearchEngine::search) does.
    ///
    /// # Errors
    /// If there is no usable answer.
    pub async fn count(&mut self, query: &str) -> Result<Option<u64>, SearchError> {
        Ok(self.ask(query).await?.total)
    }

    /// Returns `true` if answers of the engine may have the number of pages it knows for a query.
    pub fn counts_results(&self) -> bool {
        self.plan.total.is_some()
    }

    async fn ask(&mut self, query: &str) -> Result<Answer, SearchError> {
        let request = self.request(query)?;
        self.counts.queries += 1;
        let mut tries = 0_u32;
        loop {
            tries = tries.saturating_add(1);
            if let Some(next) = self.next {
                sleep_until(next).await;
            }
            let failure = match self.attempt(&request, tries).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let Some(wait) = self.wait(&failure.again, tries) else {
                return Err(failure.error);
            };
            self.rest(wait);
        }
    }

    fn request(&self, query: &str) -> Result<Request, SearchError> {
        let query = query.trim();
        if query.is_empty() {
            return Err(SearchError::EmptyQuery);
        }
        let too_long = |bytes: usize, limit: usize| SearchError::LongQuery { bytes, limit };
        if query.len() > MAX_QUERY_LEN {
            return Err(too_long(query.len(), MAX_QUERY_LEN));
        }
        let address = self.plan.address(query);
        // The template was checked when the settings were read, so an address that can't be parsed
        // is too long.
        let url = Url::parse(&address).map_err(|_| too_long(address.len(), MAX_REQUEST_LEN))?;
        if url.as_str().len() > MAX_REQUEST_LEN {
            return Err(too_long(url.as_str().len(), MAX_REQUEST_LEN));
        }
        let mut request = Request::new(url);
        request.accept = Some("application/json".to_owned());
        request.headers.extend(self.plan.header.clone());
        request.body_bytes = Some(self.plan.body_bytes);
        Ok(request)
    }

    async fn attempt(&mut self, request: &Request, tries: u32) -> Result<Answer, Failure> {
        // Set before as well, for those who stop waiting.
        self.rest(self.plan.delay);
        self.counts.requests += 1;
        let fetched = timeout(self.plan.timeout, self.client.fetch(request)).await;
        // The delay counts from the end of an answer, however long that took.
        self.rest(self.plan.delay);
        match fetched {
            Ok(Ok(exchange)) => self.read(&exchange, tries),
            Ok(Err(cause)) => Err(self.unanswered(cause, tries)),
            Err(_) => Err(self.slow(self.plan.timeout, tries)),
        }
    }

    /// No request before the time has passed.
    fn rest(&mut self, wait: Duration) {
        let now = Instant::now();
        let until = now.checked_add(wait).unwrap_or(now);
        // A pause that the engine asked for must not be shortened by the usual delay.
        self.next = Some(self.next.map_or(until, |next| next.max(until)));
    }

    /// Returns the wait before the request is repeated, or `None` if it is not.
    fn wait(&self, again: &Again, failures: u32) -> Option<Duration> {
        match again {
            Again::Never => None,
            Again::Later => self.backoff.wait(failures, None),
            Again::After(wanted) if *wanted > self.plan.longest_wait => None,
            Again::After(wanted) => self.backoff.wait(failures, Some(*wanted)),
        }
    }

    fn read(&mut self, exchange: &Exchange, tries: u32) -> Result<Answer, Failure> {
        // The status comes first: the body of a refusal is no answer, however it looks.
        if exchange.status != 200 {
            return Err(self.refusal(exchange, tries));
        }
        if let Some(truncated) = &exchange.truncated {
            return Err(self.cut_off(truncated, tries));
        }
        let body = exchange.body();
        if body.len() > self.plan.body_bytes {
            return Err(self.too_long());
        }
        if let Some(problem) = exchange.body_problem() {
            return Err(self.junk(Junk::NotJson(problem.to_string()), None));
        }
        let read = answer::hits(body, &self.plan, self.has_seen_list);
        let answer = read.map_err(|junk| self.junk(junk, exchange.media_type()))?;
        self.has_seen_list |= answer.has_list;
        self.counts.hits += answer.hits.len() as u64;
        self.counts.skipped += answer.skipped;
        Ok(answer)
    }

    fn refusal(&self, exchange: &Exchange, tries: u32) -> Failure {
        let engine = self.plan.label.clone();
        let status = exchange.status;
        let kind = self.plan.kind;
        let (error, again) = match status {
            429 => {
                let wanted = exchange.retry_after();
                let longest = self.plan.longest_wait;
                let error = SearchError::RateLimited {
                    engine,
                    wanted,
                    longest,
                    tries,
                };
                (error, wanted.map_or(Again::Later, Again::After))
            }
            // A retry changes none of these: the key, the quota or a setting does.
            401..=403 => (SearchError::Refused { engine, status, kind }, Again::Never),
            408 | 500.. => {
                let again = exchange.retry_after().map_or(Again::Later, Again::After);
                (
                    SearchError::Failing {
                        engine,
                        status,
                        tries,
                    },
                    again,
                )
            }
            300..=399 => {
                // Only the origin is shown, because the rest of the address may contain the key.
                let target = exchange.redirect_target().and_then(Result::ok);
                let to = target.map(|url| url.origin().ascii_serialization());
                (SearchError::Redirected { engine, status, to }, Again::Never)
            }
            _ => (SearchError::Unexpected { engine, status, kind }, Again::Never),
        };
        Failure { error, again }
    }

    fn unanswered(&self, cause: FetchError, tries: u32) -> Failure {
        let engine = self.plan.label.clone();
        let again = if cause.is_retryable() {
            Again::Later
        } else {
            Again::Never
        };
        let error = match (&cause, cause.kind()) {
            (FetchError::Timeout { limit, .. }, _) => SearchError::Slow {
                engine,
                limit: *limit,
                tries,
            },
            // It shows the whole address, where the key may be.
            (_, FetchErrorKind::Request | FetchErrorKind::NotKept) => SearchError::Unsendable { engine },
            _ => SearchError::Down {
                engine,
                tries,
                cause: Box::new(cause),
            },
        };
        Failure { error, again }
    }

    fn cut_off(&self, truncated: &Truncation, tries: u32) -> Failure {
        let engine = self.plan.label.clone();
        let reason = truncated.to_string();
        match truncated {
            Truncation::Length { .. } => self.too_long(),
            Truncation::Time { limit, .. } => self.slow(*limit, tries),
            other => Failure {
                again: if other.is_retryable() {
                    Again::Later
                } else {
                    Again::Never
                },
                error: SearchError::BrokenOff {
                    engine,
                    reason,
                    tries,
                },
            },
        }
    }

    fn slow(&self, limit: Duration, tries: u32) -> Failure {
        let engine = self.plan.label.clone();
        Failure {
            error: SearchError::Slow { engine, limit, tries },
            again: Again::Later,
        }
    }

    fn too_long(&self) -> Failure {
        let (engine, limit) = (self.plan.label.clone(), self.plan.body_bytes);
        Failure {
            error: SearchError::LongAnswer { engine, limit },
            again: Again::Never,
        }
    }

    fn junk(&self, junk: Junk, media_type: Option<String>) -> Failure {
        let (engine, kind) = (self.plan.label.clone(), self.plan.kind);
        let error = match junk {
            Junk::NotJson(reason) => SearchError::NotJson {
                engine,
                kind,
                reason,
                is_html: media_type.is_some_and(|media_type| media_type.contains("html")),
            },
            Junk::NoList => SearchError::NoList {
                engine,
                kind,
                pointer: self.plan.results.clone(),
            },
            Junk::NoAddresses(results) => SearchError::NoAddresses {
                engine,
                kind,
                results,
                pointer: self.plan.result_url.clone(),
            },
        };
        Failure {
            error,
            again: Again::Never,
        }
    }
}
