//! The log of changes as stores keep it: positions in it, pages of it, and what is appended.

use std::collections::HashMap;

use magpie_query::Query;
use magpie_values::Timestamp;
use serde_json::{Map, Value, json};

use crate::cursor::{BadCursor, Cursor};
use crate::diff::{self, Version};
use crate::error::StoreError;
use crate::history::{AttributeChange, Change, ChangeFilter, ChangePage};
use crate::ids::ObjectId;
use crate::warehouse::MergedObject;
use crate::words::{ChangeKind, ObjectState};

/// The kind of cursors in the log: the number of the workspace, and that of the last change.
const CHANGES: u8 = b'c';

/// Changes that are read at a time when a filter leaves few of them.
const CHUNK: usize = 1_000;

/// Returns the number of a workspace by which cursors name it.
pub fn workspace_number(id: &str) -> u64 {
    u64::from_str_radix(id, 16).unwrap_or_default()
}

/// Returns the position after a change.
pub fn position(workspace: u64, seq: i64) -> Cursor {
    let content = [workspace.to_be_bytes(), seq.to_be_bytes()];
    Cursor::new(CHANGES, content.as_flattened())
}

/// Returns the number of the last change before a cursor of this workspace.
fn checked(since: Option<&Cursor>, workspace: u64) -> Result<i64, StoreError> {
    let Some(cursor) = since else { return Ok(0) };
    let content = cursor.content(CHANGES)?;
    let (parts, rest) = content.as_chunks::<8>();
    match (parts, rest) {
        ([own, seq], []) if u64::from_be_bytes(*own) == workspace => Ok(i64::from_be_bytes(*seq)),
        // A number of another workspace would name another change, and silently skip some.
        ([_, _], []) => Err(BadCursor::Elsewhere.into()),
        _ => Err(BadCursor::Damaged.into()),
    }
}

/// Reads a page of the log. `read` returns up to a number of changes after a number, and `matching`
/// the objects among some that match a query, by number.
pub fn changes(
    workspace: u64,
    since: Option<&Cursor>,
    filter: &ChangeFilter,
    limit: usize,
    read: impl Fn(i64, usize) -> Result<Vec<(i64, Change)>, StoreError>,
    matching: impl Fn(&str, &Query, &[ObjectId]) -> Result<Vec<ObjectId>, StoreError>,
) -> Result<ChangePage, StoreError> {
    let mut after = checked(since, workspace)?;
    let mut changes: Vec<Change> = Vec::new();
    let page = |changes, seq, is_last| ChangePage {
        changes,
        next: position(workspace, seq),
        is_last,
    };
    loop {
        let rows = read(after, CHUNK)?;
        let is_last = rows.len() < CHUNK;
        let last = rows.last().map(|(seq, _)| *seq);
        for (seq, change) in wanted(rows, filter, &matching)? {
            if changes.len() == limit {
                return Ok(page(changes, after, false));
            }
            after = seq;
            changes.push(change);
        }
        // The cursor also passes changes that the query leaves out, or the next call would read
        // them again.
        after = last.unwrap_or(after);
        if is_last {
            return Ok(page(changes, after, true));
        }
    }
}

/// Leaves out the changes of objects that do not match the query.
fn wanted(
    mut changes: Vec<(i64, Change)>,
    filter: &ChangeFilter,
    matching: impl Fn(&str, &Query, &[ObjectId]) -> Result<Vec<ObjectId>, StoreError>,
) -> Result<Vec<(i64, Change)>, StoreError> {
    let (Some(vertical), Some(query)) = (&filter.vertical, &filter.query) else {
        return Ok(changes);
    };
    // A merged object has no entries in the index. Its successor is tested in its place.
    let stands_for = |change: &Change| change.into.unwrap_or(change.object);
    let mut objects: Vec<ObjectId> = changes.iter().map(|(_, change)| stands_for(change)).collect();
    objects.sort_unstable();
    objects.dedup();
    let matching = matching(vertical, query, &objects)?;
    changes.retain(|(_, change)| matching.binary_search(&stands_for(change)).is_ok());
    Ok(changes)
}

