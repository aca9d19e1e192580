//! What the schema's kinds mean to a comparison.

use magpie_values::date::{self, DateContext, DateTime};
use magpie_values::identifier::{self, Scheme};

/// Kinds, as far as they are compared differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning<'a> {
    /// Words, among them those of kinds that this library does not know.
    Words,
    /// A person's name.
    Person,
    /// An organisation's name.
    Organisation,
    /// A place's name or address.
    Place,
    /// A date or time.
    Time,
    /// An identifier of the scheme named.
    Identifier(&'a str),
    /// An amount of money.
    Money,
    /// A number.
    Number,
    /// Equal or not: truth values, languages, lengths of time.
    Plain,
    /// The same says much and different nothing: two sites never share a URL.
    Address,
    /// Not compared: what people think of it today, and odds and ends.
    Nothing,
}

impl<'a> Meaning<'a> {
    pub(crate) fn of(kind: &'a str) -> Self {
        match kind {
            "person" => Self::Person,
            "organisation" => Self::Organisation,
            "place" => Self::Place,
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

    /// Whether a person would call the object by it.
    pub(crate) fn is_name(self) -> bool {
        matches!(
            self,
            Self::Words | Self::Person | Self::Organisation | Self::Place
        )
    }
}

/// An identifier in the one form that all its spellings share; none when it can't be one.
pub(crate) fn canonical(scheme: &str, text: &str) -> Option<String> {
    identifier::key(Scheme::parse(scheme), text)
}

/// A time, whatever form it is written in.
pub(crate) fn time(text: &str) -> Option<DateTime> {
    // What the host has normalised is ISO 8601, and read many times quicker this way.
    date::parse_iso(text).or_else(|| date::parse(text, &DateContext::default()))
}
