//! Objects: atomic writes, and reads.

use super::moment;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use magpie_rows::{
    Batch, Component, ExtractedRecord, Extraction, FetchResult, FoundPages, Marks, MatcherKind, Matching,
    MemberFilter, MemberState, MergedObject, NewMember, ObjectFilter, ObjectId, ObjectOrder, ObjectRow, Page,
    PreparedMember, Reassignment, Rebuild, RunId, RunKind, Seen, SiteId, UrlOutcome, WarehouseLink,
};
use magpie_values::Timestamp;

use super::{Clustered, fingerprint, lease, record, take, with_each_clustered};

const SITES: [&str; 2] = ["https://other.test", "https://one.test"];

/// URL of a page. Pages alternate between two sites: odd ones are of the first.
fn url(number: i64) -> String {
    format!("{}/{number}", SITES[usize::from(number % 2 == 0)])
}

fn commit_result(
    store: &dyn Clustered,
    number: i64,
    at: Timestamp,
    status: u16,
    records: usize,
    run: Option<RunId>,
) {
    let lease = lease(store, SITES[usize::from(number % 2 == 0)]);
    let known = store.find_urls(&[fingerprint(&url(number))]).unwrap();
    let settled = known
        .is_empty()
        .then(|| UrlOutcome::fetched(take(store, &lease, &url(number))));
    let objects = (0..records).map(|_| ExtractedRecord {
        record: record(number.unsigned_abs()),
        ..ExtractedRecord::default()
    });
    let extraction = Extraction {
        component: Arc::new(Component {
            vertical: "things".to_owned(),
            ..Component::default()
        }),
        records: objects.collect(),
        ..Extraction::default()
    };
    let result = FetchResult {
        settled,
        page: Some(Page {
            url: url(number),
            run,
            fetched_at: at,
            status: Some(status),
            ..Page::default()
        }),
        extractions: if status == 200 {
            vec![extraction]
        } else {
            Vec::new()
        },
        ..FetchResult::default()
    };
    store.commit(&lease, result).unwrap();
    store.release(lease, moment(0)).unwrap();
    store.flush().unwrap();
}

/// Three pages with a record each. The first two are of a run.
pub(crate) struct Crawled {
    pub(crate) warehouse: i64,
    sites: [SiteId; 2],
    pub(crate) run: RunId,
    /// Numbers of the records, in the order of their pages.
    records: Vec<i64>,
}

fn crawled(store: &dyn Clustered) -> Crawled {
    let run = store.begin_run(RunKind::Crawl, "test", "{}", moment(0)).unwrap();
    for number in 1..=3 {
        commit_result(
            store,
            number,
            moment(100 * number),
            200,
            1,
            (number < 3).then_some(run),
        );
    }
    let warehouse = store.warehouse("things", moment(5)).unwrap();
    let found = store.found("things", 99).unwrap().pages.into_iter();
    let records: Vec<i64> = found.map(|page| page.records.unwrap()[0].0).collect();
    // Lists of members are in the order of their numbers.
    assert!(records.is_sorted(), "{records:?}");
    Crawled {
        warehouse,
        sites: SITES.map(|site| store.site(site).unwrap()),
        run,
        records,
    }
}

impl Crawled {
    /// The number of the record of a page. There is none of a page that was not fetched.
    pub(crate) fn id(&self, page: i64) -> i64 {
        let place = usize::try_from(page - 1).unwrap();
        self.records.get(place).copied().unwrap_or(page)
    }

    /// The page of a record.
    fn page(&self, id: i64) -> i64 {
        let place = self.records.iter().position(|record| *record == id);
        place.unwrap() as i64 + 1
    }

    /// The record of a page as a member.
    fn member(&self, page: i64, object: i64) -> NewMember {
        NewMember {
            id: self.id(page),
            object,
            url: url(page),
            record_print: page.unsigned_abs().into(),
            seen_at: moment(100),
            features: vec![1],
            keys: vec![("key".to_owned(), "k".to_owned())],
            origin: Vec::new(),
        }
    }

    fn seen(&self, page: i64, at: Timestamp) -> Seen {
        Seen {
            member: self.id(page),
            record: Some(self.id(page)),
            at,
        }
    }

