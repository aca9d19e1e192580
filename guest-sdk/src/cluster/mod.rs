//! Comparison of objects by the schema alone.
//!
//! These are the default bodies of the functions of [`Vertical`](crate::Vertical). They use the
//! schema (kinds, identifying attributes, weights) and know nothing of any vertical. To build upon
//! them:
//!
//! ```
//! use magpie_sdk::{Record, Verdict, cluster};
//!
//! # #[derive(Record)]
//! # struct Event { #[attribute(identifies)] name: String, cancelled: Option<bool> }
//! fn compare(one: &Event, other: &Event) -> Verdict {
//!     let mut verdict = cluster::compare(one, other);
//!     if one.cancelled != other.cancelled {
//!         verdict.probability *= 0.9;
//!         verdict.reasons.push("one is cancelled".to_owned());
//!     }
//!     verdict
//! }
//! ```

mod compare;
mod keys;
mod merge;
mod normal;
mod similarity;

pub use compare::compare;
pub use keys::keys;
pub use merge::{label, merge};

use std::borrow::Cow;

use crate::record::{Record, ValueRef};

/// Values of a record, grouped by attribute.
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

    /// All values of an attribute, by its index in the schema.
    pub(crate) fn all(&self, attribute: usize) -> &[Cow<'r, str>] {
        &self.by_attribute[attribute]
    }

    /// First value of an attribute.
    pub(crate) fn first(&self, attribute: usize) -> Option<&str> {
        self.all(attribute).first().map(|value| &**value)
    }
}
