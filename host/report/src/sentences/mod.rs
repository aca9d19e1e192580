//! Sentences about what was done and found. Command line and report take them from here.

pub mod figures;
pub mod learn;
pub mod recrawl;
pub mod watch;
