//! Tests of clustering, and of the log of changes of objects.

use std::sync::Arc;

use magpie_rows::{
    Batch, Change, ChangeFilter, ChangeKind, Component, ExtractedRecord, Extraction, FetchResult, FoundPage,
    MergedObject, NewMember, ObjectId, Page, PageReading, Reassignment, Rebuild, Seen, SourcedRecord,
    Sources, UrlOutcome, WarehouseLink,
};

use super::{Clustered, lease, moment, record, take, with_each_clustered};

const SITES: [&str; 2] = ["https://one.test", "https://other.test"];

/// A vertical with three records, each on a page of its own. The first two are one object.
struct Things {
    warehouse: i64,
    records: Vec<i64>,
}

fn url(number: usize) -> String {
    format!("{}/{number}", SITES[number % 2])
}

fn fetch_thing(store: &dyn Clustered, number: usize, status: u16) {
    let lease = lease(store, SITES[number % 2]);
    let extraction = Extraction {
        component: Arc::new(Component {
            vertical: "things".to_owned(),
            ..Component::default()
        }),
        records: vec![ExtractedRecord {
            record: record(number as u64),
            ..ExtractedRecord::default()
        }],
        ..Extraction::default()
    };
    let result = FetchResult {
        settled: Some(UrlOutcome::fetched(take(store, &lease, &url(number)))),
        page: Some(Page {
            url: url(number),
            fetched_at: moment(100 * number as i64),
            status: Some(status),
            ..Page::default()
        }),
        extractions: vec![extraction],
        ..FetchResult::default()
    };
    store.commit(&lease, result).unwrap();
    store.release(lease, moment(0)).unwrap();
    store.flush().unwrap();
}

fn object(id: i64, value: u64) -> MergedObject {
    MergedObject {
        id,
        label: format!("thing {id}"),
        record: record(value),
        origins: "{}".to_owned(),
        members: 1,
        current: 1,
        first_seen: moment(100),
        last_seen: moment(100),
        ..MergedObject::default()
    }
}

fn link(one: i64, other: i64) -> WarehouseLink {
    WarehouseLink {
        one,
        other,
        probability: 0.5,
        scheme: "key".to_owned(),
        reasons: Vec::new(),
    }
}

fn clustered(store: &dyn Clustered) -> Things {
    (1..=3).for_each(|number| fetch_thing(store, number, 200));
    let warehouse = store.warehouse("things", moment(5)).unwrap();
    let found = store.found("things", 99).unwrap();
    let pages = found.pages.iter();
    let records: Vec<i64> = pages.map(|page| page.records.as_ref().unwrap()[0].0).collect();
    let member = |place: usize, object| NewMember {
        id: records[place],
        object,
        url: url(place + 1),
        record_print: 1,
        seen_at: moment(100),
        features: vec![1],
        ..NewMember::default()
    };
    let seen = |place: usize| Seen {
        member: records[place],
        record: Some(records[place]),
        at: moment(100),
    };
    let batch = Batch {
        warehouse,
        marks: found.marks,
        now: moment(7),
        objects: vec![object(1, 1), object(2, 3)],
        members: vec![member(0, 1), member(1, 1), member(2, 2)],
        seen: vec![seen(0), seen(1), seen(2)],
        links: vec![link(records[1], records[0])],
        ..Batch::default()
    };
    store.take_in(batch).unwrap();
    Things { warehouse, records }
}

fn told(changes: &[Change]) -> Vec<(i64, ChangeKind)> {
    changes
        .iter()
        .map(|change| (change.object.0, change.kind))
        .collect()
}

