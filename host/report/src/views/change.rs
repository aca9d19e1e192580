//! Changes of objects.

use std::collections::BTreeMap;

use magpie_model::json::{OldAndNew, Time};
use magpie_query::{Context, Interval, Query, Test};
use magpie_rows::{Change, ChangeKind};
use magpie_values::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// A change of an object.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Change")]
pub struct ChangeView {
    /// Position after the change.
    pub cursor: String,
    /// Number of the object.
    pub object: i64,
    /// Name of the vertical.
    pub vertical: String,
    /// Label of the object after the change.
    pub label: String,
    /// Kind of the change; see [codes](reference/codes.md).
    pub kind: ChangeKind,
    /// Time of the change.
    pub at: Time,
    /// Number of the last run that had begun.
    pub run: Option<i64>,
    /// Attributes that changed, each with its values before and after; all of a new object.
    pub attributes: BTreeMap<String, OldAndNew>,
    /// Time when the object expires, after the change.
    pub expires_at: Option<Time>,
    /// Number of the object that it is part of from now on; null unless `kind` is `merged`.
    pub into: Option<i64>,
}

impl From<&Change> for ChangeView {
    fn from(change: &Change) -> ChangeView {
        let attributes = change.attributes.iter().map(|change| {
            let values = OldAndNew {
                old: change.old.clone(),
                new: change.new.clone(),
            };
            (change.attribute.clone(), values)
        });
        ChangeView {
            cursor: change.cursor.to_string(),
            object: change.object.0,
            vertical: change.vertical.clone(),
            label: change.label.clone(),
            kind: change.kind,
            at: change.at.into(),
            run: change.run.map(|run| run.0),
            attributes: attributes.collect(),
            expires_at: change.expires_at.map(Time::from),
            into: change.into.map(|into| into.0),
        }
    }
}

/// The position after a list of changes, in its last line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChangesEnd {
    /// Position after the changes.
    pub cursor: String,
    /// True if there are no more changes yet.
    pub is_last: bool,
}

/// Reads a moment as a person writes it: a date such as `2026-05-03`, or an age such as `7d`.
pub fn moment(written: &str, now: Timestamp) -> Option<Timestamp> {
    if written.contains('"') {
        return None;
    }
    let context = Context { attributes: &[], now };
    let query = Query::parse(&format!("changed>=\"{written}\""), &context).ok()?;
    let [term] = query.terms() else { return None };
    match &term.test {
        Test::Seen(_, Interval { low: Some(low), .. }) => Some(Timestamp::from_seconds(low.at as i64)),
        _ => None,
    }
}
