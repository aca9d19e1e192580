//! Counts of URLs by state, kept up to date with every change.

use std::collections::HashMap;

use magpie_model::UrlReason;
use magpie_rows::{SiteId, UrlState};
use rusqlite::Connection;

/// The changes of one batch.
#[derive(Default)]
pub(super) struct Tally {
    by_reason: HashMap<(i64, UrlState, Option<UrlReason>), i64>,
    queued: HashMap<i64, i64>,
}

impl Tally {
    /// Counts a URL in, or out with -1.
    pub(super) fn count(&mut self, site: SiteId, state: UrlState, reason: Option<&UrlReason>, by: i64) {
        // Reasons of queued URLs are not counted: URLs counted under a reason are not fetched
        // because of it.
        let reason = match state {
            UrlState::Queued => None,
            UrlState::Fetched | UrlState::Failed | UrlState::Refused | UrlState::Held => reason.cloned(),
        };
        *self.by_reason.entry((site.0, state, reason)).or_default() += by;
        if state == UrlState::Queued {
            *self.queued.entry(site.0).or_default() += by;
        }
    }

    pub(super) fn write(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(
            "INSERT INTO tally VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET urls = urls + excluded.urls",
        )?;
        // A URL that was offered and settled in one batch comes and leaves again, which changes no
        // row.
        for ((site, state, reason), by) in self.by_reason.drain().filter(|(_, by)| *by != 0) {
            let reason = reason.as_ref().map(UrlReason::as_str).unwrap_or_default();
            statement.execute((site, state.as_str(), reason, by))?;
        }
        let mut statement =
            connection.prepare_cached("UPDATE site SET queued = queued + ?2 WHERE id = ?1")?;
        for change in self.queued.drain().filter(|(_, by)| *by != 0) {
            statement.execute(change)?;
        }
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.by_reason.clear();
        self.queued.clear();
    }
}
