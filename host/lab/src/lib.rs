//! A generated, evolving web of vertical sites with known truth, and the means to score a crawl of it.
//!
//! ```
//! use magpie_lab::{Request, Size, Vertical, Web, WebSpec};
//!
//! let web = Web::new(WebSpec::new(Vertical::Books, Size::Small, 7));
//! let home = web.sites().next().unwrap().host;
//! let request = Request { host: &home, path_and_query: "/robots.txt", ..Request::default() };
//! let (week, fetch) = (0, 0);
//! assert_eq!(web.respond(&request, week, fetch).status, 200);
//! // The same week and fetch give the same bytes, on every machine.
//! assert_eq!(web.respond(&request, week, fetch), web.respond(&request, week, fetch));
//! ```
//!
//! The way through the code, from the world to the wire:
//!
//! - `chance`: every decision is a pure function of the seed, a purpose and ids, so pages are computed alone.
//! - `population`: the objects of the world, what is true of them in a week.
//! - `site`: which site has which object; a site's make-up, habits and designs.
//! - `address`: routes to URLs and back, in the URL grammar of a design.
//! - `content`: what stands on a page. `truth` and `template` both read it, so truth can't say what the page does not.
//! - `writing`, `language`: how values are written. `template`: how content becomes tags.
//! - [`Web::respond`]: a request, a week and a number for the fetch give an answer. [`serve`] puts it on a port.
//! - [`Truth`] and [`score`]: what a crawl should have found, and how well it did.
//!
//! Nothing here reads a clock, a file or the environment.

mod address;
#[cfg(test)]
mod agreement;
mod chance;
mod content;
mod facts;
mod language;
mod plain;
mod population;
mod respond;
mod score;
mod search;
mod serve;
mod site;
mod spec;
mod template;
mod truth;
mod vocabulary;
mod web;
mod words;
mod writing;

pub use content::Bygone;
pub use respond::{Request, Response};
pub use score::{AttributeScore, Fetch, Found, FoundObject, Score, recognised, score};
pub use search::{Hit, Hits};
pub use serve::{HostTraffic, ServerHandle, WeekHandle, serve};
pub use site::{Decoy, RedesignKind};
pub use spec::{Size, Vertical, WebSpec, Weight};
pub use truth::{PageKind, Shown, ShownValue, TrueObject, TruePage, Truth};
pub use vocabulary::Vocabulary;
pub use web::{Located, Redesign, SiteInfo, Web};
