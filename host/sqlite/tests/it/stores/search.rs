//! Searches: the index finds what `Query::matches` defines, and reads more hits than are counted in
//! pages.

use std::collections::{BTreeMap, BTreeSet};

use magpie_model::{Attribute, Kind, Record};
use magpie_query::{Context, Query, Subject};
use magpie_rows::log::position;
use magpie_rows::{
    BadCursor, Batch, ChangeFilter, Count, MAX_COUNTED, Matching, MergedObject, ObjectId, ObjectState,
    Reassignment, Rebuild, SearchOptions, SearchOrder, SearchPage, SortKey, StoreError,
};
use magpie_values::Timestamp;
use magpie_values::text::fold;
use proptest::prelude::*;
use serde_json::json;

use super::warehouse::{filled, thing};
use super::{Searched, with_each_searched};

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

/// Changes the schema of a vertical.
fn assign(store: &dyn Searched, warehouse: i64, attributes: &[Attribute], retired: Vec<(i64, i64)>) {
    let assign = Reassignment {
        matching: Matching {
            schema: serde_json::to_string(attributes).unwrap(),
            ..Matching::default()
        },
        retired,
        ..Reassignment::default()
    };
    store.rebuild(warehouse, Rebuild::Assign(assign)).unwrap();
}

/// Makes a warehouse of things with these attributes.
fn begin(store: &dyn Searched, attributes: &[Attribute]) -> i64 {
    let warehouse = store.warehouse("things", Timestamp::default()).unwrap();
    assign(store, warehouse, attributes, Vec::new());
    warehouse
}

/// Returns a query of things with these attributes.
fn parsed(text: &str, attributes: &[Attribute]) -> Query {
    let context = Context {
        attributes,
        now: Timestamp::default(),
    };
    Query::parse(text, &context).unwrap()
}

fn numbers(page: &SearchPage) -> Vec<i64> {
    page.hits.iter().map(|hit| hit.id.0).collect()
}

#[test]
fn many_hits_are_counted_to_a_bound_and_read_in_order() {
    with_each_searched(many_hits);
}

