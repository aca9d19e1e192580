//! Test suite for all frontiers: those on disk and in memory, and that of `magpie-postgres`.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

use std::collections::{BTreeMap, BTreeSet};

use magpie_model::UrlReason;
use magpie_rows::{
    FetchResult, Frontier, Lease, LeaseRequest, Offer, Pending, SiteId, StoreError, UrlId, UrlOutcome,
    UrlState,
};
use magpie_values::Timestamp;
use proptest::prelude::*;

use crate::{CASES, each_frontier};

/// Returns the time this many milliseconds after the beginning of 1970.
const fn moment(milliseconds: i64) -> Timestamp {
    Timestamp::from_millis(milliseconds)
}

fn request(site: Option<SiteId>, now: i64, until: i64) -> LeaseRequest<'static> {
    LeaseRequest {
        worker: "test",
        site,
        now: moment(now),
        until: moment(until),
    }
}

fn lease(frontier: &dyn Frontier, key: &str) -> Lease {
    let site = frontier.site(key).unwrap();
    frontier.lease(&request(Some(site), 0, 1000)).unwrap().unwrap()
}

/// Returns a fingerprint: different for different texts.
fn fingerprint(url: &str) -> u64 {
    url.bytes().fold(17, |hash: u64, byte| {
        hash.wrapping_mul(1_000_003) ^ u64::from(byte)
    })
}

fn offer(url: &str, priority: i32, depth: u32) -> Offer {
    Offer {
        priority,
        ..Offer::queued(url, fingerprint(url), depth, moment(5))
    }
}

fn offers(frontier: &dyn Frontier, lease: &Lease, offers: Vec<Offer>) -> Vec<Option<UrlId>> {
    let result = FetchResult {
        offers,
        ..FetchResult::default()
    };
    frontier.commit(lease, result).unwrap().accepted
}

fn settle(frontier: &dyn Frontier, lease: &Lease, settled: UrlOutcome) -> Result<u64, StoreError> {
    let result = FetchResult {
        settled: Some(settled),
        ..FetchResult::default()
    };
    frontier.commit(lease, result).map(|receipt| receipt.sequence)
}

fn urls(pending: &[Pending]) -> Vec<&str> {
    pending.iter().map(|pending| pending.url.as_str()).collect()
}

fn take(frontier: &dyn Frontier, lease: &Lease, limit: usize, now: Timestamp) -> Vec<String> {
    let pending = frontier.take(lease, None, limit, now).unwrap();
    pending.into_iter().map(|pending| pending.url).collect()
}

#[test]
fn urls_are_ordered_by_priority_depth_and_discovery() {
    each_frontier(|frontier| {
        let lease = lease(frontier, "https://a.test");
        offers(
            frontier,
            &lease,
            vec![
                offer("d2", 0, 2),
                offer("d1", 0, 1),
                offer("late", 7, 0),
                offer("first", -3, 9),
                offer("d1b", 0, 1),
            ],
        );
        assert_eq!(take(frontier, &lease, 2, moment(0)), ["first", "d1"]);
        offers(frontier, &lease, vec![offer("d0", 0, 0)]);
        assert_eq!(take(frontier, &lease, 10, moment(0)), ["d0", "d1b", "d2", "late"]);
        assert_eq!(take(frontier, &lease, 10, moment(0)), Vec::<String>::new());
    });
}

/// Form of a URL in these tests: its first letter.
fn form_of(url: &str) -> i64 {
    i64::from(url.as_bytes()[0])
}

fn formed(url: &str, priority: i32, depth: u32) -> Offer {
    Offer {
        form: form_of(url),
        ..offer(url, priority, depth)
    }
}

fn take_form(
    frontier: &dyn Frontier,
    lease: &Lease,
    form: char,
    limit: usize,
    now: Timestamp,
) -> Vec<String> {
    let pending = frontier
        .take(lease, Some(i64::from(form as u32)), limit, now)
        .unwrap();
    pending.into_iter().map(|pending| pending.url).collect()
}

