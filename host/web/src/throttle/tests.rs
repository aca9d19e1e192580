use proptest::prelude::*;

use super::*;
use magpie_values::Timestamp;

/// Returns the moment this many milliseconds after the tests begin.
fn at(milliseconds: u64) -> Timestamp {
    Timestamp::from_seconds(1_700_000_000) + Duration::from_millis(milliseconds)
}

fn settings(delay: u64, concurrency: u32) -> ThrottleSettings {
    ThrottleSettings {
        delay: Duration::from_millis(delay),
        concurrency,
        ..ThrottleSettings::default()
    }
}

fn answer(status: u16, latency: u64) -> Answer {
    Answer {
        latency: Duration::from_millis(latency),
        status,
        retry_after: None,
    }
}

/// One request after the other, each as early as allowed; gives the moment of the last answer.
fn run(throttle: &mut Throttle, mut now: Timestamp, answers: &[Answer]) -> Timestamp {
    for answer in answers {
        now = throttle.next(now).at.unwrap().max(now);
        throttle.try_start(now).unwrap();
        now = now + answer.latency;
        throttle.on_response(answer, now);
    }
    now
}

fn why(throttle: &Throttle, now: Timestamp) -> (u128, String) {
    let next = throttle.next(now);
    (
        next.at.map_or(u128::MAX, |next| next.since(at(0)).as_millis()),
        next.reason.to_string(),
    )
}

#[test]
fn the_first_request_waits_for_nothing() {
    let throttle = Throttle::new(settings(1000, 1));
    assert_eq!(why(&throttle, at(0)), (0, "no wait is needed".to_owned()));
}

#[test]
fn requests_of_another_process_count() {
    let mut throttle = Throttle::new(settings(1000, 1));
    throttle.asked_elsewhere(at(0));
    assert!(throttle.try_start(at(999)).is_err());
    assert!(throttle.try_start(at(1000)).is_ok());
    // That is long ago.
    throttle.on_abandoned();
    throttle.asked_elsewhere(at(0));
    assert!(throttle.try_start(at(1999)).is_err());
    assert!(throttle.try_start(at(2000)).is_ok());
}

#[test]
fn the_delay_counts_from_the_start_of_the_last_request() {
    let mut throttle = Throttle::new(settings(1000, 1));
    throttle.try_start(at(0)).unwrap();
    assert_eq!(throttle.next(at(0)).at, None);
    assert_eq!(throttle.next(at(0)).reason.to_string(), "a request is in flight");
    throttle.on_response(&answer(200, 100), at(100));
    let expected = (1000, "the settings require 1 s between two requests".to_owned());
    assert_eq!(why(&throttle, at(100)), expected);
    assert_eq!(why(&throttle, at(5000)).1, "no wait is needed");
}

#[test]
fn robots_txt_asks_for_more_within_the_cap() {
    let mut throttle = Throttle::new(settings(1000, 1));
    throttle.set_crawl_delay(Some(Duration::from_secs(10)));
    let now = run(&mut throttle, at(0), &[answer(200, 100)]);
    let expected = (10_000, "robots.txt asks for 10 s between two requests".to_owned());
    assert_eq!(why(&throttle, now), expected);
    throttle.set_crawl_delay(Some(Duration::from_secs(86_400)));
    assert_eq!(
        why(&throttle, now),
        (
            60_000,
            "robots.txt asks for 86400 s between two requests, which the settings cut to 60 s".to_owned()
        )
    );
    throttle.set_crawl_delay(Some(Duration::from_millis(10)));
    assert_eq!(throttle.delay(), Duration::from_secs(1));
}

#[test]
fn the_delay_follows_latency_both_ways() {
    let mut throttle = Throttle::new(settings(0, 1));
    let now = run(&mut throttle, at(0), &[answer(200, 2000); 20]);
    let delay = throttle.delay().as_secs_f64();
    assert!((3.9..=4.0).contains(&delay), "{delay}");
    let now = run(&mut throttle, now, &[answer(200, 100)]);
    assert!(throttle.delay().as_secs_f64() > 3.5, "slowly");
    run(&mut throttle, now, &[answer(200, 100); 60]);
    let delay = throttle.delay().as_secs_f64();
    assert!((0.2..0.21).contains(&delay), "{delay}");
    assert_eq!(
        why(&throttle, at(0)).1,
        "the host is slow, which results in 0.2 s between two requests"
    );
}

