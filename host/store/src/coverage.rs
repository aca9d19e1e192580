//! Coverage of attributes: the share of the records of a site that have a value.

use magpie_values::Timestamp;

use crate::{SiteId, StoreError};

/// Reads the coverage of attributes.
pub trait Coverage {
    /// Returns the coverage of each attribute of a vertical, of one site or of all, by site and in
    /// the order of the schema.
    fn field_coverage(&self, vertical: &str, site: Option<SiteId>) -> Result<Vec<CoverageRow>, StoreError>;
}

/// The coverage of an attribute on a site.
#[derive(Clone, Debug, PartialEq)]
pub struct CoverageRow {
    /// The site.
    pub site: SiteId,
    /// The key of the site.
    pub site_key: String,
    /// The attribute.
    pub attribute: String,
    /// The coverage when the site was learned.
    pub learned: Filled,
    /// The coverage of the last round in which records were read.
    pub last: Filled,
    /// The time since which fewer records have a value than when the site was learned, if that is
    /// proven.
    pub fell_at: Option<Timestamp>,
}

/// A number of records, and of those that have a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// Records with a value.
    pub filled: u64,
    /// All records.
    pub records: u64,
}
