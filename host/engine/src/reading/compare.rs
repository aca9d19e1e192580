//! Two readings of a site side by side.

use magpie_model::Record;
use magpie_reading::Reading;
use magpie_rows::{ShownPage, SiteId};

use super::{ReadingError, SiteReader};
use crate::verticals::identity_by;

/// Objects and values of each kind that are named.
const MAX_NAMED: usize = 20;

/// Records and values that one reading has and another has not.
#[derive(Debug, Default)]
pub struct Difference {
    /// Pages that were read in both ways.
    pub pages: u64,
    /// Objects that only the new reading has.
    pub added: (u64, Vec<ObjectOnPage>),
    /// Objects that only the old reading has.
    pub lost: (u64, Vec<ObjectOnPage>),
    /// Values that differ.
    pub changed: (u64, Vec<ChangedValue>),
}

/// An object on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectOnPage {
    /// The page.
    pub page: String,
    /// Its values in short.
    pub object: String,
}

/// A value that two readings read differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedValue {
    /// The object with the value.
    pub on: ObjectOnPage,
    /// The attribute.
    pub attribute: String,
    /// Its values by the old reading.
    pub before: String,
    /// Its values by the new one.
    pub after: String,
}

impl SiteReader<'_> {
    /// Compares the records of two readings on all pages of a site as they are now. Without an old
    /// reading it compares with the vertical alone.
    pub fn compare(
        &self,
        site: SiteId,
        before: Option<&Reading>,
        after: &Reading,
    ) -> Result<Difference, ReadingError> {
        let newest = self.newest(site)?;
        let mut difference = Difference::default();
        let is_wanted = |shown: &ShownPage| newest.has(shown) && !shown.has_failed;
        self.each_archived(site, 0, &is_wanted, &mut |shown, page| {
            let records = |reading: &Reading| -> Vec<Record> {
                let outcome = self.outcome(&shown, &page, reading, &newest.lists);
                outcome.records.into_iter().map(|read| read.record).collect()
            };
            let old = before.map_or_else(|| shown.records.clone(), &records);
            difference.pages += 1;
            self.add(&mut difference, &shown.url, old, &records(after));
            Ok(())
        })?;
        Ok(difference)
    }

    fn add(&self, difference: &mut Difference, page: &str, mut old: Vec<Record>, new: &[Record]) {
        let identity = |record: &Record| identity_by(&self.info.attributes, record);
        // Several records may have the same identity, so equal records are paired first.
        let mut rest = Vec::new();
        for record in new {
            let print = record.fingerprint();
            match old.iter().position(|other| other.fingerprint() == print) {
                Some(at) => drop(old.swap_remove(at)),
                None => rest.push(record),
            }
        }
        for record in rest {
            let own = identity(record);
            let Some(at) = old.iter().position(|other| identity(other) == own) else {
                note(&mut difference.added, || self.on(page, record));
                continue;
            };
            let other = old.swap_remove(at);
            for attribute in &self.info.attributes {
                let values = |record: &Record| record.all(&attribute.name).collect::<Vec<_>>().join("; ");
                let (before, after) = (values(&other), values(record));
                if before != after {
                    note(&mut difference.changed, || ChangedValue {
                        on: self.on(page, record),
                        attribute: attribute.name.clone(),
                        before,
                        after,
                    });
                }
            }
        }
        for record in &old {
            note(&mut difference.lost, || self.on(page, record));
        }
    }

    fn on(&self, page: &str, record: &Record) -> ObjectOnPage {
        let identifying = self
            .info
            .attributes
            .iter()
            .filter(|attribute| attribute.identifies);
        let values: Vec<&str> = identifying
            .filter_map(|attribute| record.get(&attribute.name))
            .collect();
        ObjectOnPage {
            page: page.to_owned(),
            object: values.join(", "),
        }
    }
}

fn note<T>((count, named): &mut (u64, Vec<T>), one: impl FnOnce() -> T) {
    *count += 1;
    if named.len() < MAX_NAMED {
        named.push(one());
    }
}
