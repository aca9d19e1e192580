//! The frontier in PostgreSQL.

use std::collections::BTreeMap;
use std::time::Duration;

use magpie_model::UrlReason;
use magpie_rows::{
    Counts, FetchResult, Frontier, KnownSet, LastAnswer, Lease, LeaseRequest, LeasedSite, Pending, QueuePart,
    Queued, RankedForm, Receipt, Requeue, SiteId, Standing, StoreError, UrlId, UrlState, weigh,
};
use magpie_values::Timestamp;

use crate::failure::{Failure, server_error};
use crate::numbers::bucket_of;
use crate::server::{Call, call};
use crate::statements::{
    COUNTS, COUNTS_OF_SITE, FORMS, HOLD_QUEUE, KNOWN, NEW_SITE, QUEUE, QUEUE_AGAIN, QUEUE_OF_FORM,
    QUEUE_URLS, QUEUE_WAITING, READY, RELEASE, SET_FORMS, SITE, SITE_BY_KEY, WITHOUT_FORM,
};
use crate::store::{Sites, Store, bucket_epoch};
use crate::value::{Cells, Value, columns};
use tokio_postgres::types::Type;

/// Attempts to make a site: another worker may take the number that was free.
const ATTEMPTS: usize = 20;

/// Number of workers that die while they work on a page alone until it is refused. One would be too
/// few: whoever kills workers for another reason always hits some page.
const DEATHS: u64 = 2;

impl Frontier for Store {
    fn site(&self, key: &str) -> Result<SiteId, StoreError> {
        let bucket = self.bucket_of_key(key);
        let find = || {
            let found = self.query(call(&SITE_BY_KEY, [bucket.into(), key.into()]), |cells| {
                cells.get::<i64>()
            })?;
            Ok::<_, StoreError>(found.first().copied().map(SiteId))
        };
        if let Some(site) = find()? {
            return Ok(site);
        }
        for _ in 0..ATTEMPTS {
            self.server
                .patiently(&call(&NEW_SITE, [bucket.into(), key.into()]))?;
            if let Some(site) = find()? {
                return Ok(site);
            }
        }
        Err(server_error(format!(
            "no number is free for the site {key}: bucket {bucket} is full, or many workers make sites at once"
        )))
    }

    fn lease(&self, request: &LeaseRequest<'_>) -> Result<Option<Lease>, StoreError> {
        if let Some(site) = request.site
            && self.is_driving()
            && !self.buckets().claim_within(bucket_of(site.0), Duration::ZERO)?
        {
            return Ok(None);
        }
        let mut sites = self.sites();
        // Results that wait for the writer may queue URLs of the site.
        self.writer.flush()?;
        let Some(site) = self.candidate(&sites, request)? else {
            return Ok(None);
        };
        let epoch = self.begin_lease(&mut sites, site)?;
        let bucket = bucket_of(site.0);
        let found = self.query(call(&SITE, [bucket.into(), site.0.into()]), |cells| {
            Ok((cells.get::<String>()?, cells.get::<i64>()?.unsigned_abs()))
        })?;
        let Some((key, queued)) = found.into_iter().next() else {
            return Ok(None);
        };
        let mut known = KnownSet::new();
        let answer = self
            .server
            .patiently(&call(&KNOWN, [bucket.into(), site.0.into()]))?;
        for row in &answer.rows {
            known.insert(Cells::of(row).get::<i64>()?.cast_unsigned());
        }
        sites.insert(site, LeasedSite::new(epoch, request.until, known, queued));
        Ok(Some(Lease {
            site,
            key,
            epoch,
            until: request.until,
        }))
    }

    fn extend(&self, lease: &mut Lease, until: Timestamp) -> Result<(), StoreError> {
        let mut sites = self.sites();
        self.leased(&mut sites, lease)?.until = until;
        lease.until = until;
        Ok(())
    }

