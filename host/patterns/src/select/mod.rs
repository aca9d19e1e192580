//! Which patterns are worth their pages: selection.
//!
//! - [`Candidates`] is what there is to choose from: patterns with the objects they bring and what they cost.
//! - [`Strategy`] is a way to choose: [`CountRule`] and [`RatioRule`] as published, [`Frugal`] as we do.
//! - [`Selection`] is what was chosen, with a lower bound of the cost and the whole curve.
//! - [`Strategy::renew`] brings a selection up to date when patterns or objects came and went.
//!
//! Where objects are certain and a share of them is wanted (`certain`), three steps come before any choice is made: a
//! rough one (`quick`) gives the curve and about what the last object costs; with that, patterns that need no choice
//! are decided (`reduce`); and a market finds what the objects of the rest are worth (`bound`, `shares`). By these
//! prices the rest is chosen (`greedy`) and freed of what is needless (`reverse`), patterns behind one hub or on one
//! site also together (`groups`), and the prices prove how good the choice is. Uncertain objects, several sources and
//! budgets go the same way without the first two steps (`general`). Where patterns are few, both fates are tried of
//! those for which prices do not decide, until choice and proof meet (`branch`).
//!
//! Sets are sorted slices of numbers side by side in one list: a pattern has ten objects on average, and a walk
//! over ten numbers costs less than asking any compressed set whether it has them.

mod bits;
mod bound;
mod branch;
mod candidates;
mod certain;
mod covered;
mod frugal;
mod general;
mod greedy;
mod groups;
mod published;
mod queue;
mod quick;
mod reduce;
mod remains;
mod renew;
mod reverse;
mod selection;
mod shares;

pub use candidates::{Candidates, CandidatesBuilder, CandidatesError, PatternSpec};
pub use frugal::Frugal;
pub use published::{CountRule, RatioRule};
pub use selection::{Bound, Goal, Point, Selection, Strategy};