#[test]
fn quick_errors_do_not_make_it_faster() {
    let mut throttle = Throttle::new(settings(0, 1));
    let now = run(&mut throttle, at(0), &[answer(200, 2000); 20]);
    let before = throttle.delay();
    run(&mut throttle, now, &[answer(404, 1); 20]);
    assert_eq!(throttle.delay(), before);
}

#[test]
fn refusals_double_the_delay_up_to_the_longest() {
    let mut throttle = Throttle::new(settings(1000, 1));
    let now = run(&mut throttle, at(0), &[answer(429, 10)]);
    assert_eq!(throttle.delay(), Duration::from_secs(2));
    assert_eq!(
        why(&throttle, now),
        (
            2000,
            "the host answered 429, which results in 2 s between two requests".to_owned()
        )
    );
    let now = run(&mut throttle, now, &[answer(503, 10); 2]);
    assert_eq!(throttle.delay(), Duration::from_secs(8));
    assert_eq!(throttle.failures(), 3);
    assert_eq!(
        throttle.next(now).reason.to_string(),
        "the host answered 503 (3 failures in a row), which results in 8 s between two requests"
    );
    let now = run(&mut throttle, now, &[answer(503, 10); 20]);
    assert_eq!(throttle.delay(), ThrottleSettings::MAX_DELAY);
    let now = run(&mut throttle, now, &[answer(200, 10)]);
    assert_eq!(throttle.delay(), Duration::from_secs(54));
    assert_eq!(
        throttle.next(now).reason.to_string(),
        "the host answered 503 recently, which results in 54 s between two requests"
    );
    run(&mut throttle, now, &[answer(200, 10); 60]);
    assert_eq!(throttle.delay(), Duration::from_secs(1));
}

#[test]
fn failures_count_only_when_they_may_mean_too_much() {
    let mut throttle = Throttle::new(settings(1000, 1));
    for kind in [
        FetchErrorKind::Tls,
        FetchErrorKind::Dns,
        FetchErrorKind::RefusedAddress,
    ] {
        throttle.on_error(kind);
    }
    assert_eq!(
        (throttle.delay(), throttle.failures()),
        (Duration::from_secs(1), 0)
    );
    throttle.on_error(FetchErrorKind::Timeout);
    throttle.on_error(FetchErrorKind::Connect);
    assert_eq!(
        (throttle.delay(), throttle.failures()),
        (Duration::from_secs(4), 2)
    );
}

#[test]
fn retry_after_is_kept_within_the_longest_pause() {
    let mut throttle = Throttle::new(settings(1000, 2));
    let wait = |seconds| Answer {
        retry_after: Some(Duration::from_secs(seconds)),
        ..answer(503, 0)
    };
    let now = run(&mut throttle, at(0), &[wait(120)]);
    assert_eq!(
        why(&throttle, now),
        (120_000, "the host asked for a pause (Retry-After)".to_owned())
    );
    // A shorter one does not undo a longer one.
    throttle.on_response(&wait(5), at(1));
    assert_eq!(throttle.next(at(1)).at, Some(at(120_000)));
    throttle.on_response(&wait(u64::MAX), at(2));
    assert_eq!(throttle.next(at(2)).at, Some(at(3_600_002)));
    // With a good status it is about something else.
    let mut other = Throttle::new(settings(0, 1));
    other.on_response(
        &Answer {
            status: 200,
            ..wait(120)
        },
        at(0),
    );
    assert_eq!(other.next(at(0)).at, Some(at(0)));
}

#[test]
fn a_restart_forgets_nothing_but_what_was_in_flight() {
    let mut throttle = Throttle::new(settings(1000, 1));
    run(&mut throttle, at(0), &[answer(503, 0); 3]);
    throttle.try_start(at(100_000)).unwrap();
    let again = Throttle::restore(settings(1000, 1), throttle.state());
    assert_eq!(again.next(at(100_000)).at, Some(at(108_000)));
    assert_eq!((again.delay(), again.in_flight()), (throttle.delay(), 0));
    let broken = ThrottleState {
        learned_delay: f64::NAN,
        ..ThrottleState::default()
    };
    assert_eq!(
        Throttle::restore(settings(1000, 1), broken).delay(),
        Duration::from_secs(1)
    );
}

