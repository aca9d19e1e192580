//! Values and disagreements of a reading, for people.

use std::cell::Cell;
use std::collections::BTreeMap;

use magpie_reading::{Disagreement, Reading, Source};
use magpie_rows::{ShownPage, SiteId};

use super::{ReadingError, SiteReader};

/// Pages of a site that are read for samples.
const MAX_PAGES: u64 = 300;

/// Values of a place, and disagreements of a site, that are kept.
const MAX_VALUES: usize = 3;
const MAX_DISAGREEMENTS: usize = 20;

/// Values that stand at the places of a reading, on some pages of the site.
#[derive(Debug, Default)]
pub struct Samples {
    /// Values by attribute and name of the place.
    pub values: BTreeMap<(String, String), Vec<String>>,
    /// Places whose values are not those of the vertical.
    pub disagreements: Vec<DisagreementOnPage>,
}

/// A disagreement with its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisagreementOnPage {
    /// The page.
    pub page: String,
    /// The two values.
    pub disagreement: Disagreement,
}

impl SiteReader<'_> {
    /// Reads some pages of a site by a reading, and collects what stands at its places.
    pub fn samples(&self, site: SiteId, reading: &Reading) -> Result<Samples, ReadingError> {
        let newest = self.newest(site)?;
        let mut samples = Samples::default();
        let pages = Cell::new(0);
        let is_wanted = |shown: &ShownPage| {
            let is_wanted = pages.get() < MAX_PAGES && newest.has(shown) && !shown.has_failed;
            pages.set(pages.get() + u64::from(is_wanted));
            is_wanted
        };
        self.each_archived(site, 0, &is_wanted, &mut |shown, page| {
            let outcome = self.outcome(&shown, &page, reading, &newest.lists);
            for read in &outcome.records {
                for (value, source) in read.record.values.iter().zip(&read.sources) {
                    let Source::Place(find) = source else { continue };
                    let key = (value.attribute.clone(), find.clone());
                    let values = samples.values.entry(key).or_default();
                    if values.len() < MAX_VALUES && !values.contains(&value.value) {
                        values.push(value.value.clone());
                    }
                }
            }
            let room = MAX_DISAGREEMENTS.saturating_sub(samples.disagreements.len());
            let found = outcome.disagreements.into_iter().take(room);
            samples
                .disagreements
                .extend(found.map(|disagreement| DisagreementOnPage {
                    page: shown.url.clone(),
                    disagreement,
                }));
            Ok(())
        })?;
        Ok(samples)
    }
}
