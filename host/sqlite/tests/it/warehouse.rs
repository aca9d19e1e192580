//! Objects as people read them: lists, members with their pages, exports. The test suite of the
//! warehouse itself is in `stores`.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

use magpie_rows::Catalogue;
use magpie_rows::Statistics as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::crawl::{lease, offer, result, url};
use magpie_model::{Attribute, Kind, Record};
use magpie_query::{Context, Query};
use magpie_rows::{
    Batch, ExportFormat, FetchResult, Frontier, Matching, MergedObject, NewMember, ObjectId, Reassignment,
    Rebuild, RunKind, RunStore, Search as _, SearchOptions, Seen, Selection, StoreError, Table, Warehouse,
    WarehouseLink,
};
use magpie_sqlite::{Reader, Workspace, WorkspaceOptions, round_trips};

use crate::export::export_selection;
use magpie_values::Timestamp;
use serde_json::{Value, json};

/// Returns the time this many milliseconds after the beginning of 1970.
const fn moment(milliseconds: i64) -> Timestamp {
    Timestamp::from_millis(milliseconds)
}

/// Creates three pages with an object each. Returns the ID of the warehouse. The first two pages
/// are of a run.
fn crawled(folder: &Path) -> (Workspace, i64) {
    let workspace = Workspace::create(folder, &WorkspaceOptions::default()).unwrap();
    let site = lease(&workspace);
    let offers = (1..=3).map(offer).collect();
    let seeds = FetchResult {
        offers,
        ..FetchResult::default()
    };
    workspace.commit(&site, seeds).unwrap();
    let run = workspace
        .begin_run(RunKind::Crawl, "magpie", "{}", moment(0))
        .unwrap();
    for (number, pending) in (1..).zip(workspace.take(&site, None, 3, moment(0)).unwrap()) {
        let result = result(pending.id, number, (number < 3).then_some(run));
        workspace.commit(&site, result).unwrap();
    }
    workspace.release(site, moment(0)).unwrap();
    workspace.flush().unwrap();
    let warehouse = workspace.warehouse("things", moment(5)).unwrap();
    (workspace, warehouse)
}

fn thing(id: i64, members: u64) -> MergedObject {
    MergedObject {
        id,
        label: format!("thing {id}"),
        record: Record::from_json(&json!({
            "type": "Thing", "confidence": 0.5,
            "attributes": {"number": id.to_string(), "label": "a, b", "tags": ["x", "y"]},
        }))
        .unwrap(),
        origins: "{}".to_owned(),
        members,
        current: members,
        first_seen: moment(100),
        last_seen: moment(100),
        expires_at: None,
    }
}

fn member(id: i64, object: i64) -> NewMember {
    NewMember {
        id,
        object,
        url: url(id.unsigned_abs()),
        record_print: id.unsigned_abs().into(),
        seen_at: moment(100),
        features: vec![1],
        keys: vec![("key".to_owned(), "k".to_owned())],
        origin: Vec::new(),
    }
}

fn seen(member: i64, at: Timestamp) -> Seen {
    Seen {
        member,
        record: Some(member),
        at,
    }
}

fn link(one: i64, other: i64) -> WarehouseLink {
    WarehouseLink {
        one,
        other,
        probability: 0.9,
        scheme: "key".to_owned(),
        reasons: vec!["same key".to_owned()],
    }
}

/// Objects the three records: the first two are one object.
fn filled(folder: &Path) -> (Workspace, i64) {
    let (workspace, warehouse) = crawled(folder);
    let batch = Batch {
        warehouse,
        marks: workspace.found("things", 9).unwrap().marks,
        now: moment(7),
        objects: vec![thing(1, 2), thing(2, 1)],
        members: vec![member(1, 1), member(2, 1), member(3, 2)],
        seen: vec![seen(1, moment(100)), seen(2, moment(200)), seen(3, moment(300))],
        links: vec![link(2, 1)],
        ..Batch::default()
    };
    workspace.take_in(batch).unwrap();
    (workspace, warehouse)
}

#[test]
fn members_of_an_object_are_listed_with_their_pages() {
    let folder = tempfile::tempdir().unwrap();
    let (workspace, warehouse) = filled(folder.path());
    let reader = workspace.reader().unwrap();
    let members = reader.members_of(ObjectId(1)).unwrap();
    let urls: Vec<_> = members.iter().map(|member| member.url.clone()).collect();
    assert_eq!(urls, [url(1), url(2)]);
    assert_eq!(reader.objects_at("things", &url(3)).unwrap(), [ObjectId(2)]);
    assert_eq!(reader.member_with(1).unwrap().unwrap().object, ObjectId(1));
    assert_eq!(reader.sightings(1).unwrap().len(), 1);
    assert_eq!(reader.records_waiting("things").unwrap(), 0);
    assert_eq!(reader.records_waiting("others").unwrap(), 0);
    let merge = |gone, stays, objects| Batch {
        warehouse,
        objects,
        merged: vec![(ObjectId(gone), ObjectId(stays))],
        ..Batch::default()
    };
    workspace.take_in(merge(2, 1, vec![thing(1, 3)])).unwrap();
    workspace.take_in(merge(1, 4, vec![thing(4, 3)])).unwrap();
    assert_eq!(
        reader.merged_into(ObjectId(4)).unwrap(),
        [ObjectId(1), ObjectId(2)]
    );
}

