use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread::scope;
use std::time::Instant;

use magpie_test_servers::SharedPostgres;
use magpie_test_support::proxy::Proxy;

use super::*;
use crate::Address;
use crate::server::ServerOptions;
use crate::server::tests::{each_own_release, each_release, script};
use crate::statement::{Route, Statement};

/// Leases that end soon.
const SHORT: LeaseTimes = LeaseTimes {
    length: Duration::from_millis(800),
    reserve: Duration::from_millis(200),
    quiet: Duration::from_millis(300),
};

/// No bucket.
const NONE: [i16; 0] = [];

/// A result of work: its number and the lease under which it was made.
const WORK: Statement = Statement {
    name: "WORK",
    route: Route::Bucket,
    sql: "INSERT INTO magpie.work VALUES ($1, $2)",
};

/// Leaves one bucket to those who claim.
const TAKE_OTHERS: Statement = Statement {
    name: "TAKE_OTHERS",
    route: Route::Leases,
    sql: "UPDATE magpie.bucket SET until = 'infinity', token = gen_random_uuid() WHERE bucket <> $1",
};

const WORKED: Statement = Statement {
    name: "WORKED",
    route: Route::Bucket,
    sql: "SELECT number FROM magpie.work WHERE bucket = $1 ORDER BY number",
};

const MAKE_WORK: &str =
    "CREATE TABLE magpie.work (bucket smallint, number bigint, PRIMARY KEY (bucket, number))";

fn with_work(test: impl Fn(&Arc<Server>, &SharedPostgres)) {
    each_release(|server, postgres| {
        script(server, MAKE_WORK);
        test(server, postgres);
    });
}

fn worked(server: &Server, bucket: i16) -> Vec<i64> {
    let answer = server.once(call(&WORKED, [bucket.into()])).expect("an answer");
    read(&answer.rows, |cells| cells.get()).expect("numbers")
}

/// The outcome of a hand-in.
#[derive(Debug, PartialEq)]
enum HandIn {
    Committed,
    LeaseOver,
}

fn work(buckets: &Buckets, bucket: i16, number: i64) -> HandIn {
    let writes = || vec![call(&WORK, [bucket.into(), number.into()])];
    match buckets.hand_in(bucket, writes).expect("an outcome") {
        Some(_) => HandIn::Committed,
        None => HandIn::LeaseOver,
    }
}

/// Leaves one bucket to those who claim.
fn only(server: &Server, bucket: i16) {
    let answer = server
        .once(call(&TAKE_OTHERS, [bucket.into()]))
        .expect("an answer");
    assert!(answer.changed > 0);
}

fn one(buckets: &Buckets) -> i16 {
    let claimed = buckets.claim(1).expect("a claim");
    assert_eq!(claimed.len(), 1);
    claimed[0]
}

#[test]
fn eight_takers_at_once_get_different_buckets() {
    each_release(|server, _| {
        let taken: Vec<i16> = scope(|scope| {
            let takers = (0..8).map(|number| {
                scope.spawn(move || {
                    let buckets = Buckets::new(
                        Arc::clone(server),
                        &format!("taker {number}"),
                        LeaseTimes::default(),
                    );
                    let mut taken = Vec::new();
                    while taken.len() < 8 {
                        taken.extend(buckets.claim(8 - taken.len()).expect("a claim"));
                    }
                    taken
                })
            });
            let takers: Vec<_> = takers.collect();
            takers
                .into_iter()
                .flat_map(|taker| taker.join().expect("it ends"))
                .collect()
        });
        assert_eq!(taken.len(), 64);
        assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), 64);
        assert!(taken.iter().all(|bucket| (0..1_024).contains(bucket)));
    });
}

