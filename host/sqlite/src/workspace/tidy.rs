//! Writing archives again without the records that no page has any more.
//!
//! A transaction that takes records from pages lists their archives in `rewrite`. A file is listed
//! in `waste` before it is written, and the transaction that leads pages to it lists the old one
//! instead. So a process that is killed leaves no file that is not listed, and none that a page
//! needs is removed.

use std::collections::BTreeSet;

use magpie_archive::{Recorded, Rewritten, Segments, StoreUrl, append_whole, rewrite, stem};
use magpie_rows::{Archived as _, PageId, RunId, StoreError};
use magpie_warc::ArchiveWriter;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::column::json_array;
use crate::workspace::Workspace;
use crate::workspace::options::SEGMENT_BYTES;
use crate::workspace::recover::recorded;
use crate::writer::archives::{insert, new_segments, next_id};
use crate::writer::recorder::record_seed;

/// Rows that a page or a rendering has in an archive.
const TABLES: [&str; 2] = ["page", "rendering"];

impl Workspace {
    /// Writes the listed archives again, and removes the files that are not needed any more.
    pub(super) fn tidy_archives(&self) -> Result<(), StoreError> {
        self.remove_waste()?;
        let listed = self.look(|connection| numbers(connection, "SELECT archive_id FROM rewrite"))?;
        if listed.is_empty() {
            return Ok(());
        }
        // No writer may continue a file that is replaced.
        self.0.writer.seal()?;
        // Without an index, each archive would be looked for in all pages, and by each constraint.
        self.write(|connection| {
            connection.execute_batch(
                "CREATE INDEX IF NOT EXISTS tidied_page ON page (archive_id);
                 CREATE INDEX IF NOT EXISTS tidied_rendering ON rendering (archive_id)",
            )
        })?;
        let all = self.look(recorded)?.into_iter();
        for (id, archive) in all.filter(|(id, _)| listed.contains(id)) {
            let stay = self.look(|connection| places(connection, id))?;
            if stay.is_empty() {
                self.write(move |connection| drop_archive(connection, id, &archive.name))?;
            } else {
                self.write_again(id, archive, &stay)?;
            }
            self.remove_waste()?;
        }
        self.write(|connection| {
            connection.execute_batch("DROP INDEX tidied_page; DROP INDEX tidied_rendering")
        })
    }

    fn write_again(&self, id: i64, archive: Recorded, stay: &BTreeSet<u64>) -> Result<(), StoreError> {
        let name = self.begin_file(Some(&archive.name), archive.run)?;
        let archives = &self.0.archives;
        let written = rewrite(archives, (&archive.name, archive.bytes), stay, &name)?;
        self.write(move |connection| lead_to(connection, (id, &archive), &name, &written))
    }

    /// Returns a new name for an archive, which counts as waste until pages lead to it. It lies
    /// beside another, or where new archives lie.
    fn begin_file(&self, beside: Option<&str>, run: Option<RunId>) -> Result<String, StoreError> {
        let below = match beside {
            Some(name) => name
                .rsplit_once('/')
                .and_then(|(folder, _)| StoreUrl::parse(folder).ok()),
            None => self.0.segments.as_ref().map(|(below, _)| below.clone()),
        };
        let folder = self.0.archives.folder().to_owned();
        self.write(move |connection| {
            let mut id = next_id(connection)?;
            let name = match below {
                Some(below) => {
                    let segments: Segments = new_segments(connection, below)?;
                    segments.name(run, id).to_string()
                }
                None => {
                    let name = |id| format!("{}.warc.gz", stem(run, id));
                    // The file may be another program's. It is not overwritten.
                    while folder.join(name(id)).exists() {
                        id += 1;
                    }
                    name(id)
                }
            };
            connection.execute("INSERT OR IGNORE INTO waste VALUES (?1)", [&name])?;
            Ok(name)
        })
    }

    /// Removes the files that no row of an archive has.
    fn remove_waste(&self) -> Result<(), StoreError> {
        let names: Vec<String> = self.look(|connection| {
            let mut statement =
                connection.prepare("SELECT name FROM waste WHERE name NOT IN (SELECT name FROM archive)")?;
            statement.query_map([], |row| row.get(0))?.collect()
        })?;
        for name in names {
            self.0.archives.remove(&name)?;
            self.write(move |connection| {
                connection
                    .execute("DELETE FROM waste WHERE name = ?1", [name])
                    .map(drop)
            })?;
        }
        Ok(())
    }

