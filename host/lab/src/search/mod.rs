//! A search engine over the generated pages, which answers as SearXNG does.
//!
//! It knows the web as it was when it last looked, knows some sites better than others, ranks by words and by the
//! standing of sites, gives no more than a few pages of results for a query, and says how many hits it counted.

mod answer;
mod index;

pub(crate) use index::IndexShelf;

use serde::Serialize;

/// A hit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hit {
    /// The page.
    pub url: String,
    /// Its title.
    pub title: String,
    /// What else stands on it.
    pub content: String,
    /// How well it fits, only good for comparing within a query.
    pub score: f64,
}

/// What a query found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Hits {
    /// About how many pages fit.
    pub total: u64,
    /// One page of them, best first.
    pub hits: Vec<Hit>,
}
