//! Reading the warehouse: what objects there are, what is known of them, and from where.

use std::ops::ControlFlow;

use magpie_rows::{
    Catalogue, MemberFilter, MemberRow, MemberState, ObjectFilter, ObjectId, ObjectOnPage, ObjectOrder,
    ObjectRow, Objects, PageId, RecordRow, RecordTimes, SightingRow, Sources, StandingRow, StoreError,
    WarehouseLink, WarehouseRow, WeakestLink,
};
use magpie_values::Timestamp;
use rusqlite::{OptionalExtension, Row};

use crate::column::{millis, optional_millis, record, url_print};
use crate::opened::{Looks, Opened};
use crate::warehouse::{doubts, standing};

/// Returns the expression that objects are sorted by.
fn order_sql(order: ObjectOrder) -> &'static str {
    match order {
        ObjectOrder::Number => "object.id",
        ObjectOrder::Label => "object.label COLLATE NOCASE",
        ObjectOrder::Members => "object.members",
        ObjectOrder::FirstSeen => "object.first_seen",
        ObjectOrder::LastSeen => "object.last_seen",
        ObjectOrder::Expires => "object.expires_at",
    }
}

pub(crate) const OBJECT: &str =
    "SELECT object.id, warehouse.vertical, label, record, origins, members, current,
        first_seen, last_seen, expires_at, object.state, changed_at
     FROM object JOIN warehouse ON warehouse.id = object.warehouse_id";

pub(crate) const MEMBER: &str =
    "SELECT member.record_id, member.object_id, coalesce(page.url, url.url), page.id, record.record,
         member.first_seen, member.last_seen, member.current, record.sources
     FROM member JOIN record ON record.id = member.last_record_id JOIN page ON page.id = record.page_id
     LEFT JOIN url ON url.id = page.url_id";

impl<A: Looks> Objects for Opened<A> {
    fn warehouse_vertical(&self, vertical: &str) -> Result<Option<WarehouseRow>, StoreError> {
        self.look(|connection| standing::warehouse_vertical(connection, vertical))
    }

