//! The query language for objects.
//!
//! - [`Query::parse`] reads `jazz venue:"Old Mill" start>=2026-12-01 price<=20 is:new` against the
//!   schema of a vertical. Unknown attributes and values of the wrong kind are errors that name
//!   the expected ones.
//! - A [`Query`] prints as text that parses to the same query, so links and cursors can carry it.
//! - [`Query::matches`] is its meaning: it tests one object. An index must return the same objects.
//! - [`tokens`], [`interval`], [`equality_key`] and [`site_keys`] make of values what the tests
//!   compare, for scans and for indexes.
//!
//! All terms must hold. Of an attribute with several values, one that fits is enough. A term after
//! a hyphen must not hold. `docs/guides/query.md` describes the language for people.
//!
//! No I/O and no clock: the caller passes the time. Queries come from strangers: length, terms and
//! words are limited.

mod error;
mod matching;
mod moment;
mod parse;
mod print;
mod term;
mod values;

#[cfg(test)]
mod tests;

pub use error::QueryError;
pub use matching::Subject;
pub use print::equality_term;
pub use term::{Area, Bound, Field, Interval, Phrase, Query, SeenTime, State, Term, Test};
pub use values::{
    MAX_FACET_BYTES, ValueInterval, equality_key, has_facet, interval, is_ranged, is_searchable, site_keys,
    tokens,
};

/// Maximum length of a query in bytes. Each filter of a page adds some 40.
pub const MAX_QUERY_BYTES: usize = 2_000;

/// Maximum number of terms of a query.
pub const MAX_TERMS: usize = 32;

/// Maximum number of words of a phrase.
pub const MAX_PHRASE_WORDS: usize = 32;

/// The vertical and the time that a query is read against.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    pub attributes: &'a [magpie_model::Attribute],
    /// The present time. Words such as `today` mean days in UTC.
    pub now: magpie_values::Timestamp,
}
