//! Tests of the limits of the archive.

use std::sync::Arc;

use magpie_http::HttpLimits;
use magpie_rows::{
    ArchiveLimits, BodyPruned, Component, ExtractedRecord, Extraction, FetchResult, Page, PageId, PrunedBy,
    Store, UrlOutcome,
};

use super::{exchange, lease, moment, record, take, with_each_kept};

pub(crate) const SITE: &str = "https://one.test";

pub(crate) fn url(name: &str) -> String {
    format!("{SITE}/{name}")
}

/// A page with a body, and a record with a number.
pub(crate) fn fetch_one(store: &dyn Store, name: &str, at: i64, body: &str, number: u64) -> PageId {
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

pub(crate) fn body(store: &dyn Store, page: PageId) -> Option<String> {
    let replayed = store.replay(page, &HttpLimits::default()).unwrap()?;
    Some(String::from_utf8(replayed.response?.body).unwrap())
}

/// Prunes at a time, and returns the pages that lost their body.
pub(crate) fn prune(store: &dyn Store, limits: ArchiveLimits) -> u64 {
    store.prune(&limits, moment(5_000)).unwrap().pages
}

#[test]
fn bodies_that_were_found_last_long_ago_are_removed() {
    with_each_kept(|store| {
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
    with_each_kept(|store| {
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
