//! Tests of drift: the rate of false alarms, the delay of alarms, and the resulting actions.

use magpie_model::CanonicalUrl;
use magpie_patterns::drift::{
    Action, Alarm, Cusum, Expected, PatternHealth, PatternMonitor, Relearn, Sensitivity, ShapeWatch, Signal,
    SiteState, action, has_lost_lists, relearn,
};
use magpie_patterns::pattern::{PatternSet, Proportion, UrlPattern};

/// A small generator, the same on every run.
struct Random(u64);

impl Random {
    fn yes(&mut self, share: f64) -> bool {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed >> 11) as f64 / (1_u64 << 53) as f64) < share
    }
}

fn expected(yielding: usize, failing: usize, of: usize) -> Expected {
    Expected {
        yielding: Proportion { hits: yielding, of },
        failing: Proportion { hits: failing, of },
    }
}

fn pattern(text: &str) -> UrlPattern {
    text.parse().expect("a pattern")
}

#[test]
fn false_alarms_are_within_the_given_rate() {
    let promised = 500.0;
    for (before, after) in [(0.9, 0.45), (0.02, 0.2), (0.3, 0.15)] {
        let mut random = Random(7);
        let runs = 200;
        let mut outcomes = 0_u64;
        for _ in 0..runs {
            let mut test = Cusum::new(before, after, promised);
            let mut alarmed = false;
            while !alarmed {
                alarmed = test.take(random.yes(before));
                outcomes += 1;
            }
        }
        let mean = outcomes as f64 / f64::from(runs);
        assert!(
            mean >= promised,
            "{before} to {after}: a false alarm every {mean}"
        );
    }
}

#[test]
fn a_change_raises_an_alarm_soon() {
    let mut random = Random(3);
    let mut monitor = PatternMonitor::new(expected(180, 2, 200), Sensitivity::default());
    for _ in 0..300 {
        assert_eq!(monitor.fetched(random.yes(0.01), random.yes(0.9)), None);
    }
    // A redesign: everything fails.
    let fetches = (1..50).find(|_| monitor.fetched(true, false).is_some());
    assert!(fetches.is_some_and(|fetches| fetches <= 8), "{fetches:?}");
    assert_eq!(monitor.alarm(), Some(Alarm::Failures));

    // Pages still respond without objects, as soft errors do.
    let mut monitor = PatternMonitor::new(expected(180, 2, 200), Sensitivity::default());
    let fetches = (1..50).find(|_| monitor.fetched(false, false).is_some());
    assert!(fetches.is_some_and(|fetches| fetches <= 15), "{fetches:?}");
    assert_eq!(monitor.alarm(), Some(Alarm::Yield));
}

#[test]
fn a_pattern_seen_on_few_pages_is_slow_to_alarm() {
    let mut few = PatternMonitor::new(expected(3, 0, 3), Sensitivity::default());
    let mut many = PatternMonitor::new(expected(300, 0, 300), Sensitivity::default());
    let until = |monitor: &mut PatternMonitor| (1..500).find(|_| monitor.fetched(false, false).is_some());
    assert!(until(&mut few) > until(&mut many));
}

#[test]
fn a_stored_monitor_resumes() {
    let mut monitor = PatternMonitor::new(expected(90, 0, 100), Sensitivity::default());
    monitor.fetched(true, false);
    let text = serde_json::to_string(&monitor).expect("written");
    let read: PatternMonitor = serde_json::from_str(&text).expect("read");
    assert_eq!(read.counts(), (1, 1, 0));
    assert!(read.suspicion() > 0.0 && read.since() == 1);
}

#[test]
fn a_monitor_goes_on_with_what_is_expected_by_now() {
    let sensitivity = Sensitivity::default();
    let before = expected(100, 0, 100);
    let mut monitor = PatternMonitor::new(before, sensitivity);
    let by_now = expected(100, 50, 150);
    let mut other = monitor;
    for _ in 0..4 {
        monitor.fetched(true, false);
        other = other.expecting(by_now, sensitivity);
        other.fetched(true, false);
    }
    assert!(monitor.suspicion() > other.suspicion() && other.suspicion() > 0.0);
    assert_eq!(other.counts(), (4, 4, 0));
    assert_eq!(
        other.expecting(before, sensitivity).suspicion(),
        other.suspicion()
    );
}

