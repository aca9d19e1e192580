//! An object with its records, and what was said of it where and when.

use std::collections::{BTreeMap, BTreeSet};

use magpie_rows::ReadStore;
use magpie_rows::{MemberRow, ObjectRow, SightingRow, StoreError};
use magpie_values::Timestamp;
use serde_json::{Value, json};

/// A record of an object, with every time it was found.
#[derive(Clone, Debug)]
pub struct Source {
    /// The record.
    pub member: MemberRow,
    /// The times, the oldest first.
    pub sightings: Vec<SightingRow>,
}

impl Source {
    /// Reads the sources of records.
    pub fn read(reader: &dyn ReadStore, members: Vec<MemberRow>) -> Result<Vec<Source>, StoreError> {
        let source = |member: MemberRow| {
            let sightings = reader.sightings(member.id)?;
            Ok(Source { member, sightings })
        };
        members.into_iter().map(source).collect()
    }

    /// Returns all values of an attribute as one text.
    pub fn value(&self, attribute: &str) -> String {
        self.member.record.all(attribute).collect::<Vec<_>>().join(", ")
    }
}

/// The values of each record, by attribute: which value is said by which records.
pub fn said(sources: &[Source]) -> BTreeMap<String, BTreeMap<String, Vec<&Source>>> {
    let mut said: BTreeMap<String, BTreeMap<String, Vec<&Source>>> = BTreeMap::new();
    for source in sources {
        let names: BTreeSet<&str> = source.member.record.attributes().collect();
        for name in names {
            let by_value = said.entry(name.to_owned()).or_default();
            by_value.entry(source.value(name)).or_default().push(source);
        }
    }
    said
}

/// The value that a page gave an attribute for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastValue {
    /// The attribute.
    pub attribute: String,
    /// The value.
    pub value: String,
    /// The record that says it.
    pub record: i64,
    /// When it was seen first.
    pub from: Timestamp,
    /// When it was seen last.
    pub to: Timestamp,
}

/// Returns the attributes that differ among the records of a page, in the order of time.
pub fn past_values(sources: &[Source]) -> Vec<PastValue> {
    let mut pages: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources {
        pages.entry(&source.member.url).or_default().push(source);
    }
    let mut values = Vec::new();
    for mut here in pages.into_values().filter(|here| here.len() > 1) {
        here.sort_by_key(|source| (source.member.first_seen, source.member.id));
        let names: BTreeSet<&str> = here
            .iter()
            .flat_map(|source| source.member.record.attributes())
            .collect();
        for name in names {
            let different: BTreeSet<String> = here.iter().map(|source| source.value(name)).collect();
            if different.len() < 2 {
                continue;
            }
            values.extend(here.iter().map(|source| {
                PastValue {
                    attribute: name.to_owned(),
                    value: Some(source.value(name))
                        .filter(|value| !value.is_empty())
                        .unwrap_or_else(|| "nothing".to_owned()),
                    record: source.member.id,
                    from: source.member.first_seen,
                    to: source.member.last_seen,
                }
            }));
        }
    }
    values.sort_by(|one, other| (&one.attribute, one.from).cmp(&(&other.attribute, other.from)));
    values
}

/// Returns an object as JSON.
pub fn object_json(object: &ObjectRow) -> Value {
    json!({
        "object": object.id.0,
        "vertical": object.vertical,
        "type": object.record.object_type,
        "label": object.label,
        "attributes": object.record.to_json().get("attributes"),
        "records": object.members,
        "current": object.current,
        "first_seen": object.first_seen.to_string(),
        "last_seen": object.last_seen.to_string(),
        "expires_at": object.expires_at.map(|at| at.to_string()),
    })
}

/// Returns an object with its records as JSON. `merged` are the objects that were merged into it.
pub fn whole_json(object: &ObjectRow, sources: &[Source], merged: &[i64]) -> Value {
    let mut whole = object_json(object);
    let records = sources.iter().map(|source| {
        json!({
            "record": source.member.id,
            "url": source.member.url,
            "current": source.member.current,
            "first_seen": source.member.first_seen.to_string(),
            "last_seen": source.member.last_seen.to_string(),
            "confidence": source.member.record.confidence,
            "attributes": source.member.record.to_json().get("attributes"),
            "sightings": source.sightings.iter().map(|sighting| json!({
                "record": sighting.record, "page": sighting.page.0, "fetched_at": sighting.fetched_at.to_string(),
            })).collect::<Vec<_>>(),
        })
    });
    let changes = past_values(sources);
    let changes = changes.iter().map(|change| {
        json!({
            "attribute": change.attribute, "value": change.value, "record": change.record,
            "from": change.from.to_string(), "to": change.to.to_string(),
        })
    });
    let origins: Value = serde_json::from_str(&object.origins).unwrap_or_default();
    if let Value::Object(whole) = &mut whole {
        whole.insert("origins".to_owned(), origins);
        whole.insert("once_also".to_owned(), json!(merged));
        whole.insert("members".to_owned(), records.collect());
        whole.insert("changes".to_owned(), changes.collect());
    }
    whole
}
