//! Attributes with types: columns in Parquet, and the view of a vertical.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

use std::path::Path;

use magpie_model::{Attribute, Kind, Record};
use magpie_rows::{Batch, Matching, MergedObject, Reassignment, Rebuild, Warehouse};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_values::Timestamp;
use rusqlite::Connection;
use serde_json::{Value, json};

/// Returns the time this many milliseconds after the beginning of 1970.
const fn moment(milliseconds: i64) -> Timestamp {
    Timestamp::from_millis(milliseconds)
}

fn attribute(name: &str, kind: &str, repeated: bool) -> Attribute {
    Attribute {
        label: String::new(),
        repeated,
        ..Attribute::new(name, Kind::from(kind.to_owned()))
    }
}

/// A schema with an attribute of each type, one of them named like a column.
fn schema() -> Vec<Attribute> {
    vec![
        attribute("name", "text", false),
        attribute("performers", "person", true),
        attribute("start", "date-time", false),
        attribute("dates", "date-time", true),
        attribute("price", "money", false),
        attribute("prices", "money", true),
        attribute("pages", "number", false),
        attribute("stars", "rating", false),
        attribute("length", "duration", false),
        attribute("free", "boolean", false),
        attribute("sheet", "properties", false),
        attribute("label", "text", false),
    ]
}

/// The attributes of two objects: one with all, one with texts that have no type.
fn values() -> [Value; 2] {
    [
        json!({
            "name": "Tempest", "performers": ["Ada", "Ben"], "start": "2026-11",
            "dates": ["2026-11-20T19:30+01:00", "soon", "2026"], "price": "12.50-20 EUR",
            "prices": ["8 CHF", "1.23456 EUR", "5"], "pages": "320", "stars": "4.5/5", "length": "PT1H30M",
            "free": "true", "sheet": "{\"size\":\"A4\"}", "label": "its own",
        }),
        json!({
            "start": "tonight", "price": "a lot", "pages": "many", "stars": "good", "length": "long", "free": "maybe",
        }),
    ]
}

fn object(id: i64, attributes: &Value) -> MergedObject {
    MergedObject {
        id,
        label: format!("object {id}"),
        record: Record::from_json(&json!({"type": "Event", "confidence": 0.5, "attributes": attributes}))
            .unwrap(),
        origins: "{}".to_owned(),
        members: 3,
        current: 2,
        first_seen: moment(1_600_000_000_000),
        last_seen: moment(1_600_000_001_999),
        expires_at: (id == 1).then_some(moment(1_700_000_000_000)),
    }
}

fn add(workspace: &Workspace, vertical: &str, objects: Vec<MergedObject>) -> i64 {
    let warehouse = workspace.warehouse(vertical, moment(5)).unwrap();
    let batch = Batch {
        warehouse,
        objects,
        ..Batch::default()
    };
    workspace.take_in(batch).unwrap();
    warehouse
}

fn set_schema(workspace: &Workspace, vertical: &str, schema: &[Attribute]) {
    let warehouse = workspace.warehouse(vertical, moment(5)).unwrap();
    let reassignment = Reassignment {
        matching: Matching {
            schema: json!(schema).to_string(),
            ..Matching::default()
        },
        ..Reassignment::default()
    };
    workspace
        .rebuild(warehouse, Rebuild::Assign(reassignment))
        .unwrap();
}

fn filled(folder: &Path) -> Workspace {
    let workspace = Workspace::create(folder, &WorkspaceOptions::default()).unwrap();
    let objects = (1..)
        .zip(&values())
        .map(|(id, values)| object(id, values))
        .collect();
    add(&workspace, "events", objects);
    set_schema(&workspace, "events", &schema());
    workspace
}

#[cfg(feature = "parquet")]
mod parquet_file {
    use std::collections::BTreeMap;
    use std::fs;

    use crate::export::export_selection;
    use magpie_rows::{ExportFormat, Selection, Table};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::schema::printer::print_schema;

    use super::*;