#[test]
fn a_clock_set_back_makes_nobody_wait_for_hours() {
    let mut throttle = Throttle::new(settings(1000, 1));
    run(&mut throttle, at(0), &[answer(200, 0)]);
    let earlier = at(0) - Duration::from_secs(86_400);
    assert_eq!(throttle.next(earlier).at, Some(earlier + Duration::from_secs(1)));
    let asked = Answer {
        retry_after: Some(Duration::from_secs(600)),
        ..answer(503, 0)
    };
    throttle.on_response(&asked, at(0));
    assert_eq!(throttle.next(earlier).at, Some(earlier + Duration::from_secs(2)));
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Pass(u16),
    Start,
    Answer {
        status: u16,
        latency: u16,
        retry_after: Option<u16>,
    },
    Fail(u8),
    CrawlDelay(Option<u16>),
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let status = prop::sample::select(vec![200, 304, 404, 429, 500, 503]);
    prop_oneof![
        4 => any::<u16>().prop_map(Step::Pass),
        6 => Just(Step::Start),
        3 => (status, 0..10_000u16, prop::option::of(any::<u16>()))
            .prop_map(|(status, latency, retry_after)| Step::Answer { status, latency, retry_after }),
        2 => (0..4u8).prop_map(Step::Fail),
        1 => prop::option::of(any::<u16>()).prop_map(Step::CrawlDelay),
        1 => Just(Step::Restart),
    ]
}

proptest! {
    #[test]
    fn requests_keep_their_distance_and_their_number(
        delay in 0..5000u64,
        concurrency in 1..4u32,
        adaptive: bool,
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let settings = ThrottleSettings { adaptive, ..settings(delay, concurrency) };
        let mut throttle = Throttle::new(settings.clone());
        let (mut now, mut last, mut running) = (at(0), None::<Timestamp>, 0u32);
        for step in steps {
            match step {
                Step::Pass(time) => now = now + Duration::from_millis(time.into()),
                Step::Start => {
                    // As a scheduler does it: at the returned moment, if there is one.
                    if let Some(at) = throttle.next(now).at {
                        prop_assert!(at >= now);
                        now = at;
                    }
                    let due = throttle.delay();
                    let started = throttle.try_start(now).is_ok();
                    prop_assert_eq!(started, running < concurrency, "a moment that was named is kept");
                    if started {
                        running += 1;
                        if let Some(last) = last {
                            prop_assert!(now.since(last) >= due);
                            prop_assert!(now.since(last) >= Duration::from_millis(delay));
                        }
                        last = Some(now);
                    }
                }
                Step::Answer { status, latency, retry_after } => if running > 0 {
                    running -= 1;
                    let retry_after = retry_after.map(|seconds| Duration::from_secs(seconds.into()));
                    let latency = Duration::from_millis(latency.into());
                    throttle.on_response(&Answer { latency, status, retry_after }, now);
                    if let (Some(wait), 429 | 503) = (retry_after, status) {
                        let wait = wait.min(settings.longest_pause);
                        prop_assert!(throttle.next(now).at.is_none_or(|at| at >= now + wait));
                    }
                },
                Step::Fail(which) => if running > 0 {
                    running -= 1;
                    let kinds = [FetchErrorKind::Timeout, FetchErrorKind::Connect, FetchErrorKind::Tls];
                    match kinds.get(usize::from(which)) {
                        Some(kind) => throttle.on_error(*kind),
                        None => throttle.on_abandoned(),
                    }
                },
                Step::CrawlDelay(seconds) => {
                    throttle.set_crawl_delay(seconds.map(|seconds| Duration::from_secs(seconds.into())));
                }
                Step::Restart => {
                    throttle = Throttle::restore(settings.clone(), throttle.state());
                    running = 0;
                }
            }
            prop_assert_eq!(throttle.in_flight(), running);
            let most = settings.delay.max(settings.longest_delay).max(settings.longest_crawl_delay);
            prop_assert!(throttle.delay() <= most);
        }
    }
}
