//! A workspace in PostgreSQL, opened by a worker for the buckets that it has leased.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use magpie_archive::{Archives, StoreUrl};
use magpie_rows::{FetchResult, Lease, LeasedSite, LeasedSites, Numbers, PageId, SiteId, StoreError, UrlId};
use magpie_warc::ArchiveSettings;

use crate::buckets::{Buckets, LeaseTimes};
use crate::failure::server_error;
use crate::hand_in::{BatchLimits, Writer, last_counts};
use crate::membership::Heart;
use crate::numbers::{SHARED, bucket_of, bucket_of_key, row, rows_of};
use crate::schema::{self, WORKSPACE_ID};
use crate::segments::SegmentWriter;
use crate::server::{Answer, Call, Server, call};
use crate::statements::{DRAIN_INBOX, LAST_NUMBERS};
use crate::value::{Cells, read};

#[derive(Clone, Default)]
pub struct StoreOptions {
    pub times: LeaseTimes,
    pub archive: ArchiveSettings,
    /// The object store, or the folder that all workers share, for the bodies of pages. Without one
    /// no page with a body can be committed.
    pub store: Option<magpie_archive::StoreOptions>,
    /// The time at which results become durable.
    pub batch: BatchLimits,
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
    /// The name of the workspace.
    pub(crate) workspace: String,
    sites: Mutex<Sites>,
    pub(crate) archives: Archives,
    /// The folder of the workspace in the object store.
    pub(crate) below: Option<StoreUrl>,
    pub(crate) writer: Writer,
    /// Renews the leases of a driver: see [`Store::drive`].
    pub(crate) driving: Mutex<Option<Heart>>,
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
        let workspace = schema::meta(&server, WORKSPACE_ID)?;
        let buckets = Arc::new(Buckets::new(Arc::clone(&server), worker, options.times));
        let mut archives = Archives::new(PathBuf::new());
        let mut below = None;
        if let Some(store) = &options.store {
            archives.check(&store.url)?;
            archives = archives.with_patience(store.patience);
            let folder = store.url.join(&workspace);
            // Nothing has this name, so it is one request, which fails if the store can't be used.
            archives.list(Some(&folder.join("magpie")))?;
            below = Some(folder);
        }
        let segments = below.clone();
        let segments =
            segments.map(|below| SegmentWriter::new(archives.clone(), below, options.archive.clone()));
        Ok(Store {
            writer: Writer::start(&server, &buckets, options.batch, segments)?,
            archives,
            below,
            server,
            buckets,
            options,
            bucket_count,
            workspace,
            sites: Mutex::new(Sites::new(Counters::default())),
            driving: Mutex::default(),
        })
    }

    /// The buckets of the worker: claim, renew and give them back here.
    pub fn buckets(&self) -> &Buckets {
        &self.buckets
    }

    /// Refuses a page whose body has no place.
    pub(crate) fn check_place_for(&self, result: &FetchResult) -> Result<(), StoreError> {
        let exchange = result.page.as_ref().and_then(|page| page.exchange.as_ref());
        match exchange.is_some() && self.below.is_none() {
            true => Err(server_error(
                "there is no place for the bodies of pages: set `archive.store` to an object store or to a folder \
                 that all workers share, as in `s3://bucket/prefix` or `file:///mnt/archive`"
                    .to_owned(),
            )),
            false => Ok(()),
        }
    }

    /// The bucket of a site's key or an origin.
    pub(crate) fn bucket_of_key(&self, key: &str) -> i16 {
        bucket_of_key(key, self.bucket_count)
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
        self.hold(bucket_of(site.0))?;
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
        while self.buckets.claim_within(SHARED, Duration::ZERO)? {
            if let Some(answers) = self.buckets.hand_in(SHARED, &writes)? {
                return Ok(answers);
            }
        }
        Err(self.taken(SHARED)?)
    }

    /// Leases the bucket of a site that is about to be written to, if this process is the driver. A
    /// worker that has it gives it back soon after the crawl that it took part in.
    pub(crate) fn hold(&self, bucket: i16) -> Result<(), StoreError> {
        let is_held = self.buckets.epoch(bucket).is_some()
            || !self.is_driving()
            || self.buckets.claim_within(bucket, self.server.patience())?;
        match is_held {
            true => Ok(()),
            false => Err(self.taken(bucket)?),
        }
    }

    /// The error where another process has a bucket.
    pub(crate) fn taken(&self, bucket: i16) -> Result<StoreError, StoreError> {
        Ok(StoreError::Locked {
            path: self.server.address().to_string().into(),
            holder: self
                .server
                .holder(bucket)?
                .unwrap_or_else(|| "another process".to_owned()),
        })
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
pub(crate) fn bucket_epoch(epoch: i64) -> i64 {
    epoch >> 32
}
