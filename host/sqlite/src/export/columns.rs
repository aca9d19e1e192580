//! Columns of the exported tables.

use std::borrow::Cow;
use std::collections::HashSet;

use ColumnKind::{Integer, Json, Real, Text, Time};
use magpie_model::Attribute;
use magpie_rows::{ExportFormat, Selection, Table};
use magpie_values::kind::Shape;
use rusqlite::Connection;

use crate::export::attribute::{self, Facet};
use crate::export::kind::ColumnKind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: Cow<'static, str>,
    pub kind: ColumnKind,
    pub about: &'static str,
    /// SQL expression.
    sql: Cow<'static, str>,
    /// The typed columns of an attribute, which take the place of this one in Parquet.
    pub(super) typed: Option<TypedColumns>,
}

/// The columns of an attribute in Parquet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypedColumns {
    pub(super) facets: Vec<(String, &'static Facet)>,
    pub(super) values: Shape,
    /// The columns are lists.
    pub(super) is_repeated: bool,
}

/// Returns the columns of a table, in order.
pub fn columns(table: Table) -> &'static [Column] {
    match table {
        Table::Pages => PAGES,
        Table::Links => LINKS,
        Table::Records => RECORDS,
        Table::Objects => OBJECTS,
    }
}

/// Returns the reference page of the exported tables, in Markdown.
pub fn columns_page() -> String {
    let mut page = String::from(
        "# Exported tables\n\nThe same columns in JSONL, CSV and Parquet, except attributes of records and objects, \
         which [Parquet has with types](#attributes-in-parquet). Times are RFC 3339 in UTC with milliseconds, in \
         Parquet timestamps.\n",
    );
    for table in Table::ALL {
        page.push_str(&format!(
            "\n## {}\n\n| column | kind | |\n|---|---|---|\n",
            table.name()
        ));
        for column in columns(table) {
            let kind = column.kind.name();
            page.push_str(&format!("| `{}` | {kind} | {} |\n", column.name, column.about));
        }
    }
    page.push_str(&attribute::page());
    page
}

/// Returns the columns of a file with selected rows.
///
/// JSONL has the attributes of an object as one JSON object. In CSV and Parquet each attribute has
/// its own columns.
pub(super) fn columns_of(
    connection: &Connection,
    selection: Selection<'_>,
    format: ExportFormat,
) -> rusqlite::Result<Vec<Column>> {
    let fixed = columns(selection.table);
    let place = fixed.iter().position(|column| column.name == ATTRIBUTES);
    // Spreadsheets can't read JSON in a cell, so only JSONL keeps the attributes in one column.
    let Some(place) = place.filter(|_| format != ExportFormat::Jsonl) else {
        return Ok(fixed.to_vec());
    };
    let mut names = Names::of(fixed);
    let mut own = Vec::new();
    for attribute in attributes(connection, selection)? {
        let name = names.take(&attribute.name);
        own.push(match format {
            ExportFormat::Parquet => typed(name, &attribute, selection.table, &mut names),
            _ => joined(name, &attribute, selection.table),
        });
    }
    let mut all = fixed.to_vec();
    all.splice(place..=place, own);
    Ok(all)
}

/// An attribute that is exported.
struct ExportedAttribute {
    name: String,
    values: Shape,
    is_repeated: bool,
}

/// Returns the attributes of the schemas in order, followed by other attributes that rows of the
/// table have: from an older schema, or one that is lost.
fn attributes(connection: &Connection, selection: Selection<'_>) -> rusqlite::Result<Vec<ExportedAttribute>> {
    let mut all: Vec<ExportedAttribute> = Vec::new();
    let mut add = |name: String, values: Option<Shape>, is_repeated: bool| match all
        .iter_mut()
        .find(|known| known.name == name)
    {
        Some(known) => {
            known.is_repeated |= is_repeated;
            if values.is_some_and(|values| values != known.values) {
                // Verticals may give one name to attributes of different kinds. A column has one
                // type, and only text holds both.
                known.values = Shape::Text;
            }
        }
        None => all.push(ExportedAttribute {
            name,
            values: values.unwrap_or(Shape::Text),
            is_repeated,
        }),
    };
    let mut statement = connection
        .prepare("SELECT schema FROM warehouse WHERE ?1 IS NULL OR vertical = ?1 ORDER BY vertical")?;
    for schema in statement.query_map([selection.vertical], |row| row.get(0))? {
        let schema: String = schema?;
        let schema: Vec<Attribute> = serde_json::from_str(&schema).unwrap_or_default();
        for attribute in schema {
            add(attribute.name, Some(attribute.kind.shape()), attribute.repeated);
        }
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
        add(name, None, is_repeated);
    }
    Ok(all)
}

