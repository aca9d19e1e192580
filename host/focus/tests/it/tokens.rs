//! Weights of words, and queries from the middle.

use std::collections::BTreeSet;

use magpie_focus::tokens::{MiddleOut, Sample, Token, given, harmonic_mean, set_hits, weigh, words};
use proptest::prelude::*;

fn token(word: &str, weight: f64) -> Token {
    Token {
        word: word.to_owned(),
        tf_idf: weight,
        search: weight,
    }
}

#[test]
fn harmonic_mean_is_as_published() {
    for (one, other, expected) in [
        (0.8, 0.2, 0.32),
        (1.0, 1.0, 1.0),
        (0.0, 1.0, 0.0),
        (0.5, 0.5, 0.5),
    ] {
        assert!(
            (harmonic_mean(one, other) - expected).abs() < 1e-9,
            "{one}, {other}"
        );
    }
}

#[test]
fn words_are_runs_of_letters_without_numbers() {
    let found: Vec<String> = words("Der 18-55mm Zoom, f/3.5 (2024) ÜBER-Sensor x").collect();
    assert_eq!(found, ["der", "55mm", "zoom", "über", "sensor"]);
}

#[test]
fn stop_words_are_those_of_the_language() {
    let sample = |text: &'static str, language: &'static str| Sample { text, language };
    let found = |sample: Sample<'_>| -> BTreeSet<String> {
        weigh(&[sample]).into_iter().map(|token| token.word).collect()
    };
    assert!(found(sample("the die war zoom", "en")).contains("die"));
    assert!(!found(sample("the die war zoom", "de-AT")).contains("die"));
    assert_eq!(
        found(sample("the die war zoom", "")),
        BTreeSet::from(["zoom".to_owned()])
    );
}

/// Two samples of four words. `zoom` is in both: (1/4 + 1/4) / 2 * ln 2 = .1733. `sensor` is twice
/// in the first: (2/4) / 2 * ln 3 = .2747, the largest. `lens` is once in one: .1373.
#[test]
fn tf_idf_is_as_by_hand() {
    let samples = [
        Sample {
            text: "zoom sensor sensor lens",
            language: "en",
        },
        Sample {
            text: "zoom screen battery flash",
            language: "en",
        },
    ];
    let tokens = weigh(&samples);
    let of = |word: &str| {
        tokens
            .iter()
            .find(|token| token.word == word)
            .expect("a token")
            .tf_idf
    };
    assert_eq!(tokens[0].word, "sensor");
    assert!((of("sensor") - 1.0).abs() < 1e-9);
    assert!((of("zoom") - 0.25 * 2_f64.ln() / (0.25 * 3_f64.ln())).abs() < 1e-9);
    assert!((of("lens") - 0.5).abs() < 1e-9);
}

#[test]
fn hits_are_weighed_by_the_largest_number() {
    let mut tokens = given(["Camera", "zoom", "zoom", " "]);
    assert_eq!(tokens.len(), 2);
    set_hits(&mut tokens, &[1_000, 250]);
    assert!((tokens[0].search - 1.0).abs() < 1e-9 && (tokens[1].search - 0.25).abs() < 1e-9);
    assert!((tokens[1].weight() - 0.4).abs() < 1e-9);
}

/// The published example: the word in the middle with its neighbours is the first query.
#[test]
fn the_first_query_is_the_middle_with_its_neighbours() {
    let words = [
        "camera",
        "price",
        "sensor",
        "specifications",
        "zoom",
        "bokeh",
        "dioptre",
    ];
    let tokens: Vec<Token> = (0..)
        .zip(words)
        .map(|(place, word)| token(word, 1.0 - 0.1 * f64::from(place)))
        .collect();
    let queries: Vec<Vec<String>> = MiddleOut::new(&tokens, 3).collect();
    assert_eq!(queries[0], ["specifications", "sensor", "zoom"]);
    // Distances add up to 3: the middle, one of its neighbours, one at distance 2.
    let next: BTreeSet<&[String]> = queries[1..5].iter().map(Vec::as_slice).collect();
    assert_eq!(next.len(), 4);
    for query in next {
        assert!(query.contains(&"specifications".to_owned()));
        assert!(query.contains(&"price".to_owned()) || query.contains(&"bokeh".to_owned()));
    }
    assert_eq!(queries.len(), 35, "all combinations of 3 of 7");
    let distinct: BTreeSet<&Vec<String>> = queries.iter().collect();
    assert_eq!(distinct.len(), 35);
}

#[test]
fn few_words_are_one_query() {
    let tokens = [token("zoom", 0.5), token("lens", 0.4)];
    let queries: Vec<Vec<String>> = MiddleOut::new(&tokens, 3).collect();
    assert_eq!(queries.len(), 1);
    assert_eq!(MiddleOut::new(&[], 3).next(), None);
    assert_eq!(MiddleOut::new(&[token("zoom", 0.0)], 3).next(), None);
}

proptest! {
    #[test]
    fn queries_go_outwards(count in 1_usize..12, length in 1_usize..4) {
        let tokens: Vec<Token> = (0..count)
            .map(|place| token(&format!("word{place:02}"), 1.0 - 0.01 * place as f64))
            .collect();
        let distance = |word: &String| word[4..].parse::<usize>().expect("a place").abs_diff(count / 2);
        let mut last = (0, 0);
        let queries: Vec<Vec<String>> = MiddleOut::new(&tokens, length).collect();
        prop_assert!(!queries.is_empty());
        for query in queries {
            let distances: Vec<usize> = query.iter().map(distance).collect();
            let key = (distances.iter().sum::<usize>(), distances.iter().copied().max().unwrap_or(0));
            prop_assert!(key >= last, "{query:?}");
            last = key;
        }
    }
}
