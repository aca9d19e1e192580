//! Navigation to the wanted pages: which pages a recrawl fetches and which links it follows.
//!
//! - [`SiteGraph`] is a crawled site; [`TargetMap`] is the part of it that leads to wanted pages.
//! - [`LevelNavigation`] is the published method: patterns for each level.
//! - [`Navigation`] is a graph of states that keeps hubs apart from object pages, in a file that
//!   people can edit. [`Navigator`] is a checked navigation.
//! - [`by_added`] orders lists by what each adds to the others, and [`leading_to`] finds the lists
//!   that lead to those.
//! - [`is_possible_next_page`] recognises further pages of lists by their URLs, where no navigation
//!   was learned for them.
//! - [`Guide`] is the interface of both methods, and [`replay`] follows one through a stored site.

mod document;
mod graph;
mod guide;
mod learned;
mod levels;
mod navigator;
mod target_map;
mod turning;
mod worth;

pub use document::{Navigation, NavigationError, Role, Search, State, Turns};
pub use graph::SiteGraph;
pub use guide::{Guide, replay};
pub use learned::{Learned, Lists, PageValues, learn};
pub(crate) use learned::{Site, are_lists, hubs_of, is_list};
pub use levels::{LevelNavigation, LevelWalk};
pub(crate) use navigator::Walk;
pub use navigator::{Navigator, StateId};
pub use target_map::TargetMap;
pub use turning::is_possible_next_page;
pub use worth::{by_added, leading_to};
