//! A query and its parts.

use magpie_model::{Kind, words};
use magpie_values::Timestamp;
use magpie_values::coordinates::Coordinates;
use magpie_values::money::Currency;

/// A query: terms that must all hold. One without terms matches every object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    pub(crate) terms: Vec<Term>,
    pub(crate) now: Timestamp,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// True if the test must not hold.
    pub is_negated: bool,
    pub test: Test,
    /// The term in its usual form, as in `price<=20`. It parses to the same term.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// The label or a value has these words in a row.
    Words(Phrase),
    /// A value of the attribute has these words in a row.
    Contains(Field, Phrase),
    /// A value of the attribute has this [`equality_key`](crate::equality_key).
    Equals(Field, String),
    /// A value of the attribute, folded, has this part.
    Part(Field, String),
    /// A value of the attribute meets the interval.
    Within(Field, Interval),
    /// A place of the attribute is in the area.
    Inside(Field, Area),
    Has(Field),
    /// One of the attributes of identifiers has the key beside it.
    Identifier(Vec<(Field, String)>),
    /// A record of the object is on this site, which is one of its [`site_keys`](crate::site_keys).
    Site(String),
    Is(State),
    /// A time of the object itself is in the interval, in seconds since 1970.
    Seen(SeenTime, Interval),
}

/// An attribute that a test is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub kind: Kind,
}

/// Words in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// The folded words; there is at least one.
    pub words: Vec<String>,
    /// Matches words that begin with the last word, as in `light*`.
    pub is_prefix: bool,
}

/// Numbers between two bounds. Dates are seconds since 1970, durations are seconds, and money is an
/// amount of its currency.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interval {
    pub low: Option<Bound>,
    pub high: Option<Bound>,
    /// The currency. Amounts of another currency are outside; those without one are not.
    pub currency: Option<Currency>,
}

/// The part of the Earth between two latitudes and two longitudes, in degrees. Its west may be
/// greater than its east: the area then goes through the 180th meridian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub south: f64,
    /// The longitude at which it begins.
    pub west: f64,
    pub north: f64,
    /// The longitude at which it ends.
    pub east: f64,
}

impl Area {
    /// Returns true if a place is in the area.
    pub fn has(&self, place: Coordinates) -> bool {
        let (latitude, longitude) = (place.latitude(), place.longitude());
        let is_between = match self.west <= self.east {
            true => longitude >= self.west && longitude <= self.east,
            false => longitude >= self.west || longitude <= self.east,
        };
        is_between && latitude >= self.south && latitude <= self.north
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    pub at: f64,
    /// True if the number itself is in the interval.
    pub is_included: bool,
}

words! {
    /// The state of an object that a query asks for.
    pub enum State as "state in a query" {
        /// Seen for the first time in the last 7 days.
        New = "new",
        /// Changed in the last 7 days.
        Changed = "changed",
        /// Not expired.
        Current = "current",
        /// Its last date has passed.
        Expired = "expired",
        /// No page shows it any more.
        Gone = "gone",
    }
}

words! {
    /// A time of an object itself.
    pub enum SeenTime as "time of an object" {
        First = "first-seen",
        Last = "last-seen",
        /// When it last changed, came, went or came back.
        Changed = "changed",
        Expires = "expires",
    }
}

impl Query {
    /// Returns the query that matches every object.
    pub fn all(now: Timestamp) -> Query {
        Query {
            terms: Vec::new(),
            now,
        }
    }

    /// Returns the terms in the order they were written.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Returns the time for which the query was read.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns true if the query matches every object.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the query without one of its terms, as a person removes a filter.
    #[must_use]
    pub fn without(&self, term: usize) -> Query {
        let mut query = self.clone();
        if term < query.terms.len() {
            query.terms.remove(term);
        }
        query
    }
}

impl Interval {
    /// Returns true if the numbers from `low` to `high` and the interval have one in common.
    pub fn meets(&self, low: f64, high: f64) -> bool {
        let is_above = self.low.is_none_or(|bound| match bound.is_included {
            true => high >= bound.at,
            false => high > bound.at,
        });
        let is_below = self.high.is_none_or(|bound| match bound.is_included {
            true => low <= bound.at,
            false => low < bound.at,
        });
        is_above && is_below
    }

    /// Returns true if amounts of a currency may be in the interval.
    pub fn allows(&self, currency: Option<Currency>) -> bool {
        match (self.currency, currency) {
            (Some(wanted), Some(currency)) => wanted == currency,
            _ => true,
        }
    }

    pub(crate) fn between(low: f64, high: f64) -> Interval {
        Interval {
            low: Some(Bound::including(low)),
            high: Some(Bound::including(high)),
            currency: None,
        }
    }
}

impl Bound {
    pub(crate) fn including(at: f64) -> Bound {
        Bound {
            at,
            is_included: true,
        }
    }

    pub(crate) fn excluding(at: f64) -> Bound {
        Bound {
            at,
            is_included: false,
        }
    }
}