/// The names of the columns of a table so far.
pub(crate) struct Names(HashSet<String>);

impl Names {
    /// Begins with the fixed columns.
    pub(crate) fn of(fixed: &[Column]) -> Names {
        Names(fixed.iter().map(|column| column.name.to_lowercase()).collect())
    }

    /// Returns the name of an attribute's column: its own if it is free, otherwise with the prefix
    /// `attributes.`.
    pub(crate) fn take(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        if self.0.contains(&name.to_lowercase()) {
            name = format!("{ATTRIBUTES}.{wanted}");
        }
        // Database programs ignore the case of names.
        while !self.0.insert(name.to_lowercase()) {
            name.push('_');
        }
        name
    }
}

/// Returns the path of an attribute in a record, for a literal of SQL.
fn path(attribute: &ExportedAttribute) -> String {
    let name = serde_json::Value::from(&*attribute.name);
    format!("$.attributes.{name}").replace('\'', "''")
}

/// Returns the column of an attribute with its values joined.
fn joined(name: String, attribute: &ExportedAttribute, table: Table) -> Column {
    let (owner, path) = (owner(table), path(attribute));
    Column {
        sql: format!("(SELECT group_concat(value, '; ') FROM json_each({owner}.record, '{path}'))").into(),
        ..column_of(name)
    }
}

/// Returns the column of an attribute that becomes typed columns.
fn typed(name: String, attribute: &ExportedAttribute, table: Table, names: &mut Names) -> Column {
    let (owner, path) = (owner(table), path(attribute));
    let mut facets = Vec::new();
    for facet in attribute::facets(attribute.values) {
        let own = match facet.suffix {
            "" => name.clone(),
            suffix => names.take(&format!("{name}{suffix}")),
        };
        facets.push((own, facet));
    }
    Column {
        sql: format!("{owner}.record -> '{path}'").into(),
        typed: Some(TypedColumns {
            facets,
            values: attribute.values,
            is_repeated: attribute.is_repeated,
        }),
        ..column_of(name)
    }
}