    /// Gives pages a body of their own that had that of a page which is to be removed. Their old
    /// records are listed to be removed.
    pub(super) fn give_own_bodies(&self, doomed: &[i64]) -> Result<(), StoreError> {
        let doomed = json_array(doomed);
        let heirs = self.look(|connection| {
            let mut statement = connection.prepare(
                "SELECT id FROM page WHERE same_as IN (SELECT value FROM json_each(?1))
                    AND id NOT IN (SELECT value FROM json_each(?1)) ORDER BY id",
            )?;
            let rows = statement.query_map([doomed], |row| row.get::<_, i64>(0))?;
            rows.collect::<rusqlite::Result<Vec<i64>>>()
        })?;
        let mut heirs = heirs.into_iter().peekable();
        while heirs.peek().is_some() {
            let name = self.begin_file(None, None)?;
            let seed = self.write(record_seed)?;
            let mut settings = self.0.archive_settings.clone();
            let url = StoreUrl::parse(&name).ok();
            let mut writer = match &url {
                Some(url) => {
                    settings.file_bytes = settings.file_bytes.min(SEGMENT_BYTES);
                    ArchiveWriter::in_memory(url.name(), &settings, seed)
                }
                None => ArchiveWriter::create(self.0.archives.folder(), &name, &settings, seed)?,
            };
            let mut moved = Vec::new();
            for page in heirs.by_ref() {
                // A body that can't be read is lost already.
                if let Ok(Some(response)) = self.archived(PageId(page)) {
                    let location = append_whole(&mut writer, response)?;
                    moved.push(json!([page, location.offset, location.length]));
                }
                if writer.is_full() {
                    break;
                }
            }
            let bytes = writer.sync()?;
            if let (Some(url), true) = (&url, bytes > 0) {
                self.0.archives.put(url, writer.into_bytes())?;
            }
            let moved = Value::from(moved).to_string();
            self.write(move |connection| own_bodies(connection, &name, bytes, &moved))?;
        }
        self.remove_waste()
    }
}

fn own_bodies(connection: &Connection, name: &str, bytes: u64, moved: &str) -> rusqlite::Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let id = next_id(connection)?;
    let now: i64 = connection.query_row(
        "SELECT max(fetched_at) FROM page WHERE id IN (SELECT value ->> 0 FROM json_each(?1))",
        [moved],
        |row| row.get(0),
    )?;
    insert(
        connection,
        id,
        name,
        None,
        magpie_values::Timestamp::from_millis(now),
        true,
    )?;
    connection.execute(
        "UPDATE archive SET bytes = ?2 WHERE id = ?1",
        (id, bytes.cast_signed()),
    )?;
    connection.execute(
        "INSERT OR IGNORE INTO rewrite SELECT DISTINCT archive_id FROM page
         WHERE id IN (SELECT value ->> 0 FROM json_each(?1)) AND archive_id IS NOT NULL",
        [moved],
    )?;
    connection.execute(
        "UPDATE page SET archive_id = ?1, archive_offset = moved.value ->> 1, archive_length = moved.value ->> 2,
            same_as = NULL
         FROM json_each(?2) AS moved WHERE page.id = moved.value ->> 0",
        (id, moved),
    )?;
    connection
        .execute("DELETE FROM waste WHERE name = ?1", [name])
        .map(drop)
}

/// Makes the pages of an archive lead to another, and lists its file to be removed.
fn lead_to(
    connection: &Connection,
    (old, archive): (i64, &Recorded),
    name: &str,
    written: &Rewritten,
) -> rusqlite::Result<()> {
    let id = next_id(connection)?;
    insert(connection, id, name, archive.run, archive.started_at, true)?;
    connection.execute(
        "UPDATE archive SET bytes = ?2 WHERE id = ?1",
        (id, written.bytes.cast_signed()),
    )?;
    connection.execute_batch("CREATE TEMP TABLE place (before INTEGER PRIMARY KEY, now INTEGER NOT NULL)")?;
    let mut statement = connection.prepare("INSERT INTO place VALUES (?1, ?2)")?;
    for (before, now) in &written.places {
        statement.execute((before.cast_signed(), now.cast_signed()))?;
    }
    for table in TABLES {
        let sql = format!(
            "UPDATE {table} SET archive_id = ?1, archive_offset = (SELECT now FROM place WHERE before = archive_offset)
             WHERE archive_id = ?2"
        );
        connection.execute(&sql, (id, old))?;
    }
    drop(statement);
    connection.execute_batch("DROP TABLE place")?;
    connection.execute("DELETE FROM waste WHERE name = ?1", [name])?;
    drop_archive(connection, old, &archive.name)
}

/// Removes the row of an archive that no page has any more, and lists its file to be removed.
fn drop_archive(connection: &Connection, id: i64, name: &str) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM rewrite WHERE archive_id = ?1", [id])?;
    connection.execute("INSERT OR IGNORE INTO waste VALUES (?1)", [name])?;
    connection
        .execute("DELETE FROM archive WHERE id = ?1", [id])
        .map(drop)
}

/// Returns the offsets of the records of an archive that pages have.
fn places(connection: &Connection, archive: i64) -> rusqlite::Result<BTreeSet<u64>> {
    let mut all = BTreeSet::new();
    for table in TABLES {
        let sql = format!("SELECT archive_offset FROM {table} WHERE archive_id = ?1");
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map([archive], |row| row.get::<_, i64>(0))?;
        for offset in rows {
            all.insert(offset?.cast_unsigned());
        }
    }
    Ok(all)
}

/// Returns the numbers that a statement selects.
pub(super) fn numbers(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    rows.collect()
}
