//! Searches: the index finds what `Query::matches` defines, and reads more hits than are counted in
//! pages.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use magpie_model::{Attribute, Kind, Record};
use magpie_query::{Context, Query, Subject};
use magpie_rows::{
    BadCursor, Batch, ChangeFilter, Count, History as _, MAX_COUNTED, Matching, MergedObject, ObjectId,
    Reassignment, Rebuild, Search as _, SearchOptions, SearchOrder, SortKey, StoreError, Warehouse as _,
};
use magpie_sqlite::{Reader, Workspace, WorkspaceOptions};
use magpie_values::Timestamp;
use proptest::prelude::*;
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

/// Makes a warehouse of things with these attributes.
fn begin(workspace: &Workspace, attributes: &[Attribute]) -> i64 {
    let warehouse = workspace.warehouse("things", Timestamp::default()).unwrap();
    let assign = Reassignment {
        matching: Matching {
            schema: serde_json::to_string(attributes).unwrap(),
            ..Matching::default()
        },
        ..Reassignment::default()
    };
    workspace.rebuild(warehouse, Rebuild::Assign(assign)).unwrap();
    warehouse
}

fn filled(folder: &std::path::Path) {
    let workspace = Workspace::create(folder, &WorkspaceOptions::default()).unwrap();
    let warehouse = begin(&workspace, &schema());
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

/// Words that titles, venues and queries are made of.
const WORDS: [&str; 6] = ["old", "mill", "Café", "great", "milliner", "hall"];

/// Amounts of money, by which prices are given and asked for.
const AMOUNTS: [&str; 5] = ["5 EUR", "12.50 EUR", "12.50 USD", "10-20 EUR", "40"];

/// The attributes of an object, in numbers that stand for words, days and amounts.
#[derive(Clone, Debug)]
struct Made {
    titles: Vec<(usize, usize)>,
    venue: Option<(usize, usize)>,
    price: Option<usize>,
    day: Option<u8>,
    place: Option<(u8, u8)>,
    seen: u8,
}

fn made() -> impl Strategy<Value = Made> {
    let words = || (0..WORDS.len(), 0..WORDS.len());
    let numbers = (0_u8..9, 0_u8..9);
    (
        proptest::collection::vec(words(), 1..3),
        proptest::option::of(words()),
        proptest::option::of(0..AMOUNTS.len()),
        proptest::option::of(1_u8..29),
        proptest::option::of(numbers),
        1_u8..29,
    )
        .prop_map(|(titles, venue, price, day, place, seen)| Made {
            titles,
            venue,
            price,
            day,
            place,
            seen,
        })
}

fn moment(day: u8) -> Timestamp {
    Timestamp::parse(&format!("2026-11-{day:02}T12:00:00Z")).unwrap()
}

fn merged(id: i64, made: &Made) -> MergedObject {
    let two = |(one, other): &(usize, usize)| format!("{} {}", WORDS[*one], WORDS[*other]);
    let mut attributes = json!({ "title": made.titles.iter().map(two).collect::<Vec<_>>() });
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            attributes[name] = json!(value);
        }
    };
    put("venue", made.venue.as_ref().map(two));
    put("price", made.price.map(|at| AMOUNTS[at].to_owned()));
    put("start", made.day.map(|day| format!("2026-11-{day:02}")));
    put(
        "geo",
        made.place.map(|(north, east)| format!("{north}.5,{east}.5")),
    );
    let record = json!({"type": "Thing", "confidence": 1.0, "attributes": attributes});
    MergedObject {
        id,
        label: two(&made.titles[0]),
        record: Record::from_json(&record).unwrap(),
        members: 1,
        current: 1,
        first_seen: moment(made.seen),
        last_seen: moment(made.seen),
        expires_at: made.day.map(moment),
        ..MergedObject::default()
    }
}

/// A term of each kind, from words, a day and an amount.
fn term() -> impl Strategy<Value = String> {
    let parts = (0..WORDS.len(), 0..WORDS.len(), 1_u8..29, 0..AMOUNTS.len());
    (0..14, any::<bool>(), parts).prop_map(|(kind, is_negated, (one, other, day, amount))| {
        let (one, other, amount) = (WORDS[one], WORDS[other], AMOUNTS[amount]);
        let term = match kind {
            0 => one.to_owned(),
            1 => format!("{}*", &one[..2]),
            2 => format!("\"{one} {other}\""),
            3 => format!("venue:{one}"),
            4 => format!("venue=\"{one} {other}\""),
            5 => format!("title~{}", &one[1..3]),
            6 => format!("price<=\"{amount}\""),
            7 => format!("price>\"{amount}\""),
            8 => format!("start>=2026-11-{day:02}"),
            9 => format!("start:2026-11-{day:02}..2026-11-28"),
            10 => "has:price".to_owned(),
            11 => format!("geo:{}.1,0.1..9,{}", day % 9, day % 7 + 2),
            12 => "is:expired".to_owned(),
            _ => format!("first-seen>=2026-11-{day:02}"),
        };
        if is_negated { format!("-{term}") } else { term }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    /// Objects are written twice, so that entries of former values would be found.
    #[test]
    fn the_index_finds_what_matches(
        first in proptest::collection::vec(made(), 1..40),
        second in proptest::collection::vec(made(), 1..20),
        queries in proptest::collection::vec(proptest::collection::vec(term(), 0..4), 40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let attributes: Vec<Attribute> = [
            ("title", Kind::Text), ("venue", Kind::Place), ("price", Kind::Money), ("start", Kind::DateTime),
            ("geo", Kind::Coordinates),
        ]
        .map(|(name, kind)| Attribute::new(name, kind))
        .into();
        let mut objects = BTreeMap::new();
        let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
        let warehouse = begin(&workspace, &attributes);
        for written in [&first, &second] {
            let batch: Vec<MergedObject> = (1..).zip(written).map(|(id, made)| merged(id, made)).collect();
            objects.extend(batch.iter().map(|object| (object.id, object.clone())));
            workspace.take_in(Batch { warehouse, objects: batch, ..Batch::default() }).unwrap();
        }
        let reader = workspace.reader().unwrap();
        let context = Context { attributes: &attributes, now: moment(15) };
        for terms in &queries {
            let text = terms.join(" ");
            let query = Query::parse(&text, &context).unwrap();
            let options = SearchOptions { limit: 100, ..SearchOptions::default() };
            let page = reader.search("things", &query, &options).unwrap();
            let found: BTreeSet<i64> = page.hits.iter().map(|hit| hit.id.0).collect();
            let matching = objects.values().filter(|object| query.matches(&Subject {
                label: &object.label,
                record: &object.record,
                attributes: &attributes,
                urls: &[],
                current: object.current,
                first_seen: object.first_seen,
                last_seen: object.last_seen,
                changed_at: Timestamp::default(),
                expires_at: object.expires_at,
            }));
            let expected: BTreeSet<i64> = matching.map(|object| object.id).collect();
            prop_assert_eq!(found, expected, "{}", text);
        }
    }
}