    /// Exports the objects. Returns the schema of the file and the texts of the values of each row.
    fn exported(workspace: &Workspace, vertical: Option<&str>) -> (String, Vec<BTreeMap<String, String>>) {
        let path = workspace.path().join("objects.parquet");
        let selection = Selection {
            vertical,
            ..Selection::all(Table::Objects)
        };
        let reader = workspace.reader().unwrap();
        export_selection(&reader, selection, ExportFormat::Parquet, &path).unwrap();
        let file = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
        let mut schema = Vec::new();
        print_schema(&mut schema, file.metadata().file_metadata().schema());
        let rows = file.get_row_iter(None).unwrap().map(|row| {
            let row = row.unwrap();
            let columns = row.get_column_iter();
            columns
                .map(|(name, field)| (name.clone(), field.to_string()))
                .collect()
        });
        (String::from_utf8(schema).unwrap(), rows.collect())
    }

    #[test]
    fn attributes_have_columns_of_their_types() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = filled(folder.path());
        let (schema, rows) = exported(&workspace, Some("events"));
        for field in [
            "OPTIONAL BYTE_ARRAY name (STRING);",
            "OPTIONAL group performers (LIST) {\n    REPEATED group list {\n      OPTIONAL BYTE_ARRAY element (STRING);",
            "OPTIONAL BYTE_ARRAY start (STRING);",
            "OPTIONAL INT64 start_from (TIMESTAMP(MILLIS,true));",
            "OPTIONAL INT64 start_to (TIMESTAMP(MILLIS,true));",
            "OPTIONAL group dates_to (LIST) {\n    REPEATED group list {\n      OPTIONAL INT64 element (TIMESTAMP(MILLIS,true));",
            "OPTIONAL INT64 price_from (DECIMAL(18,4));",
            "OPTIONAL BYTE_ARRAY price_currency (STRING);",
            "OPTIONAL DOUBLE pages;",
            "OPTIONAL DOUBLE stars_best;",
            "OPTIONAL INT64 length_seconds;",
            "OPTIONAL BOOLEAN free;",
            "OPTIONAL BYTE_ARRAY sheet (JSON);",
            "OPTIONAL BYTE_ARRAY attributes.label (STRING);",
            "OPTIONAL INT64 records;",
        ] {
            assert!(schema.contains(field), "{field}\nis missing in\n{schema}");
        }
        let expected = [
            ("performers", "[\"Ada\", \"Ben\"]"),
            ("start", "\"2026-11\""),
            ("start_from", "2026-11-01 00:00:00.000 +00:00"),
            ("start_to", "2026-11-30 23:59:59.000 +00:00"),
            ("dates", "[\"2026-11-20T19:30+01:00\", \"soon\", \"2026\"]"),
            (
                "dates_from",
                "[2026-11-20 18:30:00.000 +00:00, null, 2026-01-01 00:00:00.000 +00:00]",
            ),
            (
                "dates_to",
                "[2026-11-20 18:30:59.000 +00:00, null, 2026-12-31 23:59:59.000 +00:00]",
            ),
            ("price", "\"12.50-20 EUR\""),
            ("price_from", "12.5000"),
            ("price_to", "20.0000"),
            ("price_currency", "\"EUR\""),
            ("prices_from", "[8.0000, null, 5.0000]"),
            ("prices_currency", "[\"CHF\", \"EUR\", null]"),
            ("pages", "320.0"),
            ("stars_value", "4.5"),
            ("stars_best", "5.0"),
            ("length_seconds", "5400"),
            ("free", "true"),
            ("sheet", "\"{\"size\":\"A4\"}\""),
            ("attributes.label", "\"its own\""),
        ];
        for (name, value) in expected {
            assert_eq!(rows[0][name], value, "{name}");
        }
    }

    #[test]
    fn values_without_a_type_stay_as_text() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = filled(folder.path());
        let (_, rows) = exported(&workspace, None);
        for (name, value) in [
            ("performers", "null"),
            ("start", "\"tonight\""),
            ("start_from", "null"),
            ("start_to", "null"),
            ("dates_from", "null"),
            ("price", "\"a lot\""),
            ("price_from", "null"),
            ("price_currency", "null"),
            ("pages", "null"),
            ("stars", "\"good\""),
            ("stars_value", "null"),
            ("length", "\"long\""),
            ("free", "null"),
        ] {
            assert_eq!(rows[1][name], value, "{name}");
        }
    }

    #[test]
    fn attributes_of_several_schemas_share_their_columns() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = filled(folder.path());
        let second = json!({"start": ["2026", "2027"], "price": "cheap", "other": ["a", "b"]});
        add(&workspace, "books", vec![object(3, &second)]);
        let kinds = [
            attribute("start", "date-time", false),
            attribute("price", "text", false),
            attribute("start_from", "text", false),
        ];
        set_schema(&workspace, "books", &kinds);
        let (schema, rows) = exported(&workspace, None);
        for (name, value) in [
            ("price", "\"cheap\""),
            ("start", "[\"2026\", \"2027\"]"),
            ("other", "[\"a\", \"b\"]"),
            (
                "start_from",
                "[2026-01-01 00:00:00.000 +00:00, 2027-01-01 00:00:00.000 +00:00]",
            ),
            ("attributes.start_from", "null"),
        ] {
            assert_eq!(
                rows[2].get(name).map(String::as_str),
                Some(value),
                "{name} in {schema}"
            );
        }
        assert!(!schema.contains("price_from"), "{schema}");
    }
}

