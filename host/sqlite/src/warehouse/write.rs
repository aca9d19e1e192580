//! Writing what was decided: each call is one transaction.

use magpie_rows::{
    AddressRow, Batch, Extraction, FoundPages, MatcherKind, Matching, MergedObject, NewMember, ObjectId,
    PageAnchors, PageId, PageReading, PreparedMember, Readings, Reassignment, Rebuild, RecordPage, Seen,
    SiteId, SiteNews, StoreError, Warehouse, WarehouseLink, WarehouseTotals,
};
use magpie_values::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::column::url_print;
use crate::history::log;
use crate::search::index;
use crate::search::index::Indexer;
use crate::warehouse::views::create_views;
use crate::warehouse::{identity, readings, standing};
use crate::workspace::Workspace;
use magpie_rows::diff::Version;

impl Warehouse for Workspace {
    fn warehouse(&self, vertical: &str, now: Timestamp) -> Result<i64, StoreError> {
        let vertical = vertical.to_owned();
        self.write(move |connection| {
            let known = connection
                .query_row(
                    "SELECT id FROM warehouse WHERE vertical = ?1",
                    [&vertical],
                    |row| row.get(0),
                )
                .optional()?;
            if let Some(id) = known {
                return Ok(id);
            }
            connection.execute(
                "INSERT INTO warehouse (vertical, matcher, digest, options, schema, clustered_at)
                 VALUES (?1, '', '', '', '[]', ?2)",
                (&vertical, now.as_millis()),
            )?;
            let id = connection.last_insert_rowid();
            create_views(connection)?;
            Ok(id)
        })
    }

    fn found(&self, vertical: &str, records: usize) -> Result<FoundPages, StoreError> {
        self.look(|connection| standing::found(connection, vertical, records))
    }

    fn addresses(&self, urls: &[(SiteId, String)]) -> Result<Vec<AddressRow>, StoreError> {
        self.look(|connection| identity::addresses(connection, urls))
    }

    fn anchors(&self, pages: &[PageId]) -> Result<Vec<PageAnchors>, StoreError> {
        self.look(|connection| identity::anchors(connection, pages))
    }

    fn pages_of_records(&self, records: &[i64]) -> Result<Vec<RecordPage>, StoreError> {
        self.look(|connection| identity::pages_of_records(connection, records))
    }

    fn stale(&self, warehouse: i64, limit: usize) -> Result<Vec<i64>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id FROM object WHERE warehouse_id = ?1 AND stale = 1 AND merged_into IS NULL ORDER BY id LIMIT ?2",
            )?;
            let rows = statement.query_map((warehouse, limit as i64), |row| row.get(0))?;
            rows.collect()
        })
    }

    fn totals(&self, warehouse: i64) -> Result<WarehouseTotals, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT count(*), coalesce(sum(members), 0), (SELECT coalesce(max(id), 0) FROM object)
                 FROM object WHERE warehouse_id = ?1 AND merged_into IS NULL",
            )?;
            statement.query_row([warehouse], |row| {
                Ok(WarehouseTotals {
                    objects: row.get::<_, i64>(0)?.unsigned_abs(),
                    members: row.get::<_, i64>(1)?.unsigned_abs(),
                    last: row.get(2)?,
                })
            })
        })
    }

    fn take_in(&self, batch: Batch) -> Result<(), StoreError> {
        self.write(move |connection| take_in(connection, &batch))
    }

    fn expire(&self, warehouse: i64, now: Timestamp) -> Result<usize, StoreError> {
        self.write(move |connection| log::log_expired(connection, warehouse, now))
    }

    fn rebuild(&self, warehouse: i64, step: Rebuild) -> Result<(), StoreError> {
        self.write(move |connection| match &step {
            // Without a matcher the clustering is invalid, and it stays so if the rebuild is
            // interrupted.
            Rebuild::Begin => execute(
                connection,
                "UPDATE warehouse SET matcher = '' WHERE id = ?1",
                warehouse,
            ),
            Rebuild::Prepare(members) => prepare(connection, members),
            Rebuild::Assign(reassignment) => reassign(connection, warehouse, reassignment),
        })
    }

    fn withdraw(&self, vertical: &str, urls: Vec<String>) -> Result<usize, StoreError> {
        let vertical = vertical.to_owned();
        self.write(move |connection| {
            let mut withdrawn = 0;
            let mut stale = connection.prepare_cached(
                "UPDATE object SET stale = 1 WHERE id IN (SELECT object_id FROM member WHERE current = 1 AND url_print = ?2
                    AND warehouse_id = (SELECT id FROM warehouse WHERE vertical = ?1))",
            )?;
            let mut gone = connection.prepare_cached(
                "UPDATE member SET current = 0 WHERE current = 1 AND url_print = ?2
                    AND warehouse_id = (SELECT id FROM warehouse WHERE vertical = ?1)",
            )?;
            for url in &urls {
                // Before the members are withdrawn: the objects are found by members that are
                // current.
                stale.execute((&vertical, url_print(url)))?;
                withdrawn += gone.execute((&vertical, url_print(url)))?;
            }
            Ok(withdrawn)
        })
    }

    fn keep_apart(
        &self,
        pair: (i64, i64),
        moved: Vec<i64>,
        now: Timestamp,
    ) -> Result<Option<ObjectId>, StoreError> {
        self.write(move |connection| {
            connection.execute(
                "INSERT INTO apart VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                // A pair is stored once, whichever of the two was named first.
                (pair.0.min(pair.1), pair.0.max(pair.1), now.as_millis()),
            )?;
            let Some(first) = moved.first() else {
                return Ok(None);
            };
            move_out(connection, *first, &moved).map(Some)
        })
    }
}

