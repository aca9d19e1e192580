//! The warehouse: what stays from run to run, and what a crash leaves.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

use magpie_rows::Catalogue;
use magpie_rows::Statistics as _;
mod common;
mod identity;
mod reading;

use std::ops::ControlFlow;

use common::{Scripted, Shop, cluster, label, subject};
use magpie_engine::learn::{SampledObject, sampled_objects};
use magpie_engine::warehouse::{Options, WarehouseError, cluster_with, compared_by, split};
use magpie_matching::{SchemaMatcher, Settings};
use magpie_rows::{ObjectFilter, ObjectId, Objects as _};
use magpie_values::Timestamp;

/// Returns the moment this many milliseconds after the beginning of 1970.
const fn moment(milliseconds: i64) -> Timestamp {
    Timestamp::from_millis(milliseconds)
}

#[test]
fn records_of_one_thing_are_one_and_their_number_stays_from_run_to_run() {
    let shop = Shop::new();
    shop.page(moment(1), "/a", &[("1", "Rivers", "10")]);
    shop.page(moment(2), "/b", &[("1", "Rivers", "12")]);
    shop.page(moment(3), "/c", &[("2", "Forests", "9")]);
    let report = cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(
        (report.records, report.new_members, report.new_objects),
        (3, 3, 2)
    );
    assert_eq!(report.objects, 2);
    let before = shop.things();
    assert_eq!(before, [(1, vec!["/a", "/b"]), (2, vec!["/c"])].map(shop_thing));

    shop.page(moment(4), "/d", &[("2", "Forests", "8")]);
    let mut matcher = Scripted::default();
    let report = cluster(&shop, &mut matcher).unwrap();
    assert_eq!(
        (report.new_members, report.new_objects, report.reclustered),
        (1, 0, false)
    );
    assert_eq!(matcher.prepared, 1, "a current record was prepared again");
    assert_eq!(
        shop.things(),
        [(1, vec!["/a", "/b"]), (2, vec!["/c", "/d"])].map(shop_thing)
    );

    let mut matcher = Scripted::default();
    let report = cluster(&shop, &mut matcher).unwrap();
    assert_eq!((report.records, report.objects, matcher.calls), (0, 2, 0));
}

fn shop_thing((id, urls): (i64, Vec<&str>)) -> (i64, Vec<String>) {
    (id, urls.into_iter().map(common::url).collect())
}

#[test]
fn objects_to_search_for_are_sampled_over_all_with_their_pages() {
    let shop = Shop::new();
    let numbers: Vec<String> = (0..40).map(|number| number.to_string()).collect();
    for (day, number) in (1..).zip(&numbers) {
        shop.page(moment(day), &format!("/{number}"), &[(number, "Rivers", "10")]);
    }
    shop.page(
        moment(90),
        "/all",
        &[("7", "Rivers", "11"), ("30", "Rivers", "11")],
    );
    cluster(&shop, &mut Scripted::default()).unwrap();
    let sampled = |most| sampled_objects(&shop.reader(), "things", most).unwrap();
    let all = sampled(100);
    assert_eq!(all.len(), 40);
    let pages = |number: &str| {
        let url = common::url(&format!("/{number}"));
        let mut of = all.iter().filter(|object| object.urls.contains(&url));
        let mut urls = of.next().unwrap().urls.clone();
        urls.sort();
        urls
    };
    assert_eq!(pages("7"), ["/7", "/all"].map(common::url));
    assert_eq!(pages("8"), ["/8"].map(common::url));
    let some = sampled(10);
    assert_eq!(some, all[..10], "the same objects each time");
    let is_late = |object: &&SampledObject| {
        let (_, number) = object.urls[0].rsplit_once('/').unwrap();
        numbers.iter().position(|known| known == number) >= Some(20)
    };
    let late = some.iter().filter(is_late).count();
    assert!((2..=8).contains(&late), "{late} of ten are of the later half");
}

