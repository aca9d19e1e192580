//! Whether what was learned still holds, and what to learn again when it does not.
//!
//! - [`Cusum`] is the sequential test behind all alarms, with a stated rate of false ones.
//! - [`PatternMonitor`] watches what a pattern's pages bring and how often they fail.
//! - [`ShapeWatch`] notices links at hubs whose URLs look like nothing known.
//! - [`action`] is the table that decides what follows: nothing, a folder or the whole site is
//!   learned
//!   again, or a later round tries again. [`relearn`] names the folders.
//!
//! A selection is brought up to date by [`crate::select::renewed`].

mod cusum;
mod decide;
mod monitor;
mod shapes;

pub use cusum::Cusum;
pub use decide::{Action, PatternHealth, Relearn, Signal, SiteState, action, relearn};
pub use magpie_model::Alarm;
pub use monitor::{Expected, PatternMonitor, Sensitivity};
pub use shapes::{NewShape, ShapeWatch};
