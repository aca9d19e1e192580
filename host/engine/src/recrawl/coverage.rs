//! Coverage of attributes: a site that no longer shows the prices that it showed has changed its
//! pages, even if they still have objects.
//!
//! A loss is proven by two facts. A sequential test finds that the records on pages that changed
//! have fewer values, which is fast but may only mean that lists change more often than other
//! pages. So all pages of the site as they stand, changed or not, must also have fewer values than
//! when the site was learned.
//!
//! Records on detail pages are counted if a site has enough of them, since a list page shows less
//! of each object.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use magpie_model::Record;
use magpie_patterns::drift::{Cusum, Sensitivity};
use magpie_patterns::pattern::Proportion;
use magpie_rows::{CoverageRow, Filled, FoundRecord, PageId, SiteId, StoreError};

use crate::site::{Collection, SiteError, SitePages, is_gone};

/// Records on detail pages from which those on lists are left out.
const MIN_DETAILS: u64 = 5;

/// Share of the records with a value below which an attribute is rare, and its loss hard to prove.
const MIN_SHARE: f64 = 0.2;

/// Maximum number of pages whose records are counted. Of a larger site a sample is counted, whose
/// shares are right to about one percent.
const MAX_PAGES: usize = 10_000;

/// Number of pages whose records are in memory at the same time.
const CHUNK: usize = 500;

/// An attribute of which a site has fewer values than when it was learned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageFall {
    /// The name of the attribute.
    pub attribute: String,
    /// The coverage when the site was learned.
    pub learned: Filled,
    /// The coverage now, of all pages of the site as they stand.
    pub last: Filled,
    /// True if this round proved it.
    pub is_new: bool,
}

impl Collection<'_> {
    /// Measures the coverage of a site that was learned.
    pub(crate) fn learn_coverage(&self, site: SiteId, surveyed: &SitePages) -> Result<(), SiteError> {
        let counted = self.count(&standing(surveyed))?;
        self.store
            .put_coverage(self.vertical, site, counted.learned(site))?;
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
        // Records of an unchanged page are those of an earlier round.
        let fresh = fetched.iter().map(|place| surveyed.at(*place).1);
        let fresh = fresh.filter(|page| page.status != Some(304) && !is_gone(page));
        let fresh: Vec<PageId> = fresh.filter_map(|page| page.page).collect();
        let mut rows = self.store.field_coverage(self.vertical, Some(site))?;
        if rows.is_empty() {
            // The site was learned before coverage was measured.
            let is_fresh: BTreeSet<PageId> = fresh.iter().copied().collect();
            let mut before = standing(surveyed);
            before.retain(|page| !is_fresh.contains(page));
            rows = self.count(&before)?.learned(site);
        }
        let records = self.store.records_of(self.vertical, &fresh)?;
        let counted = match records.is_empty() {
            true => None,
            false => Some(self.count(&standing(surveyed))?),
        };
        let mut falls = Vec::new();
        for row in &mut rows {
            if let Some(counted) = &counted {
                row.last = counted.of(row.of_details).of(&row.attribute);
            }
            let outcomes = outcomes(&row.attribute, &records, row.of_details);
            falls.extend(self.watch_attribute(row, &outcomes));
        }
        if !rows.is_empty() {
            self.store.put_coverage(self.vertical, site, rows)?;
        }
        Ok(falls)
    }

    /// Counts the records on pages, or on a sample of them.
    fn count(&self, pages: &[PageId]) -> Result<Counted, StoreError> {
        let step = pages.len().div_ceil(MAX_PAGES).max(1);
        let sample: Vec<PageId> = pages.iter().copied().step_by(step).collect();
        let mut counted = Counted::default();
        for some in sample.chunks(CHUNK) {
            let records = self.store.records_of(self.vertical, some)?;
            records.iter().for_each(|found| counted.all.add(&found.record));
            let details = on_details(&records);
            details
                .iter()
                .for_each(|found| counted.details.add(&found.record));
        }
        Ok(counted)
    }

    /// Hands the records of a round to the test of an attribute: true for each with a value.
    fn watch_attribute(&self, row: &mut CoverageRow, outcomes: &[bool]) -> Option<CoverageFall> {
        let usual = proportion(row.learned);
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
        let is_lower = row.last.records > 0 && proportion(row.last).interval().1 < before;
        // One round with the usual share ends the alarm. The sequential test is reset, since its
        // sum still includes the rounds of the loss.
        let filled = outcomes.iter().filter(|is_filled| **is_filled).count();
        let is_usual =
            outcomes.len() as u64 >= MIN_DETAILS && filled as f64 >= before * outcomes.len() as f64;
        if row.fell_at.is_some() && (is_usual || !is_lower) {
            row.fell_at = None;
            monitor = fresh();
        }
        for is_filled in outcomes {
            let _ = monitor.take(*is_filled);
        }
        let is_new = row.fell_at.is_none() && monitor.is_alarmed() && is_lower;
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

/// Returns the pages of a site as they stand: the newest body of each page that is not gone.
fn standing(surveyed: &SitePages) -> Vec<PageId> {
    let standing = surveyed.pages.iter().filter(|page| !is_gone(page));
    standing.filter_map(|page| page.page).collect()
}

fn proportion(filled: Filled) -> Proportion {
    Proportion {
        hits: filled.filled as usize,
        of: filled.records as usize,
    }
}

/// Records, and the number of them with a value of each attribute.
#[derive(Default)]
struct Tally {
    records: u64,
    filled: BTreeMap<String, u64>,
}

impl Tally {
    fn add(&mut self, record: &Record) {
        self.records += 1;
        let attributes: BTreeSet<&str> = record.attributes().collect();
        for attribute in attributes {
            match self.filled.get_mut(attribute) {
                Some(filled) => *filled += 1,
                None => drop(self.filled.insert(attribute.to_owned(), 1)),
            }
        }
    }

    fn of(&self, attribute: &str) -> Filled {
        Filled {
            filled: self.filled.get(attribute).copied().unwrap_or_default(),
            records: self.records,
        }
    }
}

/// The records on the pages of a site.
#[derive(Default)]
struct Counted {
    /// Those that are alone on their page.
    details: Tally,
    all: Tally,
}

impl Counted {
    fn of(&self, of_details: bool) -> &Tally {
        if of_details { &self.details } else { &self.all }
    }

    /// Returns the coverage of each attribute of a site that was just learned.
    fn learned(&self, site: SiteId) -> Vec<CoverageRow> {
        let of_details = self.details.records >= MIN_DETAILS;
        let tally = self.of(of_details);
        let rows = tally.filled.keys().map(|attribute| {
            let learned = tally.of(attribute);
            CoverageRow {
                site,
                attribute: attribute.clone(),
                of_details,
                learned,
                last: learned,
                fell_at: None,
                monitor: None,
            }
        });
        rows.collect()
    }
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
