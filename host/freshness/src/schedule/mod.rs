//! When to visit which page.
//!
//! At a budget, [`optimal`] gives how often to visit each page, and the price of a visit. A visit
//! that pays its price is due: a [`Queue`] holds millions of pages by that, and nothing has to be solved again
//! when one page's belief changes. Sites have limits of their own; [`optimal_within`] and the queue keep them.
//!
//! With a budget of zero nobody is visited, the price is infinite and nothing is ever due. A budget of
//! less than one page per site leaves most pages of most sites unvisited for long: the price is
//! high, and the visits go to the pages that are worth most wherever they are.

mod frequency;
mod limits;
mod price;
mod queue;
mod ranked;
mod site;
mod table;

pub use frequency::{Page, Plan, expected, optimal, price, proportional, uniform, weight};
pub use limits::{LimitedPlan, optimal_within};
pub use queue::{Due, Place, Queue, SitePlace};
