//! An object with its records, and the source and time of each of its values.

use std::collections::{BTreeMap, BTreeSet};

use magpie_model::json::{Address, Time, Values};
use magpie_rows::ReadStore;
use magpie_rows::{MemberRow, ObjectRow, SightingRow, StoreError};
use magpie_values::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// A record of an object, with every time it was found.
#[derive(Clone, Debug)]
pub struct Source {
    pub member: MemberRow,
    /// The times, the oldest first.
    pub sightings: Vec<SightingRow>,
}

impl Source {
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

/// Returns the sources of each value, by attribute.
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
    pub attribute: String,
    pub value: String,
    /// The record that has the value.
    pub record: i64,
    pub from: Timestamp,
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

/// An object of the workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Object")]
pub struct ObjectView {
    /// Number of the object.
    pub object: i64,
    /// Name of the vertical.
    pub vertical: String,
    /// Type of the object, as in schema.org where it has one.
    pub r#type: String,
    /// Label for people.
    pub label: String,
    /// Values in normal form; a list for repeated attributes.
    pub attributes: Values,
    /// Attributes with an assumed year; missing if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// Number of its records.
    pub records: u64,
    /// Number of records that their pages still have.
    pub current: u64,
    /// Time when it was first seen.
    pub first_seen: Time,
    /// Time when it was last seen.
    pub last_seen: Time,
    /// Time when it expires, or null.
    pub expires_at: Option<Time>,
}

impl From<&ObjectRow> for ObjectView {
    fn from(object: &ObjectRow) -> ObjectView {
        let record = object.record.view();
        let assumed = object
            .record
            .attributes()
            .filter(|name| object.record.is_assumed(name));
        ObjectView {
            object: object.id.0,
            vertical: object.vertical.clone(),
            r#type: record.r#type,
            label: object.label.clone(),
            attributes: record.attributes,
            assumed: assumed.map(str::to_owned).collect(),
            records: object.members,
            current: object.current,
            first_seen: object.first_seen.into(),
            last_seen: object.last_seen.into(),
            expires_at: object.expires_at.map(Time::from),
        }
    }
}

/// An object with its records.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "WholeObject")]
pub struct WholeObjectView {
    /// The object.
    #[serde(flatten)]
    pub object: ObjectView,
    /// Record that each attribute was taken from.
    #[schemars(with = "BTreeMap<String, i64>")]
    origins: serde_json::Value,
    /// Its records.
    members: Vec<MemberView>,
    /// Earlier values.
    changes: Vec<PastView>,
    /// Numbers of the objects that were merged into this one.
    once_also: Vec<i64>,
}

impl WholeObjectView {
    /// Describes an object. `merged` are the objects that were merged into it.
    pub fn new(object: &ObjectRow, sources: &[Source], merged: &[i64]) -> WholeObjectView {
        WholeObjectView {
            object: object.into(),
            origins: serde_json::from_str(&object.origins).unwrap_or_default(),
            members: sources.iter().map(MemberView::from).collect(),
            changes: past_values(sources).into_iter().map(PastView::from).collect(),
            once_also: merged.to_vec(),
        }
    }
}

/// A record of an object.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Member")]
pub struct MemberView {
    /// Number of the record.
    record: i64,
    /// URL of its page.
    url: Address,
    /// True if the page still has it.
    current: bool,
    /// Time when it was first seen.
    first_seen: Time,
    /// Time when it was last seen.
    last_seen: Time,
    /// Probability that the record describes an object, from 0 to 1.
    confidence: f64,
    /// Values in normal form; a list for repeated attributes.
    attributes: Values,
    /// Origins of its values, by attribute; missing if the vertical found the record as it is.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    sources: BTreeMap<String, String>,
    /// Fetches that found it, the oldest first.
    sightings: Vec<SightingView>,
}

impl From<&Source> for MemberView {
    fn from(source: &Source) -> MemberView {
        let member = &source.member;
        let record = member.record.view();
        let sighting = |sighting: &SightingRow| SightingView {
            record: sighting.record,
            page: sighting.page.0,
            fetched_at: sighting.fetched_at.into(),
        };
        MemberView {
            record: member.id,
            url: Address::new(&member.url),
            current: member.current,
            first_seen: member.first_seen.into(),
            last_seen: member.last_seen.into(),
            confidence: record.confidence,
            attributes: record.attributes,
            sources: member.sources.clone(),
            sightings: source.sightings.iter().map(sighting).collect(),
        }
    }
}

/// A fetch that found a record.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Sighting")]
pub struct SightingView {
    /// Number of the record in the table of records.
    record: i64,
    /// Number of the page.
    page: i64,
    /// Time of the fetch.
    fetched_at: Time,
}

/// An earlier value of an attribute.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "EarlierValue")]
pub struct PastView {
    /// Name of the attribute.
    attribute: String,
    /// The value, or `nothing`.
    value: String,
    /// Number of the record that has it.
    record: i64,
    /// Time when it was first seen.
    from: Time,
    /// Time when it was last seen.
    to: Time,
}

impl From<PastValue> for PastView {
    fn from(past: PastValue) -> PastView {
        PastView {
            attribute: past.attribute,
            value: past.value,
            record: past.record,
            from: past.from.into(),
            to: past.to.into(),
        }
    }
}
