//! A site as all crawls together left it: the newest good answer of every URL.

use std::ops::ControlFlow;

use magpie_model::UrlReason;
use rusqlite::Row;

use crate::frontier::UrlState;
use crate::hand_in::{PageId, RunId, SiteId, UrlId};
use crate::read::url_reason;
use crate::{Reader, StoreError};

/// A URL of a site with its newest answers, if it was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownPage {
    /// The URL.
    pub id: UrlId,
    /// In canonical form.
    pub url: String,
    /// Clicks from a seed.
    pub depth: u32,
    /// The newest fetch that had a body; its links are the page's.
    pub page: Option<PageId>,
    /// When that was.
    pub page_at: Option<i64>,
    /// How it stands in the frontier.
    pub state: UrlState,
    /// Why it was not fetched the last time it was to be.
    pub reason: Option<UrlReason>,
    /// When it was fetched last, whatever came; none when it never was.
    pub fetched_at: Option<i64>,
    /// The status of that fetch.
    pub status: Option<u16>,
    /// What was wrong with it.
    pub problem: Option<UrlReason>,
    /// Where it sends the reader.
    pub redirect: Option<String>,
    /// In which run that was.
    pub run: Option<RunId>,
    /// The bytes of its body.
    pub bytes: u64,
    /// How often it was fetched since its body changed last, and had not.
    pub unchanged: u32,
    /// How often its body came, changed or not.
    pub bodies: u32,
    /// Its body has changed while the site said that it had not: the `ETag` was the same, or without one `Last-Modified`.
    pub contradicted: bool,
    /// When a sitemap or a feed of the site has named it, as far as is known: as the first who did, or the last time with a date.
    pub named_at: Option<i64>,
    /// What the site's sitemaps say of it.
    pub sitemap: Option<Hinted>,
    /// What its feeds say.
    pub feed: Option<Hinted>,
}

/// When a page changed last, as somebody says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hinted {
    /// When it is said to have changed.
    pub modified_at: i64,
    /// When that was read.
    pub seen_at: i64,
}

impl KnownPage {
    /// The last change that the site's sitemaps and feeds know of.
    pub fn hinted_at(&self) -> Option<i64> {
        let hints = self.sitemap.into_iter().chain(self.feed);
        hints.map(|hint| hint.modified_at).max()
    }
}

/// The links of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLinks {
    /// The page.
    pub page: PageId,
    /// Where its links lead, resolved, in their order.
    pub hrefs: Vec<String>,
}

impl Reader {
    /// The URLs of a site in the order they were found, but for those that are refused by its rules.
    pub fn known_pages(&self, site: SiteId) -> Result<Vec<KnownPage>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT url.id, url.url, url.depth, url.state, last.fetched_at, last.status, last.problem, last.redirect,
                    last.run_id, last.bytes, whole.id, whole.fetched_at, sitemap.modified_at,
                    (SELECT count(*) FROM page WHERE url_id = url.id AND id > (
                        SELECT max(id) FROM page
                        WHERE url_id = url.id AND status BETWEEN 200 AND 299 AND same_as IS NULL)),
                    (SELECT count(*) FROM page WHERE url_id = url.id AND status = 200 AND problem IS NULL),
                    EXISTS (SELECT 1 FROM page AS one JOIN page AS other
                        ON other.url_id = one.url_id AND other.id > one.id
                            AND other.digest <> one.digest AND other.status = 200
                            AND iif(one.etag IS NULL, one.last_modified = other.last_modified, one.etag = other.etag)
                        WHERE one.url_id = url.id AND one.status = 200),
                    sitemap.seen_at, feed.modified_at, feed.seen_at,
                    iif(url.source IN ('sitemap', 'feed'), url.found_at, NULL), url.reason
                 FROM url
                 LEFT JOIN page AS last ON last.id = (SELECT max(id) FROM page WHERE url_id = url.id)
                 LEFT JOIN page AS whole ON whole.id = (
                    SELECT max(id) FROM page WHERE url_id = url.id AND status BETWEEN 200 AND 299 AND problem IS NULL)
                 LEFT JOIN hint AS sitemap ON sitemap.site_id = url.site_id
                    AND sitemap.fingerprint = url.fingerprint AND sitemap.source = 'sitemap'
                 LEFT JOIN hint AS feed ON feed.site_id = url.site_id
                    AND feed.fingerprint = url.fingerprint AND feed.source = 'feed'
                 WHERE url.site_id = ?1 AND url.state <> 'refused' ORDER BY url.id",
            )?;
            let rows = statement.query_map([site.0], |row| {
                let (sitemap, feed) = (hinted(row, 12, 16)?, hinted(row, 17, 18)?);
                let hints = sitemap.iter().chain(&feed).map(|hint| hint.seen_at);
                Ok(KnownPage {
                    id: UrlId(row.get(0)?),
                    url: row.get(1)?,
                    depth: row.get(2)?,
                    state: row.get(3)?,
                    reason: url_reason(row, 20)?,
                    fetched_at: row.get(4)?,
                    status: row.get(5)?,
                    problem: url_reason(row, 6)?,
                    redirect: row.get(7)?,
                    run: row.get::<_, Option<i64>>(8)?.map(RunId),
                    bytes: row.get::<_, Option<i64>>(9)?.unwrap_or(0).unsigned_abs(),
                    page: row.get::<_, Option<i64>>(10)?.map(PageId),
                    page_at: row.get(11)?,
                    unchanged: row.get(13)?,
                    bodies: row.get(14)?,
                    contradicted: row.get(15)?,
                    named_at: hints.max().max(row.get(19)?),
                    sitemap,
                    feed,
                })
            })?;
            rows.collect()
        })
    }

    /// The links of pages, one page at a time, until the taker has enough.
    pub fn page_links(
        &self,
        pages: &[PageId],
        take: &mut dyn FnMut(PageLinks) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.look(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT href FROM link WHERE page_id = ?1 ORDER BY position")?;
            for page in pages {
                let hrefs = statement.query_map([page.0], |row| row.get(0))?;
                let hrefs = hrefs.collect::<rusqlite::Result<_>>()?;
                if take(PageLinks { page: *page, hrefs }).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }
}

/// What somebody says of a page, by two columns.
fn hinted(row: &Row<'_>, modified_at: usize, seen_at: usize) -> rusqlite::Result<Option<Hinted>> {
    let (modified_at, seen_at) = (
        row.get::<_, Option<i64>>(modified_at)?,
        row.get::<_, Option<i64>>(seen_at)?,
    );
    Ok(modified_at
        .zip(seen_at)
        .map(|(modified_at, seen_at)| Hinted { modified_at, seen_at }))
}
