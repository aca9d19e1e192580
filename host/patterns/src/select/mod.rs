//! Selection of the patterns that are worth their pages.
//!
//! - [`Candidates`] are patterns with their objects and costs.
//! - [`Strategy`] is a method of selection: [`GreedyByCount`] and [`GreedyByRatio`] as published,
//!   [`CostAware`] by all costs.
//! - [`Selection`] is the result, with a lower bound of the cost and the coverage curve.
//! - [`Strategy::renew`] updates a selection when patterns or objects came and went.
//!
//! If objects are certain and a share of them is wanted (`certain`), three steps precede the
//! choice. A rough greedy sweep (`sweep`) gives the curve and an estimate of the cost of the last
//! object. With that, patterns whose fate is clear are decided (`reduce`). Then prices for the
//! objects of the rest are found (`bound`, `shares`). By these prices the rest is chosen greedily
//! (`greedy`) and redundant patterns are removed (`reverse`). Patterns behind one hub or on one
//! site are also considered together (`groups`). The prices prove how good the choice is. Uncertain
//! objects, several sources, and budgets are handled likewise without the first two steps
//! (`general`). With few patterns, those that the prices leave undecided are branched on until
//! choice and bound meet (`branch`).
//!
//! Sets are sorted slices of ids in one contiguous list. A pattern has ten objects on average, and
//! iterating over ten ids is cheaper than queries to any compressed set.

mod bound;
mod branch;
mod candidates;
mod certain;
mod cost_aware;
mod covered;
mod general;
mod greedy;
mod groups;
mod published;
mod queue;
mod reduce;
mod remaining;
mod renew;
mod reverse;
mod selection;
mod shares;
mod sweep;

pub use candidates::{Candidates, CandidatesBuilder, CandidatesError, PatternSpec};
pub use cost_aware::CostAware;
pub use published::{GreedyByCount, GreedyByRatio};
pub use selection::{Bound, Goal, Point, Selection, Strategy};
