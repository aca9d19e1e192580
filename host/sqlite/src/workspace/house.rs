//! Removing pages, and bounding the archive.

use std::sync::Arc;

use magpie_model::UrlReason;
use magpie_rows::{
    ArchiveLimits, Forgetting, Forgotten, HouseStore, Pruned, PrunedBy, StoreError, UrlState, UrlTest,
};
use magpie_values::Timestamp;
use rusqlite::Connection;

use crate::column::json_array;
use crate::workspace::Workspace;
use crate::workspace::forget::{Doomed, doomed_pages, forget};
use crate::workspace::recover::COUNT_URLS;

impl HouseStore for Workspace {
    fn forget(&self, request: &Forgetting) -> Result<Forgotten, StoreError> {
        self.0.writer.flush()?;
        let is_meant = Arc::clone(&request.urls.0);
        let doomed = self.look(|connection| Doomed::read(connection, &*is_meant))?;
        if !request.is_dry {
            self.give_own_bodies(&self.look(|connection| doomed_pages(connection, &doomed))?)?;
        }
        let own = request.clone();
        let forgotten = self.write(move |connection| forget(connection, &doomed, &own))?;
        if !request.is_dry {
            self.tidy_archives()?;
        }
        Ok(forgotten)
    }

    fn recall(&self, urls: UrlTest) -> Result<u64, StoreError> {
        self.0.writer.flush()?;
        let recalled: Vec<i64> = self.look(|connection| {
            let mut statement =
                connection.prepare("SELECT id, url FROM url WHERE state = ?1 AND reason = ?2")?;
            let values = (UrlState::Refused.as_str(), UrlReason::Forgotten.as_str());
            let mut rows = statement.query(values)?;
            let mut recalled = Vec::new();
            while let Some(row) = rows.next()? {
                if (urls.0)(row.get_ref(1)?.as_str()?) {
                    recalled.push(row.get(0)?);
                }
            }
            Ok(recalled)
        })?;
        let count = recalled.len() as u64;
        self.write(move |connection| {
            connection.execute(
                "UPDATE url SET state = ?2, reason = NULL, detail = NULL
                 WHERE id IN (SELECT value FROM json_each(?1))",
                (json_array(&recalled), UrlState::Queued.as_str()),
            )?;
            connection.execute_batch(COUNT_URLS)
        })?;
        Ok(count)
    }

    fn prune(&self, limits: &ArchiveLimits, now: Timestamp) -> Result<Pruned, StoreError> {
        self.0.writer.flush()?;
        let before = self.look(archive_bytes)?;
        let mut pruned = Pruned {
            before,
            after: before,
            ..Pruned::default()
        };
        let limits = *limits;
        if let Some(oldest) = limits.oldest {
            pruned.pages += self.write(move |connection| drop_older(connection, oldest, now))?;
        }
        self.tidy_archives()?;
        pruned.after = self.look(archive_bytes)?;
        while let Some(quota) = limits.bytes.filter(|quota| pruned.after > *quota) {
            let bytes = pruned.after;
            let pages = self.write(move |connection| drop_beyond(connection, (quota, bytes), now))?;
            if pages == 0 {
                break;
            }
            self.tidy_archives()?;
            pruned.pages += pages;
            pruned.after = self.look(archive_bytes)?;
        }
        Ok(pruned)
    }
}

fn archive_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let sum = "SELECT coalesce(sum(bytes), 0) FROM archive";
    connection.query_row(sum, [], |row| row.get::<_, i64>(0).map(i64::unsigned_abs))
}

/// Bodies with the pages that have them: the number of the page that has the body itself, the time
/// at which a page was last found with it, and the bytes of all records. They stay or go together.
const BODIES: &str = "SELECT coalesce(same_as, page.id) AS body, max(fetched_at) AS found_at,
        sum(page.archive_length + coalesce(rendering.archive_length, 0)) AS bytes
    FROM page LEFT JOIN rendering ON rendering.page_id = page.id
    WHERE page.archive_id IS NOT NULL GROUP BY body";

/// Removes the bodies that were last found before a time, if one was last found before the other.
/// Returns the number of pages that had them.
fn drop_older(
    connection: &Connection,
    (oldest, overdue): (Timestamp, Timestamp),
    now: Timestamp,
) -> rusqlite::Result<u64> {
    let is_overdue: bool = connection
        .prepare(&format!("SELECT 1 FROM ({BODIES}) WHERE found_at < ?1 LIMIT 1"))?
        .exists([overdue.as_millis()])?;
    if !is_overdue {
        return Ok(0);
    }
    begin(connection)?;
    let sql = format!("INSERT INTO pruned SELECT body FROM ({BODIES}) WHERE found_at < ?1");
    connection.execute(&sql, [oldest.as_millis()])?;
    end(connection, PrunedBy::Keep, now)
}

/// Removes the oldest bodies of an archive of some bytes, down to nine tenths of a quota: so the
/// next pages cause no rewriting.
fn drop_beyond(connection: &Connection, (quota, bytes): (u64, u64), now: Timestamp) -> rusqlite::Result<u64> {
    begin(connection)?;
    let all: f64 = connection.query_row(
        "SELECT coalesce(sum(archive_length), 0.0) FROM (SELECT archive_length FROM page WHERE archive_id IS NOT NULL
             UNION ALL SELECT archive_length FROM rendering)",
        [],
        |row| row.get(0),
    )?;
    // Requests and what describes the files are bytes, too.
    let share = quota as f64 * 0.9 / bytes.max(1) as f64;
    let sql = format!(
        "INSERT INTO pruned SELECT body FROM (
             SELECT body, sum(bytes) OVER (ORDER BY found_at DESC, body DESC) AS up_to FROM ({BODIES}))
         WHERE up_to > ?1"
    );
    connection.execute(&sql, [all * share])?;
    end(connection, PrunedBy::Quota, now)
}

fn begin(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("CREATE TEMP TABLE pruned (id INTEGER PRIMARY KEY)")
}

/// Takes the bodies in the table `pruned` from their pages, and lists the archives that have them.
fn end(connection: &Connection, by: PrunedBy, now: Timestamp) -> rusqlite::Result<u64> {
    connection.execute_batch(
        "CREATE TEMP TABLE bare (id INTEGER PRIMARY KEY);
         INSERT INTO bare SELECT id FROM page WHERE archive_id IS NOT NULL
            AND coalesce(same_as, id) IN (SELECT id FROM pruned);
         INSERT OR IGNORE INTO rewrite SELECT archive_id FROM page WHERE id IN (SELECT id FROM bare);
         INSERT OR IGNORE INTO rewrite SELECT archive_id FROM rendering WHERE page_id IN (SELECT id FROM bare);
         DELETE FROM rendering WHERE page_id IN (SELECT id FROM bare);",
    )?;
    let pages = connection.execute(
        "UPDATE page SET archive_id = NULL, archive_offset = NULL, archive_length = NULL, same_as = NULL,
            pruned_at = ?1, pruned_by = ?2
         WHERE id IN (SELECT id FROM bare)",
        (now.as_millis(), by.as_str()),
    )?;
    connection.execute_batch("DROP TABLE bare; DROP TABLE pruned")?;
    Ok(pages as u64)
}
