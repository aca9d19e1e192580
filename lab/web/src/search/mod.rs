//! A search engine over the generated pages. It answers in the format of SearXNG.
//!
//! Its index is refreshed only every few weeks and covers some sites better than others. The
//! ranking combines words with a reputation of each site. A query returns only a few pages of
//! results, but reports the total number of hits.

mod answer;
mod index;

pub(crate) use index::IndexCache;

use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hit {
    pub url: String,
    pub title: String,
    /// Other text from the page.
    pub content: String,
    /// Relevance; only comparable within a query.
    pub score: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Hits {
    pub total: u64,
    pub hits: Vec<Hit>,
}
