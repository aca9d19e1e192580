//! Arguments of result URLs.
//!
//! A *selection* argument changes which objects a query finds; arguments for presentation, paging
//! and tracking do not. URLs with the same selection segments need one fetch.
//!
//! The published method drops arguments that occur on nearly every result page. It loses selections
//! on sites of one vertical, where all pages offer the same filters. The improved method orders the
//! arguments by prevalence, and decides by their effect on sets of objects.

mod effect;
mod key;
mod prevalence;
mod segments;
mod study;

pub use effect::Effect;
pub use key::semantic_key;
pub use prevalence::Prevalence;
pub use segments::{MAX_SEGMENTS, Segment, segments, with_segment};
pub use study::{ArgumentStudy, MAX_PROBES, Method, Probe};

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Holds the query.
    Query,
    /// Restricts the results.
    Selection,
    /// Changes the order or look of the results.
    Presentation,
    /// Selects a page of the results.
    Paging,
    Irrelevant,
}

impl Kind {
    /// Returns true if URLs that differ in such an argument find different objects.
    pub fn is_selective(self) -> bool {
        matches!(self, Kind::Query | Kind::Selection)
    }
}