/// Formats changed attributes as `{"price": [["12 EUR"], ["10 EUR"]]}`.
pub fn attributes_to_json(attributes: &[AttributeChange]) -> String {
    let pairs = attributes
        .iter()
        .map(|change| (change.attribute.clone(), json!([change.old, change.new])));
    Value::Object(pairs.collect::<Map<_, _>>()).to_string()
}

pub fn attributes_from_json(text: &str) -> Vec<AttributeChange> {
    let attributes: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
    let texts = |values: Option<&Value>| -> Vec<String> {
        let values = values.and_then(Value::as_array).into_iter().flatten();
        values.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let changes = attributes.into_iter().map(|(attribute, values)| AttributeChange {
        attribute,
        old: texts(values.get(0)),
        new: texts(values.get(1)),
    });
    changes.collect()
}

/// The changes that a batch appends to the log, made in memory from what was logged before.
#[derive(Debug, Default)]
pub struct NewChanges {
    logged: HashMap<i64, Logged>,
    pub entries: Vec<NewChange>,
}

/// An object as it was logged last.
#[derive(Clone, Debug, Default)]
pub struct Logged {
    pub version: Version,
    /// `None` if it was never logged.
    pub state: Option<ObjectState>,
    pub merged_into: Option<i64>,
}

/// A change that is not in the log yet.
#[derive(Clone, Debug, PartialEq)]
pub struct NewChange {
    pub object: i64,
    pub kind: ChangeKind,
    pub attributes: Vec<AttributeChange>,
    pub after: Version,
    pub into: Option<i64>,
    /// The state of the object that is logged with it.
    pub state: ObjectState,
}

impl NewChanges {
    pub fn new(logged: HashMap<i64, Logged>) -> NewChanges {
        NewChanges {
            logged,
            entries: Vec::new(),
        }
    }

    /// Returns the last version of an object. None if it retired or is still to be merged from its
    /// members.
    pub fn standing(&self, object: i64) -> Option<&Version> {
        let logged = self.logged.get(&object)?;
        let is_standing = logged.state.is_some() && logged.merged_into.is_none();
        is_standing.then_some(&logged.version)
    }

    /// Logs the changes from the last version of an object to the next.
    pub fn put(&mut self, object: &MergedObject, now: Timestamp) {
        let logged = self.logged.entry(object.id).or_default();
        let after = Version {
            label: object.label.clone(),
            record: object.record.clone(),
            expires_at: object.expires_at,
        };
        let state = diff::state(logged.state, object.current, after.expires_at, now);
        let before = logged.state.map(|state| (&logged.version, state));
        for (kind, attributes) in diff::changes(before, &after, state) {
            logged.state = Some(state);
            self.entries.push(NewChange {
                object: object.id,
                kind,
                attributes,
                after: after.clone(),
                into: None,
                state,
            });
        }
        logged.version = after;
    }

    /// Logs that an object became part of another, unless it was never logged or that was.
    pub fn merge(&mut self, gone: i64, stays: i64) {
        if let Some(logged) = self.logged.get_mut(&gone)
            && let Some(state) = logged.state
            && (state, logged.merged_into) != (ObjectState::Merged, Some(stays))
        {
            logged.state = Some(ObjectState::Merged);
            logged.merged_into = Some(stays);
            self.entries.push(NewChange {
                object: gone,
                kind: ChangeKind::Merged,
                attributes: Vec::new(),
                after: logged.version.clone(),
                into: Some(stays),
                state: ObjectState::Merged,
            });
        }
    }
}

/// Returns where the members of each merged object are in the end. There are no chains.
pub fn final_successors(merged: impl Iterator<Item = (i64, i64)>) -> Vec<(i64, i64)> {
    let mut successors: Vec<(i64, i64)> = Vec::new();
    let mut places: HashMap<i64, usize> = HashMap::new();
    // The objects that were merged into each one, so that a long list takes no square of time.
    let mut parts: HashMap<i64, Vec<usize>> = HashMap::new();
    for (gone, stays) in merged {
        let mut moved = parts.remove(&gone).unwrap_or_default();
        moved.push(*places.entry(gone).or_insert_with(|| {
            successors.push((gone, stays));
            successors.len() - 1
        }));
        for place in &moved {
            if let Some(successor) = successors.get_mut(*place) {
                successor.1 = stays;
            }
        }
        parts.entry(stays).or_default().extend(moved);
    }
    successors
}