    fn object(&self, id: ObjectId) -> Result<Option<ObjectRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "{OBJECT} WHERE object.id = (SELECT coalesce(merged_into, id) FROM object WHERE id = ?1)"
            ))?;
            statement.query_row([id.0], object_row).optional()
        })
    }

    fn objects_after(
        &self,
        vertical: &str,
        after: Option<ObjectId>,
        limit: usize,
    ) -> Result<Vec<ObjectRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "{OBJECT} WHERE merged_into IS NULL AND warehouse.vertical = ?1 AND object.id > ?2
                 ORDER BY object.id LIMIT ?3"
            ))?;
            let after = after.map_or(i64::MIN, |after| after.0);
            let rows = statement.query_map((vertical, after, limit as i64), object_row)?;
            rows.collect()
        })
    }

    fn objects_on_pages(
        &self,
        vertical: &str,
        after: Option<(u64, ObjectId)>,
        limit: usize,
    ) -> Result<Vec<ObjectOnPage>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                // Equal records on a page are one object; the one with the greatest number names
                // the page.
                "SELECT member.url_print, member.object_id, coalesce(page.url, url.url), object.first_seen,
                    object.last_seen, object.expires_at, max(member.record_id)
                 FROM warehouse CROSS JOIN member ON member.warehouse_id = warehouse.id
                 CROSS JOIN object ON object.id = member.object_id
                 CROSS JOIN record ON record.id = member.last_record_id CROSS JOIN page ON page.id = record.page_id
                 LEFT JOIN url ON url.id = page.url_id
                 WHERE warehouse.vertical = ?1 AND member.url_print >= ?2
                    AND (member.url_print, member.object_id) > (?2, ?3) AND member.current = 1
                 GROUP BY member.url_print, member.object_id
                 ORDER BY member.url_print, member.object_id LIMIT ?4",
            )?;
            let (print, object) = after.map_or((i64::MIN, i64::MIN), |(print, object)| {
                (print.cast_signed(), object.0)
            });
            let rows = statement.query_map((vertical, print, object, limit as i64), |row| {
                Ok(ObjectOnPage {
                    url_print: row.get::<_, i64>(0)?.cast_unsigned(),
                    object: ObjectId(row.get(1)?),
                    url: row.get(2)?,
                    first_seen: millis(row, 3)?,
                    last_seen: millis(row, 4)?,
                    expires_at: optional_millis(row, 5)?,
                })
            })?;
            rows.collect()
        })
    }

    fn doubtful_pages(&self, vertical: &str) -> Result<Vec<(u64, ObjectId, f64)>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "WITH link (member, probability) AS (
                    SELECT one, probability FROM member_link UNION ALL SELECT other, probability FROM member_link
                 ), best (member, probability) AS MATERIALIZED (
                    SELECT member, max(probability) FROM link GROUP BY member
                 )
                 SELECT url_print, object_id, max(iif(
                    here.record_id = (SELECT min(first.record_id) FROM member AS first WHERE first.object_id = here.object_id),
                    1.0, coalesce(best.probability, 1.0))) AS likely
                 FROM warehouse CROSS JOIN member AS here ON here.warehouse_id = warehouse.id
                 LEFT JOIN best ON best.member = here.record_id
                 WHERE warehouse.vertical = ?1 AND here.current = 1
                 GROUP BY url_print, object_id HAVING likely < 1.0 ORDER BY url_print, object_id",
            )?;
            let rows = statement.query_map([vertical], |row| {
                let print: i64 = row.get(0)?;
                Ok((print.cast_unsigned(), ObjectId(row.get(1)?), row.get(2)?))
            })?;
            rows.collect()
        })
    }

    fn record_times(&self, vertical: &str, after: i64, limit: usize) -> Result<Vec<RecordTimes>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT member.record_id, member.url_print, member.first_seen, member.last_seen, member.current,
                    object.first_seen >= member.first_seen
                 FROM member JOIN object ON object.id = member.object_id
                 WHERE member.warehouse_id = (SELECT id FROM warehouse WHERE vertical = ?1)
                    AND member.record_id > ?2 ORDER BY member.record_id LIMIT ?3",
            )?;
            let rows = statement.query_map((vertical, after, limit as i64), |row| {
                Ok(RecordTimes {
                    member: row.get(0)?,
                    url: row.get::<_, i64>(1)?.cast_unsigned(),
                    first_seen: millis(row, 2)?,
                    last_seen: millis(row, 3)?,
                    current: row.get(4)?,
                    new_object: row.get(5)?,
                })
            })?;
            rows.collect()
        })
    }

    fn members(&self, of: MemberFilter<'_>) -> Result<Vec<MemberState>, StoreError> {
        self.look(|connection| standing::members(connection, of))
    }

    fn standing_after(
        &self,
        warehouse: i64,
        after: i64,
        limit: usize,
    ) -> Result<Vec<StandingRow>, StoreError> {
        self.look(|connection| standing::standing_after(connection, warehouse, after, limit))
    }

    fn records(&self, numbers: &[i64]) -> Result<Vec<RecordRow>, StoreError> {
        self.look(|connection| standing::records(connection, numbers))
    }

    fn links_of(&self, object: i64) -> Result<Vec<WarehouseLink>, StoreError> {
        self.look(|connection| standing::links_of(connection, object))
    }

    fn weakest_links(&self, vertical: &str) -> Result<Vec<WeakestLink>, StoreError> {
        self.look(|connection| doubts::weakest_links(connection, vertical))
    }

    fn apart(&self, warehouse: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        self.look(|connection| standing::apart(connection, warehouse))
    }
}

impl<A: Looks> Catalogue for Opened<A> {
    fn warehouse_verticals(&self) -> Result<Vec<WarehouseRow>, StoreError> {
        self.look(standing::warehouse_verticals)
    }

