//! The log in the database.

use magpie_rows::{
    AttributeChange, Change, ChangeFilter, ChangeKind, ChangePage, Cursor, History, ObjectId, ObjectState,
    RunId, Search, StoreError,
};
use magpie_values::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::json;

use crate::column::{millis, optional_millis, record, word};
use crate::opened::{Looks, Opened};
use magpie_rows::diff;
use magpie_rows::diff::Version;
use magpie_rows::log::{attributes_from_json, attributes_to_json, changes, position, workspace_number};

/// Key in `meta` of the name of the workspace.
pub(crate) const WORKSPACE_ID: &str = "workspace_id";

const CHANGE: &str =
    "SELECT change.seq, change.object_id, warehouse.vertical, change.label, change.object_type, change.kind,
        change.at, change.run_id, change.attributes, change.expires_at, change.into_id
     FROM change JOIN object ON object.id = change.object_id JOIN warehouse ON warehouse.id = object.warehouse_id";

impl<A: Looks> History for Opened<A> {
    fn changes(
        &self,
        since: Option<&Cursor>,
        filter: &ChangeFilter,
        limit: usize,
    ) -> Result<ChangePage, StoreError> {
        let workspace = workspace_number(&self.workspace_id()?);
        changes(
            workspace,
            since,
            filter,
            limit,
            |after, count| self.look(|connection| read_after(connection, workspace, after, filter, count)),
            |vertical, query, among| self.matching(vertical, query, among),
        )
    }

    fn object_changes(&self, object: ObjectId) -> Result<Vec<Change>, StoreError> {
        let workspace = workspace_number(&self.workspace_id()?);
        self.look(|connection| {
            let sql = format!("{CHANGE} WHERE change.object_id = ?1 ORDER BY change.seq");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([object.0], |row| change_row(row, workspace))?;
            rows.collect()
        })
    }

    fn last_change(&self) -> Result<Cursor, StoreError> {
        let workspace = workspace_number(&self.workspace_id()?);
        let last = "SELECT coalesce(max(seq), 0) FROM change";
        let seq = self.look(|connection| connection.query_row(last, [], |row| row.get(0)))?;
        Ok(position(workspace, seq))
    }

    fn changes_since(&self, time: Timestamp) -> Result<Cursor, StoreError> {
        let workspace = workspace_number(&self.workspace_id()?);
        let first = "SELECT coalesce(
            (SELECT min(seq) - 1 FROM change WHERE at >= ?1), (SELECT max(seq) FROM change), 0)";
        let seq =
            self.look(|connection| connection.query_row(first, [time.as_millis()], |row| row.get(0)))?;
        Ok(position(workspace, seq))
    }

    fn workspace_id(&self) -> Result<String, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
            let id = statement.query_row([WORKSPACE_ID], |row| row.get(0)).optional()?;
            Ok(id.unwrap_or_default())
        })
    }
}

fn read_after(
    connection: &Connection,
    workspace: u64,
    after: i64,
    filter: &ChangeFilter,
    limit: usize,
) -> rusqlite::Result<Vec<(i64, Change)>> {
    let kinds: Vec<&str> = filter.kinds.iter().map(|kind| kind.as_str()).collect();
    let mut statement = connection.prepare_cached(&format!(
        "{CHANGE} WHERE change.seq > ?1 AND (?2 IS NULL OR warehouse.vertical = ?2)
            AND (?3 = '[]' OR change.kind IN (SELECT value FROM json_each(?3)))
         ORDER BY change.seq LIMIT ?4"
    ))?;
    let values = (
        after,
        filter.vertical.as_deref(),
        json!(kinds).to_string(),
        limit as i64,
    );
    let rows = statement.query_map(values, |row| Ok((row.get(0)?, change_row(row, workspace)?)))?;
    rows.collect()
}

fn change_row(row: &Row<'_>, workspace: u64) -> rusqlite::Result<Change> {
    Ok(Change {
        cursor: position(workspace, row.get(0)?),
        object: ObjectId(row.get(1)?),
        vertical: row.get(2)?,
        label: row.get(3)?,
        object_type: row.get(4)?,
        kind: word(row, 5)?,
        at: millis(row, 6)?,
        run: row.get::<_, Option<i64>>(7)?.map(RunId),
        attributes: attributes_from_json(row.get_ref(8)?.as_str()?),
        expires_at: optional_millis(row, 9)?,
        into: row.get::<_, Option<i64>>(10)?.map(ObjectId),
    })
}