#[test]
fn a_record_found_again_is_another_sighting_and_costs_no_comparison() {
    let shop = Shop::new();
    shop.page(moment(1), "/a", &[("1", "Rivers", "10"), ("2", "Forests", "9")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    shop.page(moment(100), "/a", &[("1", "Rivers", "10"), ("2", "Forests", "9")]);
    let mut matcher = Scripted::default();
    let report = cluster(&shop, &mut matcher).unwrap();
    assert_eq!((report.records, report.sightings, report.new_members), (2, 2, 0));
    assert_eq!(matcher.calls, 0);
    let reader = shop.reader();
    let thing = reader.object(ObjectId(1)).unwrap().unwrap();
    assert_eq!((thing.first_seen, thing.last_seen), (moment(1), moment(100)));
    let members = reader.members_of(ObjectId(1)).unwrap();
    assert_eq!(members.len(), 1);
    let seen: Vec<Timestamp> = reader
        .sightings(members[0].id)
        .unwrap()
        .iter()
        .map(|sighting| sighting.fetched_at)
        .collect();
    assert_eq!(seen, [moment(1), moment(100)]);
    // A 304 counts as a sighting, too.
    shop.not_modified(moment(200), "/a");
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(
        shop.reader().object(ObjectId(2)).unwrap().unwrap().last_seen,
        moment(200)
    );
}

#[test]
fn a_new_state_of_a_page_takes_the_place_of_the_old_one_and_the_old_one_can_come_back() {
    let shop = Shop::new();
    shop.page(moment(1), "/a", &[("1", "Rivers", "10")]);
    shop.page(moment(2), "/b", &[("1", "Rivers", "11")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(shop.value(1, "price"), "10");
    shop.page(moment(3), "/a", &[("1", "Rivers", "20")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    let thing = shop.reader().object(ObjectId(1)).unwrap().unwrap();
    assert_eq!((thing.members, thing.current), (3, 2));
    // Earlier records of the page are history, so the first current one counts.
    assert_eq!(shop.value(1, "price"), "11");
    let compared = shop.compared();
    assert_eq!(compared, 2, "the old state is still compared");

    shop.page(moment(4), "/a", &[("1", "Rivers", "10")]);
    let report = cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!((report.sightings, report.new_members, report.objects), (1, 0, 1));
    let thing = shop.reader().object(ObjectId(1)).unwrap().unwrap();
    assert_eq!((thing.members, thing.current), (3, 2));
    assert_eq!(shop.value(1, "price"), "10");
    assert_eq!(shop.compared(), 2);
}

#[test]
fn what_a_page_has_no_more_is_gone_and_keeps_its_last_word() {
    let shop = Shop::new();
    shop.page(
        moment(1),
        "/list",
        &[("1", "Rivers", "10"), ("2", "Forests", "9")],
    );
    cluster(&shop, &mut Scripted::default()).unwrap();
    shop.page(moment(5), "/list", &[("2", "Forests", "9")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    let reader = shop.reader();
    let thing = reader.object(ObjectId(1)).unwrap().unwrap();
    assert_eq!(
        (thing.current, thing.last_seen, shop.value(1, "title")),
        (0, moment(1), "Rivers".to_owned())
    );
    assert_eq!(
        reader.objects_at("things", &common::url("/list")).unwrap(),
        [ObjectId(2)]
    );
    let pages = reader.objects_on_pages("things", None, 9).unwrap().into_iter();
    let pages: Vec<_> = pages.map(|row| (row.url, row.object.0)).collect();
    assert_eq!(pages, [(common::url("/list"), 2)]);
    // It comes back elsewhere: the same thing.
    shop.page(moment(9), "/other", &[("1", "Rivers", "12")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(shop.things()[0], shop_thing((1, vec!["/list", "/other"])));
}

#[test]
fn a_failing_matcher_costs_one_batch_and_the_next_run_goes_on() {
    let shop = Shop::new();
    for number in 0..6 {
        let key = (number % 3).to_string();
        shop.page(
            moment(number + 1),
            &format!("/{number}"),
            &[(&key, "Rivers", "10")],
        );
    }
    let options = Options {
        batch: 2,
        ..Options::default()
    };
    let mut matcher = Scripted {
        fails_on: Some(4),
        ..Scripted::default()
    };
    let error = cluster_with(
        &shop.workspace,
        &subject("1"),
        &mut matcher,
        &options,
        &mut |_| {},
    )
    .unwrap_err();
    assert!(
        matches!(&error, WarehouseError::Matcher { vertical, .. } if vertical == "things"),
        "{error}"
    );
    let waiting = shop.reader().records_waiting("things").unwrap();
    assert_eq!(waiting, 4, "a batch was written by half, or not at all");
    assert_eq!(shop.things().len(), 2);
    // The workspace is dropped in between, as after a crash.
    let shop = shop.reopened();
    let mut matcher = Scripted::default();
    let report = cluster_with(
        &shop.workspace,
        &subject("1"),
        &mut matcher,
        &options,
        &mut |_| {},
    )
    .unwrap();
    assert_eq!((report.records, matcher.prepared), (4, 4));
    let expected = [
        (1, vec!["/0", "/3"]),
        (2, vec!["/1", "/4"]),
        (3, vec!["/2", "/5"]),
    ];
    assert_eq!(shop.things(), expected.map(shop_thing));
}

#[test]
fn batches_of_any_size_come_to_the_same_things() {
    let mut all = Vec::new();
    for batch in [1, 3, 100] {
        let shop = Shop::new();
        for number in 0..30_i64 {
            let (key, other) = ((number % 7).to_string(), (number % 5 + 100).to_string());
            shop.page(
                moment(number + 1),
                &format!("/{}", number % 20),
                &[(&key, "x", "1"), (&other, "y", &key)],
            );
        }
        let options = Options {
            batch,
            ..Options::default()
        };
        cluster_with(
            &shop.workspace,
            &subject("1"),
            &mut Scripted::default(),
            &options,
            &mut |_| {},
        )
        .unwrap();
        let mut things: Vec<_> = shop.things().into_iter().map(|(_, urls)| urls).collect();
        things.sort();
        all.push(things);
    }
    assert_eq!(all[0], all[1]);
    assert_eq!(all[1], all[2]);
}

#[test]
fn two_things_that_turn_out_to_be_one_keep_the_older_number_and_the_other_leads_there() {
    let shop = Shop::new();
    shop.page(moment(1), "/a", &[("1", "Rivers", "10")]);
    shop.page(moment(2), "/b", &[("2", "Rivers", "10")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(shop.things().len(), 2);
    shop.page(moment(3), "/c", &[("1 2", "Rivers", "10")]);
    let report = cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!((report.merged, report.objects), (1, 1));
    let reader = shop.reader();
    let thing = reader.object(ObjectId(2)).unwrap().unwrap();
    assert_eq!((thing.id, thing.members), (ObjectId(1), 3));
    assert_eq!(reader.merged_into(ObjectId(1)).unwrap(), [ObjectId(2)]);
    let links = reader.links_of(1).unwrap();
    assert_eq!(
        links
            .iter()
            .map(|link| (link.one, link.other))
            .collect::<Vec<_>>(),
        [(1, 3), (2, 3)]
    );
    assert_eq!(links[0].reasons, ["same key"]);
    assert_eq!(links[0].scheme, "key");
}

#[test]
fn what_is_split_by_hand_stays_apart_also_when_everything_is_clustered_anew() {
    let shop = Shop::new();
    for (number, path) in ["/a", "/b", "/c"].into_iter().enumerate() {
        shop.page(
            moment(number as i64 + 1),
            path,
            &[("1", "Rivers", &number.to_string())],
        );
    }
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(shop.things().len(), 1);
    let done = split(&shop.workspace, 1, 3, moment(50)).unwrap();
    assert_eq!((done.stays, done.other), (ObjectId(1), ObjectId(2)));
    assert!(done.moved.contains(&3) && !done.moved.contains(&1), "{done:?}");
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(label(&shop, 2), "Rivers");
    assert_eq!(shop.things().len(), 2);
    let together = |shop: &Shop| {
        let member = |id| shop.reader().member_with(id).unwrap().unwrap().object;
        member(1) == member(3)
    };
    shop.page(moment(9), "/d", &[("1", "Rivers", "9")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert!(!together(&shop));
    cluster_with(
        &shop.workspace,
        &subject("2"),
        &mut Scripted::default(),
        &Options::default(),
        &mut |_| {},
    )
    .unwrap();
    assert!(!together(&shop));

    let same = split(&shop.workspace, 1, 1, moment(50)).unwrap_err();
    assert_eq!(same.to_string(), "record 1 can't be separated from itself");
    assert!(matches!(
        split(&shop.workspace, 1, 99, moment(50)),
        Err(WarehouseError::NoMember { record: 99 })
    ));
}

#[test]
fn another_component_clusters_everything_anew_and_numbers_go_where_most_members_go() {
    let shop = Shop::new();
    shop.page(moment(1), "/a", &[("1", "Rivers", "1")]);
    shop.page(moment(2), "/b", &[("1", "Rivers", "2")]);
    shop.page(moment(3), "/c", &[("1", "Forests", "3")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(shop.things(), [shop_thing((1, vec!["/a", "/b", "/c"]))]);
    let mut by_title = Scripted {
        by_title: true,
        ..Scripted::default()
    };
    let mut run = |subject| {
        cluster_with(
            &shop.workspace,
            &subject,
            &mut by_title,
            &Options::default(),
            &mut |_| {},
        )
        .unwrap()
    };
    let report = run(subject("2"));
    assert!(report.reclustered);
    assert_eq!(
        shop.things(),
        [(1, vec!["/a", "/b"]), (2, vec!["/c"])].map(shop_thing)
    );
    assert_eq!(label(&shop, 2), "Forests");
    assert!(!run(subject("2")).reclustered, "it is not done twice");

    let options = Options {
        settings: Settings {
            threshold: 0.7,
            ..Settings::default()
        },
        ..Options::default()
    };
    let report = cluster_with(
        &shop.workspace,
        &subject("2"),
        &mut by_title,
        &options,
        &mut |_| {},
    )
    .unwrap();
    assert!(report.reclustered, "other settings decide otherwise");
    // And back to the first: the numbers are used again, none is given twice.
    let report = cluster(&shop, &mut Scripted::default()).unwrap();
    assert!(report.reclustered);
    assert_eq!(shop.things(), [shop_thing((1, vec!["/a", "/b", "/c"]))]);
    assert_eq!(
        shop.reader().object(ObjectId(2)).unwrap().unwrap().id,
        ObjectId(1)
    );
}

#[test]
fn a_crash_while_everything_is_clustered_anew_leaves_what_stood_and_it_begins_again() {
    let shop = Shop::new();
    for number in 0..8 {
        let key = (number % 2).to_string();
        shop.page(
            moment(number + 1),
            &format!("/{number}"),
            &[(&key, "Rivers", "10")],
        );
    }
    cluster(&shop, &mut Scripted::default()).unwrap();
    let before = shop.things();
    let options = Options {
        batch: 2,
        ..Options::default()
    };
    let mut failing = Scripted {
        fails_on: Some(5),
        ..Scripted::default()
    };
    assert!(
        cluster_with(
            &shop.workspace,
            &subject("2"),
            &mut failing,
            &options,
            &mut |_| {}
        )
        .is_err()
    );
    let shop = shop.reopened();
    assert_eq!(shop.things(), before);
    let report = cluster_with(
        &shop.workspace,
        &subject("2"),
        &mut Scripted::default(),
        &options,
        &mut |_| {},
    )
    .unwrap();
    assert!(report.reclustered);
    assert_eq!(shop.things(), before);
}

#[test]
fn the_schema_alone_clusters_and_goes_on() {
    let shop = Shop::new();
    shop.page(
        moment(1),
        "/a",
        &[("9780306406157", "The Rivers of the North", "10")],
    );
    let subject = subject("1");
    let run = || {
        let mut matcher = SchemaMatcher::new(&subject.info);
        cluster_with(
            &shop.workspace,
            &subject,
            &mut matcher,
            &Options::default(),
            &mut |_| {},
        )
        .unwrap()
    };
    assert_eq!(run().objects, 1);
    shop.page(moment(2), "/b", &[("9780306406157", "Rivers of the North", "12")]);
    shop.page(moment(3), "/c", &[("9780140449136", "A Journey East", "12")]);
    let report = run();
    assert_eq!((report.objects, report.reclustered), (2, false));
    let reader = shop.reader();
    let mut matcher = SchemaMatcher::new(&subject.info);
    let compared = compared_by(&reader, &mut matcher, "things", &[1, 2], &[3])
        .unwrap()
        .unwrap();
    assert!(compared.verdict.unwrap().probability < 0.5);
    assert!(compared.shared.is_empty() && !compared.by_hand);
}

#[test]
fn what_looks_wrong_is_told() {
    let shop = Shop::new();
    shop.page(moment(1), "/empty", &[]);
    let report = cluster(&shop, &mut Scripted::default()).unwrap();
    assert!(
        report.notices[0].starts_with("no object of things was found so far"),
        "{report:?}"
    );
    for number in 0..12 {
        let price = number.to_string();
        shop.page(
            moment(number + 2),
            &format!("/{number}"),
            &[("1", "Rivers", &price)],
        );
    }
    let report = cluster(&shop, &mut Scripted::default()).unwrap();
    assert!(
        report.notices[0].starts_with("all 12 records of things fell into one cluster"),
        "{report:?}"
    );
}

#[test]
fn filters_and_orders_hold() {
    let shop = Shop::new();
    shop.page(moment(10), "/a", &[("1", "Rivers", "3")]);
    shop.page(moment(20), "/b", &[("2", "forests", "2")]);
    shop.page(moment(30), "/c", &[("3", "Deserts", "1")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    let listed = |filter: ObjectFilter| {
        let mut labels = Vec::new();
        shop.reader()
            .objects(&filter, &mut |thing| {
                labels.push(thing.label);
                ControlFlow::Continue(())
            })
            .unwrap();
        labels
    };
    let all = ObjectFilter::default();
    assert_eq!(listed(all.clone()), ["Rivers", "forests", "Deserts"]);
    let by_label = magpie_rows::ObjectOrder::Label;
    assert_eq!(
        listed(ObjectFilter {
            order: by_label,
            ..all.clone()
        }),
        ["Deserts", "forests", "Rivers"]
    );
    assert_eq!(
        listed(ObjectFilter {
            new_since: Some(moment(20)),
            backwards: true,
            ..all.clone()
        }),
        ["Deserts", "forests"]
    );
    assert_eq!(
        listed(ObjectFilter {
            vertical: Some("others".to_owned()),
            ..all
        }),
        Vec::<String>::new()
    );
}
