//! URLs of the frontier, as people ask for them.

use std::collections::BTreeMap;

use magpie_model::UrlReason;
use magpie_values::Timestamp;

use crate::cursor::{BadCursor, Cursor};
use crate::error::StoreError;
use crate::ids::{SiteId, UrlId};
use crate::offer::Counts;
use crate::pages::{FoundUrl, PageRow};
use crate::words::{UrlSource, UrlState};

/// Reads URLs of the frontier, as people ask for them.
pub trait Urls {
    /// Returns URLs in an order that stays the same.
    fn urls(&self, filter: &UrlFilter) -> Result<UrlPage, StoreError>;

    /// Finds URLs by fingerprint in the frontiers of all sites: by fingerprint, and for each the
    /// site first that found it first.
    fn find_urls(&self, fingerprints: &[u64]) -> Result<Vec<FoundUrl>, StoreError>;

    /// Returns the state of a URL in each site's frontier, by its fingerprint. Empty if no site has
    /// found it.
    fn explain(&self, fingerprint: u64) -> Result<Vec<UrlExplanation>, StoreError>;

    /// Returns the canonical form of a URL of the frontier.
    fn url_of(&self, url: UrlId) -> Result<Option<String>, StoreError>;

    /// Returns the URLs that a person named, the oldest first.
    fn seeds(&self) -> Result<Vec<String>, StoreError>;

    /// Returns the number of known URLs by state and reason, of one site or of all.
    fn url_counts(&self, site: Option<SiteId>) -> Result<Counts, StoreError>;

    /// Returns the number of queued URLs of each site that has any.
    fn queued_by_site(&self) -> Result<BTreeMap<SiteId, u64>, StoreError>;
}

/// The kind of cursors in lists of URLs.
const LISTED: u8 = b'u';

/// Maximum number of steps from the seed in an explanation.
pub const MAX_WAY_LEN: usize = 50;

/// Maximum number of fetches in an explanation.
pub const MAX_EXPLAINED_PAGES: usize = 20;

/// The state of a URL in the frontier of one site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlExplanation {
    pub id: UrlId,
    pub site: SiteId,
    pub site_key: String,
    /// The canonical form.
    pub url: String,
    pub state: UrlState,
    /// The reason for which it is not fetched, or waits.
    pub reason: Option<UrlReason>,
    /// The same for people.
    pub detail: Option<String>,
    /// Lower comes first.
    pub priority: i32,
    /// Clicks from a seed.
    pub depth: u32,
    pub attempts: u32,
    pub due_at: Option<Timestamp>,
    pub source: UrlSource,
    pub found_at: Timestamp,
    /// When it changed last according to the site's sitemaps and feeds.
    pub modified_at: Option<Timestamp>,
    /// The way from a seed: the page it was found on, the one that was found on, and so on.
    pub way: Vec<FoundOn>,
    /// The last fetches, the newest first.
    pub pages: Vec<PageRow>,
}

/// A step of the way from a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundOn {
    pub url: String,
    /// The source that named that page.
    pub source: UrlSource,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlFilter {
    /// Only in this state.
    pub state: Option<UrlState>,
    /// Only for this reason.
    pub reason: Option<String>,
    /// Only of this site, by its key.
    pub site: Option<String>,
    /// The position after which the page begins, from [`UrlPage::next`].
    pub after: Option<Cursor>,
    pub limit: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlPage {
    pub urls: Vec<ListedUrl>,
    /// The position after the page; `None` on the last page.
    pub next: Option<Cursor>,
}

impl UrlFilter {
    /// Returns the number of the URL after which the page begins.
    pub fn position(&self) -> Result<Option<i64>, BadCursor> {
        let Some(cursor) = &self.after else {
            return Ok(None);
        };
        let content = cursor.content(LISTED)?.try_into();
        Ok(Some(i64::from_be_bytes(content.map_err(|_| BadCursor::Damaged)?)))
    }
}

impl UrlPage {
    /// Makes a page of the URLs that were found with a limit.
    pub fn of(urls: Vec<ListedUrl>, limit: usize) -> UrlPage {
        let last = urls.last().filter(|_| urls.len() == limit);
        let next = last.map(|last| Cursor::new(LISTED, &last.id.0.to_be_bytes()));
        UrlPage { urls, next }
    }
}

/// A URL of the frontier with its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedUrl {
    pub id: UrlId,
    pub site_key: String,
    /// The canonical form.
    pub url: String,
    pub state: UrlState,
    pub reason: Option<UrlReason>,
    /// The same for people.
    pub detail: Option<String>,
    pub found_at: Timestamp,
}
