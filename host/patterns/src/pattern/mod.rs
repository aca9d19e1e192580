//! URL patterns: induction, matching, and validation.
//!
//! - [`UrlPattern`] is a pattern in a readable form, with a regular expression and a fast matcher.
//! - [`PatternSet`] matches a URL against many patterns of a site at once.
//! - [`Inducer`] makes patterns from URLs: [`FolderInducer`] by the published method,
//!   [`TypedInducer`] by typed tokens.
//! - [`extend_pagination`] extends patterns to further pages of lists.
//! - [`PageClasses`] groups all pages of a site by URL and link position.
//! - [`Validation`] measures patterns on held-out URLs.

mod classes;
mod format;
mod inducer;
mod kind;
pub(crate) mod page_suffix;
mod pagination;
mod parse;
mod set;
mod template;
mod typed;
mod url_pattern;
mod validate;

pub use classes::{PageClasses, PlacedLink};
pub use inducer::{FolderInducer, Inducer, Induction, SiteUrls};
pub use kind::Kind;
pub use pagination::extend_pagination;
pub use parse::PatternError;
pub use set::PatternSet;
pub use template::{Piece, Template};
pub use typed::TypedInducer;
pub use url_pattern::{Reach, UrlPattern};
pub use validate::{Proportion, Validation};