    fn link(&self, one: i64, other: i64, probability: f64) -> WarehouseLink {
        WarehouseLink {
            one: self.id(one),
            other: self.id(other),
            probability,
            scheme: "key".to_owned(),
            reasons: vec!["same key".to_owned()],
        }
    }

    fn states(&self, store: &dyn Clustered, object: i64) -> Vec<(i64, bool, bool)> {
        let members = store.members(MemberFilter::Objects(&[object])).unwrap();
        members
            .iter()
            .map(|member| (self.page(member.id), member.current, member.compared))
            .collect()
    }
}

pub(crate) fn thing(id: i64, members: u64) -> MergedObject {
    MergedObject {
        id,
        label: format!("thing {id}"),
        record: record(id.unsigned_abs()),
        origins: "{}".to_owned(),
        members,
        current: members,
        first_seen: moment(100),
        last_seen: moment(100),
        expires_at: (id == 2).then_some(Timestamp::from_seconds(77)),
    }
}

/// Clusters the three records: the first two are one object.
pub(crate) fn filled(store: &dyn Clustered) -> Crawled {
    let crawled = crawled(store);
    let batch = Batch {
        warehouse: crawled.warehouse,
        marks: store.found("things", 99).unwrap().marks,
        now: moment(7),
        objects: vec![thing(1, 2), thing(2, 1)],
        members: vec![crawled.member(1, 1), crawled.member(2, 1), crawled.member(3, 2)],
        seen: vec![
            crawled.seen(1, moment(100)),
            crawled.seen(2, moment(200)),
            crawled.seen(3, moment(300)),
        ],
        links: vec![crawled.link(2, 1, 0.9)],
        ..Batch::default()
    };
    store.take_in(batch).unwrap();
    crawled
}

/// Numbers of pages, and the number of records of each. A page that has not changed has `None`.
fn pages(found: &FoundPages) -> Vec<(i64, Option<usize>)> {
    let number = |url: &str| url.rsplit('/').next().unwrap().parse().unwrap();
    let pages = found.pages.iter();
    pages
        .map(|page| (number(&page.url), page.records.as_ref().map(Vec::len)))
        .collect()
}

fn marks(upto: Vec<(SiteId, u64)>) -> Marks {
    Marks {
        upto,
        ..Marks::default()
    }
}

#[test]
fn found_pages_are_ordered_by_time_until_they_are_clustered() {
    with_each_clustered(|store| {
        let crawled = crawled(store);
        let warehouse = crawled.warehouse;
        let found = store.found("things", 99).unwrap();
        assert_eq!(
            pages(&found),
            [(1, Some(1)), (2, Some(1)), (3, Some(1))],
            "in the order of time"
        );
        assert_eq!(
            (found.marks.upto.clone(), found.last),
            (vec![(crawled.sites[0], 2), (crawled.sites[1], 1)], true)
        );
        let (_, record) = &found.pages[1].records.as_ref().unwrap()[0];
        assert_eq!(record.as_ref(), Some(&super::record(2)));
        assert_eq!(store.found("things", 99).unwrap(), found, "until it is taken in");
        let first = store.found("things", 1).unwrap();
        assert_eq!((pages(&first), first.last), (vec![(1, Some(1))], false));
        assert_eq!(first.marks.upto, [(crawled.sites[0], 1)]);
        let take_in = |upto: Vec<(SiteId, u64)>| {
            store
                .take_in(Batch {
                    warehouse,
                    marks: marks(upto),
                    now: moment(8),
                    ..Batch::default()
                })
                .unwrap();
        };
        take_in(first.marks.upto);
        let second = store.found("things", 1).unwrap();
        assert_eq!((pages(&second), second.last), (vec![(3, Some(1))], false));
        take_in(vec![(crawled.sites[1], 1)]);
        assert_eq!(pages(&store.found("things", 99).unwrap()), [(3, Some(1))]);
        take_in(vec![(crawled.sites[0], 2)]);
        take_in(vec![(crawled.sites[0], 1)]);
        let nothing = store.found("things", 99).unwrap();
        assert_eq!(
            (nothing.pages.len(), nothing.marks.upto.len(), nothing.last),
            (0, 0, true),
            "no mark goes back"
        );
        let others = store.found("others", 99).unwrap();
        assert_eq!(
            (others.pages.len(), others.marks.upto.len()),
            (0, 2),
            "all was looked at, and says nothing"
        );
        assert_eq!(
            store.warehouse("things", moment(9)).unwrap(),
            warehouse,
            "a vertical has one number"
        );
        let row = store.warehouse_vertical("things").unwrap().unwrap();
        assert_eq!(
            (row.id, row.clustered_at, row.matching.schema.as_str()),
            (warehouse, moment(8), "[]")
        );
        assert_eq!(store.warehouse_vertical("others").unwrap(), None);
    });
}

