//! Bodies that are in the archive already.

use magpie_archive::{KnownBodies, KnownBody};
use magpie_rows::{PageId, UrlId};
use magpie_warc::PayloadDigest;
use rusqlite::{Connection, OptionalExtension};

use crate::column::millis;

/// Finds bodies in the database.
pub(super) struct Known<'c>(pub(super) &'c Connection);

impl Known<'_> {
    fn page(&self, id: &str, value: i64) -> rusqlite::Result<Option<KnownBody>> {
        let sql = format!(
            "SELECT page.id, coalesce(page.url, url.url), page.fetched_at, page.digest
             FROM page LEFT JOIN url ON url.id = page.url_id
             WHERE page.id = {id} AND page.archive_id IS NOT NULL AND page.same_as IS NULL"
        );
        let mut statement = self.0.prepare_cached(&sql)?;
        let row = statement.query_row([value], |row| {
            Ok(KnownBody {
                page: PageId(row.get(0)?),
                url: row.get(1)?,
                date: millis(row, 2)?,
                digest: row.get::<_, Option<[u8; 32]>>(3)?.map(PayloadDigest),
            })
        });
        row.optional()
    }
}

impl KnownBodies for Known<'_> {
    type Error = rusqlite::Error;

    fn body(&self, page: PageId) -> rusqlite::Result<Option<KnownBody>> {
        self.page("?1", page.0)
    }

    fn last_body(&self, url: UrlId) -> rusqlite::Result<Option<KnownBody>> {
        let last = "(SELECT coalesce(same_as, id) FROM page WHERE url_id = ?1 AND archive_id IS NOT NULL
             AND status BETWEEN 200 AND 399 ORDER BY id DESC LIMIT 1)";
        self.page(last, url.0)
    }
}