fn many_hits(store: &dyn Searched) {
    let attributes = schema();
    let warehouse = begin(store, &attributes);
    for part in (1..=OBJECTS).collect::<Vec<_>>().chunks(5_000) {
        let batch = Batch {
            warehouse,
            objects: part.iter().copied().map(object).collect(),
            ..Batch::default()
        };
        store.take_in(batch).unwrap();
    }
    let query = |text: &str| parsed(text, &attributes);
    let search = |text: &str, options: &SearchOptions| store.search("things", &query(text), options).unwrap();
    let mut options = SearchOptions {
        limit: 3,
        facets: 5,
        ..SearchOptions::default()
    };

    // Many hits: the newest come first, and facets count the newest.
    for text in ["", "evening"] {
        let page = search(text, &options);
        assert_eq!(page.total, Count::MoreThan(MAX_COUNTED as u64), "{text}");
        assert_eq!(numbers(&page), [OBJECTS, OBJECTS - 1, OBJECTS - 2], "{text}");
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
            numbers(&search(text, &after)),
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
            found.extend(numbers(&page));
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
    let refused = store.search("things", &query("mill"), &elsewhere).unwrap_err();
    assert!(
        matches!(refused, StoreError::Cursor(BadCursor::Elsewhere)),
        "{refused:?}"
    );
    let cursor = position(7, 1);
    let refused = store
        .changes(Some(&cursor), &ChangeFilter::default(), 9)
        .unwrap_err();
    assert!(
        matches!(refused, StoreError::Cursor(BadCursor::Elsewhere)),
        "{refused:?}"
    );
    let missing = store.search("nothing", &query(""), &options).unwrap_err();
    assert!(matches!(missing, StoreError::NoVertical { .. }), "{missing:?}");

    // A word that nothing has is nearly one that is known.
    let offered = |text: &str| store.did_you_mean("things", &query(text)).unwrap();
    assert_eq!(offered("evenning -mill"), Some("evening -mill".to_owned()));
    assert_eq!(offered("venue:mil"), Some("venue:mill".to_owned()));
    assert_eq!((offered("evening"), offered("xyzzyx")), (None, None));

    // Changes are those of objects that match.
    let filter = ChangeFilter {
        vertical: Some("things".to_owned()),
        query: Some(query("\"evening 7\"")),
        ..ChangeFilter::default()
    };
    let page = store.changes(None, &filter, 9).unwrap();
    let objects: Vec<ObjectId> = page.changes.iter().map(|change| change.object).collect();
    assert_eq!((objects, page.is_last), (vec![ObjectId(7)], true));
}

#[test]
fn the_index_follows_members_successors_and_schemas() {
    with_each_searched(|store| {
        let warehouse = filled(store).warehouse;
        let attributes = [Attribute::new("number", Kind::Number)];
        let found = |text: &str| {
            let page = store.search(
                "things",
                &parsed(text, &attributes),
                &SearchOptions {
                    limit: 9,
                    facets: 0,
                    ..SearchOptions::default()
                },
            );
            numbers(&page.unwrap())
        };
        let counts = || {
            let sites = ["https://other.test/", "one.test", "absent.test"];
            store.objects_of_sites("things", &sites).unwrap()
        };
        assert_eq!(
            (found(""), found("thing"), found("\"thing 2\"")),
            (vec![2, 1], vec![2, 1], vec![2])
        );
        assert_eq!((found("site:one.test"), counts()), (vec![1], vec![2, 1, 0]));
        assert_eq!(
            found("number>=2"),
            Vec::<i64>::new(),
            "the schema does not have it"
        );
        assign(store, warehouse, &attributes, Vec::new());
        assert_eq!((found("number>=2"), found("-number>=2")), (vec![2], vec![1]));

        let batch = |merged, objects| Batch {
            warehouse,
            merged,
            objects,
            ..Batch::default()
        };
        store
            .take_in(batch(vec![(ObjectId(2), ObjectId(1))], Vec::new()))
            .unwrap();
        assert_eq!(
            (found(""), found("number>=2"), counts()),
            (vec![1], Vec::new(), vec![1, 1, 0])
        );
        let query = parsed("thing", &attributes);
        let among = [ObjectId(1), ObjectId(2), ObjectId(9)];
        assert_eq!(store.matching("things", &query, &among).unwrap(), [ObjectId(1)]);
        assert_eq!(store.matching("nothing", &query, &among).unwrap(), []);
        assert_eq!(store.find_all("things", &query).unwrap(), [ObjectId(1)]);

        let detail = |id| store.object_detail(ObjectId(id)).unwrap();
        let (stays, gone) = (detail(1).unwrap(), detail(2).unwrap());
        assert_eq!(
            (gone.merged_into, gone.state),
            (Some(ObjectId(1)), ObjectState::Merged)
        );
        assert_eq!(
            (gone.object.label.as_str(), gone.revision, gone.members.len()),
            ("thing 2", 2, 0)
        );
        assert_eq!((stays.merged_into, stays.state), (None, ObjectState::Current));
        assert_eq!((stays.merged, stays.members.len()), (vec![ObjectId(2)], 3));
        let [number] = &stays.values[..] else {
            panic!("{:?}", stays.values)
        };
        assert_eq!(
            (number.attribute.as_str(), &number.values[..]),
            ("number", &["1".to_owned()][..])
        );
        let agree: Vec<bool> = number.sources.iter().map(|source| source.agrees).collect();
        assert_eq!(agree, [true, false, false]);
        assert!(detail(9).is_none());

        // Objects that are still to be merged from their members have no entries.
        let assign = Reassignment {
            new: vec![3],
            retired: vec![(1, 3)],
            ..Reassignment::default()
        };
        store.rebuild(warehouse, Rebuild::Assign(assign)).unwrap();
        assert_eq!((found(""), counts()), (Vec::new(), vec![0, 0, 0]));
        store.take_in(batch(Vec::new(), vec![thing(3, 3)])).unwrap();
        assert_eq!(
            (found("thing"), found("thing -3"), counts()),
            (vec![3], Vec::new(), vec![1, 1, 0])
        );
    });
}

/// Names with characters that folding, words and quotes treat in ways of their own.
const NAMES: [&str; 12] = [
    "Café Zürich",
    "3×4 Kammer",
    "Don’t stop™ now",
    "東京の Nacht",
    "Say \"hi\" * AND (OR)",
    "½ Price",
    "No.5 №6",
    "soft\u{ad}hyphen",
    "a-b_c:d\\e",
    "Straße 'n' Weg",
    "xy",
    "🎷🎷🎷 jazz 🎷",
];

#[test]
fn parts_of_names_are_found_as_a_scan_finds_them() {
    with_each_searched(|store| {
        let attributes = schema();
        let warehouse = begin(store, &attributes);
        // The second time each object gets other names, so that former ones would be found.
        for turn in [0, 1] {
            let name = |at: usize| NAMES[at % NAMES.len()];
            let objects: Vec<MergedObject> = (0..NAMES.len())
                .map(|at| {
                    let attributes = json!({"title": name(at + turn), "venue": name(at + 5 * turn + 3)});
                    let record = json!({"type": "Thing", "confidence": 1.0, "attributes": attributes});
                    MergedObject {
                        id: at as i64 + 1,
                        label: "a label".to_owned(),
                        record: Record::from_json(&record).unwrap(),
                        ..MergedObject::default()
                    }
                })
                .collect();
            let batch = Batch {
                warehouse,
                objects: objects.clone(),
                ..Batch::default()
            };
            store.take_in(batch).unwrap();
            for part in parts_of_names() {
                for attribute in ["title", "venue"] {
                    let expected = objects.iter().filter(|object| {
                        let name = object.record.get(attribute).unwrap();
                        fold(name).contains(&fold(&part))
                    });
                    let expected: Vec<i64> = expected.map(|object| object.id).collect();
                    let escaped = part.replace('\\', "\\\\").replace('"', "\\\"");
                    let text = format!("{attribute}~\"{escaped}\"");
                    let found = store.find_all("things", &parsed(&text, &attributes)).unwrap();
                    let found: Vec<i64> = found.iter().map(|id| id.0).collect();
                    assert_eq!(found, expected, "{text}");
                }
            }
        }
    });
}

/// Returns short and longer parts of names as they are written, and some that other spellings have.
fn parts_of_names() -> BTreeSet<String> {
    let mut parts: BTreeSet<String> = [
        "zur", "STRASSE", "3x4", "don't", "stop now", "no6", "hi and", "xyz",
    ]
    .map(str::to_owned)
    .into();
    for name in NAMES {
        let characters: Vec<char> = name.chars().collect();
        for length in [2, 4] {
            parts.extend(
                characters
                    .windows(length)
                    .map(|part| part.iter().collect::<String>()),
            );
        }
    }
    parts.retain(|part| !fold(part).is_empty());
    // The ends of a value are trimmed.
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
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
    note: Option<(usize, usize)>,
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
        proptest::option::of(words()),
        1_u8..29,
    )
        .prop_map(|(titles, venue, price, day, place, note, seen)| Made {
            titles,
            venue,
            price,
            day,
            place,
            note,
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
    put("note", made.note.as_ref().map(two));
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
    (0..17, any::<bool>(), parts).prop_map(|(kind, is_negated, (one, other, day, amount))| {
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
            13 => format!("title:\"{one} {other}\""),
            14 => format!("note:\"{one} {other}\""),
            15 => format!("note:{}*", &one[..2]),
            _ => format!("first-seen>=2026-11-{day:02}"),
        };
        if is_negated { format!("-{term}") } else { term }
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: crate::CASES / 3, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn the_index_finds_what_matches(
        first in proptest::collection::vec(made(), 1..40),
        second in proptest::collection::vec(made(), 1..20),
        queries in proptest::collection::vec(proptest::collection::vec(term(), 0..4), 150),
    ) {
        with_each_searched(|store| finds_what_matches(store, &first, &second, &queries));
    }
}

/// Writes objects twice, so that entries of former values would be found.
fn finds_what_matches(store: &dyn Searched, first: &[Made], second: &[Made], queries: &[Vec<String>]) {
    let kinds = [
        ("title", Kind::Text),
        ("venue", Kind::Place),
        ("price", Kind::Money),
        ("start", Kind::DateTime),
        ("geo", Kind::Coordinates),
    ];
    let mut attributes: Vec<Attribute> = kinds.map(|(name, kind)| Attribute::new(name, kind)).into();
    // The first attributes have places of their own for words; this one has none.
    attributes.extend((0..20).map(|number| Attribute::new(format!("empty{number}"), Kind::Text)));
    attributes.push(Attribute::new("note", Kind::Text));
    let warehouse = begin(store, &attributes);
    let mut objects = BTreeMap::new();
    for written in [first, second] {
        let batch: Vec<MergedObject> = (1..).zip(written).map(|(id, made)| merged(id, made)).collect();
        objects.extend(batch.iter().map(|object| (object.id, object.clone())));
        let batch = Batch {
            warehouse,
            objects: batch,
            ..Batch::default()
        };
        store.take_in(batch).unwrap();
    }
    let context = Context {
        attributes: &attributes,
        now: moment(15),
    };
    for terms in queries {
        let text = terms.join(" ");
        let query = Query::parse(&text, &context).unwrap();
        let options = SearchOptions {
            limit: 100,
            ..SearchOptions::default()
        };
        let page = store.search("things", &query, &options).unwrap();
        let found: BTreeSet<i64> = numbers(&page).into_iter().collect();
        let matching = objects.values().filter(|object| {
            query.matches(&Subject {
                label: &object.label,
                record: &object.record,
                attributes: &attributes,
                urls: &[],
                current: object.current,
                first_seen: object.first_seen,
                last_seen: object.last_seen,
                changed_at: Timestamp::default(),
                expires_at: object.expires_at,
            })
        });
        let expected: BTreeSet<i64> = matching.map(|object| object.id).collect();
        assert_eq!(found, expected, "{text}");
    }
}
