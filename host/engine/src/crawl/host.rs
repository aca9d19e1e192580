//! One host of a site: its robots.txt, a probe of its "not found", its sitemaps and feeds, and
//! its pages, in this order.
//!
//! A session decides from answers alone and asks for nothing itself, so a crawl and an inspection
//! of one page share it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use magpie_discovery::sitemap::{SitemapWalk, WalkLimits};
use magpie_discovery::{
    NotFoundProfile, Robots, RobotsFetch, RobotsOutcome, RobotsReason, Rules, robots_outcome,
};
use magpie_http::HttpProblem;
use magpie_model::{CanonicalUrl, UrlReason};
use magpie_rows::{Host as HostRow, Pending, Robots as RobotsRow, RobotsEffect};
use magpie_values::Timestamp;
use magpie_web::{Exchange, FetchError, FetchErrorKind, Truncation, Validators};
use url::Url;

use super::pace::Pace;
use super::reason::url_reason;
use super::rules::SiteRules;
use crate::settings::RobotsRule;

/// The usual place of a sitemap that robots.txt does not name.
const USUAL_SITEMAP: &str = "/sitemap.xml";

#[derive(Clone, Debug)]
pub(crate) enum Job {
    Page(Page),
    Robots {
        /// The scheme, name and port that it is for.
        origin: String,
        /// The target of a redirect; `None` for the usual place.
        at: Option<Url>,
        hops: u32,
    },
    /// A page that does not exist, to learn what the host answers then.
    Probe {
        /// The scheme, name and port.
        origin: String,
    },
    Sitemap {
        url: Url,
        /// Its depth below the first index.
        level: u32,
    },
}

impl Job {
    /// The request for the robots.txt of an origin.
    pub(crate) fn robots(origin: &str) -> Job {
        Job::Robots {
            origin: origin.to_owned(),
            at: None,
            hops: 0,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(super) pending: Pending,
    pub(super) url: CanonicalUrl,
    /// The form that it is the answer to, if that is sent by POST.
    pub(super) form: Option<Posted>,
    /// The addresses that the server redirected to as its own names of the page.
    pub(super) aliases: Vec<CanonicalUrl>,
    /// The version that its last answer named.
    pub(super) validators: Option<Validators>,
}

/// A form that is sent by POST.
#[derive(Clone, Debug)]
pub(crate) struct Posted {
    pub(super) action: CanonicalUrl,
    pub(super) body: String,
}

impl Page {
    /// Returns the address to ask for. That is the action of a form.
    pub(super) fn address(&self) -> &CanonicalUrl {
        match &self.form {
            Some(form) => &form.action,
            None => self.aliases.last().unwrap_or(&self.url),
        }
    }

    /// Returns `true` if the site begins with this page, or it is the root of its host.
    pub(super) fn is_entry(&self) -> bool {
        self.pending.depth == 0 || self.url.path_and_query() == "/"
    }

    /// Returns `true` if the site begins with this page and the page is gone.
    pub(super) fn is_gone_entry(&self, status: u16) -> bool {
        // Its error page is read for links, since the rest of the site may still be there.
        self.pending.depth == 0 && matches!(status, 404 | 410)
    }
}

/// The rules for a page by the robots.txt of its origin.
pub(crate) enum Permission {
    Allowed,
    /// It must not be fetched, for a reason.
    Refused(String),
    /// The file is not available. Nothing may be fetched until `until`, or nothing in this run if
    /// that is `None`.
    Closed {
        reason: UrlReason,
        why: String,
        until: Option<Timestamp>,
    },
    /// The file has to be asked for first.
    Unknown,
}

/// The statement of a robots.txt on a page, for people.
#[derive(Clone, Debug)]
pub struct RobotsVerdict {
    /// `true` if the page may be fetched.
    pub allowed: bool,
    /// The reason, as a sentence.
    pub sentence: String,
    /// The delay that the file asks for.
    pub crawl_delay: Option<Duration>,
}

/// The robots.txt of one origin.
#[derive(Clone, Debug)]
struct RobotsFile {
    origin: String,
    state: RobotsState,
    /// The moment at which it has to be read again, if ever.
    until: Option<Timestamp>,
}

#[derive(Clone, Debug)]
enum RobotsState {
    Rules(Rules),
    /// There is no file, for a reason.
    Absent(String),
    /// The file can't be fetched.
    Closed {
        /// The reason that is kept with the URLs of its origin.
        kept: UrlReason,
        why: String,
        /// The consequence, where the cause does not name it.
        reason: Option<RobotsReason>,
    },
}

/// The end of a request for a robots.txt.
pub(crate) struct RobotsAnswer<'a> {
    /// The answer, or the error; neither where the task was lost.
    pub(crate) result: Result<&'a Exchange, Option<&'a FetchError>>,
    /// When the request began.
    pub(crate) started_at: Timestamp,
    /// `true` if nothing is known of the origin, so that an error means that it does not exist.
    pub(crate) is_new: bool,
    /// `true` if another origin is asked instead of one that does not answer.
    pub(crate) has_alternative: bool,
}

/// The next step after the answer to a request for a robots.txt.
pub(crate) enum RobotsStep {
    /// It has to be asked for again; the session has queued the request.
    AskAgain,
    /// The rules are known.
    Ready {
        record: RobotsRow,
        sitemaps: Vec<String>,
    },
    /// Nothing may be fetched before the file.
    Closed { record: RobotsRow, why: String },
    /// There is no such server.
    Unreached { record: RobotsRow, why: String },
}

pub(crate) struct HostSession {
    rules: Arc<SiteRules>,
    pub(crate) throttle: Pace,
    /// A page of another site asks this host. Its own robots.txt may be ignored then, which must
    /// not change the pace of a crawl.
    is_guest: bool,
    not_found: Option<NotFoundProfile>,
    robots: Vec<RobotsFile>,
    /// Origins that could not be reached and were tried a second time.
    retried: Vec<String>,
    /// Requests that come before the pages.
    preparations: VecDeque<Job>,
    /// Sitemaps and feeds. They take turns with pages, so no number of them delays pages for long.
    sitemaps: VecDeque<Job>,
    walk: SitemapWalk,
    /// The moment at which the walk began.
    walk_began: Option<Timestamp>,
    /// A preparation or a sitemap is under way.
    is_preparing: bool,
    pages: VecDeque<Page>,
    /// A page comes before the next sitemap.
    is_pages_turn: bool,
}

impl HostSession {
    pub(crate) fn new(rules: &Arc<SiteRules>) -> HostSession {
        HostSession {
            throttle: Pace::new(rules.throttle()),
            is_guest: false,
            rules: Arc::clone(rules),
            not_found: None,
            robots: Vec::new(),
            retried: Vec::new(),
            preparations: VecDeque::new(),
            sitemaps: VecDeque::new(),
            walk: SitemapWalk::new(WalkLimits::default()),
            walk_began: None,
            is_preparing: false,
            pages: VecDeque::new(),
            is_pages_turn: false,
        }
    }

