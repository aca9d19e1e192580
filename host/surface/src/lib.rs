//! Access to what a site shows only as an answer of its search form.
//!
//! - [`empty`] recognises result pages without results.
//! - [`arguments`] classifies the arguments of result URLs, and gives equal results one key.
//! - [`entities`] ranks queries by the objects that they are expected to bring.
//! - [`isit`] finds the informative templates of a form with several inputs.
//! - [`probe`] finds the keywords for a text box by probing.
//! - [`size`] estimates the number of objects behind a form.
//!
//! [`empty`], [`arguments`], [`isit`] and [`probe`] have the published method beside the improved
//! one. The caller selects one: the engine always takes the improved one, and experiments compare
//! both. The modules that need answers are state machines: `next` returns a request, `record` takes
//! its [`Outcome`]. Their states serialise, so an interrupted run resumes.
//!
//! No I/O and no clock. Random choices follow from a seed. All input is untrusted: named limits
//! bound memory and work.

pub mod arguments;
pub mod empty;
pub mod entities;
pub mod isit;
mod outcome;
mod pairs;
pub mod probe;
mod sets;
pub mod size;
pub mod text;
mod yields;

pub use outcome::{ObjectId, Outcome};
