//! Sentences about what was done and found. Command line and report take them from here.

pub mod figures;
pub mod learn;
pub mod reading;
pub mod recrawl;
pub mod watch;

use magpie_engine::PicturesFetched;
use magpie_rows::WorkerRow;

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

/// Returns the state of a process that works in a workspace on a server.
pub fn worker(row: &WorkerRow) -> &'static str {
    match (row.is_live, row.is_worker) {
        (false, _) => "silent: it was killed, or can't reach the server",
        (true, true) if row.buckets == 0 => "worker, waiting",
        (true, true) => "worker",
        (true, false) => "command",
    }
}
