//! The limits of the archive.

use std::time::Duration;

use magpie_rows::{ArchiveLimits, Pruned, Store, StoreError};
use magpie_values::Timestamp;

use crate::settings::{Archive, Keep};

/// Removes old bodies until the archive is within the limits of the settings. At the end of a run,
/// a body may be a tenth older.
pub fn prune(
    store: &dyn Store,
    archive: &Archive,
    now: Timestamp,
    is_end_of_run: bool,
) -> Result<Pruned, StoreError> {
    let before = |age: Duration| {
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(now.as_millis().saturating_sub(age))
    };
    let limits = ArchiveLimits {
        oldest: match archive.keep {
            Keep::Nothing | Keep::All => None,
            Keep::For(age) => {
                let overdue = if is_end_of_run { age + age / 10 } else { age };
                Some((before(age), before(overdue)))
            }
        },
        bytes: Some(archive.quota.0).filter(|quota| *quota > 0),
    };
    store.prune(&limits, now)
}
