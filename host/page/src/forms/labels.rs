//! Texts beside fields.

use std::collections::HashMap;

use super::{LabelSource, MAX_LABEL_BYTES};
use crate::dom::{Document, NodeId, tidy};

/// Nodes that are read for one text. Labels have a few; a form in a label has all of its own.
const MAX_LABEL_NODES: u32 = 64;

/// Elements that `aria-labelledby` may name.
const MAX_LABELLING: usize = 4;

/// Elements whose text is part of a control, not of its label.
const CONTROLS: [&str; 4] = ["select", "datalist", "textarea", "button"];

/// Finds the texts of a page by what they belong to. Each element is read once.
pub(super) struct Labels<'a> {
    document: &'a Document,
    /// First `label` for each id.
    by_target: HashMap<&'a str, NodeId>,
    /// First element with each id.
    ids: HashMap<&'a str, NodeId>,
    texts: HashMap<NodeId, String>,
}

impl<'a> Labels<'a> {
    pub(super) fn new(document: &'a Document, ids: HashMap<&'a str, NodeId>) -> Labels<'a> {
        let mut by_target = HashMap::new();
        for (node, target) in document.having("for") {
            if document.tag(node) == "label" && !target.is_empty() {
                by_target.entry(target).or_insert(node);
            }
        }
        Labels {
            document,
            by_target,
            ids,
            texts: HashMap::new(),
        }
    }

    /// The element with an id.
    pub(super) fn element(&self, id: &str) -> Option<NodeId> {
        self.ids.get(id).copied()
    }

    /// The text of an element without that of controls.
    pub(super) fn text(&mut self, node: NodeId) -> &str {
        let document = self.document;
        self.texts
            .entry(node)
            .or_insert_with(|| clip(document.text_start(node, MAX_LABEL_NODES, MAX_LABEL_BYTES, &CONTROLS)).0)
    }

    /// The label of a field, with its source. `around` is the label element that it is in,
    /// `before` the text before it.
    pub(super) fn label(
        &mut self,
        control: NodeId,
        around: Option<NodeId>,
        before: &str,
    ) -> (String, LabelSource) {
        let document = self.document;
        let attribute = |name| document.attribute(control, name).unwrap_or_default();
        let by_id = self.by_target.get(attribute("id")).copied();
        for (node, source) in [(by_id, LabelSource::LabelFor), (around, LabelSource::LabelAround)] {
            if let Some(text) = node.map(|node| self.text(node)).filter(|text| is_telling(text)) {
                return (text.to_owned(), source);
            }
        }
        let label = short(attribute("aria-label"));
        if is_telling(&label) {
            return (label, LabelSource::AriaLabel);
        }
        let mut label = String::new();
        for id in attribute("aria-labelledby")
            .split_ascii_whitespace()
            // A page can list one long element a thousand times, and each time its text is copied.
            .take(MAX_LABELLING)
        {
            if let Some(node) = self.element(id) {
                label.push(' ');
                label.push_str(self.text(node));
            }
        }
        let label = short(&label);
        if is_telling(&label) {
            return (label, LabelSource::AriaLabelledBy);
        }
        let rest = [
            (attribute("placeholder"), LabelSource::Placeholder),
            (attribute("title"), LabelSource::Title),
            (before, LabelSource::PrecedingText),
        ];
        let mut rest = rest.into_iter().map(|(text, source)| (short(text), source));
        rest.find(|(text, _)| is_telling(text)).unwrap_or_default()
    }
}

/// Returns true if a text has a letter or digit. A lone `*` or `:` is no label.
fn is_telling(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// A text for readers, tidied and cut to the length of a label.
pub(super) fn short(text: &str) -> String {
    // Cut before tidying, so that a megabyte of text costs as little as a line.
    let start = text.floor_char_boundary(MAX_LABEL_BYTES * 4);
    clip(tidy(&text[..start])).0
}

/// Cuts a text to the length of a label. Returns true if something was cut.
fn clip(mut text: String) -> (String, bool) {
    let end = text.floor_char_boundary(MAX_LABEL_BYTES);
    let is_cut = end < text.len();
    text.truncate(end);
    (text, is_cut)
}
