//! Sentences about what was done and found. Command line and report take them from here.

pub mod figures;
pub mod learn;
pub mod reading;
pub mod recrawl;
pub mod watch;

use magpie_engine::PicturesFetched;
use magpie_rows::{Pruned, WorkerRow};

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

/// Returns a sentence about bodies that were removed from the archive.
pub fn pruned(pruned: &Pruned) -> String {
    let of = match pruned.pages {
        1 => "the body of 1 page, which".to_owned(),
        pages => format!("the bodies of {} pages, which", thousands(pages)),
    };
    format!(
        "removed {of} can't be read again; the archive has {}",
        bytes(pruned.after)
    )
}

/// Returns a sentence about bodies that should have been removed.
pub fn not_pruned(error: &str) -> String {
    format!("old bodies stay in the archive: {error}")
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
