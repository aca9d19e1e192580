//! The unchanged output of plugins.

use serde::{Deserialize, Serialize};

/// One object as a plugin found it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Object {
    /// The schema.org type; empty means the vertical's object type.
    pub schema_type: String,
    /// Confidence of the extractor, 0 to 1.
    pub confidence: f64,
    /// Its attributes, in order.
    pub fields: Vec<Field>,
}

impl Object {
    /// The values of an attribute, in order.
    pub fn values<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a Value> {
        self.fields
            .iter()
            .filter(move |field| field.path == path)
            .map(|field| &field.value)
    }
}

/// One attribute of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// The attribute's name.
    pub path: String,
    /// The value.
    pub value: Value,
    /// The position in the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
}

/// A value as a plugin read it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A truth value.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Real(f64),
    /// Text as found.
    Text(String),
    /// A JSON document.
    Json(serde_json::Value),
}

/// The answer of a plugin that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message} [{code}]")]
pub struct PluginError {
    /// A code of the contract's list.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// The attribute or option it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// True if the same call may succeed later.
    pub retryable: bool,
}

/// A query for a search engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// Text to type.
    pub text: String,
    /// `identifier`, `exact`, `loose`, or what a later contract adds.
    pub purpose: String,
}