impl Readings for Workspace {
    fn sites_with_news(&self, vertical: &str) -> Result<Vec<SiteNews>, StoreError> {
        self.look(|connection| readings::sites_with_news(connection, vertical))
    }

    fn put_readings(&self, vertical: &str, pages: Vec<PageReading>) -> Result<usize, StoreError> {
        let vertical = vertical.to_owned();
        self.write(move |connection| {
            let mut changed = 0;
            for page in &pages {
                changed += usize::from(readings::put(connection, &vertical, page)?);
            }
            Ok(changed)
        })
    }

    fn put_extractions(&self, vertical: &str, pages: Vec<(PageId, Extraction)>) -> Result<usize, StoreError> {
        let vertical = vertical.to_owned();
        self.write(move |connection| {
            let mut changed = 0;
            for (page, extraction) in &pages {
                changed += usize::from(readings::replace(connection, &vertical, *page, extraction)?);
            }
            Ok(changed)
        })
    }
}

fn take_in(connection: &Connection, batch: &Batch) -> rusqlite::Result<()> {
    for object in &batch.objects {
        put_object(connection, batch.warehouse, object, batch.now)?;
    }
    for (gone, stays) in &batch.merged {
        retire(connection, gone.0, stays.0, batch.now)?;
    }
    for member in &batch.members {
        put_member(connection, batch.warehouse, member)?;
    }
    for seen in &batch.seen {
        put_sighting(connection, seen)?;
    }
    for member in &batch.gone {
        execute(
            connection,
            "UPDATE member SET current = 0 WHERE record_id = ?1",
            *member,
        )?;
    }
    for member in &batch.replaced {
        execute(
            connection,
            "UPDATE member SET features = NULL, keys = NULL WHERE record_id = ?1",
            *member,
        )?;
    }
    put_links(connection, &batch.links)?;
    let touched = batch.touched();
    if !touched.is_empty() {
        // In the transaction of the objects, so a crash leaves objects, log and index together or
        // none of them.
        let indexer = Indexer::new(connection, batch.warehouse)?;
        touched.iter().try_for_each(|object| indexer.refresh(*object))?;
    }
    let mut mark = connection.prepare_cached(
        "INSERT INTO clustered VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET page = max(page, excluded.page)",
    )?;
    // The pages count as clustered in the same transaction, so no record is clustered twice after a
    // crash.
    for (site, page) in &batch.marks.upto {
        mark.execute((batch.warehouse, site.0, page.cast_signed()))?;
    }
    for page in &batch.marks.again {
        connection
            .prepare_cached("DELETE FROM reread WHERE warehouse_id = ?1 AND page_id = ?2")?
            .execute((batch.warehouse, page.0))?;
    }
    connection.execute(
        "UPDATE warehouse SET clustered_at = ?2 WHERE id = ?1",
        (batch.warehouse, batch.now.as_millis()),
    )?;
    Ok(())
}

