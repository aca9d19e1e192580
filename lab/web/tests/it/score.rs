//! Tests of scores: hand-made tables, and crawls that are right or wrong on purpose.

use std::collections::BTreeMap;

use magpie_lab::{Fetch, Found, FoundObject, PageKind, TrueObject, TruePage, Truth, Vertical, score};

fn attributes(pairs: &[(&str, &str)]) -> BTreeMap<String, Vec<String>> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), vec![(*value).to_owned()]))
        .collect()
}

fn object(id: u32, pages: &[u32], pairs: &[(&str, &str)]) -> TrueObject {
    TrueObject {
        id,
        attributes: attributes(pairs),
        local: BTreeMap::new(),
        pages: pages.to_vec(),
        is_gone: false,
    }
}

fn page(url: &str, objects: &[u32]) -> TruePage {
    TruePage {
        is_scripted: false,
        url: url.to_owned(),
        site: 0,
        kind: PageKind::List,
        objects: objects.to_vec(),
        mentions: Vec::new(),
        decoys: Vec::new(),
        bygone: Vec::new(),
        is_broken: false,
        is_forbidden: false,
    }
}

/// Two shows with the same name on different days, and another one; a list with all three, and
/// detail pages of the first two.
fn table() -> Truth {
    let objects = vec![
        object(
            1,
            &[0, 1],
            &[
                ("name", "Silent Harbour"),
                ("start", "2026-11-20T19:30"),
                ("venue", "Old Foundry"),
            ],
        ),
        object(
            2,
            &[0, 2],
            &[
                ("name", "Silent Harbour"),
                ("start", "2026-11-21T19:30"),
                ("venue", "Old Foundry"),
            ],
        ),
        object(
            3,
            &[0],
            &[("name", "The Copper Moths"), ("start", "2026-12-01T20:00")],
        ),
    ];
    let pages = vec![
        page("http://a/list", &[1, 2, 3]),
        page("http://a/1", &[1]),
        page("http://a/2", &[2]),
        page("http://a/help", &[]),
    ];
    Truth::new(0, objects, pages)
}

fn found(pairs: &[(&str, &str)], sources: &[&str]) -> FoundObject {
    FoundObject {
        attributes: attributes(pairs),
        sources: sources.iter().map(|url| (*url).to_owned()).collect(),
    }
}

fn score_of(objects: Vec<FoundObject>) -> magpie_lab::Score {
    score(
        &table(),
        &Found {
            objects,
            fetches: Vec::new(),
        },
    )
}

#[test]
fn found_objects_are_matched_one_to_one() {
    let score = score_of(vec![
        found(
            &[("name", "Silent Harbour"), ("start", "2026-11-20")],
            &["http://a/list"],
        ),
        found(
            &[("name", "SILENT HARBOUR"), ("start", "2026-11-21T19:30")],
            &["http://a/2"],
        ),
        // The first object again, which no clusterer merged with it.
        found(
            &[("name", "Silent Harbor"), ("start", "2026-11-20T19:30")],
            &["http://a/1"],
        ),
        found(
            &[("name", "Cookies and privacy"), ("start", "2026-11-01")],
            &["http://a/help"],
        ),
    ]);
    assert_eq!(
        (score.distinct, score.correct, score.split, score.objects),
        (4, 2, 1, 3)
    );
    assert_eq!((score.phantoms, score.phantoms_by_decoy["none"]), (1, 1));
    assert_eq!((score.precision, score.recall), (0.5, 2.0 / 3.0));
}

#[test]
fn a_wrong_day_is_another_event() {
    let score = score_of(vec![found(
        &[("name", "The Copper Moths"), ("start", "2026-12-02")],
        &["http://a/list"],
    )]);
    assert_eq!((score.distinct, score.correct, score.split), (1, 0, 0));
}

