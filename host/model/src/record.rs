//! An object after the host's check: every value in the normal form of its kind.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use magpie_values::{Timestamp, date};
use xxhash_rust::xxh3::Xxh3;

use crate::json::{OneOrMore, RecordView};
use crate::{Attribute, Field, Kind, Object, Value, VerticalInfo};

/// Westernmost offset from UTC for a local time of unknown zone, in minutes.
const WESTERNMOST: i16 = -12 * 60;

/// An object that fits its schema.
///
/// Made by [`check`](crate::check) alone; whoever builds one by hand vouches for the normal forms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The schema.org type, or the vertical's own; never empty.
    pub object_type: String,
    /// Confidence of the extractor, 0 to 1.
    pub confidence: f64,
    /// Its values: in the schema's order, and within an attribute in the page's.
    pub values: Vec<RecordValue>,
}

/// A value of an attribute, and its place on the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordValue {
    /// The attribute's name.
    pub attribute: String,
    /// The value in the normal form of the attribute's kind.
    pub value: String,
    /// The text of the plugin, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// The node it was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// True if the attribute may have several values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

impl Record {
    /// The first value of an attribute.
    pub fn get(&self, attribute: &str) -> Option<&str> {
        self.values
            .iter()
            .find(|value| value.attribute == attribute)
            .map(|value| value.value.as_str())
    }

    /// All values of an attribute, in order.
    pub fn all<'a>(&'a self, attribute: &'a str) -> impl Iterator<Item = &'a str> {
        self.values
            .iter()
            .filter(move |value| value.attribute == attribute)
            .map(|value| value.value.as_str())
    }

    /// Returns the first value of the attributes of a kind, in the order of the schema.
    pub fn first_of(&self, kind: &Kind, schema: &[Attribute]) -> Option<&str> {
        let mut attributes = schema.iter().filter(|attribute| attribute.kind == *kind);
        let value = attributes.find_map(|attribute| {
            let mut values = self.values.iter();
            values.find(|value| value.attribute == attribute.name)
        });
        value.map(|value| value.value.as_str())
    }

    /// The values of an attribute of a merged record as its records have them: dates with an
    /// assumed year are without it.
    pub fn written(&self, attribute: &str) -> impl Iterator<Item = &str> {
        let values = self
            .values
            .iter()
            .filter(move |value| value.attribute == attribute);
        values.map(|value| value.raw.as_ref().unwrap_or(&value.value).as_str())
    }

    /// Returns true if a merged record has an assumed year in a date of an attribute.
    pub fn is_assumed(&self, attribute: &str) -> bool {
        let mut values = self.values.iter().filter(|value| value.attribute == attribute);
        values.any(|value| value.raw.is_some())
    }