#[test]
fn a_site_whose_lists_come_and_go_has_not_lost_them() {
    let before = |hits, of| Proportion { hits, of };
    // Nothing is known of earlier rounds, or no list was lost in them.
    assert!(has_lost_lists(1, 1, before(0, 0)));
    assert!(has_lost_lists(3, 5, before(0, 20)));
    assert!(!has_lost_lists(2, 5, before(0, 20)));
    // A third of its lists goes in each round.
    assert!(!has_lost_lists(3, 5, before(7, 20)));
    assert!(has_lost_lists(5, 5, before(7, 20)));
    assert!(!has_lost_lists(5, 5, before(20, 20)));
}

#[test]
fn renamed_pages_show_as_a_new_shape() {
    let known = PatternSet::new([
        pattern("http://h.example/event/{number}"),
        pattern("http://h.example/list/{number}"),
    ]);
    let url = |path: &str| CanonicalUrl::trusted(format!("http://h.example{path}")).expect("canonical");
    let mut watch = ShapeWatch::new(0.01, 10_000.0);
    for number in 0..500 {
        assert!(!watch.saw(&url("/list/1"), &url(&format!("/event/{number}")), &known));
    }
    assert_eq!(watch.share_of_unknown(), 0.0);
    let hubs = [url("/list/1"), url("/list/2")];
    let alarmed =
        (0..40).any(|number| watch.saw(&hubs[number % 2], &url(&format!("/e/{number}-night")), &known));
    assert!(alarmed && watch.is_alarmed());
    let shapes = watch.shapes();
    assert_eq!(shapes.len(), 1);
    assert!(
        shapes[0].pattern.matches(&url("/e/77-night")),
        "{}",
        shapes[0].pattern
    );
    assert_eq!(shapes[0].hubs, 2);
}

#[test]
fn one_page_with_odd_links_is_no_new_shape() {
    let known = PatternSet::default();
    let url = |path: &str| CanonicalUrl::trusted(format!("http://h.example{path}")).expect("canonical");
    let mut watch = ShapeWatch::new(0.5, 1e9);
    for number in 0..20 {
        watch.saw(&url("/one"), &url(&format!("/ad/{number}")), &known);
    }
    assert!(watch.shapes().is_empty());
}

#[test]
fn only_broken_parts_are_relearned() {
    let health = |text: &str, alarm: Option<Alarm>, objects: u32| PatternHealth {
        pattern: pattern(text),
        alarm,
        objects,
    };
    let broken = Some(Alarm::Failures);
    let event = |alarm| health("http://h.example/event/{number}", alarm, 40);
    let show = |alarm| health("http://h.example/show/{slug}", alarm, 60);
    let tour = |alarm| health("http://h.example/tour/{slug}", alarm, 100);
    assert_eq!(
        relearn(&[event(None), show(None)], SiteState::Suspect),
        Relearn::Nothing
    );
    assert_eq!(
        relearn(&[event(broken), show(None), tour(None)], SiteState::Intact),
        Relearn::Folders(vec!["http://h.example/event/".to_owned()])
    );
    assert_eq!(
        relearn(&[event(broken), show(broken), tour(broken)], SiteState::Intact),
        Relearn::Site
    );
    // The only folder of a site is repaired as a folder while its hubs are intact.
    assert_eq!(
        relearn(&[event(broken)], SiteState::Intact),
        Relearn::Folders(vec!["http://h.example/event/".to_owned()])
    );
    assert_eq!(relearn(&[event(broken)], SiteState::Suspect), Relearn::Site);
    // Patterns whose pages are no longer reached have no alarm.
    assert_eq!(
        relearn(&[event(None), show(None)], SiteState::Gone),
        Relearn::Site
    );
}

#[test]
fn every_signal_has_an_action_in_every_state() {
    use Action::{Keep, RelearnFolders, RelearnSite, Wait};
    // The columns are the states in the order of `SiteState::ALL`.
    let table = [
        (Signal::Quiet, [Keep, Keep, RelearnSite, Wait, Wait, Wait]),
        (
            Signal::PartBroken,
            [RelearnFolders, RelearnFolders, RelearnSite, Wait, Wait, Wait],
        ),
        (
            Signal::FolderBroken,
            [RelearnFolders, RelearnSite, RelearnSite, Wait, Wait, Wait],
        ),
        (
            Signal::MostBroken,
            [RelearnSite, RelearnSite, RelearnSite, Wait, Wait, Wait],
        ),
    ];
    assert_eq!(table.map(|(signal, _)| signal), Signal::ALL);
    for (signal, actions) in table {
        assert_eq!(
            SiteState::ALL.map(|state| action(signal, state)),
            actions,
            "{signal:?}"
        );
    }
}
