//! Sentences about the outcomes of operations.

pub(crate) mod learn;
pub(crate) mod recrawl;
pub(crate) mod watch;