fn ranked(frontier: &dyn Frontier, lease: &Lease) -> Vec<(char, u64, String)> {
    let ranked = frontier.rank(lease, &mut form_of).unwrap().into_iter();
    let form = |form: i64| u8::try_from(form).map(char::from).unwrap();
    ranked
        .map(|ranked| (form(ranked.form), ranked.queued, ranked.url))
        .collect()
}

#[test]
fn a_ranked_queue_is_taken_form_by_form() {
    each_frontier(|frontier| {
        let mut lease = lease(frontier, "https://a.test");
        // Queued before the ranking, one of them until a time.
        let waiting = Offer {
            due_at: Some(moment(50)),
            ..offer("b-late", 0, 1)
        };
        let before = vec![offer("a1", 0, 1), offer("b1", 0, 1), waiting, offer("a2", 0, 0)];
        offers(frontier, &lease, before);
        assert_eq!(frontier.standing(&lease).unwrap().queued, 4);
        let expected =
            [("a1", 'a', 2), ("b1", 'b', 2)].map(|(url, form, queued)| (form, queued, url.to_owned()));
        assert_eq!(ranked(frontier, &lease), expected);
        offers(frontier, &lease, vec![formed("b2", -1, 9), formed("c1", 0, 0)]);
        assert_eq!(take_form(frontier, &lease, 'b', 2, moment(0)), ["b2", "b1"]);
        assert_eq!(
            take_form(frontier, &lease, 'b', 2, moment(0)),
            Vec::<String>::new()
        );
        assert_eq!(frontier.standing(&lease).unwrap().queued, 4);
        // URLs that are due come first, whatever form is requested.
        assert_eq!(take_form(frontier, &lease, 'a', 2, moment(50)), ["b-late", "a2"]);
        assert_eq!(take(frontier, &lease, 9, moment(50)), Vec::<String>::new());
        // One is put back, and the others are when the lease ends.
        let again = frontier.take(&lease, Some(form_of("c1")), 1, moment(50)).unwrap();
        settle(
            frontier,
            &lease,
            UrlOutcome::with(again[0].id, UrlState::Queued, None),
        )
        .unwrap();
        assert_eq!(take_form(frontier, &lease, 'c', 9, moment(50)), ["c1"]);
        frontier.release(lease, moment(0)).unwrap();
        lease = self::lease(frontier, "https://a.test");
        // Without ranking, the queue has its usual order again.
        assert_eq!(
            take(frontier, &lease, 9, moment(60)),
            ["b-late", "b2", "a2", "c1", "a1", "b1"]
        );
    });
}

#[test]
fn a_ranked_queue_longer_than_memory_loses_nothing() {
    each_frontier(|frontier| {
        let lease = lease(frontier, "https://a.test");
        let of = |form: char, number: usize| formed(&format!("{form}{number}"), 0, 1);
        offers(
            frontier,
            &lease,
            (0..300)
                .map(|number| offer(&format!("x{number}"), 0, 1))
                .collect(),
        );
        assert_eq!(ranked(frontier, &lease), [('x', 300, "x0".to_owned())]);
        let mut expected: BTreeMap<char, Vec<String>> = BTreeMap::new();
        expected.insert('x', (0..300).map(|number| format!("x{number}")).collect());
        let mut taken: BTreeMap<char, Vec<String>> = BTreeMap::new();
        for round in 0..40 {
            for form in ['x', 'y', 'z'] {
                let new: Vec<Offer> = (0..7)
                    .map(|number| of(form, 1_000 + round * 7 + number))
                    .collect();
                expected
                    .entry(form)
                    .or_default()
                    .extend(new.iter().map(|offer| offer.url.clone()));
                offers(frontier, &lease, new);
                if round % 5 == 0 {
                    frontier.flush().unwrap();
                }
                taken
                    .entry(form)
                    .or_default()
                    .extend(take_form(frontier, &lease, form, 5, moment(0)));
            }
        }
        for form in ['x', 'y', 'z'] {
            taken
                .entry(form)
                .or_default()
                .extend(take_form(frontier, &lease, form, 10_000, moment(0)));
        }
        assert_eq!(taken, expected);
        assert_eq!(frontier.standing(&lease).unwrap().queued, 0);
    });
}

