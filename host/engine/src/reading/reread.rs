//! Extraction from archived pages: no request is sent.

use std::cell::RefCell;
use std::collections::BTreeSet;

use magpie_rows::{BodyPruned, Extraction, PageId, ShownPage, SiteId};

use super::PAGES;
use crate::PipelineError;
use crate::session::Session;

/// Pages to be shown to the vertical again.
#[derive(Clone, Debug, Default)]
pub struct RereadRequest {
    /// Those of these sites.
    pub sites: Vec<(SiteId, String)>,
    /// Only those on which the component failed or was stopped.
    pub only_failed: bool,
}

/// The result of showing pages to the vertical again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reread {
    /// Pages that the vertical was shown.
    pub pages: u64,
    /// Pages among them on which it failed. They keep the records that they had.
    pub failed: u64,
    /// Pages without a copy in the archive. They keep their records.
    pub missing: u64,
    /// Pages among them whose copy was removed by `archive.keep` or `archive.quota`, and the last
    /// removal.
    pub pruned: (u64, Option<BodyPruned>),
    /// Pages with other records than before.
    pub changed: u64,
    /// The stop was requested before all pages were read.
    pub was_stopped: bool,
}

/// Shows the newest archived pages of sites to the present component, and reads them by what was
/// learned of the sites. The next clustering takes in what changed.
pub fn reread(session: &Session, request: &RereadRequest) -> Result<Reread, PipelineError> {
    let (store, reader, vertical) = (session.store(), session.site_reader()?, session.vertical());
    let extractor = session.extractor();
    let mut done = Reread::default();
    store.flush()?;
    for (site, key) in &request.sites {
        let newest = reader.newest(*site)?;
        let wanted = RefCell::new(BTreeSet::new());
        let is_wanted = |shown: &ShownPage| {
            let is_wanted = newest.has(shown) && (shown.has_failed || !request.only_failed);
            if is_wanted {
                wanted.borrow_mut().insert(shown.page);
            }
            is_wanted
        };
        let mut waiting: Vec<(PageId, Extraction)> = Vec::new();
        reader.each_archived(*site, 0, &is_wanted, &mut |shown, page| {
            if session.is_stopping() {
                done.was_stopped = true;
                return Ok(());
            }
            done.pages += 1;
            wanted.borrow_mut().remove(&shown.page);
            let extractions = extractor.extract(&page).into_iter();
            let mut own = extractions.filter(|found| found.component.vertical == vertical);
            match own.next() {
                Some(found) if found.problem.is_none() => waiting.push((shown.page, found)),
                _ => done.failed += 1,
            }
            if waiting.len() >= PAGES {
                let batch = std::mem::take(&mut waiting);
                done.changed += store.put_extractions(vertical, batch)? as u64;
            }
            Ok(())
        })?;
        done.changed += store.put_extractions(vertical, waiting)? as u64;
        if !done.was_stopped {
            for missing in wanted.into_inner() {
                done.missing += 1;
                if let Some(pruned) = store.page(missing)?.and_then(|page| page.pruned) {
                    done.pruned = (done.pruned.0 + 1, done.pruned.1.max(Some(pruned)));
                }
            }
        }
        if let Some(reading) = reader.present(key)? {
            reader.read_again(store, *site, &reading)?;
        }
    }
    Ok(done)
}
