//! Strategies that choose the page of a site that is fetched next.
//!
//! | strategy | chooses |
//! |---|---|
//! | [`Walk`] | a link of the page before, by the weights of xCRAWL, with restarts |
//! | [`LinkClassifier`] | the link that looks most like links to accepted pages |
//! | [`Expected`] | the page with the largest expected number of new targets |

mod classifier;
mod expected;
mod walk;

pub use classifier::LinkClassifier;
pub use expected::{Expectation, Expected, Forecast};
pub use walk::{Choice, Walk, WalkSettings};

use magpie_model::CanonicalUrl;
use xxhash_rust::xxh3::xxh3_64;

use crate::PageId;

/// A link, or a page that a crawl begins with.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// The page that it leads to.
    pub target: PageId,
    pub url: &'a CanonicalUrl,
    /// The path of its element: names of elements with their classes, with `/` between them; empty
    /// for what is no link.
    pub path: &'a str,
    pub text: &'a str,
}

/// The result of a fetch.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    pub page: PageId,
    /// The validator accepted it.
    pub is_accepted: bool,
    /// Objects on it that were on no page before. Where objects are not distinguished, 1 for an
    pub new_objects: u64,
    /// Its links; none of a page that could not be read. A crawl that separates known pages passes
    /// only the links to pages that it did not know.
    pub links: &'a [Link<'a>],
    /// Its links to pages that were known before, if the crawl separates them.
    pub known: &'a [KnownLink<'a>],
}

/// A link to a page that is known.
#[derive(Clone, Copy, Debug)]
pub struct KnownLink<'a> {
    /// The page that it leads to.
    pub target: PageId,
    /// The path of its element.
    pub path: &'a str,
}

/// Chooses which page of a site is fetched next.
pub trait Strategy: Send {
    /// Makes a page known that the crawl may begin with.
    fn offer(&mut self, page: &Link<'_>);

    /// Takes the page to fetch next, each once; `None` if no page is known that was not taken.
    fn next(&mut self) -> Option<PageId>;

    /// Learns the result of a fetch. The page need not have been taken from here: visits of earlier
    /// runs are replayed in their order.
    fn visited(&mut self, visit: &Visit<'_>);
}

/// The number of a link's path, from which the links of a kind are known.
fn path_number(path: &str) -> u64 {
    match path {
        "" => 0,
        path => xxh3_64(path.as_bytes()),
    }
}
