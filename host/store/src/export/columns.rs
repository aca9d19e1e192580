//! Which columns the tables have.

use std::borrow::Cow;

use rusqlite::Connection;

use super::{ExportFormat, Selection};

/// A table to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// One row for each fetch.
    Pages,
    /// One row for each link of each page.
    Links,
    /// One row for each object found.
    Objects,
    /// One row for each thing that the objects found are of.
    Clusters,
}

/// A column of an exported table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Type of its values.
    pub kind: ColumnKind,
    /// Description.
    pub about: &'static str,
    /// SQL expression.
    sql: Cow<'static, str>,
}

/// Type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// A whole number of 64 bits.
    Integer,
    /// A number.
    Real,
    /// A moment: RFC 3339 with milliseconds, in Parquet a timestamp of milliseconds in UTC.
    Time,
    /// JSON: a part of the line in JSONL, text elsewhere.
    Json,
}

impl Table {
    /// All tables.
    pub const ALL: [Table; 4] = [Table::Pages, Table::Links, Table::Objects, Table::Clusters];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Table::Pages => "pages",
            Table::Links => "links",
            Table::Objects => "objects",
            Table::Clusters => "things",
        }
    }
}

/// The columns of a table, in order.
pub fn columns(table: Table) -> &'static [Column] {
    match table {
        Table::Pages => PAGES,
        Table::Links => LINKS,
        Table::Objects => OBJECTS,
        Table::Clusters => CLUSTERS,
    }
}

/// The reference page of the exported tables, in Markdown.
pub fn columns_page() -> String {
    let mut page = String::from(
        "# Exported tables\n\nThe same columns in JSONL, CSV and Parquet. Times are RFC 3339 in UTC with milliseconds, in \
         Parquet timestamps.\n",
    );
    for table in Table::ALL {
        page.push_str(&format!(
            "\n## {}\n\n| column | kind | |\n|---|---|---|\n",
            table.name()
        ));
        for column in columns(table) {
            let kind = match column.kind {
                Text => "text",
                Integer => "integer",
                Real => "real",
                Time => "time",
                Json => "JSON",
            };
            page.push_str(&format!("| `{}` | {kind} | {} |\n", column.name, column.about));
        }
    }
    page
}

/// Returns the columns of a file of selected rows.
///
/// JSON lines have the attributes of an object in one JSON object. A table would have to put that
/// into one cell, which spreadsheets can't read, so there each attribute has a column.
pub(super) fn columns_of(
    connection: &Connection,
    selection: Selection<'_>,
    format: ExportFormat,
) -> rusqlite::Result<Vec<Column>> {
    let fixed = columns(selection.table);
    let place = fixed.iter().position(|column| column.name == ATTRIBUTES);
    let Some(place) = place.filter(|_| format != ExportFormat::Jsonl) else {
        return Ok(fixed.to_vec());
    };
    let mut all = fixed.to_vec();
    let own = attributes(connection, selection)?;
    let own = own.iter().map(|name| attribute(name, fixed));
    all.splice(place..=place, own.collect::<Vec<_>>());
    Ok(all)
}

/// Returns the named attributes in their order, and further attributes of objects: those of an
/// older or a lost schema.
fn attributes(connection: &Connection, selection: Selection<'_>) -> rusqlite::Result<Vec<String>> {
    let mut names = selection.attributes.to_vec();
    let mut statement = connection.prepare(
        "SELECT DISTINCT attribute.key FROM cluster JOIN warehouse ON warehouse.id = cluster.warehouse_id
         CROSS JOIN json_each(cluster.record, '$.attributes') AS attribute
         WHERE merged_into IS NULL AND (?1 IS NULL OR warehouse.vertical = ?1) ORDER BY attribute.key",
    )?;
    for met in statement.query_map([selection.vertical], |row| row.get(0))? {
        let met: String = met?;
        if !names.contains(&met) {
            names.push(met);
        }
    }
    Ok(names)
}

