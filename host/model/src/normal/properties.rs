//! The kind `properties`: a flat JSON object of names and plain values.

use serde_json::{Map, Value as Json};

use magpie_values::text;

/// Data sheets have dozens of rows, seldom hundreds.
pub(super) const MAX_PROPERTIES: usize = 200;
/// A property's name is a table's row head.
const MAX_NAME_LEN: usize = 120;
/// A property's value is a table's cell.
const MAX_VALUE_LEN: usize = 1000;

/// The properties that can be kept, sorted by name, and whether some could not.
pub(super) fn tidied(properties: &Map<String, Json>) -> (Map<String, Json>, bool) {
    let mut kept = Map::new();
    let mut lost = false;
    for (name, value) in properties {
        let name = text::tidy(name);
        let value = plain(value);
        let fits = !name.is_empty() && name.len() <= MAX_NAME_LEN && kept.len() < MAX_PROPERTIES;
        match value {
            Plain::Nothing => {}
            // Names may become equal when they are tidied. The first keeps its value.
            Plain::Value(value) if fits && !kept.contains_key(&name) => {
                kept.insert(name, value);
            }
            Plain::Value(_) | Plain::Unfit => lost = true,
        }
    }
    // Pages list the same properties in different orders, and equal values must have equal texts.
    kept.sort_keys();
    (kept, lost)
}

enum Plain {
    /// An empty property, which is dropped silently.
    Nothing,
    Value(Json),
    /// Nested, or too long.
    Unfit,
}

fn plain(value: &Json) -> Plain {
    match value {
        Json::Null => Plain::Nothing,
        Json::Bool(_) | Json::Number(_) => Plain::Value(value.clone()),
        Json::String(written) => match text::tidy(written) {
            tidy if tidy.is_empty() => Plain::Nothing,
            tidy if tidy.len() <= MAX_VALUE_LEN => Plain::Value(tidy.into()),
            _ => Plain::Unfit,
        },
        Json::Array(_) | Json::Object(_) => Plain::Unfit,
    }
}
