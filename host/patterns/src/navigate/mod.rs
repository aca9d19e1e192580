//! The way to the wanted pages: what a recrawl fetches and which links it follows.
//!
//! - [`SiteGraph`] is a site as it was crawled; [`TargetMap`] is the part of it that leads to wanted pages.
//! - [`LevelNavigation`] is the published form: patterns for each level.
//! - [`Navigation`] is ours: states that lead to one another, hubs apart from object pages, in a file that a
//!   person may edit; [`Navigator`] is one that was checked, [`Walk`] a recrawl along it.
//! - [`may_turn`] knows further pages of lists by their spelling, where nothing was learned of them.
//! - [`Guide`] is what both can do, and [`replay`] follows one through a stored site.

mod document;
mod graph;
mod guide;
mod learned;
mod levels;
mod navigator;
mod target_map;
mod turning;

pub use document::{Navigation, NavigationError, Role, State, Turns};
pub use graph::SiteGraph;
pub use guide::{Guide, replay};
pub(crate) use learned::is_list;
pub use learned::{Learned, Lists, Worth, learn};
pub use levels::{LevelNavigation, LevelWalk};
pub use navigator::{Navigator, StateId, Walk};
pub use target_map::TargetMap;
pub use turning::may_turn;
