//! Tests of removing pages for good.

use std::sync::Arc;

use magpie_http::HttpLimits;
use magpie_model::UrlReason;
use magpie_query::Query;
use magpie_rows::{
    ArchiveLimits, Batch, BodyPruned, ChangeFilter, ChangeKind, Component, Exchange, ExtractedRecord,
    Extraction, FetchResult, Forgetting, Forgotten, HouseStore as _, MergedObject, NewMember, ObjectId,
    ObjectState, Page, PageId, PrunedBy, Seen, Store, UrlOutcome, UrlState, UrlTest,
};
use magpie_warc::{ArchiveReader, Record as Archived};

use super::{exchange, fingerprint, lease, moment, record, replay, take, with_each_workspace};

const SITE: &str = "https://one.test";

fn url(name: &str) -> String {
    format!("{SITE}/{name}")
}

/// A page with a body, and a record with a number.
fn fetch_one(store: &dyn Store, name: &str, at: i64, body: &str, number: u64) -> PageId {
    let lease = lease(store, SITE);
    let result = FetchResult {
        settled: Some(UrlOutcome::fetched(take(store, &lease, &url(name)))),
        page: Some(Page {
            url: url(name),
            fetched_at: moment(at),
            status: Some(200),
            title: Some(format!("title of {name}")),
            exchange: Some(exchange(body.repeat(600))),
            ..Page::default()
        }),
        extractions: vec![Extraction {
            component: Arc::new(Component {
                vertical: "things".to_owned(),
                ..Component::default()
            }),
            records: vec![ExtractedRecord {
                record: record(number),
                ..ExtractedRecord::default()
            }],
            ..Extraction::default()
        }],
        ..FetchResult::default()
    };
    let page = store.commit(&lease, result).unwrap().page.unwrap();
    store.release(lease, moment(0)).unwrap();
    store.flush().unwrap();
    page
}

