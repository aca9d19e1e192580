//! Money: prices as shops of many countries write them.

mod currency;
mod read;
mod sign;

use std::fmt;
use std::str::FromStr;

pub use currency::Currency;
pub use read::{Found, Reading, find_all, find_currency, read};

use crate::number::Decimal;

/// Reason why a text is not a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Problem {
    /// The text is empty, or nothing but white space.
    Empty,
    /// Nothing in it is an amount.
    NoAmount,
    /// It names no currency that is known.
    NoCurrency,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "there is no price",
            Self::NoAmount => "there is no amount in it",
            Self::NoCurrency => "unknown currency code",
        })
    }
}

impl std::error::Error for Problem {}

/// Context of a reader before reading a price. The default is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MoneyContext<'context> {
    /// A text near the price that may name the currency when the price does not.
    pub hint: Option<&'context str>,
    /// The page's language, as a BCP 47 tag: says which dollar or crown is meant.
    pub language: Option<&'context str>,
    /// Decimal separator, if known.
    pub decimal_separator: Option<char>,
}

impl MoneyContext<'_> {
    fn language(&self) -> &str {
        self.language.unwrap_or("")
    }
}

/// An amount, or a range of amounts, in a currency if one was named. Never negative.
///
/// Displays as `12.50 EUR`, `12.50-20 EUR`, or `12.50`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Money {
    amount: Decimal,
    /// More than the amount.
    upto: Option<Decimal>,
    currency: Option<Currency>,
}

impl Money {
    /// An amount. None when it is negative.
    #[must_use]
    pub fn new(amount: Decimal, currency: Option<Currency>) -> Option<Self> {
        Self::range(amount, None, currency)
    }

    /// A range of amounts; a range that ends where it begins is an amount. None when an amount is
    /// negative or the end lies below the beginning.
    #[must_use]
    pub fn range(amount: Decimal, upto: Option<Decimal>, currency: Option<Currency>) -> Option<Self> {
        let fits = !amount.is_negative() && upto.is_none_or(|upto| upto >= amount);
        fits.then_some(Self {
            amount,
            upto: upto.filter(|upto| *upto > amount),
            currency,
        })
    }

    /// The amount; of a range, the least.
    #[must_use]
    pub fn amount(self) -> Decimal {
        self.amount
    }

    /// Upper end of a range.
    #[must_use]
    pub fn upto(self) -> Option<Decimal> {
        self.upto
    }

    /// The currency, if known.
    #[must_use]
    pub fn currency(self) -> Option<Currency> {
        self.currency
    }

    /// Returns true if the two may be the same price: equal amounts, or overlapping ranges, in
    /// currencies that do not differ (an unnamed one may be any).
    #[must_use]
    pub fn agrees_with(self, other: Self) -> bool {
        let currencies = match (self.currency, other.currency) {
            (Some(one), Some(another)) => one == another,
            _ => true,
        };
        let overlaps = self.amount <= other.upto.unwrap_or(other.amount)
            && other.amount <= self.upto.unwrap_or(self.amount);
        currencies && overlaps
    }

    /// Similarity of two amounts, from 0 to 1: the smaller divided by the larger, 0 for different
    /// currencies.
    #[must_use]
    pub fn closeness(self, other: Self) -> f64 {
        if self.agrees_with(other) {
            return 1.0;
        }
        if self.currency.is_some() && other.currency.is_some() && self.currency != other.currency {
            return 0.0;
        }
        let (one, another) = (self.amount.to_f64(), other.amount.to_f64());
        // Two amounts of zero agree, so the larger one is not zero here.
        one.min(another) / one.max(another)
    }

    /// An amount with cents as usual. Three digits behind the point would read as thousands where
    /// the currency has no thousandths, so a fourth is added.
    fn written(self, amount: Decimal) -> String {
        let usual = self.currency.map_or(2, Currency::minor_digits);
        match amount.parts().1 {
            0 => amount.to_string(),
            3 if usual != 3 => amount.with_places(4),
            _ => amount.with_places(usual.max(2)),
        }
    }
}

impl fmt::Display for Money {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.written(self.amount))?;
        if let Some(upto) = self.upto {
            write!(formatter, "-{}", self.written(upto))?;
        }
        self.currency
            .map_or(Ok(()), |currency| write!(formatter, " {currency}"))
    }
}

impl FromStr for Money {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        read(text, &MoneyContext::default()).map(|reading| reading.money)
    }
}

/// Reads the price in a text that is said to hold one; see [`read`].
#[must_use]
pub fn parse(text: &str, context: &MoneyContext<'_>) -> Option<Money> {
    read(text, context).ok().map(|reading| reading.money)
}

#[cfg(test)]
mod tests;