fn prepare(connection: &Connection, members: &[PreparedMember]) -> rusqlite::Result<()> {
    let mut statement =
        connection.prepare_cached("UPDATE member SET features = ?2, keys = ?3 WHERE record_id = ?1")?;
    for member in members {
        statement.execute(params![member.id, member.features, json(&member.keys)])?;
    }
    Ok(())
}

/// Writes an object and logs its changes.
fn put_object(
    connection: &Connection,
    warehouse: i64,
    object: &MergedObject,
    now: Timestamp,
) -> rusqlite::Result<()> {
    insert_stale(connection, warehouse, object.id)?;
    // Read before the object is written: the log records the difference.
    let before = log::logged(connection, object.id)?;
    update_object(connection, object)?;
    let after = Version {
        label: object.label.clone(),
        record: object.record.clone(),
        expires_at: object.expires_at,
    };
    let before = before.as_ref().map(|(version, state)| (version, *state));
    log::log_changes(connection, object.id, before, &after, object.current, now)
}

/// An object that is to be written yet, unless it is there.
fn insert_stale(connection: &Connection, warehouse: i64, id: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO object (id, warehouse_id, label, object_type, record, origins, members, current, first_seen,
                last_seen, stale)
             VALUES (?1, ?2, '', '', '{}', '{}', 0, 0, 0, 0, 1) ON CONFLICT DO NOTHING",
        )?
        .execute((id, warehouse))
        .map(drop)
}

fn update_object(connection: &Connection, object: &MergedObject) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE object SET label = ?2, object_type = ?3, record = ?4, origins = ?5, members = ?6, current = ?7,
                first_seen = ?8, last_seen = ?9, expires_at = ?10, stale = 0
             WHERE id = ?1",
        )?
        .execute(params![
            object.id,
            object.label,
            object.record.object_type,
            object.record.to_text(),
            object.origins,
            object.members.cast_signed(),
            object.current.cast_signed(),
            object.first_seen.as_millis(),
            object.last_seen.as_millis(),
            object.expires_at.map(Timestamp::as_millis),
        ])
        .map(drop)
}

/// Merges an object into another. Objects that were merged into it before now point to the other,
/// so there are no chains.
fn retire(connection: &Connection, gone: i64, stays: i64, now: Timestamp) -> rusqlite::Result<()> {
    // Before the row points to the other object: the log leaves out a merge that it has already.
    log::log_merge(connection, gone, stays, now)?;
    for sql in [
        "UPDATE member SET object_id = ?2 WHERE object_id = ?1",
        "UPDATE object SET merged_into = ?2 WHERE merged_into = ?1",
        "UPDATE object SET merged_into = ?2 WHERE id = ?1",
    ] {
        connection.prepare_cached(sql)?.execute((gone, stays))?;
    }
    Ok(())
}

fn put_member(connection: &Connection, warehouse: i64, member: &NewMember) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO member VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?1, 1, ?7, ?8, ?9)
             ON CONFLICT DO UPDATE SET object_id = excluded.object_id, features = excluded.features,
                keys = excluded.keys, origin = excluded.origin",
        )?
        .execute(params![
            member.id,
            warehouse,
            member.object,
            url_print(&member.url),
            member.record_print.to_be_bytes(),
            member.seen_at.as_millis(),
            member.features,
            json(&member.keys),
            member.origin,
        ])
        .map(drop)
}

