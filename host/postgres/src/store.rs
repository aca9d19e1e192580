//! A workspace in PostgreSQL, opened by a worker for the buckets that it has leased.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Instant;

use magpie_rows::{Lease, LeasedSite, LeasedSites, Numbers, PageId, SiteId, StoreError, UrlId};
use xxhash_rust::xxh3::xxh3_64;

use crate::buckets::{Buckets, LeaseTimes};
use crate::failure::server_error;
use crate::hand_in::{Writer, last_counts};
use crate::numbers::{SHARED, bucket_of, row, rows_of};
use crate::schema;
use crate::server::{AGAIN, Answer, Call, Server, call};
use crate::statements::{DRAIN_INBOX, LAST_NUMBERS, WRONG_COUNTS, WRONG_PAGES};
use crate::value::{Cells, read};

#[derive(Clone, Copy)]
pub struct StoreOptions {
    pub times: LeaseTimes,
    /// Returns the domain of a site's key or of an origin. Sites of one domain share a bucket, so
    /// that one worker knows all its hosts.
    pub domain_of: fn(&str) -> &str,
}

impl Default for StoreOptions {
    fn default() -> Self {
        StoreOptions {
            times: LeaseTimes::default(),
            domain_of: |key| key,
        }
    }
}

/// A workspace opened by a worker.
///
/// It is a [`Frontier`](magpie_rows::Frontier) over the buckets that the worker has leased. What is
/// committed is handed in by one thread, bucket by bucket.
pub struct Store {
    pub(crate) server: Arc<Server>,
    buckets: Arc<Buckets>,
    pub(crate) options: StoreOptions,
    pub(crate) bucket_count: u64,
    sites: Mutex<Sites>,
    pub(crate) writer: Writer,
}

/// URLs of an inbox that are moved at a time.
const MAIL: i64 = 10_000;

pub(crate) type Sites = LeasedSites<Counters>;

/// The numbers that come next, by site.
#[derive(Default)]
pub(crate) struct Counters {
    sites: HashMap<i64, Counter>,
    /// The number of leases of sites in this process.
    leases: i64,
}

#[derive(Clone, Copy)]
struct Counter {
    /// Epoch of the bucket when it was read: in another epoch another worker may have counted.
    epoch: i64,
    url: i64,
    page: i64,
    /// The number from which URLs were found in the lease of the site.
    first_new_url: i64,
}

impl Numbers for Counters {
    /// A site of another worker's bucket has no counter here: its owner numbers the URL again.
    fn url(&mut self, site: SiteId) -> UrlId {
        let counter = self.sites.get_mut(&site.0);
        UrlId(row(
            site,
            counter.map_or(i64::MAX, |counter| next(&mut counter.url)),
        ))
    }

    fn page(&mut self, site: SiteId) -> PageId {
        let counter = self.sites.get_mut(&site.0);
        PageId(row(
            site,
            counter.map_or(i64::MAX, |counter| next(&mut counter.page)),
        ))
    }
}

fn next(last: &mut i64) -> i64 {
    *last += 1;
    *last
}

impl Store {
    /// Opens a workspace for a worker. It has no buckets yet: see [`Store::buckets`].
    pub fn open(server: Arc<Server>, worker: &str, options: StoreOptions) -> Result<Store, StoreError> {
        let buckets = schema::meta(&server, "buckets")?;
        let bucket_count = buckets.parse().ok().filter(|count| *count > 0);
        let Some(bucket_count) = bucket_count else {
            return Err(server_error(format!(
                "{} does not say how many buckets the workspace has: it is damaged",
                server.address()
            )));
        };
        let buckets = Arc::new(Buckets::new(Arc::clone(&server), worker, options.times));
        Ok(Store {
            writer: Writer::start(&server, &buckets)?,
            server,
            buckets,
            options,
            bucket_count,
            sites: Mutex::new(Sites::new(Counters::default())),
        })
    }

    /// The buckets of the worker: claim, renew and give them back here.
    pub fn buckets(&self) -> &Buckets {
        &self.buckets
    }

    /// Compares counts with what they count, and returns a sentence for each difference. It reads
    /// all URLs and pages.
    pub fn verify(&self) -> Result<Vec<String>, StoreError> {
        let mut problems = self.query(call(&WRONG_COUNTS, []), |cells| cells.get())?;
        problems.extend(self.query(call(&WRONG_PAGES, []), |cells| cells.get())?);
        Ok(problems)
    }

    /// The bucket of a site's key or an origin.
    pub(crate) fn bucket_of_key(&self, key: &str) -> i16 {
        (xxh3_64((self.options.domain_of)(key).as_bytes()) % self.bucket_count) as i16
    }

