//! Objects of the warehouse to search for.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use magpie_model::Record;
use magpie_store::{ClusterFilter, Reader, StoreError};

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
    reader: &Reader,
    vertical: &str,
    most: usize,
) -> Result<Vec<SampledObject>, StoreError> {
    let filter = ClusterFilter {
        vertical: Some(vertical.to_owned()),
        ..ClusterFilter::default()
    };
    let mut records: BTreeMap<(u64, i64), Record> = BTreeMap::new();
    reader.clusters(&filter, &mut |row| {
        records.insert((mixed(row.id.0), row.id.0), row.record);
        if records.len() > most {
            records.pop_last();
        }
        ControlFlow::Continue(())
    })?;
    let mut urls: HashMap<i64, Vec<String>> = records.keys().map(|(_, id)| (*id, Vec::new())).collect();
    reader.object_pages(vertical, &mut |url, cluster| {
        if let Some(urls) = urls.get_mut(&cluster.0) {
            urls.push(url.to_owned());
        }
        ControlFlow::Continue(())
    })?;
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
