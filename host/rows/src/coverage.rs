//! Coverage of attributes: the share of the records of a site that have a value.

use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::ids::SiteId;

pub trait Coverage {
    /// Returns the coverage of the attributes of a vertical, of one site or of all, by site and
    /// attribute.
    fn field_coverage(&self, vertical: &str, site: Option<SiteId>) -> Result<Vec<CoverageRow>, StoreError>;
}

pub trait CoverageStore: Coverage {
    /// Keeps the coverage of a site in place of the one before.
    fn put_coverage(&self, vertical: &str, site: SiteId, rows: Vec<CoverageRow>) -> Result<(), StoreError>;
}

/// The coverage of an attribute on a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageRow {
    pub site: SiteId,
    pub attribute: String,
    /// True if only records on detail pages are counted: the site had enough of them when it was
    /// learned.
    pub of_details: bool,
    /// The coverage when the site was learned.
    pub learned: Filled,
    /// The coverage of all pages as they stood after the last round that brought records.
    pub last: Filled,
    /// The time since which fewer records have a value than when the site was learned, if that is
    /// proven.
    pub fell_at: Option<Timestamp>,
    /// The state of the test that proves it, as JSON.
    pub monitor: Option<String>,
}

/// A number of records, and of those that have a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// Records with a value.
    pub filled: u64,
    pub records: u64,
}

impl Filled {
    /// Returns the share of the records that have a value; 0 without records.
    pub fn share(self) -> f64 {
        self.filled as f64 / self.records.max(1) as f64
    }
}
