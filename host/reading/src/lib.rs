//! A site teaches how to read it.
//!
//! A vertical sees one page at a time. This crate sees all pages of a site: the same template many
//! times, lists that link to detail pages, structured data on some of them. From these it learns
//! where the values of a vertical stand, and reads pages by that. It knows kinds of values and the
//! flags of a schema, and no vertical.
//!
//! # What to call when
//!
//! ```text
//! learn a site      Learner::new(info, host)
//!                   for each page of the site: see(Seen { page, context, records })
//!                   for each object of other sites or seeds: see_elsewhere(record)
//!                   learn(previous) -> Reading         (keeps the corrections of `previous`)
//! keep it           Reading::to_toml() -> text         reading/VERTICAL/SITE.toml
//!                   Reading::parse(text, info) -> Reading, or InvalidReading with line and field
//! read a page       Reading::read(page, context, records, lists) -> Outcome
//!                   between the vertical and clustering; `lists` are the records of other pages
//!                   whose address attribute is this page
//!                   Lists::note(page, records) for each page, then Lists::of(page)
//! correct it        Reading::teach(page, attribute, value), then to_toml; learn again for others
//! watch it          Drift::note(outcome) for each page of a round, then Drift::drifted(reading)
//!                   and Drift::unknown(): learn again from the pages of the round if either rose
//! ```
//!
//! `records` are always those of the vertical, unchanged by a reading. Otherwise a reading would
//! bear witness for itself. If a file can't be parsed, read pages without it.
//!
//! # How it learns
//!
//! 1. `tree` reduces a page to its short texts, and to the names of their places.
//! 2. `learn` keeps a bounded sample of pages by the shape of their addresses, divides it into
//!    classes by the likeness of trees, and collects witnesses: what a correction, structured
//!    data, the linking item of a list, another site or the vertical says of a page.
//! 3. `induce` finds the places of these values and tries their names on all pages of the class.
//!    A name with few contradictions is a [locator](Reading::to_toml). The same is done for the
//!    items of lists.
//! 4. `read` fills what the vertical missed, overrules it where a locator is surer, drops records
//!    of other objects in repeated regions, and makes records where all that identifies one is
//!    located. Each value says where it came from ([`Source`]).
//!
//! The result depends on the pages, not on their order. Time is linear in the pages; memory is
//! bounded by the sample.

#![warn(missing_docs)]

mod document;
mod drift;
mod facts;
mod induce;
mod learn;
mod lists;
mod read;
mod reading;
mod schema;
mod share;
mod site;
mod subject;
mod tree;

pub use document::InvalidReading;
pub use drift::{Drift, Drifted};
pub use facts::Facts;
pub use learn::{Learner, Seen};
pub use lists::Lists;
pub use read::{Disagreement, Outcome, ReadRecord, Source};
pub use reading::{ClassKind, Correction, Place, Reading};

use magpie_model::PageContext;
use magpie_page::Page;

/// The context in which the values of a page are read.
pub fn context_of(page: &Page) -> PageContext {
    let own = page.own_date();
    PageContext {
        url: page.url().to_string(),
        day: own.day.map(|day| day.date),
        year: own.year,
        language: page.language().map(str::to_owned),
    }
}
