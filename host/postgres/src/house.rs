//! Removing pages, and bounding the archive: not on a server yet.

use magpie_rows::{ArchiveLimits, Forgetting, Forgotten, HouseStore, Pruned, StoreError, UrlTest};
use magpie_values::Timestamp;

use crate::store::Store;

impl HouseStore for Store {
    fn forget(&self, _: &Forgetting) -> Result<Forgotten, StoreError> {
        Err(refused("`magpie forget` removes pages"))
    }

    fn recall(&self, _: UrlTest) -> Result<u64, StoreError> {
        Err(refused("`magpie forget` removes pages"))
    }

    fn prune(&self, limits: &ArchiveLimits, _: Timestamp) -> Result<Pruned, StoreError> {
        match *limits == ArchiveLimits::default() {
            true => Ok(Pruned::default()),
            false => Err(refused("`archive.keep` and `archive.quota` bound the archive")),
        }
    }
}

fn refused(what: &str) -> StoreError {
    StoreError::Server {
        sentence: format!(
            "{what} of a workspace in a folder only: copy this one into a folder with `magpie workspace copy`"
        ),
    }
}
