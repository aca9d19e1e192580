//! Exported tables.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

use std::fs;
use std::path::Path;

use crate::crawl::{lease, offer, result};
use magpie_rows::{
    ExportFormat, Exported, Exports, FetchResult, Frontier, RunId, RunKind, RunStore as _, Selection,
    StoreError, Table,
};
use magpie_sqlite::{Reader, Workspace, WorkspaceOptions};
use magpie_values::Timestamp;
use serde_json::{Value, json};

/// Creates a workspace with the pages 1 to 3 in two runs.
fn crawled(folder: &Path) -> (Workspace, RunId) {
    let workspace = Workspace::create(folder, &WorkspaceOptions::default()).unwrap();
    let runs = [0, 1].map(|now| {
        workspace
            .begin_run(RunKind::Crawl, "test/1", "{}", Timestamp::from_millis(now))
            .unwrap()
    });
    let site = lease(&workspace);
    let offers = (1..=3).map(offer).collect();
    workspace
        .commit(
            &site,
            FetchResult {
                offers,
                ..FetchResult::default()
            },
        )
        .unwrap();
    for (number, pending) in (1..).zip(workspace.take(&site, None, 3, Timestamp::from_millis(0)).unwrap()) {
        let run = runs[usize::from(number > 2)];
        workspace
            .commit(&site, result(pending.id, number, Some(run)))
            .unwrap();
    }
    workspace.flush().unwrap();
    (workspace, runs[1])
}

/// Exports a table to a file: the rows of one run, or all.
fn export(
    store: &dyn Exports,
    table: Table,
    run: Option<RunId>,
    format: ExportFormat,
    path: &Path,
) -> Result<Exported, StoreError> {
    let selection = Selection {
        run,
        ..Selection::all(table)
    };
    export_selection(store, selection, format, path)
}

pub(crate) fn export_selection(
    store: &dyn Exports,
    selection: Selection<'_>,
    format: ExportFormat,
    path: &Path,
) -> Result<Exported, StoreError> {
    store.export(selection, format, fs::File::create(path).unwrap(), path)
}