    fn may_ask(&self, lease: &Lease) -> bool {
        let bucket = bucket_of(lease.site.0);
        // It may have been lost and claimed again since the site was leased.
        self.buckets().epoch(bucket) == Some(bucket_epoch(lease.epoch)) && self.buckets().may_ask(bucket)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn is_careful(&self, lease: &Lease) -> bool {
        self.buckets().is_careful(bucket_of(lease.site.0))
    }

    fn begin_alone(&self, lease: &Lease, url: &str) -> Result<bool, StoreError> {
        let deaths = self.buckets().name_page(bucket_of(lease.site.0), Some(url))?;
        Ok(deaths < DEATHS)
    }

    fn end_alone(&self, lease: &Lease) -> Result<(), StoreError> {
        // A page with a durable result is not fetched again, so no other death is laid to it.
        self.writer.flush()?;
        self.buckets().name_page(bucket_of(lease.site.0), None)?;
        Ok(())
    }

    fn release(&self, lease: Lease, ready_at: Timestamp) -> Result<(), StoreError> {
        let mut sites = self.sites();
        self.leased(&mut sites, &lease)?;
        sites.remove(lease.site);
        self.write(lease.site, || {
            let bucket = bucket_of(lease.site.0);
            vec![call(
                &RELEASE,
                [bucket.into(), lease.site.0.into(), ready_at.into()],
            )]
        })?;
        Ok(())
    }

    fn unknown(&self, lease: &Lease, fingerprints: &[u64]) -> Result<Vec<usize>, StoreError> {
        Ok(self.leased(&mut self.sites(), lease)?.unknown(fingerprints))
    }

    fn take(
        &self,
        lease: &Lease,
        form: Option<i64>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Pending>, StoreError> {
        let mut sites = self.sites();
        self.leased(&mut sites, lease)?;
        let mut pending = Vec::new();
        while pending.len() < limit {
            match self.filled(&mut sites, lease, form)?.next(form, now) {
                Some(next) => pending.push(next),
                None => break,
            }
        }
        Ok(pending)
    }

    fn rank(
        &self,
        lease: &Lease,
        form_of: &mut dyn FnMut(&str) -> i64,
    ) -> Result<Vec<RankedForm>, StoreError> {
        let mut sites = self.sites();
        self.leased(&mut sites, lease)?.rank();
        // Results that wait for the writer may queue URLs of the site.
        self.writer.flush()?;
        let (bucket, site) = (bucket_of(lease.site.0), lease.site.0);
        let answer = self
            .server
            .patiently(&call(&WITHOUT_FORM, [bucket.into(), site.into()]))?;
        let mut ranked: Vec<[i64; 2]> = Vec::new();
        for row in &answer.rows {
            let mut cells = Cells::of(row);
            ranked.push([cells.get()?, form_of(cells.get()?)]);
        }
        if !ranked.is_empty() {
            self.write(lease.site, || {
                let [urls, forms] = columns(ranked.iter().map(|row| row.map(Value::from)).collect());
                vec![call(&SET_FORMS, [bucket.into(), urls, forms])]
            })?;
        }
        let mut forms = self.query(call(&FORMS, [bucket.into(), site.into()]), |cells| {
            let ranked = RankedForm {
                form: cells.get()?,
                queued: cells.get::<i64>()?.unsigned_abs(),
                url: cells.get()?,
            };
            Ok((cells.get::<i64>()?, ranked))
        })?;
        forms.sort_unstable_by_key(|(first, _)| *first);
        Ok(forms.into_iter().map(|(_, form)| form).collect())
    }

    fn commit(&self, lease: &Lease, result: FetchResult) -> Result<Receipt, StoreError> {
        self.check_place_for(&result)?;
        let weight = weigh(&result);
        // Before the sites are locked: a caller that waits for room must not keep others from their
        // sites.
        self.writer.wait_for_room(weight)?;
        let mut sites = self.sites();
        self.leased(&mut sites, lease)?;
        for other in result.offers.iter().filter_map(|offer| offer.site) {
            match self.count(&mut sites, other) {
                // Another worker has its bucket, and will number it.
                Ok(()) | Err(StoreError::LeaseOver { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let (filed, receipt) = sites.file(lease, result, weight)?;
        let committed = self.committed();
        if let Ok(site) = sites.get(lease) {
            site.forget(committed);
        }
        self.writer.file(filed)?;
        Ok(receipt)
    }

    fn committed(&self) -> u64 {
        self.writer.committed()
    }

    fn flush(&self) -> Result<(), StoreError> {
        self.writer.flush()
    }

    fn standing(&self, lease: &Lease) -> Result<Standing, StoreError> {
        let mut sites = self.sites();
        self.leased(&mut sites, lease)?;
        Ok(self.filled(&mut sites, lease, None)?.standing())
    }

    fn counts(&self, site: Option<SiteId>) -> Result<Counts, StoreError> {
        let call = match site {
            Some(site) => call(&COUNTS_OF_SITE, [bucket_of(site.0).into(), site.0.into()]),
            None => call(&COUNTS, []),
        };
        let rows = self.query(call, |cells| {
            let key = (cells.word()?, cells.reason()?);
            Ok((key, cells.get::<i64>()?.unsigned_abs()))
        })?;
        Ok(Counts(BTreeMap::from_iter(rows)))
    }
}

impl Requeue for Store {
    fn queue_again(
        &self,
        site: SiteId,
        from: UrlState,
        reason: Option<&UrlReason>,
    ) -> Result<u64, StoreError> {
        self.requeue(site, || {
            (from != UrlState::Queued).then(|| {
                let (state, reason) = (from.as_str().into(), reason.into());
                call(
                    &QUEUE_AGAIN,
                    [bucket_of(site.0).into(), site.0.into(), state, reason],
                )
            })
        })
    }

    fn queue_urls(&self, site: SiteId, urls: Vec<UrlId>) -> Result<u64, StoreError> {
        self.requeue(site, || {
            let urls = urls.iter().map(|url| url.0.into()).collect();
            let urls = Value::Many(Type::INT8_ARRAY, urls);
            Some(call(&QUEUE_URLS, [bucket_of(site.0).into(), site.0.into(), urls]))
        })
    }

    fn hold_queue(&self, site: SiteId, reason: &UrlReason) -> Result<u64, StoreError> {
        self.requeue(site, || {
            let reason = Some(reason).into();
            Some(call(
                &HOLD_QUEUE,
                [bucket_of(site.0).into(), site.0.into(), reason],
            ))
        })
    }
}

impl Store {
    /// Changes the queue of a site that is not leased. Returns the number that the statement
    /// counts.
    fn requeue<'c>(&self, site: SiteId, change: impl Fn() -> Option<Call<'c>>) -> Result<u64, StoreError> {
        // No lease begins while it is locked.
        let sites = self.sites();
        sites.check_unleased(site)?;
        self.writer.flush()?;
        let answers = self.write(site, || Vec::from_iter(change()))?;
        match answers.first().map(|answer| answer.rows.as_slice()) {
            Some([row, ..]) => Ok(Cells::of(row).get::<i64>()?.unsigned_abs()),
            _ => Ok(0),
        }
    }

    /// The site to lease: free, and ready with URLs unless it is asked for by name.
    fn candidate(&self, sites: &Sites, request: &LeaseRequest<'_>) -> Result<Option<SiteId>, StoreError> {
        let held = self.buckets().all();
        let candidates = match request.site {
            Some(site) => vec![site],
            None => {
                // Those that are leased may be the first.
                let limit = sites.len() as i64 + 1;
                let owned = held.iter().map(|bucket| (*bucket).into()).collect();
                let owned = Value::Many(Type::INT2_ARRAY, owned);
                let ready = call(&READY, [owned, request.now.into(), limit.into()]);
                self.query(ready, |cells| cells.get().map(SiteId))?
            }
        };
        let is_free = |site: &SiteId| {
            held.contains(&bucket_of(site.0))
                && sites.find(*site).is_none_or(|leased| leased.until <= request.now)
        };
        Ok(candidates.into_iter().find(is_free))
    }

    /// Returns a leased site with its next URLs in memory.
    fn filled<'s>(
        &self,
        sites: &'s mut Sites,
        lease: &Lease,
        form: Option<i64>,
    ) -> Result<&'s mut LeasedSite, StoreError> {
        let first_new_url = Store::first_new_url(sites, lease.site);
        let site = sites.get(lease)?;
        if site.wants(form) {
            // Before the look: whatever is committed by then, the look sees.
            let committed = self.committed();
            site.fill(form, committed, |part, limit| {
                self.read_queue(lease.site, first_new_url, part, limit)
            })?;
        }
        Ok(site)
    }

    fn read_queue(
        &self,
        site: SiteId,
        first_new_url: i64,
        part: QueuePart,
        limit: usize,
    ) -> Result<Vec<Queued>, StoreError> {
        let (bucket, site) = (bucket_of(site.0).into(), site.0.into());
        let (first, limit) = (first_new_url.into(), (limit as i64).into());
        let call = match part {
            QueuePart::Ordered((priority, depth, url)) => call(
                &QUEUE,
                [
                    bucket,
                    site,
                    first,
                    limit,
                    priority.into(),
                    depth.into(),
                    url.into(),
                ],
            ),
            QueuePart::OfForm(form, (priority, depth, url)) => call(
                &QUEUE_OF_FORM,
                [
                    bucket,
                    site,
                    first,
                    limit,
                    priority.into(),
                    depth.into(),
                    url.into(),
                    form.into(),
                ],
            ),
            QueuePart::Waiting(due, url) => call(
                &QUEUE_WAITING,
                [bucket, site, first, limit, due.into(), url.into()],
            ),
        };
        self.query(call, queued)
    }
}

fn queued(cells: &mut Cells<'_>) -> Result<Queued, Failure> {
    Ok(Queued {
        id: cells.get()?,
        url: cells.get::<String>()?.into(),
        priority: cells.small()?,
        depth: cells.small()?,
        attempts: cells.small()?,
        due_at: cells.optional_time()?,
        form: cells.get()?,
        last_answer: {
            let (etag, last_modified) = (cells.get()?, cells.get()?);
            cells
                .get::<bool>()?
                .then(|| Box::new(LastAnswer { etag, last_modified }))
        },
    })
}
