//! Runs, and what they fetched.

use magpie_rows::{Alert, RunId, RunKind, RunOutcome, RunRow, RunStore, RunTotals, Runs, Spent, StoreError};
use magpie_values::Timestamp;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use crate::buckets::Token;
use crate::numbers::SHARED;
use crate::server::call;
use crate::statements::objects::{MEMBERS_OF_RUNS, OBJECTS_SINCE};
use crate::statements::runs::{
    END_RUN, FETCHED_IN_RUNS, NEW_RUN, RECORDS_OF_RUNS, RESUME_RUN, RUN, RUN_OF_TOKEN, RUNS, SPENT,
};
use crate::store::Store;
use crate::value::{Value, fields};

impl Runs for Store {
    fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        self.query(call(&RUNS, []), |cells| {
            Ok(RunRow {
                id: RunId(cells.get()?),
                kind: cells.word()?,
                program: cells.get()?,
                settings: cells.get()?,
                started_at: cells.time()?,
                resumed_at: cells.optional_time()?,
                ended_at: cells.optional_time()?,
                outcome: cells.get()?,
            })
        })
    }

    fn new_objects(&self, vertical: &str, (since, until): (Timestamp, Timestamp)) -> Result<u64, StoreError> {
        let values = [SHARED.into(), vertical.into(), since.into(), until.into()];
        let count = self.query(call(&OBJECTS_SINCE, values), |cells| cells.unsigned())?;
        Ok(count.into_iter().sum())
    }

    fn run_totals(
        &self,
        vertical: &str,
        runs: &[RunId],
        window: (Timestamp, Timestamp),
    ) -> Result<RunTotals, StoreError> {
        let numbers = || Value::Many(Type::INT8_ARRAY, runs.iter().map(|run| run.0.into()).collect());
        let pages = self.query(call(&FETCHED_IN_RUNS, [numbers()]), |cells| {
            Ok((cells.unsigned()?, cells.unsigned()?))
        })?;
        let (pages, bytes) = pages.first().copied().unwrap_or_default();
        let records = self.query(call(&RECORDS_OF_RUNS, [numbers(), vertical.into()]), |cells| {
            cells.unsigned()
        })?;
        let values = [SHARED.into(), vertical.into(), numbers()];
        let new_records = self.query(call(&MEMBERS_OF_RUNS, values), |cells| cells.unsigned())?;
        Ok(RunTotals {
            pages,
            bytes,
            records: records.into_iter().sum(),
            new_records: new_records.into_iter().sum(),
            new_objects: self.new_objects(vertical, window)?,
        })
    }

    fn spent(&self, kind: RunKind, since: Timestamp) -> Result<Vec<Spent>, StoreError> {
        let values = [kind.as_str().into(), since.into()];
        self.query(call(&SPENT, values), |cells| {
            Ok(fields!(
                cells,
                Spent {
                    at: time,
                    bytes: unsigned,
                    site: optional_site
                }
            ))
        })
    }
}

impl RunStore for Store {
    fn begin_run(
        &self,
        kind: RunKind,
        program: &str,
        settings: &str,
        now: Timestamp,
    ) -> Result<RunId, StoreError> {
        let token = Token::new();
        let token = || token.0.as_str().into();
        loop {
            let values = [
                token(),
                kind.as_str().into(),
                program.into(),
                settings.into(),
                now.into(),
            ];
            self.server.patiently(&call(&NEW_RUN, values))?;
            let made = self.query(call(&RUN_OF_TOKEN, [token()]), |cells| cells.get())?;
            if let Some(run) = made.first() {
                return Ok(RunId(*run));
            }
        }
    }

    fn resume_run(&self, kind: RunKind, now: Timestamp) -> Result<Option<RunId>, StoreError> {
        let resumed = self.query(call(&RESUME_RUN, [kind.as_str().into(), now.into()]), |cells| {
            cells.get().map(RunId)
        })?;
        Ok(resumed.first().copied())
    }

    fn end_run(&self, run: RunId, now: Timestamp) -> Result<(), StoreError> {
        let found = self.query(call(&RUN, [run.0.into()]), |cells| {
            Ok((cells.get::<String>()?, cells.time()?))
        })?;
        let Some((kind, started_at)) = found.first() else {
            return Ok(());
        };
        let outcome = RunOutcome::Finished;
        let alert = Alert::run_ended(run.0, kind, outcome, [*started_at, now]);
        let call = call(
            &END_RUN,
            [
                run.0.into(),
                now.into(),
                outcome.as_str().into(),
                alert.kind.as_str().into(),
                (&alert.subject).into(),
                alert.facts.to_string().into(),
            ],
        );
        // Another process may have logged an alert with this number: then the next one is taken.
        loop {
            match self.server.patiently(&call) {
                Err(failure) if failure.is(END_RUN.name, &SqlState::UNIQUE_VIOLATION) => {}
                outcome => return Ok(outcome.map(drop)?),
            }
        }
    }
}
