//! Misbehaving clocks, sites, and pages.

use magpie_freshness::change::{Claim, Goal, History, Observation, RatePrior, Recorded, Reliability, Visits};
use magpie_freshness::schedule::{Page, optimal};

use crate::support::{Random, near};

fn prior() -> RatePrior {
    RatePrior::about(0.1, 4.0)
}

fn rate(history: &History) -> f64 {
    prior().posterior(history).mean
}

#[test]
fn a_clock_that_steps_back_costs_one_observation() {
    let mut visits = Visits::default();
    assert_eq!(visits.record(100.0, Observation::Changed), Recorded::First);
    assert_eq!(visits.record(101.0, Observation::Changed), Recorded::Counted(1.0));
    let before = visits.history.clone();
    assert_eq!(visits.record(40.0, Observation::Changed), Recorded::ClockStepped);
    assert_eq!(visits.record(40.0, Observation::Same), Recorded::ClockStepped);
    assert_eq!(visits.history, before);
    assert_eq!(visits.record(42.0, Observation::Same), Recorded::Counted(2.0));
    near(visits.history.time(), 3.0, 1e-12);
    assert_eq!(visits.record(f64::NAN, Observation::Same), Recorded::ClockStepped);
    assert_eq!(visits.last, Some(42.0));
}

#[test]
fn a_week_of_downtime_is_one_long_gap() {
    let mut visits = Visits::default();
    for day in 0..=20 {
        visits.record(
            f64::from(day),
            if day % 4 == 3 {
                Observation::Changed
            } else {
                Observation::Same
            },
        );
    }
    let before = rate(&visits.history);
    // A change within a week was expected and says next to nothing.
    visits.record(27.0, Observation::Changed);
    near(rate(&visits.history), before, 0.1 * before);
    // No change says as much as seven days without.
    let mut quiet = visits.history.clone();
    quiet.add(7.0, Observation::Same);
    let mut daily = visits.history.clone();
    (0..7).for_each(|_| daily.add(1.0, Observation::Same));
    near(rate(&quiet), rate(&daily), 1e-9);
}

#[test]
fn a_page_that_changes_at_every_fetch_is_fast_and_uncertain() {
    let mut history = History::default();
    let mut last = rate(&history);
    for _ in 0..50 {
        history.add(1.0, Observation::Changed);
        let now = rate(&history);
        assert!(now > last && now.is_finite());
        last = now;
    }
    assert_eq!(history.most_likely_rate(), Some(f64::INFINITY));
    let belief = prior().belief_after(&history);
    let if_certain = (-2.0 * belief.rate()).exp();
    assert!(
        belief.rate() > 1.5 && belief.unchanged_after(2.0) > 1.1 * if_certain,
        "{belief:?}"
    );
    // Among pages worth a visit it gets few visits or none, and takes nothing from the budget of
    // the others.
    let pages = [
        Page { belief, weight: 1.0 },
        Page::of_rate(0.1),
        Page::of_rate(0.2),
    ];
    let plan = optimal(&pages, Goal::Freshness, 0.3);
    assert!(
        plan.frequencies[0] < 0.1 * plan.frequencies[1],
        "{:?}",
        plan.frequencies
    );
    // For age it is visited most.
    let plan = optimal(&pages, Goal::Age, 0.3);
    assert!(plan.frequencies[0] > plan.frequencies[1]);
}

#[test]
fn a_page_that_never_changes_is_visited_less_and_less() {
    let mut history = History::default();
    let mut gaps = Vec::new();
    for _ in 0..6 {
        gaps.push(prior().belief_after(&history).gap_for(Goal::Freshness, 1.0));
        history.add(20.0 * gaps.len() as f64, Observation::Same);
    }
    assert!(gaps.windows(2).all(|pair| pair[0] < pair[1]), "{gaps:?}");
    assert!(rate(&history) > 0.0);
    assert_eq!(history.most_likely_rate(), Some(0.0));
}

