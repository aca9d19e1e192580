//! Making archives and database agree when a workspace is opened.

use std::collections::HashMap;
use std::path::Path;

use magpie_archive::{Archives, Recorded, StoreUrl};
use magpie_rows::{RunId, StoreError};
use magpie_warc::{ArchiveError, cut};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::column::millis;
use crate::error::database_error;
use crate::workspace::options::OnDamage;

/// Repairs that made archives and database agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Archives from which uncommitted records were removed: the file name and the number of bytes.
    pub removed: Vec<(String, u64)>,
    /// Archives that had lost recorded bytes: the file's name and how many pages lost their bodies.
    pub lost: Vec<(String, u64)>,
}

/// Ends leases of dead processes, cuts archives to the recorded length, and reports shorter ones or
/// queues their pages again.
pub(super) fn recover(
    connection: &mut Connection,
    database: &Path,
    archives: &Archives,
    segments: Option<&StoreUrl>,
    damage: OnDamage,
) -> Result<Recovery, StoreError> {
    let failed = |error| database_error(database, error);
    connection
        .execute(
            "UPDATE site SET lease_owner = NULL, lease_until = 0 WHERE lease_until <> 0",
            [],
        )
        .map_err(failed)?;
    let mut recovery = Recovery::default();
    let mut stored = Stored::default();
    if let Some(segments) = segments {
        // Also where nothing is recorded: a store that can't be used is reported before anything is
        // fetched.
        stored.list(archives, segments)?;
    }
    for (id, archive) in recorded(connection).map_err(failed)? {
        let path = archives.path(&archive.name);
        if StoreUrl::is_url(&archive.name) {
            let found = stored.length(archives, &archive.name)?;
            match (found, damage) {
                (Some(found), _) if found >= archive.bytes => {}
                (None, _) if archive.bytes == 0 => {}
                (_, OnDamage::Keep) => {}
                (found, OnDamage::Requeue) => {
                    let pages = requeue(connection, id, found.unwrap_or(0)).map_err(failed)?;
                    recovery.lost.push((archive.name, pages));
                }
                (found, OnDamage::Refuse) => {
                    let (file, expected) = (path, archive.bytes);
                    return Err(match found {
                        Some(found) => StoreError::ArchiveCut {
                            file,
                            expected,
                            found,
                        },
                        None => StoreError::ArchiveMissing { file, expected },
                    });
                }
            }
            continue;
        }
        // The database learns of a file before it exists. This one was never made.
        if archive.bytes == 0 && !path.exists() {
            continue;
        }
        match cut(&path, archive.bytes) {
            Ok(0) => {}
            // Records behind the recorded length belong to a batch that was not committed. Their
            // URLs are still queued.
            Ok(bytes) => recovery.removed.push((archive.name, bytes)),
            Err(ArchiveError::Cut { found, .. }) if damage == OnDamage::Requeue => {
                let pages = requeue(connection, id, found).map_err(failed)?;
                recovery.lost.push((archive.name, pages));
                let end: i64 = connection
                    .query_row("SELECT bytes FROM archive WHERE id = ?1", [id], |row| row.get(0))
                    .map_err(failed)?;
                // The rest of a record that was cut in its middle is removed, so that the archive
                // ends with a whole one.
                cut(&path, end.unsigned_abs())?;
            }
            Err(ArchiveError::Missing { .. }) if damage == OnDamage::Requeue => {
                let pages = requeue(connection, id, 0).map_err(failed)?;
                recovery.lost.push((archive.name, pages));
            }
            Err(ArchiveError::Cut { .. } | ArchiveError::Missing { .. }) if damage == OnDamage::Keep => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(recovery)
}

/// Lengths of archives in object stores. A list has a thousand of them for one request.
#[derive(Default)]
struct Stored {
    /// By the folder in the store, and the name.
    folders: HashMap<String, HashMap<String, u64>>,
}

impl Stored {
    fn list(&mut self, archives: &Archives, folder: &StoreUrl) -> Result<(), StoreError> {
        let listed = archives.list(Some(folder))?.into_iter();
        let lengths = listed.map(|archive| (archive.name, archive.bytes)).collect();
        self.folders.insert(folder.to_string(), lengths);
        Ok(())
    }

    fn length(&mut self, archives: &Archives, name: &str) -> Result<Option<u64>, StoreError> {
        let folder = name.rsplit_once('/').map_or(name, |(folder, _)| folder);
        if !self.folders.contains_key(folder)
            && let Ok(folder) = StoreUrl::parse(folder)
        {
            self.list(archives, &folder)?;
        }
        let lengths = self.folders.get(folder);
        Ok(lengths.and_then(|lengths| lengths.get(name).copied()))
    }
}

/// Returns the archives in the database, with their numbers.
pub(super) fn recorded(connection: &Connection) -> rusqlite::Result<Vec<(i64, Recorded)>> {
    let mut statement =
        connection.prepare("SELECT id, name, bytes, run_id, started_at FROM archive ORDER BY id")?;
    let rows = statement.query_map([], |row| {
        let archive = Recorded {
            name: row.get(1)?,
            bytes: row.get::<_, i64>(2)?.unsigned_abs(),
            run: row.get::<_, Option<i64>>(3)?.map(RunId),
            started_at: millis(row, 4)?,
        };
        Ok((row.get(0)?, archive))
    })?;
    rows.collect()
}

/// Counts the URLs of all sites again.
pub(super) const COUNT_URLS: &str = "DELETE FROM tally;
    INSERT INTO tally
    SELECT site_id, state, iif(state = 'queued', '', coalesce(reason, '')), count(*) FROM url GROUP BY 1, 2, 3;
    UPDATE site SET queued = (SELECT count(*) FROM url WHERE site_id = site.id AND state = 'queued');";

/// Forgets the bodies of an archive after `found`, and queues their URLs again. Returns the number
/// of pages that lost theirs.
fn requeue(connection: &mut Connection, archive: i64, found: u64) -> rusqlite::Result<u64> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = i64::try_from(found).unwrap_or(i64::MAX);
    transaction.execute_batch("CREATE TEMP TABLE lost (id INTEGER PRIMARY KEY)")?;
    transaction.execute(
        "INSERT INTO lost SELECT id FROM page WHERE archive_id = ?1 AND archive_offset + archive_length > ?2",
        (archive, found),
    )?;
    transaction.execute(
        "INSERT OR IGNORE INTO lost
         SELECT page_id FROM rendering WHERE archive_id = ?1 AND archive_offset + archive_length > ?2",
        (archive, found),
    )?;
    // A revisit has no body without the page it refers to.
    transaction.execute(
        "INSERT OR IGNORE INTO lost SELECT id FROM page WHERE same_as IN (SELECT id FROM lost)",
        [],
    )?;
    transaction.execute_batch(
        "UPDATE url SET state = 'queued', due_at = NULL, reason = 'archive-lost', detail = NULL
         WHERE state = 'fetched' AND id IN (SELECT url_id FROM page WHERE id IN (SELECT id FROM lost));
         DELETE FROM rendering WHERE page_id IN (SELECT id FROM lost);
         UPDATE page SET archive_id = NULL, archive_offset = NULL, archive_length = NULL, same_as = NULL,
                problem = 'archive-lost', detail = 'the archive lost this record'
         WHERE id IN (SELECT id FROM lost);",
    )?;
    transaction.execute_batch(COUNT_URLS)?;
    // The recorded length follows from the records that remain, so the file is cut at the end of
    // one.
    let end: Option<i64> = transaction
        .query_row(
            "SELECT max(archive_offset + archive_length) FROM (
                 SELECT archive_offset, archive_length FROM page WHERE archive_id = ?1
                 UNION ALL SELECT archive_offset, archive_length FROM rendering WHERE archive_id = ?1
             )",
            [archive],
            |row| row.get(0),
        )
        .optional()?
        .flatten();
    transaction.execute(
        "UPDATE archive SET bytes = ?2, closed = 1 WHERE id = ?1",
        (archive, end.unwrap_or(0)),
    )?;
    let pages: i64 = transaction.query_row("SELECT count(*) FROM lost", [], |row| row.get(0))?;
    transaction.execute_batch("DROP TABLE lost")?;
    transaction.commit()?;
    Ok(pages.unsigned_abs())
}
