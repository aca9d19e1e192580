//! Changes of objects.

use magpie_query::{Context, Interval, Query, Test};
use magpie_rows::Change;
use magpie_values::Timestamp;
use serde_json::{Map, Value, json};

/// Returns a change as JSON.
pub fn change_json(change: &Change) -> Value {
    let attributes = change.attributes.iter().map(|change| {
        (
            change.attribute.clone(),
            json!({"old": change.old, "new": change.new}),
        )
    });
    json!({
        "cursor": change.cursor.to_string(),
        "object": change.object.0,
        "vertical": change.vertical,
        "label": change.label,
        "kind": change.kind,
        "at": change.at.to_string(),
        "run": change.run.map(|run| run.0),
        "attributes": attributes.collect::<Map<_, _>>(),
        "expires_at": change.expires_at.map(|at| at.to_string()),
        "into": change.into.map(|into| into.0),
    })
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