    /// The names of the attributes that have a value, in order, each once.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        self.groups().map(|group| group[0].attribute.as_str())
    }

    /// Returns the moment from which the object is of no more interest: the end of the last moment
    /// of the attributes that say so. A day ends with its last second; a time without a zone has
    /// passed when it has everywhere on Earth, so nothing is forgotten too early.
    ///
    /// Returns `None` if the schema has no such attribute, or the record no value of it.
    pub fn expires_at(&self, info: &VerticalInfo) -> Option<Timestamp> {
        let expiring = info.attributes.iter().filter(|attribute| attribute.expires);
        let moments = expiring
            .flat_map(|attribute| self.all(&attribute.name))
            // Values are in normal form, so a date is ISO. A record made by hand may have others,
            // which expire nothing.
            .filter_map(date::parse_iso)
            // A day without a year returns each year.
            .filter(|moment| moment.has_year());
        let ends = moments.map(|moment| moment.end_unix(WESTERNMOST));
        ends.max().map(Timestamp::from_seconds)
    }

    /// The record as plugins see objects: what `prepare`, `merge` and `queries` are given.
    pub fn to_object(&self) -> Object {
        let field = |value: &RecordValue| Field {
            path: value.attribute.clone(),
            value: Value::Text(value.value.clone()),
            node: value.node,
        };
        Object {
            schema_type: self.object_type.clone(),
            confidence: self.confidence,
            fields: self.values.iter().map(field).collect(),
        }
    }

    /// Returns the record as compact JSON text, as workspaces keep it.
    pub fn to_text(&self) -> String {
        serde_json::to_string(&self.view()).unwrap_or_default()
    }

    /// Parses the text that [`Record::to_text`] writes. Returns `None` for any other text.
    pub fn from_text(text: &str) -> Option<Record> {
        Record::from_json(&serde_json::from_str(text).ok()?)
    }

    /// Parses the values of some attributes from the text that [`Record::to_text`] writes, without
    /// their nodes and the texts of the plugin. Returns `None` for text that is no JSON object.
    pub fn values_from_text(text: &str, attributes: &[&str]) -> Option<Record> {
        let mut record = Record::default();
        let whole = Chosen {
            attributes,
            is_inside: false,
            values: &mut record.values,
        };
        let mut text = serde_json::Deserializer::from_str(text);
        whole.deserialize(&mut text).ok()?;
        text.end().ok()?;
        Some(record)
    }

    /// Returns a fingerprint of the type and the values. The order of the attributes, the
    /// confidence, the raw texts and the nodes don't count, so a record that was stored and read
    /// has the same.
    pub fn fingerprint(&self) -> u128 {
        let mut values: Vec<&RecordValue> = self.values.iter().collect();
        // A stable sort: the order of the values of one attribute counts.
        values.sort_by_key(|value| &value.attribute);
        let mut hash = Xxh3::new();
        hash.update(self.object_type.as_bytes());
        for RecordValue { attribute, value, .. } in values {
            // Lengths keep the end of one text from being taken for the start of the next.
            let lengths = (attribute.len(), value.len());
            hash.update(format!("\n{} {attribute} {} {value}", lengths.0, lengths.1).as_bytes());
        }
        hash.digest128()
    }

    /// Parses the form that [`Record::to_json`] writes. Returns `None` for any other form.
    pub fn from_json(json: &Json) -> Option<Record> {
        let mut values = Vec::new();
        for (attribute, entry) in json.get("attributes")?.as_object()? {
            let (entries, repeated) = match entry {
                Json::Array(entries) => (entries.iter().collect(), true),
                one => (vec![one], false),
            };
            // Beside an array there is an array, beside a value a value.
            let beside = |facet: &str, place: usize| {
                let found = json.get(facet)?.get(attribute)?;
                if repeated { found.get(place) } else { Some(found) }
            };
            for (place, entry) in entries.into_iter().enumerate() {
                values.push(RecordValue {
                    attribute: attribute.clone(),
                    value: entry.as_str()?.to_owned(),
                    raw: beside("raw", place).and_then(Json::as_str).map(str::to_owned),
                    node: beside("nodes", place)
                        .and_then(Json::as_u64)
                        .and_then(|node| u32::try_from(node).ok()),
                    repeated,
                });
            }
        }
        Some(Record {
            object_type: json.get("type")?.as_str()?.to_owned(),
            confidence: json.get("confidence")?.as_f64()?,
            values,
        })
    }

    /// The record as people and other programs read it. The form is stable:
    ///
    /// ```json
    /// {
    ///   "type": "Event",
    ///   "confidence": 0.9,
    ///   "attributes": {"name": "The Tempest", "start": "2026-05-03", "performers": ["A. Player"]},
    ///   "raw": {"start": "3 May 2026"},
    ///   "nodes": {"start": 17, "performers": [23]}
    /// }
    /// ```
    ///
    /// Every value is a string in its normal form. An attribute that may be repeated is an array,
    /// even of one. `raw` and `nodes` have only attributes with something to say, in the same
    /// shape, with `null` for a value of an array that has nothing; they may be missing.
    pub fn to_json(&self) -> Json {
        serde_json::to_value(self.view()).unwrap_or_default()
    }

    /// Returns the form that [`Record::to_json`] writes.
    pub fn view(&self) -> RecordView {
        RecordView {
            r#type: self.object_type.clone(),
            confidence: self.confidence,
            attributes: self.facet(|value| Some(value.value.clone())),
            raw: self.facet(|value| value.raw.clone()),
            nodes: self.facet(|value| value.node),
        }
    }

    /// Returns one aspect of all values by attribute, without attributes that lack it.
    fn facet<T: Clone>(&self, of: impl Fn(&RecordValue) -> Option<T>) -> BTreeMap<String, OneOrMore<T>> {
        let mut facet = BTreeMap::new();
        for group in self.groups() {
            let values: Vec<Option<T>> = group.iter().map(&of).collect();
            let value = match values.as_slice() {
                values if values.iter().all(Option::is_none) => continue,
                // The shape follows the schema and not the number of values, so that readers need
                // not handle both.
                [Some(single)] if !group[0].repeated => OneOrMore::One(single.clone()),
                _ => OneOrMore::More(values),
            };
            facet.insert(group[0].attribute.clone(), value);
        }
        facet
    }

    /// The values in runs of one attribute.
    fn groups(&self) -> impl Iterator<Item = &[RecordValue]> {
        self.values.chunk_by(|one, two| one.attribute == two.attribute)
    }
}

/// Reads the values of some attributes of a record as JSON. The rest is not kept in memory.
struct Chosen<'a> {
    attributes: &'a [&'a str],
    /// The text is that of the attributes, and not that of the whole record.
    is_inside: bool,
    values: &'a mut Vec<RecordValue>,
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> DeserializeSeed<'de> for Chosen<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, text: D) -> Result<(), D::Error> {
        text.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Chosen<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Name(name)) = map.next_key()? {
            if !self.is_inside && name == "attributes" {
                map.next_value_seed(Chosen {
                    is_inside: true,
                    attributes: self.attributes,
                    values: self.values,
                })?;
            } else if self.is_inside && self.attributes.contains(&&*name) {
                let (entries, repeated) = match map.next_value()? {
                    Json::Array(entries) => (entries, true),
                    one => (vec![one], false),
                };
                let texts = entries.iter().filter_map(Json::as_str);
                self.values.extend(texts.map(|text| RecordValue {
                    attribute: name.clone().into_owned(),
                    value: text.to_owned(),
                    raw: None,
                    node: None,
                    repeated,
                }));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_some_attributes_are_those_of_the_whole_record() {
        let value = |attribute: &str, value: &str, repeated| RecordValue {
            attribute: attribute.to_owned(),
            value: value.to_owned(),
            raw: Some("raw".to_owned()),
            node: Some(7),
            repeated,
        };
        let record = Record {
            object_type: "Thing".to_owned(),
            confidence: 0.5,
            values: vec![
                value("attributes", "not the map", false),
                value("na\"me", "a \\ \u{1} b", false),
                value("tag", "one", true),
                value("tag", "two", true),
            ],
        };
        let text = record.to_text();
        let read = Record::values_from_text(&text, &["tag", "na\"me"]).expect("text of a record");
        for attribute in ["attributes", "na\"me", "tag"] {
            let values: Vec<&str> = read.all(attribute).collect();
            let expected: Vec<&str> = match attribute {
                "attributes" => Vec::new(),
                other => record.all(other).collect(),
            };
            assert_eq!(values, expected);
        }
        for damaged in ["", "[]", "{\"attributes\": {\"tag\": \"one\"", "{}}"] {
            assert_eq!(Record::values_from_text(damaged, &["tag"]), None, "{damaged}");
        }
    }
}
