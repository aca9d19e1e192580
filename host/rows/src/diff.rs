//! The changes between two versions of an object.

use std::collections::BTreeMap;

use magpie_model::Record;

use magpie_values::Timestamp;

use crate::history::AttributeChange;
use crate::words::{ChangeKind, ObjectState};

/// A version of an object, with the parts whose changes are logged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Version {
    pub label: String,
    pub record: Record,
    pub expires_at: Option<Timestamp>,
}

/// Returns the state of an object.
pub fn state(
    before: Option<ObjectState>,
    current: u64,
    expires_at: Option<Timestamp>,
    now: Timestamp,
) -> ObjectState {
    let is_expired = expires_at.is_some_and(|at| at < now);
    match current {
        // An object that was gone before it expired stays gone: its date came to pass without it.
        0 if before == Some(ObjectState::Gone) || !is_expired => ObjectState::Gone,
        _ if is_expired => ObjectState::Expired,
        _ => ObjectState::Current,
    }
}

/// Returns the changes from one version to the next, in the order in which they are logged. A new
/// object has no version before.
pub fn changes(
    before: Option<(&Version, ObjectState)>,
    after: &Version,
    state: ObjectState,
) -> Vec<(ChangeKind, Vec<AttributeChange>)> {
    let mut changes = Vec::new();
    if before.is_some_and(|(_, state)| state == ObjectState::Merged) {
        // The changes of a merged object are logged for its successor.
        return changes;
    }
    let old_state = match before {
        None => {
            // An object that has expired when it is found is logged as new and, below, as expired.
            changes.push((ChangeKind::New, attributes(&Record::default(), &after.record)));
            ObjectState::Current
        }
        Some((version, old_state)) => {
            let attributes = attributes(&version.record, &after.record);
            let is_same = version.label == after.label
                && version.record.object_type == after.record.object_type
                && version.expires_at == after.expires_at;
            if !attributes.is_empty() || !is_same {
                changes.push((ChangeKind::Changed, attributes));
            }
            old_state
        }
    };
    if old_state != state {
        let kind = match state {
            ObjectState::Current => ChangeKind::Back,
            ObjectState::Gone => ChangeKind::Gone,
            ObjectState::Expired => ChangeKind::Expired,
            ObjectState::Merged => ChangeKind::Merged,
            ObjectState::Forgotten => ChangeKind::Forgotten,
        };
        changes.push((kind, Vec::new()));
    }
    changes
}

/// Returns the attributes whose values differ, by name.
pub fn attributes(before: &Record, after: &Record) -> Vec<AttributeChange> {
    let mut values: BTreeMap<&str, (Vec<&str>, Vec<&str>)> = BTreeMap::new();
    for value in &before.values {
        values.entry(&value.attribute).or_default().0.push(&value.value);
    }
    for value in &after.values {
        values.entry(&value.attribute).or_default().1.push(&value.value);
    }
    let owned = |values: Vec<&str>| values.into_iter().map(str::to_owned).collect();
    let changed = values.into_iter().filter(|(_, (old, new))| old != new);
    let changed = changed.map(|(attribute, (old, new))| AttributeChange {
        attribute: attribute.to_owned(),
        old: owned(old),
        new: owned(new),
    });
    changed.collect()
}

#[cfg(test)]
mod tests {
    use magpie_model::RecordValue;

    use super::*;

    fn version(label: &str, values: &[(&str, &str)]) -> Version {
        let value = |(attribute, value): &(&str, &str)| RecordValue {
            attribute: (*attribute).to_owned(),
            value: (*value).to_owned(),
            raw: None,
            node: None,
            repeated: false,
        };
        Version {
            label: label.to_owned(),
            record: Record {
                values: values.iter().map(value).collect(),
                ..Record::default()
            },
            expires_at: None,
        }
    }

    fn kinds(changes: &[(ChangeKind, Vec<AttributeChange>)]) -> Vec<ChangeKind> {
        changes.iter().map(|(kind, _)| *kind).collect()
    }

    #[test]
    fn changes_are_told_apart() {
        use ObjectState::{Current, Expired, Gone};
        let (one, other) = (version("a", &[("price", "1")]), version("a", &[("price", "2")]));
        let renamed = version("b", &[("price", "1")]);
        for (before, after, state, expected) in [
            (None, &one, Current, vec![ChangeKind::New]),
            (None, &one, Expired, vec![ChangeKind::New, ChangeKind::Expired]),
            (Some((&one, Current)), &one, Current, vec![]),
            (Some((&one, Current)), &other, Current, vec![ChangeKind::Changed]),
            (
                Some((&one, Current)),
                &renamed,
                Current,
                vec![ChangeKind::Changed],
            ),
            (Some((&one, Current)), &one, Gone, vec![ChangeKind::Gone]),
            (
                Some((&one, Gone)),
                &other,
                Current,
                vec![ChangeKind::Changed, ChangeKind::Back],
            ),
            (Some((&one, Expired)), &one, Current, vec![ChangeKind::Back]),
        ] {
            assert_eq!(kinds(&changes(before, after, state)), expected);
        }
    }

    #[test]
    fn old_and_new_values_are_kept() {
        let (one, other) = (
            version("a", &[("price", "1"), ("by", "x"), ("by", "y")]),
            version("a", &[("price", "1"), ("by", "x"), ("start", "2026")]),
        );
        let found = attributes(&one.record, &other.record);
        let found: Vec<_> = found
            .iter()
            .map(|change| {
                (
                    change.attribute.as_str(),
                    change.old.join(","),
                    change.new.join(","),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("by", "x,y".to_owned(), "x".to_owned()),
                ("start", String::new(), "2026".to_owned())
            ]
        );
    }

    #[test]
    fn what_went_before_its_time_stays_gone() {
        let (past, now) = (Some(Timestamp::from_millis(1)), Timestamp::from_millis(2));
        assert_eq!(state(None, 1, past, now), ObjectState::Expired);
        assert_eq!(state(None, 0, past, now), ObjectState::Expired);
        assert_eq!(state(Some(ObjectState::Gone), 0, past, now), ObjectState::Gone);
        assert_eq!(state(Some(ObjectState::Gone), 1, None, now), ObjectState::Current);
        assert_eq!(state(Some(ObjectState::Current), 0, None, now), ObjectState::Gone);
    }
}