#[test]
fn changes_of_objects_are_logged_in_order() {
    use ChangeKind::{Changed, Expired, Gone, Merged, New};
    with_each_clustered(|store| {
        let things = clustered(store);
        assert_eq!(store.found("things", 99).unwrap().pages, []);
        let after_first = store.last_change().unwrap();
        let batch = |objects, merged, at| Batch {
            warehouse: things.warehouse,
            now: moment(at),
            objects,
            merged,
            ..Batch::default()
        };
        let expiring = MergedObject {
            expires_at: Some(moment(20)),
            ..object(1, 9)
        };
        store.take_in(batch(vec![expiring.clone()], vec![], 10)).unwrap();
        store.take_in(batch(vec![expiring], vec![], 11)).unwrap();
        let gone = MergedObject {
            current: 0,
            ..object(2, 3)
        };
        store.take_in(batch(vec![gone], vec![], 12)).unwrap();
        assert_eq!(store.expire(things.warehouse, moment(20)).unwrap(), 0);
        assert_eq!(store.expire(things.warehouse, moment(21)).unwrap(), 1);
        assert_eq!(store.expire(things.warehouse, moment(21)).unwrap(), 0);
        let merged = vec![(ObjectId(2), ObjectId(1)), (ObjectId(1), ObjectId(3))];
        store.take_in(batch(vec![object(3, 4)], merged, 22)).unwrap();
        let all = store.changes(None, &ChangeFilter::default(), 99).unwrap();
        assert_eq!(
            told(&all.changes),
            [
                (1, New),
                (2, New),
                (1, Changed),
                (2, Gone),
                (1, Expired),
                (3, New),
                (2, Merged),
                (1, Merged)
            ]
        );
        assert!(all.is_last);
        assert_eq!(all.next, store.last_change().unwrap());
        let changed = &all.changes[2];
        let attribute = &changed.attributes[0];
        assert_eq!(
            (attribute.old.as_slice(), attribute.new.as_slice()),
            (["1".to_owned()].as_slice(), ["9".to_owned()].as_slice())
        );
        assert_eq!((changed.at, changed.expires_at), (moment(10), Some(moment(20))));
        assert_eq!(all.changes[6].into, Some(ObjectId(1)));
        let next = store
            .changes(Some(&after_first), &ChangeFilter::default(), 2)
            .unwrap();
        assert_eq!(
            (told(&next.changes), next.is_last),
            (vec![(1, Changed), (2, Gone)], false)
        );
        let next = store
            .changes(Some(&next.next), &ChangeFilter::default(), 9)
            .unwrap();
        assert_eq!(next.changes, all.changes[4..]);
        let filter = ChangeFilter {
            vertical: Some("things".to_owned()),
            kinds: vec![Gone, Expired],
            ..ChangeFilter::default()
        };
        let some = store.changes(None, &filter, 9).unwrap();
        assert_eq!(told(&some.changes), [(2, Gone), (1, Expired)]);
        let filter = ChangeFilter {
            vertical: Some("others".to_owned()),
            ..ChangeFilter::default()
        };
        assert_eq!(store.changes(None, &filter, 9).unwrap().changes, []);
        let own = store.object_changes(ObjectId(2)).unwrap();
        assert_eq!(told(&own), [(2, New), (2, Gone), (2, Merged)]);
        let since = store.changes_since(moment(12)).unwrap();
        assert_eq!(since, all.changes[2].cursor);
        assert_eq!(store.changes_since(moment(99)).unwrap(), all.next);
        let totals = store.totals(things.warehouse).unwrap();
        assert_eq!((totals.objects, totals.members, totals.last), (1, 1, 3));
    });
}

#[test]
fn objects_are_stale_until_they_are_written_again() {
    with_each_clustered(|store| {
        let Things { warehouse, records } = clustered(store);
        assert_eq!(store.stale(warehouse, 9).unwrap(), Vec::<i64>::new());
        assert_eq!(store.withdraw("others", vec![url(3)]).unwrap(), 0);
        assert_eq!(store.withdraw("things", vec![url(3), url(9)]).unwrap(), 1);
        assert_eq!(store.withdraw("things", vec![url(3)]).unwrap(), 0);
        assert_eq!(store.stale(warehouse, 9).unwrap(), [2]);
        let apart = (records[1], records[0]);
        assert_eq!(store.keep_apart(apart, Vec::new(), moment(8)).unwrap(), None);
        let new = store.keep_apart(apart, vec![records[1]], moment(8)).unwrap();
        assert_eq!(new, Some(ObjectId(3)));
        assert_eq!(store.stale(warehouse, 9).unwrap(), [1, 2, 3]);
        store
            .keep_apart((records[0], 99), Vec::new(), moment(8))
            .unwrap_err();
        let batch = Batch {
            warehouse,
            objects: vec![object(1, 1), object(3, 2)],
            ..Batch::default()
        };
        store.take_in(batch).unwrap();
        assert_eq!(store.stale(warehouse, 9).unwrap(), [2]);
        store.rebuild(warehouse, Rebuild::Begin).unwrap();
        let reassignment = Reassignment {
            now: moment(9),
            new: vec![4],
            moved: vec![(records[0], 4)],
            retired: vec![(3, 4)],
            ..Reassignment::default()
        };
        store.rebuild(warehouse, Rebuild::Assign(reassignment)).unwrap();
        assert_eq!(store.stale(warehouse, 9).unwrap(), [1, 2, 4]);
        let last = store.object_changes(ObjectId(3)).unwrap().pop().unwrap();
        assert_eq!((last.kind, last.into), (ChangeKind::Merged, Some(ObjectId(4))));
    });
}