#[test]
fn known_urls_are_not_accepted_again() {
    each_frontier(|frontier| {
        let lease = lease(frontier, "https://a.test");
        let twice = vec![offer("a", 0, 0), offer("a", 0, 0), offer("b", 0, 0)];
        let accepted = offers(frontier, &lease, twice);
        assert!(accepted[0].is_some() && accepted[1].is_none() && accepted[2] > accepted[0]);
        assert_eq!(offers(frontier, &lease, vec![offer("b", 0, 0)]), [None]);
        let asked = ["c", "a", "d"].map(fingerprint);
        assert_eq!(frontier.unknown(&lease, &asked).unwrap(), [0, 2]);
        frontier.flush().unwrap();
        assert_eq!(frontier.counts(None).unwrap().total(), 2);
    });
}

#[test]
fn every_url_has_a_state_and_the_tally_is_right() {
    each_frontier(|frontier| {
        let lease = lease(frontier, "https://a.test");
        let refused = Offer {
            state: UrlState::Refused,
            reason: Some("robots".into()),
            detail: Some("line 3".to_owned()),
            ..offer("private", 0, 1)
        };
        let held = Offer {
            state: UrlState::Held,
            reason: Some("page-budget".into()),
            ..offer("held", 0, 1)
        };
        offers(
            frontier,
            &lease,
            vec![
                offer("a", 0, 0),
                offer("b", 0, 0),
                offer("c", 0, 0),
                refused,
                held,
            ],
        );
        let pending = frontier.take(&lease, None, 2, moment(0)).unwrap();
        assert_eq!(urls(&pending), ["a", "b"]);
        settle(frontier, &lease, UrlOutcome::fetched(pending[0].id)).unwrap();
        settle(
            frontier,
            &lease,
            UrlOutcome::with(pending[1].id, UrlState::Failed, Some("timeout".into())),
        )
        .unwrap();
        frontier.flush().unwrap();
        let counts = frontier.counts(Some(lease.site)).unwrap();
        let row = |state, reason: Option<&str>| ((state, reason.map(UrlReason::from)), 1);
        let expected: BTreeMap<_, u64> = BTreeMap::from([
            row(UrlState::Queued, None),
            row(UrlState::Fetched, None),
            row(UrlState::Failed, Some("timeout")),
            row(UrlState::Refused, Some("robots")),
            row(UrlState::Held, Some("page-budget")),
        ]);
        assert_eq!(counts.0, expected);
        let standing = frontier.standing(&lease).unwrap();
        assert_eq!((standing.known, standing.queued, standing.taken), (5, 1, 0));
    });
}

#[test]
fn due_urls_come_before_others() {
    each_frontier(|frontier| {
        let lease = lease(frontier, "https://a.test");
        offers(
            frontier,
            &lease,
            vec![offer("a", 0, 0), offer("b", 0, 0), offer("c", 0, 0)],
        );
        let pending = frontier.take(&lease, None, 2, moment(0)).unwrap();
        settle(
            frontier,
            &lease,
            UrlOutcome::again(pending[0].id, moment(200), "timeout".into()),
        )
        .unwrap();
        settle(
            frontier,
            &lease,
            UrlOutcome::again(pending[1].id, moment(100), "503".into()),
        )
        .unwrap();
        assert_eq!(frontier.standing(&lease).unwrap().next_due, Some(moment(100)));
        assert_eq!(take(frontier, &lease, 1, moment(99)), ["c"]);
        assert_eq!(take(frontier, &lease, 5, moment(99)), Vec::<String>::new());
        let later = Offer {
            due_at: Some(moment(150)),
            ..offer("d", 0, 0)
        };
        offers(frontier, &lease, vec![later, offer("e", 0, 0)]);
        let due = frontier.take(&lease, None, 5, moment(200)).unwrap();
        assert_eq!(urls(&due), ["b", "d", "a", "e"]);
        let attempts: Vec<u32> = due.iter().map(|pending| pending.attempts).collect();
        assert_eq!(attempts, [1, 0, 1, 0]);
    });
}

