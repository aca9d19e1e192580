//! Crawls that several processes do together.

use std::collections::BTreeMap;

use magpie_rows::{
    CarefulBucket, Crew, CrewCrawl, CrewState, CrewTask, RunId, SiteId, StoreError, WorkerRow,
};
use magpie_values::Timestamp;
use tokio_postgres::types::Type;

use crate::buckets::Token;
use crate::numbers::bucket_of;
use crate::server::call;
use crate::statements::workers::{
    CAREFUL, CLOSE_CRAWL, CRAWL_OF_TOKEN, DROP_TASKS, END_TASKS, NEW_CRAWL, OPEN_CRAWL, OUTCOMES, OWN_TASKS,
    PUT_OUTCOME, PUT_TASKS, TASKS, TASKS_LEFT, WORKERS,
};
use crate::store::Store;
use crate::value::{Cells, Value, columns};

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

    fn open_crawl(
        &self,
        run: RunId,
        began: Timestamp,
        options: &str,
        tasks: &[CrewTask],
    ) -> Result<i64, StoreError> {
        let token = Token::new().0;
        let values = [run.0.into(), began.into(), options.into(), token.as_str().into()];
        self.server.patiently(&call(&NEW_CRAWL, values))?;
        let found = self.query(call(&CRAWL_OF_TOKEN, [token.as_str().into()]), |cells| {
            cells.get()
        })?;
        let crawl: i64 = found.first().copied().unwrap_or_default();
        for (bucket, tasks) in by_bucket(tasks.iter(), |task| task.site) {
            let rows = tasks.iter();
            let rows = rows.map(|task| [crawl.into(), task.site.0.into(), task.targets.as_str().into()]);
            let [crawls, sites, targets] = columns(rows.collect());
            self.server
                .patiently(&call(&PUT_TASKS, [bucket.into(), crawls, sites, targets]))?;
        }
        // The driver has leased the sites that it has prepared.
        self.give_back_idle(usize::MAX)?;
        Ok(crawl)
    }

    fn close_crawl(&self, crawl: i64) -> Result<(), StoreError> {
        self.server.patiently(&call(&CLOSE_CRAWL, [crawl.into()]))?;
        self.server.patiently(&call(&DROP_TASKS, [crawl.into()]))?;
        Ok(())
    }

    fn open_now(&self) -> Result<Option<CrewCrawl>, StoreError> {
        let found = self.query(call(&OPEN_CRAWL, []), |cells| {
            Ok(CrewCrawl {
                id: cells.get()?,
                run: RunId(cells.get()?),
                began: cells.time()?,
                options: cells.get()?,
            })
        })?;
        Ok(found.into_iter().next())
    }

    fn tasks(&self, crawl: i64, only_own: bool) -> Result<Vec<CrewTask>, StoreError> {
        let task = |cells: &mut Cells<'_>| {
            Ok(CrewTask {
                site: SiteId(cells.get()?),
                targets: cells.get()?,
            })
        };
        if !only_own {
            return self.query(call(&TASKS, [crawl.into()]), task);
        }
        let own = self.buckets().all().into_iter().map(Value::from).collect();
        let own = Value::Many(Type::INT2_ARRAY, own);
        self.query(call(&OWN_TASKS, [own, crawl.into()]), task)
    }

    fn end_tasks(&self, crawl: i64, sites: &[SiteId], outcome: &str) -> Result<(), StoreError> {
        // What is marked as done is there to be read.
        self.writer.flush()?;
        let token = Token::new().0;
        self.server.patiently(&call(
            &PUT_OUTCOME,
            [crawl.into(), token.as_str().into(), outcome.into()],
        ))?;
        for (bucket, sites) in by_bucket(sites.iter(), |site| **site) {
            self.hold(bucket)?;
            let ended = self.buckets().hand_in(bucket, || {
                let sites = sites.iter().map(|site| site.0.into()).collect();
                let sites = Value::Many(Type::INT8_ARRAY, sites);
                vec![call(&END_TASKS, [bucket.into(), crawl.into(), sites])]
            })?;
            // Without the lease the next owner does the task again, and finds it done.
            drop(ended);
        }
        Ok(())
    }

    fn outcomes(&self, crawl: i64) -> Result<Vec<String>, StoreError> {
        self.query(call(&OUTCOMES, [crawl.into()]), |cells| cells.get())
    }
}

fn by_bucket<T>(items: impl Iterator<Item = T>, site_of: impl Fn(&T) -> SiteId) -> BTreeMap<i16, Vec<T>> {
    let mut buckets: BTreeMap<i16, Vec<T>> = BTreeMap::new();
    for item in items {
        buckets.entry(bucket_of(site_of(&item).0)).or_default().push(item);
    }
    buckets
}
