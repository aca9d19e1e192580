//! SDK for authors of verticals in Rust.
//!
//! # Your first vertical
//!
//! A vertical defines its objects (a struct) and finds them on a page (one function):
//!
//! ```
//! use magpie_sdk::{DateTime, Error, Found, Page, Record, Url, Vertical};
//!
//! #[derive(Record, Clone, Debug, PartialEq)]
//! struct Event {
//!     #[attribute(identifies, query, weight = 2.0)]
//!     name: String,
//!     #[attribute(identifies, expires)]
//!     start: Option<DateTime>,
//!     #[attribute(kind = "place", query)]
//!     venue: Option<String>,
//!     url: Option<Url>,
//! }
//!
//! struct Events;
//!
//! impl Vertical for Events {
//!     type Record = Event;
//!     const NAME: &'static str = "events";
//!
//!     fn extract(page: &Page) -> Result<Vec<Found<Event>>, Error> {
//!         let cards = page.select("li.card").filter_map(|card| {
//!             let name = card.select_one("h3")?;
//!             let event = Event {
//!                 name: name.text(),
//!                 start: card
//!                     .select_one("time")
//!                     .and_then(|time| time.attr("datetime"))
//!                     .map(DateTime::from),
//!                 venue: card.select_one(".venue").map(|venue| venue.text()),
//!                 url: card
//!                     .select_one("a")
//!                     .and_then(|link| link.url_attr("href"))
//!                     .map(Url::from),
//!             };
//!             Some(Found::new(event).confidence(0.9).at("name", name))
//!         });
//!         Ok(cards.collect())
//!     }
//! }
//!
//! magpie_sdk::export!(Events);
//!
//! // In a test, without Wasm:
//! let page = Page::from_html("https://example.org/programme", "
//!     <li class=card><h3><a href=/e/1>Night Music</a></h3>
//!       <time datetime=2026-05-03T19:30>3 May</time> <span class=venue>Old Mill</span></li>");
//! let found = magpie_sdk::testing::extract::<Events>(&page).unwrap();
//! assert_eq!(found[0].record.name, "Night Music");
//! assert_eq!(found[0].record.start.as_deref(), Some("2026-05-03T19:30"));
//! assert_eq!(found[0].record.url.as_deref(), Some("https://example.org/e/1"));
//! ```
//!
//! The crate of a plugin is a `cdylib`, built for `wasm32-unknown-unknown`.
//!
//! # Overview
//!
//! - [`Page`] and [`Element`]: the page, parsed by the host. [`Table`] takes many values in one
//!   call, [`Outline`] is the whole tree in the plugin's memory, [`Entity`] its structured data,
//!   [`Form`] its forms.
//! - [`extract`]: the tool box. Listings by their structure, labelled values, offers and addresses
//!   of structured data.
//! - [`Record`] and [`Found`]: objects. [`Vertical`]: the plugin. Its other functions (keys,
//!   comparison, merging, queries) have default bodies; see [`cluster`] and [`queries`].
//! - [`Validator`]: judges pages that are relevant without being objects.
//! - [`date`], [`money`], [`coordinates`], [`identifier`], [`name`], [`title`], [`number`],
//!   [`language`], [`text`],
//!   [`similarity`]: parsing and comparing values, with the same code as the host.
//! - [`info!`] and the like write to the log, [`option()`] reads an option.
//! - `testing`: pages, options and log for plain tests.

#![warn(missing_docs)]

extern crate self as magpie_sdk;

mod about;
mod backend;
#[doc(hidden)]
pub mod bindings;
mod calibration;
pub mod cluster;
pub mod component;
mod error;
mod export;
pub mod extract;
pub mod features;
#[cfg(any(test, all(target_arch = "wasm32", feature = "heap")))]
mod heap;
pub mod log;
mod option;
mod page;
pub mod queries;
mod record;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
mod vertical;

pub use about::{About, OptionSpec};
pub use bindings::clusters::{Choice, Key, Merged, Verdict};
pub use bindings::objects::{Field, Object, Value};
pub use bindings::pages::FormChoice;
pub use bindings::queries::Query;
pub use bindings::validations::Judgement;
pub use calibration::Calibration;
pub use error::Error;
pub use magpie_sdk_derive::Record;
pub use magpie_values::word_lists;
pub use magpie_values::{
    coordinates, date, identifier, language, money, name, number, similarity, text, title,
};
pub use option::{OptionValue, option};
pub use page::{
    Ancestors, Cell, Children, Element, Entities, Entity, Form, FormField, FormSubmit, Outline, OutlineNode,
    OwnDate, Page, Row, Table,
};
#[doc(hidden)]
pub use record::derived;
pub use record::kinds::*;
pub use record::{Attribute, AttributeField, AttributeValue, Found, Properties, Record, ValueRef};
pub use vertical::{Clusterer, Validator, Vertical};
