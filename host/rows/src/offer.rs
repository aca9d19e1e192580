//! Inputs and outputs of a frontier.

use std::collections::BTreeMap;

use magpie_model::{Record, UrlReason};
use magpie_values::Timestamp;

use crate::ids::{PageId, SiteId, UrlId};
use crate::links::LinkList;
use crate::words::{UrlSource, UrlState};

/// A URL that was found.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The canonical form.
    pub url: String,
    /// Its fingerprint; URLs with the same fingerprint are the same URL to the frontier.
    pub fingerprint: u64,
    /// The site it belongs to, when that is not the one whose lease is used.
    pub site: Option<SiteId>,
    /// `Queued`, or `Refused` and `Held` with a reason.
    pub state: UrlState,
    /// The reason for which it is not queued.
    pub reason: Option<UrlReason>,
    /// Detail for people beside the code (`robots.txt line 12: Disallow: /private`).
    pub detail: Option<String>,
    /// Lower comes first.
    pub priority: i32,
    /// The form that it is queued by where a site is taken form by form; 0 for none.
    pub form: i64,
    /// Clicks from a seed.
    pub depth: u32,
    /// The way in which it was found.
    pub source: UrlSource,
    /// The URL on whose page it was found.
    pub found_on: Option<UrlId>,
    pub found_at: Timestamp,
    /// Not before this moment.
    pub due_at: Option<Timestamp>,
    /// The caller takes it at once and will settle it; the receipt has its id.
    pub taken: bool,
}

impl Offer {
    /// A URL to be fetched, found by a link of no page in particular; the other fields are public.
    pub fn queued(url: impl Into<String>, fingerprint: u64, depth: u32, found_at: Timestamp) -> Offer {
        Offer {
            url: url.into(),
            fingerprint,
            site: None,
            state: UrlState::Queued,
            reason: None,
            detail: None,
            priority: 0,
            form: 0,
            depth,
            source: UrlSource::Link,
            found_on: None,
            found_at,
            due_at: None,
            taken: false,
        }
    }
}

/// A URL to be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    pub id: UrlId,
    /// The canonical form.
    pub url: String,
    /// Lower comes first.
    pub priority: i32,
    /// The form that it is queued by; 0 for none.
    pub form: i64,
    /// Clicks from a seed.
    pub depth: u32,
    pub attempts: u32,
    /// The moment it waited for.
    pub due_at: Option<Timestamp>,
    /// The version that its last good answer named, if it had one before this lease: with it the
    /// site can answer "not modified".
    pub last_answer: Option<LastAnswer>,
}

/// A form with queued URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedForm {
    pub form: i64,
    /// The number of its URLs that are queued.
    pub queued: u64,
    /// The first of them.
    pub url: String,
}

/// A fetch of an earlier lease, as the order of forms learns from it.
#[derive(Clone, Debug, PartialEq)]
pub struct PastFetch {
    pub page: PageId,
    pub url: String,
    /// The form that it was queued by; 0 for none.
    pub form: i64,
    /// True if a page came that could be read.
    pub is_page: bool,
    /// The problem of that answer.
    pub problem: Option<UrlReason>,
    /// The simhash of its text.
    pub simhash: Option<u64>,
    /// The records on it, with their verticals.
    pub records: Vec<(String, Record)>,
    /// The judgement of the page: true if a plugin accepted it; none where no plugin judged it.
    pub judgement: Option<bool>,
    /// True if a vertical failed on it; none where it was shown to no vertical.
    pub has_failed: Option<bool>,
    /// The forms of the URLs that were found on it first, in the order in which they were found.
    pub led_to: Vec<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PastLinks {
    pub page: PageId,
    /// Its links, without their texts. Addresses are whole.
    pub links: LinkList,
}

/// The version of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastAnswer {
    pub etag: Option<String>,
    /// Its `Last-Modified`, as sent.
    pub last_modified: Option<String>,
}

#[derive(Clone, Debug)]
pub struct UrlOutcome {
    pub url: UrlId,
    /// Its new state; `Queued` means another attempt, at `due_at`.
    pub state: UrlState,
    /// The reason for which it was not fetched, or waits.
    pub reason: Option<UrlReason>,
    /// Detail for people beside the code.
    pub detail: Option<String>,
    pub due_at: Option<Timestamp>,
    /// True if this counts as an attempt: a URL returned because the crawl stops was not tried.
    pub attempted: bool,
}

impl UrlOutcome {
    pub fn fetched(url: UrlId) -> UrlOutcome {
        UrlOutcome::with(url, UrlState::Fetched, None)
    }

    /// Not fetched, for a reason.
    pub fn with(url: UrlId, state: UrlState, reason: Option<UrlReason>) -> UrlOutcome {
        UrlOutcome {
            url,
            state,
            reason,
            detail: None,
            due_at: None,
            attempted: true,
        }
    }

    /// To be tried again at a moment.
    pub fn again(url: UrlId, due_at: Timestamp, reason: UrlReason) -> UrlOutcome {
        UrlOutcome {
            due_at: Some(due_at),
            ..UrlOutcome::with(url, UrlState::Queued, Some(reason))
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct LeaseRequest<'a> {
    /// Name of the worker, for people: `host:process:worker`.
    pub worker: &'a str,
    /// A specific site, ready or not and with URLs or without; otherwise the site that has been
    /// ready the longest.
    pub site: Option<SiteId>,
    pub now: Timestamp,
    /// When the lease ends unless it is extended.
    pub until: Timestamp,
}

/// The right to work on a site.
#[derive(Debug)]
pub struct Lease {
    pub site: SiteId,
    pub key: String,
    /// Grows with every lease of the site.
    pub epoch: i64,
    /// When it ends unless it is extended.
    pub until: Timestamp,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    pub known: u64,
    /// URLs queued, taken ones not counted.
    pub queued: u64,
    /// URLs taken and not settled.
    pub taken: u64,
    /// Time when the first waiting URL in the queue is due.
    pub next_due: Option<Timestamp>,
}

/// URLs by state and reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub BTreeMap<(UrlState, Option<UrlReason>), u64>);

impl Counts {
    /// All URLs in a state, whatever the reason.
    pub fn of(&self, state: UrlState) -> u64 {
        let rows = self.0.iter().filter(|((known, _), _)| *known == state);
        rows.map(|(_, count)| count).sum()
    }

    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }
}
