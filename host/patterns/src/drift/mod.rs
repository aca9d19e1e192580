//! Detection of drift: whether learned patterns still hold, and what to relearn otherwise.
//!
//! - [`Cusum`] is the sequential test behind all alarms, with a given false-alarm rate.
//! - [`PatternMonitor`] monitors the yield and the failures of a pattern's pages.
//! - [`ShapeWatch`] finds links on hubs whose URLs match no known pattern.
//! - [`action`] is the decision table: keep everything, relearn folders or the site, or try again
//!   in a later round. [`relearn`] names the folders.
//!
//! [`Strategy::renew`](crate::select::Strategy::renew) updates a selection.

mod cusum;
mod decide;
mod monitor;
mod shapes;

pub use cusum::Cusum;
pub use decide::{Action, PatternHealth, Relearn, Signal, SiteState, action, has_lost_lists, relearn};
pub use magpie_model::Alarm;
pub use monitor::{Expected, PatternMonitor, Sensitivity};
pub use shapes::{NewShape, ShapeWatch};
