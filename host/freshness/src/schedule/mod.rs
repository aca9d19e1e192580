//! Scheduling of visits to pages.
//!
//! Within a budget, [`optimal`] computes how often to visit each page, and the price of a visit. A
//! visit that is worth its price is due. A [`Queue`] orders millions of pages by that, and nothing
//! has to be solved again when one page's belief changes. Sites have limits of their own;
//! [`optimal_within`] and the queue respect them.
//!
//! With a budget of zero no page is visited, the price is infinite, and nothing is ever due. A
//! budget of less than one page per site leaves most pages of most sites unvisited for long: the
//! price is high, and the visits go to the most valuable pages of all sites.

mod frequency;
mod limits;
mod price;
mod queue;
mod ranked;
mod site;
mod table;

pub use frequency::{Page, Plan, expected, optimal, price, weight};
pub use limits::{LimitedPlan, optimal_within};
pub use queue::{Due, Place, Queue, SiteSlot};
