//! Texts with a meaning: types for the contract's kinds.
//!
//! They hold what stood on the page. The host reads it (it knows the forms of many languages), so
//! a plugin need not; one that wants to calls `read`.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

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
        /// Holds the text as it stood on the page; make one with `.into()`.
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// The text as it stood on the page.
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
    /// A person's name.
    Person = "person";
    /// An organisation's name.
    Organisation = "organisation";
    /// A place's name, or an address.
    Place = "place";
    /// A date or a time of any precision.
    DateTime = "date-time";
    /// A length of time.
    Duration = "duration";
    /// An amount with its currency, or a range of them.
    Money = "money";
    /// A number with its scale: `4.2/5`.
    Rating = "rating";
    /// An absolute http(s) URL of a page.
    Url = "url";
    /// An absolute http(s) URL of a picture.
    Image = "image";
    /// A BCP 47 tag or a language's name.
    Language = "language";
    /// A book's number, of ten or thirteen digits.
    Isbn = "identifier:isbn";
    /// A periodical's number.
    Issn = "identifier:issn";
    /// The number under a bar code (EAN, UPC).
    Gtin = "identifier:gtin";
    /// A maker's own number for a product.
    Mpn = "identifier:mpn";
    /// A shop's own number for a product.
    Sku = "identifier:sku";
    /// A publication's digital object identifier.
    Doi = "identifier:doi";
}

impl DateTime {
    /// The time that the text says; none when it can't be read. [`Page::date_context`] knows the
    /// day and the language of a page.
    ///
    /// [`Page::date_context`]: crate::Page::date_context
    pub fn read(&self, context: &DateContext<'_>) -> Option<date::DateTime> {
        date::parse(self, context)
    }
}

impl Duration {
    /// The length of time that the text says.
    pub fn read(&self) -> Option<date::Duration> {
        date::parse_duration(self)
    }
}

impl Money {
    /// The amount that the text says. [`Page::money_context`] knows the language of a page.
    ///
    /// [`Page::money_context`]: crate::Page::money_context
    pub fn read(&self, context: &MoneyContext<'_>) -> Option<money::Money> {
        money::parse(self, context)
    }
}

impl Rating {
    /// The rating that the text says.
    pub fn read(&self) -> Option<number::Rating> {
        number::parse_rating(self).ok()
    }
}

impl Language {
    /// The language's two-letter code.
    pub fn read(&self) -> Option<String> {
        language::primary(self)
    }
}

/// Gives identifiers their normal form.
macro_rules! schemes {
    ($($name:ident = $scheme:ident;)*) => {$(
        impl $name {
            /// The identifier in its normal form; none when it is invalid.
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