#[test]
fn a_batch_that_names_what_is_not_there_is_not_written() {
    with_each_clustered(|store| {
        let Things { warehouse, records } = clustered(store);
        let before = store.last_change().unwrap();
        let member = |id, object| NewMember {
            id,
            object,
            ..NewMember::default()
        };
        for batch in [
            Batch {
                seen: vec![Seen {
                    member: 99,
                    record: None,
                    at: moment(1),
                }],
                members: vec![member(99, 1)],
                ..Batch::default()
            },
            Batch {
                members: vec![member(records[0], 99)],
                ..Batch::default()
            },
            Batch {
                links: vec![link(records[0], 99)],
                ..Batch::default()
            },
        ] {
            let batch = Batch {
                warehouse,
                objects: vec![object(3, 5)],
                ..batch
            };
            store.take_in(batch).unwrap_err();
        }
        let stranger = Batch {
            warehouse: 99,
            objects: vec![object(3, 5)],
            ..Batch::default()
        };
        store.take_in(stranger).unwrap_err();
        assert_eq!(store.last_change().unwrap(), before);
        assert_eq!(store.totals(warehouse).unwrap().last, 2);
    });
}

#[test]
fn pages_and_addresses_of_records_are_found() {
    with_each_clustered(|store| {
        let Things { records, .. } = clustered(store);
        let pages = store.pages_of_records(&records[1..2]).unwrap();
        assert_eq!((pages.len(), pages[0].url.as_str()), (1, url(2).as_str()));
        let wanted = [(pages[0].site, url(2)), (pages[0].site, url(8))];
        let addresses = store.addresses(&wanted).unwrap();
        let found: Vec<_> = addresses
            .iter()
            .map(|row| (row.url.as_str(), row.page, row.status))
            .collect();
        assert_eq!(found, [(url(2).as_str(), pages[0].page, Some(200))]);
        assert_eq!(store.anchors(&[pages[0].page]).unwrap(), []);
        fetch_thing(store, 4, 200);
        let found = store.found("things", 99).unwrap();
        let urls: Vec<_> = found.pages.iter().map(|page| page.url.clone()).collect();
        assert_eq!(urls, [url(4)]);
    });
}

#[test]
fn a_page_with_other_records_is_clustered_again() {
    with_each_clustered(|store| {
        let things = clustered(store);
        let pages = store.pages_of_records(&things.records[..1]).unwrap();
        let read_again = |read: Option<u64>| {
            let sourced = |value| SourcedRecord {
                record: record(value),
                sources: Sources::from([("number".to_owned(), "reading".to_owned())]),
                expires_at: None,
            };
            let records = read.map(|value| vec![sourced(value)]);
            let page = pages[0].page;
            store
                .put_readings("things", vec![PageReading { page, records }])
                .unwrap()
        };
        assert_eq!(read_again(None), 0);
        assert_eq!(read_again(Some(8)), 1);
        assert_eq!(read_again(Some(8)), 0);
        let found = store.found("things", 99).unwrap();
        let [again] = found.pages.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(
            (again.page, again.site, &again.url),
            (pages[0].page, pages[0].site, &pages[0].url)
        );
        let shown = |page: &FoundPage| page.records.as_ref().unwrap()[0].1.clone().unwrap();
        assert_eq!(shown(again), record(8));
        let take_in = |marks| {
            let batch = Batch {
                warehouse: things.warehouse,
                now: moment(20),
                marks,
                ..Batch::default()
            };
            store.take_in(batch).unwrap();
        };
        take_in(found.marks);
        assert_eq!(store.found("things", 99).unwrap().pages, []);
        // The vertical's own record counts again.
        assert_eq!(read_again(None), 1);
        let found = store.found("things", 99).unwrap();
        assert_eq!(shown(&found.pages[0]), record(1));
        take_in(found.marks);
        assert_eq!(store.found("things", 99).unwrap().pages, []);
    });
}
