//! Everything about one object.

use magpie_model::Attribute;
use magpie_rows::{MemberRow, ObjectDetail, ObjectId, ObjectRow, ObjectState, Source, ValueSources};
use serde_json::Value;

/// Joins an object and its records to what is known of it.
pub fn joined(
    schema: &[Attribute],
    object: ObjectRow,
    merged_into: Option<ObjectId>,
    revision: u64,
    merged: Vec<ObjectId>,
    members: Vec<MemberRow>,
) -> ObjectDetail {
    // An object that was forgotten is hidden like one that retired, and is part of no other.
    let merged_into = merged_into.filter(|into| *into != object.id);
    let state = match merged_into {
        Some(_) => ObjectState::Merged,
        // An object that is not in the log yet was found by a clustering that is still running.
        None => object.state.unwrap_or(ObjectState::Current),
    };
    let values = values(schema, &object, &members);
    ObjectDetail {
        object,
        merged_into,
        state,
        revision,
        merged,
        members,
        values,
    }
}

fn values(schema: &[Attribute], object: &ObjectRow, members: &[MemberRow]) -> Vec<ValueSources> {
    let origins: Value = serde_json::from_str(&object.origins).unwrap_or_default();
    let mut names: Vec<&str> = object.record.attributes().collect();
    for member in members {
        for name in member.record.attributes() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    // Attributes of an older schema come last.
    names.sort_by_key(|name| {
        let place = schema.iter().position(|attribute| attribute.name == *name);
        (place.unwrap_or(usize::MAX), *name)
    });
    let of = |name: &str| -> Vec<String> { object.record.all(name).map(str::to_owned).collect() };
    let all = names.into_iter().map(|name| {
        let values = of(name);
        let written: Vec<&str> = object.record.written(name).collect();
        let mut sources: Vec<Source> = members
            .iter()
            .enumerate()
            .filter(|(_, member)| member.record.get(name).is_some())
            .map(|(at, member)| {
                let own = member
                    .record
                    .values
                    .iter()
                    .filter(|value| value.attribute == name);
                let said: Vec<String> = own.clone().map(|value| value.value.clone()).collect();
                Source {
                    member: at,
                    agrees: said == written,
                    values: said,
                    nodes: own.filter_map(|value| value.node).collect(),
                }
            })
            .collect();
        sources.sort_by_key(|source| !source.agrees);
        ValueSources {
            attribute: name.to_owned(),
            origin: origins.get(name).and_then(Value::as_i64),
            values,
            sources,
        }
    });
    all.collect()
}