#[test]
fn urls_that_are_put_back_keep_their_order() {
    each_frontier(|frontier| {
        let lease = lease(frontier, "https://a.test");
        offers(
            frontier,
            &lease,
            ["a", "b", "c"].map(|url| offer(url, 0, 0)).into(),
        );
        let pending = frontier.take(&lease, None, 2, moment(0)).unwrap();
        let back = UrlOutcome {
            attempted: false,
            ..UrlOutcome::with(pending[0].id, UrlState::Queued, None)
        };
        settle(frontier, &lease, back).unwrap();
        let again = frontier.take(&lease, None, 5, moment(0)).unwrap();
        assert_eq!(urls(&again), ["a", "c"]);
        assert_eq!(again[0].attempts, 0);
    });
}

#[test]
fn only_taken_urls_can_be_settled_and_only_once() {
    each_frontier(|frontier| {
        let lease = lease(frontier, "https://a.test");
        let accepted = offers(frontier, &lease, vec![offer("a", 0, 0)]);
        let id = accepted[0].unwrap();
        assert!(matches!(
            settle(frontier, &lease, UrlOutcome::fetched(id)),
            Err(StoreError::NotTaken { .. })
        ));
        take(frontier, &lease, 1, moment(0));
        settle(frontier, &lease, UrlOutcome::fetched(id)).unwrap();
        assert!(matches!(
            settle(frontier, &lease, UrlOutcome::fetched(id)),
            Err(StoreError::NotTaken { .. })
        ));
        frontier.flush().unwrap();
        assert_eq!(frontier.counts(None).unwrap().of(UrlState::Fetched), 1);
    });
}

#[test]
fn a_refused_result_leaves_no_trace() {
    each_frontier(|frontier| {
        let lease = lease(frontier, "https://a.test");
        let result = FetchResult {
            settled: Some(UrlOutcome::fetched(UrlId(99))),
            offers: vec![offer("a", 0, 0)],
            ..FetchResult::default()
        };
        assert!(frontier.commit(&lease, result).is_err());
        frontier.flush().unwrap();
        assert_eq!(frontier.counts(None).unwrap().total(), 0);
        assert_eq!(frontier.unknown(&lease, &[fingerprint("a")]).unwrap(), [0]);
    });
}

#[test]
fn an_offered_url_may_be_taken_at_once() {
    each_frontier(|frontier| {
        let lease = lease(frontier, "https://a.test");
        let target = Offer {
            taken: true,
            ..offer("target", 0, 0)
        };
        let id = offers(frontier, &lease, vec![target])[0].unwrap();
        assert_eq!(take(frontier, &lease, 5, moment(0)), Vec::<String>::new());
        assert_eq!(frontier.standing(&lease).unwrap().taken, 1);
        settle(frontier, &lease, UrlOutcome::fetched(id)).unwrap();
        assert_eq!(frontier.standing(&lease).unwrap().taken, 0);
    });
}

#[test]
fn a_site_has_one_worker() {
    each_frontier(|frontier| {
        let first = lease(frontier, "https://a.test");
        let again = frontier.lease(&request(Some(first.site), 999, 2000)).unwrap();
        assert!(again.is_none());
        offers(frontier, &first, vec![offer("a", 0, 0)]);
        assert!(frontier.lease(&request(None, 999, 2000)).unwrap().is_none());
    });
}