/// Clusters the records of pages: those of each object by their place.
fn cluster(store: &dyn Store, objects: &[(i64, &[usize])], urls: &[&str]) {
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

fn body(store: &dyn Store, page: PageId) -> Option<String> {
    let replayed = store.replay(page, &HttpLimits::default()).unwrap()?;
    Some(String::from_utf8(replayed.response?.body).unwrap())
}

#[test]
fn of_forgotten_pages_nothing_is_left_and_of_others_all() {
    with_each_workspace(|workspace| {
        let store: &dyn Store = workspace;
        let names = ["secret", "open", "twin"];
        let secret = fetch_one(store, "secret", 10, "s", 0);
        let open = fetch_one(store, "open", 20, "o", 1);
        // It has the body of the page that is forgotten.
        let twin = fetch_one(store, "twin", 30, "s", 2);
        assert_eq!(store.page(twin).unwrap().unwrap().same_as, Some(secret));
        cluster(store, &[(1, &[0]), (2, &[1, 2])], &names);
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
    with_each_workspace(|workspace| {
        let store: &dyn Store = workspace;
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
fn files_have_no_byte_of_forgotten_pages() {
    let folder = tempfile::tempdir().unwrap();
    let options = magpie_sqlite::WorkspaceOptions::default();
    let workspace = magpie_sqlite::Workspace::create(folder.path(), &options).unwrap();
    fetch_one(&workspace, "secret", 10, "hidden-treasure", 0);
    fetch_one(&workspace, "twin", 20, "hidden-treasure", 1);
    fetch_one(&workspace, "twin-of-secret", 30, "other-treasure", 2);
    cluster(
        &workspace,
        &[(1, &[0]), (2, &[1])],
        &["secret", "twin", "twin-of-secret"],
    );
    workspace.forget(&request("/twin")).unwrap();
    workspace.forget(&request("secret")).unwrap();
    workspace.close().unwrap();
    let mut records: Vec<Archived> = Vec::new();
    for file in std::fs::read_dir(folder.path().join("archive")).unwrap() {
        let reader = ArchiveReader::open(&file.unwrap().path()).unwrap();
        records.extend(reader.map(Result::unwrap));
    }
    assert!(records.is_empty(), "{records:?}");
    let database = std::fs::read(folder.path().join("magpie.db")).unwrap();
    for word in ["title of secret", "of secret", "hidden-treasure"] {
        let found = database.windows(word.len()).any(|at| at == word.as_bytes());
        assert!(!found, "the database has {word:?}");
    }
}

#[test]
fn what_is_allowed_again_is_queued() {
    with_each_workspace(|workspace| {
        let store: &dyn Store = workspace;
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

/// Prunes at a time, and returns the pages that lost their body.
fn prune(store: &dyn Store, limits: ArchiveLimits) -> u64 {
    store.prune(&limits, moment(5_000)).unwrap().pages
}

#[test]
fn bodies_that_were_found_last_long_ago_are_removed() {
    with_each_workspace(|workspace| {
        let store: &dyn Store = workspace;
        let old = fetch_one(store, "old", 10, "a", 0);
        let found_again = fetch_one(store, "found", 20, "b", 1);
        let twin = fetch_one(store, "twin", 300, "b", 2);
        let new = fetch_one(store, "new", 400, "c", 3);
        let limits = |oldest, overdue| ArchiveLimits {
            oldest: Some((moment(oldest), moment(overdue))),
            bytes: None,
        };
        assert_eq!(prune(store, limits(100, 5)), 0, "none is overdue");
        assert_eq!(prune(store, limits(100, 100)), 1);
        let pruned = BodyPruned {
            at: moment(5_000),
            by: PrunedBy::Keep,
        };
        assert_eq!(store.page(old).unwrap().unwrap().pruned, Some(pruned));
        assert_eq!(body(store, old), None);
        assert_eq!(
            pruned.to_string(),
            "the body was removed by `archive.keep` on 1970-01-01"
        );
        // Its records and objects stay, and so do the bodies that a later fetch has found.
        assert_eq!(store.status().unwrap().records, 4);
        for (page, letter) in [(found_again, "b"), (twin, "b"), (new, "c")] {
            assert_eq!(body(store, page), Some(letter.repeat(600)));
            assert_eq!(store.page(page).unwrap().unwrap().pruned, None);
        }
        assert_eq!(prune(store, limits(100, 100)), 0);
        assert_eq!(prune(store, limits(1_000, 1_000)), 3);
        assert_eq!(store.status().unwrap().archive_bytes, 0);
    });
}

#[test]
fn the_archive_stays_within_its_quota() {
    with_each_workspace(|workspace| {
        let store: &dyn Store = workspace;
        // Bodies that can't be packed.
        let pages: Vec<PageId> = (0..40_u64)
            .map(|number| {
                let name = format!("page-{number}");
                fetch_one(store, &name, 100 + number as i64, &noise(number), number)
            })
            .collect();
        let all = store.status().unwrap().archive_bytes;
        let limits = ArchiveLimits {
            oldest: None,
            bytes: Some(all / 2),
        };
        let pruned = store.prune(&limits, moment(5_000)).unwrap();
        assert_eq!(
            (pruned.before, pruned.after),
            (all, store.status().unwrap().archive_bytes)
        );
        assert!(pruned.after <= all / 2 && pruned.after > all / 3, "{pruned:?}");
        // The oldest ones are gone.
        let has_body = pages.iter().map(|page| body(store, *page).is_some());
        let kept: Vec<bool> = has_body.collect();
        assert!(kept.is_sorted(), "{kept:?}");
        assert_eq!(kept.iter().filter(|kept| !**kept).count() as u64, pruned.pages);
        let first = store.page(pages[0]).unwrap().unwrap();
        assert_eq!(first.pruned.map(|pruned| pruned.by), Some(PrunedBy::Quota));
    });
}

#[test]
fn an_answer_without_a_body_says_that_the_body_was_removed() {
    with_each_workspace(|workspace| {
        let store: &dyn Store = workspace;
        let lease = lease(store, SITE);
        let id = take(store, &lease, &url("page"));
        let page = |status, body: &str| Page {
            url: url("page"),
            fetched_at: moment(10),
            status: Some(status),
            exchange: Some(exchange(body.repeat(600))),
            ..Page::default()
        };
        let again = FetchResult {
            settled: Some(UrlOutcome::again(id, moment(0), "again".into())),
            page: Some(page(200, "a")),
            ..FetchResult::default()
        };
        store.commit(&lease, again).unwrap();
        store.flush().unwrap();
        let limits = ArchiveLimits {
            oldest: Some((moment(100), moment(100))),
            bytes: None,
        };
        assert_eq!(prune(store, limits), 1);
        assert_eq!(store.take(&lease, None, 1, moment(1)).unwrap().len(), 1);
        let unchanged = Page {
            exchange: Some(Exchange {
                response_head: b"HTTP/1.1 304 Not Modified\r\n\r\n".as_slice().into(),
                ..exchange("")
            }),
            ..page(304, "")
        };
        let unchanged = super::fetch(store, &lease, id, unchanged).page.unwrap();
        store.flush().unwrap();
        assert_eq!(body(store, unchanged), None);
        let row = store.page(unchanged).unwrap().unwrap();
        assert_eq!(row.pruned.map(|pruned| pruned.by), Some(PrunedBy::Keep));
    });
}

/// A text of random letters.
fn noise(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let letters = (0..20).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        format!("{state:x}")
    });
    letters.collect()
}
