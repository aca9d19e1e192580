//! Pages, links and records of sites, read site by site.

use magpie_model::{Judgement, Record, UrlReason};
use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::fetch_result::{Component, RobotsTags};
use crate::house::BodyPruned;
use crate::ids::{PageId, RunId, SiteId, UrlId};
use crate::links::PageLink;
use crate::words::UrlState;

/// URLs of a site that are read at a time.
const KNOWN_PAGES: usize = 20_000;

/// Reads pages. Lists come in pages by key: a call returns at most `limit` rows after a key, and an
/// empty list is the end. Calls see what is committed.
pub trait Pages {
    /// Returns sites, in an order that stays the same.
    fn sites_after(&self, after: Option<SiteId>, limit: usize) -> Result<Vec<SiteRow>, StoreError>;

    /// Returns the URLs of a site with their newest answers, in the order they were found, but for
    /// those that the site's rules refuse.
    fn known_pages_after(
        &self,
        site: SiteId,
        after: Option<UrlId>,
        limit: usize,
    ) -> Result<Vec<KnownPage>, StoreError>;

    /// Returns the URLs of a site that links on its pages led to, in the order they were found, but
    /// for those that the site's rules refuse.
    fn found_by_links_after(
        &self,
        site: SiteId,
        after: Option<UrlId>,
        limit: usize,
    ) -> Result<Vec<FoundByLink>, StoreError>;

    /// Returns fetches of a site in their order.
    fn fetches(&self, request: &FetchRequest) -> Result<Vec<PageRow>, StoreError>;

    /// Returns the links of pages, in the order of `pages`, but for pages without links.
    fn page_links(&self, pages: &[PageId]) -> Result<Vec<PageLinks>, StoreError>;

    /// Returns the records of a vertical on pages, in the order of `pages` and as they are on each.
    fn records_of(&self, vertical: &str, pages: &[PageId]) -> Result<Vec<FoundRecord>, StoreError>;

    /// Returns pages of a site after a number that a vertical was shown, in their order, with the
    /// records that the vertical itself found there.
    fn shown_pages(
        &self,
        vertical: &str,
        site: SiteId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<ShownPage>, StoreError>;

    /// Returns the judgements of pages by plugins whose vertical finds objects, too, in the order
    /// of `pages`.
    fn judgements_of(&self, pages: &[PageId]) -> Result<Vec<JudgementRow>, StoreError>;

    /// Returns the components that were shown pages, in the order in which they came into use.
    fn components(&self) -> Result<Vec<Component>, StoreError>;

    /// Returns the number of pages of a site with objects of a vertical, and the number of those
    /// with a value that did not fit the schema.
    fn checked_pages(&self, vertical: &str, site: SiteId) -> Result<(u64, u64), StoreError>;

    /// Returns all URLs of a site: [`Pages::known_pages_after`] from the first to the last.
    fn known_pages(&self, site: SiteId) -> Result<Vec<KnownPage>, StoreError> {
        let mut all = Vec::new();
        loop {
            let after = all.last().map(|page: &KnownPage| page.id);
            let mut next = self.known_pages_after(site, after, KNOWN_PAGES)?;
            let is_last = next.len() < KNOWN_PAGES;
            all.append(&mut next);
            if is_last {
                return Ok(all);
            }
        }
    }

    /// Returns all fetches of a run or of all runs, site by site.
    fn all_fetches(&self, run: Option<RunId>) -> Result<Vec<PageRow>, StoreError> {
        let (mut all, mut site) = (Vec::new(), None);
        while let Some(next) = self.sites_after(site, 1)?.pop() {
            site = Some(next.id);
            let mut request = FetchRequest {
                run,
                ..FetchRequest::of(next.id)
            };
            loop {
                let mut rows = self.fetches(&request)?;
                let Some(last) = rows.last() else { break };
                request.after = last.number;
                all.append(&mut rows);
            }
        }
        Ok(all)
    }
}

/// A request for fetches of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchRequest {
    pub site: SiteId,
    /// Those after this number; 0 for all.
    pub after: u64,
    /// Those of a run.
    pub run: Option<RunId>,
    /// Those since a moment, in milliseconds since 1970.
    pub since: Timestamp,
    /// The maximum number of rows.
    pub limit: usize,
}

impl FetchRequest {
    /// All fetches of a site, a thousand at a time.
    pub fn of(site: SiteId) -> FetchRequest {
        FetchRequest {
            site,
            after: 0,
            run: None,
            since: Timestamp::MIN,
            limit: 1_000,
        }
    }
}

/// One fetch, as recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRow {
    pub id: PageId,
    /// The site in whose work it was fetched.
    pub site: SiteId,
    /// Counts the pages of the site from 1, in the order they were committed.
    pub number: u64,
    /// The URL in the frontier, if it is there.
    pub url_id: Option<UrlId>,
    /// The URL as fetched.
    pub url: String,
    pub run: Option<RunId>,
    /// When, in milliseconds since 1970.
    pub fetched_at: Timestamp,
    /// The status code; none when no answer came.
    pub status: Option<u16>,
    pub media_type: Option<String>,
    pub title: Option<String>,
    /// The bytes of the body, codings undone.
    pub bytes: u64,
    /// For the next conditional request.
    pub etag: Option<String>,
    /// The same, as sent.
    pub last_modified: Option<String>,
    pub redirect: Option<String>,
    pub problem: Option<UrlReason>,
    /// The same for people.
    pub detail: Option<String>,
    /// The archive's name, and where in it the record lies.
    pub archived: Option<(String, u64, u64)>,
    /// The page that has the body, when the record is a revisit.
    pub same_as: Option<PageId>,
    /// The beginning of the hash of the body; `None` without one.
    pub body: Option<u64>,
    /// The hash of the text, where it was read.
    pub text: Option<u64>,
    /// Set if its body was removed from the archive.
    pub pruned: Option<BodyPruned>,
}

