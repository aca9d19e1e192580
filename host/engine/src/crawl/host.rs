//! One server, as a crawl sees it: its clock, its robots file, and what is to be asked of it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use magpie_discovery::sitemap::{SitemapWalk, WalkLimits};
use magpie_discovery::{NotFoundProfile, Rules};
use magpie_model::{CanonicalUrl, UrlReason};
use magpie_store::Pending;
use magpie_web::{Throttle, Validators};

/// Something to be asked of a server.
#[derive(Clone, Debug)]
pub(super) enum Job {
    /// A page of the frontier.
    Page(Page),
    /// Its robots.txt.
    Robots {
        /// Of this scheme, name and port.
        origin: String,
        /// Where it was redirected to; none for the usual place.
        at: Option<url::Url>,
        /// How often it was redirected.
        hops: u32,
    },
    /// A page that is not there, to learn what the site answers then.
    Probe {
        /// Of this scheme, name and port.
        origin: String,
    },
    /// A sitemap or feed.
    Sitemap {
        /// Where.
        url: url::Url,
        /// How deep below the first index.
        level: u32,
    },
}

/// A page to be fetched.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) pending: Pending,
    pub(super) url: CanonicalUrl,
    /// How the server spells its address, each time it redirected there; the last one is asked for.
    pub(super) spellings: Vec<CanonicalUrl>,
    /// What its last answer said of its version.
    pub(super) validators: Option<Validators>,
}

impl Page {
    /// What is asked for.
    pub(super) fn address(&self) -> &CanonicalUrl {
        self.spellings.last().unwrap_or(&self.url)
    }

    /// Whether the site begins with it and it is not there any more: its error page is read as a person would who came by an old link,
    /// for the site may still be there.
    pub(super) fn is_gone_start(&self, status: u16) -> bool {
        self.pending.depth == 0 && matches!(status, 404 | 410)
    }
}

/// What is known of a robots file.
#[derive(Clone, Debug)]
pub(super) struct Robots {
    /// Whose it is.
    origin: String,
    rules: Option<Arc<Rules>>,
    /// The reason to refuse everything if the file could not be had, and a sentence.
    closed: Option<(UrlReason, String)>,
    /// Believed until then; for good where there is no such moment.
    until: Option<i64>,
}

/// What a robots file says about a page.
pub(super) enum Permission {
    /// Go on.
    Allowed,
    /// Not this page, and why.
    Refused(String),
    /// Nothing until then: the file can't be had. Nothing in this run, where there is no such
    /// moment.
    Closed {
        reason: UrlReason,
        why: String,
        until: Option<i64>,
    },
    /// The file has to be asked for first.
    Unknown,
}

/// A server.
pub(super) struct Host {
    pub(super) site: usize,
    pub(super) throttle: Throttle,
    pub(super) not_found: Option<NotFoundProfile>,
    /// It lies in the heap of those that wait for a moment.
    pub(super) waiting: bool,
    /// Origins that could not be reached, and were tried a second time.
    pub(super) tried_again: Vec<String>,
    /// What must come before its pages.
    preparations: VecDeque<Job>,
    /// Sitemaps and feeds. They and pages take turns: no number of them keeps pages waiting.
    sitemaps: VecDeque<Job>,
    /// The sitemaps that were met, and since when.
    walk: (SitemapWalk, Option<i64>),
    /// A preparation or a sitemap is under way.
    preparing: bool,
    pages: VecDeque<Page>,
    /// A page comes before the next sitemap.
    is_pages_turn: bool,
    robots: Vec<Robots>,
}

impl Host {
    pub(super) fn new(site: usize, throttle: Throttle) -> Host {
        Host {
            site,
            throttle,
            not_found: None,
            waiting: false,
            tried_again: Vec::new(),
            preparations: VecDeque::new(),
            sitemaps: VecDeque::new(),
            walk: (SitemapWalk::new(WalkLimits::default()), None),
            preparing: false,
            pages: VecDeque::new(),
            is_pages_turn: false,
            robots: Vec::new(),
        }
    }

    /// Adds a page to be fetched.
    pub(super) fn push(&mut self, page: Page) {
        self.pages.push_back(page);
    }

    /// Puts a page before all others.
    pub(super) fn push_first(&mut self, page: Page) {
        self.pages.push_front(page);
    }

