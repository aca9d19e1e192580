//! Queries of the exported tables.

use std::borrow::Cow;

use magpie_export::{Attributes, Column, columns};
use magpie_model::Attribute;
use magpie_rows::{Selection, Table};
use rusqlite::Connection;

/// Returns the attributes of the schemas in order, followed by other attributes that rows of the
/// table have: from an older schema, or one that is lost.
pub(super) fn attributes(connection: &Connection, selection: Selection<'_>) -> rusqlite::Result<Attributes> {
    let mut all = Attributes::default();
    let mut statement = connection
        .prepare("SELECT schema FROM warehouse WHERE ?1 IS NULL OR vertical = ?1 ORDER BY vertical")?;
    for schema in statement.query_map([selection.vertical], |row| row.get(0))? {
        let schema: String = schema?;
        let schema: Vec<Attribute> = serde_json::from_str(&schema).unwrap_or_default();
        all.add_schema(schema);
    }
    let mut statement = connection.prepare(match selection.table {
        Table::Records => {
            "SELECT attribute.key, max(attribute.type = 'array') FROM record
             JOIN component ON component.id = record.component_id
             CROSS JOIN json_each(record.record, '$.attributes') AS attribute
             WHERE ?1 IS NULL OR component.vertical = ?1 GROUP BY attribute.key ORDER BY attribute.key"
        }
        _ => {
            "SELECT attribute.key, max(attribute.type = 'array') FROM object
             JOIN warehouse ON warehouse.id = object.warehouse_id
             CROSS JOIN json_each(object.record, '$.attributes') AS attribute
             WHERE merged_into IS NULL AND (?1 IS NULL OR warehouse.vertical = ?1)
             GROUP BY attribute.key ORDER BY attribute.key"
        }
    })?;
    for found in statement.query_map([selection.vertical], |row| Ok((row.get(0)?, row.get(1)?)))? {
        let (name, is_repeated) = found?;
        all.add_found(name, is_repeated);
    }
    Ok(all)
}

/// Returns the expression for a column.
fn expression(table: Table, column: &Column) -> Cow<'static, str> {
    if let Some(attribute) = &column.attribute {
        let name = serde_json::Value::from(&**attribute);
        let path = format!("$.attributes.{name}").replace('\'', "''");
        let owner = owner(table);
        return match column.is_typed() {
            true => format!("{owner}.record -> '{path}'").into(),
            false => {
                format!("(SELECT group_concat(value, '; ') FROM json_each({owner}.record, '{path}'))").into()
            }
        };
    }
    let expressions = match table {
        Table::Pages => PAGES,
        Table::Links => LINKS,
        Table::Records => RECORDS,
        Table::Objects => OBJECTS,
    };
    let place = columns(table).iter().position(|fixed| fixed.name == column.name);
    place.map_or("NULL", |place| expressions[place]).into()
}

/// Returns the table in a query that has the column `record`.
fn owner(table: Table) -> &'static str {
    match table {
        Table::Records => "record",
        _ => "object",
    }
}

/// Returns the query of a table. Its parameters are a run, a vertical, and a JSON array of object
/// IDs; each may be null.
pub(super) fn query(table: Table, columns: &[Column]) -> String {
    let expressions: Vec<Cow<'_, str>> = columns.iter().map(|column| expression(table, column)).collect();
    let rest = match table {
        Table::Pages => {
            "FROM page LEFT JOIN url ON url.id = page.url_id LEFT JOIN archive ON archive.id = page.archive_id
             WHERE (?1 IS NULL OR page.run_id = ?1) AND ?2 IS NULL AND ?3 IS NULL ORDER BY page.id"
        }
        // Pages are the outer loop, so that links come in order without sorting.
        Table::Links => {
            "FROM page CROSS JOIN page_links ON page_links.page_id = page.id
             LEFT JOIN url ON url.id = page.url_id CROSS JOIN json_each(page_links.links) AS entry
             LEFT JOIN dom_path ON dom_path.id = entry.value ->> 2
             WHERE (?1 IS NULL OR page.run_id = ?1) AND ?2 IS NULL AND ?3 IS NULL ORDER BY page.id"
        }
        Table::Records => {
            "FROM record JOIN page ON page.id = record.page_id JOIN component ON component.id = record.component_id
             LEFT JOIN url ON url.id = page.url_id
             WHERE record.standing = 1 AND (?1 IS NULL OR page.run_id = ?1)
             AND (?2 IS NULL OR component.vertical = ?2) AND ?3 IS NULL
             ORDER BY record.id"
        }
        Table::Objects => {
            "FROM object JOIN warehouse ON warehouse.id = object.warehouse_id
             WHERE merged_into IS NULL AND (?2 IS NULL OR warehouse.vertical = ?2)
             AND (?3 IS NULL OR object.id IN (SELECT value FROM json_each(?3)))
             AND (?1 IS NULL OR EXISTS (
                SELECT 1 FROM member JOIN sighting ON sighting.member_id = member.record_id
                JOIN record ON record.id = sighting.record_id JOIN page ON page.id = record.page_id
                WHERE member.object_id = object.id AND page.run_id = ?1))
             ORDER BY object.id"
        }
    };
    format!("SELECT {} {rest}", expressions.join(", "))
}

// Expressions for the fixed columns, in their order.

const PAGES: &[&str] = &[
    "page.id",
    "coalesce(page.url, url.url)",
    "page.run_id",
    "page.fetched_at",
    "page.status",
    "page.media_type",
    "page.charset",
    "page.language",
    "page.title",
    "page.bytes",
    "lower(nullif(hex(page.digest), ''))",
    "url.depth",
    "page.redirect",
    "page.canonical",
    "page.etag",
    "page.last_modified",
    "page.problem",
    "page.detail",
    "page.duration",
    "archive.name",
    "page.archive_offset",
    "page.archive_length",
    "page.same_as",
];

const LINKS: &[&str] = &[
    "page.id",
    "coalesce(page.url, url.url)",
    "entry.key",
    "iif(substr(entry.value ->> 0, 1, 1) = '/', page_links.origin || (entry.value ->> 0), entry.value ->> 0)",
    "coalesce(entry.value ->> 1, '')",
    "dom_path.path",
    "coalesce(entry.value ->> 3, '')",
];

const RECORDS: &[&str] = &[
    "record.id",
    "component.vertical",
    "record.object_type",
    "record.confidence",
    "record.record -> '$.attributes'",
    "page.id",
    "coalesce(page.url, url.url)",
    "page.fetched_at",
    "component.digest",
    "record.expires_at",
];

const OBJECTS: &[&str] = &[
    "object.id",
    "warehouse.vertical",
    "object.object_type",
    "object.label",
    "object.record ->> '$.confidence'",
    "object.record -> '$.attributes'",
    "object.members",
    "object.current",
    "object.origins",
    "(SELECT json_group_array(json_object('record', member.record_id, 'url', coalesce(page.url, url.url), 'page', page.id,
            'first_seen', strftime('%Y-%m-%dT%H:%M:%fZ', member.first_seen / 1000.0, 'unixepoch'),
            'last_seen', strftime('%Y-%m-%dT%H:%M:%fZ', member.last_seen / 1000.0, 'unixepoch'),
            'current', json(iif(member.current, 'true', 'false'))) ORDER BY member.record_id)
         FROM member JOIN record ON record.id = member.last_record_id JOIN page ON page.id = record.page_id
         LEFT JOIN url ON url.id = page.url_id WHERE member.object_id = object.id)",
    "object.first_seen",
    "object.last_seen",
    "object.expires_at",
];
