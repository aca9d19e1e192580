//! Coverage of attributes, with every store.

use magpie_rows::{CoverageRow, Filled, SiteId};

use super::{lease, moment, with_each_crawled};

fn row(site: SiteId, attribute: &str, filled: u64) -> CoverageRow {
    CoverageRow {
        site,
        attribute: attribute.to_owned(),
        of_details: filled > 5,
        learned: Filled {
            filled: 9,
            records: 10,
        },
        last: Filled { filled, records: 11 },
        fell_at: (filled < 5).then_some(moment(7)),
        monitor: (filled < 5).then(|| "{}".to_owned()),
    }
}

#[test]
fn the_coverage_of_a_site_replaces_that_before() {
    with_each_crawled(|store| {
        let site = lease(store, "https://a.test").site;
        let other = store.site("https://b.test").unwrap();
        let before = vec![row(site, "author", 1), row(site, "price", 9)];
        store.put_coverage("books", site, before).unwrap();
        let rows = vec![row(site, "title", 8), row(site, "price", 2)];
        store.put_coverage("books", site, rows.clone()).unwrap();
        store
            .put_coverage("books", other, vec![row(other, "price", 3)])
            .unwrap();
        store
            .put_coverage("events", site, vec![row(site, "name", 6)])
            .unwrap();
        let expected = [rows[1].clone(), rows[0].clone()];
        assert_eq!(store.field_coverage("books", Some(site)).unwrap(), expected);
        assert_eq!(store.field_coverage("books", None).unwrap().len(), 3);
        store.put_coverage("books", site, Vec::new()).unwrap();
        assert_eq!(
            store.field_coverage("books", None).unwrap(),
            [row(other, "price", 3)]
        );
    });
}