    /// The same host, asked at a pace that others share.
    pub(crate) fn paced(self, pace: Pace) -> HostSession {
        HostSession {
            throttle: pace,
            ..self
        }
    }

    /// The same host, asked by pages of other sites.
    pub(crate) fn for_others(self) -> HostSession {
        HostSession {
            is_guest: true,
            ..self
        }
    }

    pub(super) fn push(&mut self, page: Page) {
        self.pages.push_back(page);
    }

    /// Queues a page before all others.
    pub(super) fn push_first(&mut self, page: Page) {
        self.pages.push_front(page);
    }

    /// Returns `true` if there is something that could be asked now.
    pub(super) fn has_work(&self) -> bool {
        !self.is_preparing && !self.is_empty()
    }

    /// Returns `true` if nothing is left, not even what waits for something else.
    pub(super) fn is_idle(&self) -> bool {
        !self.is_preparing && self.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.preparations.is_empty() && self.sitemaps.is_empty() && self.pages.is_empty()
    }

    /// Returns the page that comes next, unless a preparation or a sitemap does.
    pub(super) fn next_page(&self) -> Option<&Page> {
        let is_next = self.preparations.is_empty() && (self.sitemaps.is_empty() || self.is_pages_turn);
        self.pages.front().filter(|_| is_next)
    }

    pub(crate) fn take(&mut self) -> Option<Job> {
        // No other is taken while a preparation or a sitemap is under way.
        if self.next_page().is_some() {
            self.is_pages_turn = false;
            return self.pages.pop_front().map(Job::Page);
        }
        let job = match self.preparations.pop_front() {
            Some(job) => job,
            None => {
                self.is_pages_turn = true;
                self.sitemaps.pop_front()?
            }
        };
        self.is_preparing = true;
        Some(job)
    }