fn column_of(name: String) -> Column {
    Column {
        name: name.into(),
        ..column("", Text, "", "attribute")
    }
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
    let expressions: Vec<&str> = columns.iter().map(|column| &*column.sql).collect();
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

const fn column(name: &'static str, kind: ColumnKind, sql: &'static str, about: &'static str) -> Column {
    Column {
        name: Cow::Borrowed(name),
        kind,
        about,
        sql: Cow::Borrowed(sql),
        typed: None,
    }
}

/// Name of the column with the attributes of a record or object.
const ATTRIBUTES: &str = "attributes";

const PAGES: &[Column] = &[
    column("page", Integer, "page.id", "ID of the page"),
    column("url", Text, "coalesce(page.url, url.url)", "URL as fetched"),
    column("run", Integer, "page.run_id", "run of the fetch"),
    column("fetched_at", Time, "page.fetched_at", "time of the fetch"),
    column(
        "status",
        Integer,
        "page.status",
        "status code; null if there was no response",
    ),
    column(
        "media_type",
        Text,
        "page.media_type",
        "media type without parameters",
    ),
    column(
        "charset",
        Text,
        "page.charset",
        "encoding in which the text was decoded",
    ),
    column(
        "language",
        Text,
        "page.language",
        "language that the page declares",
    ),
    column("title", Text, "page.title", "title"),
    column("bytes", Integer, "page.bytes", "size of the decoded body"),
    column(
        "sha256",
        Text,
        "lower(nullif(hex(page.digest), ''))",
        "SHA-256 of the body as archived, with its content coding",
    ),
    column("depth", Integer, "url.depth", "number of links from a seed"),
    column("redirect", Text, "page.redirect", "redirect target"),
    column(
        "canonical",
        Text,
        "page.canonical",
        "canonical URL that the page declares",
    ),
    column("etag", Text, "page.etag", "`ETag`, for conditional requests"),
    column(
        "last_modified",
        Text,
        "page.last_modified",
        "`Last-Modified` as it was sent",
    ),
    column("problem", Text, "page.problem", "problem of the fetch: a code"),
    column("detail", Text, "page.detail", "explanation for people"),
    column("duration", Integer, "page.duration", "duration in milliseconds"),
    column("archive", Text, "archive.name", "archive with its record"),
    column(
        "archive_offset",
        Integer,
        "page.archive_offset",
        "offset of the record",
    ),
    column(
        "archive_length",
        Integer,
        "page.archive_length",
        "length of the record in the archive",
    ),
    column(
        "same_as",
        Integer,
        "page.same_as",
        "page with the same body, if the record is a revisit",
    ),
];

const LINKS: &[Column] = &[
    column("page", Integer, "page.id", "ID of the page"),
    column("page_url", Text, "coalesce(page.url, url.url)", "URL of the page"),
    column(
        "position",
        Integer,
        "entry.key",
        "index among the links of the page, from 0",
    ),
    column(
        "href",
        Text,
        "iif(substr(entry.value ->> 0, 1, 1) = '/', page_links.origin || (entry.value ->> 0), entry.value ->> 0)",
        "resolved URL",
    ),
    column("text", Text, "coalesce(entry.value ->> 1, '')", "anchor text"),
    column("path", Text, "dom_path.path", "path in the document"),
    column("rel", Text, "coalesce(entry.value ->> 3, '')", "words of `rel`"),
];

const RECORDS: &[Column] = &[
    column("record", Integer, "record.id", "ID of the record"),
    column("vertical", Text, "component.vertical", "vertical"),
    column("type", Text, "record.object_type", "schema.org type"),
    column(
        "confidence",
        Real,
        "record.confidence",
        "confidence of the extractor, 0 to 1",
    ),
    column(
        ATTRIBUTES,
        Json,
        "record.record -> '$.attributes'",
        "attributes; CSV has one column per attribute in the order of the schema, with several values joined by `; `; \
         Parquet has [typed columns](#attributes-in-parquet)",
    ),
    column("page", Integer, "page.id", "ID of the page"),
    column("page_url", Text, "coalesce(page.url, url.url)", "URL of the page"),
    column("fetched_at", Time, "page.fetched_at", "time of the fetch"),
    column(
        "plugin",
        Text,
        "component.digest",
        "digest of the component that found it",
    ),
    column("expires_at", Time, "record.expires_at", "expiry"),
];

const OBJECTS: &[Column] = &[
    column("object", Integer, "object.id", "ID of the object"),
    column("vertical", Text, "warehouse.vertical", "vertical"),
    column("type", Text, "object.object_type", "schema.org type"),
    column("label", Text, "object.label", "label for lists"),
    column(
        "confidence",
        Real,
        "object.record ->> '$.confidence'",
        "highest confidence of its records, 0 to 1",
    ),
    column(
        ATTRIBUTES,
        Json,
        "object.record -> '$.attributes'",
        "merged attributes; CSV has one column per attribute in the order of the schema, with several values joined by \
         `; `; Parquet has [typed columns](#attributes-in-parquet)",
    ),
    column("records", Integer, "object.members", "number of its records"),
    column("current", Integer, "object.current", "number of records that are still on their pages"),
    column(
        "origins",
        Json,
        "object.origins",
        "for each attribute the record from which its value comes",
    ),
    column(
        "members",
        Json,
        "(SELECT json_group_array(json_object('record', member.record_id, 'url', coalesce(page.url, url.url), 'page', page.id,
            'first_seen', strftime('%Y-%m-%dT%H:%M:%fZ', member.first_seen / 1000.0, 'unixepoch'),
            'last_seen', strftime('%Y-%m-%dT%H:%M:%fZ', member.last_seen / 1000.0, 'unixepoch'),
            'current', json(iif(member.current, 'true', 'false'))) ORDER BY member.record_id)
         FROM member JOIN record ON record.id = member.last_record_id JOIN page ON page.id = record.page_id
         LEFT JOIN url ON url.id = page.url_id WHERE member.object_id = object.id)",
        "its records: ID, page, times of the first and last sighting, and whether it is still there",
    ),
    column("first_seen", Time, "object.first_seen", "time of the first sighting"),
    column("last_seen", Time, "object.last_seen", "time of the last sighting"),
    column(
        "expires_at",
        Time,
        "object.expires_at",
        "expiry",
    ),
];