#[test]
fn a_lease_that_ended_is_taken_over_and_its_results_are_refused() {
    with_work(|server, _| {
        let slow = Buckets::new(Arc::clone(server), "slow", SHORT);
        let quick = Buckets::new(Arc::clone(server), "quick", SHORT);
        let bucket = one(&slow);
        only(server, bucket);
        assert!(slow.may_ask(bucket));
        assert_eq!(quick.claim(9).expect("a claim"), NONE);
        assert_eq!(work(&slow, bucket, 1), HandIn::Committed);
        sleep(SHORT.length);
        assert!(!slow.may_ask(bucket));
        // Its end only permits a takeover. Nobody took it, so nothing is lost.
        assert_eq!(work(&slow, bucket, 2), HandIn::Committed);
        assert_eq!(quick.claim(9).expect("a claim"), [bucket]);
        // Its last owner may have asked just now.
        assert!(!quick.may_ask(bucket));
        assert_eq!(work(&slow, bucket, 3), HandIn::LeaseOver);
        assert_eq!(work(&quick, bucket, 4), HandIn::Committed);
        assert!(quick.epoch(bucket) > Some(1) && slow.epoch(bucket).is_none());
        sleep(SHORT.quiet);
        assert!(quick.may_ask(bucket));
        assert_eq!(worked(server, bucket), [1, 2, 4]);
        // One that is given back is free at once.
        quick.give_back(&[bucket]).expect("it is given back");
        assert_eq!(one(&slow), bucket);
        assert!(slow.may_ask(bucket));
        assert_eq!(work(&quick, bucket, 5), HandIn::LeaseOver);
    });
}

#[test]
fn leases_that_are_renewed_hold_and_lost_ones_are_told() {
    each_release(|server, _| {
        let mine = Buckets::new(Arc::clone(server), "mine", SHORT);
        let other = Buckets::new(Arc::clone(server), "other", SHORT);
        let bucket = one(&mine);
        only(server, bucket);
        for _ in 0..4 {
            sleep(SHORT.length / 3);
            assert_eq!(mine.renew().expect("a renewal"), NONE);
            assert!(mine.may_ask(bucket));
            assert_eq!(other.claim(1).expect("a claim"), NONE);
        }
        sleep(SHORT.length);
        assert_eq!(one(&other), bucket);
        assert_eq!(mine.renew().expect("a renewal"), [bucket]);
        assert_eq!(mine.epoch(bucket), None);
    });
}

#[test]
fn a_bucket_that_was_lost_twice_is_worked_carefully_until_its_owners_are_heard_of() {
    const PAGE: Option<&str> = Some("https://a.test/page");
    each_release(|server, _| {
        let owners = ["a", "b", "c", "d", "e"].map(|name| Buckets::new(Arc::clone(server), name, SHORT));
        let bucket = one(&owners[0]);
        only(server, bucket);
        let take = |owner: usize| {
            sleep(SHORT.length);
            assert_eq!(one(&owners[owner]), bucket);
            owners[owner].is_careful(bucket)
        };
        let name = |owner: usize, page| owners[owner].name_page(bucket, page).expect("an answer");
        assert!(!owners[0].is_careful(bucket));
        assert!(!take(1));
        // An owner that takes it again has not died.
        sleep(SHORT.length);
        assert_eq!(one(&owners[1]), bucket);
        assert!(!owners[1].is_careful(bucket));
        assert!(take(2));
        assert_eq!(name(2, PAGE), 0);
        assert!(take(3));
        assert_eq!(name(3, Some("https://a.test/other")), 0);
        assert_eq!(name(3, PAGE), 1);
        // A page that has a result was not the cause.
        assert_eq!(name(3, None), 0);
        assert!(take(4));
        assert_eq!(name(4, PAGE), 1);
        // A late owner may not write there.
        assert_eq!(name(3, PAGE), 1);
        assert_eq!(name(4, PAGE), 1);
        // Those that are heard of were frozen, or could not reach the server.
        for owner in [0, 2, 3] {
            assert_eq!(owners[owner].renew().expect("a renewal"), [bucket]);
        }
        assert_eq!(name(4, PAGE), 0);
        owners[4].give_back(&[bucket]).expect("it is given back");
        assert_eq!(one(&owners[0]), bucket);
        assert!(!owners[0].is_careful(bucket), "one owner is missing");
    });
}