#[test]
fn an_expired_lease_is_refused() {
    each_frontier(|frontier| {
        let mut slow = lease(frontier, "https://a.test");
        offers(frontier, &slow, vec![offer("a", 0, 0), offer("b", 0, 0)]);
        let taken = frontier.take(&slow, None, 1, moment(0)).unwrap();
        let quick = frontier
            .lease(&request(Some(slow.site), 1000, 2000))
            .unwrap()
            .unwrap();
        assert!(quick.epoch > slow.epoch);
        // URLs that the first lease had taken belong to the second one now.
        assert_eq!(take(frontier, &quick, 5, moment(1000)), ["a", "b"]);
        let over =
            |result: Result<(), StoreError>| assert!(matches!(result, Err(StoreError::LeaseOver { .. })));
        over(settle(frontier, &slow, UrlOutcome::fetched(taken[0].id)).map(drop));
        over(frontier.take(&slow, None, 1, moment(0)).map(drop));
        over(frontier.unknown(&slow, &[1]).map(drop));
        over(frontier.standing(&slow).map(drop));
        over(frontier.extend(&mut slow, moment(9000)));
        over(frontier.release(slow, moment(0)));
        settle(frontier, &quick, UrlOutcome::fetched(taken[0].id)).unwrap();
    });
}

#[test]
fn a_lease_that_is_extended_holds() {
    each_frontier(|frontier| {
        let mut lease = lease(frontier, "https://a.test");
        frontier.extend(&mut lease, moment(5000)).unwrap();
        assert_eq!(lease.until, moment(5000));
        assert!(
            frontier
                .lease(&request(Some(lease.site), 4999, 9000))
                .unwrap()
                .is_none()
        );
        assert!(
            frontier
                .lease(&request(Some(lease.site), 5000, 9000))
                .unwrap()
                .is_some()
        );
    });
}

#[test]
fn sites_are_leased_when_they_are_ready_and_have_urls() {
    each_frontier(|frontier| {
        let empty = lease(frontier, "https://empty.test");
        frontier.release(empty, moment(0)).unwrap();
        for (key, ready_at) in [("https://late.test", 50), ("https://early.test", 20)] {
            let lease = lease(frontier, key);
            offers(frontier, &lease, vec![offer(key, 0, 0)]);
            frontier.release(lease, moment(ready_at)).unwrap();
        }
        assert!(frontier.lease(&request(None, 19, 100)).unwrap().is_none());
        let first = frontier.lease(&request(None, 60, 100)).unwrap().unwrap();
        let second = frontier.lease(&request(None, 60, 100)).unwrap().unwrap();
        assert_eq!(
            [first.key.as_str(), second.key.as_str()],
            ["https://early.test", "https://late.test"]
        );
        assert!(frontier.lease(&request(None, 60, 100)).unwrap().is_none());
        assert_eq!(take(frontier, &second, 9, moment(60)), ["https://late.test"]);
    });
}

#[test]
fn taken_urls_are_queued_again_after_a_release() {
    each_frontier(|frontier| {
        let first = lease(frontier, "https://a.test");
        offers(
            frontier,
            &first,
            ["a", "b", "c", "d"].map(|url| offer(url, 0, 0)).into(),
        );
        let taken = frontier.take(&first, None, 3, moment(0)).unwrap();
        settle(frontier, &first, UrlOutcome::fetched(taken[1].id)).unwrap();
        let site = first.site;
        frontier.release(first, moment(0)).unwrap();
        let second = frontier.lease(&request(Some(site), 0, 1000)).unwrap().unwrap();
        assert_eq!(take(frontier, &second, 9, moment(0)), ["a", "c", "d"]);
        assert_eq!(
            frontier.unknown(&second, &[fingerprint("b")]).unwrap(),
            Vec::<usize>::new()
        );
    });
}

