//! The way in which the pages of a kind are obtained: by a plain fetch, or rendered by a browser.
//!
//! A browser costs 20 to 100 times a plain fetch. Learning compares samples of a kind of pages with
//! and without a browser ([`SampledPage`]); [`decide`] chooses the cheapest way that has the
//! objects and links. The result is a [`RenderingRule`] for the URL pattern of the kind.

mod decide;
mod endpoint;
mod rules;

pub use decide::{Choice, Content, SampledPage, decide};
pub use endpoint::{EndpointError, EndpointTemplate};
pub use rules::{Mode, RenderingRule, RenderingRules};