fn put_sighting(connection: &Connection, seen: &Seen) -> rusqlite::Result<()> {
    if let Some(record) = seen.record {
        connection
            .prepare_cached("INSERT INTO sighting VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute((record, seen.member))?;
    }
    connection
        .prepare_cached(
            "UPDATE member SET current = 1, first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?2),
                last_record_id = coalesce(?3, last_record_id)
             WHERE record_id = ?1",
        )?
        .execute((seen.member, seen.at.as_millis(), seen.record))?;
    connection
        .prepare_cached(
            "UPDATE object SET first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?2)
             WHERE id = (SELECT object_id FROM member WHERE record_id = ?1)",
        )?
        .execute((seen.member, seen.at.as_millis()))
        .map(drop)
}

fn put_links(connection: &Connection, links: &[WarehouseLink]) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO member_link VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET
            probability = excluded.probability, scheme = excluded.scheme, reasons = excluded.reasons",
    )?;
    for link in links {
        statement.execute(params![
            link.one.min(link.other),
            link.one.max(link.other),
            link.probability,
            link.scheme,
            json(&link.reasons),
        ])?;
    }
    Ok(())
}

fn reassign(connection: &Connection, warehouse: i64, reassignment: &Reassignment) -> rusqlite::Result<()> {
    for id in &reassignment.new {
        insert_stale(connection, warehouse, *id)?;
    }
    let mut statement = connection.prepare_cached("UPDATE member SET object_id = ?2 WHERE record_id = ?1")?;
    for moved in &reassignment.moved {
        statement.execute(*moved)?;
    }
    for (gone, stays) in &reassignment.retired {
        retire(connection, *gone, *stays, reassignment.now)?;
        index::remove(connection, *gone)?;
    }
    execute(
        connection,
        "DELETE FROM member_link WHERE one IN (SELECT record_id FROM member WHERE warehouse_id = ?1)",
        warehouse,
    )?;
    put_links(connection, &reassignment.links)?;
    execute(
        connection,
        "UPDATE object SET stale = 1 WHERE warehouse_id = ?1 AND merged_into IS NULL",
        warehouse,
    )?;
    let Matching {
        matcher,
        digest,
        options,
        schema,
    } = &reassignment.matching;
    let is_other_schema: bool = connection.query_row(
        "SELECT schema <> ?2 FROM warehouse WHERE id = ?1",
        (warehouse, schema),
        |row| row.get(0),
    )?;
    connection.execute(
        "UPDATE warehouse SET matcher = ?2, digest = ?3, options = ?4, schema = ?5, clustered_at = ?6 WHERE id = ?1",
        (warehouse, matcher.map_or("", MatcherKind::as_str), digest, options, schema, reassignment.now.as_millis()),
    )?;
    if is_other_schema {
        Indexer::new(connection, warehouse)?.refresh_all()?;
    }
    create_views(connection)
}

/// Moves members of one object into a new one, and cuts the links to the others. Both are to be
/// merged again.
fn move_out(connection: &Connection, first: i64, moved: &[i64]) -> rusqlite::Result<ObjectId> {
    let (warehouse, old): (i64, i64) = connection.query_row(
        "SELECT warehouse_id, object_id FROM member WHERE record_id = ?1",
        [first],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let new: i64 = connection.query_row("SELECT coalesce(max(id), 0) + 1 FROM object", [], |row| {
        row.get(0)
    })?;
    insert_stale(connection, warehouse, new)?;
    for member in moved {
        connection
            .prepare_cached("UPDATE member SET object_id = ?2 WHERE record_id = ?1")?
            .execute((member, new))?;
    }
    connection.execute(
        "DELETE FROM member_link WHERE (one, other) IN (
            SELECT link.one, link.other FROM member AS here JOIN member_link AS link ON link.one = here.record_id
            JOIN member AS there ON there.record_id = link.other
            WHERE here.object_id IN (?1, ?2) AND here.object_id <> there.object_id)",
        (old, new),
    )?;
    execute(connection, "UPDATE object SET stale = 1 WHERE id = ?1", old)?;
    Ok(ObjectId(new))
}

fn execute(connection: &Connection, sql: &str, parameter: i64) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([parameter]).map(drop)
}

/// Texts as JSON, which can't fail.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