fn lines(reader: &Reader, folder: &Path, table: Table, run: Option<RunId>) -> Vec<Value> {
    let path = folder.join("out.jsonl");
    let exported = export(reader, table, run, ExportFormat::Jsonl, &path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(exported.bytes, text.len() as u64);
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(exported.rows, lines.len() as u64);
    lines
}

#[test]
fn json_lines_leave_out_nulls() {
    let folder = tempfile::tempdir().unwrap();
    let (workspace, second) = crawled(folder.path());
    let reader = workspace.reader().unwrap();
    let pages = lines(&reader, folder.path(), Table::Pages, None);
    assert_eq!(pages.len(), 3);
    assert_eq!(pages[0]["url"], "https://a.test/page/1");
    assert_eq!(pages[0]["fetched_at"], "2020-09-13T12:26:41.000Z");
    assert_eq!(pages[0]["sha256"].as_str().unwrap().len(), 64);
    assert!(pages[0].get("title").is_none());
    let links = lines(&reader, folder.path(), Table::Links, Some(second));
    let link = |position, target| {
        json!({"page": 3, "page_url": "https://a.test/page/3", "position": position, "text": "more \"of it\"",
               "href": format!("https://a.test/page/{target}"), "path": "html>body>a", "rel": ""})
    };
    assert_eq!(links, [link(0, 4), link(1, 5)]);
    let records = lines(&reader, folder.path(), Table::Records, Some(second));
    assert_eq!(records[0]["attributes"], json!({"number": "3"}));
    assert_eq!(
        (&records[0]["type"], &records[0]["confidence"]),
        (&json!("Thing"), &json!(0.5))
    );
}

#[test]
fn csv_quotes_special_values() {
    let folder = tempfile::tempdir().unwrap();
    let (workspace, second) = crawled(folder.path());
    let path = folder.path().join("out.csv");
    export(
        &workspace.reader().unwrap(),
        Table::Links,
        Some(second),
        ExportFormat::Csv,
        &path,
    )
    .unwrap();
    let expected = "page,page_url,position,href,text,path,rel\r\n\
        3,https://a.test/page/3,0,https://a.test/page/4,\"more \"\"of it\"\"\",html>body>a,\r\n\
        3,https://a.test/page/3,1,https://a.test/page/5,\"more \"\"of it\"\"\",html>body>a,\r\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
}

#[test]
fn a_spreadsheet_runs_no_cell_of_a_csv_file() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
    let texts = [
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-2 degrees", "'-2 degrees"),
        ("@a", "'@a"),
        ("\ta", "'\ta"),
        ("-12.5", "-12.5"),
        ("+49", "+49"),
        ("-", "'-"),
        ("a\u{1b}[2Jb\u{9b}", "a[2Jb"),
        ("=a,b", "\"'=a,b\""),
        ("a=b", "a=b"),
    ];
    let site = lease(&workspace);
    for (number, (text, _)) in (1..).zip(texts) {
        let offer = offer(number);
        let offered = FetchResult {
            offers: vec![offer],
            ..FetchResult::default()
        };
        workspace.commit(&site, offered).unwrap();
        let taken = workspace.take(&site, None, 1, Timestamp::from_millis(0)).unwrap();
        let mut handed = result(taken[0].id, number, None);
        handed.page.as_mut().unwrap().title = Some(text.to_owned());
        workspace.commit(&site, handed).unwrap();
    }
    workspace.flush().unwrap();
    let path = folder.path().join("out.csv");
    let reader = workspace.reader().unwrap();
    export(&reader, Table::Pages, None, ExportFormat::Csv, &path).unwrap();
    let written = fs::read_to_string(&path).unwrap();
    for (text, cell) in texts {
        let found = written.contains(&format!(",{cell},"));
        assert!(found, "{text:?} is not {cell:?} in\n{written}");
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_the_feature_parquet_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (workspace, _) = crawled(folder.path());
    let path = folder.path().join("out.parquet");
    let error = export(
        &workspace.reader().unwrap(),
        Table::Pages,
        None,
        ExportFormat::Parquet,
        &path,
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "can't export: this build can't write Parquet: it was built without the feature `parquet`"
    );
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_the_same_values() {
    use magpie_sqlite::columns;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;
    let folder = tempfile::tempdir().unwrap();
    let (workspace, _) = crawled(folder.path());
    let reader = workspace.reader().unwrap();
    for table in Table::ALL {
        let path = folder.path().join("out.parquet");
        let exported = export(&reader, table, None, ExportFormat::Parquet, &path).unwrap();
        let file = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
        let names: Vec<String> = file
            .metadata()
            .file_metadata()
            .schema()
            .get_fields()
            .iter()
            .map(|field| field.name().to_owned())
            .collect();
        assert_eq!(
            names,
            columns(table)
                .iter()
                .map(|column| column.name.clone())
                // Attributes of rows replace this column; there are no objects yet.
                .filter_map(|name| match (&*name, table) {
                    ("attributes", Table::Records) => Some("number".into()),
                    ("attributes", _) => None,
                    _ => Some(name),
                })
                .collect::<Vec<_>>()
        );
        let rows: Vec<_> = file.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len() as u64, exported.rows);
        if table == Table::Pages {
            assert_eq!(rows[1].get_string(1).unwrap(), "https://a.test/page/2");
            assert_eq!(rows[1].get_timestamp_millis(3).unwrap(), 1_600_000_002_000);
        }
    }
}

#[test]
fn the_page_of_columns_is_current() {
    let kept = include_str!("../../EXPORTS.md");
    assert!(
        kept == magpie_sqlite::columns_page(),
        "EXPORTS.md is not what `cargo run -p magpie-sqlite --example schema_page exports` prints"
    );
}
