//! Which patterns are worth their pages: selection.
//!
//! - [`Candidates`] is what there is to choose from: patterns with the objects they bring and what they cost.
//! - [`Strategy`] is a way to choose: [`CountRule`] and [`RatioRule`] as published, [`Frugal`] as we do.
//! - [`Selection`] is what was chosen, with a lower bound of the cost and the whole curve.
//! - [`renewed`] brings a selection up to date when patterns or objects came and went.
//!
//! Sets are sorted slices of numbers side by side in one list: a pattern has ten objects on average, and a walk
//! over ten numbers costs less than asking any compressed set whether it has them.

mod bound;
mod candidates;
mod covered;
mod frugal;
mod greedy;
mod published;
mod queue;
mod renew;
mod reverse;
mod selection;
mod shares;

pub use candidates::{Candidates, CandidatesBuilder, CandidatesError, PatternSpec};
pub use frugal::Frugal;
pub use published::{CountRule, RatioRule};
pub use renew::renewed;
pub use selection::{Bound, Goal, Point, Selection, Strategy};
