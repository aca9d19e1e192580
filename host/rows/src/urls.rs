//! URLs of the frontier, as people ask for them.

use magpie_model::UrlReason;
use magpie_values::Timestamp;

use crate::ids::{SiteId, UrlId};
use crate::pages::PageRow;
use crate::words::{UrlSource, UrlState};

/// The state of a URL in the frontier of one site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlExplanation {
    /// Its number.
    pub id: UrlId,
    /// The site.
    pub site: SiteId,
    /// The site's key.
    pub site_key: String,
    /// The canonical form.
    pub url: String,
    /// Its state.
    pub state: UrlState,
    /// The reason for which it is not fetched, or waits.
    pub reason: Option<UrlReason>,
    /// The same for people.
    pub detail: Option<String>,
    /// Lower comes first.
    pub priority: i32,
    /// Clicks from a seed.
    pub depth: u32,
    /// Number of attempts.
    pub attempts: u32,
    /// When it is due.
    pub due_at: Option<Timestamp>,
    /// The source that named it.
    pub source: UrlSource,
    /// When.
    pub found_at: Timestamp,
    /// When it changed last, as the site's sitemaps and feeds say.
    pub modified_at: Option<Timestamp>,
    /// The way from a seed: the page it was found on, the one that was found on, and so on.
    pub way: Vec<FoundOn>,
    /// The last fetches, the newest first.
    pub pages: Vec<PageRow>,
}

/// A step of the way from a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundOn {
    /// The URL.
    pub url: String,
    /// The source that named that page.
    pub source: UrlSource,
}

/// The URLs to return.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlFilter {
    /// Only in this state.
    pub state: Option<UrlState>,
    /// Only for this reason.
    pub reason: Option<String>,
    /// Only of this site, by its key.
    pub site: Option<String>,
    /// Only those found after this one.
    pub after: Option<UrlId>,
    /// Maximum number of URLs.
    pub limit: usize,
}

/// A URL of the frontier with its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedUrl {
    /// Its number.
    pub id: UrlId,
    /// The key of its site.
    pub site_key: String,
    /// The canonical form.
    pub url: String,
    /// Its state.
    pub state: UrlState,
    /// The reason for the state.
    pub reason: Option<UrlReason>,
    /// The same for people.
    pub detail: Option<String>,
    /// When it was found.
    pub found_at: Timestamp,
}
