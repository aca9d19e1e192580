//! A view for each vertical: its objects as a table with a column for each attribute.
//!
//! Names of verticals and attributes come from plugins, so they are quoted and never trusted. The
//! views follow from the tables alone. They are dropped before a migration, which may add a table
//! of their name, and created again when the workspace opens.

use std::collections::HashSet;

use magpie_model::Attribute;
use magpie_rows::Table;
use magpie_values::kind::Shape;
use rusqlite::Connection;

use magpie_export::{Names, columns};

/// Marks the views of verticals. It is part of their SQL.
const MARK: &str = "-- Objects of a vertical. Magpie creates this view again when the schema changes.";

/// Maximum number of attributes in a view.
const MAX_ATTRIBUTES: usize = 1_000;

/// Beginnings of names that belong to SQLite.
const RESERVED: [&str; 4] = ["sqlite_", "pragma_", "json_", "jsonb_"];

/// A column of all views: name, SQL, description.
type FixedColumn = (&'static str, &'static str, &'static str);

/// The columns before the attributes.
const FIRST: [FixedColumn; 3] = [
    ("object", "object.id", "ID of the object"),
    ("label", "object.label", "label for lists"),
    ("type", "object.object_type", "schema.org type"),
];

/// The columns after the attributes.
const LAST: [FixedColumn; 6] = [
    (
        "confidence",
        "json_extract(object.record, '$.confidence')",
        "highest confidence of its records, 0 to 1",
    ),
    ("records", "object.members", "number of its records"),
    (
        "current",
        "object.current",
        "number of records that are still on their pages",
    ),
    (
        "first_seen",
        "strftime('%Y-%m-%dT%H:%M:%SZ', object.first_seen / 1000, 'unixepoch')",
        "time of the first sighting, as text in UTC: `2026-05-03T18:30:00Z`",
    ),
    (
        "last_seen",
        "strftime('%Y-%m-%dT%H:%M:%SZ', object.last_seen / 1000, 'unixepoch')",
        "time of the last sighting, as text in UTC",
    ),
    (
        "expires_at",
        "strftime('%Y-%m-%dT%H:%M:%SZ', object.expires_at / 1000, 'unixepoch')",
        "expiry, as text in UTC",
    ),
];

type View = (String, String);

/// Creates the views of all verticals. Changes nothing if they are up to date.
pub(crate) fn create_views(connection: &Connection) -> rusqlite::Result<()> {
    let existing = existing(connection)?;
    let wanted = wanted(connection, &existing)?;
    if existing == wanted {
        return Ok(());
    }
    drop_views(connection)?;
    for (_, sql) in &wanted {
        connection.execute(sql, [])?;
    }
    Ok(())
}

pub(crate) fn drop_views(connection: &Connection) -> rusqlite::Result<()> {
    for (name, _) in existing(connection)? {
        connection.execute(&format!("DROP VIEW {}", identifier(&name)), [])?;
    }
    Ok(())
}

/// Returns the section of the reference page on these views, in Markdown.
pub(crate) fn views_page() -> String {
    let mut page = String::from(
        "\n## Views of verticals\n\nEach vertical has a view with its objects, one row per object that has not \
         retired. It is created again when the schema of the vertical changes. Its name is that of the vertical, \
         with `_` for characters other than `a-z`, `0-9` and `_`, as in `events`. If a table has this name, the view \
         is called `NAME_objects`. A name that begins like those of SQLite gets a `_` in front.\n\n| column | type | |\n|---|---|---|\n",
    );
    let row = |(name, _, about): &FixedColumn| format!("| `{name}` |  | {about} |\n");
    page.extend(FIRST.iter().map(row));
    page.push_str(
        "| `ATTRIBUTE` |  | one column per attribute of the schema: text, for the kind `number` a number, for \
         `boolean` 1 or 0; a JSON array of texts if the schema allows several values; null without a value. An \
         attribute with the name of an [exported column](EXPORTS.md#objects) is `attributes.ATTRIBUTE` |\n",
    );
    page.extend(LAST.iter().map(row));
    page
}

/// Returns the views of verticals that the database has, by name.
fn existing(connection: &Connection) -> rusqlite::Result<Vec<View>> {
    let mut statement = connection.prepare(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'view' AND instr(sql, ?1) > 0 ORDER BY name",
    )?;
    let rows = statement.query_map([MARK], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Returns the views that the database should have, by name.
fn wanted(connection: &Connection, existing: &[View]) -> rusqlite::Result<Vec<View>> {
    let own: HashSet<&str> = existing.iter().map(|(name, _)| name.as_str()).collect();
    let mut statement = connection.prepare("SELECT name FROM sqlite_schema")?;
    let names = statement.query_map([], |row| row.get(0))?;
    let names: Vec<String> = names.collect::<rusqlite::Result<_>>()?;
    let others = names.iter().filter(|name| !own.contains(name.as_str()));
    let mut taken: HashSet<String> = others.map(|name| name.to_lowercase()).collect();
    let mut statement = connection.prepare("SELECT id, vertical, schema FROM warehouse ORDER BY id")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let mut views = Vec::new();
    for row in rows {
        let (id, vertical, schema): (i64, String, String) = row?;
        let schema: Vec<Attribute> = serde_json::from_str(&schema).unwrap_or_default();
        let name = free_name(&vertical, &mut taken);
        let sql = view(&name, id, &schema);
        views.push((name, sql));
    }
    views.sort_unstable();
    Ok(views)
}

/// Returns the name of the view of a vertical.
fn free_name(vertical: &str, taken: &mut HashSet<String>) -> String {
    let is_allowed = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '_';
    let mut name = vertical.replace(|one| !is_allowed(one), "_");
    // SQLite refuses a view of such a name, or the view hides a function that queries use as a
    // table.
    if RESERVED.iter().any(|reserved| name.starts_with(reserved)) {
        name.insert(0, '_');
    }
    if taken.contains(&name) {
        name.push_str("_objects");
    }
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

fn view(name: &str, warehouse: i64, schema: &[Attribute]) -> String {
    let mut names = Names::of(columns(Table::Objects));
    let fixed = |(name, sql, _): &FixedColumn| format!("{sql} AS {}", identifier(name));
    let mut selected: Vec<String> = FIRST.iter().map(fixed).collect();
    // SQLite has room for 2,000 columns, and needs some for those who join views.
    for attribute in schema.iter().take(MAX_ATTRIBUTES) {
        let name = names.take(&attribute.name);
        selected.push(format!("{} AS {}", value(attribute), identifier(&name)));
    }
    selected.extend(LAST.iter().map(fixed));
    format!(
        "CREATE VIEW {} AS\n    {MARK}\nSELECT\n    {}\nFROM object WHERE merged_into IS NULL AND warehouse_id = {warehouse}",
        identifier(name),
        selected.join(",\n    ")
    )
}

/// Returns the expression for the value of an attribute.
fn value(attribute: &Attribute) -> String {
    let name = &attribute.name;
    let is_plain = |one: char| one.is_ascii_alphanumeric() || one == '-' || one == '_';
    let value = match name.chars().all(is_plain) {
        // Names of attributes come from plugins. Only these characters are put into a path.
        true => format!("json_extract(object.record, '$.attributes.\"{name}\"')"),
        // Versions of SQLite differ in how they read escapes in paths.
        false => format!(
            "(SELECT value FROM json_each(object.record, '$.attributes') WHERE key = {})",
            literal(name)
        ),
    };
    match attribute.kind.shape() {
        _ if attribute.repeated => value,
        // A text of another form is kept, for example one of an older schema.
        Shape::Number => format!(
            "CASE WHEN {value} GLOB '*[0-9]*' AND {value} NOT GLOB '*[^-0-9.]*' \
             THEN CAST({value} AS NUMERIC) ELSE {value} END"
        ),
        Shape::Truth => format!("CASE {value} WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE {value} END"),
        _ => value,
    }
}

/// Returns a name as an identifier of SQL. SQLite ends its text at a NUL, so that is replaced.
fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('\0', "\u{fffd}").replace('"', "\"\""))
}

/// Returns a text as a literal of SQL.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\0', "\u{fffd}").replace('\'', "''"))
}
