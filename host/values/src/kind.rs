//! Semantic kinds: the facts about each that the host and the SDK use.
//!
//! Code asks a kind for its [`Shape`] or its [`Comparison`] instead of naming it, so a new kind is
//! a row of facts here. `docs/guides/semantic-types.md` lists the other places.

/// Facts about a kind.
#[derive(Debug, PartialEq)]
pub struct Facts {
    /// Name in the contract.
    pub name: &'static str,
    /// Noun phrase for one value, as in "expected a date or time".
    pub noun: &'static str,
    /// A value as JSON, as in a file of seeds; empty if any text will do.
    pub example: &'static str,
    /// Form of a value that the host has read.
    pub shape: Shape,
    /// Method of comparing two values.
    pub comparison: Comparison<'static>,
    /// True if many objects may share a value, so that values are counted as a facet.
    pub is_shared: bool,
}

/// Form of a value that the host has read. It decides on operators of queries, columns of exports
/// and JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Words, which are searched.
    Text,
    /// A code that is compared as a whole, and searched.
    Code,
    /// An absolute URL.
    Address,
    /// A point on the Earth: `52.52,13.405`.
    Point,
    /// A date or time in ISO 8601.
    Moment,
    /// A length of time in ISO 8601.
    Span,
    /// An amount with its currency, or a range of amounts.
    Amount,
    /// A decimal number.
    Number,
    /// A number with its scale: `4.5/5`.
    Rating,
    /// `true` or `false`.
    Truth,
    /// A flat JSON object.
    Object,
}

impl Shape {
    /// Returns true if values are compared as numbers, so that they have an order and ranges.
    #[must_use]
    pub const fn is_ranged(self) -> bool {
        matches!(
            self,
            Self::Moment | Self::Span | Self::Amount | Self::Number | Self::Rating
        )
    }
}

/// Method of comparing two values when objects of two sites may be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison<'a> {
    /// By their words.
    Words,
    /// As names of people.
    Person,
    /// As names of organisations.
    Organisation,
    /// As names or addresses of places.
    Place,
    /// By their distance.
    Distance,
    /// As days and times.
    Time,
    /// As amounts in a currency.
    Money,
    /// As numbers.
    Number,
    /// As identifiers of a scheme.
    Identifier(&'a str),
    /// As equal or not.
    Equality,
    /// As equal or not, where only equality says something: two sites never share a URL.
    Address,
    /// As names with values.
    Properties,
    /// Not at all: ratings differ from site to site.
    Nothing,
}

impl Comparison<'_> {
    /// Returns true if people call an object by such values.
    #[must_use]
    pub const fn is_of_names(self) -> bool {
        matches!(
            self,
            Self::Words | Self::Person | Self::Organisation | Self::Place
        )
    }
}

/// Words of any kind, also those of a kind that is not known here.
pub const TEXT: Facts = Facts {
    name: "text",
    noun: "text",
    example: "",
    shape: Shape::Text,
    comparison: Comparison::Words,
    is_shared: true,
};

/// A person's name.
pub const PERSON: Facts = Facts {
    name: "person",
    noun: "a person's name",
    comparison: Comparison::Person,
    ..TEXT
};

/// An organisation's name.
pub const ORGANISATION: Facts = Facts {
    name: "organisation",
    noun: "an organisation's name",
    comparison: Comparison::Organisation,
    ..TEXT
};

/// A place's name, or an address.
pub const PLACE: Facts = Facts {
    name: "place",
    noun: "a place's name or address",
    comparison: Comparison::Place,
    ..TEXT
};

/// A point on the Earth.
pub const COORDINATES: Facts = Facts {
    name: "coordinates",
    noun: "a latitude and longitude",
    example: "\"52.52,13.405\"",
    shape: Shape::Point,
    comparison: Comparison::Distance,
    is_shared: false,
};

