//! Tests of URL patterns: parsing and printing, matching, and induction.

mod inducing;
mod properties;
mod reading;

use magpie_model::CanonicalUrl;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::trusted(text).unwrap_or_else(|| panic!("{text} is no canonical URL"))
}

fn urls(texts: &[&str]) -> Vec<CanonicalUrl> {
    texts
        .iter()
        .map(|text| url(&format!("http://hall.example{text}")))
        .collect()
}
