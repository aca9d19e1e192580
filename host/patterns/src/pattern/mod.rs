//! URL patterns: which URLs are pages of one kind.
//!
//! - [`UrlPattern`] is a pattern: read and written by persons, printed as a regular expression, matched fast.
//! - [`PatternSet`] asks many patterns of a site at once.
//! - [`Inducer`] makes patterns of URLs: [`FolderInducer`] as published, [`TypedInducer`] as we do.
//! - [`foresee`] makes room for further pages of lists.
//! - [`PageClasses`] sorts all pages of a site into kinds, by URL and link position.
//! - [`Validation`] says how patterns do on URLs they have not seen, and [`best_on_unseen`] chooses by it.

mod classes;
mod further;
mod inducer;
mod kind;
mod print;
mod read;
mod set;
pub(crate) mod spelling;
mod template;
mod typed;
mod url_pattern;
mod validate;

pub use classes::{PageClasses, PlacedLink};
pub use further::foresee;
pub use inducer::{FolderInducer, Inducer, Induction, SiteUrls};
pub use kind::Kind;
pub use read::PatternError;
pub use set::PatternSet;
pub use template::{Piece, Template};
pub use typed::TypedInducer;
pub use url_pattern::{Reach, UrlPattern};
pub use validate::{Proportion, Validation, best_on_unseen};
