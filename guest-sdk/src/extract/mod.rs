//! Tool box for verticals, independent of any of them.
//!
//! - [`entities`] finds structured data of given types at any depth; [`money`], [`rating`],
//!   [`place`], [`coordinates`] and [`names`] convert the many forms of such values to one text.
//! - [`state_objects`] are the objects of a page's scripts and of JSON documents, whose values are
//!   known by the words of their keys.
//! - [`Layout`] reads a page as a person does, from the tree alone: its [lines](Layout::lines), its
//!   main [heading](Layout::heading), its [labelled values](Layout::pairs) (`Venue: Old Mill`,
//!   table rows, definition lists), elements [named](Layout::named) by a class, and the repeated
//!   [records](Layout::records) of a listing.
//! - [`is_navigation`] recognises the words of a site's own links: `Home`, `Accueil`.
//! - [`Layout::main_block`] and [`Layout::row_block`] describe one product that is for sale.
//!
//! Everything takes time linear in the size of the page, and only a handful of calls to the host.
//!
//! ```
//! use magpie_sdk::{Page, extract::Layout};
//!
//! let page = Page::from_html("https://example.org/", "
//!     <title>Night Music - Old Mill</title>
//!     <h1>Night Music</h1>
//!     <p><b>Doors:</b> 19:00</p>
//!     <table><tr><th>Price</th><td>12 EUR</td></tr></table>");
//! let layout = Layout::new(&page);
//! assert_eq!(layout.heading().unwrap().text, "Night Music");
//! let pairs = layout.pairs();
//! assert_eq!(pairs.get(&["doors", "begin"]).unwrap().value, "19:00");
//! assert_eq!(pairs.get(&["price"]).unwrap().value, "12 EUR");
//! ```

mod heading;
mod layout;
mod lines;
mod named;
mod navigation;
mod pairs;
mod records;
mod region;
mod sale;
mod state;
mod structured;

pub use layout::{Layout, PerClass, Text};
pub use lines::{Line, Piece};
pub use navigation::is_navigation;
pub use pairs::{Pair, Pairs};
pub use records::{Image, Link, RecordGroup, RecordRow};
pub use sale::{
    Block, Purchase, availability, is_deep, known_rating, marked_picture, offered_price, offered_stock,
    own_address, plain_name,
};
pub use state::{StateObject, state_objects};
pub use structured::{address, coordinates, entities, money, names, place, rating};
