//! Work on sites that several processes do together.

use std::collections::BTreeMap;
use std::time::Duration;

use magpie_rows::{CarefulBucket, Crew, CrewJob, CrewState, CrewTask, SiteId, StoreError, WorkerRow};
use tokio_postgres::types::Type;

use crate::buckets::Token;
use crate::numbers::bucket_of;
use crate::server::call;
use crate::statement::Statement;
use crate::statements::workers::{
    BEGIN_TASKS, CAREFUL, CLOSE_JOB, DROP_JOBS, DROP_OUTCOMES, DROP_TASKS, END_TASKS, JOB_OF_TOKEN, LEFT,
    NEW_JOB, OPEN_JOB, OUTCOMES, OWN_TASKS, PUT_OUTCOME, PUT_TASKS, TASKS, TASKS_LEFT, WORKERS,
};
use crate::store::Store;
use crate::value::{Cells, Value, columns};

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
        for (bucket, tasks) in by_bucket(tasks.iter(), |task| task.site) {
            let rows = tasks.iter();
            let rows = rows.map(|task| [job.into(), task.site.0.into(), task.order.as_str().into()]);
            let [jobs, sites, orders] = columns(rows.collect());
            self.server
                .patiently(&call(&PUT_TASKS, [bucket.into(), jobs, sites, orders]))?;
        }
        // The driver has leased the sites that it has prepared.
        self.give_back_idle(usize::MAX)?;
        Ok(job)
    }

    fn close_job(&self, job: i64) -> Result<(), StoreError> {
        self.server.patiently(&call(&CLOSE_JOB, [job.into()]))?;
        self.server.patiently(&call(&DROP_TASKS, [job.into()]))?;
        self.server.patiently(&call(&DROP_OUTCOMES, [job.into()]))?;
        self.server.patiently(&call(&DROP_JOBS, [job.into()]))?;
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

    fn left(&self, job: i64) -> Result<u64, StoreError> {
        let left = self.query(call(&LEFT, [job.into()]), |cells| cells.unsigned())?;
        Ok(left.first().copied().unwrap_or_default())
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
        let own = self.buckets().all().into_iter().map(Value::from).collect();
        let own = Value::Many(Type::INT2_ARRAY, own);
        self.query(call(&OWN_TASKS, [own, job.into()]), task)
    }

    fn claim(&self, tasks: Vec<CrewTask>) -> Result<Vec<CrewTask>, StoreError> {
        let mut own = Vec::new();
        for (bucket, tasks) in by_bucket(tasks.into_iter(), |task| task.site) {
            if self.buckets().claim_if_free(bucket)? {
                own.extend(tasks);
            }
        }
        Ok(own)
    }

    fn begin_tasks(&self, job: i64, sites: &[SiteId]) -> Result<(), StoreError> {
        self.mark(&BEGIN_TASKS, job, sites)
    }

    fn end_tasks(&self, job: i64, sites: &[SiteId], outcome: &str) -> Result<(), StoreError> {
        // What is marked as done is there to be read.
        self.writer.flush()?;
        let token = Token::new().0;
        let values = [job.into(), token.as_str().into(), outcome.into()];
        self.server.patiently(&call(&PUT_OUTCOME, values))?;
        self.mark(&END_TASKS, job, sites)
    }

    fn outcomes(&self, job: i64) -> Result<Vec<String>, StoreError> {
        self.query(call(&OUTCOMES, [job.into()]), |cells| cells.get())
    }
}

impl Store {
    /// Marks the tasks of sites whose leases hold. Those of others are their owners', which do them
    /// again and find them done.
    fn mark(&self, statement: &'static Statement, job: i64, sites: &[SiteId]) -> Result<(), StoreError> {
        for (bucket, sites) in by_bucket(sites.iter(), |site| **site) {
            self.hold(bucket)?;
            self.buckets().hand_in(bucket, || {
                let sites = sites.iter().map(|site| site.0.into()).collect();
                let sites = Value::Many(Type::INT8_ARRAY, sites);
                vec![call(statement, [bucket.into(), job.into(), sites])]
            })?;
        }
        Ok(())
    }
}

fn by_bucket<T>(items: impl Iterator<Item = T>, site_of: impl Fn(&T) -> SiteId) -> BTreeMap<i16, Vec<T>> {
    let mut buckets: BTreeMap<i16, Vec<T>> = BTreeMap::new();
    for item in items {
        buckets.entry(bucket_of(site_of(&item).0)).or_default().push(item);
    }
    buckets
}
