//! Keywords for text boxes.

use magpie_surface::Outcome;
use magpie_surface::probe::{Method, Settings, TextProbe};

use crate::database::Database;
use crate::trials;

#[test]
fn first_pages_of_five_hundred_keywords() {
    for seed in 0..3 {
        let database = Database::new(4_000, seed);
        let published = trials::probe(&database, Method::Published, false, 500, seed);
        let adaptive = trials::probe(&database, Method::Adaptive, false, 500, seed);
        assert!(published.is_informative());
        assert!(published.found() > 1_400, "{}", published.found());
        assert!(adaptive.found() > 2_600, "{}", adaptive.found());
        assert!(
            adaptive.found() as f64 > 1.26 * published.found() as f64,
            "{}",
            published.found()
        );
        assert!(adaptive.requests() <= 500 && published.requests() <= 500);
        let selected = published.selected();
        assert!(!selected.is_empty() && selected.len() <= published.requests());
    }
}

/// No method needs fewer than 4,000 / 20 · .95 = 190 requests.
#[test]
fn paging_reaches_nearly_all() {
    for seed in 0..3 {
        let database = Database::new(4_000, seed);
        let (requests, keywords) = trials::requests_to(&database, 0.95, seed);
        assert!(requests < 520, "{requests}");
        assert!(keywords < 320, "{keywords}");
    }
}

#[test]
fn limited_answers_are_not_paged_beyond_their_end() {
    let mut database = Database::new(2_000, 1);
    database.top = Some(50);
    database.states_count = false;
    let probe = trials::probe(&database, Method::Adaptive, true, 200, 1);
    assert!(probe.found() > 900, "{}", probe.found());
}

#[test]
fn a_box_that_is_no_search_is_left() {
    let mut probe = TextProbe::new(
        Settings::new(Method::Published),
        &"alpha beta gamma delta ".repeat(9),
        &[],
    );
    let mut requests = 0;
    while let Some(query) = probe.next() {
        probe.record(&query, &Outcome::new([1, 2]), "the same page", &[]);
        requests += 1;
    }
    assert_eq!(requests, 4);
    assert!(
        probe.is_informative(),
        "one answer to four keywords is at the threshold"
    );
    let words: String = (0..40).map(|number| format!("word{number} ")).collect();
    let mut probe = TextProbe::new(Settings::new(Method::Published), &words, &[]);
    while let Some(query) = probe.next() {
        probe.record(&query, &Outcome::new([1, 2]), "the same page", &[]);
    }
    assert_eq!(probe.requests(), 40);
    assert!(!probe.is_informative());
}
