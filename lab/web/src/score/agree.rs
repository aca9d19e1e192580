//! Comparison of values and similarity of objects.

use std::collections::BTreeMap;

use magpie_values::date::{self, DateTime};
use magpie_values::identifier::{self, Scheme};
use magpie_values::money::{self, MoneyContext};
use magpie_values::name::PersonName;
use magpie_values::similarity::token_set;
use magpie_values::{text, title};

use crate::content::PastEvent;

/// Minimum similarity of equal names and titles: a character or an article may differ.
const MIN_NAME_SIMILARITY: f64 = 0.8;
/// Minimum similarity of the titles of a found object and a true one.
const MIN_TITLE_SIMILARITY: f64 = 0.6;
const MIN_OBJECT_SIMILARITY: f64 = 0.55;

type Attributes = BTreeMap<String, Vec<String>>;

/// Returns true if found values agree with the true ones. For local values, which differ between
/// sites, one value that some site shows is enough.
pub(super) fn values_agree(name: &str, found: &[String], truth: &[String], is_local: bool) -> bool {
    let has = |pool: &[String], one: &String| pool.iter().any(|other| agrees(name, one, other));
    if is_local {
        return found.iter().any(|one| has(truth, one));
    }
    found.iter().all(|one| has(truth, one)) && truth.iter().all(|one| has(found, one))
}

fn agrees(name: &str, found: &str, truth: &str) -> bool {
    match name {
        "start" | "end" | "published" => moments_agree(found, truth),
        "price" => {
            let read = |text: &str| money::parse(text, &MoneyContext::default());
            read(found)
                .zip(read(truth))
                .is_some_and(|(one, other)| one.agrees_with(other))
        }
        // The host keeps 14 digits, pages show 13.
        "gtin" => identifier::same(Scheme::Gtin, found, truth) || text::bare(found) == text::bare(truth),
        "isbn" | "mpn" | "sku" | "model" => text::bare(found) == text::bare(truth),
        "authors" | "performers" => people_similarity(found, truth) >= MIN_NAME_SIMILARITY,
        "title" | "name" => title_similarity(found, truth) >= MIN_NAME_SIMILARITY,
        "rating" | "pages" | "availability" | "language" => found == truth,
        _ => token_set(found, truth) >= MIN_NAME_SIMILARITY,
    }
}

fn moments_agree(found: &str, truth: &str) -> bool {
    let read = |text| date::parse_iso(text).map(DateTime::without_offset);
    read(found)
        .zip(read(truth))
        .is_some_and(|(one, other)| one.agrees_with(other))
}

fn people_similarity(found: &str, truth: &str) -> f64 {
    match (PersonName::parse(found), PersonName::parse(truth)) {
        (Some(one), Some(other)) => one.similarity(&other),
        _ => token_set(found, truth),
    }
}

fn title_similarity(found: &str, truth: &str) -> f64 {
    title::similarity(found, truth).max(token_set(found, truth))
}

/// Returns the similarity of a found object and a true one, or `None` if they cannot be the same.
///
/// If both have an ISBN or GTIN, it decides. Events on different days differ. Otherwise the
/// similarity is a weighted mean over the title and over people, places and makers, as far as both
/// have them.
pub(super) fn similarity(found: &Attributes, truth: &Attributes) -> Option<f64> {
    let first =
        |attributes: &Attributes, name: &str| attributes.get(name).and_then(|values| values.first()).cloned();
    let both = |name: &str| first(found, name).zip(first(truth, name));
    let title = both("title")
        .or_else(|| both("name"))
        .map_or(0.0, |(one, other)| title_similarity(&one, &other));
    for number in ["isbn", "gtin"] {
        if let Some((one, other)) = both(number) {
            let is_same = agrees(number, &one, &other);
            return (is_same && title >= MIN_TITLE_SIMILARITY / 2.0).then_some(2.0 + title);
        }
    }
    if title < MIN_TITLE_SIMILARITY || both("start").is_some_and(|(one, other)| !same_day(&one, &other)) {
        return None;
    }
    let (mut sum, mut weight) = (2.0 * title, 2.0);
    for name in ["authors", "venue", "brand", "model"] {
        if let Some((one, other)) = both(name) {
            let alike = if name == "authors" {
                people_similarity(&one, &other)
            } else {
                token_set(&one, &other)
            };
            sum += alike;
            weight += 1.0;
        }
    }
    let alike = sum / weight;
    (alike >= MIN_OBJECT_SIMILARITY).then_some(alike)
}

/// Returns true if a found object is a past event of an old article, with its name and its day.
pub(super) fn is_past_event(found: &Attributes, bygone: &PastEvent) -> bool {
    let first = |name: &str| found.get(name).and_then(|values| values.first());
    let is_named =
        first("name").is_some_and(|name| title_similarity(name, &bygone.name) >= MIN_TITLE_SIMILARITY);
    is_named && first("start").is_some_and(|start| same_day(start, &bygone.start))
}

fn same_day(found: &str, truth: &str) -> bool {
    date::parse_iso(found)
        .zip(date::parse_iso(truth))
        .is_some_and(|(one, other)| one.same_day(other))
}