#[test]
fn values_are_compared_where_both_have_one() {
    let score = score_of(vec![
        found(
            &[
                ("name", "Silent Harbour"),
                ("start", "2026-11-20T18:00"),
                ("venue", "Old Foundry"),
            ],
            &["http://a/1"],
        ),
        found(
            &[("name", "Copper Moths"), ("start", "2026-12-01T20:00")],
            &["http://a/list"],
        ),
    ]);
    assert_eq!(score.correct, 2);
    let start = score.attributes["start"];
    assert_eq!((start.compared, start.right, start.missing), (2, 1, 0));
    assert_eq!(
        (
            score.attributes["venue"].compared,
            score.attributes["venue"].missing
        ),
        (1, 0)
    );
    assert_eq!(score.accuracy, 4.0 / 5.0);
}

/// One of the other objects has a venue; that of the third is invented.
#[test]
fn values_that_the_truth_does_not_have_are_invented() {
    let score = score_of(vec![found(
        &[
            ("name", "The Copper Moths"),
            ("start", "2026-12-01T20:00"),
            ("venue", "Moths"),
            ("performers", "Organization"),
        ],
        &["http://a/list"],
    )]);
    let venue = score.attributes["venue"];
    assert_eq!((venue.compared, venue.invented, venue.accuracy), (0, 1, 0.0));
    assert!(
        !score.attributes.contains_key("performers"),
        "no object has performers"
    );
}

/// The host keeps GTINs with 14 digits, pages show 8 to 13.
#[test]
fn bar_codes_of_any_length_agree() {
    let objects = vec![object(
        1,
        &[0],
        &[("name", "Kettle G7920"), ("gtin", "4025275320215")],
    )];
    let truth = Truth::new(0, objects, vec![page("http://a/1", &[1])]);
    let found = Found {
        objects: vec![found(
            &[("name", "Kettle G7920"), ("gtin", "04025275320215")],
            &["http://a/1"],
        )],
        fetches: Vec::new(),
    };
    let score = score(&truth, &found);
    assert_eq!(
        (score.correct, score.phantoms, score.attributes["gtin"].right),
        (1, 0, 1)
    );
}

#[test]
fn objects_without_sources_match_by_name() {
    let score = score_of(vec![found(
        &[("name", "the copper moths"), ("start", "2026-12-01")],
        &[],
    )]);
    assert_eq!(score.correct, 1);
}

/// The first is similar to both true objects, the second only to the first of these, so the first
/// must take the other.
#[test]
fn the_matching_is_maximal() {
    let score = score_of(vec![
        found(&[("name", "Silent Harbour")], &["http://a/list"]),
        found(
            &[
                ("name", "Silent Harbour"),
                ("start", "2026-11-20"),
                ("venue", "Foundry"),
            ],
            &["http://a/1"],
        ),
    ]);
    assert_eq!(score.correct, 2);
}

#[test]
fn fetches_are_counted_with_their_objects() {
    let fetch = |url: &str, status| Fetch {
        url: url.to_owned(),
        status,
        bytes: 100,
    };
    let fetches = vec![
        fetch("http://a/1", 200),
        fetch("http://a/help", 200),
        fetch("http://a/list", 200),
        fetch("http://a/2", 200),
        fetch("http://a/2", 503),
    ];
    let score = score(
        &table(),
        &Found {
            objects: Vec::new(),
            fetches,
        },
    );
    assert_eq!(
        (
            score.pages,
            score.bytes,
            score.object_pages,
            score.reached,
            score.redundant_pages
        ),
        (5, 500, 3, 3, 1)
    );
    assert_eq!(score.redundancy, 1.0 / 3.0);
}

#[test]
fn a_perfect_crawl_has_perfect_scores() {
    for vertical in Vertical::ALL {
        let web = crate::support::calm(vertical, 8);
        let truth = web.truth(2);
        let objects = truth.objects.iter().map(|object| FoundObject {
            attributes: object.attributes.clone(),
            sources: vec![truth.pages[object.pages[0] as usize].url.clone()],
        });
        let score = score(
            &truth,
            &Found {
                objects: objects.collect(),
                fetches: Vec::new(),
            },
        );
        assert_eq!(
            (score.precision, score.recall, score.accuracy),
            (1.0, 1.0, 1.0),
            "{vertical:?}"
        );
    }
}
