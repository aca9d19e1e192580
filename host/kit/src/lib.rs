//! The kit of plugin authors: new, build, check, record, run, test, bench, diff; and the components
//! of a workspace, which [`install`] gets.

pub mod accept;
pub mod bench;
pub mod causes;
pub mod diff;
pub mod fetch;
pub mod fixture;
pub mod groups;
pub mod inputs;
pub mod install;
pub mod judge;
pub mod project;
pub mod run;
pub mod scaffold;