    fn warehouse_objects(&self, row: &WarehouseRow) -> Result<u64, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT count(*) FROM object WHERE warehouse_id = ?1 AND merged_into IS NULL",
            )?;
            let count = statement.query_row([row.id], |row| row.get::<_, i64>(0));
            count.map(i64::unsigned_abs)
        })
    }

    fn last_object(&self) -> Result<i64, StoreError> {
        self.look(|connection| {
            connection.query_row("SELECT coalesce(max(id), 0) FROM object", [], |row| row.get(0))
        })
    }

    fn merged_into(&self, object: ObjectId) -> Result<Vec<ObjectId>, StoreError> {
        self.look(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT id FROM object WHERE merged_into = ?1 AND id <> ?1 ORDER BY id")?;
            let rows = statement.query_map([object.0], |row| row.get(0).map(ObjectId))?;
            rows.collect()
        })
    }

    fn objects(
        &self,
        filter: &ObjectFilter,
        each: &mut dyn FnMut(ObjectRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.look(|connection| {
            let direction = if filter.backwards { "DESC" } else { "ASC" };
            let order = order_sql(filter.order);
            let mut statement = connection.prepare_cached(&format!(
                "{OBJECT} WHERE merged_into IS NULL AND (?1 IS NULL OR warehouse.vertical = ?1)
                 AND (?2 IS NULL OR first_seen >= ?2) AND (?3 IS NULL OR expires_at < ?3)
                 AND (?4 IS NULL OR expires_at IS NULL OR expires_at >= ?4)
                 ORDER BY {order} {direction} NULLS LAST, object.id"
            ))?;
            let mut rows = statement.query((
                filter.vertical.as_deref(),
                filter.new_since.map(Timestamp::as_millis),
                filter.expired_at.map(Timestamp::as_millis),
                filter.current_at.map(Timestamp::as_millis),
            ))?;
            while let Some(row) = rows.next()? {
                if each(object_row(row)?).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    fn members_of(&self, object: ObjectId) -> Result<Vec<MemberRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "{MEMBER} WHERE member.object_id = ?1 ORDER BY member.record_id"
            ))?;
            let rows = statement.query_map([object.0], member_row)?;
            rows.collect()
        })
    }

    fn member_with(&self, record: i64) -> Result<Option<MemberRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "{MEMBER} WHERE member.record_id = (SELECT member_id FROM sighting WHERE sighting.record_id = ?1)"
            ))?;
            statement.query_row([record], member_row).optional()
        })
    }

    fn sightings(&self, member: i64) -> Result<Vec<SightingRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT record.id, page.id, page.fetched_at FROM sighting JOIN record ON record.id = sighting.record_id
                 JOIN page ON page.id = record.page_id WHERE member_id = ?1 ORDER BY record.id",
            )?;
            let rows = statement.query_map([member], |row| {
                Ok(SightingRow {
                    record: row.get(0)?,
                    page: PageId(row.get(1)?),
                    fetched_at: millis(row, 2)?,
                })
            })?;
            rows.collect()
        })
    }

    fn objects_at(&self, vertical: &str, url: &str) -> Result<Vec<ObjectId>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT DISTINCT object_id FROM member JOIN warehouse ON warehouse.id = member.warehouse_id
                 WHERE warehouse.vertical = ?1 AND url_print = ?2 AND current = 1 ORDER BY object_id",
            )?;
            let rows = statement.query_map((vertical, url_print(url)), |row| row.get(0).map(ObjectId))?;
            rows.collect()
        })
    }
}

pub(crate) fn object_row(row: &Row<'_>) -> rusqlite::Result<ObjectRow> {
    Ok(ObjectRow {
        id: ObjectId(row.get(0)?),
        vertical: row.get(1)?,
        label: row.get(2)?,
        record: record(row, 3)?.unwrap_or_default(),
        origins: row.get(4)?,
        members: row.get::<_, i64>(5)?.unsigned_abs(),
        current: row.get::<_, i64>(6)?.unsigned_abs(),
        first_seen: millis(row, 7)?,
        last_seen: millis(row, 8)?,
        expires_at: optional_millis(row, 9)?,
        state: row.get_ref(10)?.as_str()?.parse().ok(),
        changed_at: millis(row, 11)?,
    })
}

pub(crate) fn member_row(row: &Row<'_>) -> rusqlite::Result<MemberRow> {
    Ok(MemberRow {
        id: row.get(0)?,
        object: ObjectId(row.get(1)?),
        url: row.get(2)?,
        page: PageId(row.get(3)?),
        record: record(row, 4)?.unwrap_or_default(),
        first_seen: millis(row, 5)?,
        last_seen: millis(row, 6)?,
        current: row.get(7)?,
        sources: sources(row, 8)?,
    })
}

/// Reads the origins of values. A text of another program counts as none.
fn sources(row: &Row<'_>, column: usize) -> rusqlite::Result<Sources> {
    let text: Option<String> = row.get(column)?;
    Ok(text
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default())
}
