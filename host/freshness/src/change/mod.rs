//! Models of page changes, and their estimation.
//!
//! Each page changes at random at its own rate: the number of changes in a period is Poisson. The
//! unit of time is arbitrary, and rates are per that unit. The rate determines the freshness and
//! age of copies ([`SyncOrder`]). Visits determine the rate, by closed forms for even
//! gaps ([`naive`], [`improved`], [`most_likely`], [`from_modification_dates`]) and by a
//! [`History`] for any gaps.
//!
//! Few visits say little about one page. A schedule that takes such estimates for the truth is
//! worse than visiting all pages equally often: it hardly revisits a page that was never seen to
//! change, nor one that always changed. So a page's rate is a [`Belief`] that starts from the other
//! pages of its pattern ([`Population`], [`RatePrior`]). The value of a visit is the mean over that
//! belief.
//!
//! The comparison defines what a change is: bytes, text, or the extracted objects ([`Meaning`]).
//! 304 responses, sitemaps, and feeds can report changes without a fetch; [`Reliability`] learns
//! how accurate they are. [`staleness`] needs no rate at all: it measures how much of a page is new
//! after some time.
//!
//! Special cases:
//!
//! - The clock steps back: the visit is not informative, see [`Visits`]. Downtime is one long gap.
//! - A page changes at every fetch: its most likely rate is infinite, its belief is high and
//!   uncertain.
//! - A page never changes: its rate falls over time, but never to zero.
//! - A site reports "not modified" for everything, or its dates are made up: its claims soon lose
//!   their weight.

mod belief;
mod estimate;
mod hints;
mod history;
mod longevity;
mod meaning;
mod numeric;
mod order;
mod population;
mod prior;
mod shingles;

pub use belief::{Belief, Goal};
pub use estimate::{from_modification_dates, improved, most_likely, naive};
pub use hints::{Claim, Reliability};
pub use history::{History, Observation, Recorded, Visits};
pub use longevity::Longevity;
pub use meaning::{Meaning, Print};
pub use order::SyncOrder;
pub use population::Population;
pub use prior::{Posterior, RatePrior};
pub use shingles::{Shingles, staleness};
