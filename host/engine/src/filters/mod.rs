//! Link filters of rounds and repairs. Other processes can use them, too.

mod only_new;
mod round;
mod written;

pub(crate) use only_new::{New, OnlyNew};
pub(crate) use round::{FetchHistory, Rounds, SiteRound, lock};
pub(crate) use written::WrittenFilters;
