//! A record together with the extractor's knowledge about it.

use super::{Attribute, Record};
use crate::Element;
use crate::bindings::objects::Object;

/// A record found on a page, with the extractor's confidence and the elements of its values.
///
/// ```
/// # use magpie_sdk::{Found, Page, Record};
/// # #[derive(Record)] struct Event { name: String }
/// # let page = Page::from_html("https://example.org/", "<h1>Night Music</h1>");
/// let heading = page.select_one("h1").unwrap();
/// let found = Found::new(Event { name: heading.text() }).confidence(0.9).at("name", heading);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Found<R> {
    /// The record itself.
    pub record: R,
    confidence: f64,
    schema_type: String,
    nodes: Vec<(String, u32)>,
    /// Node of the values without one of their own.
    node: Option<u32>,
}

impl<R: Record> Found<R> {
    /// Creates a record with a confidence of 1.
    pub fn new(record: R) -> Self {
        Self {
            record,
            confidence: 1.0,
            schema_type: String::new(),
            nodes: Vec::new(),
            node: None,
        }
    }

    /// Sets the probability, as estimated by the extractor, that this is an object of the vertical,
    /// from 0 to 1.
    #[must_use]
    pub fn confidence(mut self, confidence: f64) -> Self {
        // `clamp` returns NaN for NaN, which would compare as neither small nor large.
        self.confidence = if confidence.is_nan() {
            0.0
        } else {
            confidence.clamp(0.0, 1.0)
        };
        self
    }

    /// Sets the object's type if it is more specific than the record's: `MusicEvent`.
    #[must_use]
    pub fn schema_type(mut self, name: &str) -> Self {
        name.clone_into(&mut self.schema_type);
        self
    }

    /// Sets the element from which the value of an attribute was read. For the second value of a
    /// repeated attribute call it a second time. For an unknown attribute it panics in
    /// debug builds outside Wasm, and otherwise logs a warning.
    #[must_use]
    #[track_caller]
    pub fn at(self, attribute: &str, element: Element<'_>) -> Self {
        self.at_node(attribute, element.node())
    }

    /// As [`Found::at`], by node id.
    #[must_use]
    #[track_caller]
    pub fn at_node(mut self, attribute: &str, node: u32) -> Self {
        // The derive macro makes a dash of `_` in a field's name, and authors write either.
        let name = attribute.replace('_', "-");
        if R::SCHEMA.iter().any(|known| known.name == name) {
            self.nodes.push((name, node));
        } else {
            blame::<R>(attribute);
        }
        self
    }

    /// Sets the element from which all values were read that have none of their own: the script of
    /// a JSON-LD entity, or the card of a list.
    ///
    /// ```
    /// # use magpie_sdk::{Found, Page, Record};
    /// # #[derive(Record)] struct Event { name: String }
    /// # let page = Page::from_html("https://example.org/", "<p itemscope><b itemprop=name>Night
    /// Music</b>"); let entity = page.structured().next().unwrap(); let found = Found::new(Event {
    /// name: entity.get("name").unwrap().to_string() }).all_at(entity.element());
    /// ```
    #[must_use]
    pub fn all_at<'p>(mut self, element: impl Into<Option<Element<'p>>>) -> Self {
        self.node = element.into().map(Element::node);
        self
    }

    /// Converts to the object that the host takes.
    pub fn into_object(self) -> Object {
        let mut fields = self.record.fields();
        let mut nodes = self.nodes;
        for field in &mut fields {
            field.node = self.node;
            if let Some(index) = nodes.iter().position(|(name, _)| *name == field.path) {
                // The node is removed, so that the next value of a repeated attribute gets the next
                // node.
                field.node = Some(nodes.remove(index).1);
            }
        }
        Object {
            schema_type: self.schema_type,
            confidence: self.confidence,
            fields,
        }
    }
}

impl<R: Record> From<R> for Found<R> {
    fn from(record: R) -> Self {
        Self::new(record)
    }
}

#[track_caller]
fn blame<R: Record>(name: &str) {
    let known: Vec<&str> = R::SCHEMA
        .iter()
        .map(|attribute: &Attribute| attribute.name)
        .collect();
    let message = format!(
        "{} has no attribute `{name}`, only {}",
        R::OBJECT_TYPE,
        known.join(", ")
    );
    if cfg!(all(debug_assertions, not(target_arch = "wasm32"))) {
        panic!("{message}");
    }
    crate::warn!("{message}");
}
