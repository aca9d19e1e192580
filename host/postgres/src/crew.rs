//! Work on sites that several processes do together.

use std::collections::BTreeSet;
use std::time::Duration;

use magpie_rows::{CarefulBucket, Crew, CrewJob, CrewState, CrewTask, SiteId, StoreError, WorkerRow};
use tokio_postgres::types::Type;

use crate::buckets::{Token, values};
use crate::numbers::bucket_of;
use crate::server::call;
use crate::statements::workers::{
    BEGIN_TASKS, CAREFUL, CLOSE_JOB, COUNT_TASKS, END_TASKS, JOB_OF_TOKEN, NEW_JOB, OPEN_JOB, OUTCOMES,
    OWN_TASKS, PUT_TASKS, START_JOB, TASKS, TASKS_LEFT, WORKERS,
};
use crate::store::Store;
use crate::value::{Cells, Value, columns, numbers};

/// Bytes of the orders of tasks that are written in one statement. A message to the server has a
/// limit, and orders with filters are large.
const ORDERS: usize = 8 * 1024 * 1024;

/// Number of places of tasks that belong to no site: enough for an even share of many workers.
const SHARDS: u64 = 64;

impl Crew for Store {
    fn workers(&self) -> Result<Vec<WorkerRow>, StoreError> {
        self.query(call(&WORKERS, []), |cells| {
            Ok(WorkerRow {
                worker: cells.get()?,
                version: cells.get()?,
                joined_at: cells.time()?,
                is_live: cells.get()?,
                buckets: cells.unsigned()?,
                is_worker: cells.get()?,
            })
        })
    }

    fn state(&self) -> Result<CrewState, StoreError> {
        let left = self.query(call(&TASKS_LEFT, []), |cells| cells.unsigned())?;
        let careful = self.query(call(&CAREFUL, []), |cells| {
            Ok(CarefulBucket {
                bucket: cells.unsigned()?,
                killed: cells.unsigned()?,
                worker: cells.get()?,
                url: cells.get()?,
            })
        })?;
        Ok(CrewState {
            careful,
            workers: self.workers()?,
            tasks_left: left.first().copied(),
        })
    }

    fn shards(&self) -> Vec<SiteId> {
        // A site's number has its bucket in the lowest bits, and a count from 1 before them.
        let step = self.bucket_count.div_ceil(SHARDS).max(1) as usize;
        (0..self.bucket_count.cast_signed())
            .step_by(step)
            .map(SiteId)
            .collect()
    }

    fn open_job(&self, order: &str, tasks: &[CrewTask]) -> Result<i64, StoreError> {
        let token = Token::new().0;
        let values = [order.into(), token.as_str().into()];
        self.server.patiently(&call(&NEW_JOB, values))?;
        let found = self.query(call(&JOB_OF_TOKEN, [token.as_str().into()]), |cells| cells.get())?;
        let job: i64 = found.first().copied().unwrap_or_default();
        let mut rows = Vec::new();
        let mut bytes = 0;
        for (place, task) in tasks.iter().enumerate() {
            let bucket = bucket_of(task.site.0);
            rows.push([bucket.into(), task.site.0.into(), task.order.as_str().into()]);
            bytes += task.order.len();
            if bytes > ORDERS || place + 1 == tasks.len() {
                let [buckets, sites, orders] = columns(std::mem::take(&mut rows));
                self.server
                    .patiently(&call(&PUT_TASKS, [buckets, job.into(), sites, orders]))?;
                bytes = 0;
            }
        }
        // The driver has leased the sites that it has prepared.
        self.give_back_idle(usize::MAX)?;
        self.server.patiently(&call(&START_JOB, [job.into()]))?;
        Ok(job)
    }

    fn close_job(&self, job: i64) -> Result<(), StoreError> {
        self.server.patiently(&call(&CLOSE_JOB, [job.into()]))?;
        Ok(())
    }

    fn open_now(&self) -> Result<Option<CrewJob>, StoreError> {
        let found = self.query(call(&OPEN_JOB, []), |cells| {
            Ok(CrewJob {
                id: cells.get()?,
                order: cells.get()?,
                age: Duration::from_millis(cells.unsigned()?),
            })
        })?;
        Ok(found.into_iter().next())
    }

    fn tasks(&self, job: i64, only_own: bool) -> Result<Vec<CrewTask>, StoreError> {
        let task = |cells: &mut Cells<'_>| {
            Ok(CrewTask {
                site: SiteId(cells.get()?),
                order: cells.get()?,
                is_begun: cells.get()?,
            })
        };
        if !only_own {
            return self.query(call(&TASKS, [job.into()]), task);
        }
        self.query(call(&OWN_TASKS, [small(self.buckets().all()), job.into()]), task)
    }

    fn left(&self, job: i64) -> Result<u64, StoreError> {
        let counts = self.query(call(&COUNT_TASKS, [job.into()]), |cells| cells.unsigned())?;
        Ok(counts.first().copied().unwrap_or_default())
    }

    fn claim(&self, mut tasks: Vec<CrewTask>) -> Result<Vec<CrewTask>, StoreError> {
        let mut buckets = buckets_of(tasks.iter().map(|task| task.site));
        buckets.retain(|bucket| self.buckets().epoch(*bucket).is_none());
        self.buckets().take(&Vec::from_iter(buckets))?;
        tasks.retain(|task| self.buckets().epoch(bucket_of(task.site.0)).is_some());
        Ok(tasks)
    }

    fn give_back(&self) -> Result<(), StoreError> {
        self.give_back_idle(usize::MAX)
    }

    fn begin_tasks(&self, job: i64, sites: &[SiteId]) -> Result<(), StoreError> {
        let buckets = small(buckets_of(sites.iter().copied()));
        let sites = numbers(sites.iter().map(|site| site.0));
        self.server
            .patiently(&call(&BEGIN_TASKS, [buckets, job.into(), sites]))?;
        Ok(())
    }

    fn end_tasks(&self, job: i64, sites: &[SiteId], outcome: &str) -> Result<(), StoreError> {
        // What is marked as done is there to be read.
        self.writer.flush()?;
        let own = buckets_of(sites.iter().copied());
        let leases = self.buckets().leases(|bucket| own.contains(&bucket));
        if leases.is_empty() {
            return Ok(());
        }
        let [buckets, tokens] = columns(leases.iter().map(values).collect());
        let sites = numbers(sites.iter().map(|site| site.0));
        let token = Token::new().0;
        let (token, outcome) = (token.as_str().into(), outcome.into());
        self.server.patiently(&call(
            &END_TASKS,
            [buckets, tokens, job.into(), sites, token, outcome],
        ))?;
        Ok(())
    }

    fn outcomes(&self, job: i64) -> Result<Vec<String>, StoreError> {
        self.query(call(&OUTCOMES, [job.into()]), |cells| cells.get())
    }
}

fn buckets_of(sites: impl Iterator<Item = SiteId>) -> BTreeSet<i16> {
    sites.map(|site| bucket_of(site.0)).collect()
}

fn small<'v>(buckets: impl IntoIterator<Item = i16>) -> Value<'v> {
    Value::Many(Type::INT2_ARRAY, buckets.into_iter().map(Value::from).collect())
}
