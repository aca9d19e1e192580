//! Facts about an object: typed values by attribute, and their normal forms.

use magpie_values::date::{Date, DateTime, Time};
use magpie_values::money::{Currency, Money};
use magpie_values::number::{Decimal, Rating};

use crate::spec::Vertical;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Attribute {
    Title,
    Subtitle,
    Start,
    End,
    Venue,
    Address,
    Price,
    Organiser,
    Performers,
    Status,
    Authors,
    Publisher,
    Published,
    Isbn,
    Format,
    Pages,
    Language,
    Rating,
    Brand,
    Model,
    Gtin,
    Mpn,
    Sku,
    Availability,
    Specifications,
}

impl Attribute {
    pub(crate) fn name(self, vertical: Vertical) -> &'static str {
        match self {
            Self::Title if vertical == Vertical::Books => "title",
            Self::Title => "name",
            Self::Subtitle => "subtitle",
            Self::Start => "start",
            Self::End => "end",
            Self::Venue => "venue",
            Self::Address => "address",
            Self::Price => "price",
            Self::Organiser => "organiser",
            Self::Performers => "performers",
            Self::Status => "status",
            Self::Authors => "authors",
            Self::Publisher => "publisher",
            Self::Published => "published",
            Self::Isbn => "isbn",
            Self::Format => "format",
            Self::Pages => "pages",
            Self::Language => "language",
            Self::Rating => "rating",
            Self::Brand => "brand",
            Self::Model => "model",
            Self::Gtin => "gtin",
            Self::Mpn => "mpn",
            Self::Sku => "sku",
            Self::Availability => "availability",
            Self::Specifications => "specifications",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    People(Vec<Person>),
    /// Day since 1970-01-01, and minutes since midnight if known.
    Moment(i64, Option<u16>),
    /// Amount in cents, and the currency.
    Money(u32, &'static str),
    Number(u32),
    /// Identifier in its normal form.
    Code(String),
    /// Tenths of stars, of five, and the number of votes.
    Rating(u32, u32),
    /// Availability; true if in stock.
    Stock(bool),
    /// Index into the list of languages.
    Language(usize),
    /// Rows of names and values.
    Table(Vec<(&'static str, String)>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Person {
    pub(crate) given: &'static str,
    pub(crate) family: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fact {
    pub(crate) attribute: Attribute,
    pub(crate) value: Value,
}

impl Fact {
    pub(crate) fn new(attribute: Attribute, value: Value) -> Self {
        Self { attribute, value }
    }
}

impl Value {
    /// Returns the normal forms, equal to those of the host's check of an object.
    pub(crate) fn normal(&self) -> Vec<String> {
        match self {
            Self::Text(text) => vec![text.clone()],
            Self::Code(code) => vec![code.clone()],
            Self::People(people) => people
                .iter()
                .map(|p| format!("{} {}", p.given, p.family))
                .collect(),
            Self::Moment(day, minutes) => moment(*day, *minutes)
                .map(|m| m.to_string())
                .into_iter()
                .collect(),
            Self::Money(cents, currency) => money(*cents, currency)
                .map(|m| m.to_string())
                .into_iter()
                .collect(),
            Self::Number(number) => vec![number.to_string()],
            Self::Rating(tenths, _) => rating(*tenths).map(|r| r.to_string()).into_iter().collect(),
            Self::Stock(has) => vec![if *has { "in-stock" } else { "out-of-stock" }.to_owned()],
            Self::Language(index) => vec![crate::language::LANGUAGES[*index].code.to_owned()],
            Self::Table(rows) => rows
                .iter()
                .map(|(name, value)| format!("{name}: {value}"))
                .collect(),
        }
    }
}

/// Converts a day and minutes to the type of the shared library.
pub(crate) fn moment(day: i64, minutes: Option<u16>) -> Option<DateTime> {
    let date = Date::from_days(day)?;
    let Some(minutes) = minutes else {
        return Some(DateTime::of_day(date));
    };
    let time = Time::new((minutes / 60) as u8, (minutes % 60) as u8, None)?;
    Some(DateTime::of_time(date, time))
}

/// Converts an amount to the type of the shared library.
pub(crate) fn money(cents: u32, currency: &str) -> Option<Money> {
    Money::new(Decimal::new(i128::from(cents), 2)?, Currency::from_code(currency))
}

fn rating(tenths: u32) -> Option<Rating> {
    Rating::new(Decimal::new(i128::from(tenths), 1)?, Decimal::new(5, 0))
}