/// Returns the column of an attribute. A name that is already taken by a fixed column is made
/// unique.
fn attribute(name: &str, fixed: &[Column]) -> Column {
    let is_taken = fixed.iter().any(|column| column.name == name);
    let path = format!("$.attributes.{}", serde_json::Value::from(name)).replace('\'', "''");
    Column {
        name: match is_taken {
            true => format!("{ATTRIBUTES}.{name}").into(),
            false => name.to_owned().into(),
        },
        kind: Text,
        about: "an attribute",
        sql: format!("(SELECT group_concat(value, '; ') FROM json_each(cluster.record, '{path}'))").into(),
    }
}

/// Returns the query of a table. Its parameters are a run or null, a vertical or null, and a JSON
/// array of numbers or null.
pub(super) fn query(table: Table, columns: &[Column]) -> String {
    let expressions: Vec<&str> = columns.iter().map(|column| &*column.sql).collect();
    let rest = match table {
        Table::Pages => {
            "FROM page LEFT JOIN url ON url.id = page.url_id LEFT JOIN archive ON archive.id = page.archive_id
             WHERE (?1 IS NULL OR page.run_id = ?1) AND ?2 IS NULL AND ?3 IS NULL ORDER BY page.id"
        }
        // Pages in the outer loop, so that links come in order without being sorted.
        Table::Links => {
            "FROM page CROSS JOIN page_links ON page_links.page_id = page.id
             LEFT JOIN url ON url.id = page.url_id CROSS JOIN json_each(page_links.links) AS entry
             LEFT JOIN dom_path ON dom_path.id = entry.value ->> 2
             WHERE (?1 IS NULL OR page.run_id = ?1) AND ?2 IS NULL AND ?3 IS NULL ORDER BY page.id"
        }
        Table::Objects => {
            "FROM object JOIN page ON page.id = object.page_id JOIN component ON component.id = object.component_id
             LEFT JOIN url ON url.id = page.url_id
             WHERE (?1 IS NULL OR page.run_id = ?1) AND (?2 IS NULL OR component.vertical = ?2) AND ?3 IS NULL
             ORDER BY object.id"
        }
        Table::Clusters => {
            "FROM cluster JOIN warehouse ON warehouse.id = cluster.warehouse_id
             WHERE merged_into IS NULL AND (?2 IS NULL OR warehouse.vertical = ?2)
             AND (?3 IS NULL OR cluster.id IN (SELECT value FROM json_each(?3)))
             AND (?1 IS NULL OR EXISTS (
                SELECT 1 FROM member JOIN sighting ON sighting.member_id = member.object_id
                JOIN object ON object.id = sighting.object_id JOIN page ON page.id = object.page_id
                WHERE member.cluster_id = cluster.id AND page.run_id = ?1))
             ORDER BY cluster.id"
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
    }
}

/// Name of the column of attributes.
const ATTRIBUTES: &str = "attributes";

use ColumnKind::{Integer, Json, Real, Text, Time};

const PAGES: &[Column] = &[
    column("page", Integer, "page.id", "the page's number"),
    column("url", Text, "coalesce(page.url, url.url)", "the URL as fetched"),
    column("run", Integer, "page.run_id", "in which run"),
    column("fetched_at", Time, "page.fetched_at", "when"),
    column(
        "status",
        Integer,
        "page.status",
        "the status code; none when no answer came",
    ),
    column(
        "media_type",
        Text,
        "page.media_type",
        "the media type without parameters",
    ),
    column(
        "charset",
        Text,
        "page.charset",
        "the encoding the text was read in",
    ),
    column("language", Text, "page.language", "the language the page names"),
    column("title", Text, "page.title", "its title"),
    column("bytes", Integer, "page.bytes", "of the body, codings undone"),
    column(
        "sha256",
        Text,
        "lower(nullif(hex(page.digest), ''))",
        "digest of the body as archived, content coding kept",
    ),
    column("depth", Integer, "url.depth", "clicks from a seed"),
    column(
        "redirect",
        Text,
        "page.redirect",
        "where the answer sends the reader",
    ),
    column(
        "canonical",
        Text,
        "page.canonical",
        "the canonical URL the page names",
    ),
    column("etag", Text, "page.etag", "for conditional requests"),
    column("last_modified", Text, "page.last_modified", "the same, as sent"),
    column(
        "problem",
        Text,
        "page.problem",
        "what is wrong with the fetch: a code",
    ),
    column("detail", Text, "page.detail", "the same for people"),
    column("duration", Integer, "page.duration", "milliseconds it took"),
    column("archive", Text, "archive.name", "the file its record lies in"),
    column(
        "archive_offset",
        Integer,
        "page.archive_offset",
        "where the record begins",
    ),
    column(
        "archive_length",
        Integer,
        "page.archive_length",
        "how many bytes it takes",
    ),
    column(
        "same_as",
        Integer,
        "page.same_as",
        "the page that has the body, when the record is a revisit",
    ),
];

const LINKS: &[Column] = &[
    column("page", Integer, "page.id", "the page's number"),
    column("page_url", Text, "coalesce(page.url, url.url)", "its URL"),
    column(
        "position",
        Integer,
        "entry.key",
        "the place among the links of the page, from 0",
    ),
    column(
        "href",
        Text,
        "iif(substr(entry.value ->> 0, 1, 1) = '/', page_links.origin || (entry.value ->> 0), entry.value ->> 0)",
        "the address, resolved",
    ),
    column("text", Text, "coalesce(entry.value ->> 1, '')", "the anchor text"),
    column("path", Text, "dom_path.path", "where it stands in the document"),
    column("rel", Text, "coalesce(entry.value ->> 3, '')", "the `rel` words"),
];

const OBJECTS: &[Column] = &[
    column("object", Integer, "object.id", "the object's number"),
    column("vertical", Text, "component.vertical", "the vertical"),
    column("type", Text, "object.object_type", "the schema.org type"),
    column(
        "confidence",
        Real,
        "object.confidence",
        "how sure the extractor is, 0 to 1",
    ),
    column("record", Json, "object.record", "its attributes"),
    column("page", Integer, "page.id", "the page's number"),
    column("page_url", Text, "coalesce(page.url, url.url)", "its URL"),
    column("fetched_at", Time, "page.fetched_at", "when the page was fetched"),
    column(
        "plugin",
        Text,
        "'blake3:' || component.digest",
        "digest of the component that found it",
    ),
    column(
        "expires_at",
        Time,
        "object.expires_at * 1000",
        "when it is of no more interest",
    ),
];

const CLUSTERS: &[Column] = &[
    column("thing", Integer, "cluster.id", "the thing's number"),
    column("vertical", Text, "warehouse.vertical", "the vertical"),
    column("type", Text, "cluster.object_type", "the schema.org type"),
    column("label", Text, "cluster.label", "what to call it in a list"),
    column(
        "confidence",
        Real,
        "cluster.record ->> '$.confidence'",
        "how sure the extractor of the surest record is, 0 to 1",
    ),
    column(
        ATTRIBUTES,
        Json,
        "cluster.record -> '$.attributes'",
        "its attributes, merged; in CSV and Parquet a column for each, in the schema's order, several values with `; ` between them",
    ),
    column("records", Integer, "cluster.members", "how many records it is made of"),
    column("current", Integer, "cluster.current", "how many of them still stand on their pages"),
    column(
        "origins",
        Json,
        "cluster.origins",
        "of each attribute the record its value comes from",
    ),
    column(
        "members",
        Json,
        "(SELECT json_group_array(json_object('record', member.object_id, 'url', coalesce(page.url, url.url), 'page', page.id,
            'first_seen', strftime('%Y-%m-%dT%H:%M:%fZ', member.first_seen / 1000.0, 'unixepoch'),
            'last_seen', strftime('%Y-%m-%dT%H:%M:%fZ', member.last_seen / 1000.0, 'unixepoch'),
            'current', json(iif(member.current, 'true', 'false'))) ORDER BY member.object_id)
         FROM member JOIN object ON object.id = member.last_object_id JOIN page ON page.id = object.page_id
         LEFT JOIN url ON url.id = page.url_id WHERE member.cluster_id = cluster.id)",
        "the records it is made of: the first object of each, its page, when it was seen, whether it still stands there",
    ),
    column("first_seen", Time, "cluster.first_seen", "when it was seen first"),
    column("last_seen", Time, "cluster.last_seen", "when it was seen last"),
    column(
        "expires_at",
        Time,
        "cluster.expires_at * 1000",
        "when it is of no more interest",
    ),
];
