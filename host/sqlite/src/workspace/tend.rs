//! Joining archives in an object store, and finding those that nobody knows.

use magpie_archive::{Listed, Recorded, compact, orphans};
use magpie_rows::{ArchiveStore, Compacted, Orphan, RunId, StoreError, Verified};
use magpie_values::Timestamp;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::workspace::Workspace;
use crate::workspace::recover::recorded;
use crate::writer::archives::{insert, new_segments, next_id};

impl ArchiveStore for Workspace {
    fn verify(&self) -> Result<Verified, StoreError> {
        Workspace::verify(self)
    }

    fn compact(&self) -> Result<Compacted, StoreError> {
        self.0.writer.flush()?;
        let Some((below, file_bytes)) = &self.0.segments else {
            return Ok(Compacted::default());
        };
        let all = self.look(recorded)?.into_iter().map(|(_, archive)| Ok(archive));
        let name = |run| {
            self.look(|connection| {
                Ok(new_segments(connection, below.clone())?.name(run, next_id(connection)?))
            })
        };
        compact(
            &self.0.archives,
            below,
            *file_bytes,
            all,
            name,
            |group, run, url| {
                let (group, name) = (group.to_vec(), url.to_string());
                self.write(move |connection| move_rows(connection, &group, run, &name))
            },
        )
    }

    fn orphans(&self, remove_before: Option<Timestamp>) -> Result<Vec<Orphan>, StoreError> {
        let archives = &self.0.archives;
        let known = self.look(recorded)?.into_iter();
        let known = known.map(|(_, archive)| archive.name).collect();
        let is_ours =
            |archive: &Listed| archive.name.starts_with("magpie-") && archive.name.ends_with(".warc.gz");
        // Other files may lie in the folder. That in a store has the number of this workspace.
        let mut listed: Vec<Listed> = archives.list(None)?.into_iter().filter(is_ours).collect();
        if let Some((below, _)) = &self.0.segments {
            listed.extend(archives.list(Some(below))?);
        }
        orphans(archives, listed, &known, remove_before)
    }
}

/// Makes the rows of archives lead to one that has their bytes one after the other.
fn move_rows(
    connection: &Connection,
    group: &[Recorded],
    run: Option<RunId>,
    name: &str,
) -> rusqlite::Result<()> {
    let id = next_id(connection)?;
    let mut bytes = 0;
    let places = group.iter().map(|archive| {
        bytes += archive.bytes;
        json!([archive.name, bytes - archive.bytes])
    });
    let places = Value::from_iter(places).to_string();
    let began = group.iter().map(|archive| archive.started_at).min();
    insert(connection, id, name, run, began.unwrap_or_default(), true)?;
    connection.execute(
        "UPDATE archive SET bytes = ?2 WHERE id = ?1",
        (id, bytes.cast_signed()),
    )?;
    // Without an index, each archive that is deleted below would be looked for in all pages.
    connection.execute_batch("CREATE INDEX moved_page ON page (archive_id); CREATE INDEX moved_rendering ON rendering (archive_id)")?;
    for table in ["page", "rendering"] {
        let sql = format!(
            "WITH place (id, base) AS MATERIALIZED (
                SELECT archive.id, value ->> 1 FROM json_each(?2) JOIN archive ON archive.name = value ->> 0)
             UPDATE {table} SET archive_id = ?1,
                    archive_offset = archive_offset + (SELECT base FROM place WHERE place.id = archive_id)
             WHERE archive_id IN (SELECT id FROM place)"
        );
        connection.execute(&sql, (id, &places))?;
    }
    connection.execute(
        "DELETE FROM archive WHERE name IN (SELECT value ->> 0 FROM json_each(?1))",
        [&places],
    )?;
    connection.execute_batch("DROP INDEX moved_page; DROP INDEX moved_rendering")
}