    /// Adds something that comes before its pages.
    pub(super) fn prepare(&mut self, job: Job) {
        self.preparations.push_back(job);
    }

    /// Adds a sitemap or feed, unless it was met before, lies too deep or is one too many.
    pub(super) fn prepare_sitemap(&mut self, mut url: url::Url, level: u32) {
        url.set_fragment(None);
        let name = CanonicalUrl::trusted(url.as_str());
        if name.is_some_and(|name| self.walk.0.offer(&name, level).is_ok()) {
            self.sitemaps.push_back(Job::Sitemap { url, level });
        }
    }

    /// Lets sitemaps be read again that were read longer ago than this.
    pub(super) fn renew_sitemaps(&mut self, age: Duration, now: i64) {
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let since = *self.walk.1.get_or_insert(now);
        if self.sitemaps.is_empty() && since.saturating_add(age) <= now {
            self.walk = (SitemapWalk::new(WalkLimits::default()), Some(now));
        }
    }

    /// Whether there is something that could be asked now.
    pub(super) fn has_work(&self) -> bool {
        !self.preparing && !self.is_empty()
    }

    /// Whether anything is left, also what has to wait for something else.
    pub(super) fn is_idle(&self) -> bool {
        !self.preparing && self.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.preparations.is_empty() && self.sitemaps.is_empty() && self.pages.is_empty()
    }

    /// The next page, unless a preparation or a sitemap comes first.
    pub(super) fn next_page(&self) -> Option<&Page> {
        let is_next = self.preparations.is_empty() && (self.sitemaps.is_empty() || self.is_pages_turn);
        self.pages.front().filter(|_| is_next)
    }

    /// Takes what comes next. A preparation or a sitemap is done alone.
    pub(super) fn take(&mut self) -> Option<Job> {
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
        self.preparing = true;
        Some(job)
    }

    /// Takes a page out that is not fetched after all.
    pub(super) fn skip_page(&mut self) -> Option<Page> {
        self.pages.pop_front()
    }

    /// A preparation is done.
    pub(super) fn prepared(&mut self) {
        self.preparing = false;
    }

    /// Gives up what is left.
    pub(super) fn clear(&mut self) -> usize {
        self.preparations.clear();
        self.sitemaps.clear();
        let count = self.pages.len();
        self.pages.clear();
        count
    }

    /// What the robots file of a page's origin says.
    pub(super) fn permission(&self, url: &CanonicalUrl, now: i64) -> Permission {
        let Some(robots) = self.robots.iter().find(|robots| robots.origin == url.origin()) else {
            return Permission::Unknown;
        };
        if robots.until.is_some_and(|until| until <= now) {
            return Permission::Unknown;
        }
        if let Some((reason, why)) = &robots.closed {
            return Permission::Closed {
                reason: reason.clone(),
                why: why.clone(),
                until: robots.until,
            };
        }
        match &robots.rules {
            Some(rules) if !rules.allows(url.path_and_query()) => {
                Permission::Refused(rules.judge(url.path_and_query()).to_string())
            }
            _ => Permission::Allowed,
        }
    }

    /// Returns until when pages wait because a robots file can't be had.
    pub(super) fn closed_until(&self, now: i64) -> Option<i64> {
        let closed = self.robots.iter().filter(|robots| robots.closed.is_some());
        closed
            .filter_map(|robots| robots.until)
            .filter(|until| *until > now)
            .min()
    }

    /// The rules of a robots file. Without any, everything is allowed.
    pub(super) fn set_rules(&mut self, origin: String, rules: Option<Arc<Rules>>, until: i64) {
        let until = Some(until);
        self.throttle
            .set_crawl_delay(rules.as_ref().and_then(|rules| rules.crawl_delay()));
        self.set_robots(Robots {
            origin,
            rules,
            closed: None,
            until,
        });
    }

    /// The robots file can't be had, so nothing is fetched until it is tried again, if ever.
    pub(super) fn close(&mut self, origin: String, closed: (UrlReason, String), until: Option<i64>) {
        self.set_robots(Robots {
            origin,
            rules: None,
            closed: Some(closed),
            until,
        });
    }

    fn set_robots(&mut self, robots: Robots) {
        self.robots.retain(|known| known.origin != robots.origin);
        self.robots.push(robots);
    }
}
