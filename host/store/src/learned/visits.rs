//! Visits with their times and changes, from which schedules are made.

use crate::column::millis;
use magpie_values::Timestamp;
use rusqlite::Connection;

use crate::PageRow;
use crate::fetch_result::{SiteId, UrlId};
use crate::words::RunKind;

/// One fetch of a URL, as far as it tells whether the page changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitRow {
    /// The URL.
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
    /// When the page changed last, as the site says.
    pub last_modified: Option<String>,
}

impl VisitRow {
    /// Returns what a fetch tells of a page, if it was of a URL of the frontier.
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

/// A request of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// When, in milliseconds since 1970.
    pub at: Timestamp,
    /// The bytes of its body.
    pub bytes: u64,
    /// The site, where it was for one of its URLs.
    pub site: Option<SiteId>,
}

/// Goes back through the pages of each site until one is older.
pub(crate) fn spent(
    connection: &Connection,
    kind: RunKind,
    since: Timestamp,
) -> rusqlite::Result<Vec<Spent>> {
    let mut statement = connection.prepare_cached("SELECT id FROM site ORDER BY id")?;
    let sites = statement.query_map([], |row| row.get(0))?;
    let sites: Vec<i64> = sites.collect::<rusqlite::Result<_>>()?;
    let mut statement = connection.prepare_cached(
        "SELECT page.fetched_at, page.bytes, run.kind = ?1, page.url_id IS NOT NULL
         FROM page LEFT JOIN run ON run.id = page.run_id WHERE page.site_id = ?2 ORDER BY page.number DESC",
    )?;
    let mut spent = Vec::new();
    for site in sites {
        let mut rows = statement.query((kind, site))?;
        while let Some(row) = rows.next()? {
            let at = millis(row, 0)?;
            if at < since {
                break;
            }
            if row.get::<_, Option<bool>>(2)? == Some(true) {
                let bytes = row.get::<_, i64>(1)?.unsigned_abs();
                let site = row.get::<_, bool>(3)?.then_some(SiteId(site));
                spent.push(Spent { at, bytes, site });
            }
        }
    }
    spent.sort_by_key(|spent| std::cmp::Reverse(spent.at));
    Ok(spent)
}
