//! The log of changes of objects.

use magpie_rows::log::{attributes_from_json, changes, position, workspace_number};
use magpie_rows::{
    Change, ChangeFilter, ChangePage, Cursor, History, ObjectId, RunId, Search as _, StoreError,
};
use magpie_values::Timestamp;

use crate::failure::Failure;
use crate::numbers::SHARED;
use crate::server::{Call, call};
use crate::statements::history::{BEFORE_TIME, CHANGES, LAST_CHANGE, OBJECT_CHANGES};
use crate::store::Store;
use crate::value::{Cells, texts};

impl History for Store {
    fn changes(
        &self,
        since: Option<&Cursor>,
        filter: &ChangeFilter,
        limit: usize,
    ) -> Result<ChangePage, StoreError> {
        let workspace = workspace_number(&self.workspace_id()?);
        let read = |after: i64, count: usize| {
            let kinds = filter.kinds.iter().map(|kind| kind.as_str());
            let values = [
                SHARED.into(),
                after.into(),
                (&filter.vertical).into(),
                texts(kinds),
                (count as i64).into(),
            ];
            self.query(call(&CHANGES, values), |cells| change(cells, workspace))
        };
        changes(workspace, since, filter, limit, read, |vertical, query, among| {
            self.matching(vertical, query, among)
        })
    }

    fn object_changes(&self, object: ObjectId) -> Result<Vec<Change>, StoreError> {
        let workspace = workspace_number(&self.workspace_id()?);
        let found = self.query(call(&OBJECT_CHANGES, [SHARED.into(), object.0.into()]), |cells| {
            change(cells, workspace)
        })?;
        Ok(found.into_iter().map(|(_, change)| change).collect())
    }

    fn last_change(&self) -> Result<Cursor, StoreError> {
        self.cursor(call(&LAST_CHANGE, [SHARED.into()]))
    }

    fn changes_since(&self, time: Timestamp) -> Result<Cursor, StoreError> {
        self.cursor(call(&BEFORE_TIME, [SHARED.into(), time.into()]))
    }

    fn workspace_id(&self) -> Result<String, StoreError> {
        Ok(self.workspace.clone())
    }
}

impl Store {
    /// Returns the position after the change whose number a statement returns.
    fn cursor(&self, call: Call<'_>) -> Result<Cursor, StoreError> {
        let seq = self.query(call, |cells| cells.get())?;
        let workspace = workspace_number(&self.workspace_id()?);
        Ok(position(workspace, seq.first().copied().unwrap_or_default()))
    }
}

fn change(cells: &mut Cells<'_>, workspace: u64) -> Result<(i64, Change), Failure> {
    let seq = cells.get()?;
    let change = Change {
        cursor: position(workspace, seq),
        object: ObjectId(cells.get()?),
        vertical: cells.get()?,
        label: cells.get()?,
        object_type: cells.get()?,
        kind: cells.word()?,
        at: cells.time()?,
        run: cells.get::<Option<i64>>()?.map(RunId),
        attributes: attributes_from_json(cells.get()?),
        expires_at: cells.optional_time()?,
        into: cells.get::<Option<i64>>()?.map(ObjectId),
    };
    Ok((seq, change))
}
