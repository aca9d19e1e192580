//! What was fetched when, and what of it had changed: what schedules are made from.

use std::ops::ControlFlow;

use crate::hand_in::{SiteId, UrlId};
use crate::words::RunKind;
use crate::{Reader, StoreError};

/// One fetch of a URL, as far as it tells whether the page changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitRow {
    /// The URL.
    pub url: UrlId,
    /// When, in milliseconds since 1970.
    pub at: i64,
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
    /// When the page changed last, as the site says.
    pub last_modified: Option<String>,
}

/// A record on a URL, and when it stood there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordTimes {
    /// xxh3-64 of the URL: the fingerprint of its canonical form.
    pub url: u64,
    /// When the page was fetched on which it was found first.
    pub first_seen: i64,
    /// When it was known to stand there last.
    pub last_seen: i64,
    /// It stood there when the page was looked at last.
    pub current: bool,
    /// Nobody had seen the object before.
    pub new_object: bool,
}

/// A request of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The bytes of its body.
    pub bytes: u64,
    /// The site, where it was for one of its URLs.
    pub site: Option<SiteId>,
}

impl Reader {
    /// The fetches of a site's URLs since a moment, URL by URL, each in its order.
    pub fn visits(
        &self,
        site: SiteId,
        since: i64,
        each: &mut dyn FnMut(VisitRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT page.url_id, page.fetched_at, page.status, page.problem IS NULL, page.digest, page.text_hash,
                    page.etag, page.last_modified
                 FROM url CROSS JOIN page ON page.url_id = url.id
                 WHERE url.site_id = ?1 AND page.fetched_at >= ?2 ORDER BY url.id, page.id",
            )?;
            let mut rows = statement.query((site.0, since))?;
            while let Some(row) = rows.next()? {
                let digest: Option<Vec<u8>> = row.get(4)?;
                let visit = VisitRow {
                    url: UrlId(row.get(0)?),
                    at: row.get(1)?,
                    status: row.get(2)?,
                    good: row.get(3)?,
                    body: digest.as_deref().and_then(beginning),
                    text: row.get::<_, Option<i64>>(5)?.map(i64::cast_unsigned),
                    etag: row.get(6)?,
                    last_modified: row.get(7)?,
                };
                if each(visit).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// The URLs of a site that were found by links: which, on the page of which URL, and when.
    pub fn found_by_links(
        &self,
        site: SiteId,
        each: &mut dyn FnMut(&str, UrlId, i64) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT url, found_on, found_at FROM url
                 WHERE site_id = ?1 AND found_on IS NOT NULL AND state <> 'refused' ORDER BY id",
            )?;
            let mut rows = statement.query([site.0])?;
            while let Some(row) = rows.next()? {
                if each(row.get_ref(0)?.as_str()?, UrlId(row.get(1)?), row.get(2)?).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// The records of a vertical, with the times they stood on their pages.
    pub fn record_times(
        &self,
        vertical: &str,
        each: &mut dyn FnMut(RecordTimes) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT member.url_print, member.first_seen, member.last_seen, member.current,
                    cluster.first_seen >= member.first_seen
                 FROM warehouse CROSS JOIN member ON member.warehouse_id = warehouse.id
                 CROSS JOIN cluster ON cluster.id = member.cluster_id
                 WHERE warehouse.vertical = ?1",
            )?;
            let mut rows = statement.query([vertical])?;
            while let Some(row) = rows.next()? {
                let times = RecordTimes {
                    url: row.get::<_, i64>(0)?.cast_unsigned(),
                    first_seen: row.get(1)?,
                    last_seen: row.get(2)?,
                    current: row.get(3)?,
                    new_object: row.get(4)?,
                };
                if each(times).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// The requests that runs of a kind made since a moment, the newest first. Where the clock stepped back, what was asked
    /// before by its old time ends the list.
    pub fn spent(&self, kind: RunKind, since: i64) -> Result<Vec<Spent>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT page.fetched_at, page.bytes, run.kind = ?1, url.site_id
                 FROM page LEFT JOIN run ON run.id = page.run_id LEFT JOIN url ON url.id = page.url_id
                 ORDER BY page.id DESC",
            )?;
            let mut rows = statement.query([kind])?;
            let mut spent = Vec::new();
            while let Some(row) = rows.next()? {
                let at: i64 = row.get(0)?;
                if at < since {
                    break;
                }
                if row.get::<_, Option<bool>>(2)? == Some(true) {
                    let bytes = row.get::<_, i64>(1)?.unsigned_abs();
                    let site = row.get::<_, Option<i64>>(3)?.map(SiteId);
                    spent.push(Spent { at, bytes, site });
                }
            }
            Ok(spent)
        })
    }
}

fn beginning(digest: &[u8]) -> Option<u64> {
    let bytes = digest.first_chunk::<8>()?;
    Some(u64::from_be_bytes(*bytes))
}
