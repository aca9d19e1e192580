//! The log of changes of objects: append-only, written in the transaction that changes an object.
//!
//! Applying the log from its beginning gives the objects as they are: their values, states and
//! successors.

pub(crate) mod log;
