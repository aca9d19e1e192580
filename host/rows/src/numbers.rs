//! Numbers of sites, URLs, pages and records in a store that is spread over buckets.
//!
//! A number names a row and its bucket, so that a statement about it is routed without a look-up. A
//! site is `count << 10 | bucket`, counted within its bucket. A row of a site is
//! `site count << 41 | count << 10 | bucket`, counted within its site by the owner of the bucket:
//! the rows of a site are a range of numbers in the order in which they were made.

use magpie_values::domain::registrable;
use xxhash_rust::xxh3::xxh3_64;

use crate::ids::SiteId;

pub(crate) const BUCKET_BITS: u32 = 10;
pub(crate) const COUNT_BITS: u32 = 31;
pub(crate) const MAX_COUNT: i64 = (1 << COUNT_BITS) - 1;

/// The bucket of what belongs to no site: objects, what was learned over all sites. It is leased
/// like the others, so that one process at a time clusters and selects.
pub const SHARED: i16 = -1;

/// The bucket of a site's key or an origin. Sites of one domain share a bucket, so that one worker
/// knows all its hosts.
pub fn bucket_of_key(key: &str, buckets: u64) -> i16 {
    (xxh3_64(domain_of(key).as_bytes()) % buckets) as i16
}

/// Returns the registrable domain of an origin or of another key of a site.
fn domain_of(key: &str) -> &str {
    let rest = key.split_once("://").map_or(key, |(_, rest)| rest);
    let host = rest.split(['/', ':', '?', '#']).next().unwrap_or(rest);
    registrable(host).unwrap_or(host)
}

pub fn bucket_of(number: i64) -> i16 {
    (number & ((1 << BUCKET_BITS) - 1)) as i16
}

/// Returns the number of a row of a site. One beyond the last possible row gets the number of that
/// row, which the database refuses.
pub fn row(site: SiteId, count: i64) -> i64 {
    let bucket = i64::from(bucket_of(site.0));
    (site.0 >> BUCKET_BITS) << (BUCKET_BITS + COUNT_BITS) | count.min(MAX_COUNT) << BUCKET_BITS | bucket
}

/// The site of a row.
pub fn site_of(number: i64) -> SiteId {
    SiteId((number >> (BUCKET_BITS + COUNT_BITS)) << BUCKET_BITS | i64::from(bucket_of(number)))
}

/// The count of a row within its site.
pub fn count_of(number: i64) -> i64 {
    number >> BUCKET_BITS & MAX_COUNT
}

/// The numbers of all rows of a site: the first and the last.
pub fn rows_of(site: SiteId) -> (i64, i64) {
    (row(site, 0), row(site, MAX_COUNT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_tell_bucket_and_site_and_grow_within_a_site() {
        let site = SiteId(5 << BUCKET_BITS | 1_023);
        let (first, second) = (row(site, 1), row(site, 2));
        assert!(first < second && second < rows_of(site).1);
        assert_eq!((bucket_of(first), count_of(second)), (1_023, 2));
        assert_eq!(site_of(second), site);
        let next = SiteId(6 << BUCKET_BITS | 1_023);
        assert!(rows_of(site).1 < rows_of(next).0);
        assert_eq!(row(site, i64::MAX), rows_of(site).1);
        // The last site of all is still a positive number.
        assert!(row(SiteId(0x3f_ffff << BUCKET_BITS | 7), MAX_COUNT) > 0);
    }
}
