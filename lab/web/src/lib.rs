//! A generated, evolving web of vertical sites with known ground truth, and scores of crawls of it.
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
//! The modules, from the world to the wire:
//!
//! - `random`: stateless randomness. Every decision is a pure function of the seed, a purpose and
//!   ids, so each page can be computed alone.
//! - `population`: the objects of the world and their facts in a week.
//! - `site`: the sites: which objects each shows, its structure, behaviour and designs.
//! - `address`: conversion between routes and URLs, in the URL grammar of a design.
//! - `content`: the content of a page. `truth` and `template` both read it, so they cannot
//!   disagree.
//! - `writing`, `language`: the notation of values. `template`: HTML from content.
//! - [`Web::respond`]: the response to a request, given a week and the number of the fetch.
//!   [`serve`] listens on a port.
//! - [`Truth`] and [`score`]: what a crawl should have found, and how well it did.
//!
//! Nothing here reads a clock, a file or the environment.

mod address;
#[cfg(test)]
mod agreement;
mod content;
mod crawler_files;
mod deep;
mod facts;
mod language;
mod population;
mod random;
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

pub use address::Act;
pub use content::{FormPurpose, PastEvent, ResultState};
pub use deep::{
    ArgumentKind, Entity, LoggedQuery, TrueArgument, TrueForm, TrueInput, TrueResult, TrueSearch,
};
pub use respond::{Request, Response};
pub use score::{AttributeScore, Fetch, Found, FoundObject, Score, recognised, score};
pub use search::{Hit, Hits};
pub use serve::{ActLine, Arrival, HostTraffic, ServerHandle, WeekHandle, serve};
pub use site::{Decoy, RedesignKind, ScriptStyle};
pub use spec::{Habit, ScriptChange, Size, Vertical, WebSpec, Weight};
pub use truth::{PageKind, Shown, ShownValue, SiteTruth, TrueObject, TruePage, Truth};
pub use vocabulary::Vocabulary;
pub use web::{Located, Redesign, ScriptInfo, SiteInfo, Web};