    pub(crate) fn sites(&self) -> MutexGuard<'_, Sites> {
        // A panic while it was held leaves numbers that were given and not used, which is allowed.
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Executes one statement that reads, and makes its rows to values.
    #[expect(clippy::needless_pass_by_value, reason = "each call is made for one query")]
    pub(crate) fn query<T>(
        &self,
        call: Call<'_>,
        each: impl Fn(&mut Cells<'_>) -> Result<T, crate::failure::Failure>,
    ) -> Result<Vec<T>, StoreError> {
        read(&self.server.patiently(&call)?.rows, each)
    }

    /// Writes to the bucket of a site. Fails if the lease is over.
    pub(crate) fn write<'c>(
        &self,
        site: SiteId,
        writes: impl Fn() -> Vec<Call<'c>>,
    ) -> Result<Vec<Answer>, StoreError> {
        let answers = self.buckets.hand_in(bucket_of(site.0), writes)?;
        answers.ok_or(StoreError::LeaseOver {
            site: site.0,
            epoch: 0,
        })
    }

    /// Writes rows of the shared bucket in one transaction. While another process holds the bucket,
    /// it waits for at most the length of a lease.
    pub(crate) fn write_shared<'c>(
        &self,
        writes: impl Fn() -> Vec<Call<'c>>,
    ) -> Result<Vec<Answer>, StoreError> {
        let begin = Instant::now();
        loop {
            if self.buckets.claim_shared()?
                && let Some(answers) = self.buckets.hand_in(SHARED, &writes)?
            {
                return Ok(answers);
            }
            if begin.elapsed() > self.options.times.length {
                return Err(server_error(
                    "another worker clusters or selects in this workspace: try again when it is done"
                        .to_owned(),
                ));
            }
            sleep(AGAIN);
        }
    }

    /// Returns a leased site if its lease holds, and that of its bucket.
    pub(crate) fn leased<'s>(
        &self,
        sites: &'s mut Sites,
        lease: &Lease,
    ) -> Result<&'s mut LeasedSite, StoreError> {
        if self.buckets.epoch(bucket_of(lease.site.0)) != Some(bucket_epoch(lease.epoch)) {
            sites.remove(lease.site);
        }
        sites.get(lease)
    }

    /// Makes sure that new rows of a site can be numbered.
    pub(crate) fn count(&self, sites: &mut Sites, site: SiteId) -> Result<(), StoreError> {
        let bucket = bucket_of(site.0);
        let over = StoreError::LeaseOver {
            site: site.0,
            epoch: 0,
        };
        let epoch = self.buckets.epoch(bucket).ok_or(over)?;
        if sites
            .numbers
            .sites
            .get(&site.0)
            .is_some_and(|counter| counter.epoch == epoch)
        {
            return Ok(());
        }
        let (first, last) = rows_of(site);
        let answer = self
            .server
            .patiently(&call(&LAST_NUMBERS, [bucket.into(), first.into(), last.into()]))?;
        let [url, page, _] = last_counts(&answer.rows)?;
        let counter = Counter {
            epoch,
            url,
            page,
            first_new_url: row(site, url + 1),
        };
        sites.numbers.sites.insert(site.0, counter);
        Ok(())
    }

    /// Begins a lease of a site, and returns its epoch. URLs that others found for it are numbered.
    pub(crate) fn begin_lease(&self, sites: &mut Sites, site: SiteId) -> Result<i64, StoreError> {
        self.count(sites, site)?;
        while let Some(counter) = sites.numbers.sites.get_mut(&site.0) {
            let last = counter.url;
            let answers = self.write(site, || {
                let bucket = bucket_of(site.0);
                let values = [bucket.into(), site.0.into(), last.into(), MAIL.into()];
                vec![call(&DRAIN_INBOX, values)]
            })?;
            let rows = answers.first().map_or(&[][..], |answer| &answer.rows);
            let moved = read(rows, |cells| cells.get::<i64>())?;
            let moved = moved.first().copied().unwrap_or_default();
            counter.url += moved;
            if moved < MAIL {
                break;
            }
        }
        let leases = next(&mut sites.numbers.leases);
        let counter = sites.numbers.sites.get_mut(&site.0);
        Ok(counter.map_or(0, |counter| {
            counter.first_new_url = row(site, counter.url + 1);
            counter.epoch << 32 | leases
        }))
    }

    /// The number from which URLs of a site were found in its lease.
    pub(crate) fn first_new_url(sites: &Sites, site: SiteId) -> i64 {
        let counter = sites.numbers.sites.get(&site.0);
        counter.map_or(i64::MAX, |counter| counter.first_new_url)
    }
}

/// The epoch of the bucket in which a site was leased.
fn bucket_epoch(epoch: i64) -> i64 {
    epoch >> 32
}