    pub(super) fn skip_page(&mut self) -> Option<Page> {
        self.pages.pop_front()
    }

    /// Takes note that a preparation or a sitemap has ended.
    pub(crate) fn prepared(&mut self) {
        self.is_preparing = false;
    }

    /// Drops the sitemaps and feeds that are queued.
    pub(super) fn drop_sitemaps(&mut self) {
        self.sitemaps.clear();
    }

    /// Drops all that is queued. Returns the number of pages.
    pub(super) fn clear(&mut self) -> usize {
        self.preparations.clear();
        self.sitemaps.clear();
        std::mem::take(&mut self.pages).len()
    }

    /// Queues the request for a robots.txt.
    pub(crate) fn ask_robots(&mut self, origin: &str) {
        self.preparations.push_back(Job::robots(origin));
    }

    /// Goes by a robots.txt that an earlier crawl has read. Returns the sitemaps that it names, or
    /// `None` if it has to be read again.
    pub(crate) fn recall_robots(
        &mut self,
        origin: &str,
        known: &RobotsRow,
        now: Timestamp,
    ) -> Option<Vec<String>> {
        let until = known.fetched_at + self.rules.settings.politeness.robots_age;
        // A file from the future was read by a clock that was wrong.
        if known.fetched_at > now || until <= now {
            return None;
        }
        let (state, sitemaps) = match (known.outcome, &known.text) {
            (RobotsEffect::Rules, Some(text)) => self.parse_robots(text.as_bytes()),
            (RobotsEffect::AllAllowed, _) => (RobotsState::Absent(String::new()), Vec::new()),
            // A refusal is not remembered: the file may be there again, and then the site is open.
            (RobotsEffect::Rules | RobotsEffect::AllRefused | RobotsEffect::Ignored, _) => return None,
        };
        self.set_robots(origin, state, Some(until));
        Some(sitemaps)
    }

    /// Takes the answer to a request for the robots.txt of an origin, after some redirects.
    pub(crate) fn answer_robots(
        &mut self,
        origin: &str,
        hops: u32,
        answer: &RobotsAnswer<'_>,
        now: Timestamp,
    ) -> RobotsStep {
        let mut record = RobotsRow {
            fetched_at: answer.started_at,
            status: answer.result.ok().map(|exchange| exchange.status),
            outcome: RobotsEffect::AllRefused,
            text: None,
        };
        if let Err(Some(error)) = answer.result
            && answer.is_new
            && (is_unreachable(error) || answer.has_alternative)
            && error.kind() != FetchErrorKind::RefusedAddress
        {
            // One more request: a single lost packet must not close a whole site. A host that was
            // waited for in vain is not waited for twice where another scheme may answer at once.
            let is_slow = error.kind() == FetchErrorKind::Timeout;
            let asks_again = error.is_retryable() && !(is_slow && answer.has_alternative);
            if asks_again && !self.retried.iter().any(|known| known == origin) {
                self.retried.push(origin.to_owned());
                self.ask_robots(origin);
                return RobotsStep::AskAgain;
            }
            let why = error.to_string();
            let state = RobotsState::Closed {
                kept: url_reason(error.kind()),
                why: why.clone(),
                reason: None,
            };
            self.set_robots(origin, state, None);
            record.outcome = RobotsEffect::AllRefused;
            // A host that never answered has no robots.txt that could be waited for.
            return RobotsStep::Unreached { record, why };
        }
        let politeness = &self.rules.settings.politeness;
        let obeys = politeness.robots == RobotsRule::Obey;
        let (age, wait) = (politeness.robots_age, politeness.robots_wait);
        let fetched = match answer.result {
            Ok(exchange) => robots_fetch(exchange),
            Err(error) => match error.map(FetchError::kind) {
                Some(FetchErrorKind::RefusedAddress) => RobotsFetch::Refused,
                _ => RobotsFetch::Unreachable,
            },
        };
        let mut sitemaps = Vec::new();
        let state = match robots_outcome(fetched, hops) {
            RobotsOutcome::Follow => {
                let target = answer.result.ok().and_then(Exchange::redirect_target);
                if let Some(Ok(target)) = target {
                    self.preparations.push_back(Job::Robots {
                        origin: origin.to_owned(),
                        at: Some(target),
                        hops: hops + 1,
                    });
                    return RobotsStep::AskAgain;
                }
                record.outcome = RobotsEffect::AllAllowed;
                RobotsState::Absent("its robots.txt redirects to an invalid URL".to_owned())
            }
            RobotsOutcome::Read => {
                let body = answer.result.map(Exchange::body).unwrap_or_default();
                record.outcome = RobotsEffect::Rules;
                record.text = Some(String::from_utf8_lossy(body).into_owned());
                let state;
                (state, sitemaps) = self.parse_robots(body);
                state
            }
            RobotsOutcome::AllowAll(reason) => {
                record.outcome = RobotsEffect::AllAllowed;
                RobotsState::Absent(reason.to_string())
            }
            RobotsOutcome::DisallowAll(reason) => {
                let (why, reason) = match answer.result {
                    Err(Some(error)) => (error.to_string(), Some(reason)),
                    _ => (reason.to_string(), None),
                };
                let (kept, until) = match fetched == RobotsFetch::Refused {
                    true => (UrlReason::RefusedAddress, None),
                    false => (UrlReason::RobotsUnreachable, Some(now + wait)),
                };
                let state = RobotsState::Closed {
                    kept,
                    why: why.clone(),
                    reason,
                };
                if obeys {
                    record.outcome = RobotsEffect::AllRefused;
                    self.set_robots(origin, state, until);
                    return RobotsStep::Closed { record, why };
                }
                record.outcome = RobotsEffect::Ignored;
                state
            }
        };
        self.set_robots(origin, state, Some(now + age));
        RobotsStep::Ready { record, sitemaps }
    }