impl PageRow {
    /// Returns true if another page is later: by the numbers of their site, or by time where they
    /// are of two sites.
    pub fn is_before(&self, other: &PageRow) -> bool {
        match self.site == other.site {
            // A clock may be set back between two fetches of a site, its numbers only rise.
            true => self.number < other.number,
            false => self.fetched_at < other.fetched_at,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteRow {
    pub id: SiteId,
    pub key: String,
    pub queued: u64,
    /// Not to be leased before.
    pub ready_at: Timestamp,
    pub owner: Option<String>,
    pub lease_until: Timestamp,
}

/// A URL of a site with its newest answers, if it was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownPage {
    pub id: UrlId,
    /// In canonical form.
    pub url: String,
    /// Clicks from a seed.
    pub depth: u32,
    /// The newest fetch that had a body; its links are the page's.
    pub page: Option<PageId>,
    pub page_at: Option<Timestamp>,
    /// The requests of that fetch to crawlers.
    pub tags: RobotsTags,
    pub state: UrlState,
    /// Reason why it was not fetched the last time it was due.
    pub reason: Option<UrlReason>,
    /// When it was fetched last, whatever came; none when it never was.
    pub fetched_at: Option<Timestamp>,
    /// The status of that fetch.
    pub status: Option<u16>,
    pub problem: Option<UrlReason>,
    /// The media type of the newest body, or of the last answer if none had one.
    pub media_type: Option<String>,
    pub redirect: Option<String>,
    pub run: Option<RunId>,
    /// The bytes of its body.
    pub bytes: u64,
    /// Number of fetches since its body changed last. What a browser showed may have changed though
    /// the body has not, so a page in a browser counts as changed.
    pub unchanged: u32,
    /// Number of fetches with a body, changed or not.
    pub bodies: u32,
    /// True if its body has changed although the `ETag` (or without one `Last-Modified`) was the
    /// same.
    pub contradicted: bool,
    /// Time when a sitemap or feed of the site named it, as far as known: first, or last with a
    /// date.
    pub named_at: Option<Timestamp>,
    pub sitemap: Option<Hinted>,
    pub feed: Option<Hinted>,
}

/// The last change of a page, as stated by a sitemap or feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hinted {
    /// The stated time of the change.
    pub modified_at: Timestamp,
    pub seen_at: Timestamp,
}

impl KnownPage {
    /// The last change that the site's sitemaps and feeds know of.
    pub fn hinted_at(&self) -> Option<Timestamp> {
        let hints = self.sitemap.into_iter().chain(self.feed);
        hints.map(|hint| hint.modified_at).max()
    }
}

/// A URL that was found by a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundByLink {
    pub id: UrlId,
    /// In canonical form.
    pub url: String,
    /// The URL on whose page it was found first.
    pub found_on: UrlId,
    /// When, in milliseconds since 1970.
    pub found_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLinks {
    pub page: PageId,
    /// Its links, in their order.
    pub links: Vec<PageLink>,
}

/// One fetch of a URL, with what is needed to decide if the page changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitRow {
    pub url: UrlId,
    /// When, in milliseconds since 1970.
    pub at: Timestamp,
    /// The status; none when no answer came.
    pub status: Option<u16>,
    /// Nothing was wrong with it.
    pub good: bool,
    /// A print of the body; none without one.
    pub body: Option<u64>,
    /// The hash of the text, where it was read.
    pub text: Option<u64>,
    /// The version as the site names it.
    pub etag: Option<String>,
    /// When the page changed last according to the site.
    pub last_modified: Option<String>,
}

impl VisitRow {
    /// Returns the visit of a fetch, if its URL is in the frontier.
    pub fn of(page: &PageRow) -> Option<VisitRow> {
        Some(VisitRow {
            url: page.url_id?,
            at: page.fetched_at,
            status: page.status,
            good: page.problem.is_none(),
            body: page.body,
            text: page.text,
            etag: page.etag.clone(),
            last_modified: page.last_modified.clone(),
        })
    }
}

/// The judgement of a page by a plugin whose vertical finds objects, too.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgementRow {
    pub page: PageId,
    pub vertical: String,
    pub version: String,
    pub judgement: Judgement,
}

/// A page that a vertical was shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownPage {
    pub page: PageId,
    /// Counts the pages of the site.
    pub number: u64,
    pub url: String,
    /// The component failed or was stopped.
    pub has_failed: bool,
    /// The records of the vertical, before any reading.
    pub records: Vec<Record>,
}

/// An object, with where it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundRecord {
    pub id: i64,
    pub page: PageId,
    pub url: String,
    /// When the page was fetched, in milliseconds since 1970.
    pub fetched_at: Timestamp,
    pub vertical: String,
    /// The record; an empty one if it can't be read.
    pub record: Record,
    /// The moment from which it is of no more interest.
    pub expires_at: Option<Timestamp>,
}

/// A URL in the frontier of a site, in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundUrl {
    pub id: UrlId,
    /// The text that it was looked for by.
    pub fingerprint: u64,
    pub site: SiteId,
    pub site_key: String,
    pub state: UrlState,
    pub reason: Option<UrlReason>,
    /// True if it was ever asked for.
    pub is_fetched: bool,
}
