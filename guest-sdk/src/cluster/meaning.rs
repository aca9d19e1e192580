//! Interpretation of the schema's kinds in a comparison.

use magpie_values::date::{self, DateContext, DateTime};
use magpie_values::identifier::{self, Scheme};

/// Kinds, grouped by the way their values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning<'a> {
    /// Words, including values of unknown kinds.
    Words,
    /// Name of a person.
    Person,
    /// Name of an organisation.
    Organisation,
    /// Name or address of a place.
    Place,
    /// A point on the Earth.
    Coordinates,
    /// A date or time.
    Time,
    /// An identifier of the given scheme.
    Identifier(&'a str),
    /// An amount of money.
    Money,
    /// A number.
    Number,
    /// Equal or not: booleans, languages, durations.
    Plain,
    /// A URL: equality is strong evidence. A difference says nothing, since two sites never share a
    /// URL.
    Address,
    /// Not compared: ratings, which change, and free-form properties.
    Nothing,
}

impl<'a> Meaning<'a> {
    pub(crate) fn of(kind: &'a str) -> Self {
        match kind {
            "person" => Self::Person,
            "organisation" => Self::Organisation,
            "place" => Self::Place,
            "coordinates" => Self::Coordinates,
            "date-time" => Self::Time,
            "money" => Self::Money,
            "number" => Self::Number,
            "boolean" | "language" | "duration" => Self::Plain,
            "url" | "image" => Self::Address,
            "properties" | "rating" => Self::Nothing,
            _ => kind
                .strip_prefix("identifier:")
                .map_or(Self::Words, Self::Identifier),
        }
    }

    /// Returns true for kinds of values by which a person would call the object.
    pub(crate) fn is_name(self) -> bool {
        matches!(
            self,
            Self::Words | Self::Person | Self::Organisation | Self::Place
        )
    }
}

/// Canonical form of an identifier, shared by all its spellings; `None` if it is not valid.
pub(crate) fn canonical(scheme: &str, text: &str) -> Option<String> {
    identifier::key(Scheme::parse(scheme), text)
}

/// Parses a time of any form.
pub(crate) fn time(text: &str) -> Option<DateTime> {
    // Values normalised by the host are ISO 8601; `parse_iso` reads those many times faster.
    date::parse_iso(text).or_else(|| date::parse(text, &DateContext::default()))
}
