//! Searches of more objects than are counted. The meaning of queries is tested in `stores`.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

use std::time::Duration;

use magpie_model::{Attribute, Kind, Record};
use magpie_query::{Context, Query};
use magpie_rows::{
    BadCursor, Batch, ChangeFilter, Count, History as _, MAX_COUNTED, Matching, MergedObject, ObjectId,
    Reassignment, Rebuild, Search as _, SearchOptions, SearchOrder, SortKey, StoreError, Warehouse as _,
};
use magpie_sqlite::{Reader, Workspace, WorkspaceOptions};
use magpie_values::Timestamp;
use serde_json::json;

const OBJECTS: i64 = MAX_COUNTED as i64 + 500;

fn schema() -> Vec<Attribute> {
    let attribute = |(name, kind): (&str, &str)| Attribute {
        identifies: name == "title",
        ..Attribute::new(name, Kind::from(kind.to_owned()))
    };
    [("price", "money"), ("title", "text"), ("venue", "place")]
        .map(attribute)
        .into()
}

/// The price of an object; some have none.
fn price(id: i64) -> Option<i64> {
    (id % 500 != 0).then_some(id * 7 % 1_000)
}

fn object(id: i64) -> MergedObject {
    let mut attributes = json!({
        "title": format!("evening {id}"),
        "venue": if id % 3 == 0 { "Old Mill" } else { "Great Hall" },
    });
    if let Some(price) = price(id) {
        attributes["price"] = json!(format!("{price} EUR"));
    }
    let record = json!({"type": "Thing", "confidence": 1.0, "attributes": attributes});
    MergedObject {
        id,
        label: format!("evening {id}"),
        record: Record::from_json(&record).unwrap(),
        members: 1,
        current: 1,
        ..MergedObject::default()
    }
}

fn filled(folder: &std::path::Path) {
    let workspace = Workspace::create(folder, &WorkspaceOptions::default()).unwrap();
    let warehouse = workspace.warehouse("things", Timestamp::default()).unwrap();
    let assign = Reassignment {
        matching: Matching {
            schema: serde_json::to_string(&schema()).unwrap(),
            ..Matching::default()
        },
        ..Reassignment::default()
    };
    workspace.rebuild(warehouse, Rebuild::Assign(assign)).unwrap();
    let batch = Batch {
        warehouse,
        objects: (1..=OBJECTS).map(object).collect(),
        ..Batch::default()
    };
    workspace.take_in(batch).unwrap();
    workspace.close().unwrap();
}

#[test]
fn many_hits_are_counted_to_a_bound_and_read_in_order() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    filled(folder.path());
    let reader = Reader::open(folder.path()).unwrap();
    let attributes = schema();
    let context = Context {
        attributes: &attributes,
        now: Timestamp::default(),
    };
    let query = |text: &str| Query::parse(text, &context).unwrap();
    let search =
        |text: &str, options: &SearchOptions| reader.search("things", &query(text), options).unwrap();
    let ids = |page: &magpie_rows::SearchPage| -> Vec<i64> { page.hits.iter().map(|hit| hit.id.0).collect() };
    let mut options = SearchOptions {
        limit: 3,
        facets: 5,
        ..SearchOptions::default()
    };

    // Many hits: the newest come first, and facets count the newest.
    for text in ["", "evening"] {
        let page = search(text, &options);
        assert_eq!(page.total, Count::MoreThan(MAX_COUNTED as u64), "{text}");
        assert_eq!(ids(&page), [OBJECTS, OBJECTS - 1, OBJECTS - 2], "{text}");
        let [venue] = &page.facets[..] else {
            panic!("{:?}", page.facets)
        };
        let counted: u64 = venue.values.iter().map(|value| value.hits).sum();
        assert_eq!(
            (page.facets_of, counted),
            (MAX_COUNTED as u64, MAX_COUNTED as u64)
        );
        let after = SearchOptions {
            after: page.next,
            ..options.clone()
        };
        assert_eq!(
            ids(&search(text, &after)),
            [OBJECTS - 3, OBJECTS - 4, OBJECTS - 5]
        );
    }
    // Few hits are counted exactly, and the count of a facet's value is the number of its hits.
    let page = search("price<=3", &options);
    for value in &page.facets[0].values {
        let narrowed = search(&format!("price<=3 {}", value.term), &options);
        assert_eq!(narrowed.total, Count::Exact(value.hits), "{value:?}");
    }

    // In the order of a number, both ways, to the objects without one.
    let mut expected: Vec<(bool, i64, i64)> = (1..=OBJECTS)
        .map(|id| (price(id).is_none(), price(id).unwrap_or_default(), id))
        .collect();
    for is_reversed in [false, true] {
        expected.sort_unstable();
        if is_reversed {
            expected.sort_by_key(|(is_missing, price, id)| (*is_missing, -price, -id));
        }
        let expected: Vec<i64> = expected.iter().map(|(_, _, id)| *id).collect();
        options = SearchOptions {
            order: SearchOrder {
                by: SortKey::Attribute("price".to_owned()),
                is_reversed,
            },
            limit: 2_600,
            ..SearchOptions::default()
        };
        let mut found = Vec::new();
        loop {
            let page = search("", &options);
            found.extend(ids(&page));
            options.after = page.next;
            if options.after.is_none() {
                break;
            }
        }
        assert!(found == expected, "reversed: {is_reversed}");
    }

    // Positions elsewhere are refused.
    let page = search(
        "evening",
        &SearchOptions {
            limit: 1,
            ..SearchOptions::default()
        },
    );
    let elsewhere = SearchOptions {
        after: page.next,
        limit: 1,
        ..SearchOptions::default()
    };
    let refused = reader.search("things", &query("mill"), &elsewhere).unwrap_err();
    assert!(
        matches!(refused, StoreError::Cursor(BadCursor::Elsewhere)),
        "{refused:?}"
    );
    Workspace::create(other.path(), &WorkspaceOptions::default())
        .unwrap()
        .close()
        .unwrap();
    let cursor = Reader::open(other.path()).unwrap().last_change().unwrap();
    let refused = reader
        .changes(Some(&cursor), &ChangeFilter::default(), 9)
        .unwrap_err();
    assert!(
        matches!(refused, StoreError::Cursor(BadCursor::Elsewhere)),
        "{refused:?}"
    );
    let missing = reader.search("nothing", &query(""), &options).unwrap_err();
    assert!(matches!(missing, StoreError::NoVertical { .. }), "{missing:?}");

    // A word that nothing has is nearly one that is known.
    let offered = |text: &str| reader.did_you_mean("things", &query(text)).unwrap();
    assert_eq!(offered("evenning -mill"), Some("evening -mill".to_owned()));
    assert_eq!(offered("venue:mil"), Some("venue:mill".to_owned()));
    assert_eq!((offered("evening"), offered("xyzzyx")), (None, None));

    // Changes are those of objects that match.
    let filter = ChangeFilter {
        vertical: Some("things".to_owned()),
        query: Some(query("\"evening 7\"")),
        ..ChangeFilter::default()
    };
    let page = reader.changes(None, &filter, 9).unwrap();
    let objects: Vec<ObjectId> = page.changes.iter().map(|change| change.object).collect();
    assert_eq!((objects, page.is_last), (vec![ObjectId(7)], true));

    let hasty = Reader::open(folder.path())
        .unwrap()
        .with_time_limit(Duration::from_nanos(1));
    let stopped = hasty.search("things", &query(""), &options).unwrap_err();
    assert!(matches!(stopped, StoreError::TooSlow { .. }), "{stopped:?}");
}
