//! Tests of exported tables.

use std::fs::{self, File};
use std::path::Path;

use magpie_rows::{
    ExportFormat, Exports, FetchResult, Link, LinkList, ObjectId, Page, Selection, Table, UrlOutcome,
};
use serde_json::{Value, json};

use super::warehouse::filled;
use super::{Clustered, lease, moment, take, with_each_exported};

/// Returns the rows of a table.
fn exported(store: &dyn Exports, selection: Selection<'_>) -> Vec<Value> {
    let text = file(store, selection, ExportFormat::Jsonl);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn file(store: &dyn Exports, selection: Selection<'_>, format: ExportFormat) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let into = File::create(&path).unwrap();
    let exported = store.export(selection, format, into, Path::new("out")).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let lines = text.lines().count() as u64;
    let head = u64::from(format == ExportFormat::Csv);
    assert_eq!((exported.rows + head, exported.bytes), (lines, text.len() as u64));
    text
}

/// Fetches a page with two links, the first one on its own site.
fn fetch_links(store: &dyn Clustered) {
    let lease = lease(store, "https://one.test");
    let mut links = LinkList::new();
    for (href, text) in [("https://one.test/a", "an \"a\""), ("https://far.test/", "")] {
        links.push(Link {
            href,
            text,
            path: "html>body>a",
            rel: "nofollow",
        });
    }
    let page = Page {
        url: "https://one.test/links".to_owned(),
        fetched_at: moment(500),
        status: Some(200),
        title: Some("Links".to_owned()),
        links,
        ..Page::default()
    };
    let result = FetchResult {
        settled: Some(UrlOutcome::fetched(take(store, &lease, "https://one.test/links"))),
        page: Some(page),
        ..FetchResult::default()
    };
    store.commit(&lease, result).unwrap();
    store.release(lease, moment(0)).unwrap();
    store.flush().unwrap();
}

#[test]
fn tables_have_the_rows_of_the_store() {
    with_each_exported(|store| {
        let crawled = filled(store);
        fetch_links(store);
        let mut pages = exported(store, Selection::all(Table::Pages));
        pages.sort_by_key(|row| row["fetched_at"].to_string());
        let told: Vec<_> = pages
            .iter()
            .map(|row| (&row["url"], &row["fetched_at"]))
            .collect();
        assert_eq!(
            told[0],
            (&json!("https://other.test/1"), &json!("1970-01-01T00:00:00.100Z"))
        );
        assert_eq!((told.len(), &pages[3]["title"]), (4, &json!("Links")));
        let links = exported(store, Selection::all(Table::Links));
        let told: Vec<_> = links
            .iter()
            .map(|row| (&row["href"], &row["text"], &row["position"]))
            .collect();
        assert_eq!(
            told,
            [
                (&json!("https://one.test/a"), &json!("an \"a\""), &json!(0)),
                (&json!("https://far.test/"), &json!(""), &json!(1)),
            ]
        );
        // Records come site by site.
        let mut records = exported(store, Selection::all(Table::Records));
        records.sort_by_key(|row| row["record"].as_i64());
        let told: Vec<_> = records
            .iter()
            .map(|row| (&row["record"], &row["attributes"]["number"]))
            .collect();
        let expected = [1, 2, 3].map(|page| (json!(crawled.id(page)), json!(page.to_string())));
        assert_eq!(told, expected.each_ref().map(|(record, number)| (record, number)));
        let objects = exported(store, Selection::all(Table::Objects));
        let first = &objects[0];
        assert_eq!(
            (&first["object"], &first["records"], objects.len()),
            (&json!(1), &json!(2), 2)
        );
        let member = |number: i64, at: &str| {
            let url = format!(
                "https://{}.test/{number}",
                if number == 1 { "other" } else { "one" }
            );
            let page = pages.iter().find(|row| row["url"] == json!(url)).unwrap();
            json!({
                "record": crawled.id(number), "url": url, "page": page["page"], "current": true,
                "first_seen": at, "last_seen": at,
            })
        };
        let (one, other) = ("1970-01-01T00:00:00.100Z", "1970-01-01T00:00:00.200Z");
        let members = &first["members"];
        assert_eq!(members[0], member(1, one));
        assert_eq!(
            (&members[1]["url"], &members[1]["last_seen"]),
            (&member(2, other)["url"], &json!(other))
        );
        assert_eq!(objects[1]["expires_at"], json!("1970-01-01T00:01:17.000Z"));
    });
}

#[test]
fn selections_leave_rows_out() {
    with_each_exported(|store| {
        let crawled = filled(store);
        let count = |selection| exported(store, selection).len();
        let all = Selection::all;
        for (table, of_run, of_things, of_second) in [
            (Table::Pages, 2, 0, 0),
            (Table::Links, 0, 0, 0),
            (Table::Records, 2, 3, 0),
            (Table::Objects, 1, 2, 1),
        ] {
            let run = Some(crawled.run);
            assert_eq!(count(Selection { run, ..all(table) }), of_run, "{table:?}");
            let vertical = Some("things");
            assert_eq!(
                count(Selection {
                    vertical,
                    ..all(table)
                }),
                of_things,
                "{table:?}"
            );
            let vertical = Some("others");
            assert_eq!(
                count(Selection {
                    vertical,
                    ..all(table)
                }),
                0,
                "{table:?}"
            );
            let objects = Some(&[ObjectId(2), ObjectId(9)][..]);
            assert_eq!(
                count(Selection {
                    objects,
                    ..all(table)
                }),
                of_second,
                "{table:?}"
            );
        }
        let csv = file(store, all(Table::Objects), ExportFormat::Csv);
        let lines: Vec<&str> = csv.lines().collect();
        assert!(
            lines[0].starts_with("object,vertical,type,label,confidence,number,records,"),
            "{csv}"
        );
        assert!(lines[1].starts_with("1,things,Thing,thing 1,0.5,1,2,"), "{csv}");
    });
}
