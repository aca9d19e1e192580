//! Dates, times, money, places, identifiers, names and similarity: parse, normalise, compare.
//!
//! The host and its plugins read the same web, so they share one understanding of what is written
//! on it. Everything here is pure: no clock, no files, no network, no randomness. Where the meaning
//! of a text depends on the day or the country, the caller says so in a context.
//!
//! ```
//! use magpie_values::date::{self, Date, DateContext};
//!
//! let context = DateContext { today: Date::new(2026, 4, 1), ..DateContext::default() };
//! let start = date::parse("Sa., 3. Mai, 19.30 Uhr", &context).unwrap();
//! assert_eq!(start.to_string(), "2025-05-03T19:30"); // the nearest 3 May that is a Saturday
//! ```
//!
//! ```
//! use magpie_values::money::{self, MoneyContext};
//!
//! let price = money::parse("CHF 1'049,95", &MoneyContext::default()).unwrap();
//! assert_eq!(price.to_string(), "1049.95 CHF");
//! ```
//!
//! ```
//! use magpie_values::identifier::{Scheme, normalise};
//!
//! assert_eq!(normalise(Scheme::Isbn, "ISBN 0-306-40615-2").unwrap(), "9780306406157");
//! ```

#![warn(missing_docs)]

pub mod coordinates;
pub mod date;
#[cfg(feature = "domains")]
pub mod domain;
pub mod identifier;
pub mod kind;
pub mod language;
pub mod money;
pub mod name;
pub mod number;
pub mod query;
pub mod similarity;
pub mod text;
pub mod title;

mod timestamp;

pub use timestamp::Timestamp;
