//! Identity within a site, from pages in the store to objects.

use magpie_rows::{ObjectId, Objects as _};
use serde_json::{Value, json};

use super::common::{Scripted, Shop, cluster, label, url};
use super::moment;

fn thing(key: &str, title: &str, price: &str) -> Value {
    json!({"key": key, "title": title, "price": price})
}

fn linked(key: &str, title: &str, price: &str, to: &str) -> Value {
    json!({"key": key, "title": title, "price": price, "url": to})
}

/// The paths of the pages of each object.
fn paths(shop: &Shop) -> Vec<Vec<String>> {
    let path = |url: String| url.replace(&url_of_site(), "");
    let things = shop.things().into_iter();
    things
        .map(|(_, urls)| urls.into_iter().map(path).collect())
        .collect()
}

fn url_of_site() -> String {
    url("")
}

#[test]
fn a_page_decides_what_its_object_is_and_lists_fill_what_it_does_not_say() {
    let shop = Shop::new();
    let row = json!({"key": "1", "title": "Rivers of the", "price": "30", "url": url("/rivers")});
    shop.shown(
        moment(1),
        "/list",
        "Books",
        &[],
        &[row, thing("2", "Forests", "7")],
    );
    let own = json!({"key": "9", "title": "Rivers of the North", "url": "https://staging.test/rivers"});
    shop.shown(moment(2), "/rivers", "Rivers of the North | Shop", &[], &[own]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(paths(&shop), [vec!["/list", "/rivers"], vec!["/list"]]);
    let value = |attribute| shop.value(1, attribute);
    assert_eq!(
        (value("title"), value("key")),
        ("Rivers of the North".to_owned(), "9".to_owned())
    );
    assert_eq!((value("price"), value("url")), ("30".to_owned(), url("/rivers")));
    assert_eq!(label(&shop, 1), "Rivers of the North");
}

#[test]
fn of_two_addresses_of_a_page_the_linked_one_is_that_of_the_object() {
    let shop = Shop::new();
    for (at, path) in [(1, "/node/7"), (2, "/rivers/index.html")] {
        let own = linked("1", "Rivers", "30", &url(path));
        shop.shown(moment(at), path, "Rivers", &[], &[own]);
    }
    let row = linked("1", "Rivers", "30", &url("/rivers/index.html"));
    shop.shown(
        moment(3),
        "/list",
        "Books",
        &[],
        &[row, thing("2", "Forests", "7")],
    );
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(shop.things().len(), 2);
    assert_eq!(shop.value(1, "url"), url("/rivers/index.html"));
}

#[test]
fn a_page_whose_record_names_a_host_of_developers_is_about_the_record() {
    let shop = Shop::new();
    // Two skirts with one name, each a neighbour of the other.
    for (at, path, other, price) in [(1, "/skirt", "/skirt-2", "30"), (2, "/skirt-2", "/skirt", "12")] {
        let own = linked("1", "Skirt", price, &format!("https://staging.test{path}"));
        let links = [(other, "Skirt", "")];
        shop.shown(moment(at), path, "Clothes for summer", &links, &[own]);
    }
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(paths(&shop), [["/skirt"], ["/skirt-2"]]);
}

#[test]
fn a_link_with_the_name_leads_to_the_page_also_by_a_redirect() {
    let shop = Shop::new();
    let links = [
        ("/old", "Rivers", ""),
        ("/", "Home", ""),
        ("/forests", "Forests", ""),
    ];
    shop.shown(moment(1), "/list", "Books", &links, &[thing("1", "Rivers", "30")]);
    shop.redirect(moment(2), "/old", "/rivers");
    shop.shown(moment(3), "/rivers", "Rivers", &[], &[thing("9", "Rivers", "10")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(paths(&shop), [["/list", "/rivers"]]);
}

#[test]
fn versions_of_a_page_in_two_languages_are_one_object() {
    let shop = Shop::new();
    shop.shown(
        moment(1),
        "/p/rivers",
        "Rivers",
        &[],
        &[thing("1", "Rivers", "10")],
    );
    shop.shown(
        moment(2),
        "/de/p/rivers",
        "Flüsse",
        &[],
        &[thing("2", "Flüsse", "10")],
    );
    // Each declares the other, and all declare the feed.
    let alternate = |to: &'static str| [(to, "", "alternate"), ("/feed", "", "alternate")];
    shop.shown(
        moment(3),
        "/p/woods",
        "Woods",
        &alternate("/p/waelder"),
        &[thing("3", "Woods", "10")],
    );
    shop.shown(
        moment(4),
        "/p/waelder",
        "Wälder",
        &alternate("/p/woods"),
        &[thing("4", "Wälder", "10")],
    );
    shop.shown(
        moment(5),
        "/p/seas",
        "Seas",
        &alternate("/p/woods"),
        &[thing("5", "Seas", "10")],
    );
    cluster(&shop, &mut Scripted::default()).unwrap();
    let expected: [&[&str]; 3] = [
        &["/p/rivers", "/de/p/rivers"],
        &["/p/woods", "/p/waelder"],
        &["/p/seas"],
    ];
    assert_eq!(paths(&shop), expected);
}

#[test]
fn two_pages_of_a_site_stay_two_objects_from_run_to_run() {
    let shop = Shop::new();
    shop.shown(
        moment(1),
        "/p/one",
        "KN95 white",
        &[],
        &[thing("1", "KN95 white", "10")],
    );
    shop.shown(
        moment(2),
        "/p/two",
        "KN95 black",
        &[],
        &[thing("1", "KN95 black", "12")],
    );
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(paths(&shop), [["/p/one"], ["/p/two"]]);
    // A third record that is like both does not join them.
    let shop = shop.reopened();
    shop.shown(moment(3), "/news", "News", &[], &[thing("1", "KN95", "11")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(shop.things().len(), 2);
    // A changed price stays with its object.
    shop.shown(
        moment(4),
        "/p/two",
        "KN95 black",
        &[],
        &[thing("1", "KN95 black", "13")],
    );
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(shop.things().len(), 2);
    assert_eq!(shop.value(2, "price"), "13");
}

#[test]
fn what_a_later_run_learns_of_a_link_is_applied_to_all_records() {
    let shop = Shop::new();
    let tickets = url("/shop/tickets");
    let page = |at: i64, path: &str, title: &str| {
        let record = linked(path, title, "10", &tickets);
        shop.shown(moment(at), path, "Programme", &[], &[record]);
    };
    page(1, "/a", "Rivers");
    page(2, "/b", "Rivers");
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(shop.things().len(), 1);
    for (at, path) in (3..).zip(["/c", "/d", "/e", "/f", "/g", "/h"]) {
        page(at, path, path);
    }
    let report = cluster(&shop, &mut Scripted::default()).unwrap();
    assert!(report.reclustered);
    assert_eq!(shop.things().len(), 8);
    let report = cluster(&shop, &mut Scripted::default()).unwrap();
    assert!(!report.reclustered);
}

#[test]
fn an_object_is_doubted_by_the_weakest_link_that_holds_it_together() {
    let shop = Shop::new();
    shop.page(moment(1), "/a", &[("1", "Rivers", "10")]);
    shop.page(moment(2), "/b", &[("1 2", "Rivers", "12")]);
    shop.page(moment(3), "/c", &[("2", "Rivers", "9")]);
    shop.page(moment(4), "/d", &[("7", "Forests", "9")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    let weakest = shop.reader().weakest_links("things").unwrap();
    assert_eq!(weakest.len(), 1);
    assert!((weakest[0].link.probability - 0.9).abs() < 1e-6);
    assert_eq!(weakest[0].label, "Rivers");
}

#[test]
fn a_year_that_no_record_states_is_assumed_from_the_first_sight() {
    let shop = Shop::new();
    let days = |start: &str, end: &str| json!({"key": "1", "title": "Rivers", "start": start, "end": end});
    // The clock of the tests begins in 1970.
    shop.shown(moment(1), "/a", "A", &[], &[days("--05-03T19:30", "--05-04")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    let raw = || {
        let object = shop.reader().object(ObjectId(1)).unwrap().unwrap();
        object.record.to_json()["raw"].clone()
    };
    assert_eq!(shop.value(1, "start"), "1970-05-03T19:30");
    assert_eq!(shop.value(1, "end"), "1970-05-04");
    assert_eq!(raw(), json!({"start": "--05-03T19:30", "end": "--05-04"}));

    // A year later the page is the same, and so is the object.
    let later = moment(400 * 86_400_000);
    shop.shown(later, "/a", "A", &[], &[days("--05-03T19:30", "--05-04")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(shop.value(1, "start"), "1970-05-03T19:30");

    // A page that states the year is believed.
    shop.shown(later, "/b", "B", &[], &[days("1972-05-03", "1972-05-04")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(shop.value(1, "start"), "1972-05-03T19:30");

    // A day that was last month keeps its month and day.
    let past = json!({"key": "2", "title": "Forests", "start": "--12-20"});
    shop.shown(moment(2), "/c", "C", &[], &[past]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    let forests = shop.things().last().unwrap().0;
    assert_eq!(shop.value(forests, "start"), "--12-20");
}