/// Opens the database as any program does.
fn database(workspace: &Workspace) -> Connection {
    Connection::open(workspace.path().join("magpie.db")).unwrap()
}

/// Returns the columns of a view, and its rows as text.
fn read(database: &Connection, view: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let sql = format!("SELECT * FROM \"{view}\" ORDER BY 1");
    let mut statement = database.prepare(&sql).unwrap();
    let names = statement.column_names().map(str::to_owned).collect();
    let width = statement.column_count();
    let rows = statement.query_map([], |row| {
        let value = |column| match row.get_ref(column)? {
            rusqlite::types::ValueRef::Null => Ok("null".to_owned()),
            rusqlite::types::ValueRef::Integer(value) => Ok(value.to_string()),
            rusqlite::types::ValueRef::Real(value) => Ok(format!("{value:?}")),
            rusqlite::types::ValueRef::Text(value) => Ok(format!("'{}'", String::from_utf8_lossy(value))),
            rusqlite::types::ValueRef::Blob(_) => Ok("blob".to_owned()),
        };
        (0..width).map(value).collect::<rusqlite::Result<Vec<String>>>()
    });
    (names, rows.unwrap().map(Result::unwrap).collect())
}

/// Returns the names of all views but those of the schema of the database itself.
fn views(database: &Connection) -> Vec<String> {
    let sql =
        "SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT IN ('fetch', 'link') ORDER BY name";
    let mut statement = database.prepare(sql).unwrap();
    let names = statement.query_map([], |row| row.get(0)).unwrap();
    names.map(Result::unwrap).collect()
}

#[test]
fn a_vertical_has_a_view_of_its_objects() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = filled(folder.path());
    let (names, rows) = read(&database(&workspace), "events");
    let expected = [
        ("object", "1"),
        ("label", "'object 1'"),
        ("type", "'Event'"),
        ("name", "'Tempest'"),
        ("performers", "'[\"Ada\",\"Ben\"]'"),
        ("start", "'2026-11'"),
        ("dates", "'[\"2026-11-20T19:30+01:00\",\"soon\",\"2026\"]'"),
        ("price", "'12.50-20 EUR'"),
        ("prices", "'[\"8 CHF\",\"1.23456 EUR\",\"5\"]'"),
        ("pages", "320"),
        ("stars", "'4.5/5'"),
        ("length", "'PT1H30M'"),
        ("free", "1"),
        ("sheet", "'{\"size\":\"A4\"}'"),
        ("attributes.label", "'its own'"),
        ("confidence", "0.5"),
        ("records", "3"),
        ("current", "2"),
        ("first_seen", "'2020-09-13T12:26:40Z'"),
        ("last_seen", "'2020-09-13T12:26:41Z'"),
        ("expires_at", "'2023-11-14T22:13:20Z'"),
    ];
    let (expected_names, expected_values): (Vec<_>, Vec<_>) = expected.into_iter().unzip();
    assert_eq!(
        (names, &rows[0]),
        (strings(&expected_names), &strings(&expected_values))
    );
    assert_eq!(rows[1][9], "'many'", "a number that is none stays text");
    assert_eq!((&*rows[1][12], &*rows[1][20]), ("'maybe'", "null"));
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_view_changes_with_the_schema() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = filled(folder.path());
    set_schema(&workspace, "events", &[attribute("venue", "place", false)]);
    let (names, rows) = read(&database(&workspace), "events");
    assert_eq!((&*names[3], &*names[4], rows.len()), ("venue", "confidence", 2));
    assert_eq!(views(&database(&workspace)), ["events"]);
}