#[test]
fn objects_wait_until_the_pages_of_their_site_are_clustered() {
    let folder = tempfile::tempdir().unwrap();
    let (workspace, _) = crawled(folder.path());
    assert_eq!(workspace.reader().unwrap().records_waiting("things").unwrap(), 3);
}

#[test]
fn objects_are_exported_with_their_pages() {
    let folder = tempfile::tempdir().unwrap();
    let (workspace, _) = filled(folder.path());
    let reader = workspace.reader().unwrap();
    let path = folder.path().join("things.jsonl");
    let lines = |vertical| -> Vec<Value> {
        let selection = Selection {
            vertical,
            ..Selection::all(Table::Objects)
        };
        export_selection(&reader, selection, ExportFormat::Jsonl, &path).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let things = lines(Some("things"));
    assert_eq!(things.len(), 2);
    assert_eq!(things[0]["label"], "thing 1");
    assert_eq!(things[0]["attributes"]["number"], "1");
    assert_eq!(
        (&things[0]["records"], &things[0]["confidence"]),
        (&json!(2), &json!(0.5))
    );
    let from: Vec<_> = things[0]["members"].as_array().unwrap().iter().collect();
    assert_eq!(from[1]["url"], url(2));
    assert_eq!(from[1]["current"], true);
    assert_eq!(from[0]["first_seen"], "1970-01-01T00:00:00.100Z");
    assert_eq!(lines(Some("others")), Vec::<Value>::new());
}

#[test]
fn attribute_columns_follow_the_schema_then_other_attributes() {
    let folder = tempfile::tempdir().unwrap();
    let (workspace, warehouse) = filled(folder.path());
    let schema = ["tags", "price"].map(|name| Attribute {
        label: String::new(),
        ..Attribute::new(name, Kind::Text)
    });
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
    let reader = workspace.reader().unwrap();
    let path = folder.path().join("things.csv");
    let selection = Selection {
        objects: Some(&[ObjectId(2), ObjectId(99)]),
        ..Selection::all(Table::Objects)
    };
    export_selection(&reader, selection, ExportFormat::Csv, &path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    let names =
        "object,vertical,type,label,confidence,tags,price,attributes.label,number,records,current,origins,";
    assert!(lines[0].starts_with(names), "{text}");
    let values = "2,things,Thing,thing 2,0.5,x; y,,\"a, b\",2,";
    assert!(lines[1].starts_with(values), "{text}");
}

#[test]
fn a_search_that_takes_too_long_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
    let batch = Batch {
        warehouse: workspace.warehouse("things", moment(5)).unwrap(),
        objects: (1..=1_000).map(|id| thing(id, 1)).collect(),
        ..Batch::default()
    };
    workspace.take_in(batch).unwrap();
    let context = Context {
        attributes: &[],
        now: moment(5),
    };
    let query = Query::parse("", &context).unwrap();
    let reader = |limit, given_up: &Arc<AtomicBool>| {
        let reader = workspace.reader().unwrap();
        reader.with_time_limit(limit, Arc::clone(given_up)).unwrap()
    };
    let search = |reader: &Reader| reader.search("things", &query, &SearchOptions::default());
    let given_up = Arc::new(AtomicBool::new(false));
    let stopped = search(&reader(Duration::from_nanos(1), &given_up)).unwrap_err();
    assert!(matches!(stopped, StoreError::TooSlow { .. }), "{stopped:?}");
    let patient = reader(Duration::from_secs(600), &given_up);
    search(&patient).unwrap();
    given_up.store(true, Ordering::Relaxed);
    let stopped = search(&patient).unwrap_err();
    assert!(matches!(stopped, StoreError::TooSlow { .. }), "{stopped:?}");
}

#[test]
fn a_part_of_a_name_is_found_without_reading_the_other_objects() {
    const OBJECTS: i64 = 2_000;
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
    let warehouse = workspace.warehouse("things", moment(5)).unwrap();
    let attributes = [Attribute {
        identifies: true,
        ..Attribute::new("title", Kind::Text)
    }];
    let assign = Reassignment {
        matching: Matching {
            schema: serde_json::to_string(&attributes).unwrap(),
            ..Matching::default()
        },
        ..Reassignment::default()
    };
    workspace.rebuild(warehouse, Rebuild::Assign(assign)).unwrap();
    let object = |id| {
        let title = if id == 7 { "Old Lighthouse" } else { "Evening" };
        let record = json!({"type": "Thing", "confidence": 0.5, "attributes": {"title": title}});
        MergedObject {
            record: Record::from_json(&record).unwrap(),
            ..thing(id, 1)
        }
    };
    let batch = Batch {
        warehouse,
        objects: (1..=OBJECTS).map(object).collect(),
        ..Batch::default()
    };
    workspace.take_in(batch).unwrap();
    let context = Context {
        attributes: &attributes,
        now: moment(5),
    };
    let query = Query::parse("title~ghth", &context).unwrap();
    let before = round_trips();
    let found = workspace.find_all("things", &query).unwrap();
    assert_eq!(found, [ObjectId(7)]);
    // The record of each object takes a statement.
    assert!(round_trips() - before < OBJECTS.unsigned_abs());
}
