//! How pages change, what visits tell of it, and when the next one should be.

mod beliefs;
mod estimators;
mod frequencies;
mod odd_cases;
mod policies;
mod priors;
mod queues;
mod stale;
mod support;
