//! Sentences about what was done and found. Command line and report take them from here.

pub mod figures;
pub mod learn;
pub mod reading;
pub mod recrawl;
pub mod watch;

use magpie_engine::PicturesFetched;

use crate::format::{bytes, many, thousands};

/// Returns a sentence about pictures of objects that were asked for.
pub fn pictures(fetched: &PicturesFetched) -> String {
    format!(
        "{} kept, {} refused or broken; {}, {}",
        thousands(fetched.kept),
        thousands(fetched.failed),
        many(fetched.requests, "request"),
        bytes(fetched.bytes),
    )
}