#[test]
fn urls_of_other_sites_reach_them_once() {
    each_frontier(|frontier| {
        let other = frontier.site("https://b.test").unwrap();
        assert_eq!(frontier.site("https://b.test").unwrap(), other);
        let first = lease(frontier, "https://a.test");
        let elsewhere = |url: &str| Offer {
            site: Some(other),
            ..offer(url, 0, 0)
        };
        assert_eq!(
            offers(
                frontier,
                &first,
                vec![elsewhere("x"), elsewhere("y"), elsewhere("x")]
            ),
            [None; 3]
        );
        let second = frontier.lease(&request(None, 0, 1000)).unwrap().unwrap();
        assert_eq!(second.site, other);
        // The site is leased by now.
        let accepted = offers(frontier, &first, vec![elsewhere("y"), elsewhere("z")]);
        assert!(accepted[0].is_none() && accepted[1].is_some());
        assert_eq!(take(frontier, &second, 9, moment(0)), ["x", "y", "z"]);
        frontier.release(second, moment(0)).unwrap();
        assert_eq!(offers(frontier, &first, vec![elsewhere("z")]), [None]);
        frontier.flush().unwrap();
        assert_eq!(frontier.counts(Some(other)).unwrap().total(), 3);
    });
}

#[test]
fn queues_longer_than_the_window_keep_their_order() {
    each_frontier(|frontier| {
        let lease = lease(frontier, "https://a.test");
        // More URLs than are held in memory, in two orders at once, while some are taken and come
        // back.
        let mut expected = BTreeSet::new();
        let mut taken = Vec::new();
        for batch in 0..60u32 {
            let batch_offers: Vec<Offer> = (0..250)
                .map(|number| offer(&format!("u{batch}-{number}"), 0, 1 + (number * 7 + batch) % 5))
                .collect();
            let depths: Vec<u32> = batch_offers.iter().map(|offer| offer.depth).collect();
            let accepted = offers(frontier, &lease, batch_offers);
            expected.extend(depths.into_iter().zip(accepted.into_iter().map(Option::unwrap)));
            if batch % 7 == 3 {
                taken.extend(next(frontier, &lease, &mut expected, 100));
            }
            if batch % 11 == 5 {
                frontier.flush().unwrap();
            }
        }
        for pending in taken.drain(..).step_by(3) {
            let back = UrlOutcome::with(pending.id, UrlState::Queued, None);
            settle(frontier, &lease, back).unwrap();
            expected.insert((pending.depth, pending.id));
        }
        while !expected.is_empty() {
            for pending in next(frontier, &lease, &mut expected, 777) {
                settle(frontier, &lease, UrlOutcome::fetched(pending.id)).unwrap();
            }
        }
        assert_eq!(frontier.standing(&lease).unwrap().queued, 0);
    });
}

/// Takes URLs and checks that they are the first expected ones.
fn next(
    frontier: &dyn Frontier,
    lease: &Lease,
    expected: &mut BTreeSet<(u32, UrlId)>,
    limit: usize,
) -> Vec<Pending> {
    let pending = frontier.take(lease, None, limit, moment(0)).unwrap();
    assert_eq!(pending.len(), limit.min(expected.len()));
    for pending in &pending {
        assert_eq!(expected.pop_first(), Some((pending.depth, pending.id)));
    }
    pending
}

#[derive(Clone, Debug)]
enum Step {
    Offer {
        url: u8,
        priority: i32,
        depth: u32,
        due: Option<i64>,
    },
    Take(usize),
    Settle {
        which: usize,
        again: Option<Option<i64>>,
    },
    Wait(i64),
    Flush,
    Release,
}

fn step() -> impl Strategy<Value = Step> {
    let due = prop_oneof![3 => Just(None), 1 => (0i64..50).prop_map(Some)];
    prop_oneof![
        6 => (any::<u8>(), -1i32..2, 0u32..3, due.clone())
            .prop_map(|(url, priority, depth, due)| Step::Offer { url, priority, depth, due }),
        3 => (1usize..5).prop_map(Step::Take),
        4 => (any::<usize>(), proptest::option::of(due)).prop_map(|(which, again)| Step::Settle { which, again }),
        1 => (1i64..30).prop_map(Step::Wait),
        1 => Just(Step::Flush),
        1 => Just(Step::Release),
    ]
}