#[test]
fn invalid_gaps_are_ignored() {
    let mut history = History::default();
    for gap in [0.0, -3.0, f64::NAN, f64::INFINITY] {
        history.add(gap, Observation::Changed);
    }
    history.add(1.0, Observation::Claimed { doubt: f64::NAN });
    history.add(1.0, Observation::Claimed { doubt: 1.0 });
    assert!(history.is_empty());
    // A date before the last visit, or in the future, is invalid.
    history.add(2.0, Observation::ChangedAgo(5.0));
    history.add(2.0, Observation::ChangedAgo(-1.0));
    assert_eq!(history.most_likely_rate(), Some(f64::INFINITY));
    near(history.changes(), 2.0, 1e-12);
}

/// A site reports no change for every page, and most of them changed.
#[test]
fn a_site_that_always_says_not_modified_loses_trust() {
    let mut site = Reliability::default();
    // No source is trusted at first.
    assert_eq!((site.doubt(Claim::Same), site.looks()), (1.0, 1.0));
    for _ in 0..6 {
        site.learn(Claim::Same, 1.0, true);
        site.learn(Claim::Same, 1.0, false);
    }
    assert!(site.looks() > 0.3, "{}", site.looks());
    for _ in 0..40 {
        site.learn(Claim::Same, 1.0, true);
        site.learn(Claim::Same, 1.0, false);
    }
    assert_eq!((site.doubt(Claim::Same), site.looks()), (1.0, 1.0));
    // A hundred such responses do not change the belief.
    let mut history = History::default();
    for _ in 0..100 {
        history.add(1.0, site.observation(Some(Claim::Same), 1.0, None).unwrap());
    }
    let untold = rate(&History::default());
    near(rate(&history), untold, 1e-9);
    // Fetched content still counts.
    history.add(1.0, site.observation(Some(Claim::Same), 1.0, Some(true)).unwrap());
    near(history.changes(), 1.0, 1e-12);
}

#[test]
fn an_honest_site_needs_few_checks_and_its_claims_count() {
    let mut site = Reliability::default();
    for _ in 0..60 {
        site.learn(Claim::ChangedAgo(0.4), 1.0, true);
        site.learn(Claim::Same, 1.0, false);
    }
    assert!(site.looks() < 0.1 && site.believes_dates());
    let mut told = History::default();
    let mut seen = History::default();
    for _ in 0..30 {
        told.add(1.0, site.observation(Some(Claim::Same), 1.0, None).unwrap());
        seen.add(1.0, Observation::Same);
    }
    near(rate(&told), rate(&seen), 0.6 * rate(&seen));
    assert_eq!(
        site.observation(Some(Claim::ChangedAgo(0.3)), 1.0, Some(true)),
        Some(Observation::ChangedAgo(0.3))
    );
    assert_eq!(site.observation(None, 1.0, None), None);
}

/// Every response is dated with its own time.
#[test]
fn dates_of_the_response_are_not_trusted() {
    let mut site = Reliability::default();
    assert!(!site.believes_dates());
    for _ in 0..20 {
        site.learn(Claim::ChangedAgo(1e-6), 1.0, true);
    }
    assert!(!site.believes_dates());
    let lie = Some(Claim::ChangedAgo(1e-6));
    assert_eq!(site.observation(lie, 1.0, Some(true)), Some(Observation::Changed));
    assert_eq!(site.observation(lie, 1.0, Some(false)), Some(Observation::Same));
}

/// Dates advance at every build of the site, whether a page changed or not.
#[test]
fn dates_of_builds_are_not_trusted() {
    let mut site = Reliability::default();
    let mut random = Random(3);
    for number in 0..60 {
        site.learn(
            Claim::ChangedAgo(0.9 * random.share() + 0.05),
            1.0,
            number % 5 == 0,
        );
    }
    assert!(!site.believes_dates());
    // A claim made of every page carries no information about any.
    assert_eq!(site.doubt(Claim::Changed), 1.0);
}

#[test]
fn a_first_visit_with_a_date_gives_an_age() {
    let mut visits = Visits::default();
    visits.record(1000.0, Observation::ChangedAgo(400.0));
    assert!(rate(&visits.history) < 0.3 * rate(&History::default()));
}
