//! The log of changes of objects: append-only, written in the transaction that changes an object.
//!
//! Applying the log from its beginning gives the objects as they are: their values, states and
//! successors.

use magpie_query::Query;
use magpie_values::Timestamp;

use crate::cursor::Cursor;
use crate::error::StoreError;
use crate::ids::{ObjectId, RunId};
use crate::words::ChangeKind;

pub trait History {
    /// Returns the changes after a position, or from the beginning, in the order they were made.
    fn changes(
        &self,
        since: Option<&Cursor>,
        filter: &ChangeFilter,
        limit: usize,
    ) -> Result<ChangePage, StoreError>;

    /// Returns all changes of an object, the oldest first.
    fn object_changes(&self, object: ObjectId) -> Result<Vec<Change>, StoreError>;

    /// Returns the position after the last change: where a follower begins that wants only news.
    fn last_change(&self) -> Result<Cursor, StoreError>;

    /// Returns the position before the first change at a time or later.
    fn changes_since(&self, time: Timestamp) -> Result<Cursor, StoreError>;

    /// Returns the name of the workspace, which no other has.
    fn workspace_id(&self) -> Result<String, StoreError>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The position after the change.
    pub cursor: Cursor,
    pub object: ObjectId,
    pub vertical: String,
    /// Its label after the change.
    pub label: String,
    /// Its schema.org type after the change.
    pub object_type: String,
    pub kind: ChangeKind,
    pub at: Timestamp,
    /// The last run that had begun.
    pub run: Option<RunId>,
    /// The attributes whose values changed; all of a new object.
    pub attributes: Vec<AttributeChange>,
    /// When the object expires, after the change.
    pub expires_at: Option<Timestamp>,
    /// The object that it is part of from now on, if it was merged.
    pub into: Option<ObjectId>,
}

/// The values of an attribute before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeChange {
    pub attribute: String,
    pub old: Vec<String>,
    pub new: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangeFilter {
    /// Only of this vertical.
    pub vertical: Option<String>,
    /// Only of these kinds; empty for all.
    pub kinds: Vec<ChangeKind>,
    /// Only of objects that match this query of the vertical now. Changes of retired objects are
    /// those of their successors.
    pub query: Option<Query>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChangePage {
    /// The changes, the oldest first.
    pub changes: Vec<Change>,
    /// The position after the last change that was looked at. A filter may leave a page empty that
    /// is not the last.
    pub next: Cursor,
    /// True if there are no changes after it yet.
    pub is_last: bool,
}