    fn parse_robots(&self, body: &[u8]) -> (RobotsState, Vec<String>) {
        let robots = Robots::parse(body);
        let rules = robots.rules(&self.rules.settings.identity.robots_name);
        (RobotsState::Rules(rules), robots.sitemaps().to_vec())
    }

    fn set_robots(&mut self, origin: &str, state: RobotsState, until: Option<Timestamp>) {
        match &state {
            RobotsState::Rules(rules) if self.obeys() => self.throttle.set_crawl_delay(rules.crawl_delay()),
            RobotsState::Closed { .. } if self.obeys() => {}
            // The pages of the host itself may be crawled at the same time. A request for another
            // page must not lift their delay.
            _ if self.is_guest => {}
            _ => self.throttle.set_crawl_delay(None),
        }
        self.robots.retain(|known| known.origin != origin);
        self.robots.push(RobotsFile {
            origin: origin.to_owned(),
            state,
            until,
        });
    }

    fn obeys(&self) -> bool {
        self.rules.settings.politeness.robots == RobotsRule::Obey
    }

    fn robots_of(&self, url: &CanonicalUrl) -> Option<&RobotsFile> {
        self.robots.iter().find(|robots| robots.origin == url.origin())
    }

    /// Returns the rules for a page by the robots.txt of its origin.
    pub(crate) fn permission(&self, url: &CanonicalUrl, now: Timestamp) -> Permission {
        let known = self.robots_of(url);
        let Some(robots) = known.filter(|robots| robots.until.is_none_or(|until| until > now)) else {
            return Permission::Unknown;
        };
        match &robots.state {
            // A refused address stays closed even if the settings ignore robots.txt.
            RobotsState::Closed { kept, why, .. } if self.obeys() || robots.until.is_none() => {
                Permission::Closed {
                    reason: kept.clone(),
                    why: why.clone(),
                    until: robots.until,
                }
            }
            RobotsState::Rules(rules) if self.obeys() && !rules.allows(url.path_and_query()) => {
                Permission::Refused(rules.judge(url.path_and_query()).to_string())
            }
            _ => Permission::Allowed,
        }
    }

    /// Returns the statement of the robots.txt on a page, obeyed or not; `None` before it is read.
    pub(crate) fn robots_verdict(&self, url: &CanonicalUrl) -> Option<RobotsVerdict> {
        let robots = self.robots_of(url)?;
        let (allowed, sentence, crawl_delay) = match &robots.state {
            RobotsState::Rules(rules) => {
                let verdict = rules.judge(url.path_and_query());
                (verdict.allowed, verdict.to_string(), rules.crawl_delay())
            }
            RobotsState::Absent(why) => (true, why.clone(), None),
            RobotsState::Closed { why, reason, .. } => {
                let sentence = match reason {
                    Some(reason) => format!("{reason}: {why}"),
                    None => why.clone(),
                };
                (false, sentence, None)
            }
        };
        Some(RobotsVerdict {
            allowed,
            sentence,
            crawl_delay,
        })
    }