/// A date or time of any precision.
pub const DATE_TIME: Facts = Facts {
    name: "date-time",
    noun: "a date or time",
    example: "\"2026-05-03T19:30\"",
    shape: Shape::Moment,
    comparison: Comparison::Time,
    is_shared: false,
};

/// A length of time.
pub const DURATION: Facts = Facts {
    name: "duration",
    noun: "a duration",
    example: "\"90 min\"",
    shape: Shape::Span,
    comparison: Comparison::Equality,
    is_shared: false,
};

/// An amount with its currency, or a range of amounts.
pub const MONEY: Facts = Facts {
    name: "money",
    noun: "an amount with its currency",
    example: "\"12.50 EUR\"",
    shape: Shape::Amount,
    comparison: Comparison::Money,
    is_shared: false,
};

/// A plain number.
pub const NUMBER: Facts = Facts {
    name: "number",
    noun: "a number",
    example: "249",
    shape: Shape::Number,
    comparison: Comparison::Number,
    is_shared: false,
};

/// A number with its scale.
pub const RATING: Facts = Facts {
    name: "rating",
    noun: "a rating with its scale",
    example: "\"4.5/5\"",
    shape: Shape::Rating,
    comparison: Comparison::Nothing,
    is_shared: false,
};

/// Yes or no.
pub const BOOLEAN: Facts = Facts {
    name: "boolean",
    noun: "true or false",
    example: "true",
    shape: Shape::Truth,
    comparison: Comparison::Equality,
    is_shared: true,
};

/// An absolute URL of a page.
pub const URL: Facts = Facts {
    name: "url",
    noun: "the URL of a page",
    example: "\"https://example.org/page\"",
    shape: Shape::Address,
    comparison: Comparison::Address,
    is_shared: false,
};

/// An absolute URL of a picture.
pub const IMAGE: Facts = Facts {
    name: "image",
    noun: "the URL of a picture",
    example: "\"https://example.org/picture.jpg\"",
    ..URL
};

/// A language.
pub const LANGUAGE: Facts = Facts {
    name: "language",
    noun: "a language",
    example: "\"en\"",
    shape: Shape::Text,
    comparison: Comparison::Equality,
    is_shared: true,
};

/// A flat object of names and values.
pub const PROPERTIES: Facts = Facts {
    name: "properties",
    noun: "names with values",
    example: "{\"Weight\": \"5 kg\"}",
    shape: Shape::Object,
    comparison: Comparison::Properties,
    is_shared: false,
};

/// An identifier. In the contract a colon and the scheme follow its name.
pub const IDENTIFIER: Facts = Facts {
    name: "identifier",
    noun: "an identifier",
    example: "",
    shape: Shape::Code,
    comparison: Comparison::Identifier(""),
    is_shared: false,
};

/// All kinds but identifiers, in the order of the contract.
pub const KINDS: [&Facts; 15] = [
    &TEXT,
    &PERSON,
    &ORGANISATION,
    &PLACE,
    &COORDINATES,
    &DATE_TIME,
    &DURATION,
    &MONEY,
    &NUMBER,
    &RATING,
    &BOOLEAN,
    &URL,
    &IMAGE,
    &LANGUAGE,
    &PROPERTIES,
];

/// Returns the scheme of a kind of identifiers by its name in the contract: `isbn` of
/// `identifier:isbn`.
#[must_use]
pub fn scheme(kind: &str) -> Option<&str> {
    let (name, scheme) = kind.split_once(':')?;
    (name == IDENTIFIER.name && !scheme.is_empty()).then_some(scheme)
}

/// Returns the method of comparing values of a kind by its name in the contract; that of
/// [`TEXT`] for an unknown kind.
#[must_use]
pub fn comparison(kind: &str) -> Comparison<'_> {
    let known = KINDS.iter().find(|facts| facts.name == kind);
    match known {
        Some(facts) => facts.comparison,
        None => scheme(kind).map_or(TEXT.comparison, Comparison::Identifier),
    }
}
