//! The state of a workspace, and the results of plugins.

use std::collections::BTreeMap;
use std::time::Duration;

use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::fetch_result::Component;
use crate::ids::{PageId, SiteId};
use crate::offer::Counts;

/// Reads sums over a workspace, and what plugins made of pages.
pub trait Statistics {
    fn status(&self) -> Result<Status, StoreError>;

    /// Returns the totals of each plugin, in the order they came into use.
    fn component_totals(&self) -> Result<Vec<ComponentTotals>, StoreError>;

    /// Returns the results of the plugins on a page.
    fn extractions(&self, page: PageId) -> Result<Vec<ExtractionRow>, StoreError>;

    /// Returns the newest pages on which a plugin failed: at most `each` of a plugin and a problem,
    /// and `limit` in all.
    fn failed_pages(&self, each: usize, limit: usize) -> Result<Vec<FailedPage>, StoreError>;

    /// Counts the records of a vertical that are not clustered yet.
    fn records_waiting(&self, vertical: &str) -> Result<u64, StoreError>;

    /// Returns the values of a vertical that did not fit its schema, by site, attribute and reason,
    /// those with most values first.
    fn violation_totals(&self, vertical: &str, limit: usize) -> Result<Vec<ViolationTotals>, StoreError>;

    /// Returns the pages of a site with values of an attribute that did not fit for a reason, the
    /// newest first.
    fn violating_pages(
        &self,
        vertical: &str,
        site: SiteId,
        reason: (&str, &str),
        limit: usize,
    ) -> Result<Vec<ViolatingPage>, StoreError>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// URLs by state and reason.
    pub urls: Counts,
    /// Pages, of all runs.
    pub pages: u64,
    /// Objects, of all runs.
    pub records: u64,
    pub sites: u64,
    pub archives: u64,
    pub archive_bytes: u64,
}

/// The result of a plugin on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractionRow {
    pub component: Component,
    /// Code of the problem.
    pub problem: Option<String>,
    /// For people: what went wrong, or what of the objects did not fit the schema.
    pub detail: Option<String>,
    pub records: u64,
    /// Number of values that were dropped or corrected.
    pub violations: u64,
    pub cpu: Duration,
}

/// A fetch of a page on which a plugin failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedPage {
    pub component: Component,
    /// Code of the problem.
    pub problem: String,
    pub url: String,
    pub fetched_at: Timestamp,
    /// For people: the failure.
    pub detail: Option<String>,
}

/// Totals of a plugin over all pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentTotals {
    pub component: Component,
    /// Pages it was shown.
    pub pages: u64,
    /// Pages on which it found something.
    pub hits: u64,
    pub records: u64,
    /// Values dropped or mended.
    pub violations: u64,
    /// CPU time of all its calls.
    pub cpu: Duration,
    /// Pages it failed on, by code.
    pub problems: BTreeMap<String, u64>,
}

impl ComponentTotals {
    /// Adds up rows with the totals of one outcome each. Those of one plugin follow each other.
    pub fn joined(rows: impl IntoIterator<Item = ComponentTotals>) -> Vec<ComponentTotals> {
        let mut all: Vec<ComponentTotals> = Vec::new();
        for row in rows {
            match all.last_mut().filter(|last| last.component == row.component) {
                Some(last) => {
                    last.pages += row.pages;
                    last.hits += row.hits;
                    last.records += row.records;
                    last.violations += row.violations;
                    last.cpu += row.cpu;
                    last.problems.extend(row.problems);
                }
                None => all.push(row),
            }
        }
        all
    }
}

/// Values of a site that the host dropped or corrected for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViolationTotals {
    pub site: SiteId,
    pub attribute: String,
    /// The code of the reason.
    pub code: String,
    pub values: u64,
    /// The number of fetches of pages with such a value.
    pub pages: u64,
}

/// A fetch of a page with values that did not fit the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViolatingPage {
    pub page: PageId,
    pub url: String,
    pub fetched_at: Timestamp,
    pub values: u64,
    /// For people: the values.
    pub detail: Option<String>,
}
