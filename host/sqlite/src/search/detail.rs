//! Everything about one object.

use magpie_find::joined;
use magpie_model::Attribute;
use magpie_rows::{ObjectDetail, ObjectId};
use rusqlite::{Connection, OptionalExtension};

use crate::search::index::attributes_of;
use crate::warehouse::read::{MEMBER, OBJECT, member_row, object_row};

pub(super) fn object_detail(connection: &Connection, id: ObjectId) -> rusqlite::Result<Option<ObjectDetail>> {
    let sql = format!("{OBJECT} WHERE object.id = ?1");
    let found = connection
        .prepare_cached(&sql)?
        .query_row([id.0], object_row)
        .optional()?;
    let Some(object) = found else {
        return Ok(None);
    };
    let mut statement = connection.prepare_cached(
        "SELECT merged_into, (SELECT count(*) FROM change WHERE object_id = ?1) FROM object WHERE id = ?1",
    )?;
    let (merged_into, revision): (Option<i64>, i64) =
        statement.query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut statement =
        connection.prepare_cached("SELECT id FROM object WHERE merged_into = ?1 AND id <> ?1 ORDER BY id")?;
    let merged = statement.query_map([id.0], |row| row.get(0).map(ObjectId))?;
    let merged = merged.collect::<rusqlite::Result<_>>()?;
    let mut statement = connection.prepare_cached(&format!(
        "{MEMBER} WHERE member.object_id = ?1 ORDER BY member.record_id"
    ))?;
    let members = statement.query_map([id.0], member_row)?;
    let members = members.collect::<rusqlite::Result<_>>()?;
    let schema = attributes_of(connection, &object.vertical)?;
    let schema = schema.into_iter().flat_map(|(_, attributes)| attributes);
    let schema: Vec<Attribute> = schema.map(|own| own.attribute).collect();
    Ok(Some(joined(
        &schema,
        object,
        merged_into.map(ObjectId),
        revision.unsigned_abs(),
        merged,
        members,
    )))
}
