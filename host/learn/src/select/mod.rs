//! Which patterns are worth their pages: selection.
//!
//! - [`Candidates`] is what there is to choose from: patterns with the objects they bring and what they cost.
//! - [`Strategy`] is a way to choose: [`CountRule`] and [`RatioRule`] as published, [`Frugal`] as we do.
//! - [`Selection`] is what was chosen, with a lower bound of the cost and the whole curve.
//! - [`renewed`] brings a selection up to date when patterns or objects came and went.
//!
//! Where objects are certain and a share of them is wanted, three steps come before any choice is made: a rough one
//! (`quick`) gives the curve and about what the last object costs; with that, patterns that need no choice are decided
//! (`reduce`); and a market finds what the objects of the rest are worth (`bound`, `shares`). By these prices the rest
//! is chosen (`greedy`) and freed of what is needless (`reverse`), and they prove how good the choice is. Where one
//! pattern is large beside all, both of its fates are tried (`branch`).
//!
//! Sets are sorted slices of numbers side by side in one list: a pattern has ten objects on average, and a walk
//! over ten numbers costs less than asking any compressed set whether it has them.

mod bits;
mod bound;
mod branch;
mod candidates;
mod covered;
mod frugal;
mod greedy;
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
pub use renew::renewed;
pub use selection::{Bound, Goal, Point, Selection, Strategy};
