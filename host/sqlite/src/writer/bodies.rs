//! Bodies that are in the archive already.

use std::collections::HashMap;

use magpie_model::PostedForm;
use magpie_rows::{Page, PageId, UrlId};
use magpie_values::Timestamp;
use magpie_warc::{Exchange, Original, PayloadDigest};
use rusqlite::{Connection, OptionalExtension};

use crate::column::millis;

/// Bodies of the last pages, by the beginning of their digest.
#[derive(Default)]
pub(super) struct Bodies(HashMap<u64, i64>);

/// Number of bodies that are remembered to detect equal ones at other URLs: about a megabyte.
const REMEMBERED: usize = 50_000;

/// A revisit record is not smaller than a page below this.
const SMALLEST: usize = 500;

impl Bodies {
    /// Remembers a page whose body is in the archive.
    pub(super) fn remember(&mut self, exchange: &Exchange, digest: &PayloadDigest, page: PageId) {
        if exchange.body.len() < SMALLEST {
            return;
        }
        if self.0.len() >= REMEMBERED {
            // Clearing costs nothing at each use, where an order of use would. Bodies of the same
            // URL are found without this memory.
            self.0.clear();
        }
        self.0.insert(beginning(digest), page.0);
    }

    /// The older page that has the body of this one.
    pub(super) fn find(
        &self,
        connection: &Connection,
        url: Option<UrlId>,
        page: &Page,
        exchange: &Exchange,
        digest: &PayloadDigest,
    ) -> rusqlite::Result<Option<Same>> {
        let own = |wanted: Option<&PayloadDigest>| match url {
            None => Ok(None),
            Some(url) => last_body(connection, url, wanted),
        };
        // Without a body there is no digest to compare. The answer is about the page that the URL
        // had last.
        if page.status == Some(304) {
            return own(None);
        }
        if exchange.body.len() < SMALLEST {
            return Ok(None);
        }
        if let Some(&page) = self.0.get(&beginning(digest))
            // The key is a part of the digest, and the page may have lost its record since. The
            // database decides.
            && let Some(same) = body(connection, page)?.filter(|same| same.digest == Some(*digest))
        {
            return Ok(Some(same));
        }
        own(Some(digest))
    }
}

/// An older page with the same body.
pub(super) struct Same {
    pub(super) page: i64,
    url: String,
    date: Timestamp,
    pub(super) digest: Option<PayloadDigest>,
}

impl Same {
    pub(super) fn original(&self) -> Original<'_> {
        Original {
            url: &self.url,
            date: self.date,
            digest: self.digest,
        }
    }
}

/// Returns the URL that was requested for a page. That of a form that is sent by POST is a part of
/// the page's address; readers of archives find the rest in the record of the request.
pub(crate) fn requested_url(page: &str) -> String {
    match PostedForm::of_address(page) {
        Some(form) => form.action,
        None => page.to_owned(),
    }
}

fn beginning(digest: &PayloadDigest) -> u64 {
    let (first, _) = digest.0.split_at(8);
    first
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

const BODY: &str = "SELECT page.id, coalesce(page.url, url.url), page.fetched_at, page.digest
    FROM page LEFT JOIN url ON url.id = page.url_id";

fn read_body(row: &rusqlite::Row<'_>) -> rusqlite::Result<Same> {
    Ok(Same {
        page: row.get(0)?,
        url: requested_url(&row.get::<_, String>(1)?),
        date: millis(row, 2)?,
        digest: row.get::<_, Option<[u8; 32]>>(3)?.map(PayloadDigest),
    })
}

/// A page that has its body in the archive itself.
fn body(connection: &Connection, page: i64) -> rusqlite::Result<Option<Same>> {
    let sql = format!("{BODY} WHERE page.id = ?1 AND page.archive_id IS NOT NULL AND page.same_as IS NULL");
    connection
        .prepare_cached(&sql)?
        .query_row([page], read_body)
        .optional()
}

/// The body the last page of a URL had: any, or only this one.
fn last_body(
    connection: &Connection,
    url: UrlId,
    wanted: Option<&PayloadDigest>,
) -> rusqlite::Result<Option<Same>> {
    let mut statement = connection.prepare_cached(
        "SELECT coalesce(same_as, id), digest FROM page
         WHERE url_id = ?1 AND archive_id IS NOT NULL AND status BETWEEN 200 AND 399 ORDER BY id DESC LIMIT 1",
    )?;
    let last = statement
        .query_row([url.0], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<[u8; 32]>>(1)?))
        })
        .optional()?;
    match last {
        Some((page, digest)) if wanted.is_none() || digest == wanted.map(|wanted| wanted.0) => {
            body(connection, page)
        }
        _ => Ok(None),
    }
}
