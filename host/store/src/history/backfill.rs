//! The log of a workspace that is older than the log: from members and the times they were on their
//! pages, so that history does not begin with the upgrade.

use std::collections::HashMap;

use magpie_model::{Record, RecordValue};
use magpie_values::Timestamp;
use rusqlite::Connection;

use super::diff::{self, Version};
use super::log::append;
use super::{AttributeChange, ChangeKind, ObjectState};
use crate::column::{millis, optional_millis, record};

/// A change that is known from members.
struct Past {
    at: Timestamp,
    object: i64,
    kind: ChangeKind,
    attributes: Vec<AttributeChange>,
    into: Option<i64>,
}

/// An object as it is kept.
struct Kept {
    id: i64,
    version: Version,
    current: u64,
    first_seen: Timestamp,
    last_seen: Timestamp,
    merged_into: Option<i64>,
}

/// A member's record, and when it came to its page.
struct Said {
    url: i64,
    record: Record,
    first_seen: Timestamp,
}

/// Fills the log if it is empty, in the order of time. Objects that have not been merged from their
/// members yet are left to the next clustering.
pub(crate) fn fill(connection: &Connection) -> rusqlite::Result<()> {
    let is_empty: bool =
        connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM change)", [], |row| row.get(0))?;
    if !is_empty {
        return Ok(());
    }
    // The time of the last clustering, of which the log tells.
    let now: Option<i64> =
        connection.query_row("SELECT max(clustered_at) FROM warehouse", [], |row| row.get(0))?;
    let now = Timestamp::from_millis(now.unwrap_or_default());
    let (mut past, mut states) = (Vec::new(), Vec::new());
    let mut versions: HashMap<i64, Version> = HashMap::new();
    for kept in objects(connection)? {
        let said = members(connection, kept.id)?;
        let (changes, state) = changes_of(&kept, said, now);
        let last = changes.iter().map(|change| change.at).max().unwrap_or(kept.first_seen);
        states.push((kept.id, state, last));
        past.extend(changes);
        versions.insert(kept.id, kept.version);
    }
    // Changes of one object stay in their order.
    past.sort_by_key(|change| change.at);
    for change in &past {
        if let Some(version) = versions.get(&change.object) {
            append(
                connection,
                change.object,
                change.kind,
                change.at,
                &change.attributes,
                version,
                change.into,
            )?;
        }
    }
    let mut statement =
        connection.prepare_cached("UPDATE object SET state = ?2, changed_at = ?3 WHERE id = ?1")?;
    for (object, state, at) in states {
        statement.execute((object, state.as_str(), at.as_millis()))?;
    }
    Ok(())
}

fn objects(connection: &Connection) -> rusqlite::Result<Vec<Kept>> {
    let mut statement = connection.prepare(
        "SELECT id, label, record, current, first_seen, last_seen, expires_at, merged_into FROM object
         WHERE label <> '' OR record <> '' ORDER BY id",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Kept {
            id: row.get(0)?,
            version: Version {
                label: row.get(1)?,
                record: record(row, 2)?.unwrap_or_default(),
                expires_at: optional_millis(row, 6)?,
            },
            current: row.get::<_, i64>(3)?.unsigned_abs(),
            first_seen: millis(row, 4)?,
            last_seen: millis(row, 5)?,
            merged_into: row.get(7)?,
        })
    })?;
    rows.collect()
}

fn members(connection: &Connection, object: i64) -> rusqlite::Result<Vec<Said>> {
    let mut statement = connection.prepare_cached(
        "SELECT member.url_print, record.record, member.first_seen FROM member
         JOIN record ON record.id = member.record_id WHERE member.object_id = ?1
         ORDER BY member.first_seen, member.record_id",
    )?;
    let rows = statement.query_map([object], |row| {
        Ok(Said {
            url: row.get(0)?,
            record: record(row, 1)?.unwrap_or_default(),
            first_seen: millis(row, 2)?,
        })
    })?;
    rows.collect()
}

/// Returns the changes of an object, the oldest first, and its state. They end with the object as it
/// is now.
fn changes_of(kept: &Kept, said: Vec<Said>, now: Timestamp) -> (Vec<Past>, ObjectState) {
    let mut changes = Vec::new();
    let mut add = |at, kind, attributes, into| {
        changes.push(Past {
            at,
            object: kept.id,
            kind,
            attributes,
            into,
        });
    };
    let mut on_page: HashMap<i64, Record> = HashMap::new();
    let mut values = Record::default();
    let mut at = kept.first_seen;
    let mut is_new = true;
    for said in said {
        let before = on_page.insert(said.url, said.record.clone());
        let after = follow(&values, before.as_ref(), &said.record);
        let attributes = diff::attributes(&values, &after);
        if attributes.is_empty() {
            continue;
        }
        at = at.max(said.first_seen);
        let kind = if is_new { ChangeKind::New } else { ChangeKind::Changed };
        add(at, kind, attributes, None);
        (values, is_new) = (after, false);
    }
    let attributes = diff::attributes(&values, &kept.version.record);
    at = at.max(kept.last_seen);
    if is_new {
        add(kept.first_seen, ChangeKind::New, attributes, None);
    } else if !attributes.is_empty() {
        add(at, ChangeKind::Changed, attributes, None);
    }
    if let Some(into) = kept.merged_into {
        add(at, ChangeKind::Merged, Vec::new(), Some(into));
        return (changes, ObjectState::Merged);
    }
    let state = diff::state(None, kept.current, kept.version.expires_at, now);
    match state {
        ObjectState::Gone => add(at, ChangeKind::Gone, Vec::new(), None),
        ObjectState::Expired => {
            let at = kept.version.expires_at.unwrap_or(at).max(at);
            add(at, ChangeKind::Expired, Vec::new(), None);
        }
        ObjectState::Current | ObjectState::Merged => {}
    }
    (changes, state)
}

/// Returns the values of an object after a page said something new. A value follows the page it
/// came from; a page that is new adds what was missing.
fn follow(values: &Record, before: Option<&Record>, said: &Record) -> Record {
    let of = |record: &Record, name: &str| -> Vec<String> { record.all(name).map(str::to_owned).collect() };
    let mut after: Vec<RecordValue> = Vec::new();
    let mut names: Vec<&str> = values.attributes().collect();
    names.extend(said.attributes().filter(|name| values.get(name).is_none()));
    for name in names {
        let own = of(values, name);
        let follows = match before {
            Some(before) => own == of(before, name),
            None => own.is_empty(),
        };
        let source = if follows { said } else { values };
        after.extend(source.values.iter().filter(|value| value.attribute == name).cloned());
    }
    Record {
        values: after,
        ..said.clone()
    }
}