/// A simple model of a frontier for comparison.
#[derive(Default)]
struct Model {
    known: BTreeSet<u8>,
    queued: BTreeMap<(i32, u32, UrlId), String>,
    waiting: BTreeMap<(i64, UrlId), (i32, u32, String)>,
    taken: Vec<Pending>,
    fetched: u64,
}

impl Model {
    fn enqueue(&mut self, pending: Pending) {
        match pending.due_at {
            None => drop(
                self.queued
                    .insert((pending.priority, pending.depth, pending.id), pending.url),
            ),
            Some(due) => {
                let row = (pending.priority, pending.depth, pending.url);
                self.waiting.insert((due.as_millis(), pending.id), row);
            }
        }
    }

    fn next(&mut self, now: Timestamp) -> Option<String> {
        if let Some(first) = self.waiting.first_entry()
            && first.key().0 <= now.as_millis()
        {
            return Some(first.remove().2);
        }
        self.queued.pop_first().map(|(_, url)| url)
    }
}

fn run(frontier: &dyn Frontier, steps: &[Step]) {
    let mut model = Model::default();
    let mut now = 0;
    let site = frontier.site("https://a.test").unwrap();
    let mut lease = frontier
        .lease(&request(Some(site), 0, i64::MAX))
        .unwrap()
        .unwrap();
    for step in steps {
        match step.clone() {
            Step::Offer {
                url,
                priority,
                depth,
                due,
            } => {
                let text = format!("https://a.test/{url}");
                let wanted = Offer {
                    due_at: due.map(moment),
                    ..offer(&text, priority, depth)
                };
                let accepted = offers(frontier, &lease, vec![wanted])[0];
                assert_eq!(accepted.is_some(), model.known.insert(url));
                if let Some(id) = accepted {
                    model.enqueue(Pending {
                        id,
                        url: text,
                        priority,
                        form: 0,
                        depth,
                        attempts: 0,
                        due_at: due.map(moment),
                        last_answer: None,
                    });
                }
            }
            Step::Take(limit) => {
                let pending = frontier.take(&lease, None, limit, moment(now)).unwrap();
                let expected: Vec<String> = (0..limit).map_while(|_| model.next(moment(now))).collect();
                assert_eq!(urls(&pending), expected);
                model.taken.extend(pending);
            }
            Step::Settle { which, again } => {
                if model.taken.is_empty() {
                    continue;
                }
                let pending = model.taken.swap_remove(which % model.taken.len());
                match again {
                    None => {
                        settle(frontier, &lease, UrlOutcome::fetched(pending.id)).unwrap();
                        model.fetched += 1;
                    }
                    Some(due_at) => {
                        let due_at = due_at.map(moment);
                        let again = UrlOutcome {
                            due_at,
                            ..UrlOutcome::with(pending.id, UrlState::Queued, Some("later".into()))
                        };
                        settle(frontier, &lease, again).unwrap();
                        model.enqueue(Pending { due_at, ..pending });
                    }
                }
            }
            Step::Wait(time) => now += time,
            Step::Flush => frontier.flush().unwrap(),
            Step::Release => {
                frontier.release(lease, moment(now)).unwrap();
                lease = frontier
                    .lease(&request(Some(site), now, i64::MAX))
                    .unwrap()
                    .unwrap();
                for pending in std::mem::take(&mut model.taken) {
                    model.enqueue(pending);
                }
            }
        }
        let standing = frontier.standing(&lease).unwrap();
        assert_eq!(standing.known, model.known.len() as u64);
        assert_eq!(standing.queued, (model.queued.len() + model.waiting.len()) as u64);
        assert_eq!(standing.taken, model.taken.len() as u64);
    }
    frontier.flush().unwrap();
    let counts = frontier.counts(None).unwrap();
    assert_eq!(
        (counts.total(), counts.of(UrlState::Fetched)),
        (model.known.len() as u64, model.fetched)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_steps_matches_a_simple_model(steps in proptest::collection::vec(step(), 0..120)) {
        each_frontier(|frontier| run(frontier, &steps));
    }
}
