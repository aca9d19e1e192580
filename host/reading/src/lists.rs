//! Statements of lists about the pages that they link to.

use std::collections::HashMap;

use magpie_model::{Record, VerticalInfo};

use crate::schema::Schema;
use crate::site;
use crate::tree::{Name, hash};

/// Records that are kept of a site, and of those the ones that link to one page.
const MAX_RECORDS: usize = 200_000;
const MAX_LINKING: usize = 8;

/// Records of the pages of a site by the address that they state.
pub struct Lists {
    address: Option<String>,
    linking: HashMap<Name, Vec<Record>>,
    count: usize,
}

impl Lists {
    /// An empty collection for a vertical.
    pub fn new(info: &VerticalInfo) -> Lists {
        let schema = Schema::new(info);
        Lists {
            address: schema.url.map(|at| schema.attribute(at).name.clone()),
            linking: HashMap::new(),
            count: 0,
        }
    }

    /// Adds the records of a page. Those that are about the page itself are left out.
    pub fn note(&mut self, page: &str, records: &[Record]) {
        let Some(attribute) = &self.address else { return };
        let own = site::address(page);
        for record in records {
            let Some(target) = record.get(attribute).map(site::address) else {
                continue;
            };
            if target == own || self.count >= MAX_RECORDS {
                continue;
            }
            let linking = self.linking.entry(hash(&target)).or_default();
            // Pages that were fetched later say what holds now.
            linking.insert(0, record.clone());
            linking.truncate(MAX_LINKING);
            self.count += 1;
        }
    }

    /// The records of other pages that have the address of this page, those noted last first.
    pub fn of(&self, page: &str) -> &[Record] {
        let linking = self.linking.get(&hash(&site::address(page)));
        linking.map_or(&[], Vec::as_slice)
    }
}
