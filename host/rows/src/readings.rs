//! Records that count on pages in place of those that the vertical found first.

use std::collections::BTreeMap;

use magpie_model::Record;
use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::fetch_result::Extraction;
use crate::ids::{PageId, SiteId};

/// Writes records of archived pages that were read again. Each call that writes is one transaction.
pub trait Readings {
    /// Returns the sites with pages that are not clustered yet.
    fn sites_with_news(&self, vertical: &str) -> Result<Vec<SiteNews>, StoreError>;

    /// Replaces the records that count on pages, and returns the number of pages that have other
    /// records now. Those of them that were clustered before are clustered again.
    fn put_readings(&self, vertical: &str, pages: Vec<PageReading>) -> Result<usize, StoreError>;

    /// Puts extractions from archived pages in the place of those that the vertical made before,
    /// and returns the number of pages with other records. They are clustered again.
    fn put_extractions(&self, vertical: &str, pages: Vec<(PageId, Extraction)>) -> Result<usize, StoreError>;
}

/// A site with pages that are not clustered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteNews {
    pub site: SiteId,
    pub key: String,
    /// The number of the last page that is clustered.
    pub after: u64,
}

/// The records that a reading makes of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageReading {
    pub page: PageId,
    /// `None` if those of the vertical count as they are.
    pub records: Option<Vec<SourcedRecord>>,
}

/// Origins of the values of a record, by attribute.
pub type Sources = BTreeMap<String, String>;

/// A record that a reading made or changed.
#[derive(Clone, Debug, PartialEq)]
pub struct SourcedRecord {
    pub record: Record,
    /// The origins of its values, by attribute.
    pub sources: Sources,
    pub expires_at: Option<Timestamp>,
}