    /// Returns the moment until which pages wait because a robots.txt can't be fetched.
    pub(super) fn closed_until(&self, now: Timestamp) -> Option<Timestamp> {
        let closed = self
            .robots
            .iter()
            .filter(|robots| self.obeys() && matches!(robots.state, RobotsState::Closed { .. }));
        closed
            .filter_map(|robots| robots.until)
            .filter(|until| *until > now)
            .min()
    }

    /// Returns the record of the host, with a robots.txt that was read.
    pub(super) fn row(&self, origin: &str, robots: RobotsRow) -> HostRow {
        let state = self.throttle.state();
        HostRow {
            origin: origin.to_owned(),
            next_ok_at: state.not_before.unwrap_or_default(),
            delay: self.throttle.delay(),
            failures: state.failures,
            robots: Some(robots),
        }
    }

    /// Queues what comes before the pages of an origin: the probe, its sitemaps and its feeds.
    pub(super) fn prepare(
        &mut self,
        origin: &str,
        named_sitemaps: Vec<String>,
        feeds: &[CanonicalUrl],
        reads_sitemaps: bool,
        now: Timestamp,
    ) {
        if self.rules.settings.traps.soft_404 {
            self.preparations.push_back(Job::Probe {
                origin: origin.to_owned(),
            });
        }
        if !reads_sitemaps {
            return;
        }
        let sitemaps = match named_sitemaps.is_empty() {
            true => vec![format!("{origin}{USUAL_SITEMAP}")],
            false => named_sitemaps,
        };
        self.renew_walk(now);
        if let Ok(base) = Url::parse(origin) {
            // A site may name sitemaps of other hosts; whether these agree is not known.
            let urls = sitemaps.iter().filter_map(|url| base.join(url).ok());
            for url in urls.filter(|url| url.origin() == base.origin()) {
                self.offer_sitemap(url, 0);
            }
        }
        for feed in feeds.iter().filter(|feed| feed.origin() == origin) {
            self.offer_feed(feed, now);
        }
    }

    /// Lets sitemaps be read again that were read longer ago than robots.txt is believed.
    fn renew_walk(&mut self, now: Timestamp) {
        let age = self.rules.settings.politeness.robots_age;
        let began = *self.walk_began.get_or_insert(now);
        // Not while files wait: the walk would offer them twice.
        if self.sitemaps.is_empty() && began + age <= now {
            self.walk = SitemapWalk::new(WalkLimits::default());
            self.walk_began = Some(now);
        }
    }

    /// Queues a sitemap or feed, unless it was met before, lies too deep or is one too many.
    pub(super) fn offer_sitemap(&mut self, mut url: Url, level: u32) {
        url.set_fragment(None);
        let name = CanonicalUrl::trusted(url.as_str());
        if name.is_some_and(|name| self.walk.offer(&name, level).is_ok()) {
            self.sitemaps.push_back(Job::Sitemap { url, level });
        }
    }

    /// Queues a feed, if robots.txt allows it.
    pub(super) fn offer_feed(&mut self, feed: &CanonicalUrl, now: Timestamp) {
        if let (Permission::Allowed, Ok(url)) = (self.permission(feed, now), feed.to_url()) {
            // At the last level, so that no index of sitemaps is followed from there.
            self.offer_sitemap(url, WalkLimits::default().max_levels - 1);
        }
    }

    /// Learns the host's "not found" from the answer to a probe.
    pub(super) fn learn_not_found(&mut self, status: u16, text: &str) {
        self.not_found = Some(NotFoundProfile::learn(status, text, None));
    }

    /// Returns the profile of the host's "not found".
    pub(super) fn not_found(&self) -> Option<&NotFoundProfile> {
        self.not_found.as_ref()
    }
}

/// Returns `true` if an error means that there is no server behind an address.
fn is_unreachable(error: &FetchError) -> bool {
    // Most such addresses are mistyped.
    use FetchErrorKind::{Connect, Dns, Timeout, Tls};
    matches!(error.kind(), Connect | Dns | Timeout | Tls)
}

/// Returns what an answer to the request for a robots.txt is.
fn robots_fetch(exchange: &Exchange) -> RobotsFetch {
    let is_whole = match &exchange.truncated {
        // A file that is too long counts as whole up to the limit (RFC 9309, 2.5). One that broke
        // off may lack a refusal.
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
