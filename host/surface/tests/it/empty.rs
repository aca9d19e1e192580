//! Result pages without results, in many styles.

use magpie_surface::Outcome;
use magpie_surface::empty::{EmptyPages, Method, Reason, ResultPage, bad_queries, is_inert};
use magpie_surface::text;

use crate::database::Database;
use crate::pages::{STYLES, ask, errors, learned};

#[test]
fn fitted_thresholds_tell_empty_pages_in_all_styles() {
    for (number, style) in STYLES.into_iter().enumerate() {
        for is_read in [false, true] {
            for seed in 0..4 {
                let errors = errors(style, Method::Fitted, is_read, seed);
                assert_eq!(errors, (0, 0), "style {number}, read {is_read}, seed {seed}");
            }
        }
    }
}

/// On a heavy template one hit changes less than 15 % of the page.
#[test]
fn the_published_threshold_fails_on_heavy_templates() {
    let wrong = |style| {
        (0..4)
            .map(|seed| errors(style, Method::Published, false, seed).1)
            .sum::<u32>()
    };
    assert_eq!(wrong(STYLES[0]), 0, "light templates are fine");
    assert!(wrong(STYLES[2]) > 20, "{}", wrong(STYLES[2]));
}

#[test]
fn did_you_mean_pages_are_empty() {
    let database = Database::new(800, 7);
    for style in [STYLES[0], STYLES[1]] {
        let pages = learned(&database, style, Method::Fitted, false, 7);
        let query = "bralme";
        let (_, text, count) = ask(&database, style, query, false);
        assert_eq!(count, 0);
        let text = text.replacen(
            "books found",
            "books found did you mean bralema bralda or bromeda",
            1,
        );
        let judgement = pages.judge(&ResultPage::new(&text, query, []));
        assert!(judgement.is_empty, "{judgement:?}");
        assert_eq!(judgement.reason, Reason::LikeReference);
    }
}

#[test]
fn objects_of_bad_queries_are_no_results() {
    let database = Database::new(800, 2);
    let pages = learned(&database, STYLES[4], Method::Fitted, true, 2);
    let (page, ..) = ask(&database, STYLES[4], "qqqqq", true);
    let judgement = pages.judge(&page);
    assert_eq!(
        (judgement.is_empty, judgement.reason),
        (true, Reason::ObjectsOfBadQueries)
    );
    let (page, ..) = ask(&database, STYLES[4], &database.title_words()[3], true);
    let judgement = pages.judge(&page);
    assert_eq!(
        (judgement.is_empty, judgement.reason),
        (false, Reason::OwnObjects)
    );
}

/// Adverts fill pages without results, so no text is common to them.
#[test]
fn objects_decide_where_references_are_unlike() {
    let advert = |seed: usize| -> String {
        let words = (seed * 100..seed * 100 + 60).map(|number| crate::database::name(number) + " ");
        words.collect()
    };
    let page = |query: &str, seed: usize, objects: &[u64]| {
        let text = format!("book shop {} imprint", advert(seed));
        ResultPage::new(&text, query, objects.iter().copied())
    };
    let mut pages = EmptyPages::new(Method::Fitted);
    for (seed, query) in bad_queries(4).iter().enumerate() {
        pages.add_reference(page(query, seed, &[]));
    }
    for (seed, query) in ["crow", "jay", "rome", "owl"].iter().enumerate() {
        pages.add_ordinary(page(query, 10 + seed, &[seed as u64]));
    }
    let judgement = pages.judge(&page("qqqq", 20, &[]));
    assert_eq!((judgement.is_empty, judgement.reason), (true, Reason::NoObjects));
    let judgement = pages.judge(&page("finch", 21, &[9]));
    assert_eq!(
        (judgement.is_empty, judgement.reason),
        (false, Reason::OwnObjects)
    );
}

#[test]
fn bad_queries_have_different_shapes_and_follow_from_the_seed() {
    let queries = bad_queries(1);
    assert_eq!(queries, bad_queries(1));
    assert_ne!(queries, bad_queries(2));
    let shape = |query: &String| {
        (
            query.len(),
            query.contains(' '),
            query.contains(|letter: char| letter.is_ascii_digit()),
        )
    };
    let shapes: std::collections::BTreeSet<_> = queries.iter().map(shape).collect();
    assert_eq!(shapes.len(), queries.len());
    assert!(
        queries
            .iter()
            .all(|query| text::words(query).len() <= 2 && query.len() >= 12)
    );
}

#[test]
fn an_inert_search_is_found_out() {
    let all = Outcome::new([1, 2, 3, 4]);
    let other = Outcome::new([1, 5, 6]);
    let empty = Outcome::new([]);
    assert!(is_inert(&[&all, &all], &[&all, &all]));
    assert!(!is_inert(&[&empty, &empty], &[&all, &other]));
    assert!(!is_inert(&[&all], &[&all, &other]));
    assert!(!is_inert(&[&all], &[&all]), "one good query is not enough");
    assert!(!is_inert(&[&empty], &[&empty, &empty]), "nothing was found");
    let mut pages = EmptyPages::new(Method::Fitted);
    let page = |query: &str| {
        ResultPage::new(
            &format!("search {query} these are all books we have"),
            query,
            [1, 2, 3],
        )
    };
    for query in bad_queries(3) {
        pages.add_reference(page(&query));
    }
    assert!(!pages.is_inert());
    pages.add_ordinary(page("rome"));
    pages.add_ordinary(page("crow"));
    assert!(pages.is_inert());
    pages.add_ordinary(ResultPage::new("search jay", "jay", [7]));
    assert!(!pages.is_inert());
}

#[test]
fn without_references_nothing_is_empty() {
    let pages = EmptyPages::new(Method::Fitted);
    let judgement = pages.judge(&ResultPage::new("", "", []));
    assert_eq!(
        (judgement.is_empty, judgement.reason),
        (false, Reason::NoReference)
    );
}
