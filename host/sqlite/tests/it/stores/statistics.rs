//! Sums of what plugins made of pages, and extractions that replace others.

use std::collections::BTreeMap;
use std::sync::Arc;

use magpie_rows::{Component, ExtractedRecord, Extraction, FetchResult, Page, PageId, UrlOutcome};

use super::{Counted, lease, moment, record, take, with_each_counted};

fn extraction(digest: &str, records: &[u64]) -> Extraction {
    Extraction {
        component: Arc::new(Component {
            vertical: "things".to_owned(),
            digest: digest.to_owned(),
            ..Component::default()
        }),
        records: records
            .iter()
            .map(|number| ExtractedRecord {
                record: record(*number),
                expires_at: None,
            })
            .collect(),
        ..Extraction::default()
    }
}

fn fetch(store: &dyn Counted, url: &str, extraction: Extraction) -> PageId {
    let lease = lease(store, "https://one.test");
    let id = take(store, &lease, url);
    let result = FetchResult {
        settled: Some(UrlOutcome::fetched(id)),
        page: Some(Page {
            url: url.to_owned(),
            fetched_at: moment(7),
            ..Page::default()
        }),
        extractions: vec![extraction],
        ..FetchResult::default()
    };
    let page = store.commit(&lease, result).unwrap().page.unwrap();
    store.release(lease, moment(0)).unwrap();
    store.flush().unwrap();
    page
}

#[test]
fn results_of_plugins_are_summed() {
    with_each_counted(|store| {
        let mut good = extraction("1", &[1, 2]);
        good.violations = 3;
        good.violation_counts = BTreeMap::from([(("price".to_owned(), "range"), 3)]);
        good.detail = Some("3 prices".to_owned());
        let page = fetch(store, "https://one.test/a", good);
        let bad = Extraction {
            problem: Some("trap".to_owned()),
            ..extraction("1", &[])
        };
        fetch(store, "https://one.test/b", bad);

        let status = store.status().unwrap();
        assert_eq!((status.pages, status.records, status.sites), (2, 2, 1));
        let totals = store.component_totals().unwrap();
        assert_eq!(totals.len(), 1);
        let totals = &totals[0];
        assert_eq!(
            (totals.pages, totals.hits, totals.records, totals.violations),
            (2, 1, 2, 3)
        );
        assert_eq!(totals.problems, BTreeMap::from([("trap".to_owned(), 1)]));
        let rows = store.extractions(page).unwrap();
        assert_eq!((rows.len(), rows[0].records, &rows[0].problem), (1, 2, &None));
        let failed = store.failed_pages(1, 9).unwrap();
        assert_eq!((failed.len(), failed[0].url.as_str()), (1, "https://one.test/b"));
        assert_eq!(store.records_waiting("things").unwrap(), 2);
        assert_eq!(store.records_waiting("others").unwrap(), 0);
        let wrong = store.violation_totals("things", 9).unwrap();
        assert_eq!((wrong.len(), wrong[0].values, wrong[0].pages), (1, 3, 1));
        let pages = store
            .violating_pages("things", wrong[0].site, ("price", "range"), 9)
            .unwrap();
        assert_eq!((pages[0].page, pages[0].values), (page, 3));
        assert_eq!(pages[0].detail.as_deref(), Some("3 prices"));
    });
}