#[test]
fn gone_and_unchanged_pages_are_found_if_they_had_objects() {
    with_each_clustered(|store| {
        filled(store);
        // The last page never had an object.
        for (number, status) in [(1, 404), (2, 503), (3, 301), (4, 404), (2, 304)] {
            commit_result(store, number, moment(1_000 + number), status, 0, None);
        }
        let found = store.found("things", 99).unwrap();
        let mut told = pages(&found);
        told.sort_unstable();
        assert_eq!(told, [(1, Some(0)), (2, None), (3, Some(0))]);
    });
}

#[test]
fn a_page_that_appears_and_goes_in_one_batch_is_reported() {
    with_each_clustered(|store| {
        crawled(store);
        commit_result(store, 1, moment(900), 404, 0, None);
        let found = store.found("things", 99).unwrap();
        assert_eq!(
            pages(&found),
            [(1, Some(1)), (2, Some(1)), (3, Some(1)), (1, Some(0))]
        );
    });
}

#[test]
fn a_written_batch_is_read_back() {
    with_each_clustered(|store| {
        let crawled = filled(store);
        let warehouse = crawled.warehouse;
        let object = store.object(ObjectId(1)).unwrap().unwrap();
        assert_eq!(
            (object.vertical.as_str(), object.label.as_str()),
            ("things", "thing 1")
        );
        let times = (object.first_seen, object.last_seen);
        assert_eq!(
            times,
            (moment(100), moment(200)),
            "a sighting is its cluster's too"
        );
        assert_eq!(store.object(ObjectId(9)).unwrap(), None);
        let objects = store.objects_after("things", None, 9).unwrap();
        assert_eq!(objects.iter().map(|row| row.id.0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(
            store.objects_after("things", Some(ObjectId(1)), 9).unwrap(),
            objects[1..]
        );
        assert_eq!(store.objects_after("things", None, 1).unwrap(), objects[..1]);
        assert_eq!(store.objects_after("others", None, 9).unwrap(), []);
        assert_eq!(store.links_of(1).unwrap(), [crawled.link(1, 2, 0.9)]);
        assert_eq!(store.links_of(2).unwrap(), []);
        let totals = store.totals(warehouse).unwrap();
        assert_eq!((totals.objects, totals.members, totals.last), (2, 3, 2));
        let standing = store.standing_after(warehouse, crawled.id(1), 9).unwrap();
        assert_eq!(
            standing
                .iter()
                .map(|row| (crawled.page(row.id), row.object))
                .collect::<Vec<_>>(),
            [(2, 1), (3, 2)]
        );
        assert_eq!(
            store.standing_after(warehouse, crawled.id(1), 1).unwrap(),
            standing[..1]
        );
        assert_eq!(standing[0].keys, [("key".to_owned(), "k".to_owned())]);
        let on_pages = store.objects_on_pages("things", None, 9).unwrap();
        let by_url: BTreeMap<&str, (i64, i64, Option<i64>)> = on_pages
            .iter()
            .map(|row| {
                (
                    row.url.as_str(),
                    (
                        row.object.0,
                        row.last_seen.as_millis(),
                        row.expires_at.map(Timestamp::as_seconds),
                    ),
                )
            })
            .collect();
        let urls = [url(1), url(2), url(3)];
        let expected = [(1, 200, None), (1, 200, None), (2, 300, Some(77))];
        assert_eq!(by_url, urls.iter().map(String::as_str).zip(expected).collect());
        let key = |place: usize| Some((on_pages[place].url_print, on_pages[place].object));
        assert_eq!(
            store.objects_on_pages("things", key(0), 1).unwrap(),
            on_pages[1..2]
        );
        assert_eq!(store.objects_on_pages("things", key(2), 9).unwrap(), []);
    });
}

#[test]
fn members_are_found_by_url_by_cluster_and_by_record() {
    with_each_clustered(|store| {
        let crawled = filled(store);
        let warehouse = crawled.warehouse;
        let ids = |members: Vec<MemberState>| {
            let members = members.iter();
            members.map(|member| crawled.page(member.id)).collect::<Vec<_>>()
        };
        let urls = [url(3), url(1), url(1), url(9)];
        let at = store.members(MemberFilter::Urls(warehouse, &urls)).unwrap();
        assert_eq!(
            (at[0].url, at[0].record_print, at[0].last_seen),
            (fingerprint(&url(1)), 1, moment(100))
        );
        assert_eq!(ids(at), [1, 3]);
        assert_eq!(
            ids(store.members(MemberFilter::Urls(warehouse + 1, &urls)).unwrap()),
            Vec::<i64>::new()
        );
        assert_eq!(
            ids(store.members(MemberFilter::Objects(&[2, 1, 9])).unwrap()),
            [1, 2, 3]
        );
        assert_eq!(
            ids(store
                .members(MemberFilter::Records(&[crawled.id(3), crawled.id(2), 99]))
                .unwrap()),
            [2, 3]
        );
        let times = store.record_times("things", crawled.id(1), 1).unwrap();
        assert_eq!(
            (times.len(), crawled.page(times[0].member), times[0].first_seen),
            (1, 2, moment(100))
        );
        assert!(times[0].new_object && times[0].current);
        assert_eq!(times[0].url, fingerprint(&url(2)));
        let records = store.records(&[crawled.id(2), 99]).unwrap();
        assert_eq!((records.len(), &records[0].record), (1, &Some(record(2))));
    });
}

#[test]
fn the_totals_of_a_run_are_of_its_pages_and_its_time() {
    with_each_clustered(|store| {
        let crawled = filled(store);
        let totals = |vertical: &str, runs: &[RunId], window| {
            let totals = store.run_totals(vertical, runs, window).unwrap();
            (
                totals.pages,
                totals.records,
                totals.new_records,
                totals.new_objects,
            )
        };
        assert_eq!(
            totals("things", &[crawled.run], (moment(0), moment(100))),
            (2, 2, 2, 2)
        );
        assert_eq!(
            totals("things", &[crawled.run], (moment(101), moment(200))),
            (2, 2, 2, 0)
        );
        assert_eq!(
            totals("things", &[RunId(crawled.run.0 + 1)], (moment(0), moment(100))),
            (0, 0, 0, 2)
        );
        assert_eq!(
            totals("others", &[crawled.run], (moment(0), moment(100))),
            (2, 0, 0, 0)
        );
        assert_eq!(totals("things", &[], (moment(0), moment(100))), (0, 0, 0, 2));
    });
}

#[test]
fn withdrawn_members_are_gone_and_their_clusters_stale() {
    with_each_clustered(|store| {
        let crawled = filled(store);
        let warehouse = crawled.warehouse;
        let withdraw = |vertical: &str| store.withdraw(vertical, vec![url(2), url(9)]).unwrap();
        assert_eq!(
            (withdraw("others"), withdraw("things"), withdraw("things")),
            (0, 1, 0)
        );
        assert_eq!(store.stale(warehouse, 9).unwrap(), [1]);
        assert_eq!(crawled.states(store, 1), [(1, true, true), (2, false, true)]);
        assert_eq!(store.objects_on_pages("things", None, 9).unwrap().len(), 2);
    });
}

/// A batch with an object of three records that are linked with each other.
fn three_linked(crawled: &Crawled) -> Batch {
    Batch {
        warehouse: crawled.warehouse,
        now: moment(7),
        objects: vec![thing(1, 3)],
        members: vec![crawled.member(1, 1), crawled.member(2, 1), crawled.member(3, 1)],
        seen: vec![
            crawled.seen(1, moment(100)),
            crawled.seen(2, moment(200)),
            crawled.seen(3, moment(300)),
        ],
        links: vec![
            crawled.link(1, 2, 0.75),
            crawled.link(2, 3, 0.5),
            crawled.link(1, 3, 0.625),
        ],
        ..Batch::default()
    }
}

#[test]
fn a_record_has_the_probability_of_its_best_link_and_the_first_is_certain() {
    with_each_clustered(|store| {
        let crawled = crawled(store);
        store.take_in(three_linked(&crawled)).unwrap();
        let doubts = store.doubtful_pages("things").unwrap();
        let mut expected =
            [(2, 0.75), (3, 0.625)].map(|(number, likely)| (fingerprint(&url(number)), ObjectId(1), likely));
        expected.sort_by_key(|doubt| doubt.0.cast_signed());
        assert_eq!(doubts, expected);
        assert_eq!(store.doubtful_pages("others").unwrap(), []);
    });
}

#[test]
fn an_object_has_the_weakest_link_of_the_strongest_way_to_hold_it_together() {
    with_each_clustered(|store| {
        let crawled = crawled(store);
        let mut batch = three_linked(&crawled);
        batch.objects.push(thing(2, 1));
        store.take_in(batch.clone()).unwrap();
        let weakest = || -> Vec<_> {
            let links = store.weakest_links("things").unwrap().into_iter();
            links.map(|weak| (weak.object, weak.link, weak.urls)).collect()
        };
        // The object holds together without the link of 0.5.
        let expected = (ObjectId(1), crawled.link(1, 3, 0.625), [url(1), url(3)]);
        assert_eq!(weakest(), [expected]);
        assert_eq!(store.weakest_links("others").unwrap(), []);
        // A member that is gone, and joins nothing, is no reason to doubt.
        batch.members.clear();
        batch.links.clear();
        batch.seen.clear();
        batch.gone = vec![crawled.id(3)];
        store.take_in(batch).unwrap();
        assert_eq!(
            weakest(),
            [(ObjectId(1), crawled.link(1, 2, 0.75), [url(1), url(2)])]
        );
    });
}

#[test]
fn a_refused_batch_leaves_no_trace() {
    with_each_clustered(|store| {
        let crawled = filled(store);
        let warehouse = crawled.warehouse;
        let refused = [
            Batch {
                seen: vec![crawled.seen(99, moment(400))],
                ..Batch::default()
            },
            Batch {
                members: vec![crawled.member(99, 1)],
                ..Batch::default()
            },
            Batch {
                members: vec![crawled.member(3, 99)],
                ..Batch::default()
            },
            Batch {
                links: vec![crawled.link(1, 99, 0.5)],
                ..Batch::default()
            },
        ];
        for batch in refused {
            let batch = Batch {
                warehouse,
                marks: marks(vec![(crawled.sites[0], 9)]),
                objects: vec![thing(3, 1)],
                merged: vec![(ObjectId(2), ObjectId(1))],
                ..batch
            };
            store.take_in(batch).unwrap_err();
            assert_eq!(store.object(ObjectId(2)).unwrap().unwrap().id, ObjectId(2));
            assert_eq!(store.totals(warehouse).unwrap().last, 2);
            assert_eq!(
                store.warehouse_vertical("things").unwrap().unwrap().clustered_at,
                moment(7)
            );
        }
        commit_result(store, 5, moment(900), 200, 1, None);
        assert_eq!(pages(&store.found("things", 9).unwrap()), [(5, Some(1))]);
        let stranger = Batch {
            warehouse: 99,
            objects: vec![thing(3, 1)],
            ..Batch::default()
        };
        store.take_in(stranger).unwrap_err();
    });
}

#[test]
fn a_retired_cluster_leads_to_the_last_one_it_was_merged_into() {
    with_each_clustered(|store| {
        let crawled = filled(store);
        let warehouse = crawled.warehouse;
        let merge = |gone, stays, objects| Batch {
            warehouse,
            objects,
            merged: vec![(ObjectId(gone), ObjectId(stays))],
            ..Batch::default()
        };
        store.take_in(merge(2, 1, vec![thing(1, 3)])).unwrap();
        store.take_in(merge(1, 4, vec![thing(4, 3)])).unwrap();
        for id in [1, 2, 4] {
            assert_eq!(store.object(ObjectId(id)).unwrap().unwrap().id, ObjectId(4));
        }
        assert_eq!(crawled.states(store, 4).len(), 3);
        let totals = store.totals(warehouse).unwrap();
        assert_eq!((totals.objects, totals.members, totals.last), (1, 3, 4));
    });
}

#[test]
fn gone_and_replaced_members_stay_as_history_and_may_come_back() {
    with_each_clustered(|store| {
        let crawled = filled(store);
        let warehouse = crawled.warehouse;
        let batch = Batch {
            warehouse,
            gone: vec![crawled.id(1), crawled.id(3), 99],
            replaced: vec![crawled.id(1)],
            ..Batch::default()
        };
        store.take_in(batch).unwrap();
        assert_eq!(crawled.states(store, 1), [(1, false, false), (2, true, true)]);
        assert_eq!(store.standing_after(warehouse, 0, 9).unwrap().len(), 2);
        let back = Batch {
            warehouse,
            members: vec![NewMember {
                features: vec![7],
                ..crawled.member(1, 2)
            }],
            seen: vec![Seen {
                member: crawled.id(1),
                record: None,
                at: moment(900),
            }],
            ..Batch::default()
        };
        store.take_in(back).unwrap();
        assert_eq!(crawled.states(store, 2), [(1, true, true), (3, false, true)]);
        let standing = store.standing_after(warehouse, 0, 1).unwrap();
        assert_eq!((standing[0].features.clone(), standing[0].object), (vec![7], 2));
        let member = store.members(MemberFilter::Records(&[crawled.id(1)])).unwrap()[0];
        assert_eq!(
            (member.first_seen, member.last_seen),
            (moment(100), moment(900)),
            "it keeps its history"
        );
        assert_eq!(store.object(ObjectId(2)).unwrap().unwrap().last_seen, moment(900));
    });
}

#[test]
fn keeping_members_apart_marks_stale_clusters() {
    with_each_clustered(|store| {
        let crawled = filled(store);
        let warehouse = crawled.warehouse;
        let pair = |one, other| (crawled.id(one), crawled.id(other));
        assert_eq!(store.keep_apart(pair(3, 1), Vec::new(), moment(8)).unwrap(), None);
        assert_eq!(
            store
                .keep_apart(pair(1, 2), vec![crawled.id(2)], moment(8))
                .unwrap(),
            Some(ObjectId(3))
        );
        assert_eq!(store.apart(warehouse).unwrap(), [pair(1, 2), pair(1, 3)]);
        assert_eq!(store.apart(warehouse + 1).unwrap(), []);
        assert_eq!(store.links_of(1).unwrap(), []);
        assert_eq!(store.stale(warehouse, 10).unwrap(), [1, 3]);
        assert_eq!(store.stale(warehouse, 1).unwrap(), [1]);
        let written = Batch {
            warehouse,
            objects: vec![thing(1, 1), thing(3, 1)],
            ..Batch::default()
        };
        store.take_in(written).unwrap();
        assert_eq!(store.stale(warehouse, 10).unwrap(), Vec::<i64>::new());
        assert_eq!(store.object(ObjectId(3)).unwrap().unwrap().label, "thing 3");
        store.keep_apart(pair(1, 99), Vec::new(), moment(8)).unwrap_err();
    });
}

#[test]
fn clustering_everything_again_replaces_links_and_moves_members() {
    with_each_clustered(|store| {
        let crawled = filled(store);
        let warehouse = crawled.warehouse;
        store.rebuild(warehouse, Rebuild::Begin).unwrap();
        let prepared = PreparedMember {
            id: crawled.id(3),
            features: vec![9],
            keys: Vec::new(),
        };
        store
            .rebuild(warehouse, Rebuild::Prepare(vec![prepared]))
            .unwrap();
        let matching = Matching {
            matcher: Some(MatcherKind::Plugin),
            digest: "2".to_owned(),
            ..Matching::default()
        };
        let reassignment = Reassignment {
            matching: matching.clone(),
            now: moment(9),
            new: vec![3],
            moved: vec![(crawled.id(1), 3), (crawled.id(3), 1)],
            retired: vec![(2, 1)],
            links: vec![crawled.link(2, 3, 0.5)],
        };
        store.rebuild(warehouse, Rebuild::Assign(reassignment)).unwrap();
        let row = store.warehouse_vertical("things").unwrap().unwrap();
        assert_eq!((row.matching, row.clustered_at), (matching, moment(9)));
        assert_eq!(store.links_of(1).unwrap(), [crawled.link(2, 3, 0.5)]);
        assert_eq!(store.object(ObjectId(2)).unwrap().unwrap().id, ObjectId(1));
        assert_eq!(store.stale(warehouse, 10).unwrap(), [1, 3]);
        assert_eq!(
            store.standing_after(warehouse, crawled.id(2), 9).unwrap()[0].features,
            [9]
        );
        assert_eq!(store.found("things", 9).unwrap().pages, [], "marks stay");
    });
}

#[test]
fn objects_are_listed_in_every_order_with_their_members() {
    with_each_clustered(|store| {
        let crawled = filled(store);
        let listed = |filter: ObjectFilter| {
            let mut listed = Vec::new();
            let mut each = |row: ObjectRow| {
                listed.push(row.id.0);
                ControlFlow::Continue(())
            };
            store.objects(&filter, &mut each).unwrap();
            listed
        };
        let by = |order, backwards| {
            listed(ObjectFilter {
                order,
                backwards,
                ..ObjectFilter::default()
            })
        };
        // The first has two members, and never expires.
        for (order, expected) in [
            (ObjectOrder::Number, [1, 2]),
            (ObjectOrder::Label, [1, 2]),
            (ObjectOrder::Members, [2, 1]),
            (ObjectOrder::LastSeen, [1, 2]),
            (ObjectOrder::Expires, [2, 1]),
        ] {
            assert_eq!(by(order, false), expected, "{order:?}");
        }
        assert_eq!(by(ObjectOrder::Label, true), [2, 1]);
        let of = |vertical: &str| ObjectFilter {
            vertical: Some(vertical.to_owned()),
            ..ObjectFilter::default()
        };
        assert_eq!((listed(of("things")).len(), listed(of("others")).len()), (2, 0));
        let late = Some(Timestamp::from_seconds(78));
        let current = ObjectFilter {
            current_at: late,
            ..ObjectFilter::default()
        };
        let expired = ObjectFilter {
            expired_at: late,
            ..ObjectFilter::default()
        };
        assert_eq!((listed(current), listed(expired)), (vec![1], vec![2]));
        assert_eq!(listed(ObjectFilter::new_since(moment(101))), Vec::<i64>::new());
        let mut met = 0;
        let mut first = |_row| {
            met += 1;
            ControlFlow::Break(())
        };
        store.objects(&ObjectFilter::default(), &mut first).unwrap();
        assert_eq!(met, 1);

        let verticals = store.warehouse_verticals().unwrap();
        assert_eq!(verticals.len(), 1);
        assert_eq!(store.warehouse_objects(&verticals[0]).unwrap(), 2);
        assert_eq!(store.last_object().unwrap(), 2);
        let members = store.members_of(ObjectId(1)).unwrap();
        let told: Vec<_> = members
            .iter()
            .map(|member| (crawled.page(member.id), &member.record))
            .collect();
        assert_eq!(told, [(1, &record(1)), (2, &record(2))]);
        assert_eq!((&members[0].url, members[0].current), (&url(1), true));
        assert_eq!(
            store.member_with(crawled.id(2)).unwrap().as_ref(),
            Some(&members[1])
        );
        assert_eq!(store.member_with(99).unwrap(), None);
        let sightings = store.sightings(crawled.id(3)).unwrap();
        assert_eq!(sightings.len(), 1);
        assert_eq!(
            (sightings[0].record, sightings[0].fetched_at),
            (crawled.id(3), moment(300))
        );
        assert_eq!(store.objects_at("things", &url(3)).unwrap(), [ObjectId(2)]);
        assert_eq!(store.objects_at("others", &url(3)).unwrap(), []);
        let merge = Batch {
            warehouse: crawled.warehouse,
            merged: vec![(ObjectId(2), ObjectId(1))],
            ..Batch::default()
        };
        store.take_in(merge).unwrap();
        assert_eq!(store.merged_into(ObjectId(1)).unwrap(), [ObjectId(2)]);
        assert_eq!(
            (by(ObjectOrder::Number, false), store.last_object().unwrap()),
            (vec![1], 2)
        );
    });
}
