//! When two objects are the same, by the schema alone.
//!
//! These are the bodies that [`Vertical`](crate::Vertical) gives its functions. They know what the
//! schema says (kinds, what identifies, weights) and nothing of any vertical. To build upon them:
//!
//! ```
//! use magpie_sdk::{Record, Verdict, cluster};
//!
//! # #[derive(Record)] struct Event { #[attribute(identifies)] name: String, cancelled: Option<bool> }
//! fn compare(one: &Event, other: &Event) -> Verdict {
//!     let mut verdict = cluster::compare(one, other);
//!     if one.cancelled != other.cancelled {
//!         verdict.probability *= 0.9;
//!         verdict.reasons.push("one is cancelled".to_owned());
//!     }
//!     verdict
//! }
//! ```

mod alike;
mod compare;
mod keys;
mod meaning;
mod merge;

pub use compare::compare;
pub use keys::keys;
pub use merge::{label, merge};

pub(crate) use meaning::Meaning;

use std::borrow::Cow;

use crate::record::{Record, ValueRef};

/// The values of a record, sorted by attribute.
pub(crate) struct Values<'r> {
    by_attribute: Vec<Vec<Cow<'r, str>>>,
}

impl<'r> Values<'r> {
    pub(crate) fn of<R: Record>(record: &'r R) -> Self {
        let mut by_attribute = vec![Vec::new(); R::SCHEMA.len()];
        record.visit(&mut |attribute, value| {
            by_attribute[attribute].push(match value {
                ValueRef::Text(text) | ValueRef::Json(text) => text,
                other => Cow::Owned(other.into_text()),
            });
        });
        Self { by_attribute }
    }

    /// All values of an attribute, by its place in the schema.
    pub(crate) fn all(&self, attribute: usize) -> &[Cow<'r, str>] {
        &self.by_attribute[attribute]
    }

    /// The first value of an attribute.
    pub(crate) fn first(&self, attribute: usize) -> Option<&str> {
        self.all(attribute).first().map(|value| &**value)
    }
}
