//! How pages change, and what is known of it.
//!
//! Pages change by chance at a rate of their own: the number of changes in a time is Poisson. Time has
//! any unit, and rates are per that unit. From the rate follow the freshness and age of copies
//! ([`SyncOrder`], [`currency`]); from visits follow rates, by closed forms for even gaps
//! ([`naive`], [`improved`], [`most_likely`], [`from_modification_dates`]) and by a [`History`] for
//! any gaps.
//!
//! Few visits tell little of one page. Taken for the truth, an estimate from them makes a schedule
//! worse than visiting all pages alike: a page that was never seen to change is hardly visited again,
//! nor is one that always changed. So a page's rate is a [`Belief`] that begins with what the pages
//! of its pattern are like ([`Population`], [`RatePrior`]), and what a visit is worth is taken in the mean over it.
//!
//! What a change is, is said by who compares: bytes, text, or the objects extracted ([`Meaning`]).
//! By 304s, sitemaps and feeds one may learn of changes without a look; [`Reliability`] learns how far.
//! [`staleness`] needs no rate at all: it asks how much of a page is new after which time.
//!
//! What is sensible in odd cases:
//!
//! - The clock steps back: the visit says nothing, see [`Visits`]. Downtime is one long gap.
//! - A page changes at every fetch: its most likely rate is infinite, its belief is high and in doubt.
//! - A page never changes: its rate falls as time passes, and never to none.
//! - A site says "not modified" to everything, or its dates are made up: its claims soon count nothing.

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
pub use order::{SyncOrder, currency, period_for_currency};
pub use population::Population;
pub use prior::{Posterior, RatePrior};
pub use shingles::{Shingles, staleness};
