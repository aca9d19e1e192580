//! Joining archives in an object store, and finding those that nobody knows.

use std::collections::HashSet;

use magpie_archive::{Listed, Part};
use magpie_rows::{ArchiveStore, Compacted, Orphan, RunId, StoreError, Verified};
use magpie_values::Timestamp;
use rusqlite::Connection;
use serde_json::json;

use crate::workspace::Workspace;
use crate::workspace::recover::{Recorded, recorded};
use crate::writer::archives::{Segments, insert};

impl ArchiveStore for Workspace {
    fn verify(&self) -> Result<Verified, StoreError> {
        Workspace::verify(self)
    }

    fn compact(&self, now: Timestamp) -> Result<Compacted, StoreError> {
        self.0.writer.flush()?;
        let mut compacted = Compacted::default();
        let Some((below, file_bytes)) = &self.0.segments else {
            return Ok(compacted);
        };
        let own = format!("{below}/");
        let mut group: Vec<Recorded> = Vec::new();
        let all = self.look(recorded)?.into_iter();
        let small = all.filter(|archive| {
            archive.bytes > 0 && (archive.bytes < file_bytes / 2 || !archive.name.starts_with(&own))
        });
        for archive in small {
            let bytes: u64 = group.iter().map(|archive| archive.bytes).sum();
            if bytes + archive.bytes > *file_bytes {
                self.join(&std::mem::take(&mut group), &own, now, &mut compacted)?;
            }
            group.push(archive);
        }
        self.join(&group, &own, now, &mut compacted)?;
        Ok(compacted)
    }

    fn orphans(&self, remove_before: Option<Timestamp>) -> Result<Vec<Orphan>, StoreError> {
        let archives = &self.0.archives;
        let known: HashSet<String> = self
            .look(recorded)?
            .into_iter()
            .map(|archive| archive.name)
            .collect();
        let is_ours =
            |archive: &Listed| archive.name.starts_with("magpie-") && archive.name.ends_with(".warc.gz");
        // Other files may lie in the folder. That in a store has the number of this workspace.
        let mut listed: Vec<Listed> = archives.list(None)?.into_iter().filter(is_ours).collect();
        if let Some((below, _)) = &self.0.segments {
            listed.extend(archives.list(Some(below))?);
        }
        let mut orphans = Vec::new();
        for Listed {
            name,
            bytes,
            modified,
        } in listed
        {
            if known.contains(&name) {
                continue;
            }
            let is_removed = remove_before.is_some_and(|before| modified < before);
            if is_removed {
                archives.remove(&name)?;
            }
            orphans.push(Orphan {
                name,
                bytes,
                modified,
                is_removed,
            });
        }
        Ok(orphans)
    }
}

impl Workspace {
    /// Joins archives to one. The new one is whole before the rows lead to it, and the old ones are
    /// removed after that; a kill in between leaves archives without rows.
    fn join(
        &self,
        group: &[Recorded],
        own: &str,
        now: Timestamp,
        compacted: &mut Compacted,
    ) -> Result<(), StoreError> {
        let is_worth_it = match group {
            [] => false,
            // Outside of the store, one is worth to be moved into it.
            [one] => !one.name.starts_with(own),
            _ => true,
        };
        let Some((below, _)) = self.0.segments.as_ref().filter(|_| is_worth_it) else {
            return Ok(());
        };
        let run = group[0]
            .run
            .filter(|run| group.iter().all(|archive| archive.run == Some(*run)));
        let below = below.clone();
        let (id, url) =
            self.look(|connection| Segments::below(connection, below)?.name(connection, run.map(RunId)))?;
        let parts: Vec<Part> = group
            .iter()
            .map(|archive| Part {
                name: archive.name.clone(),
                bytes: archive.bytes,
            })
            .collect();
        let archives = &self.0.archives;
        archives.join(&url, &parts)?;
        let bytes: u64 = parts.iter().map(|part| part.bytes).sum();
        let found = archives.length(&url.to_string())?;
        if found != Some(bytes) {
            return Err(StoreError::ArchiveCut {
                file: archives.path(&url.to_string()),
                expected: bytes,
                found: found.unwrap_or(0),
            });
        }
        let mut base = 0;
        let places: Vec<(i64, u64)> = group
            .iter()
            .map(|archive| {
                base += archive.bytes;
                (archive.id, base - archive.bytes)
            })
            .collect();
        let began = group.iter().map(|archive| archive.started_at).min();
        let began = began.map_or(now, Timestamp::from_millis);
        let name = url.to_string();
        self.write(move |connection| {
            insert(connection, id, &name, run.map(RunId), began, true)?;
            move_rows(connection, &places, id, bytes)
        })?;
        for part in &parts {
            archives.remove(&part.name)?;
        }
        compacted.joined += parts.len() as u64;
        compacted.into += 1;
        compacted.bytes += bytes;
        Ok(())
    }
}

/// Makes the rows of archives lead to one that has their bytes one after the other.
fn move_rows(connection: &Connection, places: &[(i64, u64)], id: i64, bytes: u64) -> rusqlite::Result<()> {
    connection.execute(
        "UPDATE archive SET bytes = ?2 WHERE id = ?1",
        (id, bytes.cast_signed()),
    )?;
    // Without an index, each archive that is deleted below would be looked for in all pages.
    connection.execute_batch("CREATE INDEX moved_page ON page (archive_id); CREATE INDEX moved_rendering ON rendering (archive_id)")?;
    let places = json!(places).to_string();
    for table in ["page", "rendering"] {
        let sql = format!(
            "WITH place (id, base) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?2))
             UPDATE {table} SET archive_id = ?1,
                    archive_offset = archive_offset + (SELECT base FROM place WHERE place.id = archive_id)
             WHERE archive_id IN (SELECT id FROM place)"
        );
        connection.execute(&sql, (id, &places))?;
    }
    connection.execute(
        "DELETE FROM archive WHERE id IN (SELECT value ->> 0 FROM json_each(?1))",
        [&places],
    )?;
    connection.execute_batch("DROP INDEX moved_page; DROP INDEX moved_rendering")
}