/// Reads the version of an object that was logged last, and its state; `None` if none was.
pub(crate) fn logged(
    connection: &Connection,
    object: i64,
) -> rusqlite::Result<Option<(Version, ObjectState)>> {
    let mut statement =
        connection.prepare_cached("SELECT label, record, expires_at, state FROM object WHERE id = ?1")?;
    let found = statement.query_row([object], |row| {
        let version = Version {
            label: row.get(0)?,
            record: record(row, 1)?.unwrap_or_default(),
            expires_at: optional_millis(row, 2)?,
        };
        let state = row.get_ref(3)?.as_str()?.parse::<ObjectState>().ok();
        Ok(state.map(|state| (version, state)))
    });
    Ok(found.optional()?.flatten())
}

/// Logs the changes from one version of an object to the next, and notes its state.
pub(crate) fn log_changes(
    connection: &Connection,
    object: i64,
    before: Option<(&Version, ObjectState)>,
    after: &Version,
    current: u64,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let state = diff::state(before.map(|(_, state)| state), current, after.expires_at, now);
    let made = diff::changes(before, after, state);
    for (kind, attributes) in &made {
        append(connection, object, *kind, now, attributes, after, None)?;
    }
    // `changed_at` is the time of the last change, not that of the last write.
    if made.is_empty() {
        return Ok(());
    }
    set_state(connection, object, state, now)
}

/// Records the state that was logged last.
pub(crate) fn set_state(
    connection: &Connection,
    object: i64,
    state: ObjectState,
    now: Timestamp,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE object SET state = ?2, changed_at = ?3 WHERE id = ?1")?
        .execute((object, state.as_str(), now.as_millis()))
        .map(drop)
}

/// Logs that an object became part of another, unless it was never logged.
pub(crate) fn log_merge(
    connection: &Connection,
    gone: i64,
    stays: i64,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let Some((version, state)) = logged(connection, gone)? else {
        return Ok(());
    };
    let is_told: bool = connection
        .prepare_cached("SELECT merged_into IS ?2 FROM object WHERE id = ?1")?
        .query_row((gone, stays), |row| row.get(0))?;
    if state == ObjectState::Merged && is_told {
        return Ok(());
    }
    append(
        connection,
        gone,
        ChangeKind::Merged,
        now,
        &[],
        &version,
        Some(stays),
    )?;
    set_state(connection, gone, ObjectState::Merged, now)
}

/// Logs the objects of a vertical whose last date has passed. Returns their number.
pub(crate) fn log_expired(
    connection: &Connection,
    warehouse: i64,
    now: Timestamp,
) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM object WHERE warehouse_id = ?1 AND state = 'current' AND expires_at IS NOT NULL
            AND expires_at < ?2 ORDER BY expires_at, id",
    )?;
    let rows = statement.query_map((warehouse, now.as_millis()), |row| row.get(0))?;
    // Collected first: the loop changes the state by which the rows are found.
    let expired: Vec<i64> = rows.collect::<rusqlite::Result<_>>()?;
    for object in &expired {
        if let Some((version, _)) = logged(connection, *object)? {
            append(connection, *object, ChangeKind::Expired, now, &[], &version, None)?;
            set_state(connection, *object, ObjectState::Expired, now)?;
        }
    }
    Ok(expired.len())
}

pub(crate) fn append(
    connection: &Connection,
    object: i64,
    kind: ChangeKind,
    at: Timestamp,
    attributes: &[AttributeChange],
    after: &Version,
    into: Option<i64>,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO change (object_id, kind, at, run_id, label, object_type, expires_at, attributes, into_id)
             VALUES (?1, ?2, ?3, (SELECT max(id) FROM run WHERE started_at <= ?3), ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            object,
            kind.as_str(),
            at.as_millis(),
            after.label,
            after.record.object_type,
            after.expires_at.map(Timestamp::as_millis),
            attributes_to_json(attributes),
            into,
        ])
        .map(drop)
}
