//! Whether what was learned still holds, and what to learn again when it does not.
//!
//! - [`Cusum`] is the sequential test behind all alarms, with a stated rate of false ones.
//! - [`PatternMonitor`] watches what a pattern's pages bring and how often they fail.
//! - [`ShapeWatch`] notices links at hubs whose URLs look like nothing known.
//! - [`relearn`] decides from the alarms of a site whether a folder or the whole site is learned again.
//!
//! A selection is brought up to date by [`crate::select::renewed`].

mod cusum;
mod decide;
mod monitor;
mod shapes;

pub use cusum::Cusum;
pub use decide::{PatternHealth, Relearn, Ways, relearn};
pub use monitor::{Alarm, Expected, PatternMonitor, Sensitivity};
pub use shapes::{NewShape, ShapeWatch};
