//! A change of an object.

use magpie_store::Change;
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
