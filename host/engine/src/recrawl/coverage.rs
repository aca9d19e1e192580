//! Coverage of attributes: a site that no longer shows the prices that it showed has changed its
//! pages, even if they still have objects.
//!
//! Records on detail pages are counted if a site has enough of them. A list page shows less of each
//! object, and rounds read lists more often than learning does.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use magpie_patterns::drift::{Cusum, Sensitivity};
use magpie_patterns::pattern::Proportion;
use magpie_rows::{CoverageRow, Filled, FoundRecord, PageId, SiteId};

use crate::site::{Collection, SiteError, SitePages};

/// Records on detail pages from which those on lists are left out.
const MIN_DETAILS: u64 = 5;

/// Share of the records with a value below which an attribute is rare, and its loss hard to prove.
const MIN_SHARE: f64 = 0.2;

/// An attribute of which a site has fewer values than when it was learned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageFall {
    /// The name of the attribute.
    pub attribute: String,
    /// The coverage when the site was learned.
    pub learned: Filled,
    /// The coverage in the last round.
    pub last: Filled,
    /// True if this round proved it.
    pub is_new: bool,
}

impl Collection<'_> {
    /// Measures the coverage of a site that was learned.
    pub(crate) fn learn_coverage(&self, site: SiteId, surveyed: &SitePages) -> Result<(), SiteError> {
        let pages: Vec<PageId> = surveyed.pages.iter().filter_map(|page| page.page).collect();
        let rows = learned(site, &self.store.records_of(self.vertical, &pages)?);
        self.store.put_coverage(self.vertical, site, rows)?;
        Ok(())
    }

    /// Adds the records on the pages of a round, by their places, to the coverage of a site.
    /// Returns the attributes of which it has fewer values than when it was learned.
    pub(crate) fn watch_coverage(
        &self,
        site: SiteId,
        surveyed: &SitePages,
        fetched: &[usize],
    ) -> Result<Vec<CoverageFall>, SiteError> {
        let (mut now, mut before) = (Vec::new(), Vec::new());
        for (place, page) in surveyed.pages.iter().enumerate() {
            let is_now = fetched.binary_search(&place).is_ok();
            // Records of an unchanged page are those of an earlier round.
            if let Some(id) = page.page.filter(|_| !is_now || page.status != Some(304)) {
                let list = if is_now { &mut now } else { &mut before };
                list.push(id);
            }
        }
        let mut rows = self.store.field_coverage(self.vertical, Some(site))?;
        if rows.is_empty() {
            // The site was learned before coverage was measured.
            rows = learned(site, &self.store.records_of(self.vertical, &before)?);
        }
        let records = self.store.records_of(self.vertical, &now)?;
        let mut falls = Vec::new();
        for row in &mut rows {
            let outcomes = outcomes(&row.attribute, &records, row.of_details);
            falls.extend(self.watch_attribute(row, &outcomes));
        }
        if !rows.is_empty() {
            self.store.put_coverage(self.vertical, site, rows)?;
        }
        Ok(falls)
    }

    /// Hands the records of a round to the test of an attribute: true for each with a value.
    fn watch_attribute(&self, row: &mut CoverageRow, outcomes: &[bool]) -> Option<CoverageFall> {
        let usual = Proportion {
            hits: row.learned.filled as usize,
            of: row.learned.records as usize,
        };
        // The loss of a rare attribute can't be distinguished from chance.
        if usual.share() < MIN_SHARE {
            return None;
        }
        // The lower end of the interval is compared, so that a share that few records have shown
        // raises no alarm by chance.
        let before = usual.interval().0;
        let after = before * (1.0 - Sensitivity::default().lost_yield);
        let fresh = || {
            let false_alarm = self.settings.settings.recrawl.false_alarm as f64;
            Cusum::new(before, after, false_alarm)
        };
        let kept = row.monitor.as_deref();
        let mut monitor: Cusum = kept
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_else(fresh);
        if !outcomes.is_empty() {
            row.last = Filled {
                filled: outcomes.iter().filter(|is_filled| **is_filled).count() as u64,
                records: outcomes.len() as u64,
            };
        }
        // One round with the usual share ends the alarm. The sequential test is reset, since its
        // sum still includes the rounds of the loss.
        if row.fell_at.is_some() && row.last.records >= MIN_DETAILS && row.last.share() >= before {
            row.fell_at = None;
            monitor = fresh();
        }
        for is_filled in outcomes {
            let _ = monitor.take(*is_filled);
        }
        let is_new = row.fell_at.is_none() && monitor.is_alarmed();
        if is_new {
            row.fell_at = Some(self.now);
        }
        row.monitor = serde_json::to_string(&monitor).ok();
        row.fell_at.map(|_| CoverageFall {
            attribute: row.attribute.clone(),
            learned: row.learned,
            last: row.last,
            is_new,
        })
    }
}

/// Returns the coverage of each attribute in records.
fn learned(site: SiteId, records: &[FoundRecord]) -> Vec<CoverageRow> {
    let details = on_details(records);
    let of_details = details.len() as u64 >= MIN_DETAILS;
    let counted = if of_details {
        details
    } else {
        records.iter().collect()
    };
    let mut filled: BTreeMap<&str, u64> = BTreeMap::new();
    for found in &counted {
        let attributes: BTreeSet<&str> = found.record.attributes().collect();
        attributes
            .into_iter()
            .for_each(|attribute| *filled.entry(attribute).or_default() += 1);
    }
    let rows = filled.into_iter().map(|(attribute, filled)| {
        let learned = Filled {
            filled,
            records: counted.len() as u64,
        };
        CoverageRow {
            site,
            attribute: attribute.to_owned(),
            of_details,
            learned,
            last: learned,
            fell_at: None,
            monitor: None,
        }
    });
    rows.collect()
}

/// Returns true for each counted record that has a value of an attribute.
fn outcomes(attribute: &str, records: &[FoundRecord], of_details: bool) -> Vec<bool> {
    let counted = match of_details {
        true => on_details(records),
        false => records.iter().collect(),
    };
    let outcomes = counted.iter().map(|found| found.record.get(attribute).is_some());
    outcomes.collect()
}

/// Returns the records that are alone on their page.
fn on_details(records: &[FoundRecord]) -> Vec<&FoundRecord> {
    let mut on_page: HashMap<PageId, u64> = HashMap::new();
    for found in records {
        *on_page.entry(found.page).or_default() += 1;
    }
    records.iter().filter(|found| on_page[&found.page] == 1).collect()
}
