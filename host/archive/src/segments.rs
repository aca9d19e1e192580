//! Names of archives.

use std::time::Duration;

use magpie_rows::RunId;

use crate::address::StoreUrl;

/// An object store to write to.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    pub url: StoreUrl,
    /// Time that a store which does not answer is asked again, before the writer gives up.
    pub patience: Duration,
}

/// Names segments in an object store.
#[derive(Clone, Debug)]
pub struct Segments {
    /// The folder of the workspace in the store.
    pub below: StoreUrl,
    /// Differs between processes, so a name that is taken was taken by this one.
    pub token: String,
}

impl Segments {
    /// Returns the name of a segment, which has a number in this process.
    pub fn name(&self, run: Option<RunId>, number: i64) -> StoreUrl {
        self.below
            .join(&format!("{}-{}.warc.gz", stem(run, number), self.token))
    }
}

/// Returns the beginning of the name of an archive.
pub fn stem(run: Option<RunId>, number: i64) -> String {
    match run {
        Some(run) => format!("magpie-run{:04}-{number:05}", run.0),
        None => format!("magpie-{number:05}"),
    }
}
