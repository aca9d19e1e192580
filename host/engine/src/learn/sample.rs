//! Objects of the warehouse to search for.

use std::collections::{BTreeMap, HashMap};

use magpie_model::Record;
use magpie_rows::{Objects, StoreError};

const READ: usize = 10_000;

/// An object of the warehouse.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledObject {
    /// Its merged record.
    pub record: Record,
    /// The URLs of the pages that show it.
    pub urls: Vec<String>,
}

/// Returns a sample of the objects of a vertical: the `most` whose numbers have the least hashes,
/// in the order of the hashes. It is the same each time, and takes from the first object as well as
/// from the last.
pub fn sampled_objects(
    reader: &dyn Objects,
    vertical: &str,
    most: usize,
) -> Result<Vec<SampledObject>, StoreError> {
    let mut records: BTreeMap<(u64, i64), Record> = BTreeMap::new();
    let mut after = None;
    loop {
        let rows = reader.objects_after(vertical, after, READ)?;
        let Some(last) = rows.last() else { break };
        after = Some(last.id);
        for row in rows {
            records.insert((mixed(row.id.0), row.id.0), row.record);
            if records.len() > most {
                records.pop_last();
            }
        }
    }
    let mut urls: HashMap<i64, Vec<String>> = records.keys().map(|(_, id)| (*id, Vec::new())).collect();
    for row in reader.all_objects_on_pages(vertical)? {
        if let Some(urls) = urls.get_mut(&row.object.0) {
            urls.push(row.url);
        }
    }
    let sampled = records.into_iter().map(|((_, id), record)| SampledObject {
        record,
        urls: urls.remove(&id).unwrap_or_default(),
    });
    Ok(sampled.collect())
}

/// The finaliser of SplitMix64: neighbouring numbers have hashes far apart.
fn mixed(number: i64) -> u64 {
    let mut hash = number.cast_unsigned().wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
