//! CSS selectors over the tree: what a selector is, how one is searched for, and tables of many.

mod element;
mod index;
mod search;
mod syntax;
mod table;

pub(crate) use index::Index;
pub use search::Stopped;
pub use syntax::{InvalidSelector, Selector};
pub use table::{Cell, Column, Row};
