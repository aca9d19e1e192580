//! Values in the form in which they are compared.

use magpie_values::date::{self, DateContext, DateTime};
use magpie_values::identifier::{self, Scheme};

/// Canonical form of an identifier, shared by all its spellings; `None` if it is not valid.
pub(crate) fn canonical(scheme: &str, text: &str) -> Option<String> {
    identifier::key(Scheme::parse(scheme), text)
}

/// Parses a time of any form.
pub(crate) fn time(text: &str) -> Option<DateTime> {
    // Values normalised by the host are ISO 8601; `parse_iso` reads those many times faster.
    date::parse_iso(text).or_else(|| date::parse(text, &DateContext::default()))
}
