//! Tests of change models, of learning from visits, and of schedules.

mod beliefs;
mod estimators;
mod frequencies;
mod odd_cases;
mod policies;
mod priors;
mod queues;
mod stale;
mod support;
