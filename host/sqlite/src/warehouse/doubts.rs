//! The weakest link that holds each object together.

use magpie_rows::{Doubts, HeldLink, ObjectId, WarehouseLink, WeakestLink};
use rusqlite::{Connection, OptionalExtension};

use crate::warehouse::standing::link_row;

pub(super) fn weakest_links(connection: &Connection, vertical: &str) -> rusqlite::Result<Vec<WeakestLink>> {
    let mut statement = connection.prepare_cached(
        "SELECT here.object_id, one, other, probability, here.current, there.current
         FROM warehouse CROSS JOIN member AS here ON here.warehouse_id = warehouse.id
         CROSS JOIN member_link ON one = here.record_id
         CROSS JOIN member AS there ON there.record_id = other AND there.object_id = here.object_id
         WHERE vertical = ?1 ORDER BY here.object_id, probability DESC, one, other",
    )?;
    let mut rows = statement.query([vertical])?;
    let mut doubts = Doubts::default();
    while let Some(row) = rows.next()? {
        doubts.add(HeldLink {
            object: row.get(0)?,
            ends: [row.get(1)?, row.get(2)?],
            probability: row.get(3)?,
            current: [row.get(4)?, row.get(5)?],
        });
    }
    let weakest = doubts.weakest().into_iter();
    weakest
        .map(|link| describe(connection, link.object, link.ends))
        .collect()
}

fn describe(connection: &Connection, object: i64, ends: [i64; 2]) -> rusqlite::Result<WeakestLink> {
    let mut label = connection.prepare_cached("SELECT label FROM object WHERE id = ?1")?;
    let mut link = connection.prepare_cached(
        "SELECT one, other, probability, scheme, reasons FROM member_link WHERE one = ?1 AND other = ?2",
    )?;
    let mut url = connection.prepare_cached(
        "SELECT coalesce(page.url, url.url, '') FROM member JOIN record ON record.id = member.last_record_id
         JOIN page ON page.id = record.page_id LEFT JOIN url ON url.id = page.url_id WHERE member.record_id = ?1",
    )?;
    let mut url_of = |end: i64| -> rusqlite::Result<String> {
        let found = url.query_row([end], |row| row.get(0)).optional()?;
        Ok(found.unwrap_or_default())
    };
    let urls = [url_of(ends[0])?, url_of(ends[1])?];
    let link: WarehouseLink = link.query_row((ends[0], ends[1]), link_row)?;
    Ok(WeakestLink {
        object: ObjectId(object),
        label: label.query_row([object], |row| row.get(0))?,
        link,
        urls,
    })
}
