//! Changes of the queue of a site between crawls.

use super::moment;
use magpie_model::UrlReason;
use magpie_rows::{FetchResult, Lease, Offer, Page, Pending, SiteId, UrlId, UrlOutcome, UrlState};

use super::{Crawled, fingerprint, lease, with_each_crawled};

const SITE: &str = "https://a.test";

/// Five URLs of a site: one is fetched, two failed for two reasons, one is refused, one is queued.
fn settled(store: &dyn Crawled) -> (SiteId, Vec<UrlId>) {
    let lease = lease(store, SITE);
    let offer = |path: &str, priority: i32| {
        let url = format!("https://a.test/{path}");
        Offer {
            priority,
            ..Offer::queued(url.as_str(), fingerprint(&url), 1, moment(5))
        }
    };
    let offers = vec![
        offer("fetched", 1),
        offer("status", 2),
        offer("timeout", 3),
        offer("refused", 4),
        offer("queued", 5),
    ];
    let result = FetchResult {
        offers,
        ..FetchResult::default()
    };
    let receipt = store.commit(&lease, result).unwrap();
    let taken = store.take(&lease, None, 4, moment(0)).unwrap();
    let outcomes = [
        (UrlState::Fetched, None),
        (UrlState::Failed, Some(UrlReason::Status(500))),
        (UrlState::Failed, Some(UrlReason::Timeout)),
        (UrlState::Refused, Some(UrlReason::Robots)),
    ];
    for (pending, (state, reason)) in taken.iter().zip(outcomes) {
        settle(store, &lease, pending, state, reason);
    }
    let site = lease.site;
    store.release(lease, moment(0)).unwrap();
    store.flush().unwrap();
    (site, receipt.accepted.into_iter().flatten().collect())
}

fn settle(store: &dyn Crawled, lease: &Lease, pending: &Pending, state: UrlState, reason: Option<UrlReason>) {
    let result = FetchResult {
        settled: Some(UrlOutcome::with(pending.id, state, reason)),
        page: (state == UrlState::Fetched).then(|| Page {
            url: pending.url.clone(),
            status: Some(200),
            ..Page::default()
        }),
        ..FetchResult::default()
    };
    store.commit(lease, result).unwrap();
}

/// Queue of the site: paths and numbers of attempts.
fn queue(store: &dyn Crawled) -> Vec<(String, u32)> {
    let lease = lease(store, SITE);
    let taken = store.take(&lease, None, 99, moment(0)).unwrap();
    let path = |url: &str| url.trim_start_matches("https://a.test/").to_owned();
    let queue = taken.iter().map(|pending| (path(&pending.url), pending.attempts));
    let queue = queue.collect();
    store.release(lease, moment(0)).unwrap();
    queue
}

fn count(store: &dyn Crawled, site: SiteId, state: UrlState) -> u64 {
    store.counts(Some(site)).unwrap().of(state)
}

fn paths(expected: &[(&str, u32)]) -> Vec<(String, u32)> {
    let owned = expected
        .iter()
        .map(|(path, attempts)| ((*path).to_owned(), *attempts));
    owned.collect()
}

#[test]
fn queue_again_keeps_attempts_and_order() {
    with_each_crawled(|store| {
        let (site, _) = settled(store);
        assert_eq!(
            store
                .queue_again(site, UrlState::Failed, Some(&UrlReason::Timeout))
                .unwrap(),
            1
        );
        assert_eq!(queue(store), paths(&[("timeout", 1), ("queued", 0)]));
        assert_eq!(store.queue_again(site, UrlState::Failed, None).unwrap(), 1);
        assert_eq!(store.queue_again(site, UrlState::Queued, None).unwrap(), 0);
        assert_eq!(store.queue_again(site, UrlState::Fetched, None).unwrap(), 1);
        let expected = paths(&[("fetched", 1), ("status", 1), ("timeout", 1), ("queued", 0)]);
        assert_eq!(queue(store), expected);
        store.flush().unwrap();
        assert_eq!(count(store, site, UrlState::Queued), 4);
        assert_eq!(count(store, site, UrlState::Refused), 1);
    });
}

#[test]
fn named_urls_are_queued_as_if_they_had_never_failed() {
    with_each_crawled(|store| {
        let (site, mut named) = settled(store);
        // All but the refused URL, and one of them is queued already.
        named.remove(3);
        assert_eq!(store.queue_urls(site, named).unwrap(), 3);
        let expected = paths(&[("fetched", 0), ("status", 0), ("timeout", 0), ("queued", 0)]);
        assert_eq!(queue(store), expected);
    });
}

#[test]
fn a_queue_is_held_and_queued_again() {
    with_each_crawled(|store| {
        let (site, _) = settled(store);
        let reason = UrlReason::from("not-planned");
        assert_eq!(store.hold_queue(site, &reason).unwrap(), 1);
        assert_eq!(queue(store), paths(&[]));
        store.flush().unwrap();
        assert_eq!(count(store, site, UrlState::Held), 1);
        assert_eq!(store.queue_again(site, UrlState::Held, Some(&reason)).unwrap(), 1);
        assert_eq!(queue(store), paths(&[("queued", 0)]));
    });
}

#[test]
fn the_queue_of_a_leased_site_is_not_changed() {
    with_each_crawled(|store| {
        let (site, _) = settled(store);
        let _lease = lease(store, SITE);
        assert!(store.queue_again(site, UrlState::Failed, None).is_err());
        assert!(store.queue_urls(site, Vec::new()).is_err());
        assert!(store.hold_queue(site, &UrlReason::Robots).is_err());
    });
}
