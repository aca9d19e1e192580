//! The objects that result from replaying a log of changes.

use std::collections::BTreeMap;

use magpie_rows::{Change, ChangeKind, ObjectId, ObjectState, Search};
use magpie_values::Timestamp;

/// Objects have smaller numbers.
const MAX_OBJECTS: i64 = 300;

/// An object as replayed from the log.
#[derive(Debug, PartialEq)]
struct Told {
    vertical: String,
    label: String,
    object_type: String,
    values: BTreeMap<String, Vec<String>>,
    expires_at: Option<Timestamp>,
    state: ObjectState,
    into: Option<ObjectId>,
}

/// Applies changes to nothing, and checks that the outcome is what the store has.
pub(crate) fn check(store: &dyn Search, changes: &[Change]) {
    let mut told: BTreeMap<ObjectId, Told> = BTreeMap::new();
    for change in changes {
        if change.kind == ChangeKind::New {
            let new = Told {
                vertical: change.vertical.clone(),
                label: String::new(),
                object_type: String::new(),
                values: BTreeMap::new(),
                expires_at: None,
                state: ObjectState::Current,
                into: None,
            };
            assert!(
                told.insert(change.object, new).is_none(),
                "{change:?} is new twice"
            );
        }
        if change.kind == ChangeKind::Forgotten {
            // An object of which nothing is left had no changes before.
            told.remove(&change.object);
            continue;
        }
        let object = told.get_mut(&change.object).unwrap();
        for attribute in &change.attributes {
            let before = match attribute.new.is_empty() {
                true => object.values.remove(&attribute.attribute),
                false => object
                    .values
                    .insert(attribute.attribute.clone(), attribute.new.clone()),
            };
            assert_eq!(before.unwrap_or_default(), attribute.old, "{change:?}");
        }
        object.label.clone_from(&change.label);
        object.object_type.clone_from(&change.object_type);
        (object.expires_at, object.into) = (change.expires_at, change.into);
        object.state = match change.kind {
            ChangeKind::New | ChangeKind::Back => ObjectState::Current,
            ChangeKind::Gone => ObjectState::Gone,
            ChangeKind::Expired => ObjectState::Expired,
            ChangeKind::Merged => ObjectState::Merged,
            ChangeKind::Changed | ChangeKind::Forgotten => object.state,
        };
    }
    let mut found: BTreeMap<ObjectId, Told> = BTreeMap::new();
    for id in (0..MAX_OBJECTS).map(ObjectId) {
        let Some(detail) = store.object_detail(id).unwrap() else {
            continue;
        };
        // One that was never merged from its members is not in the log yet.
        let Some(state) = detail.object.state else {
            continue;
        };
        if state == ObjectState::Forgotten {
            assert_eq!(detail.object.record.values, []);
            continue;
        }
        let own = changes.iter().filter(|change| change.object == id).count();
        assert_eq!(detail.revision, own as u64);
        let record = &detail.object.record;
        let values = record.attributes().map(|name| {
            let values = record.all(name).map(str::to_owned).collect();
            (name.to_owned(), values)
        });
        found.insert(
            id,
            Told {
                vertical: detail.object.vertical.clone(),
                label: detail.object.label.clone(),
                object_type: record.object_type.clone(),
                values: values.collect(),
                expires_at: detail.object.expires_at,
                state,
                into: detail.merged_into.filter(|_| state == ObjectState::Merged),
            },
        );
    }
    // An object that retired keeps the values it had then, and its successor may retire too.
    let successors: BTreeMap<ObjectId, ObjectId> = told
        .iter()
        .filter_map(|(id, told)| Some((*id, told.into?)))
        .collect();
    for (id, into) in successors {
        let (told, found) = (told.remove(&id).unwrap(), found.remove(&id).unwrap());
        assert_eq!(
            (told.state, found.state),
            (ObjectState::Merged, ObjectState::Merged)
        );
        let has_retired = store.object_detail(into).unwrap().unwrap().merged_into.is_some();
        assert!(
            has_retired || found.into == Some(into),
            "{id} into {into}: {found:?}"
        );
    }
    assert_eq!(told, found);
}
