//! Records that a reading, or a newer component, puts in the place of those of the vertical.

use magpie_model::Record;
use magpie_rows::{
    Component, ExtractedRecord, Extraction, ObjectId, Objects as _, PageId, PageReading, Pages as _,
    ReadStore as _, Readings as _, ShownPage, SiteId, SourcedRecord, Sources, Statistics as _,
};
use serde_json::json;

use super::common::{Scripted, Shop, cluster};
use super::moment;

fn record(key: &str, title: &str, price: &str) -> Record {
    let attributes = json!({"key": key, "title": title, "price": price});
    Record::from_json(&json!({"type": "Thing", "confidence": 0.9, "attributes": attributes})).unwrap()
}

fn read(page: PageId, records: Option<&[Record]>) -> PageReading {
    let sourced = |record: &Record| SourcedRecord {
        record: record.clone(),
        sources: Sources::from([("price".to_owned(), "place .cost".to_owned())]),
        expires_at: None,
    };
    PageReading {
        page,
        records: records.map(|records| records.iter().map(sourced).collect()),
    }
}

fn shown(shop: &Shop) -> Vec<ShownPage> {
    shop.workspace.shown_pages("things", SiteId(1), 0, 99).unwrap()
}

fn prices(shop: &Shop) -> Vec<(i64, String)> {
    let things = shop.things();
    things
        .into_iter()
        .map(|(id, _)| (id, shop.value(id, "price")))
        .collect()
}

#[test]
fn a_reading_counts_before_and_after_clustering_and_can_be_taken_back() {
    let shop = Shop::new();
    shop.page(moment(1), "/a", &[("1", "Rivers", "10")]);
    shop.page(moment(2), "/b", &[]);
    let pages = shown(&shop);
    let put = |readings| shop.workspace.put_readings("things", readings).unwrap();

    // Before a page is clustered, the objects are those of the reading from the start.
    let (rivers, forests) = (record("1", "Rivers", "12"), record("2", "Forests", "9"));
    let readings = || {
        let first = read(pages[0].page, Some(std::slice::from_ref(&rivers)));
        vec![first, read(pages[1].page, Some(std::slice::from_ref(&forests)))]
    };
    assert_eq!(put(readings()), 2);
    assert_eq!(put(readings()), 0, "the same again is no change");
    let report = cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!((report.records, report.objects), (2, 2));
    assert_eq!(prices(&shop), [(1, "12".to_owned()), (2, "9".to_owned())]);
    // A site is learned from what the vertical itself found.
    assert_eq!(shown(&shop), pages);
    assert_eq!(shop.reader().status().unwrap().records, 2);

    // A clustered page is clustered again; its object keeps its number.
    let dearer = record("1", "Rivers", "15");
    assert_eq!(
        put(vec![read(pages[0].page, Some(std::slice::from_ref(&dearer)))]),
        1
    );
    let report = cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!((report.records, report.new_objects), (1, 0));
    assert_eq!(prices(&shop), [(1, "15".to_owned()), (2, "9".to_owned())]);

    assert_eq!(put(pages.iter().map(|shown| read(shown.page, None)).collect()), 2);
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(shop.value(1, "price"), "10");
    let second = shop.reader().object(ObjectId(2)).unwrap().unwrap();
    assert_eq!(second.current, 0, "no page has it any more");
    shop.reader().check().unwrap();
}

#[test]
fn a_newer_component_replaces_what_an_older_one_found() {
    let shop = Shop::new();
    shop.page(moment(1), "/a", &[("1", "Rivers", "10")]);
    cluster(&shop, &mut Scripted::default()).unwrap();
    let page = shown(&shop)[0].page;
    let extraction = |digest: &str, price: &str| Extraction {
        component: std::sync::Arc::new(Component {
            vertical: "things".to_owned(),
            version: "2".to_owned(),
            digest: digest.to_owned(),
            options: "{}".to_owned(),
        }),
        records: vec![ExtractedRecord {
            record: record("1", "Rivers", price),
            expires_at: None,
        }],
        ..Extraction::default()
    };
    let put = |extraction| {
        let pages = vec![(page, extraction)];
        shop.workspace.put_extractions("things", pages).unwrap()
    };
    // Equal records stay members and are not clustered again.
    assert_eq!(put(extraction("2", "10")), 0);
    assert_eq!(cluster(&shop, &mut Scripted::default()).unwrap().records, 0);
    assert_eq!(put(extraction("2", "11")), 1);
    assert_eq!(cluster(&shop, &mut Scripted::default()).unwrap().new_objects, 0);
    assert_eq!(prices(&shop), [(1, "11".to_owned())]);
    let components = shop.workspace.components().unwrap();
    assert_eq!(
        components.iter().map(|one| &*one.digest).collect::<Vec<_>>(),
        ["2"]
    );
    assert_eq!(shown(&shop)[0].records, [record("1", "Rivers", "11")]);
    // Back to what it was: the first member returns.
    assert_eq!(put(extraction("3", "10")), 1);
    cluster(&shop, &mut Scripted::default()).unwrap();
    assert_eq!(prices(&shop), [(1, "10".to_owned())]);
    // The same of other components: records that members were seen as have the same positions.
    assert_eq!(put(extraction("4", "10")), 0);
    assert_eq!(put(extraction("2", "10")), 0);
    assert_eq!(shown(&shop)[0].records, [record("1", "Rivers", "10")]);
}