#[test]
fn a_takeover_waits_for_a_hand_in_but_a_renewal_does_not() {
    with_work(|server, _| {
        let options = ServerOptions {
            statement_limit: Duration::from_secs(1),
            ..ServerOptions::default()
        };
        let slow = Server::open(server.address().clone(), options).expect("a workspace");
        let slow = Buckets::new(slow, "slow", SHORT);
        let quick = Buckets::new(Arc::clone(server), "quick", SHORT);
        let bucket = one(&slow);
        only(server, bucket);
        let token = slow.held()[&bucket].token.clone();
        let check = || call(&CHECK, [bucket.into(), token.0.as_str().into()]);
        let mut under_way = server.begin().expect("a transaction");
        under_way.run(vec![check()]).expect("it has the lease");
        let begin = Instant::now();
        assert_eq!(slow.renew().expect("a renewal"), NONE);
        assert!(begin.elapsed() < SHORT.length / 2);
        sleep(SHORT.length);
        assert_eq!(quick.claim(1).expect("a claim"), NONE);
        under_way.commit().expect("a commit");
        assert_eq!(one(&quick), bucket);
        // One that stands still is undone by the server.
        sleep(SHORT.length);
        assert_eq!(one(&slow), bucket);
        let token = slow.held()[&bucket].token.clone();
        let mut frozen = slow.server.begin().expect("a transaction");
        let calls = vec![
            call(&CHECK, [bucket.into(), token.0.as_str().into()]),
            call(&WORK, [bucket.into(), 1i64.into()]),
        ];
        frozen.run(calls).expect("it has the lease");
        sleep(Duration::from_millis(1_500));
        assert_eq!(one(&quick), bucket);
        assert!(frozen.commit().is_err());
        assert_eq!(worked(server, bucket), Vec::<i64>::new());
    });
}

#[test]
fn a_hand_in_whose_answer_is_lost_is_done_once() {
    with_work(|server, postgres| {
        let proxy = Proxy::start(postgres.port());
        let url = format!("{}?schema={}", postgres.url("postgres"), server.address().schema);
        let url = url.replace(&postgres.port().to_string(), &proxy.port().to_string());
        let address = Address::parse(&url, None).expect("an address");
        let far = Server::open(address, ServerOptions::default()).expect("a workspace");
        let buckets = Buckets::new(far, "far", LeaseTimes::default());
        let bucket = one(&buckets);
        for number in 1..=20 {
            if number % 2 == 0 {
                proxy.swallow_next();
            }
            assert_eq!(work(&buckets, bucket, number), HandIn::Committed);
        }
        assert_eq!(proxy.swallowed(), 10);
        assert_eq!(worked(server, bucket), (1..=20).collect::<Vec<_>>());
        // While its outcome is unknown, another takes the bucket over.
        only(server, bucket);
        proxy.swallow_next();
        script(server, "UPDATE magpie.bucket SET until = clock_timestamp()");
        let other = Buckets::new(Arc::clone(server), "other", LeaseTimes::default());
        let took = AtomicBool::new(false);
        let outcome = buckets.hand_in(bucket, || {
            // Not before the first attempt is under way.
            if took.swap(true, Ordering::SeqCst) {
                while other.epoch(bucket).is_none() && other.claim(9).is_ok() {}
            }
            vec![call(&WORK, [bucket.into(), 21i64.into()])]
        });
        assert!(outcome.expect("an outcome").is_none());
        // It was committed before the takeover, so its successor sees it.
        assert_eq!(worked(server, bucket).last(), Some(&21));
    });
}

#[test]
fn a_server_that_is_killed_loses_nothing_that_was_acknowledged() {
    each_own_release(|server, postgres| {
        script(server, MAKE_WORK);
        let times = LeaseTimes {
            // It is not renewed, however slow the machine is.
            length: Duration::from_secs(600),
            ..LeaseTimes::default()
        };
        let buckets = Buckets::new(Arc::clone(server), "worker", times);
        let bucket = one(&buckets);
        let (acknowledged, is_over) = (AtomicI64::new(0), AtomicBool::new(false));
        scope(|scope| {
            let worker = scope.spawn(|| {
                let mut number = 1;
                while !is_over.load(Ordering::SeqCst) {
                    assert_eq!(work(&buckets, bucket, number), HandIn::Committed);
                    acknowledged.store(number, Ordering::SeqCst);
                    number += 1;
                }
            });
            for _ in 0..2 {
                let before = acknowledged.load(Ordering::SeqCst);
                while acknowledged.load(Ordering::SeqCst) < before + 10 {
                    assert!(!worker.is_finished(), "it goes on");
                    sleep(Duration::from_millis(5));
                }
                postgres.kill();
                postgres.restart();
            }
            is_over.store(true, Ordering::SeqCst);
        });
        let acknowledged = acknowledged.load(Ordering::SeqCst);
        assert!(acknowledged >= 20);
        // The last may have been committed after the end was decided, and then it is acknowledged.
        assert_eq!(worked(server, bucket), (1..=acknowledged).collect::<Vec<_>>());
    });
}
