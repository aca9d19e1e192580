//! Tests of removing pages for good.

use std::sync::Arc;

use magpie_model::UrlReason;
use magpie_query::Query;
use magpie_rows::{
    Batch, ChangeFilter, ChangeKind, Forgetting, Forgotten, MergedObject, NewMember, ObjectId, ObjectState,
    Seen, Store, UrlState, UrlTest,
};

use super::pruning::{body, fetch_one, url};
use super::{fingerprint, moment, record, replay, with_each_kept};

/// Clusters the records of pages: those of each object by their place.
pub(crate) fn cluster(store: &dyn Store, objects: &[(i64, &[usize])], urls: &[&str]) {
    let warehouse = store.warehouse("things", moment(5)).unwrap();
    let found = store.found("things", 99).unwrap();
    let pages = found.pages.iter();
    let records: Vec<i64> = pages.map(|page| page.records.as_ref().unwrap()[0].0).collect();
    let mut batch = Batch {
        warehouse,
        marks: found.marks,
        now: moment(7),
        ..Batch::default()
    };
    for (object, members) in objects {
        batch.objects.push(MergedObject {
            id: *object,
            label: format!("thing {object} of secret"),
            record: record(members[0] as u64),
            origins: "{}".to_owned(),
            members: members.len() as u64,
            current: members.len() as u64,
            first_seen: moment(100),
            last_seen: moment(100),
            ..MergedObject::default()
        });
        for place in *members {
            batch.members.push(NewMember {
                id: records[*place],
                object: *object,
                url: url(urls[*place]),
                record_print: 1,
                seen_at: moment(100),
                features: vec![1],
                ..NewMember::default()
            });
            batch.seen.push(Seen {
                member: records[*place],
                record: Some(records[*place]),
                at: moment(100),
            });
        }
    }
    store.take_in(batch).unwrap();
}

pub(crate) fn request(name: &'static str) -> Forgetting {
    Forgetting {
        urls: UrlTest(Arc::new(move |url| url.ends_with(name))),
        detail: "forgotten on 2026-03-31".to_owned(),
        now: moment(9_000),
        is_dry: false,
    }
}

#[test]
fn of_forgotten_pages_nothing_is_left_and_of_others_all() {
    with_each_kept(|store| {
        let names = ["secret", "open", "twin"];
        let secret = fetch_one(store, "secret", 10, "s", 0);
        let open = fetch_one(store, "open", 20, "o", 1);
        // It has the body of the page that is forgotten.
        let twin = fetch_one(store, "twin", 30, "s", 2);
        assert_eq!(store.page(twin).unwrap().unwrap().same_as, Some(secret));
        // The object that goes is the last in the log, so its number there must not be given again.
        cluster(store, &[(2, &[1, 2]), (1, &[0])], &names);
        let before = store.last_change().unwrap();
        let expected = Forgotten {
            urls: 1,
            pages: 1,
            records: 1,
            objects: 1,
            ..Forgotten::default()
        };
        let dry = Forgetting {
            is_dry: true,
            ..request("secret")
        };
        let dry = store.forget(&dry).unwrap();
        assert!(dry.bytes > 0);
        assert_eq!(Forgotten { bytes: 0, ..dry }, expected);
        assert_eq!(store.status().unwrap().pages, 3);
        store.forget(&request("secret")).unwrap();
        assert_eq!(store.page(secret).unwrap(), None);
        assert_eq!(body(store, open), Some("o".repeat(600)));
        assert_eq!(body(store, twin), Some("s".repeat(600)));
        assert_eq!(store.page(twin).unwrap().unwrap().same_as, None);
        let state = store.explain(fingerprint(&url("secret"))).unwrap().remove(0);
        assert_eq!(
            (state.state, state.reason, state.detail.as_deref()),
            (
                UrlState::Refused,
                Some(UrlReason::Forgotten),
                Some("forgotten on 2026-03-31")
            )
        );
        // Followers learn that the object is to be removed, and no log says what it was.
        let told = store
            .changes(Some(&before), &ChangeFilter::default(), 99)
            .unwrap();
        let told: Vec<_> = told
            .changes
            .iter()
            .map(|change| (change.object, change.kind))
            .collect();
        assert_eq!(told, [(ObjectId(1), ChangeKind::Forgotten)]);
        let detail = store.object_detail(ObjectId(1)).unwrap().unwrap();
        assert_eq!((detail.state, detail.merged_into), (ObjectState::Forgotten, None));
        assert_eq!(detail.object.label, "");
        let all = Query::all(moment(0));
        assert_eq!(store.find_all("things", &all).unwrap(), [ObjectId(2)]);
        let log = store.changes(None, &ChangeFilter::default(), 99).unwrap();
        replay::check(store, &log.changes);
        // The next page is clustered as the one after the last.
        fetch_one(store, "next", 40, "n", 3);
        let found = store.found("things", 99).unwrap();
        assert_eq!(found.pages.len(), 1);
    });
}

#[test]
fn an_object_keeps_the_records_of_other_pages() {
    with_each_kept(|store| {
        let names = ["secret", "open"];
        fetch_one(store, "secret", 10, "s", 7_001);
        fetch_one(store, "open", 20, "o", 7_002);
        cluster(store, &[(1, &[0, 1])], &names);
        let before = store.last_change().unwrap();
        let forgotten = store.forget(&request("secret")).unwrap();
        assert_eq!((forgotten.objects, forgotten.changed_objects), (0, 1));
        let detail = store.object_detail(ObjectId(1)).unwrap().unwrap();
        assert_eq!(detail.members.len(), 1);
        // It has the value of the page that stays until it is merged again.
        let values: Vec<&str> = detail.object.record.all("number").collect();
        assert_eq!(values, ["7002"]);
        assert_eq!(store.stale(detail_warehouse(store), 9).unwrap(), [1]);
        let told = store
            .changes(Some(&before), &ChangeFilter::default(), 99)
            .unwrap();
        assert_eq!(told.changes.len(), 1);
        assert_eq!(told.changes[0].kind, ChangeKind::Changed);
        let log = store.changes(None, &ChangeFilter::default(), 99).unwrap();
        replay::check(store, &log.changes);
        assert!(!format!("{log:?}").contains("secret"), "{log:?}");
    });
}

fn detail_warehouse(store: &dyn Store) -> i64 {
    store.warehouse("things", moment(5)).unwrap()
}

#[test]
fn what_is_allowed_again_is_queued() {
    with_each_kept(|store| {
        fetch_one(store, "secret", 10, "s", 0);
        fetch_one(store, "open", 20, "o", 1);
        let forgotten = store.forget(&request("secret")).unwrap();
        assert_eq!(forgotten.sites, Vec::<String>::new());
        assert_eq!(store.recall(request("secret").urls).unwrap(), 1);
        let state = store.explain(fingerprint(&url("secret"))).unwrap().remove(0);
        assert_eq!((state.state, state.reason), (UrlState::Queued, None));
        assert_eq!(store.recall(request("secret").urls).unwrap(), 0);
    });
}
