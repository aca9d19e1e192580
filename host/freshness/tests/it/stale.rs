//! Staleness by runs of words, longevity of content, and definitions of a change.

use magpie_freshness::change::{Belief, Goal, Longevity, Meaning, Print, Shingles, staleness};

use crate::support::near;

fn stale(copy: &str, now: &str) -> f64 {
    staleness(&Shingles::of(copy, 2), &Shingles::of(now, 2))
}

#[test]
fn staleness_counts_runs_of_words() {
    assert_eq!(stale("one two three", "one  two\nthree"), 0.0);
    assert_eq!(stale("one two", "three four"), 1.0);
    // {ab, bc, cd} and {ab, bc, cx}: two of four.
    near(stale("a b c d", "a b c x"), 0.5, 1e-12);
    assert_eq!(stale("", ""), 0.0);
    assert_eq!(stale("", "one"), 1.0);
    assert_eq!(stale("one", "one"), 0.0);
    assert_eq!(Shingles::of("a b a b a b", 2).len(), 2);
}

#[test]
fn long_texts_are_sampled_alike() {
    let text = |from: u32, to: u32| (from..to).map(|word| format!("w{word} ")).collect::<String>();
    let (copy, now) = (
        Shingles::of(&text(0, 60_000), 4),
        Shingles::of(&text(20_000, 80_000), 4),
    );
    assert!(copy.len() < 10_000);
    near(staleness(&copy, &now), 0.5, 0.02);
    assert_eq!(staleness(&copy, &copy), 0.0);
}

/// A curve of `1 - e^-t` has the crawl value of a page of rate one.
#[test]
fn longevity_equals_the_value_of_a_known_rate() {
    let measured: Vec<(f64, f64)> = (1..=800)
        .map(|step| f64::from(step) / 100.0)
        .map(|time| (time, 1.0 - (-time).exp()))
        .collect();
    let curve = Longevity::fit(&measured);
    near(curve.utility(1.0), 1.0 - 2.0 / std::f64::consts::E, 1e-4);
    let belief = Belief::certain(1.0);
    for price in [0.05, 0.26, 0.8] {
        near(curve.gap_for(price), belief.gap_for(Goal::Freshness, price), 1e-3);
        near(curve.utility(curve.gap_for(price)), price, 1e-9);
    }
}

#[test]
fn ephemeral_content_is_worth_little() {
    let advertisements = Longevity::fit(&[(0.1, 0.3), (1.0, 0.3), (5.0, 0.3), (20.0, 0.3)]);
    let additions = Longevity::fit(&[(1.0, 0.015), (5.0, 0.075), (20.0, 0.3)]);
    assert!(advertisements.utility(20.0) < 0.1 * additions.utility(20.0));
    assert_eq!(advertisements.gap_for(0.5), f64::INFINITY);
    assert!(additions.gap_for(0.5) < 20.0);
    near(advertisements.staleness(10.0), 0.3, 1e-12);
    near(additions.staleness(2.5), 0.0375, 1e-12);
}

#[test]
fn noise_is_pooled_into_a_rising_curve() {
    let curve = Longevity::fit(&[(1.0, 0.4), (2.0, 0.2), (3.0, 0.6), (3.0, 0.2)]);
    near(curve.staleness(1.0), 0.3, 1e-12);
    near(curve.staleness(2.0), 0.3, 1e-12);
    let heights = [0.5, 1.0, 2.0, 3.0, 9.0].map(|time| curve.staleness(time));
    assert!(heights.windows(2).all(|pair| pair[0] <= pair[1]), "{heights:?}");
}

#[test]
fn invalid_measurements_are_ignored() {
    let curve = Longevity::fit(&[
        (f64::NAN, 0.5),
        (-1.0, 0.5),
        (1.0, f64::NAN),
        (1.0, 7.0),
        (f64::INFINITY, 1.0),
    ]);
    assert_eq!(curve, Longevity::fit(&[]));
    assert_eq!((curve.staleness(3.0), curve.utility(3.0)), (0.0, 0.0));
    assert_eq!(curve.gap_for(0.1), f64::INFINITY);
    assert_eq!(Longevity::default().staleness(1.0), 0.0);
}

#[test]
fn the_definition_of_a_change_is_configurable() {
    let page = |bytes, text: u64, objects| Print {
        bytes,
        text: Some(text),
        objects,
    };
    let (before, clock) = (page(1, 1, Some(1)), page(2, 2, Some(1)));
    assert_eq!(Meaning::Bytes.changed(&before, &clock), Some(true));
    assert_eq!(Meaning::Text.changed(&before, &clock), Some(true));
    assert_eq!(Meaning::default().changed(&before, &clock), Some(false));
    let objects = |before: &Print, after: &Print| Meaning::Objects.changed(before, after);
    assert_eq!(objects(&before, &page(2, 2, Some(5))), Some(true));
    // Missing objects are a change; a list of links without objects is judged by its text.
    assert_eq!(objects(&before, &page(2, 2, None)), Some(true));
    assert_eq!(objects(&page(1, 1, None), &page(2, 2, None)), Some(true));
    assert_eq!(objects(&page(1, 1, None), &page(2, 1, None)), Some(false));
}

#[test]
fn a_missing_text_is_not_compared_with_other_hashes() {
    let page = |bytes, text| Print {
        bytes,
        text,
        objects: None,
    };
    // The text hash of the second equals the body hash of the first.
    let (unread, read) = (page(1, None), page(2, Some(1)));
    assert_eq!(Meaning::Text.changed(&unread, &read), None);
    assert_eq!(Meaning::Text.changed(&read, &unread), None);
    assert_eq!(Meaning::Text.changed(&unread, &page(2, None)), None);
    assert_eq!(Meaning::Text.changed(&unread, &page(1, Some(7))), Some(false));
    assert_eq!(Meaning::Objects.changed(&unread, &page(1, Some(7))), Some(false));
    assert_eq!(Meaning::Objects.changed(&unread, &read), Some(true));
}
