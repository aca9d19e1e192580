//! Bad input: work and memory stay bounded, and nothing panics.

use std::collections::BTreeMap;

use magpie_surface::Outcome;
use magpie_surface::arguments::{ArgumentStudy, Method, Prevalence, segments, semantic_key, with_segment};
use magpie_surface::empty::{EmptyPages, Method as EmptyMethod, ResultPage};
use magpie_surface::isit::{Input, Isit, Settings};
use magpie_surface::probe::{Method as ProbeMethod, Settings as ProbeSettings, TextProbe};
use magpie_surface::size::{Captures, Draw, PoolEstimate};
use proptest::prelude::*;

proptest! {
    #[test]
    fn any_text_is_a_url(url in ".{0,80}", name in ".{0,8}", value in ".{0,8}") {
        let _ = semantic_key(&url, &BTreeMap::new());
        let with = with_segment(&url, &name, Some(&value));
        if !name.is_empty() {
            prop_assert!(segments(&with).iter().any(|segment| segment.name == name && segment.value == value));
        }
        let without = with_segment(&with, &name, None);
        prop_assert!(segments(&without).iter().all(|segment| segment.name != name));
        let mut prevalence = Prevalence::default();
        prevalence.add_page([url.as_str()]);
    }

    #[test]
    fn any_text_is_a_page(text in ".{0,200}", query in ".{0,20}", objects in prop::collection::vec(0_u64..9, 0..9)) {
        for method in [EmptyMethod::Published, EmptyMethod::Fitted] {
            let mut pages = EmptyPages::new(method);
            let page = ResultPage::new(&text, &query, objects.clone());
            for _ in 0..3 {
                pages.add_reference(page.clone());
                pages.add_ordinary(page.clone());
            }
            let judgement = pages.judge(&page);
            prop_assert!((0.0..=1.0).contains(&judgement.similarity));
            prop_assert!(judgement.is_empty);
        }
    }

    #[test]
    fn intervals_have_their_order(
        answers in prop::collection::vec((prop::collection::vec(0_u64..50, 0..12), 0.0_f64..1.2, 0_u32..4, any::<u32>()), 0..20)
    ) {
        let mut captures = Captures::default();
        let mut pool = PoolEstimate::default();
        for (objects, probability, pages, count) in answers {
            let outcome = Outcome::new(objects);
            captures.add(&outcome.objects, Some(u64::from(count % 100)));
            let degrees: Vec<(u64, u32)> = outcome.objects.iter().map(|id| (*id, count % 5)).collect();
            let draw = Draw { probability, page: count % 3, pages, page_size: pages };
            let outcome = Outcome {
                reported_count: (count % 2 == 0).then_some(u64::from(count)),
                has_next: count % 7 == 0,
                ..outcome
            };
            pool.add(draw, &degrees, &outcome);
        }
        for (estimate, distinct) in [(captures.estimate(), captures.distinct()), (pool.estimate(), pool.distinct())] {
            prop_assert!(estimate.low <= estimate.value && estimate.value <= estimate.high, "{:?}", estimate);
            prop_assert!(estimate.low >= distinct as f64);
            let coverage = estimate.coverage(distinct);
            prop_assert!(0.0 <= coverage.low && coverage.low <= coverage.value);
            prop_assert!(coverage.value <= coverage.high && coverage.high <= 1.0);
        }
    }
}

/// A site that answers at random, with objects, counts and emptiness that contradict each other.
#[test]
fn searches_end_at_a_site_that_answers_at_random() {
    for seed in 0..20 {
        let mut random = crate::database::Random(seed);
        let mut answer = || Outcome {
            page_signature: random.number(),
            is_empty: random.below(3) == 0,
            reported_count: (random.below(2) == 0).then(|| random.number()),
            has_next: random.below(2) == 0,
            ..Outcome::new((0..random.below(30)).map(|_| random.number() % 500))
        };
        let inputs: Vec<Input> = (0..4)
            .map(|number| crate::database::numbers("x", 3 + number * 7))
            .collect();
        let mut search = Isit::new(&inputs, Settings::sequential(), seed);
        while let Some(submission) = search.next() {
            search.record(&submission, &answer());
            assert!(search.requests() < 4_000);
        }
        let settings = ProbeSettings {
            follows_pages: true,
            ..ProbeSettings::new(ProbeMethod::Adaptive)
        };
        let mut probe = TextProbe::new(settings, "one two three", &["four five"]);
        while let Some(query) = probe.next() {
            probe.record(
                &query,
                &answer(),
                &format!("page {} of {}", query.page, query.keyword),
                &[],
            );
        }
        assert!(probe.requests() <= 500);
        let mut study = ArgumentStudy::new(Method::ByEffect, "q");
        for number in 0..20 {
            let urls = [
                format!("/s?q={number}&a={number}&b=2;c=%"),
                "/s?a=1&a=2&=".to_owned(),
            ];
            let urls = urls.each_ref().map(String::as_str);
            study.add_page(&format!("/s?q={number}"), &answer(), &urls);
        }
        let mut probes = 0;
        while let Some(probe) = study.next_probe() {
            study.record(&probe, &answer());
            probes += 1;
            assert!(probes <= 12);
        }
    }
}

#[test]
fn a_form_of_ten_thousand_options_and_many_inputs_is_bounded() {
    let mut inputs: Vec<Input> = (0..100).map(|_| crate::database::numbers("x", 2)).collect();
    inputs[0] = crate::database::numbers("large", 100_000);
    let mut search = Isit::new(&inputs, Settings::sequential(), 1);
    while let Some(submission) = search.next() {
        search.record(&submission, &Outcome::new([1, 2, 3]));
    }
    assert!(search.requests() < 200, "{}", search.requests());
}
