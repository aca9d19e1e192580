//! The types of a knowledge base that a site has.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::text::{self, Frequencies};

/// Minimum score of a matching type relative to the best, as published.
pub const RELATIVE_THRESHOLD: f64 = 0.5;

/// The match of a site with a type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeMatch {
    pub kind: usize,
    /// Cosine of the TF-IDF weights of the words of both, 0 to 1.
    pub score: f64,
    /// True if the score is at least the threshold times the best score.
    pub is_match: bool,
}

/// Compares the entity queries of a site with the names of each type, and returns the matches by
/// falling score.
pub fn match_types(
    site_queries: &[String],
    types: &[Vec<String>],
    relative_threshold: f64,
) -> Vec<TypeMatch> {
    let words =
        |names: &[String]| -> Vec<String> { names.iter().flat_map(|name| text::words(name)).collect() };
    let documents: Vec<Vec<String>> = types.iter().map(|names| words(names)).collect();
    let mut frequencies = Frequencies::default();
    for document in &documents {
        frequencies.add(document.iter().map(String::as_str));
    }
    let vector =
        |document: &[String]| -> BTreeMap<String, f64> { frequencies.top(document).into_iter().collect() };
    let site = vector(&words(site_queries));
    let mut matches: Vec<TypeMatch> = documents
        .iter()
        .enumerate()
        .map(|(kind, document)| TypeMatch {
            kind,
            score: cosine(&site, &vector(document)),
            is_match: false,
        })
        .collect();
    matches.sort_by(|one, other| other.score.total_cmp(&one.score));
    let best = matches.first().map_or(0.0, |best| best.score);
    for found in &mut matches {
        found.is_match = found.score > 0.0 && found.score >= relative_threshold * best;
    }
    matches
}

fn cosine(one: &BTreeMap<String, f64>, other: &BTreeMap<String, f64>) -> f64 {
    let product: f64 = one
        .iter()
        .filter_map(|(word, weight)| other.get(word).map(|second| weight * second))
        .sum();
    let norm =
        |vector: &BTreeMap<String, f64>| vector.values().map(|weight| weight * weight).sum::<f64>().sqrt();
    let norms = norm(one) * norm(other);
    if norms > 0.0 { product / norms } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn the_type_of_a_site_is_found() {
        let types = [
            names(&["Canon EOS", "Nikon Z", "Leica Q"]),
            names(&["Oak Table", "Pine Chair", "Red Sofa"]),
            names(&["Canon EOS Red", "Tripod"]),
        ];
        let site = names(&["canon eos", "nikon", "leica q"]);
        let matches = match_types(&site, &types, RELATIVE_THRESHOLD);
        let found: Vec<(usize, bool)> = matches.iter().map(|found| (found.kind, found.is_match)).collect();
        assert_eq!(found, [(0, true), (2, false), (1, false)]);
        assert!(match_types(&site, &types, 0.1)[1].is_match);
        assert!(match_types(&[], &types, 0.5).iter().all(|found| !found.is_match));
    }

    /// Two types of one word each; the site has one: the cosine with it is 1, with the other 0.
    #[test]
    fn scores_by_hand() {
        let types = [names(&["ash"]), names(&["elm"])];
        let matches = match_types(&names(&["ash"]), &types, 0.5);
        assert!((matches[0].score - 1.0).abs() < 1e-12);
        assert_eq!(matches[1].score, 0.0);
    }
}
