//! Types of the JSON that commands print and the API returns. Their schemas, and the reference of
//! the output, are generated from them.

use std::collections::BTreeMap;

use magpie_values::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// A time as text, in RFC 3339 and UTC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("format" = "date-time"))]
pub struct Time(pub String);

impl From<Timestamp> for Time {
    fn from(time: Timestamp) -> Time {
        Time(time.to_string())
    }
}

/// An absolute URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("format" = "uri"))]
pub struct Address(pub String);

impl Address {
    /// Returns a URL as JSON has it.
    pub fn new(url: &impl ToString) -> Address {
        Address(url.to_string())
    }
}

/// A value, or a list of values with null where there is none.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum OneOrMore<T> {
    /// The value of an attribute that is not repeated.
    One(T),
    /// The values of a repeated attribute.
    More(Vec<Option<T>>),
}

/// Values by attribute, in normal form; a list for repeated attributes.
pub type Values = BTreeMap<String, OneOrMore<String>>;

/// A record: an object as a page describes it. Its fields are in the order of their names, in which
/// workspaces keep them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Record")]
pub struct RecordView {
    /// Values in normal form; a list for repeated attributes.
    pub attributes: Values,
    /// Probability that the record describes an object, from 0 to 1.
    pub confidence: f64,
    /// Node of the page that each value was read from.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub nodes: BTreeMap<String, OneOrMore<u32>>,
    /// Text that the plugin returned, where it differs from the normal form.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub raw: Values,
    /// Type of the object, as in schema.org where it has one.
    pub r#type: String,
}

/// A code with a sentence about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CodeAndMessage {
    /// Stable code.
    pub code: String,
    /// Sentence for people.
    pub message: String,
}

/// The values of an attribute in two states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OldAndNew {
    /// Values before.
    pub old: Vec<String>,
    /// Values after.
    pub new: Vec<String>,
}

/// Returns a number as JSON can represent it: `None` if it is infinite or not a number.
pub fn finite(number: f64) -> Option<f64> {
    Some(number).filter(|number| number.is_finite())
}
