//! Text types for the kinds of the contract.
//!
//! They hold the text as found on the page. The host parses it (it knows the forms of many
//! languages), so a plugin does not have to; a plugin that wants to calls `read`.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use magpie_values::coordinates::{self, Coordinates as Point};
use magpie_values::date::{self, DateContext};
use magpie_values::identifier::{self, Scheme};
use magpie_values::money::{self, MoneyContext};
use magpie_values::{language, number};

use super::value::{AttributeValue, ValueRef};

/// Declares one such type for each line.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $kind:literal;)*) => {$(
        $(#[doc = $doc])*
        ///
        /// Holds the text as found on the page; create one with `.into()`.
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// The text as found on the page.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl AttributeValue for $name {
            const KIND: &'static str = $kind;

            fn value(&self) -> ValueRef<'_> {
                ValueRef::Text(Cow::Borrowed(&self.0))
            }

            fn from_value(value: ValueRef<'_>) -> Option<Self> {
                Some(Self(value.into_text())).filter(|value| !value.0.is_empty())
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

kinds! {
    /// Name of a person.
    Person = "person";
    /// Name of an organisation.
    Organisation = "organisation";
    /// Name or address of a place.
    Place = "place";
    /// Latitude and longitude in degrees: `52.52,13.405`.
    Coordinates = "coordinates";
    /// A date or a time of any precision.
    DateTime = "date-time";
    /// A duration.
    Duration = "duration";
    /// An amount with its currency, or a range of amounts.
    Money = "money";
    /// A number with its scale: `4.2/5`.
    Rating = "rating";
    /// An absolute http(s) URL of a page.
    Url = "url";
    /// An absolute http(s) URL of a picture.
    Image = "image";
    /// A BCP 47 tag or the name of a language.
    Language = "language";
    /// ISBN of a book, with ten or thirteen digits.
    Isbn = "identifier:isbn";
    /// ISSN of a periodical.
    Issn = "identifier:issn";
    /// GTIN: the number under a bar code (EAN, UPC).
    Gtin = "identifier:gtin";
    /// Manufacturer part number of a product.
    Mpn = "identifier:mpn";
    /// Stock keeping unit: a shop's own id of a product.
    Sku = "identifier:sku";
    /// Digital object identifier of a publication.
    Doi = "identifier:doi";
}

impl DateTime {
    /// Parses the text; `None` if it is not a date or time. [`Page::date_context`] has the day and
    /// the language of a page.
    ///
    /// [`Page::date_context`]: crate::Page::date_context
    pub fn read(&self, context: &DateContext<'_>) -> Option<date::DateTime> {
        date::parse(self, context)
    }
}

impl Coordinates {
    /// Parses the text as a point.
    pub fn read(&self) -> Option<Point> {
        coordinates::parse(self).ok()
    }
}

impl Duration {
    /// Parses the text as a duration.
    pub fn read(&self) -> Option<date::Duration> {
        date::parse_duration(self)
    }
}

impl Money {
    /// Parses the text as an amount. [`Page::money_context`] has the language of a page.
    ///
    /// [`Page::money_context`]: crate::Page::money_context
    pub fn read(&self, context: &MoneyContext<'_>) -> Option<money::Money> {
        money::parse(self, context)
    }
}

impl Rating {
    /// Parses the text as a rating.
    pub fn read(&self) -> Option<number::Rating> {
        number::parse_rating(self).ok()
    }
}

impl Language {
    /// Two-letter code of the language.
    pub fn read(&self) -> Option<String> {
        language::primary(self)
    }
}

/// Implements `read` for identifiers.
macro_rules! schemes {
    ($($name:ident = $scheme:ident;)*) => {$(
        impl $name {
            /// Returns the identifier in its normal form; `None` if it is invalid.
            pub fn read(&self) -> Option<String> {
                identifier::normalise(Scheme::$scheme, self).ok()
            }
        }
    )*};
}

schemes! {
    Isbn = Isbn;
    Issn = Issn;
    Gtin = Gtin;
    Mpn = Mpn;
    Sku = Sku;
    Doi = Doi;
}