#[test]
fn hostile_names_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = filled(folder.path());
    let names = [
        "a\"b",
        "select",
        "it's",
        "",
        "); DROP TABLE url; --",
        "x\ny",
        "name",
        "NAME",
        "nul\0",
        "$.a[0]",
        "ü",
    ];
    let attributes = names.map(|name| attribute(name, "number", false));
    set_schema(&workspace, "events", &attributes);
    let hostile = json!({"a\"b": "1", "select": "2", "it's": "3", "x\ny": "4", "name": "5", "NAME": "6", "$.a[0]": "7", "ü": "8"});
    add(&workspace, "events", vec![object(1, &hostile)]);
    let (columns, rows) = read(&database(&workspace), "events");
    let found: Vec<(&str, &str)> = columns
        .iter()
        .map(String::as_str)
        .zip(rows[0].iter().map(String::as_str))
        .collect();
    let expected = [
        ("a\"b", "1"),
        ("select", "2"),
        ("it's", "3"),
        ("", "null"),
        ("); DROP TABLE url; --", "null"),
        ("x\ny", "4"),
        ("name", "5"),
        ("attributes.NAME", "6"),
        ("nul\u{fffd}", "null"),
        ("$.a[0]", "7"),
        ("ü", "8"),
    ];
    assert_eq!(found[3..14], expected);

    let many: Vec<Attribute> = (0..3_000)
        .map(|number| attribute(&format!("it's {number}"), "number", false))
        .collect();
    set_schema(&workspace, "events", &many);
    let (columns, rows) = read(&database(&workspace), "events");
    assert_eq!(
        (columns.len(), &*columns[1_002], rows.len()),
        (1_009, "it's 999", 2)
    );
}

#[test]
fn a_view_takes_no_name_that_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
    let verticals = [
        "page",
        "job-offers",
        "job_offers",
        "sqlite-master",
        "json-each",
        "pragma-x",
        "Ä\"; x",
        "link",
    ];
    for vertical in verticals {
        set_schema(&workspace, vertical, &[attribute("name", "text", false)]);
    }
    let database = database(&workspace);
    let expected = [
        "____x",
        "_json_each",
        "_pragma_x",
        "_sqlite_master",
        "job_offers",
        "job_offers_objects",
        "link_objects",
        "page_objects",
    ];
    assert_eq!(views(&database), expected);
    for view in expected {
        assert_eq!(read(&database, view).0[3], "name");
    }
    assert_eq!(workspace.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn views_are_created_when_a_workspace_opens() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).close().unwrap();
    let database = Connection::open(folder.path().join("magpie.db")).unwrap();
    let version = |database: &Connection| -> i64 {
        database
            .pragma_query_value(None, "schema_version", |row| row.get(0))
            .unwrap()
    };
    let before = version(&database);
    let open = || Workspace::open(folder.path(), &WorkspaceOptions::default()).unwrap();
    open().close().unwrap();
    assert_eq!(version(&database), before, "nothing is created without need");
    database
        .execute_batch("DROP VIEW events; CREATE TABLE events (a);")
        .unwrap();
    open().close().unwrap();
    assert_eq!(views(&database), ["events_objects"]);
    assert_eq!(read(&database, "events_objects").1.len(), 2);
}
