//! The result of one URL, recorded completely or not at all.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use magpie_model::{Judgement, Record, UrlReason};
use magpie_values::Timestamp;
use magpie_warc::Exchange;
use serde::{Deserialize, Serialize};

use crate::ids::{PageId, RunId, UrlId};
use crate::links::LinkList;
use crate::offer::{Offer, UrlOutcome};
use crate::words::{HintSource, RobotsEffect};

/// The result of one step of work. All parts are optional: seeds are a result with offers alone.
#[derive(Debug, Default)]
pub struct FetchResult {
    /// The outcome of the taken URL.
    pub settled: Option<UrlOutcome>,
    /// The fetch, if there was one.
    pub page: Option<Page>,
    /// URLs found. Known ones may be among them and change nothing.
    pub offers: Vec<Offer>,
    /// Hints by sitemaps and feeds about URLs, known or not.
    pub hints: Vec<Hint>,
    /// Feeds of the site. Known ones may be among them and change nothing.
    pub feeds: Vec<String>,
    /// Clocks and robots files of hosts, as they stand now.
    pub hosts: Vec<Host>,
    /// Results of the plugins on the page; left out without a page.
    pub extractions: Vec<Extraction>,
    /// Judgements of the page; left out without a page.
    pub judgements: Vec<PageJudgement>,
}

/// When a URL changed last according to a sitemap or feed of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    pub fingerprint: u64,
    pub source: HintSource,
    /// The stated time of the change, in milliseconds since 1970.
    pub modified_at: Timestamp,
    pub seen_at: Timestamp,
}

/// Says what was made of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Durable when the frontier's `committed()` has reached it.
    pub sequence: u64,
    /// The page's number, when there was a page and it is kept.
    pub page: Option<PageId>,
    /// For each offer its id if it was new. `None` too for an offer to another site, about which
    /// only the database knows whether it is new.
    pub accepted: Vec<Option<UrlId>>,
}

#[derive(Debug, Default)]
pub struct Page {
    /// The URL as fetched, in canonical form, without credentials.
    pub url: String,
    pub run: Option<RunId>,
    /// When the request was sent, in milliseconds since 1970. The archive's records have this date.
    pub fetched_at: Timestamp,
    /// The status code; none when no answer came.
    pub status: Option<u16>,
    /// The media type, without parameters.
    pub media_type: Option<String>,
    /// The encoding the text was read in.
    pub charset: Option<String>,
    pub language: Option<String>,
    pub title: Option<String>,
    /// The bytes of the body after its codings were undone.
    pub bytes: u64,
    /// The fingerprint of the text, for near duplicates.
    pub simhash: Option<u64>,
    /// The xxh3-64 hash of the text, equal for equal texts only; none where it was not read.
    pub text_hash: Option<u64>,
    /// The `ETag`, for the next conditional request.
    pub etag: Option<String>,
    /// The `Last-Modified`, as sent.
    pub last_modified: Option<String>,
    pub redirect: Option<String>,
    /// The canonical URL the page names for itself.
    pub canonical: Option<String>,
    pub tags: RobotsTags,
    pub problem: Option<UrlReason>,
    /// Detail for people beside the code.
    pub detail: Option<String>,
    /// Duration in milliseconds.
    pub duration: Option<u32>,
    /// The messages, for the archive.
    pub exchange: Option<Exchange>,
    /// The links, in order.
    pub links: LinkList,
    /// The page as a browser showed it, for the archive. Without messages it is not kept.
    pub rendering: Option<Rendering>,
}

/// The requests of a page to crawlers, by robots meta tags and `X-Robots-Tag`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RobotsTags {
    /// Its links are not to be followed.
    pub nofollow: bool,
    /// It is not to be read.
    pub noindex: bool,
}

/// A page as a browser showed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendering {
    /// The document after its scripts had run, as HTML in UTF-8.
    pub html: Bytes,
    /// URLs that elements led to by script.
    pub links: Vec<ProbedLink>,
    /// The requests of its scripts that were answered.
    pub requests: u64,
    /// Bytes of the answers.
    pub bytes: u64,
    /// CPU time of the browser.
    pub cpu: Duration,
}

impl Rendering {
    /// Returns the links as JSON, if there are any.
    pub fn links_as_json(&self) -> Option<String> {
        match self.links.as_slice() {
            [] => None,
            links => serde_json::to_string(links).ok(),
        }
    }

    /// Reads links. They are written by this program; without them the page is as good as before.
    pub fn links_of_json(json: Option<&str>) -> Vec<ProbedLink> {
        json.and_then(|links| serde_json::from_str(links).ok())
            .unwrap_or_default()
    }
}

/// A URL that an element leads to by script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbedLink {
    pub url: String,
    /// The text of the element.
    pub text: String,
    /// The place of the element in the document.
    pub path: String,
}

/// The state of a host: its politeness clock, its robots file, its failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// `https://example.org:8443`: robots files hold for scheme, name and port.
    pub origin: String,
    /// No request before this moment.
    pub next_ok_at: Timestamp,
    /// The delay between requests.
    pub delay: Duration,
    /// Failed requests in a row.
    pub failures: u32,
    /// The robots file as last read; none leaves what is recorded.
    pub robots: Option<Robots>,
}

/// A robots file as it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Robots {
    pub fetched_at: Timestamp,
    /// The status code; none when no answer came.
    pub status: Option<u16>,
    pub outcome: RobotsEffect,
    /// Its text, as far as it is read.
    pub text: Option<String>,
}

/// A plugin with its options: what its results are a function of, beside the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Component {
    pub vertical: String,
    pub version: String,
    /// The digest of its file.
    pub digest: String,
    /// The options it runs with, as JSON.
    pub options: String,
}

/// The result of a plugin on a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extraction {
    pub component: Arc<Component>,
    /// Code of the problem, if there was one.
    pub problem: Option<String>,
    /// For people: what went wrong, or what of the objects did not fit the schema.
    pub detail: Option<String>,
    /// Number of values that were dropped or corrected.
    pub violations: u64,
    /// The same by attribute and by the code of the reason.
    pub violation_counts: BTreeMap<(String, &'static str), u64>,
    pub cpu: Duration,
    /// The objects, in their order on the page.
    pub records: Vec<ExtractedRecord>,
}

/// The judgement of a page by a plugin whose vertical finds objects, too.
#[derive(Clone, Debug, PartialEq)]
pub struct PageJudgement {
    pub component: Arc<Component>,
    pub judgement: Judgement,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtractedRecord {
    pub record: Record,
    /// The moment from which it is of no more interest.
    pub expires_at: Option<Timestamp>,
}
